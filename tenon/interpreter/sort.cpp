// sort, and top_k.
#include "tenon/interpreter/element_function.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/merge_sort.h"
#include "tenon/interpreter/ops.h"

#include <numeric>

namespace tenon::interpreter {
// Merges the sorted runs [low, low + width) and [low + width, low + 2 * width).
static LogicalResult merge(const std::vector<int64_t> &order, std::vector<int64_t> &merged, size_t low, size_t width,
                           Before before) {
  size_t middle = std::min(low + width, order.size()), high = std::min(low + 2 * width, order.size());
  size_t left = low, right = middle;
  for (size_t at = low; at < high; ++at) {
    bool takeRight = left == middle;
    if (left < middle && right < high) {
      llvm::FailureOr<bool> rightFirst = before(order[right], order[left]);
      if (llvm::failed(rightFirst))
        return llvm::failure();
      takeRight = *rightFirst;
    }
    merged[at] = order[takeRight ? right++ : left++];
  }
  return llvm::success();
}

LogicalResult mergeSort(std::vector<int64_t> &order, Before before) {
  std::vector<int64_t> merged(order.size());
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t low = 0; low < order.size(); low += 2 * width)
      if (llvm::failed(merge(order, merged, low, width, before)))
        return llvm::failure();
    order.swap(merged);
  }
  return llvm::success();
}

LogicalResult evaluate(stablehlo::SortOp op, Invocation &call) {
  llvm::ArrayRef<Value> inputs = call.operands();
  const auto count = static_cast<unsigned>(inputs.size());
  ElementFunction comparator(op.getComparator(), call);
  if (llvm::failed(comparator.check(2 * count, 1)))
    return llvm::failure();
  Dims shape(inputs[0].tensor().shape()), strides = stridesOf(shape);
  auto rank = static_cast<int64_t>(shape.size());
  int64_t dimension = op.getDimension();
  if (dimension < 0)
    dimension += rank;
  if (dimension < 0 || dimension >= rank)
    return call.fail("sorts along a dimension that the inputs do not have");
  std::vector<Tensor> results;
  for (const Value &input : inputs) {
    if (input.tensor().shape() != inputs[0].tensor().shape())
      return call.fail("inputs differ in shape");
    results.push_back(input.tensor());
  }
  int64_t size = shape[dimension], stride = strides[dimension];
  Dims rows(shape);
  rows[dimension] = size ? 1 : 0;
  std::vector<int64_t> order(size);
  llvm::SmallVector<Scalar, 4> arguments(2 * count);
  Scalar verdict[1];
  LogicalResult outcome = llvm::success();
  forEachIndex(rows, [&](llvm::ArrayRef<int64_t> index, int64_t) {
    int64_t base = 0;
    for (size_t d = 0; d < index.size(); ++d)
      base += index[d] * strides[d];
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) -> llvm::FailureOr<bool> {
      for (unsigned k = 0; k < count; ++k) {
        arguments[2 * k] = inputs[k].tensor().get(base + a * stride);
        arguments[2 * k + 1] = inputs[k].tensor().get(base + b * stride);
      }
      if (llvm::failed(comparator(arguments, verdict)))
        return llvm::failure();
      return verdict[0].i != 0;
    };
    if (llvm::failed(outcome) || llvm::failed(outcome = mergeSort(order, before)))
      return;
    for (unsigned k = 0; k < count; ++k)
      for (int64_t i = 0; i < size; ++i)
        copyElement(results[k], base + i * stride, inputs[k].tensor(), base + order[i] * stride);
  });
  if (llvm::failed(outcome))
    return outcome;
  for (Tensor &result : results)
    (void)call.yield(std::move(result));
  return llvm::success();
}

// Descending in the total order, in which NaN is above all; equal elements keep their order.
LogicalResult evaluate(chlo::TopKOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0);
  auto k = static_cast<int64_t>(op.getK());
  if (operand.rank() == 0 || k < 0 || k > operand.shape().back())
    return call.fail("takes more elements than the last dimension has");
  ElementType type = operand.elementType();
  MaybeKernel greater = kernels::compare(type, Direction::GT, isFloat(type));
  if (!greater)
    return call.fail("is not defined for this element type");
  Dims shape(operand.shape());
  shape.back() = k;
  llvm::FailureOr<Tensor> values = call.make(shape, call.elementOf(0)), indices = call.make(shape, call.elementOf(1));
  if (llvm::failed(values) || llvm::failed(indices))
    return llvm::failure();
  int64_t size = operand.shape().back(), rows = size ? operand.size() / size : 0;
  std::vector<int64_t> order(size);
  for (int64_t row = 0; row < rows; ++row) {
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) -> llvm::FailureOr<bool> {
      Scalar pair[] = {operand.get(row * size + a), operand.get(row * size + b)};
      return (*greater)(pair).i != 0;
    };
    (void)mergeSort(order, before);
    for (int64_t i = 0; i < k; ++i) {
      copyElement(*values, row * k + i, operand, row * size + order[i]);
      indices->set(row * k + i, Scalar::ofInt(order[i]));
    }
  }
  (void)call.yield(*values);
  return call.yield(*indices);
}

} // namespace tenon::interpreter
