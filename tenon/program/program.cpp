#include "tenon/program/program.h"

#include "tenon/program/attributes.h"
#include "tenon/program/group_memory.h"
#include "tenon/support/shown.h"

#include <algorithm>

namespace tenon::program {
TENON_SHOWN int64_t Shape::elementCount() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

std::string Shape::toString() const {
  std::string text = elementTypeName(type);
  text += '[';
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + std::to_string(dims[i]);
  return text + ']';
}

const CpuCode &cpuCode(const Program &program) {
  static const CpuCode none;
  const CpuCode *code = std::get_if<CpuCode>(&program.code);
  return code ? *code : none;
}

CpuCode &cpuCode(Program &program) {
  if (CpuCode *code = std::get_if<CpuCode>(&program.code))
    return *code;
  return program.code.emplace<CpuCode>();
}

int64_t codeBytes(const Program &program) {
  int64_t bytes = 0;
  for (const ObjectCode &object : cpuCode(program).objects)
    bytes += int64_t(object.bytes.size());
  for (const RuntimeCall &runtimeCall : program.runtimeCalls)
    for (const Program &nested : runtimeCall.programs)
      bytes += contentBytes(nested);
  return bytes;
}

int64_t contentBytes(const Program &program) {
  int64_t bytes = codeBytes(program);
  for (const Constant &constant : program.constants)
    bytes += int64_t(constant.bytes.size());
  return bytes;
}

// The end of the call's results in the memory of its group.
static int64_t groupMemoryBytes(const RuntimeCall &runtimeCall) {
  int64_t bytes = 0;
  if (auto places = integerArrayAttribute(runtimeCall.attributes, kGroupMemory); places.ok())
    for (size_t i = 0; i < runtimeCall.results.size() && 2 * i + 1 < places->size(); ++i)
      if (int64_t offset = (*places)[2 * i + 1]; offset >= 0)
        bytes = std::max(bytes, offset + runtimeCall.results[i].byteSize());
  return bytes;
}

TENON_SHOWN int64_t temporaryBytes(const Program &program) {
  int64_t most = 0, group = 0;
  for (const RuntimeCall &runtimeCall : program.runtimeCalls) {
    most = std::max(most, runtimeCall.temporaryBytes);
    group = std::max(group, groupMemoryBytes(runtimeCall));
  }
  return program.arenaBytes + group + most;
}

std::string describeArgument(const Program &program, size_t index) {
  std::string text = "argument " + std::to_string(index);
  if (index < program.arguments.size() && !program.arguments[index].name.empty())
    text += " (" + program.arguments[index].name + ")";
  return text;
}

std::string describeValue(const Argument &argument) {
  std::string text;
  for (int64_t element : argument.value)
    text += (text.empty() ? "" : ", ") + std::to_string(element);
  return argument.shape.dims.empty() ? text : "[" + text + "]";
}

} // namespace tenon::program
