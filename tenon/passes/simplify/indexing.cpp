// Slices, pads, concatenations, gathers and scatters whose parameters turn out to be constants or whole dimensions
// become simpler ops. JAX writes x[i] and x.at[a:b].set(v) as gather and scatter with index arithmetic; most are a
// slice or an update in disguise.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/trip_count.h"
#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

std::optional<int64_t> scalarInt(Value value) {
  DenseIntElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || constant.getNumElements() != 1)
    return std::nullopt;
  APInt bits = *constant.value_begin<APInt>();
  bool isUnsigned = constant.getElementType().isUnsignedInteger();
  return isUnsigned ? int64_t(bits.getLimitedValue(INT64_MAX)) : bits.getSExtValue();
}

struct SlicePattern : OpRewritePattern<sh::SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::SliceOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
    if (!from.hasStaticShape() || !to.hasStaticShape())
      return failure();
    if (from == to) { // a stride above one would shrink a dimension that is larger than one
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    SplatElementsAttr splat;
    if (matchPattern(op.getOperand(), m_Constant(&splat))) {
      rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, splat.resizeSplat(to));
      return success();
    }
    if (auto inner = op.getOperand().getDefiningOp<sh::SliceOp>())
      return composeSlices(op, inner, rewriter);
    if (auto concatenate = op.getOperand().getDefiningOp<sh::ConcatenateOp>())
      return sliceOfConcatenate(op, concatenate, rewriter);
    return failure();
  }

private:
  static LogicalResult composeSlices(sh::SliceOp op, sh::SliceOp inner, PatternRewriter &rewriter) {
    SmallVector<int64_t> start, limit, strides;
    for (size_t i = 0; i < op.getStartIndices().size(); ++i) {
      int64_t innerStart = inner.getStartIndices()[i], innerStride = inner.getStrides()[i];
      start.push_back(innerStart + op.getStartIndices()[i] * innerStride);
      strides.push_back(op.getStrides()[i] * innerStride);
      int64_t count = typeOf(op.getResult()).getDimSize(i);
      limit.push_back(count == 0 ? start.back() : start.back() + (count - 1) * strides.back() + 1);
    }
    rewriter.replaceOpWithNewOp<sh::SliceOp>(op, op.getType(), inner.getOperand(), start, limit, strides);
    return success();
  }

  // A slice that lies inside one operand of a concatenation is a slice of that operand.
  static LogicalResult sliceOfConcatenate(sh::SliceOp op, sh::ConcatenateOp concatenate, PatternRewriter &rewriter) {
    int64_t dimension = concatenate.getDimension();
    int64_t start = op.getStartIndices()[dimension], limit = op.getLimitIndices()[dimension], offset = 0;
    for (Value operand : concatenate.getInputs()) {
      int64_t size = typeOf(operand).getDimSize(dimension);
      if (start >= offset && limit <= offset + size) {
        SmallVector<int64_t> starts(op.getStartIndices()), limits(op.getLimitIndices());
        starts[dimension] -= offset;
        limits[dimension] -= offset;
        rewriter.replaceOpWithNewOp<sh::SliceOp>(op, op.getType(), operand, starts, limits, op.getStrides());
        return success();
      }
      offset += size;
    }
    return failure();
  }
};

struct PadPattern : OpRewritePattern<sh::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::PadOp op, PatternRewriter &rewriter) const override {
    auto isZero = [](int64_t amount) { return amount == 0; };
    if (op.getOperand().getType() != op.getType() || !llvm::all_of(op.getEdgePaddingLow(), isZero) ||
        !llvm::all_of(op.getEdgePaddingHigh(), isZero))
      return failure();
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

struct ConcatenatePattern : OpRewritePattern<sh::ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ConcatenateOp op, PatternRewriter &rewriter) const override {
    int64_t dimension = op.getDimension();
    SmallVector<Value> operands;
    bool changed = false;
    for (Value operand : op.getInputs()) {
      auto inner = operand.getDefiningOp<sh::ConcatenateOp>();
      if (typeOf(operand).getDimSize(dimension) == 0) {
        changed = true;
      } else if (inner && int64_t(inner.getDimension()) == dimension && inner->hasOneUse()) {
        llvm::append_range(operands, inner.getInputs());
        changed = true;
      } else {
        operands.push_back(operand);
      }
    }
    if (operands.empty())
      operands.push_back(op.getInputs().front());
    if (operands.size() == 1 && operands.front().getType() == op.getType()) {
      rewriter.replaceOp(op, operands.front());
      return success();
    }
    if (!changed || operands.size() == op.getInputs().size())
      return failure();
    rewriter.replaceOpWithNewOp<sh::ConcatenateOp>(op, op.getType(), operands, dimension);
    return success();
  }
};

