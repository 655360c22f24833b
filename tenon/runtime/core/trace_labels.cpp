#include "tenon/runtime/core/trace_labels.h"

#include <string_view>

namespace tenon::runtime {
namespace {

// "dot_general" of "jit(step)/layer1/dot_general".
std::string_view lastPart(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// "train.py:41" of "/home/me/train.py:41:10": locations end with line and column.
std::string_view shortLocation(std::string_view location) {
  location = location.substr(location.rfind('/') + 1);
  return location.substr(0, location.rfind(':'));
}

std::string display(std::string_view name, std::string_view location) {
  std::string text(name);
  if (!location.empty())
    text.append(" (").append(shortLocation(location)).append(")");
  return text;
}

// The names of the details are those that XProf knows.
trace::Label callLabel(const program::Program &program, const program::KernelCall &call) {
  const program::ReportEntry &kernel = program.report.kernels[size_t(call.kernel)];
  std::string_view location = call.locations.empty() ? std::string_view() : call.locations.front();
  trace::Label label;
  label.name = display(call.name.empty() ? std::string_view(kernel.kernel) : lastPart(call.name), location);
  label.details = {{"hlo_module", program.name},
                   {"hlo_op", kernel.kernel},
                   {"kind", kernel.kind},
                   {"ops", kernel.ops},
                   {"tf_op", call.name},
                   {"source", std::string(location.substr(0, location.rfind(':')))},
                   {"flops", kernel.flops},
                   {"bytes_accessed", kernel.bytes},
                   {"transcendentals", kernel.transcendentals}};
  // What rates and limits are made of (profile/profile.h).
  label.details.emplace_back("arithmetic", program::elementTypeName(kernel.arithmetic));
  label.details.emplace_back("phases", int64_t{kernel.phases});
  label.kind = trace::Label::Kind::kKernel;
  std::string others;
  for (size_t i = 1; i < call.locations.size(); ++i)
    others += (others.empty() ? "" : " ") + call.locations[i].substr(0, call.locations[i].rfind(':'));
  if (!others.empty())
    label.details.emplace_back("other_sources", others);
  return label;
}

} // namespace

TraceLabels::TraceLabels(const program::Program &program) {
  run_ = {"run " + program.name,
          {{"hlo_module", program.name}, {"flops", program.report.flops}, {"bytes_accessed", program.report.bytes}},
          trace::Label::Kind::kRun};
  for (const program::KernelCall &call : program.kernelCalls)
    calls_.push_back(callLabel(program, call));
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
    runtimeCalls_.push_back(
        {display(runtimeCall.target, runtimeCall.location),
         {{"hlo_module", program.name},
          {"hlo_op", runtimeCall.target},
          {"kind", runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall ? "custom_call" : "library"},
          {"source", runtimeCall.location.substr(0, runtimeCall.location.rfind(':'))}},
         trace::Label::Kind::kRuntimeCall});
}

const trace::Label &TraceLabels::copy() {
  static const trace::Label label = {"copy", {{"hlo_op", "copy"}, {"kind", "copy"}}, trace::Label::Kind::kRuntimeCall};
  return label;
}

} // namespace tenon::runtime
