// Products, solves, transforms, normalisation, random numbers.
#include "tenon/ir/einsum.h"
#include "tenon/ir/factors_builder.h"

namespace tenon::ir {

MaybeFactors factorsOf(stablehlo::DotGeneralOp op) {
  stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  FactorsBuilder builder(op);
  int64_t to = 0;
  for (auto [left, right] : llvm::zip_equal(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions()))
    builder.add({left, right}, to++, {lhs[left]});
  auto isFree = [](int64_t dim, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting) {
    return !llvm::is_contained(batching, dim) && !llvm::is_contained(contracting, dim);
  };
  for (int64_t dim : llvm::seq<int64_t>(0, static_cast<int64_t>(lhs.size())))
    if (isFree(dim, numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions()))
      builder.add({dim, kNone}, to++, {lhs[dim]});
  for (int64_t dim : llvm::seq<int64_t>(0, static_cast<int64_t>(rhs.size())))
    if (isFree(dim, numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions()))
      builder.add({kNone, dim}, to++, {rhs[dim]});
  for (auto [left, right] :
       llvm::zip_equal(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()))
    builder.add({left, right}, kNone, {lhs[left], FactorType::kReduction});
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::DotOp op) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  FactorsBuilder builder(op);
  int64_t to = 0;
  if (lhs.size() == 2)
    builder.add({0, kNone}, to++, {lhs[0]});
  if (rhs.size() == 2)
    builder.add({kNone, 1}, to++, {rhs[1]});
  builder.add({static_cast<int64_t>(lhs.size()) - 1, 0}, kNone, {rhs[0], FactorType::kReduction});
  return builder.build();
}

// A label that the result does not have is summed over. Along one that an operand has twice, it is a diagonal.
static MaybeFactors einsumFactors(mlir::Operation *op) {
  auto labels = stablehlo::einsumLabels(op);
  if (!labels)
    return std::nullopt;
  auto dimOf = [](const std::string &labels, char label) {
    size_t place = labels.find(label);
    return place == std::string::npos ? kNone : static_cast<int64_t>(place);
  };
  FactorsBuilder builder(op);
  std::string seen;
  for (const std::string &term : llvm::concat<const std::string>(ArrayRef(labels->result), labels->operands))
    for (char label : term) {
      if (seen.find(label) != std::string::npos)
        continue;
      seen += label;
      SmallVector<int64_t> dims;
      int64_t size = 1;
      bool isDiagonal = false;
      for (auto [i, operand] : llvm::enumerate(labels->operands)) {
        int64_t dim = dims.emplace_back(dimOf(operand, label));
        if (dim != kNone)
          size = std::max(size, shapeOf(op->getOperand(i))[dim]);
        isDiagonal |= llvm::count(operand, label) > 1;
      }
      int64_t to = dimOf(labels->result, label);
      if (!isDiagonal)
        builder.add(dims, to, {size, to == kNone ? FactorType::kReduction : FactorType::kPassThrough});
    }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::EinsumOp op) { return einsumFactors(op); }
MaybeFactors factorsOf(stablehlo::UnaryEinsumOp op) { return einsumFactors(op); }

// A spatial dimension of the input is the windows, or the places within a window. The larger of the two is the major
// factor, and so the one that sharding spreads along.
static void addSpatial(FactorsBuilder &builder, int64_t input, int64_t kernel, int64_t output, int64_t inputSize,
                       int64_t windowSize, int64_t windowCount) {
  int64_t rest = inputSize;
  auto add = [&](bool isWithinWindow) {
    int64_t size = std::min(rest, isWithinWindow ? windowSize : windowCount);
    if (size <= 1)
      return;
    if (isWithinWindow)
      builder.add({input, kernel}, kNone, {size, FactorType::kReduction});
    else
      builder.add({input, kNone}, output, {size, FactorType::kMoves});
    rest /= size;
  };
  bool isWindowLarger = windowSize > windowCount;
  add(isWindowLarger);
  add(!isWindowLarger);
}