struct DynamicSlicePattern : OpRewritePattern<sh::DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DynamicSliceOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
    if (!from.hasStaticShape())
      return failure();
    if (from == to) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    SmallVector<int64_t> start, limit, strides(from.getRank(), 1);
    for (auto [i, value] : llvm::enumerate(op.getStartIndices())) {
      int64_t room = from.getDimSize(i) - to.getDimSize(i);
      std::optional<int64_t> index = room == 0 ? 0 : scalarInt(value);
      if (!index)
        return failure();
      start.push_back(std::clamp<int64_t>(*index, 0, room));
      limit.push_back(start.back() + to.getDimSize(i));
    }
    rewriter.replaceOpWithNewOp<sh::SliceOp>(op, to, op.getOperand(), start, limit, strides);
    return success();
  }
};

// One of consecutive numbers, as a scan over them takes in each step, is its own index.
struct NumberAtIndexPattern : OpRewritePattern<sh::DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DynamicSliceOp op, PatternRewriter &rewriter) const override {
    auto iota = op.getOperand().getDefiningOp<sh::IotaOp>();
    RankedTensorType to = typeOf(op.getResult());
    if (!iota || !typeOf(iota.getResult()).hasStaticShape())
      return failure();
    auto dimension = static_cast<unsigned>(iota.getIotaDimension());
    int64_t extent = typeOf(iota.getResult()).getDimSize(dimension);
    Value start = op.getStartIndices()[dimension];
    Type element = to.getElementType();
    if (to.getDimSize(dimension) != 1 || extent > std::numeric_limits<int32_t>::max() || !isWide(element) ||
        !isWide(ir::elementTypeOf(start)))
      return failure();
    ArrayBuilder arrays(rewriter, op.getLoc());
    std::optional<ir::KnownRange> range = ir::knownRange(start);
    if (!range || range->min < 0 || range->max >= extent) {
      Value least = arrays.fill(ir::elementTypeOf(start), {}, 0);
      Value most = arrays.fill(ir::elementTypeOf(start), {}, static_cast<double>(extent - 1));
      start = sh::ClampOp::create(rewriter, op.getLoc(), start.getType(), least, start, most);
    }
    if (ir::elementTypeOf(start) != element)
      start = sh::ConvertOp::create(rewriter, op.getLoc(), RankedTensorType::get({}, element), start);
    rewriter.replaceOp(op, arrays.broadcast(start, to.getShape(), {}));
    return success();
  }

private:
  // An integer that has every index.
  static bool isWide(Type type) { return type.isInteger() && type.getIntOrFloatBitWidth() >= 32; }
};

struct DynamicUpdateSlicePattern : OpRewritePattern<sh::DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DynamicUpdateSliceOp op, PatternRewriter &rewriter) const override {
    if (op.getUpdate().getType() == op.getType()) {
      rewriter.replaceOp(op, op.getUpdate());
      return success();
    }
    if (typeOf(op.getUpdate()).hasStaticShape() && typeOf(op.getUpdate()).getNumElements() == 0) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    return failure();
  }
};

// The scalar at position i of a rank-1 index vector, as a rank-0 tensor.
Value indexComponent(PatternRewriter &rewriter, Location loc, Value vector, int64_t i) {
  Type element = typeOf(vector).getElementType();
  int64_t one[] = {1}, start[] = {i}, limit[] = {i + 1};
  Value slice = sh::SliceOp::create(rewriter, loc, RankedTensorType::get({1}, element), vector, start, limit, one);
  return sh::ReshapeOp::create(rewriter, loc, RankedTensorType::get({}, element), slice);
}

// The start index for each dimension of the operand; dimensions not in `map` start at zero.
SmallVector<Value> startIndices(PatternRewriter &rewriter, Location loc, Value vector, ArrayRef<int64_t> map,
                                int64_t rank) {
  auto scalarType = RankedTensorType::get({}, typeOf(vector).getElementType());
  Value zero = sh::ConstantOp::create(rewriter, loc, cast<ElementsAttr>(rewriter.getZeroAttr(scalarType)));
  SmallVector<Value> starts(rank, zero);
  for (auto [i, dim] : llvm::enumerate(map))
    starts[dim] = indexComponent(rewriter, loc, vector, i);
  return starts;
}

// The number of index vectors, when there is exactly one, and that vector as rank 1.
Value singleIndexVector(PatternRewriter &rewriter, Location loc, Value indices, int64_t vectorDim) {
  RankedTensorType type = typeOf(indices);
  if (!type.hasStaticShape())
    return {};
  int64_t length = vectorDim == type.getRank() ? 1 : type.getDimSize(vectorDim);
  if (length == 0 || type.getNumElements() != length)
    return {};
  if (type.getRank() == 1)
    return indices;
  return sh::ReshapeOp::create(rewriter, loc, RankedTensorType::get({length}, type.getElementType()), indices);
}

