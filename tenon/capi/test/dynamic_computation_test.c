#include "test/c_test.h"

#include <string.h>

/* `repeat`: the rows of x, n times. `twice`: 2 x. */
static const char *const kProgram =
    "func.func @repeat(%x: tensor<?x2xf32> loc(\"x\"), %n: tensor<i64>) -> tensor<?x?x2xf32> {\n"
    "  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>\n"
    "  %0 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>\n"
    "  %1 = stablehlo.convert %n : (tensor<i64>) -> tensor<i32>\n"
    "  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>\n"
    "  %3 = stablehlo.constant dense<2> : tensor<1xi32>\n"
    "  %4 = stablehlo.concatenate %2, %0, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> "
    "tensor<3xi32>\n"
    "  %5 = stablehlo.dynamic_broadcast_in_dim %x, %4, dims = [1, 2] : (tensor<?x2xf32>, tensor<3xi32>) -> "
    "tensor<?x?x2xf32>\n"
    "  return %5 : tensor<?x?x2xf32>\n"
    "}\n"
    "func.func @twice(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n"
    "  return %0 : tensor<3xf32>\n"
    "}\n";

static tenon_dynamic_computation *read(const char *entry) {
  tenon_dynamic_computation *dynamic = NULL;
  CHECK_OK(tenon_dynamic_computation_from_stablehlo(kProgram, strlen(kProgram), "rows.mlir", entry, &dynamic));
  return dynamic;
}

static tenon_shape *parse(const char *text) {
  tenon_shape *shape = NULL;
  CHECK_OK(tenon_shape_parse(text, &shape));
  return shape;
}

/* Copies to the client what `elements` points at. */
static tenon_data *transfer(tenon_client *client, const tenon_shape *shape, const void *elements, size_t size) {
  tenon_literal *literal = NULL;
  tenon_data *data = NULL;
  CHECK_OK(tenon_literal_create(shape, &literal));
  memcpy(tenon_literal_mutable_data(literal), elements, size);
  CHECK_OK(tenon_client_transfer_to_server(client, literal, &data));
  tenon_literal_destroy(literal);
  return data;
}

TEST(DynamicComputation, DescribesItsParameters) {
  tenon_dynamic_computation *dynamic = read("repeat");
  CHECK(tenon_dynamic_computation_is_open(dynamic));
  CHECK(tenon_dynamic_computation_parameter_count(dynamic) == 2);
  tenon_dynamic_parameter info = {sizeof info, NULL, TENON_PRED, NULL, 0, true};
  CHECK_OK(tenon_dynamic_computation_get_parameter(dynamic, 0, &info));
  CHECK_TEXT(info.name, "x");
  CHECK(info.element_type == TENON_F32 && info.rank == 2);
  CHECK(info.dimensions[0] == -1 && info.dimensions[1] == 2 && !info.decides_sizes);
  CHECK_OK(tenon_dynamic_computation_get_parameter(dynamic, 1, &info));
  CHECK_TEXT(info.name, "n");
  CHECK(info.element_type == TENON_S64 && info.rank == 0 && info.decides_sizes);
  CHECK_ERROR(tenon_dynamic_computation_get_parameter(dynamic, 2, &info), TENON_OUT_OF_RANGE,
              "there are 2 parameters, and no number 2");
  info.struct_size = 0;
  CHECK_ERROR(tenon_dynamic_computation_get_parameter(dynamic, 0, &info), TENON_INVALID_ARGUMENT, "struct_size");
  tenon_dynamic_computation_destroy(dynamic);
  dynamic = read("twice");
  CHECK(!tenon_dynamic_computation_is_open(dynamic));
  tenon_dynamic_computation_destroy(dynamic);
  tenon_dynamic_computation_destroy(NULL);
  CHECK(!tenon_dynamic_computation_is_open(NULL));
  CHECK(tenon_dynamic_computation_parameter_count(NULL) == 0);
}

