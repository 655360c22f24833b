#include "tenon/custom_call.h"
#include "test/c_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tenon_client *client;

static tenon_builder *new_builder(const char *name) {
  tenon_builder *builder = NULL;
  if (!client)
    CHECK_OK(tenon_client_create_local(NULL, &client));
  CHECK_OK(tenon_builder_create(client, name, &builder));
  return builder;
}

static tenon_shape *parse(const char *text) {
  tenon_shape *shape = NULL;
  CHECK_OK(tenon_shape_parse(text, &shape));
  return shape;
}

/* Whether a value is, in text; it is built, run, and the builder destroyed. */
static bool value_is(tenon_builder *builder, tenon_value value, const char *expected) {
  tenon_computation *computation = NULL;
  tenon_literal *literal = NULL;
  char *text = NULL;
  bool equal = c_test_ok(tenon_builder_set_return_value(builder, value)) &&
               c_test_ok(tenon_builder_build(builder, &computation)) &&
               c_test_ok(tenon_client_execute_and_transfer(client, computation, NULL, 0, NULL, &literal));
  if (equal)
    equal = c_test_texts_equal(text = tenon_literal_to_string(literal), expected);
  tenon_free(text);
  tenon_literal_destroy(literal);
  tenon_computation_destroy(computation);
  return equal;
}

static const float one_two_three[] = {1, 2, 3}, four_to_six[] = {4, 5, 6};

static tenon_value vector(tenon_builder *builder, const float *values) {
  return tenon_builder_constant_r1(builder, TENON_F32, values, 3);
}

static tenon_value scalar(tenon_builder *builder, float value) {
  return tenon_builder_constant_r0(builder, TENON_F32, &value);
}

/* (a, b) -> method(a, b) of scalars. */
static tenon_computation *of_two(const char *type, tenon_value (*method)(tenon_builder *, tenon_value, tenon_value,
                                                                         const int64_t *, size_t)) {
  tenon_builder *builder = new_builder("of_two");
  tenon_shape *shape = parse(type);
  tenon_value a = tenon_builder_parameter(builder, 0, shape, "a");
  tenon_value b = tenon_builder_parameter(builder, 1, shape, "b");
  method(builder, a, b, NULL, 0);
  tenon_computation *computation = NULL;
  CHECK_OK(tenon_builder_build(builder, &computation));
  tenon_shape_destroy(shape);
  tenon_builder_destroy(builder);
  return computation;
}

#define CHECK_VALUE(expression, expected)                                                                              \
  do {                                                                                                                 \
    tenon_builder *b = new_builder("test");                                                                            \
    tenon_value x = vector(b, one_two_three), y = vector(b, four_to_six);                                              \
    (void)x, (void)y;                                                                                                  \
    CHECK(value_is(b, (expression), (expected)));                                                                      \
    tenon_builder_destroy(b);                                                                                          \
  } while (0)

TEST(Builder, Comparisons) {
  CHECK_VALUE(tenon_builder_eq(b, x, y, NULL, 0), "pred[3] {false, false, false}");
  CHECK_VALUE(tenon_builder_ne(b, x, y, NULL, 0), "pred[3] {true, true, true}");
  CHECK_VALUE(tenon_builder_ge(b, x, scalar(b, 2), NULL, 0), "pred[3] {false, true, true}");
  CHECK_VALUE(tenon_builder_gt(b, x, scalar(b, 2), NULL, 0), "pred[3] {false, false, true}");
  CHECK_VALUE(tenon_builder_le(b, x, scalar(b, 2), NULL, 0), "pred[3] {true, true, false}");
  CHECK_VALUE(tenon_builder_lt(b, x, scalar(b, 2), NULL, 0), "pred[3] {true, false, false}");
}

