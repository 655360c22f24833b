#include "test/c_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const add_program = "func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {\n"
                                       "  %0 = stablehlo.add %a, %b : tensor<3xf32>\n"
                                       "  return %0 : tensor<3xf32>\n"
                                       "}\n";

static tenon_client *local(void) {
  tenon_client *client = NULL;
  CHECK_OK(tenon_client_create_local(NULL, &client));
  return client;
}

static tenon_shape *parse(const char *text) {
  tenon_shape *shape = NULL;
  CHECK_OK(tenon_shape_parse(text, &shape));
  return shape;
}

static tenon_computation *program(const char *text) {
  tenon_computation *computation = NULL;
  CHECK_OK(tenon_computation_from_stablehlo(text, strlen(text), NULL, &computation));
  return computation;
}

static tenon_data *floats(tenon_client *client, const float *values, const char *shape_text) {
  tenon_shape *shape = parse(shape_text);
  tenon_literal *literal = NULL;
  tenon_data *data = NULL;
  CHECK_OK(tenon_literal_create_from(shape, values, (size_t)tenon_shape_byte_size(shape), &literal));
  CHECK_OK(tenon_client_transfer_to_server(client, literal, &data));
  tenon_literal_destroy(literal);
  tenon_shape_destroy(shape);
  return data;
}

static bool is(tenon_literal *literal, const char *expected) {
  char *text = tenon_literal_to_string(literal);
  bool equal = c_test_texts_equal(text, expected);
  tenon_free(text);
  tenon_literal_destroy(literal);
  return equal;
}

TEST(Client, RunsAProgram) {
  const float a[] = {1, 2, 3}, b[] = {10, 20, 30};
  tenon_client *client = local();
  CHECK_TEXT(tenon_client_platform_name(client), "cpu");
  CHECK(tenon_client_device_count(client) >= 1);
  tenon_computation *computation = program(add_program);
  CHECK(tenon_computation_parameter_count(computation) == 2 && !tenon_computation_parameter_shape(computation, 2));
  CHECK_TEXT(tenon_computation_parameter_name(computation, 1), "b");
  CHECK_TEXT(tenon_computation_name(computation), "main");
  const tenon_shape *result_shape = tenon_computation_result_shape(computation);
  CHECK(tenon_shape_equal(tenon_computation_parameter_shape(computation, 0), result_shape));
  tenon_data *arguments[] = {floats(client, a, "f32[3]"), floats(client, b, "f32[3]")}, *sum = NULL;
  CHECK(tenon_shape_compatible(tenon_data_shape(arguments[0]), result_shape));
  CHECK_OK(tenon_client_compile(client, computation, NULL, 0, NULL));
  CHECK_OK(tenon_client_execute(client, computation, (const tenon_data *const *)arguments, 2, NULL, &sum));
  const void *memory = NULL;
  CHECK_OK(tenon_client_view(client, sum, &memory));
  CHECK(((const float *)memory)[2] == 33);
  tenon_literal *literal = NULL;
  CHECK_OK(tenon_client_transfer(client, sum, NULL, &literal));
  CHECK(is(literal, "f32[3] {11, 22, 33}"));
  /* Objects may outlive what they came from. */
  tenon_client_destroy(client);
  tenon_computation_destroy(computation);
  for (int i = 0; i < 2; ++i)
    tenon_data_destroy(arguments[i]);
  tenon_data_destroy(sum);
}

