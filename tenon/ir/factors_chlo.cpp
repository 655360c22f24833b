// CHLO beyond the elementwise. Shardy has no rules for these: XLA takes them apart before.
#include "tenon/ir/factors_builder.h"

namespace tenon::ir {

// `dims` is, for each operand, which dimension of the result its dimensions are.
static MaybeFactors broadcastFactors(mlir::Operation *op, ArrayRef<SmallVector<int64_t>> dims) {
  FactorsBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    auto to = static_cast<int64_t>(i);
    SmallVector<int64_t> from;
    for (auto [operand, map] : llvm::zip_equal(op->getOperands(), dims)) {
      const int64_t *place = llvm::find(map, to);
      int64_t dim = place == map.end() ? kNone : place - map.begin();
      from.push_back(dim != kNone && shapeOf(operand)[dim] == size ? dim : kNone); // otherwise it is stretched
    }
    builder.add(from, to, {size});
  }
  return builder.build();
}

// The last dimensions of the result.
static SmallVector<int64_t> trailingDims(Value operand, Value result) {
  return llvm::to_vector(llvm::seq(typeOf(result).getRank() - typeOf(operand).getRank(), typeOf(result).getRank()));
}

MaybeFactors broadcastingFactors(mlir::Operation *op, std::optional<ArrayRef<int64_t>> dimensions) {
  SmallVector<SmallVector<int64_t>> dims;
  for (Value operand : op->getOperands()) {
    bool isNarrow = typeOf(operand).getRank() < typeOf(op->getResult(0)).getRank();
    dims.push_back(isNarrow && dimensions ? SmallVector<int64_t>(*dimensions)
                                          : trailingDims(operand, op->getResult(0)));
  }
  return broadcastFactors(op, dims);
}

MaybeFactors factorsOf(chlo::BroadcastSelectOp op) { return broadcastingFactors(op, std::nullopt); }

MaybeFactors factorsOf(chlo::ConstantLikeOp op) { return elementwiseFactors(op); }

MaybeFactors factorsOf(chlo::RaggedDotOp op) {
  chlo::RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  // Where the contracted dimension is the ragged one, the result has a dimension of the groups in front.
  bool hasGroups = llvm::is_contained(numbers.getLhsContractingDimensions(), numbers.getLhsRaggedDimensions()[0]);
  FactorsBuilder builder(op);
  int64_t to = 0;
  if (hasGroups)
    builder.add({kNone, kNone, kNone}, to++, {shapeOf(op.getResult())[0], FactorType::kReplicated});
  for (auto [left, right] : llvm::zip_equal(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions()))
    builder.add({left, right, kNone}, to++, {lhs[left]});
  for (int64_t dim : llvm::seq<int64_t>(0, static_cast<int64_t>(lhs.size())))
    if (!llvm::is_contained(numbers.getLhsBatchingDimensions(), dim) &&
        !llvm::is_contained(numbers.getLhsContractingDimensions(), dim))
      builder.add({dim, kNone, kNone}, to++, {lhs[dim]});
  for (int64_t dim : llvm::seq<int64_t>(0, static_cast<int64_t>(rhs.size())))
    if (llvm::is_contained(numbers.getRhsGroupDimensions(), dim))
      builder.add({kNone, dim, kNone}, kNone, {rhs[dim], FactorType::kReplicated});
    else if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), dim) &&
             !llvm::is_contained(numbers.getRhsContractingDimensions(), dim))
      builder.add({kNone, dim, kNone}, to++, {rhs[dim]});
  for (auto [left, right] :
       llvm::zip_equal(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()))
    builder.add({left, right, kNone}, kNone, {lhs[left], hasGroups ? FactorType::kReplicated : FactorType::kReduction});
  return builder.build();
}

MaybeFactors factorsOf(chlo::TopKOp op) {
  return FactorsBuilder(op)
      .addWhereEqual(shapeOf(op.getOperand()), shapeOf(op.getValues()), FactorType::kReplicated, /*isBlocked=*/true)
      .build();
}

MaybeFactors factorsOf(chlo::ScanOp op) {
  if (op.getInputs().empty())
    return std::nullopt;
  // Where all values that go in and come out at a step have one shape, its dimensions correspond.
  SmallVector<int64_t> step(shapeOf(op.getInputs().front()));
  auto scanned = static_cast<int64_t>(op.getDimension());
  int64_t steps = step[scanned];
  step.erase(step.begin() + scanned);
  auto isWhole = [&](Value value) {
    SmallVector<int64_t> shape(shapeOf(value));
    if (scanned >= static_cast<int64_t>(shape.size()) || shape[scanned] != steps)
      return false;
    shape.erase(shape.begin() + scanned);
    return shape == step;
  };
  auto isStep = [&](Value value) { return shapeOf(value) == ArrayRef(step); };
  if (!llvm::all_of(op.getInputs(), isWhole) || !llvm::all_of(op.getOutputs(), isWhole) ||
      !llvm::all_of(op.getInits(), isStep) || !llvm::all_of(op.getCarries(), isStep))
    return std::nullopt;
  FactorsBuilder builder(op);
  auto add = [&](int64_t whole, int64_t carried, Factor factor) {
    SmallVector<int64_t> operands(op.getInputs().size(), whole), results(op.getOutputs().size(), whole);
    operands.append(op.getInits().size(), carried);
    results.append(op.getCarries().size(), carried);
    builder.add(operands, results, factor);
  };
  for (auto [i, size] : llvm::enumerate(step)) {
    auto dim = static_cast<int64_t>(i);
    add(dim < scanned ? dim : dim + 1, dim, {size});
  }
  add(scanned, kNone, {steps, FactorType::kReplicated});
  return builder.build();
}

} // namespace tenon::ir
