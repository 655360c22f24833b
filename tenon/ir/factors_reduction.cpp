// Ops with a region applied to elements, and collectives.
#include "tenon/ir/factors_builder.h"

namespace tenon::ir {

MaybeFactors factorsOf(stablehlo::ReduceOp op) {
  size_t inputs = op.getInputs().size();
  FactorsBuilder builder(op);
  int64_t to = 0;
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getInputs().front()))) {
    auto dim = static_cast<int64_t>(i);
    bool isReduced = llvm::is_contained(op.getDimensions(), dim);
    SmallVector<int64_t> dims(inputs, dim);
    dims.append(inputs, kNone); // initial values
    builder.add(dims, SmallVector<int64_t>(inputs, isReduced ? kNone : to),
                {size, isReduced ? FactorType::kReduction : FactorType::kPassThrough});
    to += !isReduced;
  }
  return builder.build();
}

// Whether each window along the dimension is its own element.
static bool isSingleWindow(int64_t dim, std::optional<ArrayRef<int64_t>> sizes,
                           std::optional<ArrayRef<int64_t>> strides,
                           std::optional<mlir::DenseIntElementsAttr> padding) {
  if (padding)
    for (int64_t side : {2 * dim, 2 * dim + 1})
      if (padding->getValues<int64_t>()[side] != 0)
        return false;
  auto isOne = [&](std::optional<ArrayRef<int64_t>> values) {
    return !values || values->empty() || (*values)[dim] == 1;
  };
  return isOne(sizes) && isOne(strides);
}

MaybeFactors factorsOf(stablehlo::ReduceWindowOp op) {
  FactorsBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getResult(0)))) {
    auto dim = static_cast<int64_t>(i);
    bool isSingle = isSingleWindow(dim, op.getWindowDimensions(), op.getWindowStrides(), op.getPadding());
    builder.addToAll(dim, {size, isSingle ? FactorType::kPassThrough : FactorType::kMoves});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::SelectAndScatterOp op) {
  FactorsBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    auto dim = static_cast<int64_t>(i);
    if (isSingleWindow(dim, op.getWindowDimensions(), op.getWindowStrides(), op.getPadding())) {
      builder.addToAll(dim, {size});
      continue;
    }
    builder.add({kNone, dim, kNone}, kNone, {shapeOf(op.getSource())[dim], FactorType::kReplicated});
    builder.add({dim, kNone, kNone}, dim, {size, FactorType::kMoves});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::SortOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  auto sorted = static_cast<int64_t>(op.getDimension());
  if (sorted < 0)
    sorted += static_cast<int64_t>(shape.size());
  // Axes of the sorted dimension can go to another one for the time of the sort, if there is one.
  bool isAlone = true;
  for (auto [dim, size] : llvm::enumerate(shape))
    isAlone &= static_cast<int64_t>(dim) == sorted || size == 1;
  FactorsBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shape)) {
    auto dim = static_cast<int64_t>(i);
    builder.addToAll(dim, dim == sorted ? Factor{size, FactorType::kReplicated, isAlone} : Factor{size});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::MapOp op) { return elementwiseFactors(op); }

// Those that change the size of one dimension: it is one dimension of the operands, and another of the results.
static MaybeFactors resizingFactors(mlir::Operation *op, ArrayRef<int64_t> resized) {
  ArrayRef<int64_t> in = shapeOf(op->getOperand(0)), out = shapeOf(op->getResult(0));
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(in))
    if (!llvm::is_contained(resized, static_cast<int64_t>(dim)))
      builder.addToAll(static_cast<int64_t>(dim), {size});
  for (int64_t dim : resized)
    builder.addToOperands(dim, {in[dim], FactorType::kReplicated})
        .addToResults(dim, {out[dim], FactorType::kReplicated});
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::AllGatherOp op) {
  return resizingFactors(op, static_cast<int64_t>(op.getAllGatherDim()));
}
MaybeFactors factorsOf(stablehlo::ReduceScatterOp op) {
  return resizingFactors(op, static_cast<int64_t>(op.getScatterDimension()));
}
MaybeFactors factorsOf(stablehlo::AllToAllOp op) {
  SmallVector<int64_t> resized = {static_cast<int64_t>(op.getSplitDimension())};
  if (op.getConcatDimension() != op.getSplitDimension())
    resized.push_back(static_cast<int64_t>(op.getConcatDimension()));
  return resizingFactors(op, resized);
}
// Several operands may have different shapes; then there are no common dimensions.
static MaybeFactors sameShapeFactors(mlir::Operation *op) {
  auto hasFirstShape = [&](mlir::Type type) {
    return llvm::cast<mlir::ShapedType>(type).getShape() == shapeOf(op->getResult(0));
  };
  return llvm::all_of(op->getOperandTypes(), hasFirstShape) ? elementwiseFactors(op) : std::nullopt;
}
MaybeFactors factorsOf(stablehlo::AllReduceOp op) { return sameShapeFactors(op); }
MaybeFactors factorsOf(stablehlo::CollectiveBroadcastOp op) { return sameShapeFactors(op); }
MaybeFactors factorsOf(stablehlo::CollectivePermuteOp op) { return elementwiseFactors(op); }
MaybeFactors factorsOf(stablehlo::CrossReplicaSumOp op) { return elementwiseFactors(op); }

} // namespace tenon::ir