TEST(DynamicComputation, IsSpecializedAndRun) {
  tenon_client *client = NULL;
  CHECK_OK(tenon_client_create_local(NULL, &client));
  tenon_dynamic_computation *dynamic = read("repeat");
  for (int64_t rows = 1; rows <= 2; ++rows)
    for (int64_t times = 0; times <= 3; ++times) {
      tenon_shape *scalar = parse("s64[]"), *shape = parse(rows == 1 ? "f32[1,2]" : "f32[2,2]");
      const tenon_shape *const shapes[] = {shape, scalar};
      tenon_known_argument known = {1, &times, 1};
      tenon_computation *computation = NULL;
      CHECK_OK(tenon_dynamic_computation_specialize(dynamic, shapes, 2, &known, 1, &computation));
      float x[] = {1, 2, 3, 4};
      tenon_data *data[] = {transfer(client, shape, x, sizeof(float) * 2 * (size_t)rows),
                            transfer(client, scalar, &times, sizeof times)};
      const tenon_data *const arguments[] = {data[0], data[1]};
      tenon_literal *result = NULL;
      CHECK_OK(tenon_client_execute_and_transfer(client, computation, arguments, 2, NULL, &result));
      const tenon_shape *result_shape = tenon_literal_shape(result);
      CHECK(tenon_shape_rank(result_shape) == 3 && tenon_shape_dimensions(result_shape)[0] == times);
      CHECK(tenon_shape_dimensions(result_shape)[1] == rows && tenon_shape_dimensions(result_shape)[2] == 2);
      for (int64_t i = 0; i < times * rows * 2; ++i)
        CHECK(((const float *)tenon_literal_data(result))[i] == x[i % (rows * 2)]);
      tenon_literal_destroy(result);
      tenon_computation_destroy(computation);
      tenon_data_destroy(data[0]);
      tenon_data_destroy(data[1]);
      tenon_shape_destroy(shape);
      tenon_shape_destroy(scalar);
    }
  tenon_dynamic_computation_destroy(dynamic);
  tenon_client_destroy(client);
}

TEST(DynamicComputation, SaysWhatDoesNotFit) {
  tenon_dynamic_computation *dynamic = read("repeat");
  tenon_shape *wide = parse("f32[1,3]"), *row = parse("f32[1,2]"), *scalar = parse("s64[]");
  const tenon_shape *const wrong[] = {wide, scalar}, *const right[] = {row, scalar}, *const none[] = {row, NULL};
  tenon_computation *computation = NULL;
  int64_t times = -2;
  tenon_known_argument known = {1, &times, 1}, missing = {1, NULL, 1};
  CHECK_ERROR(tenon_dynamic_computation_specialize(dynamic, wrong, 2, &known, 1, &computation), TENON_INVALID_ARGUMENT,
              "argument 0 (x) must be F32[?,2], and is f32[1,3]");
  CHECK_ERROR(tenon_dynamic_computation_specialize(dynamic, right, 1, &known, 1, &computation), TENON_INVALID_ARGUMENT,
              "the program has 2 parameters, and 1 shapes are given");
  CHECK_ERROR(tenon_dynamic_computation_specialize(dynamic, right, 2, NULL, 0, &computation), TENON_UNIMPLEMENTED,
              "depends on");
  CHECK_ERROR(tenon_dynamic_computation_specialize(dynamic, right, 2, &known, 1, &computation), TENON_UNIMPLEMENTED,
              "negative size -2");
  CHECK_ERROR(tenon_dynamic_computation_specialize(dynamic, none, 2, &known, 1, &computation), TENON_INVALID_ARGUMENT,
              "the shape of argument 1 is NULL");
  CHECK_ERROR(tenon_dynamic_computation_specialize(dynamic, right, 2, &missing, 1, &computation),
              TENON_INVALID_ARGUMENT, "elements is NULL");
  CHECK_ERROR(tenon_dynamic_computation_specialize(NULL, right, 2, &known, 1, &computation), TENON_INVALID_ARGUMENT,
              "dynamic is NULL");
  CHECK(computation == NULL);
  tenon_shape_destroy(wide);
  tenon_shape_destroy(row);
  tenon_shape_destroy(scalar);
  tenon_dynamic_computation_destroy(dynamic);
}

TEST(Computation, IsTheEntryThatIsNamed) {
  tenon_computation *computation = NULL;
  CHECK_OK(tenon_computation_from_stablehlo_entry(kProgram, strlen(kProgram), NULL, "twice", &computation));
  CHECK(tenon_computation_parameter_count(computation) == 1);
  tenon_computation_destroy(computation);
  computation = NULL;
  CHECK_ERROR(tenon_computation_from_stablehlo_entry(kProgram, strlen(kProgram), NULL, "thrice", &computation),
              TENON_INVALID_ARGUMENT, "the program has no function 'thrice'; there are: repeat, twice");
  CHECK_ERROR(tenon_computation_from_stablehlo(kProgram, strlen(kProgram), NULL, &computation), TENON_INVALID_ARGUMENT,
              "none of them named 'main': repeat, twice; entry chooses one");
  tenon_dynamic_computation *dynamic = NULL;
  CHECK_ERROR(tenon_dynamic_computation_from_stablehlo(kProgram, strlen(kProgram), NULL, "thrice", &dynamic),
              TENON_INVALID_ARGUMENT, "no function 'thrice'");
  CHECK(computation == NULL && dynamic == NULL);
}
