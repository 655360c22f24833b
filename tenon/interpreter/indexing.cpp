// Slices, padding, gather and scatter.
#include "tenon/interpreter/element_function.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"
#include "tenon/interpreter/promote.h"
#include "tenon/ir/infer.h"
#include "tenon/ir/scatter_sums.h"

#include <cmath>
#include <cstring>

namespace tenon::interpreter {

static LogicalResult yieldSlice(Invocation &call, llvm::ArrayRef<int64_t> start, llvm::ArrayRef<int64_t> limit,
                                llvm::ArrayRef<int64_t> stride) {
  const Tensor &operand = call.tensor(0);
  auto rank = static_cast<size_t>(operand.rank());
  if (start.size() != rank || limit.size() != rank || stride.size() != rank)
    return call.fail("slices by lists of another size than the operand's rank");
  Dims shape, strides = stridesOf(operand.shape());
  int64_t base = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (start[d] < 0 || start[d] > limit[d] || limit[d] > operand.dim(d) || stride[d] <= 0)
      return call.fail("slices out of the bounds of dimension " + llvm::Twine(d));
    shape.push_back(limit[d] == start[d] ? 0 : (limit[d] - start[d] - 1) / stride[d] + 1);
    base += start[d] * strides[d];
    strides[d] *= shape.back() > 1 ? stride[d] : 1; // of one element it may be as large as its type allows
  }
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  copyStrided(*result, operand, base, strides);
  return call.yield(*result);
}

LogicalResult evaluate(stablehlo::SliceOp op, Invocation &call) {
  return yieldSlice(call, op.getStartIndices(), op.getLimitIndices(), op.getStrides());
}
LogicalResult evaluate(stablehlo::RealDynamicSliceOp op, Invocation &call) {
  return yieldSlice(call, integersOf(call.tensor(1)), integersOf(call.tensor(2)), integersOf(call.tensor(3)));
}

// An index as s64; an unsigned one beyond it stays beyond everything.
static int64_t indexOf(const Tensor &tensor, int64_t position) {
  int64_t value = tensor.intAt(position);
  return value < 0 && kindOf(tensor.elementType()) == ElementKind::kUnsigned ? std::numeric_limits<int64_t>::max()
                                                                             : value;
}

// Scalar start indices, clamped so that a slice of `sizes` lies inside.
static Dims clampedStart(llvm::ArrayRef<Value> indices, const Tensor &operand, llvm::ArrayRef<int64_t> sizes) {
  Dims start;
  for (auto [d, index] : llvm::enumerate(indices))
    start.push_back(
        std::clamp<int64_t>(indexOf(index.tensor(), 0), 0, std::max<int64_t>(operand.dim(d) - sizes[d], 0)));
  return start;
}

LogicalResult evaluate(stablehlo::DynamicSliceOp op, Invocation &call) {
  llvm::ArrayRef<int64_t> sizes = op.getSliceSizes();
  Dims start = clampedStart(call.valuesOf(op.getStartIndices()), call.tensor(0), sizes), limit;
  for (auto [from, size] : llvm::zip(start, sizes))
    limit.push_back(from + size);
  return yieldSlice(call, start, limit, Dims(sizes.size(), 1));
}

LogicalResult evaluate(stablehlo::DynamicUpdateSliceOp op, Invocation &call) {
  const Tensor &update = call.tensor(1);
  Dims start = clampedStart(call.valuesOf(op.getStartIndices()), call.tensor(0), update.shape());
  for (int64_t d = 0; d < update.rank(); ++d)
    if (update.dim(d) > call.tensor(0).dim(d))
      return call.fail("the update is larger than the operand");
  Tensor result = call.takeTensor(0);
  if (update.size() == 0)
    return call.yield(result);
  int64_t bytes = byteSize(update.elementType());
  int64_t row = update.rank() ? update.shape().back() : 1;
  Dims rows(update.shape());
  if (!rows.empty())
    rows.back() = 1;
  Dims strides = stridesOf(result.shape());
  uint8_t *out = result.mutableData();
  forEachIndex(rows, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t target = 0;
    for (size_t d = 0; d < index.size(); ++d)
      target += (start[d] + index[d]) * strides[d];
    std::memcpy(out + target * bytes, update.data() + position * row * bytes, row * bytes);
  });
  return call.yield(std::move(result));
}

