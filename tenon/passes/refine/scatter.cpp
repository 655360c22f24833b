// Scatter with bounded dimensions. Updates that do not count, and windows that do not lie inside the sizes as a whole,
// get indices out of bounds, where updates are dropped.

#include "tenon/ir/infer.h"
#include "tenon/passes/refine/refiner.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {

LogicalResult fixIndexVectors(Refiner &refiner, Operation *op, Refined &indices, int64_t vectorDim,
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
      : refiner(refiner), emit(refiner.emit), op(op), numbers(op.getScatterDimensionNumbers()),
        inputs(refiner.getAll(op.getInputs())), updates(refiner.getAll(op.getUpdates())),
        indices(refiner.get(op.getScatterIndices())) {}

  LogicalResult refine() {
    if (failed(unifyOperands()))
      return failure();
    indices.value = emit.toSize(indices.value);
    bool windowsAreBounded =
        llvm::any_of(numbers.getUpdateWindowDims(), [&](int64_t d) { return updates.front().isBounded(d); });
    Operation *copy = op->clone();
    if (windowsAreBounded)
      scatterElements(cast<sh::ScatterOp>(copy));
    else
      scatterWindows();
    SmallVector<Value> operands = valuesOf(inputs);
    operands.push_back(indices.value);
    llvm::append_range(operands, valuesOf(updates));
    FailureOr<SmallVector<Value>> results = refiner.rebuild(copy, operands);
    copy->destroy();
    if (failed(results))
      return failure();
    for (auto [i, result] : llvm::enumerate(*results))
      if (failed(refiner.put(op, i, Refined(result, inputs.front().sizes))))
        return failure();
    return success();
  }

private:
  LogicalResult unifyOperands() {
    auto vectorDim = numbers.getIndexVectorDim();
    auto components = static_cast<int64_t>(numbers.getScatterDimsToOperandDims().size());
    if (failed(fixIndexVectors(refiner, op, indices, vectorDim, components)))
      return failure();
    for (int round = 0; round < 2; ++round) {
      for (Refined &input : inputs) {
        for (size_t d = 0; d < input.sizes.size(); ++d)
          if (&input != &inputs.front() && failed(refiner.unify(op, inputs.front(), d, input, d)))
            return failure();
        for (auto [d, i] : llvm::zip_equal(numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims()))
          if (failed(refiner.unify(op, input, d, indices, i)))
            return failure();
      }
      for (Refined &update : updates) {
        for (size_t d = 0; d < update.sizes.size(); ++d)
          if (&update != &updates.front() && failed(refiner.unify(op, updates.front(), d, update, d)))
            return failure();
        for (auto [from, to] : batchDimensions())
          if (failed(refiner.unify(op, indices, from, update, to)))
            return failure();
      }
    }
    return success();
  }

  // The pairs of batch dimensions of the indices and the updates.
  SmallVector<std::pair<int64_t, int64_t>> batchDimensions() const {
    return batchPairs(indices.sizes.size(), numbers.getIndexVectorDim(), updates.front().sizes.size(),
                      numbers.getUpdateWindowDims());
  }

  // The dimension of the updates that runs through each dimension of the input's windows, or -1: those are of one
  // element.
  SmallVector<int64_t> windowDimensions() const {
    ArrayRef<int64_t> windows = numbers.getUpdateWindowDims();
    SmallVector<int64_t> dimensions(inputs.front().sizes.size(), -1);
    for (auto [d, window] : llvm::enumerate(dimensions)) {
      auto dim = static_cast<int64_t>(d);
      if (llvm::is_contained(numbers.getInsertedWindowDims(), dim) ||
          llvm::is_contained(numbers.getInputBatchingDims(), dim))
        continue;
      window = windows.front();
      windows = windows.drop_front();
    }
    return dimensions;
  }

  Value nowhere(ArrayRef<int64_t> shape) { return emit.fill(emit.i32(-1), shape); }

  // Windows of known lengths. (One of one element that does not lie inside changes what does not count.)
  void scatterWindows() {
    const Refined &input = inputs.front();
    ArrayRef<int64_t> map = numbers.getScatterDimsToOperandDims(), shape = indices.type().getShape();
    SmallVector<int64_t> lengths;
    bool reaches = false;
    for (auto [d, window] : llvm::enumerate(windowDimensions())) {
      lengths.push_back(window < 0 ? 1 : updates.front().dim(window));
      reaches |= input.isBounded(d) && lengths[d] > 1;
    }
    if (reaches && indices.type().getNumElements() > 0) {
      SmallVector<Value> last;
      for (int64_t d : map)
        last.push_back(emit.subtract(emit.size(input, d), emit.i32(lengths[d])));
      Value inside = emit.compare(sh::ComparisonDirection::LE, indices.value,
                                  alongIndexVectors(emit, last, shape, numbers.getIndexVectorDim()));
      indices.value = emit.select(inside, indices.value, nowhere(shape));
    }
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, indices.sizes.size()));
    indices.value = emit.masked(indices, all, emit.i32(-1));
  }

  // Windows as large as the run says: each of their elements is an update of its own.
  void scatterElements(sh::ScatterOp copy) {
    const Refined &input = inputs.front(), &update = updates.front();
    SmallVector<int64_t> shape(update.type().getShape()), windows = windowDimensions();
    auto spread = [&](Value scalar) { return emit.fill(scalar, shape); };
    Value alive = emit.counted(update, llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
    SmallVector<Value> components;
    for (auto [d, window] : llvm::enumerate(windows)) {
      Value length = window < 0 ? emit.i32(1) : emit.size(update, window), start = startOf(d, shape);
      Value room = emit.subtract(emit.size(input, d), length);
      Value inside = emit.both(emit.compare(sh::ComparisonDirection::GE, start, spread(emit.i32(0))),
                               emit.compare(sh::ComparisonDirection::LE, start, spread(room)));
      alive = emit.both(alive, inside);
      components.push_back(window < 0 ? start : emit.add(start, emit.iota(shape, window)));
    }
    SmallVector<int64_t> one(shape), vectors(shape);
    one.push_back(1);
    vectors.push_back(static_cast<int64_t>(components.size()));
    for (Value &component : components)
      component = emit.reshape(emit.select(alive, component, nowhere(shape)), one);
    auto type = RankedTensorType::get(vectors, emit.builder.getI32Type());
    indices = Refined(emit.make<sh::ConcatenateOp>(type, components, shape.size()));
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, components.size()));
    copy.setScatterDimensionNumbersAttr(sh::ScatterDimensionNumbersAttr::get(
        op.getContext(), /*update_window_dims=*/{}, /*inserted_window_dims=*/all, {}, {},
        /*scatter_dims_to_operand_dims=*/all, /*index_vector_dim=*/static_cast<int64_t>(shape.size())));
    copy.setIndicesAreSorted(false);
  }

  // The start of each update's window in a dimension of the input.
  Value startOf(int64_t d, ArrayRef<int64_t> shape) {
    ArrayRef<int64_t> map = numbers.getScatterDimsToOperandDims(), batching = numbers.getInputBatchingDims();
    SmallVector<int64_t> from, to;
    for (auto [i, j] : batchDimensions()) {
      from.push_back(i);
      to.push_back(j);
    }
    if (const int64_t *at = llvm::find(batching, d); at != batching.end()) {
      int64_t batch = numbers.getScatterIndicesBatchingDims()[at - batching.begin()];
      return emit.iota(shape, to[llvm::find(from, batch) - from.begin()]);
    }
    const int64_t *at = llvm::find(map, d);
    if (at == map.end())
      return emit.fill(emit.i32(0), shape);
    Value starts = indices.value;
    SmallVector<int64_t> lengths;
    for (int64_t i : from)
      lengths.push_back(indices.dim(i));
    if (int64_t vectorDim = numbers.getIndexVectorDim(); vectorDim < indices.type().getRank()) {
      SmallVector<int64_t> first(indices.type().getRank(), 0), limit(indices.type().getShape()),
          strides(indices.type().getRank(), 1);
      first[vectorDim] = at - map.begin();
      limit[vectorDim] = first[vectorDim] + 1;
      SmallVector<int64_t> slice(limit);
      slice[vectorDim] = 1;
      starts = emit.make<sh::SliceOp>(indices.type().clone(slice), starts, first, limit, strides);
    }
    auto type = RankedTensorType::get(shape, emit.builder.getI32Type());
    return emit.make<sh::BroadcastInDimOp>(type, emit.reshape(starts, lengths), to);
  }

  Refiner &refiner;
  Emitter &emit;
  sh::ScatterOp op;
  sh::ScatterDimensionNumbersAttr numbers;
  SmallVector<Refined> inputs, updates;
  Refined indices;
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
