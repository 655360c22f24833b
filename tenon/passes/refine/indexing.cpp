// Ops that read or write at places known at run time, of values with bounded dimensions: the sizes of the run, not the
// bounds, say which places there are.

#include "tenon/ir/infer.h"
#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class IndexingRefiner {
public:
  explicit IndexingRefiner(Refiner &refiner) : refiner_(refiner), emit_(refiner.emit) {}

  LogicalResult refine(sh::DynamicSliceOp op) {
    const BoundedTensor &operand = refiner_.get(op.getOperand());
    SmallVector<Value> lengths;
    for (int64_t length : op.getSliceSizes())
      lengths.push_back(emit_.i32(length));
    FailureOr<SmallVector<Value>> starts = clampedStarts(op, operand, op.getStartIndices(), lengths);
    if (failed(starts))
      return failure();
    SmallVector<Value> operands{operand.value};
    llvm::append_range(operands, *starts);
    return refiner_.rebuild(op, operands, SmallVector<Value, 4>(operand.sizes.size()));
  }

  LogicalResult refine(sh::DynamicUpdateSliceOp op) {
    const BoundedTensor &operand = refiner_.get(op.getOperand()), &update = refiner_.get(op.getUpdate());
    SmallVector<Value> lengths;
    for (size_t d = 0; d < update.sizes.size(); ++d)
      lengths.push_back(emit_.size(update, d));
    FailureOr<SmallVector<Value>> starts = clampedStarts(op, operand, op.getStartIndices(), lengths);
    if (failed(starts))
      return failure();
    if (update.isBounded())
      return refiner_.put(op, BoundedTensor(updated(operand, update, *starts), operand.sizes));
    SmallVector<Value> operands{operand.value, update.value};
    llvm::append_range(operands, *starts);
    return refiner_.rebuild(op, operands, operand.sizes);
  }

  LogicalResult refine(sh::GatherOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand()), indices = refiner_.get(op.getStartIndices());
    sh::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
    for (auto [d, i] : llvm::zip_equal(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()))
      if (failed(refiner_.unify(op, operand, d, indices, i)))
        return failure();
    if (failed(
            fixIndexVectors(refiner_, op, indices, numbers.getIndexVectorDim(), numbers.getStartIndexMap().size())) ||
        failed(requireSlices(op, operand,
                             llvm::map_to_vector(op.getSliceSizes(), [&](int64_t n) { return emit_.i32(n); }))))
      return failure();
    indices.value = clampedIndices(operand, indices, numbers, op.getSliceSizes());
    SmallVector<Value, 4> sizes(op.getType().getRank());
    placeBatchSizes(indices, numbers.getIndexVectorDim(), numbers.getOffsetDims(), sizes);
    return refiner_.rebuild(op, {operand.value, indices.value}, sizes);
  }

  // The result is the operand with its dimension `dim` replaced by those of the index behind the batch dimensions.
  LogicalResult refine(sh::TorchIndexSelectOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand()), index = refiner_.get(op.getIndex());
    auto rank = static_cast<int64_t>(operand.sizes.size()), indexRank = static_cast<int64_t>(index.sizes.size());
    auto dim = static_cast<int64_t>(op.getDim()), batch = sh::batchDims(op);
    for (int64_t d = 0; d < batch; ++d)
      if (failed(refiner_.unify(op, operand, d, index, d)))
        return failure();
    if (operand.isBounded(dim)) {
      Value size = operand.sizes[dim], one = emit_.i32(1);
      if (failed(refiner_.require(op, emit_.compare(sh::ComparisonDirection::GE, size, one),
                                  "selects along a dimension that is empty", {})))
        return failure();
      index.value = emit_.toSize(index.value);
      index.value = emit_.make<sh::ClampOp>(index.type(), emit_.i32(0), index.value, emit_.subtract(size, one));
    }
    SmallVector<int64_t> shape;
    SmallVector<Value, 4> sizes;
    auto take = [&](const BoundedTensor &from, int64_t first, int64_t last) {
      for (int64_t d = first; d < last; ++d) {
        shape.push_back(from.dim(d));
        sizes.push_back(from.sizes[d]);
      }
    };
    take(operand, 0, dim);
    take(index, batch, indexRank);
    take(operand, dim + 1, rank);
    Operation *copy = emit_.builder.clone(*op);
    copy->setOperands({operand.value, index.value});
    copy->getResult(0).setType(operand.type().clone(shape));
    return refiner_.put(op, BoundedTensor(copy->getResult(0), sizes));
  }