LogicalResult evaluate(stablehlo::PadOp op, Invocation &call) {
  llvm::FailureOr<Tensor> result = padTensor(call, call.tensor(0), call.tensor(1), op.getEdgePaddingLow(),
                                             op.getEdgePaddingHigh(), op.getInteriorPadding());
  return llvm::failed(result) ? llvm::failure() : call.yield(*result);
}
LogicalResult evaluate(stablehlo::DynamicPadOp op, Invocation &call) {
  llvm::FailureOr<Tensor> result = padTensor(call, call.tensor(0), call.tensor(1), integersOf(call.tensor(2)),
                                             integersOf(call.tensor(3)), integersOf(call.tensor(4)));
  return llvm::failed(result) ? llvm::failure() : call.yield(*result);
}

// The dimensions of [0, rank) that `taken` does not name, ascending.
static Dims remaining(int64_t rank, llvm::ArrayRef<int64_t> taken, llvm::ArrayRef<int64_t> alsoTaken = {}) {
  Dims result;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(taken, d) && !llvm::is_contained(alsoTaken, d))
      result.push_back(d);
  return result;
}

namespace {

// The common part of gather and scatter: start indices stored as vectors along one dimension of an index tensor.
struct IndexVectors {
  const Tensor &indices;
  int64_t vectorDim;
  llvm::ArrayRef<int64_t> map;                 // operand dimension of each component
  llvm::ArrayRef<int64_t> operandBatchingDims; // operand dimensions that run along ...
  llvm::ArrayRef<int64_t> indicesBatchingDims; // ... these dimensions of the index tensor

  // The full start index that the batch index names, in the operand's dimensions.
  Dims startAt(llvm::ArrayRef<int64_t> batchIndex, int64_t operandRank) const {
    Dims index(batchIndex);
    bool explicitDim = vectorDim < indices.rank();
    if (explicitDim)
      index.insert(index.begin() + vectorDim, 0);
    Dims start(operandRank, 0);
    for (auto [component, dimension] : llvm::enumerate(map)) {
      if (explicitDim)
        index[vectorDim] = static_cast<int64_t>(component);
      start[dimension] = indexOf(indices, indices.positionOf(index));
    }
    for (auto [dimension, indicesDim] : llvm::zip(operandBatchingDims, indicesBatchingDims)) {
      int64_t batchDim = indicesDim < vectorDim ? indicesDim : indicesDim - 1;
      start[dimension] = batchIndex[batchDim];
    }
    return start;
  }

  bool valid() const {
    int64_t components = vectorDim < indices.rank() ? indices.dim(vectorDim) : 1;
    return vectorDim >= 0 && vectorDim <= indices.rank() && static_cast<int64_t>(map.size()) == components &&
           operandBatchingDims.size() == indicesBatchingDims.size();
  }

  // Whether each batching dimension is as long in the operand as in the indices (gather's and scatter's rule of
  // batching dimensions).
  bool batchesAgree(llvm::ArrayRef<int64_t> operandShape) const {
    return llvm::all_of(llvm::zip(operandBatchingDims, indicesBatchingDims),
                        [&](auto dims) { return operandShape[std::get<0>(dims)] == indices.dim(std::get<1>(dims)); });
  }

  Dims batchShape() const {
    Dims shape(indices.shape());
    if (vectorDim < indices.rank())
      shape.erase(shape.begin() + vectorDim);
    return shape;
  }
};

} // namespace

