// Ops with indices.
#include "tenon/ir/factors_builder.h"

#include "mlir/IR/Matchers.h"

namespace tenon::ir {

MaybeFactors factorsOf(stablehlo::DynamicSliceOp op) {
  return FactorsBuilder(op)
      .addWhereEqual(shapeOf(op.getOperand()), shapeOf(op.getResult()), FactorType::kReplicated, /*isBlocked=*/true)
      .build();
}

MaybeFactors factorsOf(stablehlo::DynamicUpdateSliceOp op) {
  ArrayRef<int64_t> operand = shapeOf(op.getOperand()), update = shapeOf(op.getUpdate());
  bool isPlaceKnown = llvm::all_of(op.getStartIndices(), [](Value index) {
    mlir::Operation *defining = index.getDefiningOp();
    return defining && (mlir::matchPattern(defining, mlir::m_Constant()) || llvm::isa<sdy::ConstantOp>(defining));
  });
  FactorsBuilder builder(op);
  for (auto [i, sizes] : llvm::enumerate(llvm::zip_equal(operand, update))) {
    auto [whole, part] = sizes;
    auto dim = static_cast<int64_t>(i);
    if (whole == part) {
      builder.addToAll(dim, {whole});
      continue;
    }
    // Every device has the whole update, and writes what lies in its part of the operand.
    SmallVector<int64_t> dims(op->getNumOperands(), kNone);
    dims[0] = dim;
    builder.add(dims, dim, {whole});
    std::swap(dims[0], dims[1]);
    builder.add(dims, kNone, {part, isPlaceKnown ? FactorType::kPassThrough : FactorType::kReplicated});
  }
  return builder.build();
}

namespace {

// What gather and scatter have in common: slices of one tensor, each at an index, lie in another one.
struct IndexedSlices {
  ArrayRef<int64_t> tensor, indices, slices; // shapes
  int64_t indexVectorDim;
  ArrayRef<int64_t> offsetDims; // of the slices
  ArrayRef<int64_t> collapsedDims, tensorBatchingDims, indicesBatchingDims;

  bool isGather;
  FactorType batch; // of dimensions that only the indices and slices have

  /// With dimensions of the tensor, the indices and the slices.
  using Add = llvm::function_ref<void(int64_t, int64_t, int64_t, Factor)>;
  void addFactors(Add add) const;

private:
  void addWindow(int64_t dim, int64_t sliceDim, Add add) const;
  void addBatch(int64_t dim, int64_t sliceDim, Add add) const;
};

void IndexedSlices::addFactors(Add add) const {
  int64_t dim = 0, batches = 0;
  auto isWindow = [&](int64_t dim) {
    return !llvm::is_contained(collapsedDims, dim) && !llvm::is_contained(tensorBatchingDims, dim);
  };
  for (int64_t sliceDim : llvm::seq<int64_t>(0, static_cast<int64_t>(slices.size()))) {
    if (!llvm::is_contained(offsetDims, sliceDim)) {
      addBatch(batches < indexVectorDim ? batches : batches + 1, sliceDim, add);
      ++batches;
      continue;
    }
    while (!isWindow(dim))
      ++dim;
    addWindow(dim++, sliceDim, add);
  }
  for (int64_t collapsed : collapsedDims)
    add(collapsed, kNone, kNone,
        {tensor[collapsed], !isGather                ? FactorType::kPassThrough
                            : tensor[collapsed] == 1 ? FactorType::kReplicated
                                                     : FactorType::kReduction});
  if (indexVectorDim < static_cast<int64_t>(indices.size()))
    add(kNone, indexVectorDim, kNone, {indices[indexVectorDim], FactorType::kReplicated});
}

void IndexedSlices::addWindow(int64_t dim, int64_t sliceDim, Add add) const {
  int64_t whole = tensor[dim], part = slices[sliceDim];
  if (whole == part)
    return add(dim, kNone, sliceDim, {whole});
  if (isGather && part != 1)
    return add(dim, kNone, sliceDim, {whole, FactorType::kReplicated, /*isBlocked=*/true});
  // A single element is on one device, and the others' result is as if it were 0.
  add(dim, kNone, kNone, {whole, isGather ? FactorType::kReduction : FactorType::kReplicated});
  add(kNone, kNone, sliceDim, {part, FactorType::kReplicated});
}

void IndexedSlices::addBatch(int64_t indicesDim, int64_t sliceDim, Add add) const {
  const int64_t *place = llvm::find(indicesBatchingDims, indicesDim);
  if (place == indicesBatchingDims.end())
    return add(kNone, indicesDim, sliceDim, {slices[sliceDim], batch});
  add(tensorBatchingDims[place - indicesBatchingDims.begin()], indicesDim, sliceDim, {slices[sliceDim]});
}

// Whether the results are sums (products, maxima, ...) of the updates, all of one kind, which may be finished later.
bool combinesInAnyOrder(stablehlo::ScatterOp op) {
  mlir::Block &block = op.getUpdateComputation().front();
  std::optional<mlir::OperationName> kind;
  for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
    mlir::Operation *combiner = value.getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || (kind && *kind != combiner->getName()))
      return false;
    kind = combiner->getName();
    bool isLogical = isBool(elementTypeOf(value)) && llvm::isa<stablehlo::AndOp, stablehlo::OrOp>(combiner);
    if (!isLogical &&
        !llvm::isa<stablehlo::AddOp, stablehlo::MultiplyOp, stablehlo::MaximumOp, stablehlo::MinimumOp>(combiner))
      return false;
    Value old = block.getArgument(i), update = block.getArgument(i + op.getInputs().size());
    Value lhs = combiner->getOperand(0), rhs = combiner->getOperand(1);
    if ((lhs != old || rhs != update) && (lhs != update || rhs != old))
      return false;
  }
  return true;
}

} // namespace

