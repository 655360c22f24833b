/* Programs built by tenon/c/ops.h. */
#include "tenon/c/tenon.h"
#include "test/c_test.h"

#include <string.h>
static tenon_program_builder *new_program(void) {
  tenon_program_builder *builder = NULL;
  CHECK_OK(tenon_program_builder_create("test", &builder));
  return builder;
}

static void add(tenon_program_builder *builder, const tenon_op_value *arguments, size_t count, void *context) {
  *(size_t *)context += count;
  tenon_op_value sum = tenon_op_add(TENON_AT(builder), arguments[0], arguments[1]);
  tenon_program_builder_return(builder, &sum, 1);
}

TEST(ProgramBuilder, ReducesByAFunction) {
  tenon_program_builder *b = new_program();
  size_t called_with = 0;
  const float numbers[] = {1, 2, 3, 4, 5, 6}, zero = 0;
  tenon_shape *shape = NULL, *scalar = NULL;
  tenon_literal *x = NULL, *init = NULL;
  CHECK_OK(tenon_shape_parse("f32[2,3]", &shape));
  CHECK_OK(tenon_shape_parse("f32[]", &scalar));
  CHECK_OK(tenon_literal_create_from(shape, numbers, sizeof numbers, &x));
  CHECK_OK(tenon_literal_create_from(scalar, &zero, sizeof zero, &init));
  tenon_op_value given = tenon_op_constant(TENON_AT(b), x), from = tenon_op_constant(TENON_AT(b), init), sums[2];
  const int64_t dimension = 1;
  tenon_region body = {add, &called_with};
  CHECK(tenon_op_reduce(TENON_AT(b), &given, 1, &from, 1, &dimension, 1, body, sums, 2) == 1);
  CHECK(called_with == 2);
  tenon_computation *computation = NULL;
  tenon_client *client = NULL;
  tenon_literal *result = NULL;
  CHECK_OK(tenon_program_builder_build(b, sums, 1, &computation));
  CHECK_OK(tenon_client_create_local(NULL, &client));
  CHECK_OK(tenon_client_execute_and_transfer(client, computation, NULL, 0, NULL, &result));
  char *text = tenon_literal_to_string(result);
  CHECK_TEXT(text, "f32[2] {6, 15}");
  tenon_free(text);
  tenon_literal_destroy(result);
  tenon_computation_destroy(computation);
  tenon_client_destroy(client);
  tenon_literal_destroy(x);
  tenon_literal_destroy(init);
  tenon_shape_destroy(shape);
  tenon_shape_destroy(scalar);
  tenon_program_builder_destroy(b);
}

TEST(ProgramBuilder, TypesAreInferred) {
  tenon_program_builder *b = new_program();
  tenon_op_value x = tenon_program_builder_parameter(b, "2x3xf32", "x");
  const int64_t one = 1;
  tenon_stablehlo_dot_dimension_numbers numbers = {0};
  numbers.lhs_contracting_dimensions = numbers.rhs_contracting_dimensions = &one;
  numbers.lhs_contracting_dimensions_count = numbers.rhs_contracting_dimensions_count = 1;
  tenon_op_value product = tenon_op_dot_general(TENON_AT(b), x, x, &numbers, NULL, NULL);
  char *type = tenon_program_builder_type(b, product), *text = NULL;
  CHECK_TEXT(type, "tensor<2x2xf32>");
  CHECK_OK(tenon_program_builder_text(b, &product, 1, &text));
  CHECK(strstr(text, "stablehlo.dot_general") != NULL);
  tenon_free(type);
  tenon_free(text);
  tenon_program_builder_destroy(b);
}

TEST(ProgramBuilder, ErrorsAreKeptWithTheirLine) {
  tenon_program_builder *b = new_program();
  tenon_op_value x = tenon_program_builder_parameter(b, "3xf32", NULL),
                 y = tenon_program_builder_parameter(b, "4xf32", NULL);
  tenon_op_value none = tenon_op_add(TENON_AT(b), x, y);
  CHECK(none.id == 0);
  CHECK_ERROR(tenon_program_builder_status(b), TENON_INVALID_ARGUMENT, "program_builder_test.c:");
  CHECK_ERROR(tenon_program_builder_status(b), TENON_INVALID_ARGUMENT, "add_c1");
  tenon_computation *computation = NULL;
  CHECK_ERROR(tenon_program_builder_build(b, &x, 1, &computation), TENON_INVALID_ARGUMENT, "add at");
  tenon_program_builder_destroy(b);
  b = new_program();
  tenon_op_constant(TENON_AT(b), NULL);
  CHECK_ERROR(tenon_program_builder_status(b), TENON_INVALID_ARGUMENT, "value");
  tenon_program_builder_destroy(b);
  tenon_program_builder_destroy(NULL);
  CHECK(tenon_op_add(NULL, x, x).id == 0);
}
