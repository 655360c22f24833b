/* Programs: built by a tenon_builder, or read from StableHLO. */
#ifndef TENON_C_COMPUTATION_H
#define TENON_C_COMPUTATION_H

#include "tenon/c/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable; usable from any thread, by any number of clients and builders. */
typedef struct tenon_computation tenon_computation;

/* A StableHLO program in any form: text, MLIR bytecode, portable artifact. Its `main` is the computation; several
 * results are a tuple. `file_name`, which may be NULL, is what errors call the program. */
TENON_API TENON_MUST_USE tenon_status *tenon_computation_from_stablehlo(const char *program, size_t size,
                                                                        const char *file_name,
                                                                        tenon_computation **computation);
/* The same of the program's function `entry`. NULL: `main`, otherwise the only public one, otherwise the only one. */
TENON_API TENON_MUST_USE tenon_status *tenon_computation_from_stablehlo_entry(const char *program, size_t size,
                                                                              const char *file_name, const char *entry,
                                                                              tenon_computation **computation);
/* Ends this handle; clients and builders that use the computation go on. NULL is allowed. */
TENON_API void tenon_computation_destroy(tenon_computation *computation);

/* NULL is taken by what follows: it has no name, no parameters and no result. What is returned lives as long as the
 * computation, and is not to be destroyed; it is NULL for a parameter that there is not. */

/* The name given to the builder; "" of none. */
TENON_API const char *tenon_computation_name(const tenon_computation *computation);
/* The number of parameters. */
TENON_API size_t tenon_computation_parameter_count(const tenon_computation *computation);
/* The shape of a parameter. */
TENON_API const tenon_shape *tenon_computation_parameter_shape(const tenon_computation *computation, size_t parameter);
/* The name of a parameter, as it was enqueued. */
TENON_API const char *tenon_computation_parameter_name(const tenon_computation *computation, size_t parameter);
/* The shape of the result; NULL of the empty computation. */
TENON_API const tenon_shape *tenon_computation_result_shape(const tenon_computation *computation);

/* As StableHLO in MLIR's textual form, ending in a zero. Free it by tenon_free. */
TENON_API TENON_MUST_USE tenon_status *tenon_computation_to_text(const tenon_computation *computation, char **text);
/* As a portable artifact of a version of StableHLO ("1.9.0"; NULL: the newest known). Free it by tenon_free. */
TENON_API TENON_MUST_USE tenon_status *tenon_computation_to_portable_artifact(const tenon_computation *computation,
                                                                              const char *version, char **bytes,
                                                                              size_t *size);

#ifdef __cplusplus
}
#endif
#endif
