#include "tenon/tools/memory_report.h"

#include "tenon/program/memory.h"
#include "tenon/tools/report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tenon::tools {

using nlohmann::ordered_json;
using program::BufferEntry;
using program::StepEntry;

namespace {

int32_t firstStep(const BufferEntry &buffer) { return buffer.live.empty() ? -1 : buffer.live.front().first / 2; }
int32_t lastStep(const BufferEntry &buffer) { return buffer.live.empty() ? -1 : buffer.live.back().second / 2; }

std::string valueText(const program::ValueEntry &value) {
  return value.shape.toString() + " " + value.op + (value.location.empty() ? "" : " " + value.location) +
         (value.note.empty() ? "" : " (" + value.note + ")");
}

const char *kindName(StepEntry::Kind kind) {
  static const char *names[] = {"kernel", "runtime_call", "loop", "branch", "end", "return"};
  return names[int(kind)];
}

const char *kindName(BufferEntry::Kind kind) {
  static const char *names[] = {"temporary", "workspace", "argument", "result", "constant"};
  return names[int(kind)];
}

} // namespace

void printMemory(llvm::raw_ostream &out, const program::Program &program) {
  program::MemorySummary summary = program::summarizeMemory(program);
  out << "\nmemory: arena " << humanBytes(double(program.arenaBytes)) << ", scratch of a worker "
      << humanBytes(double(cpuCode(program).scratchBytes)) << ", constants "
      << humanBytes(double(summary.constantBytes)) << ", arguments " << humanBytes(double(summary.argumentBytes))
      << ", results " << humanBytes(double(summary.resultBytes)) << "\n";
  if (summary.peakStep >= 0)
    out << "peak: " << humanBytes(double(summary.peakBytes)) << " of the arena in use at step " << summary.peakStep
        << ", " << program::describeStep(program, size_t(summary.peakStep)) << " (the buffers with *), "
        << llvm::formatv("{0:f1}", 100 * summary.fragmentation) << " % of the arena is fragmentation\n";
  for (auto [index, buffer] : llvm::enumerate(program.report.buffers)) {
    bool isAtPeak = llvm::is_contained(summary.aliveAtPeak, int32_t(index));
    std::string place = "outside";
    if (buffer.offset >= 0)
      place = llvm::formatv("[{0}, {1})", buffer.offset, buffer.offset + buffer.size);
    std::string when = "unused";
    if (!buffer.live.empty())
      when = llvm::formatv("steps {0} to {1}, {2} to {3}", firstStep(buffer), lastStep(buffer),
                           program::describeStep(program, size_t(firstStep(buffer))),
                           program::describeStep(program, size_t(lastStep(buffer))));
    out << llvm::formatv("{0} {1,-22} {2,10}  {3,-48}  {4}\n", isAtPeak ? "*" : " ", place,
                         humanBytes(double(buffer.size)), when, program::describeBuffer(program, buffer));
    for (const program::ValueEntry &value : buffer.values)
      out << "      " << valueText(value) << "\n";
  }
}

ordered_json memoryJson(const program::Program &program) {
  program::MemorySummary summary = program::summarizeMemory(program);
  ordered_json json = {{"arena_bytes", program.arenaBytes},       {"peak_bytes", summary.peakBytes},
                       {"peak_step", summary.peakStep},           {"fragmentation", summary.fragmentation},
                       {"argument_bytes", summary.argumentBytes}, {"result_bytes", summary.resultBytes},
                       {"constant_bytes", summary.constantBytes}, {"scratch_bytes", cpuCode(program).scratchBytes},
                       {"steps", ordered_json::array()},          {"buffers", ordered_json::array()}};
  for (auto [index, step] : llvm::enumerate(program.report.steps))
    json["steps"].push_back({{"name", program::describeStep(program, index)},
                             {"kind", kindName(step.kind)},
                             {"op", step.op},
                             {"location", step.location},
                             {"depth", step.depth},
                             {"live_bytes", std::max(summary.liveBytes[2 * index], summary.liveBytes[2 * index + 1])}});
  for (auto [index, buffer] : llvm::enumerate(program.report.buffers)) {
    ordered_json entry = {{"kind", kindName(buffer.kind)},
                          {"name", program::describeBuffer(program, buffer)},
                          {"index", buffer.index},
                          {"size", buffer.size},
                          {"first_step", firstStep(buffer)},
                          {"last_step", lastStep(buffer)},
                          {"live", buffer.live},
                          {"alive_at_peak", llvm::is_contained(summary.aliveAtPeak, int32_t(index))},
                          {"values", ordered_json::array()}};
    entry["offset"] = buffer.offset >= 0 ? ordered_json(buffer.offset) : ordered_json();
    for (const program::ValueEntry &value : buffer.values)
      entry["values"].push_back(
          {{"op", value.op}, {"type", value.shape.toString()}, {"location", value.location}, {"note", value.note}});
    json["buffers"].push_back(std::move(entry));
  }
  return json;
}

} // namespace tenon::tools
