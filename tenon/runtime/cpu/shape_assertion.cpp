#include "tenon/runtime/cpu/shape_assertion.h"

#include "tenon/program/attributes.h"
#include "tenon/support/format_message.h"

#include <cstring>

namespace tenon::runtime {

namespace {

using program::ElementType;

template <typename T> int64_t load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return static_cast<int64_t>(value);
}

int64_t loadInteger(ElementType type, const void *data) {
  switch (type) {
  case ElementType::kI32:
    return load<int32_t>(data);
  case ElementType::kUI32:
    return load<uint32_t>(data);
  default:
    return load<int64_t>(data);
  }
}

bool isInteger(const program::Shape &shape) {
  return shape.dims.empty() && (shape.type == ElementType::kI32 || shape.type == ElementType::kI64 ||
                                shape.type == ElementType::kUI32 || shape.type == ElementType::kUI64);
}

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeShapeAssertion(const program::RuntimeCall &runtimeCall) {
  const program::AttributeDict &attributes = runtimeCall.attributes;
  std::string message = "a shape assertion does not hold";
  if (findAttribute(attributes, "error_message")) {
    TENON_ASSIGN_OR_RETURN(message, stringAttribute(attributes, "error_message"));
  }
  if (runtimeCall.operands.empty() || runtimeCall.operands[0] != program::Shape{ElementType::kI1, {}})
    return invalidArgument("shape_assertion takes a condition of type i1");
  std::vector<ElementType> types;
  for (size_t i = 1; i < runtimeCall.operands.size(); ++i) {
    if (!isInteger(runtimeCall.operands[i]))
      return invalidArgument("shape_assertion cannot print a value of type " + runtimeCall.operands[i].toString());
    types.push_back(runtimeCall.operands[i].type);
  }
  if (!runtimeCall.location.empty())
    message = runtimeCall.location + ": " + message;
  return makeRuntimeCall([message, types](const CallBuffers &call) -> Status {
    if (load<uint8_t>(call.operands[0]))
      return {};
    std::vector<int64_t> values;
    for (size_t i = 0; i < types.size(); ++i)
      values.push_back(loadInteger(types[i], call.operands[i + 1]));
    return invalidArgument(formatMessage(message, values));
  });
}

} // namespace tenon::runtime