private:
  // A slice has to be inside.
  LogicalResult requireSlices(Operation *op, const BoundedTensor &operand, ArrayRef<Value> lengths) {
    for (auto [d, wanted] : llvm::enumerate(lengths)) {
      Value size = emit_.size(operand, d);
      if ((operand.isBounded(d) || !constantInteger(wanted)) &&
          failed(refiner_.require(op, emit_.compare(sh::ComparisonDirection::LE, wanted, size),
                                  "takes {0} elements of a dimension of size {1}", {wanted, size})))
        return failure();
    }
    return success();
  }

  // Start indices moved so that the slice lies inside the sizes; the op itself does it for the bounds.
  FailureOr<SmallVector<Value>> clampedStarts(Operation *op, const BoundedTensor &operand, ValueRange old,
                                              ArrayRef<Value> lengths) {
    if (failed(requireSlices(op, operand, lengths)))
      return failure();
    SmallVector<Value> starts = valuesOf(refiner_.getAll(old));
    for (auto [d, start] : llvm::enumerate(starts)) {
      if (!operand.isBounded(d) && constantInteger(lengths[d]))
        continue;
      start = emit_.toSize(start);
      start = emit_.make<sh::ClampOp>(start.getType(), emit_.i32(0), start,
                                      emit_.subtract(emit_.size(operand, d), lengths[d]));
    }
    // Starts have one type.
    if (llvm::any_of(starts, [&](Value start) { return start.getType() != starts.front().getType(); }))
      for (Value &start : starts)
        start = emit_.toSize(start);
    return starts;
  }

  // Writes the valid elements of the update inside the operand, which gets as much room behind it as the rest takes.
  Value updated(const BoundedTensor &operand, const BoundedTensor &update, ArrayRef<Value> starts) {
    Value roomy = operand.value;
    auto all = llvm::seq<int64_t>(0, starts.size());
    for (int64_t d : all)
      if (update.isBounded(d))
        roomy = emit_.resize(roomy, d, operand.dim(d) + update.dim(d));
    ArrayRef<int64_t> shape = update.type().getShape();
    Value before = emit_.make<sh::DynamicSliceOp>(operand.type().clone(shape), roomy, starts, shape);
    Value written = emit_.select(emit_.validMask(update, llvm::to_vector(all)), update.value, before);
    Value after = emit_.make<sh::DynamicUpdateSliceOp>(roomy.getType(), roomy, written, starts);
    for (int64_t d : all)
      after = emit_.resize(after, d, operand.dim(d));
    return after;
  }

  Value clampedIndices(const BoundedTensor &operand, const BoundedTensor &indices,
                       sh::GatherDimensionNumbersAttr numbers, ArrayRef<int64_t> slice) {
    ArrayRef<int64_t> map = numbers.getStartIndexMap();
    if (llvm::none_of(map, [&](int64_t d) { return operand.isBounded(d); }))
      return indices.value;
    Value places = emit_.toSize(indices.value);
    SmallVector<Value> last; // at which a slice lies inside
    for (int64_t d : map)
      last.push_back(emit_.subtract(emit_.size(operand, d), emit_.i32(slice[d])));
    Value limit = alongIndexVectors(emit_, last, indices.type().getShape(), numbers.getIndexVectorDim());
    return emit_.make<sh::ClampOp>(places.getType(), emit_.i32(0), places, limit);
  }

  void placeBatchSizes(const BoundedTensor &indices, int64_t vectorDim, ArrayRef<int64_t> offsets,
                       SmallVectorImpl<Value> &sizes) {
    for (auto [from, to] : batchPairs(indices.sizes.size(), vectorDim, sizes.size(), offsets))
      sizes[to] = indices.sizes[from];
  }

  Refiner &refiner_;
  Emitter &emit_;
};

} // namespace

FailureOr<bool> refineIndexing(Refiner &refiner, Operation *op) {
  IndexingRefiner indexing(refiner);
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::DynamicSliceOp, sh::DynamicUpdateSliceOp, sh::GatherOp, sh::TorchIndexSelectOp>(
          [&](auto concrete) -> FailureOr<bool> {
            if (failed(indexing.refine(concrete)))
              return failure();
            return true;
          })
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
