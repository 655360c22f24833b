/* 2 * x + y, by the installed library's C interface: built, and read from StableHLO. */
#include <tenon/c/tenon.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(tenon_status *status) {
  if (!status)
    return;
  fprintf(stderr, "%s: %s\n", tenon_code_name(tenon_status_code(status)), tenon_status_message(status));
  exit(1);
}

static tenon_computation *built(tenon_client *client, const tenon_shape *shape) {
  const float two = 2;
  tenon_builder *builder;
  tenon_computation *computation;
  check(tenon_builder_create(client, "axpy", &builder));
  tenon_value x = tenon_builder_parameter(builder, 0, shape, "x");
  tenon_value y = tenon_builder_parameter(builder, 1, shape, "y");
  tenon_value product =
      tenon_builder_mul(TENON_HERE(builder), tenon_builder_constant_r0(builder, TENON_F32, &two), x, NULL, 0);
  tenon_builder_add(TENON_HERE(builder), product, y, NULL, 0);
  check(tenon_builder_build(builder, &computation));
  tenon_builder_destroy(builder);
  return computation;
}

static tenon_computation *read(void) {
  static const char program[] = "func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {\n"
                                "  %two = stablehlo.constant dense<2.0> : tensor<3xf32>\n"
                                "  %product = stablehlo.multiply %two, %x : tensor<3xf32>\n"
                                "  %sum = stablehlo.add %product, %y : tensor<3xf32>\n"
                                "  return %sum : tensor<3xf32>\n"
                                "}\n";
  tenon_computation *computation;
  check(tenon_computation_from_stablehlo(program, strlen(program), "axpy.mlir", &computation));
  return computation;
}

static int runs(tenon_client *client, const tenon_shape *shape, tenon_computation *computation) {
  static const float x[] = {1, 2, 3}, y[] = {10, 20, 30};
  tenon_data *arguments[2];
  tenon_literal *result;
  check(tenon_client_share(client, shape, x, NULL, NULL, &arguments[0]));
  check(tenon_client_share(client, shape, y, NULL, NULL, &arguments[1]));
  check(tenon_client_execute_and_transfer(client, computation, (const tenon_data *const *)arguments, 2, NULL, &result));
  char *text = tenon_literal_to_string(result);
  printf("%s\n", text);
  int right = strcmp(text, "f32[3] {12, 24, 36}") == 0;
  tenon_free(text);
  tenon_literal_destroy(result);
  tenon_data_destroy(arguments[0]);
  tenon_data_destroy(arguments[1]);
  tenon_computation_destroy(computation);
  return right;
}

int main(void) {
  const int64_t sizes[] = {3};
  tenon_client *client;
  tenon_shape *shape;
  check(tenon_client_create_local(NULL, &client));
  check(tenon_shape_create(TENON_F32, sizes, 1, &shape));
  int right = runs(client, shape, built(client, shape)) && runs(client, shape, read());
  tenon_shape_destroy(shape);
  tenon_client_destroy(client);
  return right ? 0 : 1;
}
