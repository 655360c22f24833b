// Ops that take a shape, or a size, as an operand.

#include "tenon/passes/refine/refiner.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

#include <array>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class DynamicRefiner {
public:
  explicit DynamicRefiner(Refiner &refiner) : refiner_(refiner), emit_(refiner.emit) {}

  LogicalResult refine(sh::GetDimensionSizeOp op) {
    return refiner_.put(op, BoundedTensor(emit_.size(refiner_.get(op.getOperand()), op.getDimension())));
  }

  // A smaller size keeps the first elements.
  LogicalResult refine(sh::SetDimensionSizeOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    auto d = static_cast<int64_t>(op.getDimension());
    Value size = refiner_.get(op.getSize()).value, limit = emit_.size(operand, d);
    Value fits = emit_.logicalAnd(emit_.compare(sh::ComparisonDirection::GE, size, emit_.i32(0)),
                                  emit_.compare(sh::ComparisonDirection::LE, size, limit));
    if (failed(refiner_.require(op, fits, "sets a dimension of size {1} to {0}", {size, limit})))
      return failure();
    if (std::optional<int64_t> constant = constantInteger(size)) {
      operand.value = emit_.resize(operand.value, d, *constant);
      operand.sizes[d] = nullptr;
    } else {
      operand.sizes[d] = size;
    }
    return refiner_.put(op, operand);
  }

  LogicalResult refine(sh::DynamicIotaOp op) {
    FailureOr<SmallVector<Extent>> shape = shapeOf(op, op.getOutputShape());
    if (failed(shape))
      return failure();
    auto type = RankedTensorType::get(lengthsOf(*shape), op.getType().getElementType());
    Value result = sh::IotaOp::create(emit_.builder, op.getLoc(), type, op.getIotaDimension());
    return refiner_.put(op, BoundedTensor(result, sizesOf(*shape)));
  }

  LogicalResult refine(sh::RngOp op) {
    FailureOr<SmallVector<Extent>> shape = shapeOf(op, op.getShape());
    if (failed(shape))
      return failure();
    for (auto [d, extent] : llvm::enumerate(*shape))
      if (extent.size)
        return refiner_.refuse(op, static_cast<int64_t>(d));
    auto type = RankedTensorType::get(shape->size(), emit_.builder.getI64Type());
    Value sizes = emit_.make<sh::ConstantOp>(DenseIntElementsAttr::get(type, ArrayRef<int64_t>(lengthsOf(*shape))));
    return refiner_.rebuild(op, {refiner_.get(op.getA()).value, refiner_.get(op.getB()).value, sizes},
                            SmallVector<Value, 4>(shape->size()));
  }

  LogicalResult refine(sh::DynamicReshapeOp op) {
    FailureOr<SmallVector<Extent>> shape = shapeOf(op, op.getOutputShape());
    return failed(shape) ? failure() : refineReshape(refiner_, op, refiner_.get(op.getOperand()), *shape);
  }

  LogicalResult refine(sh::DynamicBroadcastInDimOp op) {
    FailureOr<SmallVector<Extent>> shape = shapeOf(op, op.getOutputDimensions());
    if (failed(shape))
      return failure();
    BoundedTensor operand = refiner_.get(op.getOperand());
    // A dimension of size 1 is repeated; any other has the result's size.
    for (auto [d, target] : llvm::enumerate(op.getBroadcastDimensions())) {
      Extent &extent = (*shape)[target];
      if (!operand.isBounded(d) && operand.dim(d) == 1)
        continue;
      if (failed(
              refiner_.requireEqual(op, emit_.size(operand, d), extent.size ? extent.size : emit_.i32(extent.length))))
        return failure();
      if (!operand.isBounded(d))
        extent = {operand.dim(d), Value()};
      else if (extent.size)
        extent.length = std::min(extent.length, operand.dim(d));
      operand.value = emit_.resize(operand.value, d, extent.length);
    }
    auto type = RankedTensorType::get(lengthsOf(*shape), op.getType().getElementType());
    auto copy =
        sh::BroadcastInDimOp::create(emit_.builder, op.getLoc(), type, operand.value, op.getBroadcastDimensions());
    return finish(op, copy, sizesOf(*shape));
  }

  LogicalResult refine(sh::RealDynamicSliceOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    return refineEachDimension(
        op, operand, {op.getStartIndices(), op.getLimitIndices(), op.getStrides()},
        [&](int64_t d, Value start, Value limit, Value stride) { return slice(op, operand, d, start, limit, stride); });
  }

  LogicalResult refine(sh::DynamicPadOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    Value padding = refiner_.get(op.getPaddingValue()).value;
    return refineEachDimension(op, operand, {op.getEdgePaddingLow(), op.getEdgePaddingHigh(), op.getInteriorPadding()},
                               [&](int64_t d, Value low, Value high, Value interior) {
                                 return pad(op, operand, d, padding, low, high, interior);
                               });
  }

  LogicalResult refine(sh::DynamicGatherOp op) {
    FailureOr<Value> list =
        refiner_.list(op, op.getSliceSizes(), cast<RankedTensorType>(op.getOperand().getType()).getRank());
    if (failed(list))
      return failure();
    auto sizes = constantIntegers(*list);
    if (!sizes)
      return op.emitOpError("slice_sizes must be known when the program is compiled");
    // The old program gets the op, which is refined like any other.
    OpBuilder old(op);
    auto gather = sh::GatherOp::create(old, op.getLoc(), op.getType(), op.getOperand(), op.getStartIndices(),
                                       op.getDimensionNumbers(), *sizes, op.getIndicesAreSorted());
    op->replaceAllUsesWith(gather);
    return refiner_.refineOp(*gather);
  }

  LogicalResult refine(sh::DynamicConvOp op) {
    BoundedTensor pairs = refiner_.get(op.getPadding());
    int64_t spatial = cast<RankedTensorType>(op.getLhs().getType()).getRank() - 2;
    if (failed(refiner_.fix(op, pairs, 0, spatial)) || failed(refiner_.fix(op, pairs, 1, 2)))
      return failure();
    auto padding = constantIntegers(pairs.value);
    if (!padding)
      return op.emitOpError("padding must be known when the program is compiled");
    OperationState state(op.getLoc(), sh::ConvolutionOp::getOperationName(), {op.getLhs(), op.getRhs()}, op.getType(),
                         op->getAttrs());
    auto type = RankedTensorType::get({static_cast<int64_t>(padding->size()) / 2, 2}, emit_.builder.getI64Type());
    state.addAttribute("padding", DenseIntElementsAttr::get(type, ArrayRef<int64_t>(*padding)));
    // The new op replaces the old one and is refined in its place, as for gather.
    Operation *convolution = OpBuilder(op).create(state);
    op->replaceAllUsesWith(convolution);
    return refiner_.refineOp(*convolution);
  }

