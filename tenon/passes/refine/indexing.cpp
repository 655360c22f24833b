// Ops that read or write at places known at run time, of values with bounded dimensions: the sizes of the run, not the
// bounds, say which places there are.

#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class IndexingRefiner {
public:
  explicit IndexingRefiner(Refiner &refiner) : refiner(refiner), emit(refiner.emit) {}

  LogicalResult refine(sh::DynamicSliceOp op) {
    const Refined &operand = refiner.get(op.getOperand());
    FailureOr<SmallVector<Value>> starts = clampedStarts(op, operand, op.getStartIndices(), op.getSliceSizes());
    if (failed(starts))
      return failure();
    SmallVector<Value> operands{operand.value};
    llvm::append_range(operands, *starts);
    return refiner.rebuild(op, operands, SmallVector<Value, 4>(operand.sizes.size()));
  }

  LogicalResult refine(sh::DynamicUpdateSliceOp op) {
    const Refined &operand = refiner.get(op.getOperand()), &update = refiner.get(op.getUpdate());
    if (failed(refuseBounded(op, update)))
      return failure();
    FailureOr<SmallVector<Value>> starts = clampedStarts(op, operand, op.getStartIndices(), update.type().getShape());
    if (failed(starts))
      return failure();
    SmallVector<Value> operands{operand.value, update.value};
    llvm::append_range(operands, *starts);
    return refiner.rebuild(op, operands, operand.sizes);
  }

  LogicalResult refine(sh::GatherOp op) {
    const Refined &operand = refiner.get(op.getOperand());
    Refined indices = refiner.get(op.getStartIndices());
    sh::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
    if (failed(refuseBounded(op, operand, numbers.getOperandBatchingDims())) ||
        failed(refuseBounded(op, indices, {numbers.getIndexVectorDim()})) ||
        failed(refuseBounded(op, indices, numbers.getStartIndicesBatchingDims())) ||
        failed(requireSlices(op, operand, op.getSliceSizes())))
      return failure();
    indices.value = clampedIndices(operand, indices, numbers, op.getSliceSizes());
    SmallVector<Value, 4> sizes(op.getType().getRank());
    placeBatchSizes(indices, numbers.getIndexVectorDim(), numbers.getOffsetDims(), sizes);
    return refiner.rebuild(op, {operand.value, indices.value}, sizes);
  }

  // Indices that do not count are moved out of bounds, where updates are dropped. Those beyond a size but inside the
  // bound change elements that do not count.
  LogicalResult refine(sh::ScatterOp op) {
    sh::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
    SmallVector<Refined> inputs = refiner.getAll(op.getInputs()), updates = refiner.getAll(op.getUpdates());
    Refined indices = refiner.get(op.getScatterIndices());
    if (failed(refuseBounded(op, indices, {numbers.getIndexVectorDim()})) ||
        failed(refuseBounded(op, indices, numbers.getScatterIndicesBatchingDims())))
      return failure();
    for (Refined &input : inputs) {
      if (failed(refuseBounded(op, input, numbers.getInputBatchingDims())))
        return failure();
      for (size_t d = 0; d < input.sizes.size(); ++d)
        if (failed(refiner.unify(op, inputs.front(), d, input, d)))
          return failure();
    }
    for (Refined &update : updates) {
      if (failed(refuseBounded(op, update, numbers.getUpdateWindowDims())) ||
          failed(unifyBatch(op, indices, update, numbers)))
        return failure();
    }
    if (indices.isBounded())
      indices.value = emit.masked(indices, llvm::to_vector(llvm::seq<int64_t>(0, indices.sizes.size())),
                                  outOfBounds(indices.type().getElementType()));
    SmallVector<Value> operands = valuesOf(inputs);
    operands.push_back(indices.value);
    llvm::append_range(operands, valuesOf(updates));
    return refiner.rebuild(op, operands, inputs.front().sizes);
  }

