#include "tenon/codegen/common/region/region_indexer.h"

#include "tenon/codegen/common/region/affine_value.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen {

int KernelSource::inputNumber(mlir::Value value) const {
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input == value)
      return number;
  return -1;
}

KernelSource kernelSource(mlir::Operation *op) {
  KernelSource source;
  source.op = op;
  if (auto fusion = llvm::dyn_cast<ir::FusionOp>(op)) {
    llvm::append_range(source.inputs, fusion.getBlock().getArguments());
    llvm::append_range(source.outputs, fusion.getYield()->getOperands());
  } else {
    llvm::append_range(source.inputs, op->getOperands());
    llvm::append_range(source.outputs, op->getResults());
  }
  return source;
}

int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t n : shape)
    count *= n;
  return count;
}

mlir::AffineMap indexKey(mlir::MLIRContext *context, llvm::ArrayRef<AffineExpr> index) {
  constexpr unsigned kMany = 1u << 20;
  return mlir::AffineMap::get(kMany, kMany, index, context);
}

llvm::SmallVector<int64_t> windowDims(mlir::Operation *op, llvm::StringRef attribute, size_t n, int64_t fallback) {
  if (auto array = op->getAttrOfType<mlir::DenseI64ArrayAttr>(attribute))
    return llvm::SmallVector<int64_t>(array.asArrayRef());
  return llvm::SmallVector<int64_t>(n, fallback);
}

llvm::SmallVector<std::pair<int64_t, int64_t>> windowPadding(mlir::Operation *op, size_t n) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding(n, {0, 0});
  auto attribute = op->getAttrOfType<mlir::DenseIntElementsAttr>("padding");
  if (!attribute)
    return padding;
  auto values = llvm::to_vector(attribute.getValues<int64_t>());
  for (size_t i = 0; i < n; ++i)
    padding[i] = {values[2 * i], values[2 * i + 1]};
  return padding;
}

Truth simplify(IndexSpace &space, llvm::SmallVectorImpl<Condition> &conditions) {
  bool never = false;
  llvm::erase_if(conditions, [&](Condition &condition) {
    IndexRange range = space.range(condition.expr);
    never |= range.max < condition.min || range.min > condition.max;
    return range.min >= condition.min && range.max <= condition.max;
  });
  return never ? Truth::kNever : conditions.empty() ? Truth::kAlways : Truth::kSometimes;
}

IndexVector RegionIndexer::elementwiseIndex(mlir::Value operand, llvm::ArrayRef<AffineExpr> index) {
  return shapeOf(operand).empty() ? IndexVector() : IndexVector(index);
}

llvm::SmallVector<int64_t> RegionIndexer::reducedExtents(mlir::Operation *op) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  if (llvm::isa<stablehlo::ReduceWindowOp>(op))
    return windowDims(op, "window_dimensions", shape.size(), 1);
  return llvm::map_to_vector(llvm::cast<stablehlo::ReduceOp>(op).getDimensions(),
                             [&](int64_t dim) { return shape[dim]; });
}

std::optional<Source> RegionIndexer::reducedSource(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index,
                                                   llvm::ArrayRef<AffineExpr> reduced) {
  if (llvm::isa<stablehlo::ReduceOp>(op))
    return Source{0, reduceInputIndex(op, index, reduced), {}};
  return windowSource(op, index, reduced);
}

IndexVector RegionIndexer::reduceInputIndex(mlir::Operation *reduce, llvm::ArrayRef<AffineExpr> index,
                                            llvm::ArrayRef<AffineExpr> reduced) {
  llvm::ArrayRef<int64_t> dims = llvm::cast<stablehlo::ReduceOp>(reduce).getDimensions();
  IndexVector result(index.size() + dims.size());
  for (auto [dim, expr] : llvm::zip(dims, reduced))
    result[dim] = expr;
  unsigned next = 0;
  for (AffineExpr &expr : result)
    if (!expr)
      expr = index[next++];
  return result;
}

std::optional<Source> RegionIndexer::windowSource(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index,
                                                  llvm::ArrayRef<AffineExpr> window) {
  size_t rank = index.size();
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  auto strides = windowDims(op, "window_strides", rank, 1), baseDilations = windowDims(op, "base_dilations", rank, 1),
       windowDilations = windowDims(op, "window_dilations", rank, 1);
  auto padding = windowPadding(op, rank);
  Source source{0, {}, {}};
  for (size_t k = 0; k < rank; ++k) {
    AffineExpr position = space_.add(space_.scale(index[k], strides[k]), space_.scale(window[k], windowDilations[k]));
    position = space_.addConstant(position, -padding[k].first);
    source.conditions.push_back({position, 0, (shape[k] - 1) * baseDilations[k]});
    if (baseDilations[k] > 1)
      source.conditions.push_back({space_.mod(position, baseDilations[k]), 0, 0});
    source.index.push_back(space_.floorDiv(position, baseDilations[k]));
  }
  if (simplify(space_, source.conditions) == Truth::kNever)
    return std::nullopt;
  return source;
}

AffineExpr RegionIndexer::updatePosition(mlir::Operation *update, llvm::ArrayRef<AffineExpr> index) {
  auto slice = llvm::cast<stablehlo::DynamicUpdateSliceOp>(update);
  llvm::ArrayRef<int64_t> whole = shapeOf(slice.getResult()), window = shapeOf(slice.getUpdate());
  IndexVector target;
  for (auto [k, expr] : llvm::enumerate(index))
    target.push_back(space_.add(expr, symbol(slice.getStartIndices()[k], {}, {0, whole[k] - window[k]})));
  return space_.linearize(target, whole);
}

AffineExpr RegionIndexer::symbol(mlir::Value tensor, IndexVector index, IndexRange clamp) {
  if (std::optional<AffineExpr> expr = affineValue(*this, tensor, index)) {
    IndexRange range = space_.range(*expr);
    if (range.min >= clamp.min && range.max <= clamp.max)
      return *expr;
  }
  auto &known = symbolCache_[{tensor, indexKey(space_.context(), index)}];
  for (auto &[max, expr] : known)
    if (max == clamp.max)
      return expr;
  AffineExpr expr = space_.addSymbol(clamp);
  symbols_.push_back({tensor, std::move(index), clamp});
  known.push_back({clamp.max, expr});
  return expr;
}

} // namespace tenon::codegen
