#include "test/c_test.h"

#include <string.h>

/* exp(x) + x, in a computation called "sum". */
static tenon_executable *compile(tenon_client *client, const tenon_execute_options *options) {
  tenon_builder *builder = NULL;
  tenon_computation *computation = NULL;
  tenon_executable *executable = NULL;
  tenon_shape *shape = NULL;
  CHECK_OK(tenon_shape_parse("f32[4,2]", &shape));
  CHECK_OK(tenon_builder_create(client, "sum", &builder));
  tenon_value x = tenon_builder_parameter(builder, 0, shape, "x");
  tenon_builder_add(builder, tenon_builder_exp(builder, x), x, NULL, 0);
  CHECK_OK(tenon_builder_build(builder, &computation));
  CHECK_OK(tenon_executable_create(client, computation, NULL, 0, options, &executable));
  tenon_computation_destroy(computation);
  tenon_builder_destroy(builder);
  tenon_shape_destroy(shape);
  return executable;
}

static tenon_data *zeros(tenon_client *client, const char *shape_text) {
  tenon_shape *shape = NULL;
  tenon_literal *literal = NULL;
  tenon_data *data = NULL;
  CHECK_OK(tenon_shape_parse(shape_text, &shape));
  CHECK_OK(tenon_literal_create(shape, &literal));
  CHECK_OK(tenon_client_transfer_to_server(client, literal, &data));
  tenon_literal_destroy(literal);
  tenon_shape_destroy(shape);
  return data;
}

TEST(Executable, RunsWithoutItsComputation) {
  tenon_client *client = NULL;
  CHECK_OK(tenon_client_create_local(NULL, &client));
  tenon_executable *executable = compile(client, NULL);
  tenon_data *x = zeros(client, "f32[4,2]{0,1}"), *more = zeros(client, "f32[3]"), *data = NULL;
  const tenon_data *argument = x, *wrong = more, *none = NULL;
  tenon_client_destroy(client);
  int64_t time = -1;
  tenon_execute_options options = {sizeof options, NULL, 0, &time, NULL};
  for (int run = 0; run < 3; ++run) {
    tenon_literal *literal = NULL;
    CHECK_OK(tenon_executable_execute_and_transfer(executable, &argument, 1, &options, &literal));
    CHECK(((const float *)tenon_literal_data(literal))[7] == 1);
    tenon_literal_destroy(literal);
  }
  CHECK(time >= 0);
  CHECK_OK(tenon_executable_execute(executable, &argument, 1, NULL, &data));
  CHECK(tenon_shape_rank(tenon_data_shape(data)) == 2);
  tenon_data_destroy(data);
  data = NULL;
  CHECK_ERROR(tenon_executable_execute(executable, &wrong, 1, NULL, &data), TENON_INVALID_ARGUMENT,
              "sum: argument 0 (x) must be f32[4,2], and is f32[3]");
  CHECK_ERROR(tenon_executable_execute(executable, &argument, 0, NULL, &data), TENON_INVALID_ARGUMENT, "0 arguments");
  CHECK_ERROR(tenon_executable_execute(executable, &none, 1, NULL, &data), TENON_INVALID_ARGUMENT,
              "argument 0 is null");
  options.result_shape = tenon_data_shape(x);
  CHECK_ERROR(tenon_executable_execute(executable, &argument, 1, &options, &data), TENON_INVALID_ARGUMENT,
              "compiled to return f32[4,2]{1,0}, and not f32[4,2]{0,1}");
  options.struct_size = 0;
  CHECK_ERROR(tenon_executable_execute(executable, &argument, 1, &options, &data), TENON_INVALID_ARGUMENT,
              "struct_size");
  CHECK_ERROR(tenon_executable_execute(NULL, &argument, 1, NULL, &data), TENON_INVALID_ARGUMENT, "executable is NULL");
  CHECK(!data);
  tenon_data_destroy(x);
  tenon_data_destroy(more);
  tenon_executable_destroy(executable);
  tenon_executable_destroy(NULL);
}