TEST(Builder, Arithmetic) {
  CHECK_VALUE(tenon_builder_add(b, x, y, NULL, 0), "f32[3] {5, 7, 9}");
  CHECK_VALUE(tenon_builder_sub(b, x, y, NULL, 0), "f32[3] {-3, -3, -3}");
  CHECK_VALUE(tenon_builder_mul(b, x, y, NULL, 0), "f32[3] {4, 10, 18}");
  CHECK_VALUE(tenon_builder_div(b, y, scalar(b, 2), NULL, 0), "f32[3] {2, 2.5, 3}");
  CHECK_VALUE(tenon_builder_rem(b, y, x, NULL, 0), "f32[3] {0, 1, 0}");
  CHECK_VALUE(tenon_builder_max(b, x, scalar(b, 2), NULL, 0), "f32[3] {2, 2, 3}");
  CHECK_VALUE(tenon_builder_min(b, x, scalar(b, 2), NULL, 0), "f32[3] {1, 2, 2}");
  CHECK_VALUE(tenon_builder_pow(b, x, scalar(b, 2)), "f32[3] {1, 4, 9}");
  int64_t rows[] = {0}, three[] = {3};
  CHECK_VALUE(tenon_builder_add(b, tenon_builder_broadcast(b, x, three, 1), y, rows, 1),
              "f32[3,3] {{5, 6, 7}, {6, 7, 8}, {7, 8, 9}}");
}

TEST(Builder, Functions) {
  CHECK_VALUE(tenon_builder_exp(b, scalar(b, 0)), "f32[] 1");
  CHECK_VALUE(tenon_builder_log(b, scalar(b, 1)), "f32[] 0");
  CHECK_VALUE(tenon_builder_tanh(b, scalar(b, 0)), "f32[] 0");
  CHECK_VALUE(tenon_builder_floor(b, scalar(b, 1.5f)), "f32[] 1");
  CHECK_VALUE(tenon_builder_ceil(b, scalar(b, 1.5f)), "f32[] 2");
  CHECK_VALUE(tenon_builder_sqrt_f32(b, scalar(b, 9)), "f32[] 3");
  CHECK_VALUE(tenon_builder_square_f32(b, x), "f32[3] {1, 4, 9}");
  CHECK_VALUE(tenon_builder_reciprocal_f32(b, scalar(b, 4)), "f32[] 0.25");
  CHECK_VALUE(tenon_builder_neg(b, x), "f32[3] {-1, -2, -3}");
  CHECK_VALUE(tenon_builder_clamp(b, scalar(b, 2), x, scalar(b, 2.5f)), "f32[3] {2, 2, 2.5}");
  CHECK_VALUE(tenon_builder_convert_element_type(b, x, TENON_S4), "s4[3] {1, 2, 3}");
  CHECK_VALUE(tenon_builder_reduce_precision(b, scalar(b, 1.1f), 5, 2), "f32[] 1");
}

TEST(Builder, Constants) {
  const int32_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK_VALUE(tenon_builder_constant_r0(b, TENON_S32, numbers), "s32[] 1");
  CHECK_VALUE(tenon_builder_constant_r2(b, TENON_S32, numbers, 2, 2), "s32[2,2] {{1, 2}, {3, 4}}");
  CHECK_VALUE(tenon_builder_constant_r3(b, TENON_S32, numbers, 1, 2, 1), "s32[1,2,1] {{{1}, {2}}}");
  CHECK_VALUE(tenon_builder_constant_r4(b, TENON_S32, numbers, 2, 1, 1, 1), "s32[2,1,1,1] {{{{1}}}, {{{2}}}}");
  CHECK_VALUE(tenon_builder_constant_r1(b, TENON_S32, NULL, 0), "s32[0] {}");
  CHECK_VALUE(tenon_builder_constant_r1_filled(b, TENON_S32, numbers + 6, 2), "s32[2] {7, 7}");
  tenon_literal *literal = NULL;
  CHECK_OK(tenon_literal_from_double(TENON_F64, 2.5, &literal));
  CHECK_VALUE(tenon_builder_constant_literal(b, literal), "f64[] 2.5");
  tenon_literal_destroy(literal);
}

