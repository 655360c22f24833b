/* Builds computations, operation by operation. Each function is the method of that name of xla::ComputationBuilder,
 * whose header, tenon/computation_builder.h, states shapes, rules and errors (Add: tenon_builder_add).
 *
 * A function that enqueues an operation returns a value, and never fails by itself: an error is kept with the place of
 * the call, and tenon_builder_build returns the first; what is enqueued after it has no effect. An argument that is
 * NULL where it may not be is such an error; without a builder nothing can be kept, and the value is none.
 *
 * A builder and its sub-builders are used by one thread at a time. */
#ifndef TENON_C_BUILDER_H
#define TENON_C_BUILDER_H

#include "tenon/c/client.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_builder tenon_builder;

/* A value of a computation that is being built; {0} is none. There is nothing to destroy. */
typedef struct tenon_value {
  uint64_t id;
} tenon_value;

/* `name` names the computation in errors, reports and profiles. The client may be destroyed before the builder. */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_create(tenon_client *client, const char *name,
                                                            tenon_builder **builder);
/* A builder for a computation that only this builder uses: tenon_builder_build_and_note_error keeps its errors there.
 * It may be destroyed before or after. */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_create_sub_builder(tenon_builder *parent, const char *name,
                                                                        tenon_builder **builder);
TENON_API void tenon_builder_destroy(tenon_builder *builder);

/* Where the calls that follow are, so that errors, reports and profiles can name it. The file's name is copied. Returns
 * the builder, so that C can write tenon_builder_add(TENON_HERE(builder), x, y, NULL, 0). */
TENON_API tenon_builder *tenon_builder_at(tenon_builder *builder, const char *file, int line);
#define TENON_HERE(builder) tenon_builder_at((builder), __FILE__, __LINE__)

/* Its own name. "" of NULL. Lives as long as the builder. */
TENON_API const char *tenon_builder_name(const tenon_builder *builder);
/* Whether an error ends the process at the call that makes it. */
TENON_API void tenon_builder_set_die_immediately_on_error(tenon_builder *builder, bool enabled);
/* The first error so far; NULL where there is none. */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_first_error(const tenon_builder *builder);

/*===- Results --------------------------------------------------------------------------------------------------===*/

/* The computation, or the first error. */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_build(tenon_builder *builder, tenon_computation **computation);
/* Of a sub-builder: notes an error in the parent, and returns the empty computation. NULL of NULL, and without memory.
 */
TENON_API tenon_computation *tenon_builder_build_and_note_error(tenon_builder *builder);
/* Makes a value the result, rather than the last one enqueued. */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_set_return_value(tenon_builder *builder, tenon_value operand);
/* The value now, of one that does not depend on a parameter: row-major, or in the layout of `shape` unless that is
 * NULL. */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_compute_constant(tenon_builder *builder, tenon_value operand,
                                                                      const tenon_shape *shape, tenon_data **data);
TENON_API TENON_MUST_USE tenon_status *tenon_builder_get_shape(const tenon_builder *builder, tenon_value operand,
                                                               tenon_shape **shape);
/* TENON_INVALID_ARGUMENT unless the shapes are equal, layouts aside. */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_check_shape(const tenon_builder *builder, tenon_value operand,
                                                                 const tenon_shape *expected);
TENON_API TENON_MUST_USE tenon_status *tenon_builder_check_same_shape(const tenon_builder *builder, tenon_value lhs,
                                                                      tenon_value rhs);

/*===- Parameters and constants ---------------------------------------------------------------------------------===*/

TENON_API tenon_value tenon_builder_parameter(tenon_builder *builder, int64_t number, const tenon_shape *shape,
                                              const char *name);
TENON_API tenon_value tenon_builder_constant_literal(tenon_builder *builder, const tenon_literal *literal);
/* `values` points to as many elements of the type as the array has, row-major, with bytes that the type has. */
TENON_API tenon_value tenon_builder_constant_r0(tenon_builder *builder, tenon_element_type type, const void *value);
TENON_API tenon_value tenon_builder_constant_r1(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t length);
TENON_API tenon_value tenon_builder_constant_r2(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t n1, int64_t n2);
TENON_API tenon_value tenon_builder_constant_r3(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t n1, int64_t n2, int64_t n3);
TENON_API tenon_value tenon_builder_constant_r4(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t n1, int64_t n2, int64_t n3, int64_t n4);
/* ConstantR1 of a length: a vector of equal elements. */
TENON_API tenon_value tenon_builder_constant_r1_filled(tenon_builder *builder, tenon_element_type type,
                                                       const void *value, int64_t length);