TEST(Client, Options) {
  const float a[] = {1, 2, 3, 4, 5, 6};
  tenon_client *client = local();
  tenon_computation *computation =
      program("func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> { return %a : tensor<2x3xf32> }");
  tenon_data *argument = floats(client, a, "f32[2,3]");
  tenon_shape *columns = parse("f32[2,3]{0,1}"), *wrong = parse("f32[3,2]");
  int64_t time = -1;
  tenon_execute_options options = {sizeof(options), columns, 1000000000000, &time, NULL};
  tenon_literal *literal = NULL;
  const tenon_data *const arguments[] = {argument};
  CHECK_OK(tenon_client_execute_and_transfer(client, computation, arguments, 1, &options, &literal));
  CHECK(((const float *)tenon_literal_data(literal))[1] == 4 && time >= 0);
  tenon_literal_destroy(literal);
  options.result_shape = wrong;
  CHECK_ERROR(tenon_client_execute_and_transfer(client, computation, arguments, 1, &options, &literal),
              TENON_INVALID_ARGUMENT, "f32[3,2]");
  options.result_shape = NULL;
  options.timeout_ns = -1;
  CHECK_ERROR(tenon_client_compile(client, computation, NULL, 0, &options), TENON_INVALID_ARGUMENT, "-1 ns");
  options.timeout_ns = INT64_MAX;
  CHECK_OK(tenon_client_execute_and_transfer(client, computation, arguments, 1, &options, &literal));
  tenon_literal_destroy(literal);
  options.struct_size = 0;
  CHECK_ERROR(tenon_client_compile(client, computation, NULL, 0, &options), TENON_INVALID_ARGUMENT, "struct_size");
  /* Of an older version, which knows the layout alone. */
  options.struct_size = offsetof(tenon_execute_options, timeout_ns);
  CHECK_OK(tenon_client_compile(client, computation, NULL, 0, &options));
  const tenon_shape *const shapes[] = {columns};
  CHECK_OK(tenon_client_compile(client, computation, shapes, 1, NULL));
  CHECK_ERROR(tenon_client_transfer(client, argument, wrong, &literal), TENON_INVALID_ARGUMENT, "f32[3,2]");
  CHECK_OK(tenon_client_transfer(client, argument, columns, &literal));
  CHECK(((const float *)tenon_literal_data(literal))[1] == 4);
  tenon_literal_destroy(literal);
  tenon_shape_destroy(columns);
  tenon_shape_destroy(wrong);
  tenon_data_destroy(argument);
  tenon_computation_destroy(computation);
  tenon_client_destroy(client);
}

TEST(Client, WrongArguments) {
  const float a[] = {1, 2, 3, 4};
  tenon_client *client = local();
  tenon_computation *computation = program(add_program);
  tenon_data *four = floats(client, a, "f32[4]"), *result = NULL;
  const tenon_data *const arguments[] = {four, NULL};
  CHECK_ERROR(tenon_client_execute(client, computation, arguments, 1, NULL, &result), TENON_INVALID_ARGUMENT,
              "2 parameters");
  CHECK_ERROR(tenon_client_execute(client, computation, arguments, 2, NULL, &result), TENON_INVALID_ARGUMENT,
              "argument 1 is null");
  const tenon_data *const both[] = {four, four};
  CHECK_ERROR(tenon_client_execute(client, computation, both, 2, NULL, &result), TENON_INVALID_ARGUMENT, "f32[4]");
  CHECK_ERROR(tenon_client_create_local("abacus", &client), TENON_NOT_FOUND, "abacus");
  tenon_data_destroy(four);
  tenon_computation_destroy(computation);
  tenon_client_destroy(client);
}

TEST(Client, ProgramsAreChecked) {
  tenon_computation *computation = NULL;
  const char *text = "func.func @main() -> tensor<f32> {\n  return %x : tensor<f32>\n}\n";
  CHECK_ERROR(tenon_computation_from_stablehlo(text, strlen(text), "broken.mlir", &computation), TENON_INVALID_ARGUMENT,
              "broken.mlir:2");
  CHECK_ERROR(tenon_computation_from_stablehlo(NULL, 0, NULL, &computation), TENON_INVALID_ARGUMENT, "");
  CHECK(!computation);
}

TEST(Client, ProgramsAreWritten) {
  tenon_computation *computation = program(add_program), *again = NULL;
  char *text = NULL, *artifact = NULL, *text_again = NULL;
  size_t size = 0;
  CHECK_OK(tenon_computation_to_text(computation, &text));
  CHECK(strstr(text, "stablehlo.add") != NULL);
  CHECK_OK(tenon_computation_to_portable_artifact(computation, "1.9.0", &artifact, &size));
  CHECK_OK(tenon_computation_from_stablehlo(artifact, size, NULL, &again));
  CHECK_OK(tenon_computation_to_text(again, &text_again));
  CHECK_TEXT(text_again, text);
  CHECK_ERROR(tenon_computation_to_portable_artifact(computation, "one", &artifact, &size), TENON_INVALID_ARGUMENT,
              "'one'");
  tenon_free(text);
  tenon_free(text_again);
  tenon_free(artifact);
  tenon_computation_destroy(computation);
  tenon_computation_destroy(again);
}

static int released;
static void note_release(const void *memory, void *context) {
  CHECK(memory == context);
  ++released;
}

