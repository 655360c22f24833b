/* Ahead-of-time compilation: a computation as an object file and a C header, which an application links without any of
 * Tenon. tenon/aot.h and docs/aot.md say more. */
#ifndef TENON_C_AOT_H
#define TENON_C_AOT_H

#include "tenon/c/computation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set struct_size to sizeof(tenon_aot_options), and what is not wanted to zero. */
typedef struct tenon_aot_options {
  size_t struct_size;
  /* The prefix of all its names in C, and the files' name; NULL: one that resembles the computation's. */
  const char *name;
  /* The system and the processor, as LLVM names them; NULL: those of this machine. */
  const char *triple;
  const char *cpu;
  /* Constants are apart from the object, for the application to load. */
  bool external_weights;
  /* That compile; 0: as many as the process may use. */
  int compile_threads;
  /* How the arguments' arrays lie in the application's memory: a shape for each parameter, the parameter's but for
   * layouts; NULL: as the parameters' shapes say, or a program's attributes (mhlo.layout_mode). */
  const tenon_shape *const *argument_shapes;
  size_t argument_shape_count;
  /* The result's, likewise; NULL: row-major, or as the program's attributes say. */
  const tenon_shape *result_shape;
} tenon_aot_options;

/* What was made. Its parts live as long as it does. */
typedef struct tenon_aot_result tenon_aot_result;

/* `options` may be NULL. */
TENON_API TENON_MUST_USE tenon_status *tenon_compile_ahead_of_time(const tenon_computation *computation,
                                                                   const tenon_aot_options *options,
                                                                   tenon_aot_result **result);
/* Frees it, with all its parts. NULL is allowed. */
TENON_API void tenon_aot_result_destroy(tenon_aot_result *result);

/* These give "" and sizes of 0 for NULL. */
TENON_API const char *tenon_aot_result_name(const tenon_aot_result *result);
/* C99 and C++. */
TENON_API const char *tenon_aot_result_header(const tenon_aot_result *result);
/* Relocatable ELF; `size` may be NULL, and otherwise is where to write the number of bytes. */
TENON_API const char *tenon_aot_result_object(const tenon_aot_result *result, size_t *size);
/* The contents of the weights' file; empty where they are in the object. */
TENON_API const char *tenon_aot_result_weights(const tenon_aot_result *result, size_t *size);
/* What the application has to bring; NULL beyond the last. */
TENON_API const char *tenon_aot_result_undefined_symbol(const tenon_aot_result *result, size_t index);
/* The routines of LAPACK that it calls; NULL beyond the last. */
TENON_API const char *tenon_aot_result_lapack_routine(const tenon_aot_result *result, size_t index);
/* Writes NAME.o, NAME.h and, unless empty, NAME.weights to a folder, which is made where it is missing. */
TENON_API TENON_MUST_USE tenon_status *tenon_aot_result_write_to(const tenon_aot_result *result, const char *folder);

#ifdef __cplusplus
}
#endif
#endif
