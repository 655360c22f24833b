/* Computations that a service has compiled, to be run any number of times, and what the compiler knows of them
 * (tenon/client.h, Executable; tenon/xla.proto, ExecutableAnalysis). An executable may be used by any number of threads
 * at a time, and lives on without client and computation. */
#ifndef TENON_C_EXECUTABLE_H
#define TENON_C_EXECUTABLE_H

#include "tenon/c/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled computation. */
typedef struct tenon_executable tenon_executable;

/* Compiles, for arguments in row-major order (argument_shapes is NULL), or in the layouts of `count` shapes, and for
 * the layout of the result in `options`, which may be NULL. */
TENON_API TENON_MUST_USE tenon_status *tenon_executable_create(tenon_client *client,
                                                               const tenon_computation *computation,
                                                               const tenon_shape *const *argument_shapes, size_t count,
                                                               const tenon_execute_options *options,
                                                               tenon_executable **executable);
/* Ends this handle; data that came of the executable live on. NULL is allowed. */
TENON_API void tenon_executable_destroy(tenon_executable *executable);

/* Runs, with `count` arguments of the client's service, of the parameters' shapes. `options` may be NULL; its
 * result_shape must be NULL, or what it was compiled for. */
TENON_API TENON_MUST_USE tenon_status *tenon_executable_execute(const tenon_executable *executable,
                                                                const tenon_data *const *arguments, size_t count,
                                                                const tenon_execute_options *options,
                                                                tenon_data **result);
/* The same, and copies the result back. */
TENON_API TENON_MUST_USE tenon_status *
tenon_executable_execute_and_transfer(const tenon_executable *executable, const tenon_data *const *arguments,
                                      size_t count, const tenon_execute_options *options, tenon_literal **result);

/* What the compiler knows of an executable; no part of it. */
typedef struct tenon_analysis tenon_analysis;

/* Asks the service. TENON_UNIMPLEMENTED where it does not say, as an older server. */
TENON_API TENON_MUST_USE tenon_status *tenon_executable_analyze(const tenon_executable *executable,
                                                                tenon_analysis **analysis);
/* Frees it, with all that it says. NULL is allowed. */
TENON_API void tenon_analysis_destroy(tenon_analysis *analysis);

/* Set struct_size to sizeof(tenon_analysis_figures) before the call. */
typedef struct tenon_analysis_figures {
  size_t struct_size;
  /* The bytes of the arrays inside arguments and results, of constants, and of object code. */
  int64_t argument_bytes;
  int64_t result_bytes;
  int64_t constant_bytes;
  int64_t code_bytes;
  /* The bytes of the arena, which each run works in; the most of it that is in use at a time; what each worker has
   * beside it. */
  int64_t arena_bytes;
  int64_t peak_bytes;
  int64_t scratch_bytes;
  /* What a run does; the body of a loop counts once. */
  double flops;
  double bytes_accessed;
  double transcendentals;
  /* How many there are to ask for. */
  size_t kernels;
  size_t buffers;
} tenon_analysis_figures;
/* The figures of the whole. */
TENON_API TENON_MUST_USE tenon_status *tenon_analysis_get_figures(const tenon_analysis *analysis,
                                                                  tenon_analysis_figures *figures);

/* What a buffer holds. */
typedef enum tenon_buffer_kind TENON_ANY_INT {
  TENON_BUFFER_TEMPORARY = 0,
  TENON_BUFFER_WORKSPACE = 1,
  TENON_BUFFER_ARGUMENT = 2,
  TENON_BUFFER_RESULT = 3,
  TENON_BUFFER_CONSTANT = 4
} tenon_buffer_kind;

/* A piece of memory. Set struct_size to sizeof(tenon_buffer_info) before the call. */
typedef struct tenon_buffer_info {
  size_t struct_size;
  tenon_buffer_kind kind;
  /* "argument 0 (x)", "temporary"; lives as long as the analysis, as all texts here do. */
  const char *name;
  /* The number of the argument, the result or the constant; -1 for the others. */
  int64_t index;
  /* In bytes, and where in the arena; -1: not there. */
  int64_t size;
  int64_t offset;
  /* The first and the last step that need it; -1: none. */
  int64_t first_step;
  int64_t last_step;
  bool alive_at_peak;
} tenon_buffer_info;
/* A buffer, by its number; TENON_OUT_OF_RANGE beyond the last. */
TENON_API TENON_MUST_USE tenon_status *tenon_analysis_get_buffer(const tenon_analysis *analysis, size_t buffer,
                                                                 tenon_buffer_info *info);

/* Machine code that runs as a whole. Set struct_size to sizeof(tenon_kernel_info) before the call. */
typedef struct tenon_kernel_info {
  size_t struct_size;
  const char *name;
  const char *kind;     /* "loop", "reduce", "dot", ... */
  const char *ops;      /* that are inside, in order, separated by commas */
  const char *location; /* in the user's source */
  int64_t calls;        /* places that call it */
  double flops;         /* of a call */
  double bytes_accessed;
} tenon_kernel_info;
/* A kernel, by its number; TENON_OUT_OF_RANGE beyond the last. */
TENON_API TENON_MUST_USE tenon_status *tenon_analysis_get_kernel(const tenon_analysis *analysis, size_t kernel,
                                                                 tenon_kernel_info *info);

#ifdef __cplusplus
}
#endif
#endif