TEST(Client, SharesMemory) {
  static float values[] = {1, 2, 3};
  tenon_client *client = local();
  tenon_shape *shape = parse("f32[3]"), *tuple = parse("(f32[3])");
  tenon_data *data = NULL;
  CHECK_OK(tenon_client_share(client, shape, values, note_release, values, &data));
  const void *memory = NULL;
  CHECK_OK(tenon_client_view(client, data, &memory));
  CHECK(memory == values);
  tenon_data_destroy(data);
  CHECK(released == 1);
  CHECK_ERROR(tenon_client_share(client, tuple, values, note_release, values, &data), TENON_INVALID_ARGUMENT,
              "not an array");
  CHECK(released == 1);
  tenon_shape_destroy(shape);
  tenon_shape_destroy(tuple);
  tenon_client_destroy(client);
}

TEST(Client, TakesTuplesApart) {
  tenon_client *client = local();
  tenon_literal *parts[2] = {NULL, NULL}, *tuple = NULL;
  CHECK_OK(tenon_literal_from_double(TENON_S32, 7, &parts[0]));
  CHECK_OK(tenon_literal_from_double(TENON_F16, 2, &parts[1]));
  CHECK_OK(tenon_literal_create_tuple(parts, 2, &tuple));
  tenon_data *data = NULL, *elements[3] = {NULL, NULL, NULL};
  CHECK_OK(tenon_client_transfer_to_server(client, tuple, &data));
  CHECK_ERROR(tenon_client_deconstruct_tuple(client, data, elements, 3), TENON_INVALID_ARGUMENT, "3 elements");
  CHECK_OK(tenon_client_deconstruct_tuple(client, data, elements, 2));
  tenon_data_destroy(data);
  tenon_literal *literal = NULL;
  CHECK_OK(tenon_client_transfer(client, elements[1], NULL, &literal));
  CHECK(is(literal, "f16[] 2"));
  CHECK_ERROR(tenon_client_deconstruct_tuple(client, elements[0], elements + 2, 1), TENON_INVALID_ARGUMENT, "no tuple");
  tenon_data_destroy(elements[0]);
  tenon_data_destroy(elements[1]);
  tenon_literal_destroy(tuple);
  tenon_client_destroy(client);
}

TEST(Client, StreamsAndStatistics) {
  tenon_client *client = local();
  tenon_computation *computation =
      program("func.func @main() -> tensor<f32> {\n"
              "  %t = stablehlo.create_token : !stablehlo.token\n"
              "  %x:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)\n"
              "  %y = \"stablehlo.outfeed\"(%x#0, %x#1) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token\n"
              "  return %x#0 : tensor<f32>\n}\n");
  tenon_literal *literal = NULL, *result = NULL;
  tenon_shape *shape = parse("f32[]");
  CHECK_OK(tenon_literal_from_double(TENON_F32, 4, &literal));
  CHECK_OK(tenon_client_transfer_to_infeed(client, literal, 0, 1000000000));
  CHECK_OK(tenon_client_execute_and_transfer(client, computation, NULL, 0, NULL, &result));
  CHECK(is(result, "f32[] 4"));
  CHECK_OK(tenon_client_transfer_from_outfeed(client, shape, 0, 0, &result));
  CHECK(is(result, "f32[] 4"));
  CHECK_ERROR(tenon_client_transfer_from_outfeed(client, shape, 0, 1, &result), TENON_DEADLINE_EXCEEDED, "");
  CHECK_ERROR(tenon_client_transfer_to_infeed(client, literal, 7777, 0), TENON_INVALID_ARGUMENT, "device 7777");
  tenon_statistics statistics = {sizeof(statistics), 0, 0, 0, 0, 0}, unset = {0, 0, 0, 0, 0, 0};
  CHECK_OK(tenon_client_statistics(client, &statistics));
  CHECK(statistics.executions >= 1 && statistics.compilations >= 1 && statistics.struct_size == sizeof(statistics));
  CHECK_ERROR(tenon_client_statistics(client, &unset), TENON_INVALID_ARGUMENT, "struct_size");
  tenon_literal_destroy(literal);
  tenon_shape_destroy(shape);
  tenon_computation_destroy(computation);
  tenon_client_destroy(client);
}