TEST(Executable, SaysWhatItNeeds) {
  tenon_client *client = NULL;
  CHECK_OK(tenon_client_create_local("cpu", &client));
  tenon_executable *executable = compile(client, NULL);
  tenon_analysis *analysis = NULL;
  CHECK_OK(tenon_executable_analyze(executable, &analysis));
  tenon_executable_destroy(executable);
  tenon_analysis_figures figures;
  memset(&figures, 0, sizeof figures);
  CHECK_ERROR(tenon_analysis_get_figures(analysis, &figures), TENON_INVALID_ARGUMENT, "struct_size is not set");
  figures.struct_size = sizeof figures;
  CHECK_OK(tenon_analysis_get_figures(analysis, &figures));
  CHECK(figures.argument_bytes == 32 && figures.result_bytes == 32 && figures.code_bytes > 0);
  CHECK(figures.arena_bytes == 0 && figures.peak_bytes == 0 && figures.flops > 0 && figures.transcendentals == 8);
  CHECK(figures.kernels == 1 && figures.buffers == 2);
  tenon_kernel_info kernel;
  kernel.struct_size = sizeof kernel;
  CHECK_OK(tenon_analysis_get_kernel(analysis, 0, &kernel));
  CHECK(strstr(kernel.ops, "add") && kernel.calls == 1 && kernel.flops > 0);
  CHECK_TEXT(kernel.kind, "loop");
  CHECK_ERROR(tenon_analysis_get_kernel(analysis, 1, &kernel), TENON_OUT_OF_RANGE, "1 kernels");
  tenon_buffer_info buffer;
  buffer.struct_size = sizeof buffer;
  for (size_t i = 0; i < figures.buffers; ++i) {
    CHECK_OK(tenon_analysis_get_buffer(analysis, i, &buffer));
    CHECK(buffer.size == 32 && buffer.index == 0 && buffer.offset == -1 && buffer.first_step == 0);
    CHECK_TEXT(buffer.name, buffer.kind == TENON_BUFFER_ARGUMENT ? "argument 0 (x)" : "result 0");
  }
  CHECK_ERROR(tenon_analysis_get_buffer(analysis, 2, &buffer), TENON_OUT_OF_RANGE, "no number 2");
  tenon_analysis_destroy(analysis);
  tenon_analysis_destroy(NULL);
  tenon_client_destroy(client);
}

TEST(Profile, SaysWhatKernelsTake) {
  tenon_client *client = NULL;
  CHECK_OK(tenon_client_create_local("cpu", &client));
  tenon_executable *executable = compile(client, NULL);
  tenon_data *x = zeros(client, "f32[4,2]"), *data = NULL;
  const tenon_data *argument = x;
  tenon_profiler *profiler = NULL, *second = NULL;
  tenon_profile *profile = NULL;
  CHECK_OK(tenon_profiler_start(&profiler));
  CHECK_ERROR(tenon_profiler_start(&second), TENON_FAILED_PRECONDITION, "another profiler");
  for (int run = 0; run < 3; ++run) {
    CHECK_OK(tenon_executable_execute(executable, &argument, 1, NULL, &data));
    tenon_data_destroy(data);
  }
  CHECK_OK(tenon_profiler_stop(profiler, &profile));
  tenon_profiler_destroy(profiler);
  tenon_profiler_destroy(NULL);
  tenon_profile_figures figures;
  memset(&figures, 0, sizeof figures);
  CHECK_ERROR(tenon_profile_get_figures(profile, &figures), TENON_INVALID_ARGUMENT, "struct_size is not set");
  figures.struct_size = sizeof figures;
  CHECK_OK(tenon_profile_get_figures(profile, &figures));
  CHECK(figures.runs == 3 && figures.kernels == 1 && figures.threads >= 1 && figures.dropped_events == 0);
  CHECK(figures.run_ns > 0 && figures.between_ns >= 0 && figures.between_ns <= figures.run_ns);
  tenon_kernel_profile kernel;
  kernel.struct_size = sizeof kernel;
  CHECK_OK(tenon_profile_get_kernel(profile, 0, &kernel));
  CHECK_TEXT(kernel.kind, "loop");
  CHECK_TEXT(kernel.arithmetic, "f32");
  CHECK(strstr(kernel.ops, "add") && kernel.calls == 3 && kernel.flops == 8 && kernel.transcendentals == 8);
  CHECK(kernel.bytes_accessed == 64 && kernel.limit_ns > 0 && kernel.is_bound_by_memory);
  CHECK(kernel.total_ns >= 3 * kernel.shortest_ns && kernel.busy_ns == kernel.total_ns && kernel.threads == 1);
  CHECK_ERROR(tenon_profile_get_kernel(profile, 1, &kernel), TENON_OUT_OF_RANGE, "1 kernels");
  static const char *const parts[] = {"3 runs", "\"runs\": 3", "</html>", "traceEvents"};
  for (int format = TENON_PROFILE_TEXT; format <= TENON_PROFILE_TRACE; ++format) {
    char *text = NULL;
    CHECK_OK(tenon_profile_to_text(profile, (tenon_profile_format)format, &text));
    CHECK(strstr(text, parts[format]));
    tenon_free(text);
  }
  char *text = NULL;
  CHECK_ERROR(tenon_profile_to_text(profile, (tenon_profile_format)9, &text), TENON_INVALID_ARGUMENT, "no form 9");
  CHECK(!text);
  tenon_profile_destroy(profile);
  tenon_profile_destroy(NULL);
  tenon_data_destroy(x);
  tenon_executable_destroy(executable);
  tenon_client_destroy(client);
}
