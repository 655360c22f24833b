#include "tenon/codegen/common/plan_region.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using mlir::AffineExpr;

namespace tenon::codegen {

int KernelSource::inputNumber(mlir::Value value) const {
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input == value)
      return number;
  return -1;
}

KernelSource kernelSource(mlir::Operation *op) {
  KernelSource source{op, {}, {}};
  if (auto fusion = llvm::dyn_cast<ir::FusionOp>(op)) {
    llvm::append_range(source.inputs, fusion.getBlock().getArguments());
    llvm::append_range(source.outputs, fusion.getYield()->getOperands());
  } else {
    llvm::append_range(source.inputs, op->getOperands());
    llvm::append_range(source.outputs, op->getResults());
  }
  return source;
}

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t n : shape)
    count *= n;
  return count;
}

mlir::Type elementTypeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
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

bool RegionIndexer::movesElements(mlir::Operation *op) {
  return llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp, stablehlo::ReshapeOp, stablehlo::TransposeOp,
                   stablehlo::SliceOp, stablehlo::ReverseOp, stablehlo::PadOp, stablehlo::ConcatenateOp,
                   stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp>(op);
}

RegionIndexer::Truth RegionIndexer::simplify(llvm::SmallVectorImpl<Condition> &conditions) {
  bool never = false;
  llvm::erase_if(conditions, [&](Condition &condition) {
    IndexRange range = space_.range(condition.expr);
    never |= range.max < condition.min || range.min > condition.max;
    return range.min >= condition.min && range.max <= condition.max;
  });
  return never ? Truth::kNever : conditions.empty() ? Truth::kAlways : Truth::kSometimes;
}

void RegionIndexer::addSource(llvm::SmallVectorImpl<Source> &sources, Source source, bool &closed) {
  if (closed)
    return;
  Truth truth = simplify(source.conditions);
  if (truth == Truth::kNever)
    return;
  closed = truth == Truth::kAlways;
  sources.push_back(std::move(source));
}

void RegionIndexer::padSources(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index,
                               llvm::SmallVectorImpl<Source> &out) {
  auto pad = llvm::cast<stablehlo::PadOp>(op);
  llvm::ArrayRef<int64_t> shape = shapeOf(pad.getOperand());
  Source inside{0, {}, {}};
  for (auto [k, expr] : llvm::enumerate(index)) {
    int64_t step = shape[k] > 1 ? pad.getInteriorPadding()[k] + 1 : 1; // between elements: one may have any interior
    AffineExpr position = space_.addConstant(expr, -pad.getEdgePaddingLow()[k]);
    inside.conditions.push_back({position, 0, (shape[k] - 1) * step});
    if (step > 1)
      inside.conditions.push_back({space_.mod(position, step), 0, 0});
    inside.index.push_back(space_.floorDiv(position, step));
  }
  bool closed = false;
  addSource(out, std::move(inside), closed);
  addSource(out, {1, {}, {}}, closed);
}

void RegionIndexer::concatenateSources(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index,
                                       llvm::SmallVectorImpl<Source> &out) {
  auto concatenate = llvm::cast<stablehlo::ConcatenateOp>(op);
  uint64_t dimension = concatenate.getDimension();
  int64_t offset = 0;
  bool closed = false;
  for (auto [number, input] : llvm::enumerate(concatenate.getInputs())) {
    int64_t size = shapeOf(input)[dimension];
    if (size == 0)
      continue;
    Source source{static_cast<unsigned>(number), IndexVector(index), {}};
    source.index[dimension] = space_.addConstant(index[dimension], -offset);
    // The pieces before have taken the smaller indices.
    source.conditions.push_back({source.index[dimension], std::numeric_limits<int64_t>::min(), size - 1});
    if (space_.range(source.index[dimension]).max >= 0)
      addSource(out, std::move(source), closed);
    offset += size;
  }
  if (!closed && !out.empty())
    out.back().conditions.clear();
}

void RegionIndexer::updateSources(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index,
                                  llvm::SmallVectorImpl<Source> &out) {
  auto update = llvm::cast<stablehlo::DynamicUpdateSliceOp>(op);
  llvm::ArrayRef<int64_t> shape = shapeOf(update.getOperand()), window = shapeOf(update.getUpdate());
  Source inside{1, {}, {}};
  for (auto [k, expr] : llvm::enumerate(index)) {
    AffineExpr start = symbol(update.getStartIndices()[k], {}, {0, shape[k] - window[k]});
    AffineExpr position = space_.add(expr, space_.scale(start, -1));
    if (window[k] != shape[k])
      inside.conditions.push_back({position, 0, window[k] - 1});
    inside.index.push_back(position);
  }
  bool closed = false;
  addSource(out, std::move(inside), closed);
  addSource(out, {0, IndexVector(index), {}}, closed);
}