TEST(Client, NobodyAnswers) {
  tenon_client *client = NULL;
  tenon_remote_options options = {sizeof(options), false, NULL, NULL, NULL, NULL, NULL, 200000000, 0};
  CHECK_ERROR(tenon_client_connect("unix:/nowhere/tenon", &options, &client), TENON_UNAVAILABLE, "");
  options.connect_timeout_ns = -1;
  CHECK_ERROR(tenon_client_connect("unix:/nowhere/tenon", &options, &client), TENON_INVALID_ARGUMENT, "-1 ns");
  CHECK(!client);
}

TEST(Client, SeedsRandomNumbers) {
  tenon_client *client = local();
  tenon_computation *computation =
      program("func.func @main() -> tensor<4xf32> {\n"
              "  %a = stablehlo.constant dense<0.0> : tensor<f32>\n"
              "  %b = stablehlo.constant dense<1.0> : tensor<f32>\n"
              "  %s = stablehlo.constant dense<4> : tensor<1xi64>\n"
              "  %x = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> "
              "tensor<4xf32>\n"
              "  return %x : tensor<4xf32>\n}\n");
  uint64_t seed = 7;
  tenon_execute_options options = {sizeof(options), NULL, 0, NULL, &seed};
  tenon_literal *results[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; ++i) {
    seed = i == 2 ? 8 : 7;
    CHECK_OK(tenon_client_execute_and_transfer(client, computation, NULL, 0, &options, &results[i]));
  }
  CHECK(tenon_literal_equal(results[0], results[1]) && !tenon_literal_equal(results[0], results[2]));
  for (int i = 0; i < 3; ++i)
    tenon_literal_destroy(results[i]);
  tenon_computation_destroy(computation);
  tenon_client_destroy(client);
}

TEST(Client, TargetsThatAreNotThere) {
  char *platform = NULL;
  CHECK_ERROR(tenon_load_target("/nowhere/target.so", &platform), TENON_NOT_FOUND, "/nowhere/target.so");
  CHECK(!platform);
}

TEST(AheadOfTime, MakesAnObject) {
  tenon_computation *computation = program(add_program);
  tenon_aot_options options = {sizeof(options), "addition", NULL, "x86-64-v3", false, 1, NULL, 0, NULL};
  tenon_aot_result *result = NULL;
  CHECK_OK(tenon_compile_ahead_of_time(computation, &options, &result));
  size_t size = 0;
  CHECK_TEXT(tenon_aot_result_name(result), "addition");
  CHECK(memcmp(tenon_aot_result_object(result, &size), "\177ELF", 4) == 0 && size > 64);
  CHECK(strstr(tenon_aot_result_header(result), "addition_run") != NULL);
  CHECK(*tenon_aot_result_weights(result, &size) == 0 && size == 0);
  CHECK(!tenon_aot_result_undefined_symbol(result, 1000) && !tenon_aot_result_lapack_routine(result, 0));
  CHECK_ERROR(tenon_aot_result_write_to(result, "/dev/null/folder"), TENON_FAILED_PRECONDITION, "/dev/null/folder");
  tenon_aot_result_destroy(result);
  options.name = "no identifier";
  CHECK_ERROR(tenon_compile_ahead_of_time(computation, &options, &result), TENON_INVALID_ARGUMENT, "no identifier");
  CHECK_ERROR(tenon_compile_ahead_of_time(NULL, NULL, &result), TENON_INVALID_ARGUMENT, "computation is NULL");
  tenon_computation_destroy(computation);
}

TEST(AheadOfTime, TakesLayouts) {
  tenon_computation *computation = program(add_program);
  tenon_shape *padded = NULL;
  const int64_t size = 3, order = 0, padded_size = 8;
  CHECK_OK(tenon_shape_create_with_layout(TENON_F32, &size, &order, &padded_size, TENON_ONE_PAD, 1, &padded));
  const tenon_shape *shapes[] = {padded, padded};
  tenon_aot_options options = {sizeof(options), NULL, NULL, NULL, false, 1, shapes, 2, padded};
  tenon_aot_result *result = NULL;
  CHECK_OK(tenon_compile_ahead_of_time(computation, &options, &result));
  CHECK(strstr(tenon_aot_result_header(result), "argument 1: f32[3]{0} in f32[8]") != NULL);
  CHECK(strstr(tenon_aot_result_header(result), "result 0: f32[3]{0} in f32[8]") != NULL);
  tenon_aot_result_destroy(result);
  shapes[1] = NULL;
  CHECK_ERROR(tenon_compile_ahead_of_time(computation, &options, &result), TENON_INVALID_ARGUMENT,
              "the shape of argument 1 is NULL");
  tenon_shape_destroy(padded);
  tenon_computation_destroy(computation);
}

