#include "tenon/ir/traits.h"

namespace tenon::ir {

template <ElementCost... costs> static std::optional<ElementCost> firstOf(mlir::OperationName name) {
  std::optional<ElementCost> found;
  (void)((name.hasTrait<Costs<costs>::template Impl>() && (found = costs, true)) || ...);
  return found;
}

std::optional<ElementCost> elementCost(mlir::OperationName name) {
  using enum ElementCost;
  return firstOf<kSimple, kDivision, kRemainder, kRoot, kExponential, kTrigonometric, kSpecial>(name);
}

} // namespace tenon::ir
