// Constants.
#include "tenon/frontend/builder/call.h"

namespace tenon::xla_2017 {

using internal::Call;

ComputationDataHandle ComputationBuilder::ConstantLiteral(const Literal &literal, At at) {
  Call call(*state_, "ConstantLiteral", at);
  if (call.failed() || !call.checkShape(literal.shape(), "literal"))
    return {};
  Values leaves;
  for (const Literal *leaf : literal.Leaves()) {
    if (!call.checkArray(leaf->shape(), "literal"))
      return {};
    leaves.push_back(state_->program.constant(*leaf));
  }
  return call.result(ShapeUtil::WithoutLayout(literal.shape()), leaves);
}

} // namespace tenon::xla_2017