TEST(Client, RunsAGridOfAsManyProcessesAsDevices) {
  tenon_client *client = local();
  const size_t count = (size_t)tenon_client_device_count(client);
  tenon_computation *id = program("func.func @main() -> tensor<ui32> {\n"
                                  "  %0 = stablehlo.replica_id : tensor<ui32>\n"
                                  "  return %0 : tensor<ui32>\n"
                                  "}\n");
  tenon_process *processes = calloc(count + 1, sizeof(tenon_process));
  tenon_data **results = calloc(count + 1, sizeof(tenon_data *));
  for (size_t i = 0; i <= count; ++i)
    processes[i].computation = id;
  CHECK_OK(tenon_client_execute_parallel(client, (int64_t)count, 1, processes, count, NULL, results));
  tenon_literal *last = NULL, *fed = NULL;
  CHECK_OK(tenon_client_transfer(client, results[count - 1], NULL, &last));
  CHECK(*(const uint32_t *)tenon_literal_data(last) == count - 1);
  for (size_t i = 0; i < count; ++i)
    tenon_data_destroy(results[i]);
  CHECK_ERROR(tenon_client_execute_parallel(client, (int64_t)count + 1, 1, processes, count + 1, NULL, results),
              TENON_RESOURCE_EXHAUSTED, "a grid may have");
  /* Each has streams of its own. */
  tenon_shape *shape = parse("f32[]");
  CHECK_OK(tenon_literal_from_double(TENON_F32, 4, &fed));
  CHECK_OK(tenon_client_transfer_to_infeed(client, fed, (int64_t)count - 1, 1000000000));
  CHECK_ERROR(tenon_client_transfer_to_infeed(client, fed, (int64_t)count, 0), TENON_INVALID_ARGUMENT,
              "there is no device");
  tenon_literal_destroy(last);
  tenon_literal_destroy(fed);
  tenon_shape_destroy(shape);
  free(processes);
  free(results);
  tenon_computation_destroy(id);
  tenon_client_destroy(client);
}

TEST(Client, RunsAGrid) {
  const float values[] = {1, 2, 3};
  tenon_client *client = local();
  tenon_computation *gather = program("func.func @main(%x: tensor<3xf32>) -> tensor<6xf32> {\n"
                                      "  %0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64,\n"
                                      "      replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}\n"
                                      "      : (tensor<3xf32>) -> tensor<6xf32>\n"
                                      "  return %0 : tensor<6xf32>\n"
                                      "}\n");
  tenon_data *first = floats(client, values, "f32[3]"), *second = floats(client, (const float[]){4, 5, 6}, "f32[3]");
  tenon_process processes[] = {{gather, (const tenon_data *const *)&first, 1},
                               {gather, (const tenon_data *const *)&second, 1}};
  tenon_data *results[] = {NULL, NULL};
  int64_t time = 0;
  tenon_execute_options options = {sizeof(options), NULL, 1000000000000, &time, NULL};
  CHECK_OK(tenon_client_execute_parallel(client, 2, 1, processes, 2, &options, results));
  CHECK(time > 0);
  for (int i = 0; i < 2; ++i) {
    tenon_literal *literal = NULL;
    CHECK_OK(tenon_client_transfer(client, results[i], NULL, &literal));
    CHECK(is(literal, "f32[6] {4, 5, 6, 1, 2, 3}"));
    tenon_data_destroy(results[i]);
  }
  CHECK_ERROR(tenon_client_execute_parallel(client, 3, 1, processes, 2, NULL, results), TENON_INVALID_ARGUMENT,
              "a grid of 3 x 1 cannot have 2 processes");
  processes[1].argument_count = 0;
  CHECK_ERROR(tenon_client_execute_parallel(client, 2, 1, processes, 2, NULL, results), TENON_INVALID_ARGUMENT,
              "process (1, 0)");
  processes[1].computation = NULL;
  CHECK_ERROR(tenon_client_execute_parallel(client, 2, 1, processes, 2, NULL, results), TENON_INVALID_ARGUMENT,
              "there is no computation");
  tenon_data_destroy(first);
  tenon_data_destroy(second);
  tenon_computation_destroy(gather);
  tenon_client_destroy(client);
}
