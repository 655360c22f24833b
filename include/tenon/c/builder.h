/* Builds computations, operation by operation. Each function is the method of that name of xla::ComputationBuilder,
 * whose header, tenon/computation_builder.h, states shapes, rules and errors (Add: tenon_builder_add).
 *
 * A function that enqueues an operation returns a value, and never fails by itself: an error is kept with the place of
 * the call, and tenon_builder_build returns the first; what is enqueued after it has no effect. An argument that is
 * NULL where it may not be is such an error; without a builder nothing can be kept, and the value is none.
 *
 * A builder and its sub-builders are used by one thread at a time.
 *
 * Each comment ends with the section of xla-preview-2017 that the function follows, or of xla-operation-semantics where
 * that is said. */
#ifndef TENON_C_BUILDER_H
#define TENON_C_BUILDER_H

#include "tenon/c/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One computation while it is being built. ("C++ interface") */
typedef struct tenon_builder tenon_builder;

/* A value of a computation that is being built; {0} is none. There is nothing to destroy. ("C++ interface") */
typedef struct tenon_value {
  uint64_t id;
} tenon_value;

/* `name` names the computation in errors, reports and profiles. The client may be destroyed before the builder.
 * ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_create(tenon_client *client, const char *name,
                                                            tenon_builder **builder);
/* A builder for a computation that only this builder uses: tenon_builder_build_and_note_error keeps its errors there.
 * It may be destroyed before or after. ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_create_sub_builder(tenon_builder *parent, const char *name,
                                                                        tenon_builder **builder);
/* Frees the builder, and what it has not built; values of it are of no use afterwards. NULL is allowed.
 * ("C++ interface") */
TENON_API void tenon_builder_destroy(tenon_builder *builder);

/* Where the calls that follow are, so that errors, reports and profiles can name it. The file's name is copied. Returns
 * the builder, so that C can write tenon_builder_add(TENON_HERE(builder), x, y, NULL, 0). (Not in the documents.) */
TENON_API tenon_builder *tenon_builder_at(tenon_builder *builder, const char *file, int line);
#define TENON_HERE(builder) tenon_builder_at((builder), __FILE__, __LINE__)

/* Its own name; an empty text for NULL. Lives as long as the builder. ("C++ interface") */
TENON_API const char *tenon_builder_name(const tenon_builder *builder);
/* Whether an error ends the process at the call that makes it. ("C++ interface") */
TENON_API void tenon_builder_set_die_immediately_on_error(tenon_builder *builder, bool enabled);
/* The first error so far; NULL where there is none. (Not in the documents.) */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_first_error(const tenon_builder *builder);

/*===- Results --------------------------------------------------------------------------------------------------===*/

/* The computation, or the first error. ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_build(tenon_builder *builder, tenon_computation **computation);
/* As build, for a sub-builder: notes an error in the parent, and returns the empty computation. NULL for NULL, and
 * without memory.
 * ("C++ interface") */
TENON_API tenon_computation *tenon_builder_build_and_note_error(tenon_builder *builder);
/* Makes a value the result, rather than the last one enqueued. ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_set_return_value(tenon_builder *builder, tenon_value operand);
/* The value now, of one that does not depend on a parameter: row-major, or in the layout of `shape` unless that is
 * NULL. ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_compute_constant(tenon_builder *builder, tenon_value operand,
                                                                      const tenon_shape *shape, tenon_data **data);
/* The inferred shape of a value. TENON_INVALID_ARGUMENT for a value that is not this builder's, or came of an error.
 * ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_get_shape(const tenon_builder *builder, tenon_value operand,
                                                               tenon_shape **shape);
/* TENON_INVALID_ARGUMENT unless the shapes are equal, layouts aside: it does not end the process. ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_check_shape(const tenon_builder *builder, tenon_value operand,
                                                                 const tenon_shape *expected);
/* The same of the shapes of two values. ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_builder_check_same_shape(const tenon_builder *builder, tenon_value lhs,
                                                                      tenon_value rhs);

/*===- Parameters and constants ---------------------------------------------------------------------------------===*/

/* Parameter: the argument of that number, of that shape; `name` is copied. A number that is taken, or negative, is
 * an error. ("C++ interface") */
TENON_API tenon_value tenon_builder_parameter(tenon_builder *builder, int64_t number, const tenon_shape *shape,
                                              const char *name);