MaybeFactors factorsOf(stablehlo::GatherOp op) {
  stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  IndexedSlices slices{shapeOf(op.getOperand()),
                       shapeOf(op.getStartIndices()),
                       shapeOf(op.getResult()),
                       numbers.getIndexVectorDim(),
                       numbers.getOffsetDims(),
                       numbers.getCollapsedSliceDims(),
                       numbers.getOperandBatchingDims(),
                       numbers.getStartIndicesBatchingDims(),
                       /*isGather=*/true,
                       FactorType::kPassThrough};
  FactorsBuilder builder(op);
  slices.addFactors([&](int64_t operand, int64_t indices, int64_t result, Factor factor) {
    builder.add({operand, indices}, result, factor);
  });
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::ScatterOp op) {
  stablehlo::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  IndexedSlices slices{shapeOf(op.getInputs().front()),
                       shapeOf(op.getScatterIndices()),
                       shapeOf(op.getUpdates().front()),
                       numbers.getIndexVectorDim(),
                       numbers.getUpdateWindowDims(),
                       numbers.getInsertedWindowDims(),
                       numbers.getInputBatchingDims(),
                       numbers.getScatterIndicesBatchingDims(),
                       /*isGather=*/false,
                       combinesInAnyOrder(op) ? FactorType::kReduction : FactorType::kReplicated};
  FactorsBuilder builder(op);
  size_t inputs = op.getInputs().size();
  slices.addFactors([&](int64_t input, int64_t indices, int64_t update, Factor factor) {
    SmallVector<int64_t> dims(inputs, input);
    dims.push_back(indices);
    dims.append(inputs, update);
    builder.add(dims, SmallVector<int64_t>(inputs, input), factor);
  });
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::TorchIndexSelectOp op) {
  ArrayRef<int64_t> operand = shapeOf(op.getOperand()), index = shapeOf(op.getIndex());
  auto selected = static_cast<int64_t>(op.getDim()), rank = static_cast<int64_t>(operand.size()),
       indexRank = static_cast<int64_t>(index.size());
  auto batches = static_cast<int64_t>(op.getBatchDims());
  if (batches < 0)
    batches += indexRank;
  if (selected < 0)
    selected += rank;
  FactorsBuilder builder(op);
  for (int64_t dim : llvm::seq<int64_t>(0, rank)) {
    if (dim < batches)
      builder.add({dim, dim}, dim, {operand[dim]});
    else if (dim < selected)
      builder.add({dim, kNone}, dim, {operand[dim]});
    else if (dim == selected)
      builder.add({dim, kNone}, kNone, {operand[dim], FactorType::kReduction});
    else
      builder.add({dim, kNone}, dim - 1 + indexRank - batches, {operand[dim]});
  }
  for (int64_t dim : llvm::seq(batches, indexRank))
    builder.add({kNone, dim}, selected + dim - batches, {index[dim]});
  return builder.build();
}

} // namespace tenon::ir