static LogicalResult yieldGather(Invocation &call, stablehlo::GatherDimensionNumbersAttr numbers,
                                 llvm::ArrayRef<int64_t> sliceSizes) {
  const Tensor &operand = call.tensor(0);
  IndexVectors vectors{call.tensor(1), numbers.getIndexVectorDim(), numbers.getStartIndexMap(),
                       numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()};
  if (!vectors.valid())
    return call.fail("start_index_map does not fit the index vectors");
  if (!vectors.batchesAgree(operand.shape()))
    return call.fail("operand and start_indices differ in the batching dimensions");
  if (static_cast<int64_t>(sliceSizes.size()) != operand.rank())
    return call.fail("has another number of slice sizes than the operand's rank");
  for (auto [d, size] : llvm::enumerate(sliceSizes))
    if (size < 0 || size > operand.dim(static_cast<int64_t>(d)))
      return call.fail("has a slice larger than the operand in dimension " + llvm::Twine(d));
  for (llvm::ArrayRef<int64_t> dropped : {numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims()})
    for (int64_t d : dropped)
      if (sliceSizes[d] != std::min<int64_t>(1, operand.dim(d)))
        return call.fail("must take one index of dimension " + llvm::Twine(d));
  Dims offsetSource = remaining(operand.rank(), numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims());
  llvm::ArrayRef<int64_t> offsetDims = numbers.getOffsetDims();
  if (offsetSource.size() != offsetDims.size())
    return call.fail("does not collapse or batch every operand dimension that is not an offset dimension");
  Dims batchShape = vectors.batchShape();
  auto resultRank = static_cast<int64_t>(batchShape.size() + offsetDims.size());
  Dims batchDims = remaining(resultRank, offsetDims), shape(resultRank);
  for (auto [d, size] : llvm::zip(batchDims, batchShape))
    shape[d] = size;
  for (auto [d, source] : llvm::zip(offsetDims, offsetSource))
    shape[d] = sliceSizes[source];
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  if (operand.size() == 0) // no slices to clamp to
    for (int64_t i = 0; i < result->size(); ++i)
      result->set(i, zeroOf(result->elementType()));
  if (operand.size() == 0 || result->size() == 0)
    return call.yield(*result);

  Dims strides = stridesOf(operand.shape()), resultStrides = stridesOf(shape), sliceShape;
  for (int64_t source : offsetSource)
    sliceShape.push_back(sliceSizes[source]);
  result->mutableData();
  forEachIndex(batchShape, [&](llvm::ArrayRef<int64_t> batchIndex, int64_t) {
    Dims start = vectors.startAt(batchIndex, operand.rank());
    int64_t base = 0, resultBase = 0;
    for (int64_t d = 0; d < operand.rank(); ++d)
      base += std::clamp<int64_t>(start[d], 0, operand.dim(d) - sliceSizes[d]) * strides[d];
    for (auto [d, i] : llvm::zip(batchDims, batchIndex))
      resultBase += i * resultStrides[d];
    forEachIndex(sliceShape, [&](llvm::ArrayRef<int64_t> offset, int64_t) {
      int64_t from = base, to = resultBase;
      for (size_t k = 0; k < offset.size(); ++k) {
        from += offset[k] * strides[offsetSource[k]];
        to += offset[k] * resultStrides[offsetDims[k]];
      }
      copyElement(*result, to, operand, from);
    });
  });
  return call.yield(*result);
}

LogicalResult evaluate(stablehlo::GatherOp op, Invocation &call) {
  return yieldGather(call, op.getDimensionNumbers(), op.getSliceSizes());
}
LogicalResult evaluate(stablehlo::DynamicGatherOp op, Invocation &call) {
  return yieldGather(call, op.getDimensionNumbers(), integersOf(call.tensor(2)));
}