/* ConstantLiteral: a constant, an array of any layout or a tuple. It is copied. ("C++ interface") */
TENON_API tenon_value tenon_builder_constant_literal(tenon_builder *builder, const tenon_literal *literal);
/* ConstantR0: a scalar. `value`, and `values` below, point to as many elements of the type as the array has, row-major,
 * with bytes that the type has. They are copied. ("C++ interface") */
TENON_API tenon_value tenon_builder_constant_r0(tenon_builder *builder, tenon_element_type type, const void *value);
/* ConstantR1: a vector of `length` elements, likewise. ("C++ interface") */
TENON_API tenon_value tenon_builder_constant_r1(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t length);
/* ConstantR2FromArray2D: a matrix of n1 rows of n2 elements, likewise. ("C++ interface") */
TENON_API tenon_value tenon_builder_constant_r2(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t n1, int64_t n2);
/* ConstantR3FromArray3D: an array of sizes n1, n2, n3, likewise. ("C++ interface") */
TENON_API tenon_value tenon_builder_constant_r3(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t n1, int64_t n2, int64_t n3);
/* ConstantR4FromArray4D: an array of sizes n1, n2, n3, n4, likewise. ("C++ interface") */
TENON_API tenon_value tenon_builder_constant_r4(tenon_builder *builder, tenon_element_type type, const void *values,
                                                int64_t n1, int64_t n2, int64_t n3, int64_t n4);
/* ConstantR1 of a length: a vector of equal elements. ("C++ interface") */
TENON_API tenon_value tenon_builder_constant_r1_filled(tenon_builder *builder, tenon_element_type type,
                                                       const void *value, int64_t length);

/*===- Places of elements: no arithmetic ------------------------------------------------------------------------===*/

/* Broadcast: `count` new dimensions on the left, of those sizes. ("Broadcast") */
TENON_API tenon_value tenon_builder_broadcast(tenon_builder *builder, tenon_value operand, const int64_t *sizes,
                                              size_t count);

/* PaddingConfigDimension: elements before, behind and between those of a dimension. ("Pad") */
typedef struct tenon_padding_dimension {
  int64_t edge_padding_low;
  int64_t edge_padding_high;
  int64_t interior_padding;
} tenon_padding_dimension;
/* Pad: padding_value, a scalar, at the edges and between elements, as `rank` entries say, one for each dimension.
 * ("Pad") */
TENON_API tenon_value tenon_builder_pad(tenon_builder *builder, tenon_value operand, tenon_value padding_value,
                                        const tenon_padding_dimension *dimensions, size_t rank);

/* Reshape: the elements in an order of dimensions, NULL for 0, .., N-1, cut into new sizes. ("Reshape") */
TENON_API tenon_value tenon_builder_reshape(tenon_builder *builder, tenon_value operand, const int64_t *dimensions,
                                            size_t rank, const int64_t *new_sizes, size_t new_rank);
/* Collapse: merges `count` consecutive dimensions into one. ("Collapse") */
TENON_API tenon_value tenon_builder_collapse(tenon_builder *builder, tenon_value operand, const int64_t *dimensions,
                                             size_t count);
/* Slice: the box from start_indices to before limit_indices, `rank` of each. ("Slice") */
TENON_API tenon_value tenon_builder_slice(tenon_builder *builder, tenon_value operand, const int64_t *start_indices,
                                          const int64_t *limit_indices, size_t rank);
/* DynamicSlice: a box of those sizes, `rank` of them, that starts where start_indices, a vector of integers, says.
 * (xla-operation-semantics, "DynamicSlice") */
TENON_API tenon_value tenon_builder_dynamic_slice(tenon_builder *builder, tenon_value operand,
                                                  tenon_value start_indices, const int64_t *sizes, size_t rank);
/* DynamicUpdateSlice: the operand with the box where start_indices says overwritten by update.
 * (xla-operation-semantics, "DynamicUpdateSlice") */
TENON_API tenon_value tenon_builder_dynamic_update_slice(tenon_builder *builder, tenon_value operand,
                                                         tenon_value update, tenon_value start_indices);
/* ConcatInDim: joins `count` arrays, at least one, along a dimension. ("Concatenate") */
TENON_API tenon_value tenon_builder_concat_in_dim(tenon_builder *builder, const tenon_value *operands, size_t count,
                                                  int64_t dimension);
/* Trans: the transpose of a matrix. ("Trans") */
TENON_API tenon_value tenon_builder_trans(tenon_builder *builder, tenon_value operand);
/* Transpose: dimension i of the result is dimension permutation[i] of the operand; `rank` of them.
 * (xla-operation-semantics, "Transpose") */
