// Scatter with bounded dimensions. Updates that do not count, and windows that do not lie inside the sizes as a whole,
// get indices out of bounds, where updates are dropped.

#include "tenon/ir/infer.h"
#include "tenon/passes/refine/refiner.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {

LogicalResult fixIndexVectors(Refiner &refiner, Operation *op, BoundedTensor &indices, int64_t vectorDim,
                              int64_t components) {
  return vectorDim < static_cast<int64_t>(indices.sizes.size()) ? refiner.fix(op, indices, vectorDim, components)
                                                                : success();
}

Value alongIndexVectors(Emitter &emit, ArrayRef<Value> numbers, ArrayRef<int64_t> shape, int64_t vectorDim) {
  if (vectorDim == static_cast<int64_t>(shape.size()))
    return emit.fill(numbers.front(), shape);
  auto type = RankedTensorType::get({1}, emit.builder.getI32Type());
  SmallVector<Value> parts;
  for (Value number : numbers)
    parts.push_back(emit.reshape(number, {1}));
  Value vector = parts.front();
  if (parts.size() > 1)
    vector = emit.make<sh::ConcatenateOp>(type.clone({static_cast<int64_t>(parts.size())}), parts, 0);
  return emit.make<sh::BroadcastInDimOp>(type.clone(shape), vector, ArrayRef<int64_t>{vectorDim});
}