TEST(Builder, Places) {
  int64_t zero[] = {0}, one[] = {1}, two[] = {2}, three[] = {3}, matrix[] = {3, 1}, swapped[] = {1, 0}, both[] = {0, 1};
  int32_t start = 1;
  tenon_padding_dimension edges[] = {{1, 0, 1}};
  CHECK_VALUE(tenon_builder_broadcast(b, x, one, 1), "f32[1,3] {{1, 2, 3}}");
  CHECK_VALUE(tenon_builder_pad(b, x, scalar(b, 0), edges, 1), "f32[6] {0, 1, 0, 2, 0, 3}");
  CHECK_VALUE(tenon_builder_reshape(b, x, NULL, 0, matrix, 2), "f32[3,1] {{1}, {2}, {3}}");
  CHECK_VALUE(tenon_builder_reshape(b, tenon_builder_reshape(b, x, NULL, 0, matrix, 2), swapped, 2, three, 1),
              "f32[3] {1, 2, 3}");
  CHECK_VALUE(tenon_builder_collapse(b, tenon_builder_reshape(b, x, NULL, 0, matrix, 2), both, 2), "f32[3] {1, 2, 3}");
  CHECK_VALUE(tenon_builder_slice(b, x, one, three, 1), "f32[2] {2, 3}");
  CHECK_VALUE(tenon_builder_dynamic_slice(b, x, tenon_builder_constant_r1(b, TENON_S32, &start, 1), two, 1),
              "f32[2] {2, 3}");
  CHECK_VALUE(tenon_builder_dynamic_update_slice(b, x, tenon_builder_slice(b, y, zero, one, 1),
                                                 tenon_builder_constant_r1(b, TENON_S32, &start, 1)),
              "f32[3] {1, 4, 3}");
  tenon_value twice[2];
  CHECK_VALUE((twice[0] = x, twice[1] = y, tenon_builder_concat_in_dim(b, twice, 2, 0)), "f32[6] {1, 2, 3, 4, 5, 6}");
  CHECK_VALUE(tenon_builder_trans(b, tenon_builder_reshape(b, x, NULL, 0, matrix, 2)), "f32[1,3] {{1, 2, 3}}");
  CHECK_VALUE(tenon_builder_transpose(b, tenon_builder_reshape(b, x, NULL, 0, matrix, 2), swapped, 2),
              "f32[1,3] {{1, 2, 3}}");
  CHECK_VALUE(tenon_builder_rev(b, x, zero, 1), "f32[3] {3, 2, 1}");
  CHECK_VALUE(tenon_builder_select(b, tenon_builder_gt(b, x, scalar(b, 1), NULL, 0), x, y), "f32[3] {4, 2, 3}");
  CHECK_VALUE((twice[0] = x, twice[1] = y, tenon_builder_tuple(b, twice, 2)), "(f32[3] {1, 2, 3}, f32[3] {4, 5, 6})");
  CHECK_VALUE((twice[0] = x, twice[1] = y, tenon_builder_get_tuple_element(b, tenon_builder_tuple(b, twice, 2), 1)),
              "f32[3] {4, 5, 6}");
  CHECK_VALUE(tenon_builder_sort(b, tenon_builder_neg(b, x)), "f32[3] {-3, -2, -1}");
}