// A gather with one index vector is a dynamic_slice: both clamp the start so that the slice stays inside.
struct GatherPattern : OpRewritePattern<sh::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::GatherOp op, PatternRewriter &rewriter) const override {
    auto numbers = op.getDimensionNumbers();
    RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
    if (!from.hasStaticShape() || !to.hasStaticShape() || from.getRank() == 0 ||
        !numbers.getOperandBatchingDims().empty() || isa<quant::QuantizedType>(from.getElementType()))
      return failure();
    // The offset dimensions keep the order of the operand's, so only unit batch dimensions separate the two shapes.
    Value vector = singleIndexVector(rewriter, op.getLoc(), op.getStartIndices(), numbers.getIndexVectorDim());
    if (!vector)
      return failure();
    SmallVector<Value> starts = startIndices(rewriter, op.getLoc(), vector, numbers.getStartIndexMap(), from.getRank());
    auto sliceType = RankedTensorType::get(op.getSliceSizes(), from.getElementType());
    Value slice =
        sh::DynamicSliceOp::create(rewriter, op.getLoc(), sliceType, op.getOperand(), starts, op.getSliceSizes());
    rewriter.replaceOpWithNewOp<sh::ReshapeOp>(op, to, slice);
    return success();
  }
};

// A scatter that overwrites one window at a constant place inside the operand is a dynamic_update_slice. (Elsewhere the
// two differ: scatter drops what lies outside, dynamic_update_slice moves the window.)
struct ScatterPattern : OpRewritePattern<sh::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ScatterOp op, PatternRewriter &rewriter) const override {
    auto numbers = op.getScatterDimensionNumbers();
    if (op.getInputs().size() != 1 || !numbers.getInputBatchingDims().empty())
      return failure();
    Block &body = op.getUpdateComputation().front();
    if (body.getTerminator()->getOperand(0) != body.getArgument(1))
      return failure();
    RankedTensorType operand = typeOf(op.getInputs()[0]), updates = typeOf(op.getUpdates()[0]);
    DenseIntElementsAttr indices;
    if (!operand.hasStaticShape() || !updates.hasStaticShape() || operand.getRank() == 0 ||
        !matchPattern(op.getScatterIndices(), m_Constant(&indices)) ||
        size_t(indices.getNumElements()) != numbers.getScatterDimsToOperandDims().size())
      return failure();
    SmallVector<int64_t> window = windowShape(operand, updates, numbers);
    if (ShapedType::getNumElements(window) != updates.getNumElements())
      return failure();
    SmallVector<int64_t> start(operand.getRank(), 0);
    for (auto [dim, value] : llvm::zip(numbers.getScatterDimsToOperandDims(), indices.getValues<APInt>()))
      start[dim] = value.getSExtValue();
    for (int64_t i = 0; i < operand.getRank(); ++i)
      if (start[i] < 0 || start[i] + window[i] > operand.getDimSize(i))
        return failure();
    replace(op, start, window, rewriter);
    return success();
  }

private:
  static SmallVector<int64_t> windowShape(RankedTensorType operand, RankedTensorType updates,
                                          sh::ScatterDimensionNumbersAttr numbers) {
    SmallVector<int64_t> window;
    ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
    for (int64_t i = 0, next = 0; i < operand.getRank(); ++i)
      window.push_back(llvm::is_contained(numbers.getInsertedWindowDims(), i) ? 1
                                                                              : updates.getDimSize(windowDims[next++]));
    return window;
  }

  static void replace(sh::ScatterOp op, ArrayRef<int64_t> start, ArrayRef<int64_t> window, PatternRewriter &rewriter) {
    RankedTensorType operand = typeOf(op.getInputs()[0]);
    Value update = sh::ReshapeOp::create(rewriter, op.getLoc(), RankedTensorType::get(window, operand.getElementType()),
                                         op.getUpdates()[0]);
    SmallVector<Value> starts;
    auto indexType = RankedTensorType::get({}, rewriter.getI64Type());
    for (int64_t value : start)
      starts.push_back(sh::ConstantOp::create(rewriter, op.getLoc(),
                                              DenseIntElementsAttr::get(indexType, ArrayRef<int64_t>{value})));
    rewriter.replaceOpWithNewOp<sh::DynamicUpdateSliceOp>(op, operand, op.getInputs()[0], update, starts);
  }
};

