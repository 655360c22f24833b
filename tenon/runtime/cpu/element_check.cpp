#include "tenon/runtime/cpu/element_check.h"

#include "tenon/program/attributes.h"
#include "tenon/support/element_check.h"

namespace tenon::runtime {

namespace {

using program::FloatAttribute;
using program::IntegerAttribute;
using program::NamedAttribute;

CheckAttribute attributeOf(const NamedAttribute &named) {
  CheckAttribute attribute{named.name, {}};
  if (const auto *integer = std::get_if<IntegerAttribute>(&named.value.value)) {
    if (integer->value >= 0 || integer->type == program::ElementType::kUI64)
      attribute.value = uint64_t(integer->value);
  } else if (const auto *number = std::get_if<FloatAttribute>(&named.value.value)) {
    attribute.value = number->value;
  }
  return attribute;
}

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeCheck(const program::RuntimeCall &runtimeCall) {
  std::optional<ElementCheck::Kind> kind = checkNamed(runtimeCall.target);
  if (!kind)
    return invalidArgument("there is no such check");
  if (runtimeCall.operands.size() != 2 || runtimeCall.operands[0] != runtimeCall.operands[1])
    return invalidArgument("a check takes two operands of one type");
  const program::Shape verdict{program::ElementType::kI1, {}};
  if (runtimeCall.results.size() > 1 || (runtimeCall.results.size() == 1 && runtimeCall.results[0] != verdict))
    return invalidArgument("a check has no result but an i1");
  std::vector<CheckAttribute> limits;
  for (const NamedAttribute &attribute : runtimeCall.attributes)
    limits.push_back(attributeOf(attribute));
  TENON_ASSIGN_OR_RETURN(ElementCheck check, makeElementCheck(*kind, limits));
  return makeRuntimeCall([check, shape = runtimeCall.operands[0]](const CallBuffers &call) -> Status {
    Status status = compareElements(check, shape.type, shape.dims, call.operands[0], call.operands[1]);
    if (status.ok() && !call.results.empty())
      *static_cast<uint8_t *>(call.results[0]) = 1;
    return status;
  });
}

} // namespace tenon::runtime