TEST(Builder, SumsAndWindows) {
  tenon_computation *add = of_two("f32[]", tenon_builder_add), *ge = of_two("f32[]", tenon_builder_ge);
  int64_t zero[] = {0}, one[] = {1}, two[] = {2};
  tenon_edge_padding padding[] = {{0, 1}};
  tenon_value operands[2];
  CHECK_VALUE(tenon_builder_dot(b, x, y), "f32[] 32");
  CHECK_VALUE((operands[0] = x, operands[1] = y, tenon_builder_map(b, operands, 2, add, NULL, 0)), "f32[3] {5, 7, 9}");
  CHECK_VALUE(tenon_builder_reduce(b, x, scalar(b, 0), add, zero, 1), "f32[] 6");
  CHECK_VALUE(tenon_builder_reduce_window(b, x, scalar(b, 0), add, two, one, 1, TENON_PADDING_VALID), "f32[2] {3, 5}");
  CHECK_VALUE(tenon_builder_reduce_window(b, x, scalar(b, 0), add, two, one, 1, TENON_PADDING_SAME),
              "f32[3] {3, 5, 3}");
  CHECK_VALUE(tenon_builder_reduce_window_with_general_padding(b, x, scalar(b, 0), add, two, one, padding, 1),
              "f32[3] {3, 5, 3}");
  CHECK_VALUE(tenon_builder_select_and_scatter(b, x, ge, two, one, 1, TENON_PADDING_SAME, y, scalar(b, 0), add),
              "f32[3] {0, 4, 11}");
  CHECK_VALUE(
      tenon_builder_select_and_scatter_with_general_padding(b, x, ge, two, one, padding, 1, y, scalar(b, 0), add),
      "f32[3] {0, 4, 11}");
  tenon_computation_destroy(add);
  tenon_computation_destroy(ge);
}

static tenon_value image(tenon_builder *builder) {
  int64_t sizes[] = {1, 1, 1, 3};
  return tenon_builder_reshape(builder, vector(builder, one_two_three), NULL, 0, sizes, 4);
}

static tenon_value kernel(tenon_builder *builder) {
  const float values[] = {1, 10};
  return tenon_builder_constant_r4(builder, TENON_F32, values, 1, 1, 1, 2);
}

TEST(Builder, Convolutions) {
  int64_t strides[] = {1, 1};
  tenon_edge_padding padding[] = {{0, 0}, {0, 1}};
  tenon_conv_dimension_numbers numbers = tenon_conv_dimension_numbers_default();
  CHECK(numbers.feature == 1 && numbers.kernel_spatial[1] == 3);
  CHECK_OK(tenon_conv_dimension_numbers_check(&numbers));
  CHECK_VALUE(tenon_builder_conv(b, image(b), kernel(b), strides, TENON_PADDING_VALID), "f32[1,1,1,2] {{{{21, 32}}}}");
  CHECK_VALUE(tenon_builder_conv_with_general_padding(b, image(b), kernel(b), strides, padding),
              "f32[1,1,1,3] {{{{21, 32, 3}}}}");
  CHECK_VALUE(
      tenon_builder_conv_with_general_dimensions(b, image(b), kernel(b), strides, TENON_PADDING_VALID, &numbers),
      "f32[1,1,1,2] {{{{21, 32}}}}");
  CHECK_VALUE(tenon_builder_conv_general(b, image(b), kernel(b), strides, padding, &numbers),
              "f32[1,1,1,3] {{{{21, 32, 3}}}}");
  numbers.batch = 1;
  CHECK_ERROR(tenon_conv_dimension_numbers_check(&numbers), TENON_INVALID_ARGUMENT, "");
}

TEST(Builder, RandomNumbers) {
  tenon_shape *floats = parse("f32[2]"), *bits = parse("u32[3]");
  tenon_builder *b = new_builder("random");
  tenon_builder_rng_normal(b, scalar(b, 0), scalar(b, 1), floats);
  tenon_builder_rng_uniform(b, scalar(b, 0), scalar(b, 1), floats);
  CHECK(value_is(b, tenon_builder_rng_bernoulli(b, scalar(b, 1), bits), "u32[3] {1, 1, 1}"));
  tenon_builder_destroy(b);
  tenon_shape_destroy(floats);
  tenon_shape_destroy(bits);
}

static tenon_computation *below_ten(tenon_builder *parent) {
  tenon_builder *builder = NULL;
  tenon_shape *shape = parse("f32[]");
  CHECK_OK(tenon_builder_create_sub_builder(parent, "below_ten", &builder));
  CHECK_TEXT(tenon_builder_name(builder), "below_ten");
  tenon_value x = tenon_builder_parameter(builder, 0, shape, "x");
  tenon_builder_lt(builder, x, scalar(builder, 10), NULL, 0);
  tenon_computation *computation = tenon_builder_build_and_note_error(builder);
  tenon_shape_destroy(shape);
  tenon_builder_destroy(builder);
  return computation;
}