TENON_API tenon_value tenon_builder_transpose(tenon_builder *builder, tenon_value operand, const int64_t *permutation,
                                              size_t rank);
/* Rev: turns the order of elements around in `count` dimensions. ("Rev") */
TENON_API tenon_value tenon_builder_rev(tenon_builder *builder, tenon_value operand, const int64_t *dimensions,
                                        size_t count);
/* Select: on_true where pred holds, on_false elsewhere. ("Select") */
TENON_API tenon_value tenon_builder_select(tenon_builder *builder, tenon_value pred, tenon_value on_true,
                                           tenon_value on_false);
/* Tuple: of `count` values; it may be empty. ("Tuple") */
TENON_API tenon_value tenon_builder_tuple(tenon_builder *builder, const tenon_value *elements, size_t count);
/* GetTupleElement: an element of a tuple, by its number. ("GetTupleElement") */
TENON_API tenon_value tenon_builder_get_tuple_element(tenon_builder *builder, tenon_value tuple, int64_t index);
/* Sort: along the last dimension, in increasing order. ("Sort") */
TENON_API tenon_value tenon_builder_sort(tenon_builder *builder, tenon_value operand);

/*===- Elementwise ----------------------------------------------------------------------------------------------===*/

/* Eq: lhs == rhs, element by element, as PRED. broadcast_dimensions: `count` of them, or NULL and 0; so in all that
 * follow. ("Element-wise comparison operations") */
