// Elementwise ops, and ops that move elements to places known at compile time, of values with bounded dimensions.

#include "tenon/ir/chlo.h"
#include "tenon/ir/infer.h"
#include "tenon/ir/traits.h"
#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class MovementRefiner {
public:
  explicit MovementRefiner(Refiner &refiner) : refiner_(refiner), emit_(refiner.emit) {}

  // Operands of the same shape: each dimension's size is that of all of them.
  LogicalResult refineElementwise(Operation *op) {
    SmallVector<BoundedTensor> operands = refiner_.getAll(op->getOperands());
    // Scalars count at every index.
    SmallVector<BoundedTensor *> arrays;
    for (BoundedTensor &operand : operands)
      if (!operand.sizes.empty())
        arrays.push_back(&operand);
    if (failed(unifyAll(op, arrays, /*but=*/-1)))
      return failure();
    return refiner_.rebuild(op, valuesOf(operands), arrays.front()->sizes);
  }

  LogicalResult refine(sh::OptimizationBarrierOp op) {
    SmallVector<BoundedTensor> operands = refiner_.getAll(op.getOperands());
    auto copy = sh::OptimizationBarrierOp::create(emit_.builder, op.getLoc(), valuesOf(operands));
    for (auto [i, operand, value] : llvm::enumerate(operands, copy->getResults())) {
      operand.value = value;
      if (failed(refiner_.put(op, i, operand)))
        return failure();
    }
    return success();
  }

  LogicalResult refine(sh::TransposeOp op) {
    const BoundedTensor &operand = refiner_.get(op.getOperand());
    SmallVector<Value, 4> sizes;
    for (int64_t d : op.getPermutation())
      sizes.push_back(operand.sizes[d]);
    return refiner_.rebuild(op, {operand.value}, sizes);
  }

  LogicalResult refine(sh::BroadcastInDimOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    SmallVector<int64_t> shape(op.getType().getShape());
    SmallVector<Value, 4> sizes(shape.size());
    // Only one element is stretched to more than there can be.
    for (auto [d, target] : llvm::enumerate(op.getBroadcastDimensions()))
      if (operand.isBounded(d) && shape[target] > operand.dim(d) &&
          failed(refiner_.fix(op, operand, static_cast<int64_t>(d), 1)))
        return failure();
    for (auto [d, target] : llvm::enumerate(op.getBroadcastDimensions()))
      if (operand.isBounded(d)) {
        shape[target] = operand.dim(d);
        sizes[target] = operand.sizes[d];
      } else if (ShapedType::isDynamic(shape[target])) {
        shape[target] = operand.dim(d);
      }
    for (auto [d, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        return op.emitOpError() << "nothing determines the size of dimension " << d << " of the result";
    auto type = RankedTensorType::get(shape, op.getType().getElementType());
    Value result = emit_.make<sh::BroadcastInDimOp>(type, operand.value, op.getBroadcastDimensions());
    return refiner_.put(op, BoundedTensor(result, sizes));
  }

  LogicalResult refine(sh::BroadcastOp op) {
    const BoundedTensor &operand = refiner_.get(op.getOperand());
    SmallVector<Value, 4> sizes(op.getBroadcastSizes().size());
    llvm::append_range(sizes, operand.sizes);
    return refiner_.rebuild(op, {operand.value}, sizes);
  }

  // One size that the type does not know follows from the number of elements.
  LogicalResult refine(sh::ReshapeOp op) {
    const BoundedTensor &operand = refiner_.get(op.getOperand());
    Value count = emit_.i32(1), known = emit_.i32(1);
    for (size_t d = 0; d < operand.sizes.size(); ++d)
      count = emit_.multiply(count, emit_.size(operand, d));
    for (int64_t size : op.getType().getShape())
      if (!ShapedType::isDynamic(size))
        known = emit_.multiply(known, emit_.i32(size));
    SmallVector<Extent> shape;
    for (int64_t d = 0; d < op.getType().getRank(); ++d) {
      if (op.getType().isDynamicDim(d) && op.getType().getNumDynamicDims() > 1)
        return op.emitOpError("has a result type with more than one unknown size");
      Value size = emit_.divide(count, known);
      if (op.getType().isDynamicDim(d) && !constantInteger(size) && *constantInteger(known) > 0) {
        shape.push_back({operand.type().getNumElements() / *constantInteger(known), size});
        continue;
      }
      if (!op.getType().isDynamicDim(d)) {
        shape.push_back({op.getType().getDimSize(d), Value()});
        continue;
      }
      FailureOr<Extent> extent = refiner_.extent(op, size, op.getType(), d);
      if (failed(extent))
        return failure();
      shape.push_back(*extent);
    }
    return refineReshape(refiner_, op, operand, shape);
  }

  // Elements of another width are split along, or joined from, a last dimension of known length.
  LogicalResult refine(sh::BitcastConvertOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    auto rank = static_cast<int64_t>(operand.sizes.size()), resultRank = op.getType().getRank();
    if (resultRank < rank && operand.isBounded(rank - 1)) {
      int64_t pieces = sh::bitWidth(op.getType().getElementType()) / sh::bitWidth(operand.type().getElementType());
      if (failed(refiner_.fix(op, operand, rank - 1, pieces)))
        return failure();
    }
    SmallVector<Value, 4> sizes = operand.sizes;
    sizes.resize(resultRank);
    return refiner_.rebuild(op, operand.value, sizes);
  }

  LogicalResult refine(sh::SliceOp op) {
    const BoundedTensor &operand = refiner_.get(op.getOperand());
    for (auto [d, limit] : llvm::enumerate(op.getLimitIndices()))
      if (operand.isBounded(d)) {
        Value end = emit_.i32(limit);
        if (failed(refiner_.require(op, emit_.compare(sh::ComparisonDirection::LE, end, operand.sizes[d]),
                                    "slices up to {0} of a dimension of size {1}", {end, operand.sizes[d]})))
          return failure();
      }
    return refiner_.rebuild(op, {operand.value}, SmallVector<Value, 4>(operand.sizes.size()));
  }

  // Padding follows the last valid element, so the elements behind that are set to the padding value.
  LogicalResult refine(sh::PadOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    const BoundedTensor &padding = refiner_.get(op.getPaddingValue());
    SmallVector<Value, 4> sizes;
    for (size_t d = 0; d < operand.sizes.size(); ++d) {
      Value size = operand.sizes[d];
      if (size) {
        Value zero = emit_.i32(0), gaps = emit_.maximum(emit_.subtract(size, emit_.i32(1)), zero);
        Value holes = emit_.multiply(gaps, emit_.i32(op.getInteriorPadding()[d]));
        size = emit_.add(emit_.add(size, holes), emit_.i32(op.getEdgePaddingLow()[d] + op.getEdgePaddingHigh()[d]));
        if (failed(refiner_.require(op, emit_.compare(sh::ComparisonDirection::GE, size, zero),
                                    "padded size must be >= 0, got {0}", {size})))
          return failure();
      }
      sizes.push_back(size);
    }
    operand.value = emit_.masked(operand, llvm::to_vector(llvm::seq<int64_t>(0, sizes.size())), padding.value);
    return refiner_.rebuild(op, {operand.value, padding.value}, sizes);
  }

  // Each input is written behind the elements that count of those before it.
  LogicalResult refine(sh::ConcatenateOp op) {
    auto along = static_cast<int64_t>(op.getDimension());
    SmallVector<BoundedTensor> inputs = refiner_.getAll(op.getInputs());
    SmallVector<BoundedTensor *> arrays;
    for (BoundedTensor &input : inputs)
      arrays.push_back(&input);
    if (failed(unifyAll(op, arrays, along)))
      return failure();
    SmallVector<Value, 4> sizes = inputs.front().sizes;
    bool moves = llvm::any_of(inputs, [&](const BoundedTensor &input) { return input.isBounded(along); });
    if (!moves)
      return refiner_.rebuild(op, valuesOf(inputs), sizes);
    int64_t length = 0;
    for (const BoundedTensor &input : inputs)
      length += input.dim(along);
    Value zero = emit_.i32(0), offset = emit_.size(inputs.front(), along);
    Value result = emit_.resize(inputs.front().value, along, length);
    for (const BoundedTensor &input : llvm::drop_begin(inputs)) {
      SmallVector<Value> starts(sizes.size(), zero);
      starts[along] = offset;
      result = emit_.make<sh::DynamicUpdateSliceOp>(result.getType(), result, input.value, starts);
      offset = emit_.add(offset, emit_.size(input, along));
    }
    sizes[along] = offset;
    return refiner_.put(op, BoundedTensor(result, sizes));
  }

  // The padded dimension reversed has its elements at the end.
  LogicalResult refine(sh::ReverseOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    for (int64_t d : op.getDimensions()) {
      int64_t length = operand.dim(d);
      Value last = emit_.subtract(emit_.size(operand, d), emit_.i32(1));
      operand.value = length == 0 ? operand.value
                                  : emit_.take(operand.value, d,
                                               emit_.subtract(emit_.fill(last, {length}), emit_.iota({length}, 0)));
    }
    return refiner_.put(op, operand);
  }

private:
  // Makes all dimensions but one the same. Twice, so that what the last one knows reaches the first ones.
  LogicalResult unifyAll(Operation *op, ArrayRef<BoundedTensor *> values, int64_t but) {
    for (int round = 0; round < 2; ++round)
      for (BoundedTensor *other : llvm::drop_begin(values))
        for (int64_t d = 0; d < static_cast<int64_t>(other->sizes.size()); ++d)
          if (d != but && failed(refiner_.unify(op, *values.front(), d, *other, d)))
            return failure();
    return success();
  }

  Refiner &refiner_;
  Emitter &emit_;
};

} // namespace

FailureOr<bool> refineMovement(Refiner &refiner, Operation *op) {
  MovementRefiner movement(refiner);
  auto refine = [&](auto concrete) -> FailureOr<bool> {
    if (failed(movement.refine(concrete)))
      return failure();
    return true;
  };
  if ((op->hasTrait<ir::Elementwise>() && op->getNumResults() == 1) || isa<sh::MapOp, chlo::ConstantLikeOp>(op)) {
    if (failed(movement.refineElementwise(op)))
      return failure();
    return true;
  }
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::OptimizationBarrierOp, sh::TransposeOp, sh::BroadcastInDimOp, sh::BroadcastOp, sh::ReshapeOp,
            sh::BitcastConvertOp, sh::SliceOp, sh::PadOp, sh::ConcatenateOp, sh::ReverseOp>(refine)
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
