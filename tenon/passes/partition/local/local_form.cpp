#include "tenon/passes/partition/local/local_form.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"

using namespace mlir;

namespace tenon::passes::partition {

bool isAddedInF32(Type element) {
  auto floats = dyn_cast<FloatType>(element);
  return floats && floats.getWidth() <= 16 && !isa<Float8E8M0FNUType>(floats);
}

bool hasFactor(const ir::TensorFactors &dims, size_t factor) {
  return llvm::any_of(
      dims, [&](const ir::DimFactors &numbers) { return llvm::is_contained(numbers, static_cast<int64_t>(factor)); });
}

RankedTensorType LocalOp::operandType(size_t i) const { return ir::typeOf(op->getOperand(i)); }
RankedTensorType LocalOp::resultType(size_t i) const { return ir::typeOf(op->getResult(i)); }

ir::Sharding LocalOp::shardingOf(const ir::TensorFactors &dims) const {
  ir::Sharding sharding;
  sharding.mesh = &mesh;
  for (const ir::DimFactors &numbers : dims) {
    ir::DimCut &cut = sharding.dims.emplace_back();
    cut.isClosed = true;
    for (int64_t number : numbers)
      for (const ir::Atom &atom : cuts[number])
        ir::append(cut.axes, atom);
  }
  return sharding;
}

ir::Sharding LocalOp::operandSharding(size_t i) const { return shardingOf(factors.operands[i]); }

ir::Sharding LocalOp::resultSharding(size_t i) const {
  ir::Sharding sharding = shardingOf(factors.results[i]);
  for (auto [number, factor] : llvm::enumerate(factors.factors)) {
    if (factor.type == ir::FactorType::kReduction && !hasFactor(factors.results[i], number))
      sharding.unreduced.append(cuts[number].begin(), cuts[number].end());
  }
  return sharding;
}

RankedTensorType LocalOp::localOperandType(size_t i) const { return localType(operandType(i), operandSharding(i)); }
RankedTensorType LocalOp::localResultType(size_t i) const {
  ir::Sharding sharding = resultSharding(i);
  RankedTensorType type = localType(resultType(i), sharding);
  bool isSummand = addsInF32 && (keepsSummands || !sharding.unreduced.empty()) && isAddedInF32(type.getElementType());
  return isSummand ? type.clone(Float32Type::get(type.getContext())) : type;
}

Value LocalOp::maskedOperand(size_t i, Value filler, std::optional<size_t> factor) {
  ir::Sharding sharding = operandSharding(i);
  Value masked = operands[i];
  for (auto [dimension, numbers] : llvm::enumerate(factors.operands[i]))
    if (!factor || llvm::is_contained(numbers, static_cast<int64_t>(*factor)))
      masked = withoutPadding(builder, masked, operandType(i), sharding, static_cast<int64_t>(dimension), filler);
  return masked;
}

SmallVector<Value> LocalOp::cloneWith(ValueRange newOperands, ArrayRef<NamedAttribute> attributes) {
  OperationState state(op->getLoc(), op->getName(), newOperands, {}, op->getAttrs());
  NamedAttrList all(op->getAttrs());
  all.erase("sdy.sharding");
  all.erase("sdy.sharding_rule");
  for (const NamedAttribute &attribute : attributes)
    all.set(attribute.getName(), attribute.getValue());
  state.attributes = all;
  for (size_t i = 0; i < op->getNumResults(); ++i)
    state.addTypes(localResultType(i));
  for (Region &region : op->getRegions()) {
    IRMapping mapping = captures;
    region.cloneInto(state.addRegion(), mapping);
  }
  return builder.builder.create(state)->getResults();
}

bool LocalForm::isCuttable(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) const {
  if (canCut)
    return canCut(op, factors, factor, parts);
  switch (factors.factors[factor].type) {
  case ir::FactorType::kPassThrough: { // a dimension of size 1 that is dropped is on the first device alone
    auto hasIt = [&](const ir::TensorFactors &dims) { return hasFactor(dims, factor); };
    // What a call gives of its own accord, it gives whole: nothing tells it which part is wanted. So does a reshape
    // that takes the elements of the dimension from others of the operand.
    bool givesWhole =
        isa<stablehlo::CustomCallOp>(op) || (isa<stablehlo::ReshapeOp>(op) && factors.factors[factor].size > 1);
    bool isMade = givesWhole && llvm::none_of(factors.operands, hasIt);
    return !isMade && llvm::all_of(factors.results, hasIt);
  }
  case ir::FactorType::kReduction:
    return sum && sum(op).has_value();
  case ir::FactorType::kMoves:
  case ir::FactorType::kReplicated:
    return false;
  }
  return false;
}

} // namespace tenon::passes::partition
