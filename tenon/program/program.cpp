#include "tenon/program/program.h"

#include <algorithm>

namespace tenon::program {
namespace {

struct TypeInfo {
  const char *name;
  int64_t bytes;
};

TypeInfo info(ElementType type) { // NOLINT(readability-function-size): a table
  switch (type) {
  case ElementType::kInvalid:
    return {"invalid", 0};
  case ElementType::kI1:
    return {"i1", 1};
  case ElementType::kI2:
    return {"i2", 1};
  case ElementType::kI4:
    return {"i4", 1};
  case ElementType::kI8:
    return {"i8", 1};
  case ElementType::kI16:
    return {"i16", 2};
  case ElementType::kI32:
    return {"i32", 4};
  case ElementType::kI64:
    return {"i64", 8};
  case ElementType::kUI2:
    return {"ui2", 1};
  case ElementType::kUI4:
    return {"ui4", 1};
  case ElementType::kUI8:
    return {"ui8", 1};
  case ElementType::kUI16:
    return {"ui16", 2};
  case ElementType::kUI32:
    return {"ui32", 4};
  case ElementType::kUI64:
    return {"ui64", 8};
  case ElementType::kF4E2M1FN:
    return {"f4E2M1FN", 1};
  case ElementType::kF6E2M3FN:
    return {"f6E2M3FN", 1};
  case ElementType::kF6E3M2FN:
    return {"f6E3M2FN", 1};
  case ElementType::kF8E3M4:
    return {"f8E3M4", 1};
  case ElementType::kF8E4M3:
    return {"f8E4M3", 1};
  case ElementType::kF8E4M3FN:
    return {"f8E4M3FN", 1};
  case ElementType::kF8E4M3FNUZ:
    return {"f8E4M3FNUZ", 1};
  case ElementType::kF8E4M3B11FNUZ:
    return {"f8E4M3B11FNUZ", 1};
  case ElementType::kF8E5M2:
    return {"f8E5M2", 1};
  case ElementType::kF8E5M2FNUZ:
    return {"f8E5M2FNUZ", 1};
  case ElementType::kF8E8M0FNU:
    return {"f8E8M0FNU", 1};
  case ElementType::kBF16:
    return {"bf16", 2};
  case ElementType::kF16:
    return {"f16", 2};
  case ElementType::kF32:
    return {"f32", 4};
  case ElementType::kF64:
    return {"f64", 8};
  case ElementType::kComplexF32:
    return {"complex<f32>", 8};
  case ElementType::kComplexF64:
    return {"complex<f64>", 16};
  case ElementType::kToken:
    return {"token", 0};
  }
  return {"invalid", 0};
}

} // namespace

int64_t byteSize(ElementType type) { return info(type).bytes; }
const char *elementTypeName(ElementType type) { return info(type).name; }

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

int64_t codeBytes(const Program &program) {
  int64_t bytes = 0;
  for (const ObjectCode &object : program.objects)
    bytes += int64_t(object.bytes.size());
  for (const Service &service : program.services)
    for (const Program &nested : service.programs)
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
  for (const Service &service : program.services)
    most = std::max(most, service.temporaryBytes);
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