private:
  // Calls `change` for one dimension after the other with its numbers of the three lists. `change` refines the operand,
  // which becomes the result.
  LogicalResult refineEachDimension(Operation *op, const BoundedTensor &operand, std::array<Value, 3> lists,
                                    function_ref<LogicalResult(int64_t, Value, Value, Value)> change) {
    auto rank = static_cast<int64_t>(operand.sizes.size());
    for (Value &list : lists) {
      FailureOr<Value> refined = refiner_.list(op, list, rank);
      if (failed(refined))
        return failure();
      list = *refined;
    }
    for (int64_t d = 0; d < rank; ++d)
      if (failed(change(d, emit_.element(lists[0], d), emit_.element(lists[1], d), emit_.element(lists[2], d))))
        return failure();
    return refiner_.put(op, operand);
  }

  FailureOr<SmallVector<Extent>> shapeOf(Operation *op, Value sizes) {
    return refiner_.extents(op, sizes, cast<RankedTensorType>(op->getResult(0).getType()));
  }

  // Checks the op that replaces `op`, which may have been given shapes that do not go together.
  LogicalResult finish(Operation *op, Operation *copy, SmallVector<Value, 4> sizes = {}) {
    if (failed(verifyCopy(copy)))
      return failure();
    BoundedTensor result(emit_.folded(copy).front());
    if (!sizes.empty())
      result.sizes = std::move(sizes);
    return refiner_.put(op, std::move(result));
  }

  // Positions start, start + stride, ... below limit of one dimension.
  LogicalResult slice(sh::RealDynamicSliceOp op, BoundedTensor &operand, int64_t d, Value start, Value limit,
                      Value stride) {
    Value one = emit_.i32(1), length = lengthOf(start, limit);
    auto constantStride = constantInteger(stride);
    if (!constantInteger(length) || constantStride != 1)
      length = emit_.divide(emit_.subtract(emit_.add(length, stride), one), stride);
    FailureOr<Extent> extent = refiner_.extent(op, length, op.getType(), d);
    if (failed(extent))
      return failure();
    Value zero = emit_.i32(0), size = emit_.size(operand, d);
    using enum sh::ComparisonDirection;
    Value inside = emit_.logicalAnd(emit_.logicalAnd(emit_.compare(LE, zero, start), emit_.compare(LE, start, limit)),
                                    emit_.logicalAnd(emit_.compare(LE, limit, size), emit_.compare(GE, stride, one)));
    if (failed(refiner_.require(op, inside, "slices {0} to {1} by {2} of a dimension of size {3}",
                                {start, limit, stride, size})))
      return failure();
    auto first = constantInteger(start);
    if (first == 0 && constantStride == 1) {
      operand.value = emit_.resize(operand.value, d, std::min(extent->length, operand.dim(d)));
      extent->length = operand.dim(d);
    } else if (first && constantStride && !extent->size) {
      SmallVector<int64_t> starts(operand.sizes.size(), 0), strides(starts.size(), 1);
      SmallVector<int64_t> limits(operand.type().getShape()), shape(limits);
      starts[d] = *first;
      strides[d] = *constantStride;
      limits[d] = std::min(*first + extent->length * *constantStride, operand.dim(d));
      shape[d] = extent->length;
      operand.value = emit_.make<sh::SliceOp>(operand.type().clone(shape), operand.value, starts, limits, strides);
    } else if (!extent->size && constantStride == 1) {
      SmallVector<Value> starts(operand.sizes.size(), zero);
      SmallVector<int64_t> shape(operand.type().getShape());
      starts[d] = start;
      shape[d] = extent->length;
      operand.value = emit_.make<sh::DynamicSliceOp>(operand.type().clone(shape), operand.value, starts, shape);
    } else {
      ArrayRef<int64_t> length(extent->length);
      Value steps = emit_.multiply(emit_.iota(length, 0), emit_.fill(stride, length));
      operand.value = emit_.take(operand.value, d, emit_.add(emit_.fill(start, length), steps));
    }
    operand.sizes[d] = extent->size;
    return success();
  }

  // limit - start. A limit that was computed as start + n is n away.
  Value lengthOf(Value start, Value limit) {
    auto unconverted = [](Value value) -> Value {
      auto convert = value.getDefiningOp<sh::ConvertOp>();
      if (!convert)
        return value;
      auto clamp = convert.getOperand().getDefiningOp<sh::ClampOp>();
      // Emitter::toSize's.
      bool isUnsigned = getElementTypeOrSelf(convert.getOperand()).isUnsignedInteger();
      bool byToSize = clamp && constantInteger(clamp.getMax()) == INT32_MAX &&
                      constantInteger(clamp.getMin()) == (isUnsigned ? 0 : INT32_MIN);
      return byToSize ? Value(clamp.getOperand()) : Value(convert.getOperand());
    };
    if (auto sum = unconverted(limit).getDefiningOp<sh::AddOp>()) {
      if (isSame(sum.getLhs(), unconverted(start)))
        return emit_.toSize(sum.getRhs());
      if (isSame(sum.getRhs(), unconverted(start)))
        return emit_.toSize(sum.getLhs());
    }
    return emit_.subtract(limit, start);
  }

  // low + size + (size - 1) * interior + high elements, of which those at low + i * (interior + 1) are the operand's.
  LogicalResult pad(sh::DynamicPadOp op, BoundedTensor &operand, int64_t d, Value padding, Value low, Value high,
                    Value interior) {
    Value zero = emit_.i32(0), one = emit_.i32(1), size = emit_.size(operand, d);
    using enum sh::ComparisonDirection;
    if (failed(refiner_.require(op, emit_.compare(GE, interior, zero), "interior padding must be >= 0, got {0}",
                                {interior})))
      return failure();
    Value holes = emit_.multiply(emit_.maximum(emit_.subtract(size, one), zero), interior);
    Value total = emit_.add(emit_.add(low, emit_.add(size, holes)), high);
    FailureOr<Extent> extent = refiner_.extent(op, total, op.getType(), d);
    if (failed(extent))
      return failure();
    auto constantLow = constantInteger(low), constantHigh = constantInteger(high);
    auto constantInterior = constantInteger(interior);
    if (constantLow == 0 && constantHigh == 0 && (constantInterior == 0 || operand.dim(d) <= 1))
      return success();
    if (constantLow && constantHigh && constantInterior && !operand.isBounded(d)) {
      SmallVector<int64_t> lows(operand.sizes.size(), 0), highs(lows), interiors(lows);
      SmallVector<int64_t> shape(operand.type().getShape());
      shape[d] = extent->length;
      lows[d] = *constantLow;
      highs[d] = *constantHigh;
      interiors[d] = *constantInterior;
      operand.value =
          emit_.make<sh::PadOp>(operand.type().clone(shape), operand.value, padding, lows, highs, interiors);
      return success();
    }
    ArrayRef<int64_t> length(extent->length);
    Value step = emit_.fill(emit_.add(interior, one), length);
    Value offset = emit_.subtract(emit_.iota(length, 0), emit_.fill(low, length));
    Value position = emit_.divide(offset, step);
    Value taken = emit_.logicalAnd(emit_.logicalAnd(emit_.compare(GE, offset, emit_.fill(zero, length)),
                                                    emit_.compare(LT, position, emit_.fill(size, length))),
                                   emit_.compare(EQ, emit_.remainder(offset, step), emit_.fill(zero, length)));
    Value gathered =
        operand.dim(d) == 0 ? emit_.resize(operand.value, d, extent->length) : emit_.take(operand.value, d, position);
    auto type = cast<RankedTensorType>(gathered.getType());
    Value mask = emit_.make<sh::BroadcastInDimOp>(type.clone(emit_.builder.getI1Type()), taken, ArrayRef<int64_t>{d});
    operand.value = emit_.select(mask, gathered, emit_.fill(padding, type.getShape()));
    operand.sizes[d] = extent->size;
    return success();
  }

  Refiner &refiner_;
  Emitter &emit_;
};

} // namespace

FailureOr<bool> refineDynamic(Refiner &refiner, Operation *op) {
  DynamicRefiner dynamic(refiner);
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::GetDimensionSizeOp, sh::SetDimensionSizeOp, sh::DynamicIotaOp, sh::RngOp, sh::DynamicReshapeOp,
            sh::DynamicBroadcastInDimOp, sh::RealDynamicSliceOp, sh::DynamicPadOp, sh::DynamicGatherOp,
            sh::DynamicConvOp>([&](auto concrete) -> FailureOr<bool> {
        if (failed(dynamic.refine(concrete)))
          return failure();
        return true;
      })
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