static tenon_computation *doubled(tenon_builder *parent) {
  tenon_builder *builder = NULL;
  tenon_shape *shape = parse("f32[]");
  CHECK_OK(tenon_builder_create_sub_builder(parent, "doubled", &builder));
  tenon_value x = tenon_builder_parameter(builder, 0, shape, "x");
  tenon_builder_add(builder, x, x, NULL, 0);
  tenon_computation *computation = tenon_builder_build_and_note_error(builder);
  tenon_shape_destroy(shape);
  tenon_builder_destroy(builder);
  return computation;
}

TEST(Builder, Loops) {
  tenon_builder *b = new_builder("loop");
  tenon_computation *condition = below_ten(b), *body = doubled(b);
  CHECK(value_is(b, tenon_builder_while(b, condition, body, scalar(b, 3)), "f32[] 12"));
  tenon_builder_destroy(b);
  tenon_computation_destroy(condition);
  tenon_computation_destroy(body);
}

static int traced;
static void note_trace(void *context, const char *tag, const tenon_literal *value) {
  CHECK(context == &traced);
  CHECK_TEXT(tag, "here");
  CHECK(((const float *)tenon_literal_data(value))[1] == 2);
  ++traced;
}

TEST(Builder, Effects) {
  tenon_shape *shape = parse("f32[]");
  tenon_literal *literal = NULL;
  tenon_set_trace_sink(note_trace, &traced);
  tenon_builder *b = new_builder("effects");
  tenon_builder_trace(b, "here", vector(b, one_two_three));
  tenon_value fed = tenon_builder_infeed(b, shape);
  CHECK_OK(tenon_literal_from_double(TENON_F32, 6, &literal));
  CHECK_OK(tenon_client_transfer_to_infeed(client, literal, 0, 0));
  CHECK(value_is(b, fed, "f32[] 6"));
  CHECK(traced == 1);
  tenon_set_trace_sink(NULL, NULL);
  tenon_builder_destroy(b);
  tenon_literal_destroy(literal);
  tenon_shape_destroy(shape);
}

static void triple(void *out, const void **in) {
  for (int i = 0; i < 3; ++i)
    ((float *)out)[i] = 3 * ((const float *)in[0])[i];
}

TEST(Builder, CustomCalls) {
  tenon_shape *shape = parse("f32[3]");
  void (*function)(void *, const void **) = triple;
  void *address;
  memcpy(&address, &function, sizeof(address));
  CHECK(Tenon_RegisterCustomCall("tenon_capi_triple", address) == 0);
  CHECK_VALUE(tenon_builder_custom_call_op(b, "tenon_capi_triple", &x, 1, shape), "f32[3] {3, 6, 9}");
  tenon_shape_destroy(shape);
}

TEST(Builder, ShapesAndConstants) {
  tenon_shape *vector_shape = parse("f32[3]"), *shape = NULL;
  tenon_builder *b = new_builder("shapes");
  tenon_value x = vector(b, one_two_three), number = scalar(b, 2);
  CHECK_OK(tenon_builder_get_shape(b, x, &shape));
  CHECK(tenon_shape_equal(shape, vector_shape));
  CHECK_OK(tenon_builder_check_shape(b, x, vector_shape));
  CHECK_ERROR(tenon_builder_check_shape(b, number, vector_shape), TENON_INVALID_ARGUMENT, "f32[3]");
  CHECK_ERROR(tenon_builder_check_same_shape(TENON_HERE(b), x, number), TENON_INVALID_ARGUMENT, "builder_test.c:");
  CHECK_OK(tenon_builder_check_same_shape(b, x, x));
  tenon_data *data = NULL;
  CHECK_OK(tenon_builder_compute_constant(b, tenon_builder_mul(b, x, number, NULL, 0), NULL, &data));
  CHECK(tenon_shape_equal(tenon_data_shape(data), vector_shape));
  tenon_data_destroy(data);
  CHECK_ERROR(tenon_builder_get_shape(b, (tenon_value){0}, &shape), TENON_INVALID_ARGUMENT, "not a value");
  tenon_builder_destroy(b);
  tenon_shape_destroy(vector_shape);
  tenon_shape_destroy(shape);
}