/*===- Places of elements: no arithmetic ------------------------------------------------------------------------===*/

TENON_API tenon_value tenon_builder_broadcast(tenon_builder *builder, tenon_value operand, const int64_t *sizes,
                                              size_t count);

typedef struct tenon_padding_dimension {
  int64_t edge_padding_low;
  int64_t edge_padding_high;
  int64_t interior_padding;
} tenon_padding_dimension;
TENON_API tenon_value tenon_builder_pad(tenon_builder *builder, tenon_value operand, tenon_value padding_value,
                                        const tenon_padding_dimension *dimensions, size_t rank);

/* Reshape in an order of dimensions; NULL for 0, .., N-1. */
TENON_API tenon_value tenon_builder_reshape(tenon_builder *builder, tenon_value operand, const int64_t *dimensions,
                                            size_t rank, const int64_t *new_sizes, size_t new_rank);
TENON_API tenon_value tenon_builder_collapse(tenon_builder *builder, tenon_value operand, const int64_t *dimensions,
                                             size_t count);
TENON_API tenon_value tenon_builder_slice(tenon_builder *builder, tenon_value operand, const int64_t *start_indices,
                                          const int64_t *limit_indices, size_t rank);
TENON_API tenon_value tenon_builder_dynamic_slice(tenon_builder *builder, tenon_value operand,
                                                  tenon_value start_indices, const int64_t *sizes, size_t rank);
TENON_API tenon_value tenon_builder_dynamic_update_slice(tenon_builder *builder, tenon_value operand,
                                                         tenon_value update, tenon_value start_indices);
TENON_API tenon_value tenon_builder_concat_in_dim(tenon_builder *builder, const tenon_value *operands, size_t count,
                                                  int64_t dimension);
