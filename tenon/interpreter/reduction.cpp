// reduce and map.
#include "tenon/interpreter/fold.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"
#include "tenon/interpreter/promote.h"

namespace tenon::interpreter {

LogicalResult Fold::combine(llvm::SmallVectorImpl<Scalar> &left, llvm::ArrayRef<Scalar> right) {
  std::copy(left.begin(), left.end(), arguments_.begin());
  std::copy(right.begin(), right.end(), arguments_.begin() + width_);
  return body_(arguments_, left);
}

LogicalResult Fold::add(llvm::ArrayRef<Scalar> element) {
  if (empty_) {
    current_.assign(element.begin(), element.end());
    empty_ = false;
  } else if (llvm::failed(combine(current_, element))) {
    return llvm::failure();
  }
  if (++inBlock_ < kBlock)
    return llvm::success();
  int level = 0;
  while (!stack_.empty() && stack_.back().level == level) {
    if (llvm::failed(combine(stack_.back().values, current_)))
      return llvm::failure();
    current_ = stack_.back().values;
    stack_.pop_back();
    ++level;
  }
  stack_.push_back({level, current_});
  inBlock_ = 0;
  empty_ = true;
  return llvm::success();
}

LogicalResult Fold::finish(llvm::MutableArrayRef<Scalar> result) {
  if (empty_) {
    current_ = stack_.back().values;
    stack_.pop_back();
  }
  for (; !stack_.empty(); stack_.pop_back()) {
    if (llvm::failed(combine(stack_.back().values, current_)))
      return llvm::failure();
    current_ = stack_.back().values;
  }
  std::copy(current_.begin(), current_.end(), result.begin());
  return llvm::success();
}

namespace {

// Reads the elements of several tensors.
class Inputs {
public:
  explicit Inputs(llvm::ArrayRef<Value> inputs) {
    for (const Value &input : inputs)
      sources_.push_back({loader(input.tensor().elementType()), input.tensor().data()});
  }
  void read(int64_t position, llvm::MutableArrayRef<Scalar> values) const {
    for (auto [source, value] : llvm::zip(sources_, values))
      value = source.load(source.data, position);
  }

private:
  struct Source {
    LoadFn load;
    const uint8_t *data;
  };
  llvm::SmallVector<Source, 2> sources_;
};

} // namespace

namespace {

// The dimensions of a tensor that a reduction keeps, or those that it reduces, with their strides.
struct Axes {
  Dims shape, strides;
  int64_t offset(llvm::ArrayRef<int64_t> index) const {
    int64_t result = 0;
    for (size_t d = 0; d < index.size(); ++d)
      result += index[d] * strides[d];
    return result;
  }
};

std::pair<Axes, Axes> split(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dimensions) {
  Axes kept, reduced;
  Dims strides = stridesOf(shape);
  for (auto [d, size] : llvm::enumerate(shape)) {
    Axes &axes = llvm::is_contained(dimensions, static_cast<int64_t>(d)) ? reduced : kept;
    axes.shape.push_back(size);
    axes.strides.push_back(strides[d]);
  }
  return {kept, reduced};
}

} // namespace

LogicalResult evaluate(stablehlo::ReduceOp op, Invocation &call) {
  llvm::ArrayRef<Value> inputs = call.valuesOf(op.getInputs()), inits = call.valuesOf(op.getInitValues());
  const auto count = static_cast<unsigned>(inputs.size());
  ElementFunction body(op.getBody(), call);
  if (llvm::failed(body.check(2 * count, count)) || llvm::failed(promoteOperands(call, 0, count, op.getBody())) ||
      llvm::failed(promoteOperands(call, count, count, op.getBody())))
    return llvm::failure();
  auto [kept, reduced] = split(inputs[0].tensor().shape(), op.getDimensions());
  std::vector<Tensor> results;
  for (unsigned k = 0; k < count; ++k) {
    if (inputs[k].tensor().shape() != inputs[0].tensor().shape())
      return call.fail("inputs differ in shape");
    llvm::FailureOr<Tensor> result = call.make(kept.shape, call.elementOf(k));
    if (llvm::failed(result))
      return llvm::failure();
    results.push_back(*result);
  }

  // The positions of the elements of one result relative to the first of them, in order.
  std::vector<int64_t> offsets;
  const Axes &inner = reduced, &outer = kept;
  if (!llvm::is_contained(outer.shape, 0))
    forEachIndex(inner.shape, [&](llvm::ArrayRef<int64_t> index, int64_t) { offsets.push_back(inner.offset(index)); });
  Inputs elements(inputs);
  llvm::SmallVector<Scalar, 2> init(count), element(count), value(count);
  Inputs(inits).read(0, init);
  Fold fold(body, count);
  LogicalResult outcome = llvm::success();
  forEachIndex(outer.shape, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    if (llvm::failed(outcome))
      return;
    int64_t base = outer.offset(index);
    fold.start(init);
    for (int64_t offset : offsets) {
      elements.read(base + offset, element);
      if (llvm::failed(outcome = fold.add(element)))
        return;
    }
    if (llvm::failed(outcome = fold.finish(value)))
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

LogicalResult evaluate(stablehlo::MapOp op, Invocation &call) {
  llvm::ArrayRef<Value> inputs = call.operands();
  const auto count = static_cast<unsigned>(inputs.size());
  ElementFunction body(op.getComputation(), call);
  if (llvm::failed(body.check(count, 1)))
    return llvm::failure();
  llvm::FailureOr<Tensor> result = call.make(inputs[0].tensor().shape(), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  for (const Value &input : inputs)
    if (input.tensor().shape() != result->shape())
      return call.fail("inputs differ in shape");
  Inputs elements(inputs);
  llvm::SmallVector<Scalar, 4> arguments(count);
  Scalar value[1];
  for (int64_t i = 0; i < result->size(); ++i) {
    elements.read(i, arguments);
    if (llvm::failed(body(arguments, value)))
      return llvm::failure();
    result->set(i, value[0]);
  }
  return call.yield(*result);
}

} // namespace tenon::interpreter