namespace {

// Maps the elements of a scatter's updates to elements of the input.
struct UpdateWindows {
  UpdateWindows(stablehlo::ScatterDimensionNumbersAttr numbers, llvm::ArrayRef<int64_t> inputShape,
                llvm::ArrayRef<int64_t> updateShape)
      : windowDims_(numbers.getUpdateWindowDims()), scatterDims_(remaining(updateShape.size(), windowDims_)),
        windowTargets_(remaining(inputShape.size(), numbers.getInsertedWindowDims(), numbers.getInputBatchingDims())),
        lastStart_(inputShape), index_(updateShape.size()) {
    for (int64_t d = 0; d < static_cast<int64_t>(updateShape.size()); ++d)
      (llvm::is_contained(windowDims_, d) ? windowShape_ : scatterShape_).push_back(updateShape[d]);
    for (int64_t &last : lastStart_)
      --last;
    for (auto [to, extent] : llvm::zip(windowTargets_, windowShape_))
      lastStart_[to] = inputShape[to] - extent;
  }

  bool valid(llvm::ArrayRef<int64_t> batchShape) const {
    bool fits = llvm::all_of(windowTargets_, [&](int64_t to) { return lastStart_[to] >= 0; });
    return fits && windowTargets_.size() == windowDims_.size() && llvm::ArrayRef<int64_t>(scatterShape_) == batchShape;
  }

  // How many windows there are, and the number of that which an element of the updates belongs to.
  int64_t count() const { return llvm::product_of(scatterShape_); }
  int64_t numberOf(llvm::ArrayRef<int64_t> update) const {
    int64_t number = 0;
    for (auto [d, extent] : llvm::zip(scatterDims_, scatterShape_))
      number = number * extent + update[d];
    return number;
  }

  // In ascending order of the scatter index the windows belong to, wherever the updates have its dimensions; a window
  // that is not inside the operand as a whole is skipped, as what JAX derives from a gather that fills expects.
  void forEachElement(const IndexVectors &vectors,
                      llvm::function_ref<void(llvm::ArrayRef<int64_t> target, llvm::ArrayRef<int64_t> update)> visit) {
    forEachIndex(scatterShape_, [&](llvm::ArrayRef<int64_t> batchIndex, int64_t) {
      const Dims start = vectors.startAt(batchIndex, static_cast<int64_t>(lastStart_.size()));
      for (auto [at, last] : llvm::zip(start, lastStart_))
        if (at < 0 || at > last)
          return;
      for (auto [d, i] : llvm::zip(scatterDims_, batchIndex))
        index_[d] = i;
      forEachIndex(windowShape_, [&](llvm::ArrayRef<int64_t> offset, int64_t) {
        Dims target(start);
        for (auto [d, to, i] : llvm::zip(windowDims_, windowTargets_, offset)) {
          index_[d] = i;
          target[to] += i;
        }
        visit(target, index_);
      });
    });
  }

private:
  llvm::ArrayRef<int64_t> windowDims_;
  Dims scatterDims_, windowTargets_;
  Dims lastStart_; // at which a window still lies inside
  Dims scatterShape_, windowShape_, index_;
};

// Sums in the wider type of tenon/ir/scatter_sums.h, which start with nothing.
class WideSums {
public:
  WideSums(ElementType type, int64_t size)
      : isOfParts_(isComplex(type)), isCompensated_(realType(type) == ElementType::kF64), sums_(size, {-0.0, -0.0}),
        errors_(isCompensated_ ? size : 0) {}

  void add(int64_t at, Scalar update, double sign = 1) {
    Scalar::Complex value = isOfParts_ ? update.c : Scalar::Complex{update.f, 0};
    addPart(at, &Scalar::Complex::re, sign * value.re);
    if (isOfParts_)
      addPart(at, &Scalar::Complex::im, sign * value.im);
  }

