/* Tenon's own extension of the PJRT API: what a framework's package for Tenon needs beyond the standard ones. In C, for
 * callers of other languages; tenon/python uses it through ctypes and mirrors these structures. */
#ifndef TENON_PJRT_TENON_EXTENSION_H
#define TENON_PJRT_TENON_EXTENSION_H

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Far from the numbers that OpenXLA gives out. */
#define TENON_EXTENSION_TYPE 0x7e707

/* A custom call target with handlers (XLA_FFI_Handler *) for its stages; only `execute` must be there. The standard FFI
 * extension has no stages. */
typedef struct Tenon_RegisterHandler_Args {
  size_t struct_size;
  const char *target_name;
  size_t target_name_size;
  void *instantiate, *prepare, *initialize, *execute;
  uint32_t traits;
  uint32_t on_gpu; /* 1: the handlers work in a GPU's memory and streams */
} Tenon_RegisterHandler_Args;

/* A dense row-major array in host memory. Tokens have no data. */
typedef struct Tenon_HostArray {
  void *data;
  int64_t bytes;
  const int64_t *dims;
  int32_t rank;
  int32_t type; /* PJRT_Buffer_Type */
} Tenon_HostArray;

/* Calls a function of the framework's language: reads the arguments, writes the results. Returns 0, or 1 after putting
 * a message of at most `error_size` bytes, the terminating zero included, into `error`. */
typedef int (*Tenon_CallFunction)(void *function, size_t num_arguments, const Tenon_HostArray *arguments,
                                  size_t num_results, const Tenon_HostArray *results, char *error, size_t error_size);

/* Makes `target_name` a custom call of functions that the framework attaches to its runs: attribute `index` picks one
 * of the list that the run's user data (see PJRT_FFI_UserData_Add) holds. This is how JAX sends its host callbacks. */
typedef struct Tenon_RegisterCallback_Args {
  size_t struct_size;
  const char *target_name;
  size_t target_name_size;
  Tenon_CallFunction call;
} Tenon_RegisterCallback_Args;

/* A shared library with LAPACK (32-bit integers), for machines that have none in the usual places. */
typedef struct Tenon_SuggestLapack_Args {
  size_t struct_size;
  const char *path;
  size_t path_size;
} Tenon_SuggestLapack_Args;

/* A custom call target that is a plain C function, for calls of api_version 0 to 3. */
typedef struct Tenon_RegisterFunction_Args {
  size_t struct_size;
  const char *target_name;
  size_t target_name_size;
  void *function;
} Tenon_RegisterFunction_Args;

/* Why programs over several OS processes cannot go on any more, since one has failed (docs/processes.md), as at most
 * `message_size` bytes, the terminating zero included; nothing while they can. With `waits`, returns only when they
 * cannot, however long that takes: for a thread of the framework's language. */
typedef struct Tenon_Failure_Args {
  size_t struct_size;
  char *message;
  size_t message_size;
  int32_t waits;
} Tenon_Failure_Args;

typedef struct Tenon_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*register_handler)(Tenon_RegisterHandler_Args *args);
  PJRT_Error *(*register_callback)(Tenon_RegisterCallback_Args *args);
  PJRT_Error *(*suggest_lapack)(Tenon_SuggestLapack_Args *args);
  PJRT_Error *(*register_function)(Tenon_RegisterFunction_Args *args);
  PJRT_Error *(*failure)(Tenon_Failure_Args *args);
} Tenon_Extension;

#ifdef __cplusplus
}
#endif
#endif
