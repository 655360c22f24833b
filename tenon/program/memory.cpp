#include "tenon/program/memory.h"

#include <algorithm>
#include <numeric>

namespace tenon::program {

namespace {

int64_t bytesOf(const std::string &text) { return int64_t(sizeof(std::string) + text.size()); }
int64_t bytesOf(const Shape &shape) { return int64_t(sizeof shape + shape.dims.size() * sizeof(int64_t)); }
template <typename T> int64_t bytesOf(const std::vector<T> &items);

// The bytes of an object and of the strings that it owns.
template <typename T, typename... Text> int64_t with(const T &object, const Text &...text) {
  return int64_t(sizeof object) + (int64_t(text.size()) + ... + 0);
}

int64_t bytesOf(int64_t number) { return sizeof number; }
int64_t bytesOf(const Lifetime &lifetime) { return sizeof lifetime; }
int64_t bytesOf(const ReportEntry &e) { return with(e, e.kernel, e.kind, e.ops, e.location); }
int64_t bytesOf(const StepEntry &e) { return with(e, e.op, e.location); }
int64_t bytesOf(const ValueEntry &e) { return with(e, e.op, e.location, e.note) + bytesOf(e.shape); }
int64_t bytesOf(const BufferEntry &e) { return with(e, e.purpose) + bytesOf(e.live) + bytesOf(e.values); }
int64_t bytesOf(const KernelCall &call) { return with(call, call.name) + bytesOf(call.locations); }

// The bytes that an attribute owns beside the object itself.
struct AttributeContents {
  int64_t operator()(const std::string &text) const { return int64_t(text.size()); }
  int64_t operator()(const OpaqueAttribute &opaque) const { return int64_t(opaque.text.size()); }
  int64_t operator()(const IntegerArrayAttribute &array) const { return int64_t(array.values.size() * 8); }
  int64_t operator()(const FloatArrayAttribute &array) const { return int64_t(array.values.size() * 8); }
  int64_t operator()(const std::vector<Attribute> &elements) const;
  int64_t operator()(const AttributeDict &dict) const;
  template <typename Scalar> int64_t operator()(const Scalar &) const { return 0; }
};
int64_t bytesOf(const Attribute &attribute) {
  return int64_t(sizeof attribute) + std::visit(AttributeContents(), attribute.value);
}
int64_t bytesOf(const NamedAttribute &attribute) {
  return with(attribute.name, attribute.name) + bytesOf(attribute.value);
}
int64_t AttributeContents::operator()(const std::vector<Attribute> &elements) const { return bytesOf(elements); }
int64_t AttributeContents::operator()(const AttributeDict &dict) const { return bytesOf(dict); }

int64_t bytesOf(const RuntimeCall &runtimeCall) {
  return with(runtimeCall, runtimeCall.target, runtimeCall.opaque, runtimeCall.location) +
         bytesOf(runtimeCall.attributes) + bytesOf(runtimeCall.operands) + bytesOf(runtimeCall.results) +
         bytesOf(runtimeCall.operandLayouts) + bytesOf(runtimeCall.resultLayouts);
}

template <typename T> int64_t bytesOf(const std::vector<T> &items) {
  return std::accumulate(items.begin(), items.end(), int64_t(0),
                         [](int64_t bytes, const T &item) { return bytes + bytesOf(item); });
}

} // namespace

int64_t descriptionBytes(const Program &program) {
  const Report &report = program.report;
  return bytesOf(report.kernels) + bytesOf(report.steps) + bytesOf(report.buffers) + bytesOf(program.kernelCalls) +
         bytesOf(program.runtimeCalls);
}

MemorySummary summarizeMemory(const Program &program) {
  MemorySummary summary;
  for (const Argument &argument : program.arguments)
    summary.argumentBytes += argument.shape.byteSize();
  for (const Result &result : program.results)
    summary.resultBytes += result.shape.byteSize();
  for (const Constant &constant : program.constants)
    summary.constantBytes += int64_t(constant.bytes.size());

  const std::vector<BufferEntry> &buffers = program.report.buffers;
  std::vector<int64_t> change(2 * program.report.steps.size() + 1);
  for (const BufferEntry &buffer : buffers)
    if (buffer.offset >= 0)
      for (auto [begin, end] : buffer.live) {
        change[size_t(begin)] += buffer.size;
        change[size_t(end) + 1] -= buffer.size;
      }
  change.pop_back();
  int64_t live = 0;
  for (int64_t bytes : change)
    summary.liveBytes.push_back(live += bytes);

  auto peak = std::max_element(summary.liveBytes.begin(), summary.liveBytes.end());
  if (peak == summary.liveBytes.end() || *peak == 0)
    return summary;
  auto half = int32_t(peak - summary.liveBytes.begin());
  summary.peakBytes = *peak;
  summary.peakStep = half / 2;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].offset >= 0 && std::any_of(buffers[i].live.begin(), buffers[i].live.end(), [&](Lifetime lifetime) {
          return lifetime.first <= half && half <= lifetime.second;
        }))
      summary.aliveAtPeak.push_back(int32_t(i));
  if (program.arenaBytes > 0)
    summary.fragmentation = 1 - double(summary.peakBytes) / double(program.arenaBytes);
  return summary;
}

std::string describeBuffer(const Program &program, const BufferEntry &buffer) {
  auto named = [&](const char *kind, const std::string &name) {
    return kind + std::to_string(buffer.index) + (name.empty() ? "" : " (" + name + ")");
  };
  switch (buffer.kind) {
  case BufferEntry::Kind::kTemporary:
    return "temporary";
  case BufferEntry::Kind::kWorkspace:
    return "workspace: " + buffer.purpose;
  case BufferEntry::Kind::kArgument:
    return named("argument ", program.arguments[size_t(buffer.index)].name);
  case BufferEntry::Kind::kResult:
    return named("result ", program.results[size_t(buffer.index)].name);
  case BufferEntry::Kind::kConstant:
    return named("constant ", "");
  }
  return "";
}

std::string describeStep(const Program &program, size_t index) {
  const StepEntry &step = program.report.steps[index];
  switch (step.kind) {
  case StepEntry::Kind::kKernel:
    return program.report.kernels[size_t(program.kernelCalls[size_t(step.index)].kernel)].kernel;
  case StepEntry::Kind::kRuntimeCall:
    return program.runtimeCalls[size_t(step.index)].target;
  case StepEntry::Kind::kEnd:
    return "end of " + step.op;
  case StepEntry::Kind::kLoop:
  case StepEntry::Kind::kBranch:
  case StepEntry::Kind::kReturn:
    return step.op;
  }
  return "";
}

} // namespace tenon::program