  // Adds another sum of such elements.
  void merge(int64_t at, const WideSums &other) {
    for (Part part : {&Scalar::Complex::re, &Scalar::Complex::im}) {
      addPart(at, part, other.sums_[at].*part);
      if (isCompensated_)
        errors_[at].*part += other.errors_[at].*part;
    }
  }

  Scalar total(int64_t at) const {
    std::complex<double> value(totalPart(at, &Scalar::Complex::re), totalPart(at, &Scalar::Complex::im));
    return isOfParts_ ? Scalar::ofComplex(value) : Scalar::ofFloat(value.real());
  }

private:
  using Part = double Scalar::Complex::*;

  void addPart(int64_t at, Part part, double value) {
    double &sum = sums_[at].*part, before = sum;
    sum = before + value;
    if (!isCompensated_)
      return;
    double added = sum - before;
    errors_[at].*part += (before - (sum - added)) + (value - added);
  }

  double totalPart(int64_t at, Part part) const {
    double sum = sums_[at].*part, error = isCompensated_ ? errors_[at].*part : 0;
    return error != 0 && std::isfinite(error) ? sum + error : sum; // -0 stays
  }

  bool isOfParts_, isCompensated_;
  std::vector<Scalar::Complex> sums_, errors_;
};

// The sums of full blocks of updates; `partial` has that of the block that is not full yet.
class BlockSums {
public:
  explicit BlockSums(Tensor &partial)
      : partial_(partial), block_(ir::scatterBlock(partial.mlirElementType())), counts_(partial.size()),
        full_(partial.elementType(), partial.size()) {}

  // One more update of an element.
  void count(int64_t at) {
    if (++counts_[at] % block_ != 0)
      return;
    full_.add(at, partial_.get(at));
    partial_.set(at, isComplex(partial_.elementType()) ? Scalar::ofComplex(std::complex<double>(-0.0, -0.0))
                                                       : Scalar::ofFloat(-0.0));
  }

  void finish() {
    for (int64_t i = 0; i < partial_.size(); ++i)
      if (counts_[i] >= block_) {
        full_.add(i, partial_.get(i));
        partial_.set(i, full_.total(i));
      }
  }

private:
  Tensor &partial_;
  int64_t block_;
  std::vector<int64_t> counts_;
  WideSums full_;
};

// In `parts` parts (ir::scatterParts).
void sumWidely(Tensor &result, const Tensor &updates, double sign, int64_t parts, UpdateWindows &windows,
               const IndexVectors &vectors) {
  WideSums sums(result.elementType(), result.size());
  for (int64_t i = 0; i < result.size(); ++i)
    sums.add(i, result.get(i));
  std::optional<WideSums> own; // of a part
  int64_t part = 0, partSize = llvm::divideCeil(windows.count(), parts);
  auto endPart = [&] {
    for (int64_t i = 0; own && i < result.size(); ++i)
      sums.merge(i, *own);
    own.reset();
  };
  windows.forEachElement(vectors, [&](llvm::ArrayRef<int64_t> target, llvm::ArrayRef<int64_t> update) {
    if (int64_t number = windows.numberOf(update) / partSize; number != part) {
      endPart();
      part = number;
    }
    if (parts > 1 && !own)
      own.emplace(result.elementType(), result.size());
    (own ? *own : sums).add(result.positionOf(target), updates.get(updates.positionOf(update)), sign);
  });
  endPart();
  for (int64_t i = 0; i < result.size(); ++i)
    result.set(i, sums.total(i));
}

} // namespace

