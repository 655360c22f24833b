// reduce_window and select_and_scatter.
#include "tenon/interpreter/fold.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"
#include "tenon/interpreter/promote.h"
#include "tenon/ir/infer.h"

namespace tenon::interpreter {
namespace {

// Windows sliding over a dilated and padded array.
struct Windows {
  Dims sizes, strides, baseDilations, dilations;
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;

  // Number of windows along each dimension.
  Dims count(llvm::ArrayRef<int64_t> shape) const {
    Dims result;
    for (size_t d = 0; d < shape.size(); ++d)
      result.push_back(stablehlo::WindowDimension{sizes[d], strides[d], padding[d].first, padding[d].second,
                                                  baseDilations[d], dilations[d]}
                           .count(shape[d]));
    return result;
  }
  // The array element at `offset` of the window at `window`; nullopt in padding and in the holes of dilation.
  std::optional<int64_t> element(llvm::ArrayRef<int64_t> window, llvm::ArrayRef<int64_t> offset,
                                 llvm::ArrayRef<int64_t> shape) const {
    int64_t position = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t at = window[d] * strides[d] + offset[d] * dilations[d] - padding[d].first;
      if (at < 0 || at % baseDilations[d] != 0 || at / baseDilations[d] >= shape[d])
        return std::nullopt;
      position = position * shape[d] + at / baseDilations[d];
    }
    return position;
  }
  bool valid(int64_t rank) const {
    auto positive = [&](const Dims &dims) {
      return static_cast<int64_t>(dims.size()) == rank && llvm::all_of(dims, [](int64_t v) { return v > 0; });
    };
    return positive(sizes) && positive(strides) && positive(baseDilations) && positive(dilations);
  }
};

} // namespace

// Padding and holes take no part: the initial values, which they hold, enter a reduction any number of times.
LogicalResult evaluate(stablehlo::ReduceWindowOp op, Invocation &call) {
  llvm::ArrayRef<Value> inputs = call.valuesOf(op.getInputs()), inits = call.valuesOf(op.getInitValues());
  const auto count = static_cast<unsigned>(inputs.size());
  ElementFunction body(op.getBody(), call);
  if (llvm::failed(body.check(2 * count, count)) || llvm::failed(promoteOperands(call, 0, count, op.getBody())) ||
      llvm::failed(promoteOperands(call, count, count, op.getBody())))
    return llvm::failure();
  llvm::ArrayRef<int64_t> shape = inputs[0].tensor().shape();
  int64_t rank = inputs[0].tensor().rank();
  Windows windows{Dims(op.getWindowDimensions()), valuesOr(op.getWindowStrides(), rank, 1),
                  valuesOr(op.getBaseDilations(), rank, 1), valuesOr(op.getWindowDilations(), rank, 1),
                  paddingOf(op.getPadding(), rank)};
  if (!windows.valid(rank))
    return call.fail("window sizes, strides and dilations must be positive, one a dimension");
  Dims resultShape = windows.count(shape);
  std::vector<Tensor> results;
  llvm::SmallVector<Scalar, 2> init, element(count), value(count);
  for (unsigned k = 0; k < count; ++k) {
    if (inputs[k].tensor().shape() != shape)
      return call.fail("inputs differ in shape");
    llvm::FailureOr<Tensor> result = call.make(resultShape, call.elementOf(k));
    if (llvm::failed(result))
      return llvm::failure();
    results.push_back(*result);
    init.push_back(inits[k].tensor().get(0));
  }
  Fold fold(body, count);
  LogicalResult outcome = llvm::success();
  forEachIndex(resultShape, [&](llvm::ArrayRef<int64_t> window, int64_t position) {
    if (llvm::failed(outcome))
      return;
    fold.start(init);
    forEachIndex(windows.sizes, [&](llvm::ArrayRef<int64_t> offset, int64_t) {
      std::optional<int64_t> at = windows.element(window, offset, shape);
      if (!at || llvm::failed(outcome))
        return;
      for (unsigned k = 0; k < count; ++k)
        element[k] = inputs[k].tensor().get(*at);
      outcome = fold.add(element);
    });
    if (llvm::failed(outcome) || llvm::failed(outcome = fold.finish(value)))
      return;
    for (unsigned k = 0; k < count; ++k)
      results[k].set(position, value[k]);
  });
  if (llvm::failed(outcome))
    return outcome;
  for (Tensor &result : results)
    (void)call.yield(std::move(result));
  return llvm::success();
}

// Padding is never selected; a window without any element scatters nothing.
LogicalResult evaluate(stablehlo::SelectAndScatterOp op, Invocation &call) {
  ElementFunction select(op.getSelect(), call), scatter(op.getScatter(), call);
  // The type of the scattered values may be wider than that of the operand.
  if (llvm::failed(select.check(2, 1)) || llvm::failed(scatter.check(2, 1)) ||
      llvm::failed(promoteOperands(call, 1, 1, op.getScatter())) ||
      llvm::failed(promoteOperands(call, 2, 1, op.getScatter())))
    return llvm::failure();
  const Tensor &operand = call.tensor(0), &source = call.tensor(1);
  int64_t rank = operand.rank();
  Windows windows{valuesOr(op.getWindowDimensions(), rank, 1), valuesOr(op.getWindowStrides(), rank, 1), Dims(rank, 1),
                  Dims(rank, 1), paddingOf(op.getPadding(), rank)};
  if (!windows.valid(rank))
    return call.fail("window sizes and strides must be positive, one a dimension");
  if (windows.count(operand.shape()) != Dims(source.shape()))
    return call.fail("the source must have one element a window");
  llvm::FailureOr<Tensor> result = call.make(operand.shape(), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  Scalar init = call.tensor(2).get(0);
  for (int64_t i = 0; i < result->size(); ++i)
    result->set(i, init);
  LogicalResult outcome = llvm::success();
  forEachIndex(source.shape(), [&](llvm::ArrayRef<int64_t> window, int64_t position) {
    std::optional<int64_t> selected;
    Scalar verdict[1] = {};
    forEachIndex(windows.sizes, [&](llvm::ArrayRef<int64_t> offset, int64_t) {
      std::optional<int64_t> at = windows.element(window, offset, operand.shape());
      if (!at || llvm::failed(outcome))
        return;
      if (!selected) {
        selected = at;
        return;
      }
      Scalar pair[] = {operand.get(*selected), operand.get(*at)};
      outcome = select(pair, verdict);
      if (llvm::succeeded(outcome) && !verdict[0].i)
        selected = at;
    });
    if (llvm::failed(outcome) || !selected)
      return;
    Scalar pair[] = {result->get(*selected), source.get(position)};
    outcome = scatter(pair, verdict);
    if (llvm::succeeded(outcome))
      result->set(*selected, verdict[0]);
  });
  return llvm::failed(outcome) ? outcome : call.yield(*result);
}

} // namespace tenon::interpreter