MaybeFactors factorsOf(stablehlo::ConvolutionOp op) {
  stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> input = shapeOf(op.getLhs()), kernel = shapeOf(op.getRhs()), output = shapeOf(op.getResult());
  int64_t inputBatch = numbers.getInputBatchDimension(), inputFeature = numbers.getInputFeatureDimension(),
          kernelInput = numbers.getKernelInputFeatureDimension(),
          kernelOutput = numbers.getKernelOutputFeatureDimension(), outputBatch = numbers.getOutputBatchDimension(),
          outputFeature = numbers.getOutputFeatureDimension();
  auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  auto featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
  FactorsBuilder builder(op);
  if (batchGroups > 1)
    builder.add({inputBatch, kernelOutput}, outputFeature, {batchGroups});
  builder.add({inputBatch, kNone}, outputBatch, {output[outputBatch]});
  for (auto [from, window, to] :
       llvm::zip_equal(numbers.getInputSpatialDimensions(), numbers.getKernelSpatialDimensions(),
                       numbers.getOutputSpatialDimensions()))
    addSpatial(builder, from, window, to, input[from], kernel[window], output[to]);
  if (featureGroups > 1)
    builder.add({inputFeature, kernelOutput}, outputFeature, {featureGroups});
  builder.add({inputFeature, kernelInput}, kNone, {kernel[kernelInput], FactorType::kReduction});
  if (int64_t features = output[outputFeature] / (batchGroups * featureGroups); features > 1)
    builder.add({kNone, kernelOutput}, outputFeature, {features});
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::CholeskyOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getA());
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shape))
    builder.addToAll(static_cast<int64_t>(dim),
                     {size, dim + 2 < shape.size() ? FactorType::kPassThrough : FactorType::kReplicated});
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::TriangularSolveOp op) {
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB());
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(a.drop_back(2)))
    builder.addToAll(static_cast<int64_t>(dim), {size});
  int64_t rows = static_cast<int64_t>(a.size()) - 2, columns = rows + 1;
  bool isTransposed =
      op.getTransposeA() == stablehlo::Transpose::TRANSPOSE || op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  // op(a) x = b contracts op(a)'s columns with x's rows, x op(a) = b op(a)'s rows with x's columns.
  int64_t contracted = op.getLeftSide() != isTransposed ? columns : rows, kept = contracted == rows ? columns : rows;
  auto alone = [&](int64_t dim) { builder.add({kNone, dim}, dim, {b[dim], FactorType::kReplicated}); };
  auto ofBoth = [&](int64_t dim) { builder.add({kept, dim}, kNone, {a[kept], FactorType::kReplicated}); };
  if (op.getLeftSide()) {
    ofBoth(rows);
    alone(columns);
    builder.add({contracted, kNone}, rows, {a[contracted], FactorType::kReplicated});
  } else {
    alone(rows);
    ofBoth(columns);
    builder.add({contracted, kNone}, columns, {a[contracted], FactorType::kReplicated});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::FftOp op) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()), out = shapeOf(op.getResult());
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(in)) {
    bool isBatch = dim + op.getFftLength().size() < in.size();
    builder.addToAll(static_cast<int64_t>(dim), {size, isBatch ? FactorType::kPassThrough : FactorType::kReplicated,
                                                 /*isBlocked=*/!isBatch && size != out[dim]});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::BatchNormInferenceOp op) {
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    SmallVector<int64_t> dims(op->getNumOperands(), dim == op.getFeatureIndex() ? 0 : kNone);
    dims[0] = static_cast<int64_t>(dim);
    builder.add(dims, static_cast<int64_t>(dim), {size});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::RngOp op) {
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult())))
    builder.add({kNone, kNone, kNone}, static_cast<int64_t>(dim), {size});
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::RngBitGeneratorOp op) {
  FactorsBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getInitialState()))) {
    auto dim = static_cast<int64_t>(i);
    builder.add({dim}, {dim, kNone}, {size, FactorType::kReplicated, /*isBlocked=*/true});
  }
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getOutput())))
    builder.add({kNone}, {kNone, static_cast<int64_t>(dim)}, {size});
  return builder.build();
}

} // namespace tenon::ir