TENON_API tenon_value tenon_builder_eq(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
/* Ne: lhs != rhs, element by element, as PRED. ("Element-wise comparison operations") */
TENON_API tenon_value tenon_builder_ne(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
/* Ge: lhs >= rhs, element by element, as PRED. ("Element-wise comparison operations") */
TENON_API tenon_value tenon_builder_ge(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
/* Gt: lhs > rhs, element by element, as PRED. ("Element-wise comparison operations") */
TENON_API tenon_value tenon_builder_gt(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
/* Lt: lhs < rhs, element by element, as PRED. ("Element-wise comparison operations") */
TENON_API tenon_value tenon_builder_lt(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
/* Le: lhs <= rhs, element by element, as PRED. ("Element-wise comparison operations") */
TENON_API tenon_value tenon_builder_le(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *broadcast_dimensions, size_t count);
/* Add: lhs + rhs. ("Element-wise binary arithmetic operations") */
TENON_API tenon_value tenon_builder_add(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
/* Sub: lhs - rhs. ("Element-wise binary arithmetic operations") */
TENON_API tenon_value tenon_builder_sub(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
/* Mul: lhs * rhs. ("Element-wise binary arithmetic operations") */
TENON_API tenon_value tenon_builder_mul(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
/* Div: lhs / rhs; integers truncate toward zero. ("Element-wise binary arithmetic operations") */
TENON_API tenon_value tenon_builder_div(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
/* Rem: what that division leaves, with the sign of lhs. ("Element-wise binary arithmetic operations") */
TENON_API tenon_value tenon_builder_rem(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
/* Max: the greater one; NaN where an operand is NaN. ("Element-wise binary arithmetic operations") */
TENON_API tenon_value tenon_builder_max(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
/* Min: the smaller one; NaN where an operand is NaN. ("Element-wise binary arithmetic operations") */
TENON_API tenon_value tenon_builder_min(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                        const int64_t *broadcast_dimensions, size_t count);
/* Pow: lhs to the power of rhs. ("C++ interface") */
TENON_API tenon_value tenon_builder_pow(tenon_builder *builder, tenon_value lhs, tenon_value rhs);
/* Exp: e to the power of each element. ("Element-wise unary functions") */
TENON_API tenon_value tenon_builder_exp(tenon_builder *builder, tenon_value operand);
/* Floor: the greatest whole number that is not above. ("Element-wise unary functions") */
TENON_API tenon_value tenon_builder_floor(tenon_builder *builder, tenon_value operand);
/* Ceil: the least whole number that is not below. ("Element-wise unary functions") */
TENON_API tenon_value tenon_builder_ceil(tenon_builder *builder, tenon_value operand);
/* Log: the natural logarithm. ("Element-wise unary functions") */
TENON_API tenon_value tenon_builder_log(tenon_builder *builder, tenon_value operand);
/* Tanh: the hyperbolic tangent. ("Element-wise unary functions") */
TENON_API tenon_value tenon_builder_tanh(tenon_builder *builder, tenon_value operand);
/* SqrtF32: the square root, of F32 alone. ("C++ interface") */
TENON_API tenon_value tenon_builder_sqrt_f32(tenon_builder *builder, tenon_value operand);
/* SquareF32: x * x, of F32 alone. ("C++ interface") */
TENON_API tenon_value tenon_builder_square_f32(tenon_builder *builder, tenon_value operand);
/* ReciprocalF32: 1 / x, of F32 alone. ("C++ interface") */
TENON_API tenon_value tenon_builder_reciprocal_f32(tenon_builder *builder, tenon_value operand);
/* Neg: -x. ("Element-wise unary functions") */
TENON_API tenon_value tenon_builder_neg(tenon_builder *builder, tenon_value operand);
/* Clamp: the operand, but at least min and then at most max. ("C++ interface") */
TENON_API tenon_value tenon_builder_clamp(tenon_builder *builder, tenon_value min, tenon_value operand,
                                          tenon_value max);
/* ConvertElementType: each element converted to another type. ("ConvertElementType") */
TENON_API tenon_value tenon_builder_convert_element_type(tenon_builder *builder, tenon_value operand,
                                                         tenon_element_type type);
/* ReducePrecision: each float rounded to one with so many bits of exponent and mantissa. (xla-operation-semantics,
 * "ReducePrecision") */
TENON_API tenon_value tenon_builder_reduce_precision(tenon_builder *builder, tenon_value operand, int exponent_bits,
                                                     int mantissa_bits);
/* Map: computation applied to the elements of `count` operands at each index, and to `static_count` operands that
 * are the same for all. ("Map") */
TENON_API tenon_value tenon_builder_map(tenon_builder *builder, const tenon_value *operands, size_t count,
                                        const tenon_computation *computation, const tenon_value *static_operands,
                                        size_t static_count);

/*===- Sums, windows, convolutions ------------------------------------------------------------------------------===*/

/* How windows are padded. TENON_PADDING_SAME: as many windows as elements, divided by the stride and rounded up.
 * TENON_PADDING_VALID: windows lie inside. Other functions take (low, high) for each dimension. ("C++ interface") */
typedef enum tenon_padding TENON_ANY_INT { TENON_PADDING_SAME = 0, TENON_PADDING_VALID = 1 } tenon_padding;
/* The padding of a dimension: elements before and behind. ("C++ interface") */
typedef struct tenon_edge_padding {
  int64_t low;
  int64_t high;
} tenon_edge_padding;

/* Dot: the last dimension of lhs with the last but one of rhs, or its only one. ("Dot") */
TENON_API tenon_value tenon_builder_dot(tenon_builder *builder, tenon_value lhs, tenon_value rhs);
/* Reduce: combines the elements along `count` dimensions by computation, for which init_value is neutral. ("Reduce") */
TENON_API tenon_value tenon_builder_reduce(tenon_builder *builder, tenon_value operand, tenon_value init_value,
                                           const tenon_computation *computation, const int64_t *dimensions,
                                           size_t count);
/* ReduceWindow: the same over windows, whose sizes and strides are `rank` numbers each. ("ReduceWindow") */
TENON_API tenon_value tenon_builder_reduce_window(tenon_builder *builder, tenon_value operand, tenon_value init_value,
                                                  const tenon_computation *computation,
                                                  const int64_t *window_dimensions, const int64_t *window_strides,
                                                  size_t rank, tenon_padding padding);
/* ReduceWindowWithGeneralPadding: the same with (low, high) for each dimension. ("C++ interface") */
TENON_API tenon_value tenon_builder_reduce_window_with_general_padding(
    tenon_builder *builder, tenon_value operand, tenon_value init_value, const tenon_computation *computation,
    const int64_t *window_dimensions, const int64_t *window_strides, const tenon_edge_padding *padding, size_t rank);
/* SelectAndScatter: in each window of the operand, select chooses an element, and there scatter combines the output
 * with an element of source. Sizes and strides are `rank` numbers each. ("SelectAndScatter") */
TENON_API tenon_value tenon_builder_select_and_scatter(tenon_builder *builder, tenon_value operand,
                                                       const tenon_computation *select,
                                                       const int64_t *window_dimensions, const int64_t *window_strides,
                                                       size_t rank, tenon_padding padding, tenon_value source,
                                                       tenon_value init_value, const tenon_computation *scatter);
/* SelectAndScatterWithGeneralPadding: the same with (low, high) for each dimension. ("C++ interface") */
TENON_API tenon_value tenon_builder_select_and_scatter_with_general_padding(
    tenon_builder *builder, tenon_value operand, const tenon_computation *select, const int64_t *window_dimensions,
    const int64_t *window_strides, const tenon_edge_padding *padding, size_t rank, tenon_value source,
    tenon_value init_value, const tenon_computation *scatter);

/* Which dimension of a convolution's operands is what: of the input, which the result is numbered as, and of the
 * kernel. The spatial dimensions are two. ("C++ interface") */
typedef struct tenon_conv_dimension_numbers {
  int64_t batch;
  int64_t feature;
  int64_t spatial[2];
  int64_t kernel_output_feature;
  int64_t kernel_input_feature;
  int64_t kernel_spatial[2];
} tenon_conv_dimension_numbers;
/* CreateDefaultConvDimensionNumbers: {0, 1, {2, 3}, 0, 1, {2, 3}}. ("C++ interface") */
TENON_API tenon_conv_dimension_numbers tenon_conv_dimension_numbers_default(void);
/* CreateConvDimensionNumbers, which checks: an error unless input and kernel are each a permutation of 0 to 3.
 * ("C++ interface") */
TENON_API TENON_MUST_USE tenon_status *tenon_conv_dimension_numbers_check(const tenon_conv_dimension_numbers *numbers);

/* Conv: of arrays of rank 4; two strides. ("Conv") */
TENON_API tenon_value tenon_builder_conv(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                         const int64_t *window_strides, tenon_padding padding);
/* ConvWithGeneralPadding: the same with (low, high) for each of the two dimensions. ("ConvWithGeneralPadding") */
TENON_API tenon_value tenon_builder_conv_with_general_padding(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                                              const int64_t *window_strides,
                                                              const tenon_edge_padding *padding);
/* ConvWithGeneralDimensions: the same with dimension numbers, which must not be NULL. ("C++ interface") */
TENON_API tenon_value tenon_builder_conv_with_general_dimensions(tenon_builder *builder, tenon_value lhs,
                                                                 tenon_value rhs, const int64_t *window_strides,
                                                                 tenon_padding padding,
                                                                 const tenon_conv_dimension_numbers *numbers);
/* ConvGeneral: the same with both. ("C++ interface") */
TENON_API tenon_value tenon_builder_conv_general(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                                 const int64_t *window_strides, const tenon_edge_padding *padding,
                                                 const tenon_conv_dimension_numbers *numbers);

/*===- Random numbers, control flow, effects --------------------------------------------------------------------===*/

/* RngNormal: of mean mu and standard deviation sigma, F32 scalars. ("RngNormal") */
TENON_API tenon_value tenon_builder_rng_normal(tenon_builder *builder, tenon_value mu, tenon_value sigma,
                                               const tenon_shape *shape);
/* RngUniform: in [a, b), of F32, S32 or U32. (xla-operation-semantics, "RngUniform") */
TENON_API tenon_value tenon_builder_rng_uniform(tenon_builder *builder, tenon_value a, tenon_value b,
                                                const tenon_shape *shape);
/* RngBernoulli: 1 with the probability mean, else 0, as U32. ("RngBernoulli") */
TENON_API tenon_value tenon_builder_rng_bernoulli(tenon_builder *builder, tenon_value mean, const tenon_shape *shape);
/* While: applies body to init for as long as condition holds of the value. ("While") */
TENON_API tenon_value tenon_builder_while(tenon_builder *builder, const tenon_computation *condition,
                                          const tenon_computation *body, tenon_value init);
/* Infeed: reads an item of that shape from the device's infeed. ("Infeed") */
TENON_API tenon_value tenon_builder_infeed(tenon_builder *builder, const tenon_shape *shape);
/* Trace: logs the tag and the operand whenever the computation runs. ("C++ interface") */
TENON_API void tenon_builder_trace(tenon_builder *builder, const char *tag, tenon_value operand);
/* CustomCallOp: calls the function registered under a name (tenon/custom_call.h) with `count` operands, for a value of
 * that shape. ("C++ interface") */
TENON_API tenon_value tenon_builder_custom_call_op(tenon_builder *builder, const char *target,
                                                   const tenon_value *operands, size_t count, const tenon_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