// A scatter into an array of equal elements with one update for each of its rows, as the gradient of take_along_axis
// is, is a select over the array, which fuses with what reads it:
//
//   scatter(splat, positions, updates) => select(iota == positions, combine(splat, updates), splat)
struct ScatterIntoRowsPattern : OpRewritePattern<sh::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ScatterOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1 || !hasOneUpdateOfEachRow(op) || !isCombination(op.getUpdateComputation().front()))
      return failure();
    auto numbers = op.getScatterDimensionNumbers();
    RankedTensorType type = typeOf(op.getInputs()[0]);
    // The rows, in the order that the indices have them in.
    SmallVector<std::pair<int64_t, int64_t>> rows;
    for (auto [from, dim] : llvm::zip_equal(numbers.getScatterIndicesBatchingDims(), numbers.getInputBatchingDims()))
      rows.emplace_back(from, dim);
    llvm::sort(rows);
    SmallVector<int64_t> dims = llvm::to_vector(llvm::make_second_range(rows));
    SmallVector<int64_t> sizes = llvm::map_to_vector(dims, [&](int64_t dim) { return type.getDimSize(dim); });
    Value before = splat(op.getInputs()[0], type.clone(sizes), rewriter);
    if (!before)
      return failure();
    ArrayBuilder arrays(rewriter, op.getLoc());
    Value positions = arrays.reshape(op.getScatterIndices(), sizes);
    Value after = combine(op, before, arrays.reshape(op.getUpdates()[0], sizes), rewriter);
    Type indexType = ir::elementTypeOf(positions);
    Value iota = sh::IotaOp::create(rewriter, op.getLoc(), type.clone(indexType), numbers.getInsertedWindowDims()[0]);
    Value isThere =
        arrays.compare(iota, sh::ComparisonDirection::EQ, arrays.broadcast(positions, type.getShape(), dims));
    rewriter.replaceOp(op, arrays.select(isThere, arrays.broadcast(after, type.getShape(), dims), op.getInputs()[0]));
    return success();
  }

private:
  // Rows along a dimension whose indices the type of the positions holds.
  static bool hasOneUpdateOfEachRow(sh::ScatterOp op) {
    auto numbers = op.getScatterDimensionNumbers();
    RankedTensorType type = typeOf(op.getInputs()[0]), positions = typeOf(op.getScatterIndices());
    if (!type.hasStaticShape() || !positions.hasStaticShape() || type.getNumElements() == 0 ||
        !(type.getElementType().isIntOrFloat() || isa<ComplexType>(type.getElementType())) ||
        typeOf(op.getUpdates()[0]).getElementType() != type.getElementType())
      return false;
    ArrayRef<int64_t> row = numbers.getInsertedWindowDims();
    if (row.size() != 1 || !numbers.getUpdateWindowDims().empty() || numbers.getScatterDimsToOperandDims() != row ||
        int64_t(numbers.getInputBatchingDims().size()) + 1 != type.getRank())
      return false;
    int64_t length = type.getDimSize(row[0]);
    return positions.getNumElements() * length == type.getNumElements() &&
           positions.getElementType().getIntOrFloatBitWidth() >= 32 && length <= std::numeric_limits<int32_t>::max();
  }

  // Whether the computation returns the update, or one elementary operation on what was there and the update.
  static bool isCombination(Block &body) {
    Value result = body.getTerminator()->getOperand(0);
    if (result == body.getArgument(1))
      return true;
    Operation *op = result.getDefiningOp();
    return op && op->getBlock() == &body && op->hasTrait<ir::Elementwise>() && op->getNumOperands() == 2 &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return isa<BlockArgument>(operand) && operand.getParentBlock() == &body &&
                    operand.getType() == result.getType();
           });
  }

  static Value combine(sh::ScatterOp op, Value before, Value update, PatternRewriter &rewriter) {
    Block &body = op.getUpdateComputation().front();
    Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
    if (!combiner)
      return update;
    IRMapping mapping;
    mapping.map(body.getArgument(0), before);
    mapping.map(body.getArgument(1), update);
    Operation *made = rewriter.clone(*combiner, mapping);
    made->getResult(0).setType(before.getType());
    return made->getResult(0);
  }

  // The array with another shape, if all of its elements are equal.
  static Value splat(Value array, RankedTensorType type, PatternRewriter &rewriter) {
    SplatElementsAttr constant;
    if (matchPattern(array, m_Constant(&constant)))
      return sh::ConstantOp::create(rewriter, array.getLoc(), constant.resizeSplat(type));
    auto broadcast = array.getDefiningOp<sh::BroadcastInDimOp>();
    if (!broadcast || typeOf(broadcast.getOperand()).getRank() != 0)
      return {};
    return sh::BroadcastInDimOp::create(rewriter, array.getLoc(), type, broadcast.getOperand(), ArrayRef<int64_t>());
  }
};

} // namespace

void populateIndexingPatterns(RewritePatternSet &patterns) {
  patterns.add<SlicePattern, PadPattern, ConcatenatePattern, DynamicSlicePattern, NumberAtIndexPattern,
               DynamicUpdateSlicePattern, GatherPattern, ScatterPattern, ScatterIntoRowsPattern>(patterns.getContext());
}

} // namespace tenon::passes
