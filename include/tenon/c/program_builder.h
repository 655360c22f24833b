/* Builds StableHLO programs, operation by operation: tenon::ProgramBuilder of tenon/program_builder.h, which states the
 * rules. tenon/c/ops.h has a function for each operation.
 *
 * A function that adds something returns a value, and never fails by itself: an error is kept with the place of the
 * call, and tenon_program_builder_build returns the first; what is added after it has no effect. A builder is for one
 * thread at a time. */
#ifndef TENON_C_PROGRAM_BUILDER_H
#define TENON_C_PROGRAM_BUILDER_H

#include "tenon/c/computation.h"
#include "tenon/c/literal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One program while it is being built. */
typedef struct tenon_program_builder tenon_program_builder;

/* A value of a program that is being built; {0} is none. There is nothing to destroy. */
typedef struct tenon_op_value {
  uint64_t id;
} tenon_op_value;

/* The computation of an operation: `body` is called once, at once, with the values that the computation has as
 * arguments, which live as long as the call, and gives its results to tenon_program_builder_return. */
typedef struct tenon_region {
  void (*body)(tenon_program_builder *builder, const tenon_op_value *arguments, size_t count, void *context);
  void *context;
} tenon_region;

/* The name is for errors, reports and profiles. */
TENON_API TENON_MUST_USE tenon_status *tenon_program_builder_create(const char *name, tenon_program_builder **builder);
/* Frees the builder; values of it are of no use afterwards. NULL is allowed. */
TENON_API void tenon_program_builder_destroy(tenon_program_builder *builder);
/* Where the calls that follow are, so that errors, reports and profiles can name it. The file's name is copied. Returns
 * the builder, so that C can write tenon_op_add(TENON_AT(builder), x, y). */
TENON_API tenon_program_builder *tenon_program_builder_at(tenon_program_builder *builder, const char *file, int line);
#define TENON_AT(builder) tenon_program_builder_at((builder), __FILE__, __LINE__)
/* The first error so far; NULL where there is none. */
TENON_API TENON_MUST_USE tenon_status *tenon_program_builder_status(const tenon_program_builder *builder);

/* The next parameter of the program; the type as StableHLO spells it: "tensor<2x3xf32>", or "2x3xf32". `name` may be
 * NULL. */
TENON_API tenon_op_value tenon_program_builder_parameter(tenon_program_builder *builder, const char *type,
                                                         const char *name);
/* A scalar of the operand's element type in each element of an array of its shape. */
TENON_API tenon_op_value tenon_program_builder_like(tenon_program_builder *builder, tenon_op_value operand,
                                                    double number);
/* The array laid out along dimensions of an array of these sizes, NULL for the last ones; sizes of 1 are stretched. */
TENON_API tenon_op_value tenon_program_builder_broadcast_to(tenon_program_builder *builder, tenon_op_value operand,
                                                            const int64_t *sizes, size_t rank,
                                                            const int64_t *dimensions);
/* Adds a function of these parameters, which tenon_program_builder_call calls. */
TENON_API void tenon_program_builder_function(tenon_program_builder *builder, const char *name,
                                              const char *const *parameter_types, size_t count, tenon_region body);
/* Calls such a function. Writes the first `capacity` results to `values`, and returns their number, 0 after an error.
 */
TENON_API size_t tenon_program_builder_call(tenon_program_builder *builder, const char *function,
                                            const tenon_op_value *arguments, size_t count, tenon_op_value *values,
                                            size_t capacity);
/* The results of the computation whose `body` is being called. */
TENON_API void tenon_program_builder_return(tenon_program_builder *builder, const tenon_op_value *results,
                                            size_t count);
/* The type of a value as StableHLO writes it, for tenon_free; NULL of what is no value. */
TENON_API char *tenon_program_builder_type(const tenon_program_builder *builder, tenon_op_value value);

/* The program that gives these values, or the first error. The builder may go on. */
TENON_API TENON_MUST_USE tenon_status *tenon_program_builder_build(tenon_program_builder *builder,
                                                                   const tenon_op_value *results, size_t count,
                                                                   tenon_computation **computation);
/* The same as StableHLO's text, whatever the types; for tenon_free. */
TENON_API TENON_MUST_USE tenon_status *
tenon_program_builder_text(tenon_program_builder *builder, const tenon_op_value *results, size_t count, char **text);

#ifdef __cplusplus
}
#endif
#endif
