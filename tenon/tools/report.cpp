#include "tenon/tools/report.h"

#include "tenon/tools/memory_report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tenon::tools {

using nlohmann::ordered_json;

std::string humanBytes(double bytes) {
  static const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit)
    bytes /= 1024;
  return unit ? llvm::formatv("{0:f1} {1}", bytes, units[unit]).str() : llvm::formatv("{0:f0} B", bytes).str();
}

std::string humanCount(double count) {
  static const char *units[] = {"", " k", " M", " G", " T", " P"};
  int unit = 0;
  for (; count >= 1000 && unit < 5; ++unit)
    count /= 1000;
  return unit ? llvm::formatv("{0:f1}{1}", count, units[unit]).str() : llvm::formatv("{0:f0}", count).str();
}

namespace {

void printSignature(llvm::raw_ostream &out, const program::Program &program) {
  out << "program " << (program.name.empty() ? "(unnamed)" : program.name);
  if (const program::CpuCode &code = cpuCode(program); !code.triple.empty())
    out << " for " << code.cpu << " (" << code.triple << ")";
  out << "\n";
  for (const program::Argument &argument : program.arguments) {
    out << "  argument " << argument.shape.toString() << " " << argument.name;
    if (!argument.declaredType.empty())
      out << " (refined from " << argument.declaredType << ")";
    if (!argument.value.empty())
      out << " (must be " << program::describeValue(argument) << ")";
    if (argument.aliasedResult >= 0)
      out << " (reused by result " << argument.aliasedResult << ")";
    out << "\n";
  }
  for (const program::Result &result : program.results)
    out << "  result   " << result.shape.toString() << " " << result.name
        << (result.sizeResults.empty() ? "" : " (at most; the sizes are results too)") << "\n";
}

void printKernels(llvm::raw_ostream &out, const program::Report &report) {
  out << "\nkernels: " << report.kernels.size() << ", " << humanCount(report.flops) << " flops, "
      << humanBytes(report.bytes) << " moved\n";
  for (const program::ReportEntry &kernel : report.kernels) {
    out << llvm::formatv("  {0,-28} {1,-12} calls {2,-4} {3,10} flops {4,12}  {5}", kernel.kernel, kernel.kind,
                         kernel.calls, humanCount(kernel.flops), humanBytes(kernel.bytes), kernel.ops);
    if (!kernel.location.empty())
      out << "  " << kernel.location;
    out << "\n";
  }
}

void printRuntimeCalls(llvm::raw_ostream &out, const program::Program &program) {
  if (program.runtimeCalls.empty())
    return;
  static const char *kinds[] = {"custom call", "library"};
  out << "\nruntime calls:\n";
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
    out << "  " << kinds[static_cast<int>(runtimeCall.kind)] << " " << runtimeCall.target << " " << runtimeCall.location
        << "\n";
}

ordered_json toJson(const program::Shape &shape) {
  return {{"type", program::elementTypeName(shape.type)}, {"dimensions", shape.dims}};
}

} // namespace

std::string formatReport(const program::Program &program, const aot::PackageSizes *sizes) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printSignature(out, program);
  printKernels(out, program.report);
  printRuntimeCalls(out, program);
  printMemory(out, program);
  size_t code = 0;
  for (const program::ObjectCode &object : cpuCode(program).objects)
    code += object.bytes.size();
  out << "\nstages:\n";
  for (auto &[stage, seconds] : program.report.stageSeconds)
    out << llvm::formatv("  {0,-28} {1,10:f3} ms\n", stage, seconds * 1e3);
  if (!sizes)
    out << "objects: " << cpuCode(program).objects.size() << ", " << humanBytes(code) << "\n";
  else
    out << "ahead of time: code " << humanBytes(double(sizes->code)) << ", tables "
        << humanBytes(double(sizes->readOnly + sizes->writable)) << ", weights " << humanBytes(double(sizes->weights))
        << "; arena " << humanBytes(double(sizes->arena)) << ", and " << humanBytes(double(sizes->scratch))
        << " for each further thread; stack " << humanBytes(double(sizes->stack)) << "\n";
  return text;
}

std::string formatReportJson(const program::Program &program, const aot::PackageSizes *sizes) {
  ordered_json json;
  json["program"] = program.name;
  json["triple"] = cpuCode(program).triple;
  json["cpu"] = cpuCode(program).cpu;
  for (auto *key : {"arguments", "results", "kernels", "runtime_calls", "stages"})
    json[key] = ordered_json::array();
  for (const program::Argument &argument : program.arguments) {
    ordered_json entry = toJson(argument.shape);
    entry["name"] = argument.name;
    if (!argument.declaredType.empty())
      entry["declared_type"] = argument.declaredType;
    if (!argument.value.empty())
      entry["value"] = argument.value;
    if (argument.aliasedResult >= 0)
      entry["aliased_result"] = argument.aliasedResult;
    json["arguments"].push_back(entry);
  }
  for (const program::Result &result : program.results) {
    ordered_json entry = toJson(result.shape);
    entry["name"] = result.name;
    if (!result.sizeResults.empty())
      entry["size_results"] = result.sizeResults;
    json["results"].push_back(entry);
  }
  for (const program::ReportEntry &kernel : program.report.kernels)
    json["kernels"].push_back({{"name", kernel.kernel},
                               {"kind", kernel.kind},
                               {"ops", kernel.ops},
                               {"location", kernel.location},
                               {"calls", kernel.calls},
                               {"flops", kernel.flops},
                               {"bytes", kernel.bytes},
                               {"transcendentals", kernel.transcendentals},
                               {"arithmetic", program::elementTypeName(kernel.arithmetic)}});
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
    json["runtime_calls"].push_back({{"target", runtimeCall.target}, {"location", runtimeCall.location}});
  for (auto &[stage, seconds] : program.report.stageSeconds)
    json["stages"].push_back({{"stage", stage}, {"seconds", seconds}});
  json["flops"] = program.report.flops;
  json["bytes"] = program.report.bytes;
  json["transcendentals"] = program.report.transcendentals;
  json["arena_bytes"] = program.arenaBytes;
  json["scratch_bytes"] = cpuCode(program).scratchBytes;
  json["memory"] = memoryJson(program);
  if (sizes)
    json["ahead_of_time"] = {{"code", sizes->code},       {"read_only", sizes->readOnly}, {"writable", sizes->writable},
                             {"weights", sizes->weights}, {"arena", sizes->arena},        {"scratch", sizes->scratch},
                             {"stack", sizes->stack}};
  return json.dump(2, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace tenon::tools