TEST(Builder, ErrorsNameThePlace) {
  tenon_builder *b = new_builder("axpy");
  const float four[] = {1, 2, 3, 4};
  tenon_value x = vector(b, one_two_three), y = tenon_builder_constant_r1(b, TENON_F32, four, 4);
  CHECK_OK(tenon_builder_first_error(b));
  CHECK(tenon_builder_add(tenon_builder_at(b, "program.py", 12), x, y, NULL, 0).id == 0);
  tenon_computation *computation = NULL;
  CHECK(tenon_builder_add(b, x, x, NULL, 0).id == 0);
  CHECK_ERROR(tenon_builder_build(b, &computation), TENON_INVALID_ARGUMENT,
              "axpy: Add at program.py:12: f32[3] and f32[4]");
  CHECK_ERROR(tenon_builder_first_error(b), TENON_INVALID_ARGUMENT, "program.py:12");
  CHECK(!computation);
  tenon_builder_destroy(b);
}

TEST(Builder, BadArgumentsAreKept) {
  tenon_builder *b = new_builder("bad"), *other = new_builder("other");
  tenon_computation *computation = NULL;
  CHECK(tenon_builder_parameter(TENON_HERE(b), 0, NULL, "x").id == 0);
  CHECK_ERROR(tenon_builder_build(b, &computation), TENON_INVALID_ARGUMENT, "shape is NULL");
  CHECK_ERROR(tenon_builder_set_return_value(b, (tenon_value){0}), TENON_INVALID_ARGUMENT, "bad: Parameter at ");
  tenon_builder_destroy(b);
  b = new_builder("bad");
  tenon_builder_neg(b, vector(other, one_two_three));
  CHECK_ERROR(tenon_builder_build(b, &computation), TENON_INVALID_ARGUMENT, "not a value of this builder");
  tenon_builder_destroy(b);
  b = new_builder("bad");
  tenon_builder_constant_r1(b, TENON_F32, one_two_three, -1);
  CHECK_ERROR(tenon_builder_build(b, &computation), TENON_INVALID_ARGUMENT, "ConstantR1");
  tenon_builder_destroy(b);
  b = new_builder("bad");
  tenon_builder_conv(b, image(b), kernel(b), (int64_t[]){1, 1}, (tenon_padding)7);
  CHECK_ERROR(tenon_builder_build(b, &computation), TENON_INVALID_ARGUMENT, "tenon_padding");
  tenon_builder_destroy(b);
  b = new_builder("bad");
  tenon_builder_convert_element_type(b, vector(b, one_two_three), (tenon_element_type)99);
  CHECK_ERROR(tenon_builder_build(b, &computation), TENON_INVALID_ARGUMENT, "ConvertElementType");
  tenon_builder_destroy(b);
  tenon_builder_destroy(other);
}

TEST(Builder, SubBuildersNoteErrorsInTheirParent) {
  tenon_builder *b = new_builder("parent"), *sub = NULL;
  CHECK_OK(tenon_builder_create_sub_builder(b, "sub", &sub));
  tenon_builder_infeed(sub, NULL);
  tenon_computation *empty = tenon_builder_build_and_note_error(sub), *computation = NULL;
  CHECK(empty && !tenon_computation_result_shape(empty));
  char *text = NULL;
  CHECK_ERROR(tenon_computation_to_text(empty, &text), TENON_INVALID_ARGUMENT, "empty");
  CHECK_ERROR(tenon_builder_build(b, &computation), TENON_INVALID_ARGUMENT, "sub: Infeed");
  /* The parent may go first. */
  tenon_builder_destroy(b);
  CHECK_ERROR(tenon_builder_first_error(sub), TENON_INVALID_ARGUMENT, "sub: Infeed");
  tenon_builder_destroy(sub);
  tenon_computation_destroy(empty);
}
