#include "test/c_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tenon_shape *parse(const char *text) {
  tenon_shape *shape = NULL;
  CHECK_OK(tenon_shape_parse(text, &shape));
  return shape;
}

static bool has_text(char *text, const char *expected) {
  bool equal = c_test_texts_equal(text, expected);
  tenon_free(text);
  return equal;
}

TEST(Shape, ArraysAndLayouts) {
  int64_t sizes[] = {2, 3}, order[] = {0, 1}, padded[] = {2, 4};
  tenon_shape *shape = NULL, *copy = NULL;
  CHECK_OK(tenon_shape_create(TENON_F32, sizes, 2, &shape));
  CHECK(tenon_shape_element_type(shape) == TENON_F32 && tenon_shape_rank(shape) == 2);
  CHECK(tenon_shape_dimensions(shape)[1] == 3 && tenon_shape_element_count(shape) == 6);
  CHECK(tenon_shape_byte_size(shape) == 24 && !tenon_shape_padded_dimensions(shape));
  CHECK(has_text(tenon_shape_to_string(shape, false), "f32[2,3]"));
  CHECK_OK(tenon_shape_create_with_layout(TENON_F32, sizes, order, padded, TENON_ONE_PAD, 2, &copy));
  CHECK(tenon_shape_minor_to_major(copy)[0] == 0 && tenon_shape_padded_dimensions(copy)[1] == 4);
  CHECK(tenon_shape_padding_value(copy) == TENON_ONE_PAD && tenon_shape_byte_size(copy) == 32);
  CHECK(tenon_shape_compatible(shape, copy) && !tenon_shape_equal(shape, copy) && !tenon_shape_equal(shape, NULL));
  tenon_shape_destroy(copy);
  CHECK_OK(tenon_shape_clone(shape, &copy));
  CHECK(tenon_shape_equal(shape, copy));
  tenon_shape_destroy(copy);
  tenon_shape_destroy(shape);
}

TEST(Shape, Tuples) {
  tenon_shape *parts[2] = {parse("s32[]"), parse("f32[2]{0}")}, *shape = NULL;
  CHECK_OK(tenon_shape_create_tuple((const tenon_shape *const *)parts, 2, &shape));
  CHECK(tenon_shape_element_type(shape) == TENON_TUPLE && tenon_shape_tuple_size(shape) == 2);
  CHECK(tenon_shape_equal(tenon_shape_tuple_element(shape, 1), parts[1]));
  CHECK(!tenon_shape_tuple_element(shape, 2));
  CHECK(tenon_shape_element_count(shape) == 0 && tenon_shape_byte_size(shape) == 12);
  CHECK(has_text(tenon_shape_to_string(shape, false), "(s32[], f32[2])"));
  for (int i = 0; i < 2; ++i)
    tenon_shape_destroy(parts[i]);
  tenon_shape_destroy(shape);
}

TEST(Shape, ErrorsAreStatuses) {
  int64_t negative[] = {-1}, twice[] = {0, 0}, sizes[] = {2, 3};
  tenon_shape *shape = NULL;
  const tenon_shape *none[] = {NULL};
  CHECK_ERROR(tenon_shape_create(TENON_F32, negative, 1, &shape), TENON_INVALID_ARGUMENT, "-1");
  CHECK_ERROR(tenon_shape_create((tenon_element_type)99, NULL, 0, &shape), TENON_INVALID_ARGUMENT, "");
  CHECK_ERROR(tenon_shape_create_with_layout(TENON_F32, sizes, twice, NULL, TENON_ZERO_PAD, 2, &shape),
              TENON_INVALID_ARGUMENT, "");
  CHECK_ERROR(tenon_shape_parse("f32[", &shape), TENON_INVALID_ARGUMENT, "");
  CHECK_ERROR(tenon_shape_create_tuple(none, 1, &shape), TENON_INVALID_ARGUMENT, "element 0 is NULL");
  CHECK(!shape);
}