SmallVector<std::pair<int64_t, int64_t>> batchPairs(int64_t indexRank, int64_t vectorDim, int64_t rank,
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

namespace {

class ScatterRefiner {
public:
  ScatterRefiner(Refiner &refiner, sh::ScatterOp op)
      : refiner_(refiner), emit_(refiner.emit), op_(op), numbers_(op.getScatterDimensionNumbers()),
        inputs_(refiner.getAll(op.getInputs())), updates_(refiner.getAll(op.getUpdates())),
        indices_(refiner.get(op.getScatterIndices())) {}

  LogicalResult refine() {
    if (failed(unifyOperands()))
      return failure();
    indices_.value = emit_.toSize(indices_.value);
    bool windowsAreBounded =
        llvm::any_of(numbers_.getUpdateWindowDims(), [&](int64_t d) { return updates_.front().isBounded(d); });
    Operation *copy = op_->clone();
    if (windowsAreBounded)
      scatterElements(cast<sh::ScatterOp>(copy));
    else
      scatterWindows();
    SmallVector<Value> operands = valuesOf(inputs_);
    operands.push_back(indices_.value);
    llvm::append_range(operands, valuesOf(updates_));
    FailureOr<SmallVector<Value>> results = refiner_.rebuild(copy, operands);
    copy->destroy();
    if (failed(results))
      return failure();
    for (auto [i, result] : llvm::enumerate(*results))
      if (failed(refiner_.put(op_, i, BoundedTensor(result, inputs_.front().sizes))))
        return failure();
    return success();
  }

private:
  LogicalResult unifyOperands() {
    auto vectorDim = numbers_.getIndexVectorDim();
    auto components = static_cast<int64_t>(numbers_.getScatterDimsToOperandDims().size());
    if (failed(fixIndexVectors(refiner_, op_, indices_, vectorDim, components)))
      return failure();
    for (int round = 0; round < 2; ++round) {
      for (BoundedTensor &input : inputs_) {
        for (size_t d = 0; d < input.sizes.size(); ++d)
          if (&input != &inputs_.front() && failed(refiner_.unify(op_, inputs_.front(), d, input, d)))
            return failure();
        for (auto [d, i] : llvm::zip_equal(numbers_.getInputBatchingDims(), numbers_.getScatterIndicesBatchingDims()))
          if (failed(refiner_.unify(op_, input, d, indices_, i)))
            return failure();
      }
      for (BoundedTensor &update : updates_) {
        for (size_t d = 0; d < update.sizes.size(); ++d)
          if (&update != &updates_.front() && failed(refiner_.unify(op_, updates_.front(), d, update, d)))
            return failure();
        for (auto [from, to] : batchDimensions())
          if (failed(refiner_.unify(op_, indices_, from, update, to)))
            return failure();
      }
    }
    return success();
  }

  // The pairs of batch dimensions of the indices and the updates.
  SmallVector<std::pair<int64_t, int64_t>> batchDimensions() const {
    return batchPairs(indices_.sizes.size(), numbers_.getIndexVectorDim(), updates_.front().sizes.size(),
                      numbers_.getUpdateWindowDims());
  }

  // The dimension of the updates that runs through each dimension of the input's windows, or -1: those are of one
  // element.
  SmallVector<int64_t> windowDimensions() const {
    ArrayRef<int64_t> windows = numbers_.getUpdateWindowDims();
    SmallVector<int64_t> dimensions(inputs_.front().sizes.size(), -1);
    for (auto [d, window] : llvm::enumerate(dimensions)) {
      auto dim = static_cast<int64_t>(d);
      if (llvm::is_contained(numbers_.getInsertedWindowDims(), dim) ||
          llvm::is_contained(numbers_.getInputBatchingDims(), dim))
        continue;
      window = windows.front();
      windows = windows.drop_front();
    }
    return dimensions;
  }

  Value nowhere(ArrayRef<int64_t> shape) { return emit_.fill(emit_.i32(-1), shape); }

  // Windows of known lengths. (One of one element that does not lie inside changes what does not count.)
  void scatterWindows() {
    const BoundedTensor &input = inputs_.front();
    ArrayRef<int64_t> map = numbers_.getScatterDimsToOperandDims(), shape = indices_.type().getShape();
    SmallVector<int64_t> lengths;
    bool reaches = false;
    for (auto [d, window] : llvm::enumerate(windowDimensions())) {
      lengths.push_back(window < 0 ? 1 : updates_.front().dim(window));
      reaches |= input.isBounded(d) && lengths[d] > 1;
    }
    if (reaches && indices_.type().getNumElements() > 0) {
      SmallVector<Value> last;
      for (int64_t d : map)
        last.push_back(emit_.subtract(emit_.size(input, d), emit_.i32(lengths[d])));
      Value inside = emit_.compare(sh::ComparisonDirection::LE, indices_.value,
                                   alongIndexVectors(emit_, last, shape, numbers_.getIndexVectorDim()));
      indices_.value = emit_.select(inside, indices_.value, nowhere(shape));
    }
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, indices_.sizes.size()));
    indices_.value = emit_.masked(indices_, all, emit_.i32(-1));
  }

  // Windows as large as the run says: each of their elements is an update of its own.
  void scatterElements(sh::ScatterOp copy) {
    const BoundedTensor &input = inputs_.front(), &update = updates_.front();
    SmallVector<int64_t> shape(update.type().getShape()), windows = windowDimensions();
    auto broadcast = [&](Value scalar) { return emit_.fill(scalar, shape); };
    Value alive = emit_.validMask(update, llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
    SmallVector<Value> components;
    for (auto [d, window] : llvm::enumerate(windows)) {
      Value length = window < 0 ? emit_.i32(1) : emit_.size(update, window), start = startOf(d, shape);
      Value room = emit_.subtract(emit_.size(input, d), length);
      Value inside = emit_.logicalAnd(emit_.compare(sh::ComparisonDirection::GE, start, broadcast(emit_.i32(0))),
                                      emit_.compare(sh::ComparisonDirection::LE, start, broadcast(room)));
      alive = emit_.logicalAnd(alive, inside);
      components.push_back(window < 0 ? start : emit_.add(start, emit_.iota(shape, window)));
    }
    SmallVector<int64_t> one(shape), vectors(shape);
    one.push_back(1);
    vectors.push_back(static_cast<int64_t>(components.size()));
    for (Value &component : components)
      component = emit_.reshape(emit_.select(alive, component, nowhere(shape)), one);
    auto type = RankedTensorType::get(vectors, emit_.builder.getI32Type());
    indices_ = BoundedTensor(emit_.make<sh::ConcatenateOp>(type, components, shape.size()));
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, components.size()));
    copy.setScatterDimensionNumbersAttr(sh::ScatterDimensionNumbersAttr::get(
        op_.getContext(), /*update_window_dims=*/{}, /*inserted_window_dims=*/all, {}, {},
        /*scatter_dims_to_operand_dims=*/all, /*index_vector_dim=*/static_cast<int64_t>(shape.size())));
    copy.setIndicesAreSorted(false);
  }

  // The start of each update's window in a dimension of the input.
  Value startOf(int64_t d, ArrayRef<int64_t> shape) {
    ArrayRef<int64_t> map = numbers_.getScatterDimsToOperandDims(), batching = numbers_.getInputBatchingDims();
    SmallVector<int64_t> from, to;
    for (auto [i, j] : batchDimensions()) {
      from.push_back(i);
      to.push_back(j);
    }
    if (const int64_t *at = llvm::find(batching, d); at != batching.end()) {
      int64_t batch = numbers_.getScatterIndicesBatchingDims()[at - batching.begin()];
      return emit_.iota(shape, to[llvm::find(from, batch) - from.begin()]);
    }
    const int64_t *at = llvm::find(map, d);
    if (at == map.end())
      return emit_.fill(emit_.i32(0), shape);
    Value starts = indices_.value;
    SmallVector<int64_t> lengths;
    for (int64_t i : from)
      lengths.push_back(indices_.dim(i));
    if (int64_t vectorDim = numbers_.getIndexVectorDim(); vectorDim < indices_.type().getRank()) {
      SmallVector<int64_t> first(indices_.type().getRank(), 0), limit(indices_.type().getShape()),
          strides(indices_.type().getRank(), 1);
      first[vectorDim] = at - map.begin();
      limit[vectorDim] = first[vectorDim] + 1;
      SmallVector<int64_t> slice(limit);
      slice[vectorDim] = 1;
      starts = emit_.make<sh::SliceOp>(indices_.type().clone(slice), starts, first, limit, strides);
    }
    auto type = RankedTensorType::get(shape, emit_.builder.getI32Type());
    return emit_.make<sh::BroadcastInDimOp>(type, emit_.reshape(starts, lengths), to);
  }

  Refiner &refiner_;
  Emitter &emit_;
  sh::ScatterOp op_;
  sh::ScatterDimensionNumbersAttr numbers_;
  SmallVector<BoundedTensor> inputs_, updates_;
  BoundedTensor indices_;
};

} // namespace

FailureOr<bool> refineScatter(Refiner &refiner, Operation *op) {
  auto scatter = dyn_cast<sh::ScatterOp>(op);
  if (!scatter)
    return false;
  if (failed(ScatterRefiner(refiner, scatter).refine()))
    return failure();
  return true;
}

} // namespace tenon::passes::refine