IndexVector RegionIndexer::gatherIndex(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
  auto gather = llvm::cast<stablehlo::GatherOp>(op);
  auto numbers = gather.getDimensionNumbers();
  llvm::ArrayRef<int64_t> shape = shapeOf(gather.getOperand()), sizes = gather.getSliceSizes();
  IndexVector batch, offset;
  for (auto [k, expr] : llvm::enumerate(index))
    (llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(k)) ? offset : batch).push_back(expr);

  mlir::Value starts = gather.getStartIndices();
  int64_t vectorDim = numbers.getIndexVectorDim(), startsRank = shapeOf(starts).size();
  auto startIndex = [&](int64_t component) {
    IndexVector result(batch);
    if (vectorDim < startsRank)
      result.insert(result.begin() + vectorDim, space_.constant(component));
    return result;
  };
  IndexVector result(shape.size(), space_.constant(0));
  for (auto [component, dim] : llvm::enumerate(numbers.getStartIndexMap()))
    result[dim] = symbol(starts, startIndex(component), {0, shape[dim] - sizes[dim]});
  for (auto [dim, startsDim] : llvm::zip(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()))
    result[dim] = space_.add(result[dim], batch[startsDim < vectorDim ? startsDim : startsDim - 1]);
  unsigned next = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), static_cast<int64_t>(dim)) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), static_cast<int64_t>(dim)))
      continue;
    result[dim] = space_.add(result[dim], offset[next++]);
  }
  return result;
}

IndexVector RegionIndexer::simpleIndex(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
  mlir::Value operand = op->getOperand(0);
  llvm::ArrayRef<int64_t> shape = shapeOf(operand);
  IndexVector result;
  llvm::TypeSwitch<mlir::Operation *>(op)
      .Case([&](stablehlo::BroadcastInDimOp broadcast) {
        for (auto [n, dim] : llvm::zip(shape, broadcast.getBroadcastDimensions()))
          result.push_back(n == 1 ? space_.constant(0) : index[dim]);
      })
      .Case([&](stablehlo::BroadcastOp broadcast) { llvm::append_range(result, index.take_back(shape.size())); })
      .Case([&](stablehlo::ReshapeOp reshape) {
        llvm::append_range(result, space_.reshape(index, shapeOf(reshape.getResult()), shape));
      })
      .Case([&](stablehlo::TransposeOp transpose) {
        result.resize(shape.size());
        for (auto [k, dim] : llvm::enumerate(transpose.getPermutation()))
          result[dim] = index[k];
      })
      .Case([&](stablehlo::SliceOp slice) {
        for (auto [expr, start, stride] : llvm::zip(index, slice.getStartIndices(), slice.getStrides()))
          result.push_back(space_.addConstant(space_.scale(expr, stride), start));
      })
      .Case([&](stablehlo::ReverseOp reverse) {
        for (auto [k, expr] : llvm::enumerate(index)) {
          bool reversed = llvm::is_contained(reverse.getDimensions(), static_cast<int64_t>(k));
          result.push_back(reversed ? space_.addConstant(space_.scale(expr, -1), shape[k] - 1) : expr);
        }
      })
      .Case([&](stablehlo::DynamicSliceOp slice) {
        for (auto [k, expr] : llvm::enumerate(index)) {
          AffineExpr start = symbol(slice.getStartIndices()[k], {}, {0, shape[k] - slice.getSliceSizes()[k]});
          result.push_back(space_.add(expr, start));
        }
      })
      .Case([&](stablehlo::GatherOp) { result = gatherIndex(op, index); });
  return result;
}

llvm::SmallVector<Source, 2> RegionIndexer::sources(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
  llvm::SmallVector<Source, 2> result;
  if (llvm::isa<stablehlo::PadOp>(op))
    padSources(op, index, result);
  else if (llvm::isa<stablehlo::ConcatenateOp>(op))
    concatenateSources(op, index, result);
  else if (llvm::isa<stablehlo::DynamicUpdateSliceOp>(op))
    updateSources(op, index, result);
  else
    result.push_back({0, simpleIndex(op, index), {}});
  return result;
}

IndexVector RegionIndexer::elementwiseIndex(mlir::Value operand, llvm::ArrayRef<AffineExpr> index) {
  return shapeOf(operand).empty() ? IndexVector() : IndexVector(index);
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
  if (simplify(source.conditions) == Truth::kNever)
    return std::nullopt;
  return source;
}

AffineExpr RegionIndexer::symbol(mlir::Value tensor, IndexVector index, IndexRange clamp) {
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