LogicalResult evaluate(stablehlo::ScatterOp op, Invocation &call) {
  stablehlo::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  const auto count = static_cast<unsigned>(op.getInputs().size());
  IndexVectors vectors{call.tensor(count), numbers.getIndexVectorDim(), numbers.getScatterDimsToOperandDims(),
                       numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims()};
  if (!vectors.valid())
    return call.fail("scatter_dims_to_operand_dims does not fit the index vectors");
  ElementFunction body(op.getUpdateComputation(), call);
  if (llvm::failed(body.check(2 * count, count)) ||
      llvm::failed(promoteOperands(call, 0, count, op.getUpdateComputation())) ||
      llvm::failed(promoteOperands(call, count + 1, count, op.getUpdateComputation())))
    return llvm::failure();
  std::vector<Tensor> results;
  for (unsigned k = 0; k < count; ++k)
    results.push_back(call.takeTensor(k));
  const Tensor &updates = call.tensor(count + 1);
  if (!vectors.batchesAgree(results[0].shape()))
    return call.fail("inputs and scatter_indices differ in the batching dimensions");
  UpdateWindows windows(numbers, results[0].shape(), updates.shape());
  if (!windows.valid(vectors.batchShape()))
    return call.fail("updates do not have the dimensions of the indices and of windows");
  for (unsigned k = 0; k < count; ++k)
    if (results[k].shape() != results[0].shape() || call.tensor(count + 1 + k).shape() != updates.shape())
      return call.fail("inputs or updates differ in shape");
  ir::ScatterOrder order = ir::scatterOrder(op, results[0].shape(), updates.shape());
  if (order == ir::ScatterOrder::kWide) {
    sumWidely(results[0], updates, ir::isDifference(op) ? -1 : 1,
              ir::scatterParts(op, results[0].shape(), updates.shape()), windows, vectors);
    return call.yield(std::move(results[0]));
  }
  std::optional<BlockSums> blocks;
  if (order == ir::ScatterOrder::kBlocks)
    blocks.emplace(results[0]);

  llvm::SmallVector<Scalar> arguments(2 * count), values(count);
  LogicalResult outcome = llvm::success();
  windows.forEachElement(vectors, [&](llvm::ArrayRef<int64_t> target, llvm::ArrayRef<int64_t> update) {
    int64_t to = results[0].positionOf(target), from = updates.positionOf(update);
    for (unsigned k = 0; k < count; ++k) {
      arguments[k] = results[k].get(to);
      arguments[count + k] = call.tensor(count + 1 + k).get(from);
    }
    if (llvm::failed(outcome) || llvm::failed(outcome = body(arguments, values)))
      return;
    for (unsigned k = 0; k < count; ++k)
      results[k].set(to, values[k]);
    if (blocks)
      blocks->count(to);
  });
  if (llvm::failed(outcome))
    return outcome;
  if (blocks)
    blocks->finish();
  for (Tensor &result : results)
    (void)call.yield(std::move(result));
  return llvm::success();
}

// Deprecated: result[batch..., outer..., index..., inner...] takes index from `index` along `dim`.
LogicalResult evaluate(stablehlo::TorchIndexSelectOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0), &index = call.tensor(1);
  auto dim = static_cast<int64_t>(op.getDim()), batch = stablehlo::batchDims(op);
  if (operand.shape().take_front(batch) != index.shape().take_front(batch))
    return call.fail("operand and index differ in the batch dimensions");
  if (operand.dim(dim) == 0 && index.size() > 0)
    return call.fail("selects from an empty dimension");
  Dims shape(operand.shape().take_front(dim));
  shape.append(index.shape().begin() + batch, index.shape().end());
  shape.append(operand.shape().begin() + dim + 1, operand.shape().end());
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  int64_t picked = index.rank() - batch;
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> at, int64_t position) {
    Dims indexAt(at.take_front(batch));
    indexAt.append(at.begin() + dim, at.begin() + dim + picked);
    // Indices out of bounds are clamped, as in gather.
    int64_t selected = std::clamp<int64_t>(indexOf(index, index.positionOf(indexAt)), 0, operand.dim(dim) - 1);
    Dims from(at.take_front(dim));
    from.push_back(selected);
    from.append(at.begin() + dim + picked, at.end());
    copyElement(*result, position, operand, operand.positionOf(from));
  });
  return call.yield(*result);
}

} // namespace tenon::interpreter