TENON_API tenon_value tenon_builder_trans(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_transpose(tenon_builder *builder, tenon_value operand, const int64_t *permutation,
                                              size_t rank);
TENON_API tenon_value tenon_builder_rev(tenon_builder *builder, tenon_value operand, const int64_t *dimensions,
                                        size_t count);
TENON_API tenon_value tenon_builder_select(tenon_builder *builder, tenon_value pred, tenon_value on_true,
                                           tenon_value on_false);
TENON_API tenon_value tenon_builder_tuple(tenon_builder *builder, const tenon_value *elements, size_t count);
TENON_API tenon_value tenon_builder_get_tuple_element(tenon_builder *builder, tenon_value tuple, int64_t index);
TENON_API tenon_value tenon_builder_sort(tenon_builder *builder, tenon_value operand);

/*===- Elementwise ----------------------------------------------------------------------------------------------===*/

/* broadcast_dimensions: `count` of them, or NULL and 0. */
TENON_API tenon_value tenon_builder_eq(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_ne(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_ge(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_gt(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_lt(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_le(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_add(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_sub(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_mul(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_div(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_rem(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_max(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_min(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
TENON_API tenon_value tenon_builder_pow(tenon_builder *builder, tenon_value lhs, tenon_value rhs);
TENON_API tenon_value tenon_builder_exp(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_floor(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_ceil(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_log(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_tanh(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_sqrt_f32(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_square_f32(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_reciprocal_f32(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_neg(tenon_builder *builder, tenon_value operand);
TENON_API tenon_value tenon_builder_clamp(tenon_builder *builder, tenon_value min, tenon_value operand,
                                          tenon_value max);
TENON_API tenon_value tenon_builder_convert_element_type(tenon_builder *builder, tenon_value operand,
                                                         tenon_element_type type);
TENON_API tenon_value tenon_builder_reduce_precision(tenon_builder *builder, tenon_value operand, int exponent_bits,
                                                     int mantissa_bits);
TENON_API tenon_value tenon_builder_map(tenon_builder *builder, const tenon_value *operands, size_t count,
                                        const tenon_computation *computation, const tenon_value *static_operands,
                                        size_t static_count);

/*===- Sums, windows, convolutions ------------------------------------------------------------------------------===*/

/* How windows are padded. TENON_PADDING_SAME: as many windows as elements, divided by the stride and rounded up.
 * TENON_PADDING_VALID: windows lie inside. Other functions take (low, high) for each dimension. */
typedef enum tenon_padding { TENON_PADDING_SAME = 0, TENON_PADDING_VALID = 1 } tenon_padding;
typedef struct tenon_edge_padding {
  int64_t low;
  int64_t high;
} tenon_edge_padding;

TENON_API tenon_value tenon_builder_dot(tenon_builder *builder, tenon_value lhs, tenon_value rhs);
TENON_API tenon_value tenon_builder_reduce(tenon_builder *builder, tenon_value operand, tenon_value init_value,
                                           const tenon_computation *computation, const int64_t *dimensions,
                                           size_t count);
TENON_API tenon_value tenon_builder_reduce_window(tenon_builder *builder, tenon_value operand, tenon_value init_value,
                                                  const tenon_computation *computation,
                                                  const int64_t *window_dimensions, const int64_t *window_strides,
                                                  size_t rank, tenon_padding padding);
TENON_API tenon_value tenon_builder_reduce_window_with_general_padding(
    tenon_builder *builder, tenon_value operand, tenon_value init_value, const tenon_computation *computation,
    const int64_t *window_dimensions, const int64_t *window_strides, const tenon_edge_padding *padding, size_t rank);
TENON_API tenon_value tenon_builder_select_and_scatter(tenon_builder *builder, tenon_value operand,
                                                       const tenon_computation *select,
                                                       const int64_t *window_dimensions, const int64_t *window_strides,
                                                       size_t rank, tenon_padding padding, tenon_value source,
                                                       tenon_value init_value, const tenon_computation *scatter);
TENON_API tenon_value tenon_builder_select_and_scatter_with_general_padding(
    tenon_builder *builder, tenon_value operand, const tenon_computation *select, const int64_t *window_dimensions,
    const int64_t *window_strides, const tenon_edge_padding *padding, size_t rank, tenon_value source,
    tenon_value init_value, const tenon_computation *scatter);

/* Which dimension of a convolution's operands is what: of the input, which the result is numbered as, and of the
 * kernel. The spatial dimensions are two. */
typedef struct tenon_conv_dimension_numbers {
  int64_t batch;
  int64_t feature;
  int64_t spatial[2];
  int64_t kernel_output_feature;
  int64_t kernel_input_feature;
  int64_t kernel_spatial[2];
} tenon_conv_dimension_numbers;
/* CreateDefaultConvDimensionNumbers: {0, 1, {2, 3}, 0, 1, {2, 3}}. */
TENON_API tenon_conv_dimension_numbers tenon_conv_dimension_numbers_default(void);
/* CreateConvDimensionNumbers, which checks: an error unless input and kernel are each a permutation of 0 to 3. */
TENON_API TENON_MUST_USE tenon_status *tenon_conv_dimension_numbers_check(const tenon_conv_dimension_numbers *numbers);

/* Two strides, and two paddings. */
TENON_API tenon_value tenon_builder_conv(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                         const int64_t *window_strides, tenon_padding padding);
TENON_API tenon_value tenon_builder_conv_with_general_padding(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                                              const int64_t *window_strides,
                                                              const tenon_edge_padding *padding);
TENON_API tenon_value tenon_builder_conv_with_general_dimensions(tenon_builder *builder, tenon_value lhs,
                                                                 tenon_value rhs, const int64_t *window_strides,
                                                                 tenon_padding padding,
                                                                 const tenon_conv_dimension_numbers *numbers);
TENON_API tenon_value tenon_builder_conv_general(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                                 const int64_t *window_strides, const tenon_edge_padding *padding,
                                                 const tenon_conv_dimension_numbers *numbers);

/*===- Random numbers, control flow, effects --------------------------------------------------------------------===*/

TENON_API tenon_value tenon_builder_rng_normal(tenon_builder *builder, tenon_value mu, tenon_value sigma,
                                               const tenon_shape *shape);
TENON_API tenon_value tenon_builder_rng_uniform(tenon_builder *builder, tenon_value a, tenon_value b,
                                                const tenon_shape *shape);
TENON_API tenon_value tenon_builder_rng_bernoulli(tenon_builder *builder, tenon_value mean, const tenon_shape *shape);
TENON_API tenon_value tenon_builder_while(tenon_builder *builder, const tenon_computation *condition,
                                          const tenon_computation *body, tenon_value init);
TENON_API tenon_value tenon_builder_infeed(tenon_builder *builder, const tenon_shape *shape);
TENON_API void tenon_builder_trace(tenon_builder *builder, const char *tag, tenon_value operand);
/* Targets are registered by tenon/custom_call.h. */
TENON_API tenon_value tenon_builder_custom_call_op(tenon_builder *builder, const char *target,
                                                   const tenon_value *operands, size_t count, const tenon_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
