#include "tenon/program/program.h"

#include <algorithm>

namespace tenon::program {
int64_t Shape::elementCount() const {
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

int64_t temporaryBytes(const Program &program) {
  int64_t most = 0;
  for (const RuntimeCall &runtimeCall : program.runtimeCalls)
    most = std::max(most, runtimeCall.temporaryBytes);
  return program.arenaBytes + most;
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