private:
  LogicalResult refuseBounded(Operation *op, const Refined &refined, ArrayRef<int64_t> dimensions) {
    for (int64_t d : dimensions)
      if (d < static_cast<int64_t>(refined.sizes.size()) && refined.isBounded(d))
        return refiner.refuse(op, d);
    return success();
  }
  LogicalResult refuseBounded(Operation *op, const Refined &refined) {
    return refuseBounded(op, refined, llvm::to_vector(llvm::seq<int64_t>(0, refined.sizes.size())));
  }

  // A slice has to be inside.
  LogicalResult requireSlices(Operation *op, const Refined &operand, ArrayRef<int64_t> slice) {
    for (auto [d, length] : llvm::enumerate(slice))
      if (operand.isBounded(d)) {
        Value wanted = emit.i32(length);
        if (failed(refiner.require(op, emit.compare(sh::ComparisonDirection::LE, wanted, operand.sizes[d]),
                                   "takes {0} elements of a dimension of size {1}", {wanted, operand.sizes[d]})))
          return failure();
      }
    return success();
  }

  // Start indices moved so that the slice lies inside the sizes; the op itself does it for the bounds.
  FailureOr<SmallVector<Value>> clampedStarts(Operation *op, const Refined &operand, ValueRange old,
                                              ArrayRef<int64_t> slice) {
    if (failed(requireSlices(op, operand, slice)))
      return failure();
    SmallVector<Value> starts = valuesOf(refiner.getAll(old));
    for (auto [d, start] : llvm::enumerate(starts)) {
      if (!operand.isBounded(d))
        continue;
      Type element = cast<RankedTensorType>(start.getType()).getElementType();
      Value last = emit.convert(emit.subtract(operand.sizes[d], emit.i32(slice[d])), element);
      start = emit.make<sh::ClampOp>(start.getType(), emit.zero(element), start, last);
    }
    return starts;
  }

  Value clampedIndices(const Refined &operand, const Refined &indices, sh::GatherDimensionNumbersAttr numbers,
                       ArrayRef<int64_t> slice) {
    ArrayRef<int64_t> map = numbers.getStartIndexMap();
    if (llvm::none_of(map, [&](int64_t d) { return operand.isBounded(d); }))
      return indices.value;
    RankedTensorType type = indices.type();
    auto vectorType = RankedTensorType::get({1}, emit.builder.getI32Type());
    SmallVector<Value> limits;
    for (int64_t d : map)
      limits.push_back(emit.make<sh::ReshapeOp>(vectorType, emit.subtract(emit.size(operand, d), emit.i32(slice[d]))));
    Value limit = limits.front();
    if (limits.size() > 1)
      limit = emit.make<sh::ConcatenateOp>(vectorType.clone({static_cast<int64_t>(limits.size())}), limits, 0);
    limit = emit.convert(limit, type.getElementType());
    bool isScalar = numbers.getIndexVectorDim() == type.getRank();
    Value spread = isScalar
                       ? emit.fill(emit.reshape(limit, {}), type.getShape())
                       : emit.make<sh::BroadcastInDimOp>(type, limit, ArrayRef<int64_t>{numbers.getIndexVectorDim()});
    return emit.make<sh::ClampOp>(type, emit.zero(type.getElementType()), indices.value, spread);
  }

  // The indices' dimensions but that of the vectors, in order, are the result's (the updates') that `others` leaves.
  static SmallVector<std::pair<int64_t, int64_t>> batchPairs(int64_t indexRank, int64_t vectorDim, int64_t rank,
                                                             ArrayRef<int64_t> others) {
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    int64_t from = 0;
    for (int64_t to = 0; to < rank; ++to) {
      if (llvm::is_contained(others, to))
        continue;
      from += from == vectorDim;
      if (from < indexRank)
        pairs.push_back({from++, to});
    }
    return pairs;
  }

  void placeBatchSizes(const Refined &indices, int64_t vectorDim, ArrayRef<int64_t> offsets,
                       SmallVectorImpl<Value> &sizes) {
    for (auto [from, to] : batchPairs(indices.sizes.size(), vectorDim, sizes.size(), offsets))
      sizes[to] = indices.sizes[from];
  }

  LogicalResult unifyBatch(Operation *op, Refined &indices, Refined &update, sh::ScatterDimensionNumbersAttr numbers) {
    for (auto [from, to] : batchPairs(indices.sizes.size(), numbers.getIndexVectorDim(), update.sizes.size(),
                                      numbers.getUpdateWindowDims()))
      if (failed(refiner.unify(op, indices, from, update, to)))
        return failure();
    return success();
  }

  // An index before (for unsigned types: behind) everything.
  Value outOfBounds(Type element) {
    auto integer = cast<IntegerType>(element);
    APInt value =
        integer.isUnsigned() ? APInt::getMaxValue(integer.getWidth()) : APInt::getSignedMinValue(integer.getWidth());
    auto type = RankedTensorType::get({}, element);
    return sh::ConstantOp::create(emit.builder, emit.loc, DenseElementsAttr::get(type, value));
  }

  Refiner &refiner;
  Emitter &emit;
};

} // namespace

FailureOr<bool> refineIndexing(Refiner &refiner, Operation *op) {
  IndexingRefiner indexing(refiner);
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::DynamicSliceOp, sh::DynamicUpdateSliceOp, sh::GatherOp, sh::ScatterOp>(
          [&](auto concrete) -> FailureOr<bool> {
            if (failed(indexing.refine(concrete)))
              return failure();
            return true;
          })
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