TEST(Shape, ElementTypes) {
  tenon_element_type type = TENON_INVALID_TYPE;
  CHECK_TEXT(tenon_element_type_name(TENON_BF16), "bf16");
  CHECK_TEXT(tenon_element_type_name((tenon_element_type)99), "invalid");
  CHECK_OK(tenon_element_type_parse("f8e4m3fn", &type));
  CHECK(type == TENON_F8E4M3FN && tenon_element_type_size(type) == 1 && tenon_element_type_size(TENON_C128) == 16);
  CHECK_ERROR(tenon_element_type_parse("f33", &type), TENON_INVALID_ARGUMENT, "f33");
  CHECK(tenon_element_type_size(TENON_TUPLE) == 0);
}

TEST(Literal, CopiesElements) {
  float values[] = {1, 2, 3, 4, 5, 6};
  tenon_shape *shape = parse("f32[2,3]");
  tenon_literal *literal = NULL, *copy = NULL;
  CHECK_OK(tenon_literal_create_from(shape, values, sizeof(values), &literal));
  CHECK(memcmp(tenon_literal_data(literal), values, sizeof(values)) == 0 && tenon_literal_size(literal) == 24);
  CHECK(tenon_shape_equal(tenon_literal_shape(literal), shape));
  CHECK(has_text(tenon_literal_to_string(literal), "f32[2,3] {{1, 2, 3}, {4, 5, 6}}"));
  CHECK_OK(tenon_literal_clone(literal, &copy));
  CHECK(tenon_literal_equal(literal, copy) && !tenon_literal_equal(literal, NULL));
  ((float *)tenon_literal_mutable_data(copy))[0] = 7;
  CHECK(!tenon_literal_equal(literal, copy));
  CHECK_ERROR(tenon_literal_create_from(shape, values, 20, &copy), TENON_INVALID_ARGUMENT, "20 bytes");
  tenon_literal_destroy(literal);
  tenon_literal_destroy(copy);
  tenon_shape_destroy(shape);
}

TEST(Literal, RefusesBytesThatTheTypeLacks) {
  unsigned char bytes[] = {0, 2};
  tenon_shape *pred = parse("pred[2]"), *s4 = parse("s4[2]");
  tenon_literal *literal = NULL;
  CHECK_ERROR(tenon_literal_create_from(pred, bytes, 2, &literal), TENON_INVALID_ARGUMENT, "pred");
  bytes[1] = 0x38;
  CHECK_ERROR(tenon_literal_create_from(s4, bytes, 2, &literal), TENON_INVALID_ARGUMENT, "s4");
  bytes[1] = 0xf8;
  CHECK_OK(tenon_literal_create_from(s4, bytes, 2, &literal));
  CHECK(has_text(tenon_literal_to_string(literal), "s4[2] {0, -8}"));
  tenon_literal_destroy(literal);
  tenon_shape_destroy(pred);
  tenon_shape_destroy(s4);
}

static int released;
static void count_release(void *data, void *context) {
  ++released;
  CHECK(context == &released);
  free(data);
}

TEST(Literal, BorrowsAndAdopts) {
  static const double values[] = {1, 2};
  tenon_shape *shape = parse("f64[2]");
  tenon_literal *literal = NULL;
  CHECK_OK(tenon_literal_borrow(shape, values, &literal));
  CHECK(tenon_literal_data(literal) == values && !tenon_literal_mutable_data(literal));
  tenon_literal_destroy(literal);
  CHECK_ERROR(tenon_literal_borrow(shape, (const char *)values + 1, &literal), TENON_INVALID_ARGUMENT, "aligned");
  CHECK_ERROR(tenon_literal_borrow(shape, NULL, &literal), TENON_INVALID_ARGUMENT, "no memory is given");
  double *owned = malloc(sizeof(values));
  memcpy(owned, values, sizeof(values));
  CHECK_OK(tenon_literal_adopt(shape, owned, count_release, &released, &literal));
  CHECK(tenon_literal_mutable_data(literal) == owned && released == 0);
  tenon_literal_destroy(literal);
  CHECK(released == 1);
  tenon_shape_destroy(shape);
}

