#include "tenon/c/aot.h"
#include "tenon/aot.h"
#include "tenon/capi/execution.h"
#include "tenon/capi/handles.h"

using namespace tenon::capi;
using tenon::Status;

struct tenon_aot_result {
  xla::AotCompilationResult value;
};

namespace {

const char *bytesOf(const tenon_aot_result *result, std::string xla::AotCompilationResult::*part, size_t *size) {
  if (size)
    *size = result ? (result->value.*part).size() : 0;
  return result ? (result->value.*part).c_str() : "";
}

const char *nth(const tenon_aot_result *result, std::vector<std::string> xla::AotCompilationResult::*names,
                size_t index) {
  return result && index < (result->value.*names).size() ? (result->value.*names)[index].c_str() : nullptr;
}

} // namespace

tenon_status *tenon_compile_ahead_of_time(const tenon_computation *computation, const tenon_aot_options *options,
                                          tenon_aot_result **result) {
  return guard({{computation, "computation"}, {result, "result"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto given, structOf(options, "options"));
    auto text = [](const char *value) { return std::string(value ? value : ""); };
    xla::AotCompilationOptions chosen;
    chosen.name = text(given.name);
    chosen.triple = text(given.triple);
    chosen.cpu = text(given.cpu);
    if (given.external_weights)
      chosen.weights = xla::AotCompilationOptions::Weights::kExternal;
    chosen.compile_threads = given.compile_threads;
    TENON_ASSIGN_OR_RETURN(chosen.argument_shapes, shapesOf(given.argument_shapes, given.argument_shape_count));
    if (given.result_shape)
      chosen.result_shape = shapeOf(given.result_shape);
    TENON_ASSIGN_OR_RETURN(auto compiled, xla::CompileAheadOfTime(computation->value, chosen));
    *result = new tenon_aot_result{std::move(compiled)};
    return {};
  });
}

void tenon_aot_result_destroy(tenon_aot_result *result) { delete result; }

const char *tenon_aot_result_name(const tenon_aot_result *result) {
  return bytesOf(result, &xla::AotCompilationResult::name, nullptr);
}

const char *tenon_aot_result_header(const tenon_aot_result *result) {
  return bytesOf(result, &xla::AotCompilationResult::header, nullptr);
}

const char *tenon_aot_result_object(const tenon_aot_result *result, size_t *size) {
  return bytesOf(result, &xla::AotCompilationResult::object, size);
}

const char *tenon_aot_result_weights(const tenon_aot_result *result, size_t *size) {
  return bytesOf(result, &xla::AotCompilationResult::weights, size);
}

const char *tenon_aot_result_undefined_symbol(const tenon_aot_result *result, size_t index) {
  return nth(result, &xla::AotCompilationResult::undefined_symbols, index);
}

const char *tenon_aot_result_lapack_routine(const tenon_aot_result *result, size_t index) {
  return nth(result, &xla::AotCompilationResult::lapack_routines, index);
}

tenon_status *tenon_aot_result_write_to(const tenon_aot_result *result, const char *folder) {
  return guard({{result, "result"}, {folder, "folder"}}, [&] { return result->value.WriteTo(folder); });
}
