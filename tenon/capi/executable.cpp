#include "tenon/capi/execution.h"

using namespace tenon::capi;
using tenon::Status;
using xla::ExecutableAnalysis;

struct tenon_executable {
  std::unique_ptr<xla::Executable> value;
};

struct tenon_analysis {
  ExecutableAnalysis value;
};

tenon_status *tenon_executable_create(tenon_client *client, const tenon_computation *computation,
                                      const tenon_shape *const *argument_shapes, size_t count,
                                      const tenon_execute_options *options, tenon_executable **executable) {
  return guard({{client, "client"}, {computation, "computation"}, {executable, "executable"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto compiled, compile(*client->value, computation->value, argument_shapes, count, options));
    *executable = new tenon_executable{std::move(compiled)};
    return {};
  });
}

void tenon_executable_destroy(tenon_executable *executable) { delete executable; }

tenon_status *tenon_executable_execute(const tenon_executable *executable, const tenon_data *const *arguments,
                                       size_t count, const tenon_execute_options *options, tenon_data **result) {
  return guard({{executable, "executable"}, array(arguments, count, "arguments"), {result, "result"}}, [&] {
    return runAndGive(options, result, [&](auto *execution, auto *profile) {
      return executable->value->Execute(dataOf(arguments, count), execution, profile);
    });
  });
}

tenon_status *tenon_executable_execute_and_transfer(const tenon_executable *executable,
                                                    const tenon_data *const *arguments, size_t count,
                                                    const tenon_execute_options *options, tenon_literal **result) {
  return guard({{executable, "executable"}, array(arguments, count, "arguments"), {result, "result"}}, [&] {
    return runAndGive(options, result, [&](auto *execution, auto *profile) {
      return executable->value->ExecuteAndTransfer(dataOf(arguments, count), execution, profile);
    });
  });
}

tenon_status *tenon_executable_analyze(const tenon_executable *executable, tenon_analysis **analysis) {
  return guard({{executable, "executable"}, {analysis, "analysis"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto known, executable->value->Analyze());
    *analysis = new tenon_analysis{std::move(known)};
    return {};
  });
}

void tenon_analysis_destroy(tenon_analysis *analysis) { delete analysis; }

tenon_status *tenon_analysis_get_figures(const tenon_analysis *analysis, tenon_analysis_figures *figures) {
  return guard({{analysis, "analysis"}, {figures, "figures"}}, [&] {
    const ExecutableAnalysis &known = analysis->value;
    tenon_analysis_figures filled{};
    filled.argument_bytes = known.argument_bytes();
    filled.result_bytes = known.result_bytes();
    filled.constant_bytes = known.constant_bytes();
    filled.code_bytes = known.code_bytes();
    filled.arena_bytes = known.arena_bytes();
    filled.peak_bytes = known.peak_bytes();
    filled.scratch_bytes = known.scratch_bytes();
    filled.flops = known.flops();
    filled.bytes_accessed = known.bytes_accessed();
    filled.transcendentals = known.transcendentals();
    filled.kernels = static_cast<size_t>(known.kernels_size());
    filled.buffers = static_cast<size_t>(known.buffers_size());
    return fill(filled, figures, "figures");
  });
}

tenon_status *tenon_analysis_get_buffer(const tenon_analysis *analysis, size_t buffer, tenon_buffer_info *info) {
  return guard({{analysis, "analysis"}, {info, "info"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkIndex(buffer, static_cast<size_t>(analysis->value.buffers_size()), "buffers"));
    const ExecutableAnalysis::Buffer &known = analysis->value.buffers(static_cast<int>(buffer));
    tenon_buffer_info filled{};
    filled.kind = static_cast<tenon_buffer_kind>(known.kind());
    filled.name = known.name().c_str();
    filled.index = known.index();
    filled.size = known.size();
    filled.offset = known.has_offset() ? known.offset() : -1;
    filled.first_step = known.lifetimes().empty() ? -1 : known.lifetimes().begin()->first_step();
    filled.last_step = known.lifetimes().empty() ? -1 : known.lifetimes().rbegin()->last_step();
    filled.alive_at_peak = known.alive_at_peak();
    return fill(filled, info, "info");
  });
}

tenon_status *tenon_analysis_get_kernel(const tenon_analysis *analysis, size_t kernel, tenon_kernel_info *info) {
  return guard({{analysis, "analysis"}, {info, "info"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkIndex(kernel, static_cast<size_t>(analysis->value.kernels_size()), "kernels"));
    const ExecutableAnalysis::Kernel &known = analysis->value.kernels(static_cast<int>(kernel));
    tenon_kernel_info filled{};
    filled.name = known.name().c_str();
    filled.kind = known.kind().c_str();
    filled.ops = known.ops().c_str();
    filled.location = known.location().c_str();
    filled.calls = known.calls();
    filled.flops = known.flops();
    filled.bytes_accessed = known.bytes_accessed();
    return fill(filled, info, "info");
  });
}