TEST(Literal, TuplesTakeTheirElements) {
  tenon_literal *parts[2] = {NULL, NULL}, *tuple = NULL, *copy = NULL, *none[1] = {NULL};
  CHECK_OK(tenon_literal_from_double(TENON_S32, 3, &parts[0]));
  CHECK_OK(tenon_literal_from_double(TENON_BF16, 1.5, &parts[1]));
  CHECK_OK(tenon_literal_create_tuple(parts, 2, &tuple));
  CHECK(!parts[0] && !parts[1] && tenon_literal_tuple_size(tuple) == 2);
  CHECK(*(const int32_t *)tenon_literal_data(tenon_literal_tuple_element(tuple, 0)) == 3);
  CHECK(!tenon_literal_tuple_element(tuple, 2) && !tenon_literal_data(tuple) && !tenon_literal_mutable_data(tuple));
  CHECK_OK(tenon_literal_clone(tuple, &copy));
  CHECK(tenon_literal_equal(tuple, copy));
  CHECK_ERROR(tenon_literal_create_tuple(none, 1, &tuple), TENON_INVALID_ARGUMENT, "element 0 is NULL");
  CHECK_ERROR(tenon_literal_relayout(tuple, tenon_literal_shape(tuple), &copy), TENON_INVALID_ARGUMENT, "not an array");
  CHECK_ERROR(tenon_literal_from_double(TENON_TUPLE, 0, &copy), TENON_INVALID_ARGUMENT, "");
  tenon_literal_destroy(tuple);
  tenon_literal_destroy(copy);
}

TEST(Literal, ChangesForm) {
  float values[] = {1, 2, 3, 4, 5, 6};
  int64_t sizes[] = {6}, wrong[] = {5};
  tenon_shape *shape = parse("f32[2,3]"), *columns = parse("f32[2,3]{0,1}"), *other = parse("f32[3,2]");
  tenon_literal *literal = NULL, *result = NULL;
  CHECK_OK(tenon_literal_create_from(shape, values, sizeof(values), &literal));
  CHECK_OK(tenon_literal_relayout(literal, columns, &result));
  CHECK(((const float *)tenon_literal_data(result))[1] == 4 && tenon_literal_equal(literal, result));
  tenon_literal_destroy(result);
  CHECK_OK(tenon_literal_convert(literal, TENON_S8, &result));
  CHECK(((const signed char *)tenon_literal_data(result))[5] == 6);
  tenon_literal_destroy(result);
  CHECK_OK(tenon_literal_reshape(literal, sizes, 1, &result));
  CHECK(has_text(tenon_literal_to_string(result), "f32[6] {1, 2, 3, 4, 5, 6}"));
  tenon_literal_destroy(result);
  CHECK_ERROR(tenon_literal_reshape(literal, wrong, 1, &result), TENON_INVALID_ARGUMENT, "f32[5]");
  CHECK_ERROR(tenon_literal_relayout(literal, other, &result), TENON_INVALID_ARGUMENT, "f32[3,2]");
  CHECK_ERROR(tenon_literal_convert(literal, (tenon_element_type)99, &result), TENON_INVALID_ARGUMENT, "");
  tenon_literal_destroy(literal);
  tenon_shape_destroy(shape);
  tenon_shape_destroy(columns);
  tenon_shape_destroy(other);
}

TEST(Literal, ThereMayBeNoMemory) {
  tenon_shape *shape = parse("f64[1000000000000000]");
  tenon_literal *literal = NULL;
  CHECK_ERROR(tenon_literal_create(shape, &literal), TENON_RESOURCE_EXHAUSTED, "f64[1000000000000000]");
  CHECK(!literal);
  tenon_shape_destroy(shape);
}

TEST(Literal, NumPyFiles) {
  char path[64];
  snprintf(path, sizeof(path), "/tmp/tenon_capi_%ld.npy", (long)(intptr_t)&released);
  tenon_literal *literal = NULL, *read = NULL;
  CHECK_OK(tenon_literal_from_double(TENON_F32, 2.5, &literal));
  CHECK_OK(tenon_literal_write_npy(literal, path));
  CHECK_OK(tenon_literal_read_npy(path, TENON_INVALID_TYPE, &read));
  CHECK(tenon_literal_equal(literal, read));
  remove(path);
  CHECK_ERROR(tenon_literal_read_npy(path, TENON_INVALID_TYPE, &read), TENON_NOT_FOUND, path);
  tenon_literal_destroy(literal);
  tenon_literal_destroy(read);
}
