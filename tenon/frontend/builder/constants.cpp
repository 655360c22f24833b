// Constants.
#include "tenon/frontend/builder/call.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::Call;

namespace {

// Null after an error.
mlir::Value constant(Call &call, const Literal &literal) {
  mlir::RankedTensorType type = call.type(literal.shape(), "literal");
  if (!type)
    return {};
  return sh::ConstantOp::create(call.ops(), internal::elementsOf(type, literal));
}

} // namespace

ComputationDataHandle ComputationBuilder::ConstantLiteral(const Literal &literal, At at) {
  Call call(*state_, "ConstantLiteral", at);
  if (call.failed() || !call.checkShape(literal.shape(), "literal"))
    return {};
  llvm::SmallVector<mlir::Value, 1> leaves;
  for (const Literal *leaf : literal.Leaves())
    leaves.push_back(constant(call, *leaf));
  return call.result(ShapeUtil::WithoutLayout(literal.shape()), leaves);
}

} // namespace tenon::xla_2017
