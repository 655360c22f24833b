#include "tenon/api/analysis.h"

#include "tenon/program/memory.h"

#include <algorithm>

namespace tenon::api {

using xla::ExecutableAnalysis;

namespace {

void addKernels(const program::Report &report, ExecutableAnalysis &analysis) {
  for (const program::ReportEntry &entry : report.kernels) {
    ExecutableAnalysis::Kernel &kernel = *analysis.add_kernels();
    kernel.set_name(entry.kernel);
    kernel.set_kind(entry.kind);
    kernel.set_ops(entry.ops);
    kernel.set_location(entry.location);
    kernel.set_calls(entry.calls);
    kernel.set_flops(entry.flops);
    kernel.set_bytes_accessed(entry.bytes);
  }
}

void addSteps(const program::Program &program, const program::MemorySummary &summary, ExecutableAnalysis &analysis) {
  for (size_t i = 0; i < program.report.steps.size(); ++i) {
    const program::StepEntry &entry = program.report.steps[i];
    ExecutableAnalysis::Step &step = *analysis.add_steps();
    step.set_name(program::describeStep(program, i));
    step.set_op(entry.op);
    step.set_location(entry.location);
    step.set_depth(entry.depth);
    step.set_live_bytes(std::max(summary.liveBytes[2 * i], summary.liveBytes[2 * i + 1]));
  }
}

ExecutableAnalysis::Buffer::Kind kindOf(program::BufferEntry::Kind kind) {
  using From = program::BufferEntry::Kind;
  using To = ExecutableAnalysis::Buffer;
  switch (kind) {
  case From::kTemporary:
    return To::TEMPORARY;
  case From::kWorkspace:
    return To::WORKSPACE;
  case From::kArgument:
    return To::ARGUMENT;
  case From::kResult:
    return To::RESULT;
  case From::kConstant:
    return To::CONSTANT;
  }
  return To::TEMPORARY;
}

void addBuffers(const program::Program &program, const program::MemorySummary &summary, ExecutableAnalysis &analysis) {
  for (const program::BufferEntry &entry : program.report.buffers) {
    ExecutableAnalysis::Buffer &buffer = *analysis.add_buffers();
    buffer.set_kind(kindOf(entry.kind));
    buffer.set_name(program::describeBuffer(program, entry));
    buffer.set_index(entry.index);
    buffer.set_size(entry.size);
    if (entry.offset >= 0)
      buffer.set_offset(entry.offset);
    for (auto [first, last] : entry.live) {
      ExecutableAnalysis::Lifetime &lifetime = *buffer.add_lifetimes();
      lifetime.set_first_step(first / 2);
      lifetime.set_last_step(last / 2);
    }
    for (const program::ValueEntry &from : entry.values) {
      ExecutableAnalysis::Value &value = *buffer.add_values();
      value.set_op(from.op);
      value.set_type(from.shape.toString());
      value.set_location(from.location);
      value.set_note(from.note);
    }
  }
  for (int32_t index : summary.aliveAtPeak)
    analysis.mutable_buffers(index)->set_alive_at_peak(true);
}

} // namespace

ExecutableAnalysis analysisOf(const program::Program &program) {
  program::MemorySummary summary = program::summarizeMemory(program);
  ExecutableAnalysis analysis;
  analysis.set_argument_bytes(summary.argumentBytes);
  analysis.set_result_bytes(summary.resultBytes);
  analysis.set_constant_bytes(summary.constantBytes);
  analysis.set_code_bytes(program::contentBytes(program) - summary.constantBytes);
  analysis.set_arena_bytes(program.arenaBytes);
  analysis.set_peak_bytes(summary.peakBytes);
  analysis.set_scratch_bytes(cpuCode(program).scratchBytes);
  analysis.set_flops(program.report.flops);
  analysis.set_bytes_accessed(program.report.bytes);
  analysis.set_transcendentals(program.report.transcendentals);
  addKernels(program.report, analysis);
  addSteps(program, summary, analysis);
  addBuffers(program, summary, analysis);
  return analysis;
}

} // namespace tenon::api
