/* StableHLO programs whose sizes are open (tenon/dynamic_computation.h): dimensions that their types do not say
 * (tensor<?x3xf32>), and sizes that are arguments. A computation has arrays of known sizes; there is one for each set
 * of sizes. */
#ifndef TENON_C_DYNAMIC_COMPUTATION_H
#define TENON_C_DYNAMIC_COMPUTATION_H

#include "tenon/c/computation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A program. May be used by any number of threads at a time; computations that it gave live on without it. */
typedef struct tenon_dynamic_computation tenon_dynamic_computation;

/* A program as tenon_computation_from_stablehlo_entry takes it, with the same errors; `file_name` and `entry` may be
 * NULL. The arrays inside tuples and futures are parameters of their own. */
TENON_API TENON_MUST_USE tenon_status *
tenon_dynamic_computation_from_stablehlo(const char *program, size_t size, const char *file_name, const char *entry,
                                         tenon_dynamic_computation **computation);
/* Frees it. NULL is allowed. */
TENON_API void tenon_dynamic_computation_destroy(tenon_dynamic_computation *computation);

/* Whether there is something open, so that a tenon_computation would not do; false of NULL. */
TENON_API bool tenon_dynamic_computation_is_open(const tenon_dynamic_computation *computation);
/* The number of parameters; 0 of NULL. */
TENON_API size_t tenon_dynamic_computation_parameter_count(const tenon_dynamic_computation *computation);

/* A parameter. Set struct_size to sizeof(tenon_dynamic_parameter) before the call. */
typedef struct tenon_dynamic_parameter {
  size_t struct_size;
  /* This and the dimensions live as long as the program. */
  const char *name;
  tenon_element_type element_type;
  /* `rank` of them; -1: open. */
  const int64_t *dimensions;
  size_t rank;
  /* A size of the program follows from the parameter's elements: an integer, or a list of integers. */
  bool decides_sizes;
} tenon_dynamic_parameter;
/* A parameter, by its number; TENON_OUT_OF_RANGE beyond the last. */
TENON_API TENON_MUST_USE tenon_status *
tenon_dynamic_computation_get_parameter(const tenon_dynamic_computation *computation, size_t parameter,
                                        tenon_dynamic_parameter *info);

/* What is known of an argument before the program is compiled: the elements of an integer, or of a list of integers. */
typedef struct tenon_known_argument {
  size_t parameter;
  const int64_t *elements;
  size_t count;
} tenon_known_argument;

/* The computation for arguments of these shapes, one for each parameter, and of those elements that decide sizes; of
 * other parameters `known` does not count. It takes all arguments; a run with other elements of those that decide sizes
 * is an error. What was compiled for the same shapes and elements is used again, as long as it is among the 64 used
 * last.
 *
 * TENON_INVALID_ARGUMENT for shapes that the parameters do not have; TENON_UNIMPLEMENTED where a size is not known, or
 * where a result's size is one that only a run knows; and the errors of the program's own checks of shapes. */
TENON_API TENON_MUST_USE tenon_status *
tenon_dynamic_computation_specialize(tenon_dynamic_computation *dynamic, const tenon_shape *const *arguments,
                                     size_t count, const tenon_known_argument *known, size_t known_count,
                                     tenon_computation **computation);

#ifdef __cplusplus
}
#endif
#endif
