#include "tenon/interpreter/elementwise.h"

namespace tenon::interpreter {
namespace {

struct Source {
  LoadFn load;
  const uint8_t *data;
  int64_t step; // 0 for a scalar among larger operands
};

} // namespace

LogicalResult applyElementwise(Invocation &call, MaybeKernel kernel) {
  if (!kernel)
    return call.fail("is not defined for this element type", StatusCode::kUnimplemented);
  llvm::ArrayRef<Value> operands = call.operands();
  llvm::ArrayRef<int64_t> shape = operands.back().tensor().shape();
  for (const Value &operand : operands)
    if (operand.tensor().rank() > static_cast<int64_t>(shape.size()))
      shape = operand.tensor().shape();
  Source sources[3] = {};
  for (auto [i, operand] : llvm::enumerate(operands)) {
    const Tensor &tensor = operand.tensor();
    if (tensor.rank() != 0 && tensor.shape() != shape)
      return call.fail("operands differ in shape");
    sources[i] = {loader(tensor.elementType()), tensor.data(), tensor.rank() != 0 || shape.empty() ? 1 : 0};
  }
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  StoreFn store = storer(result->elementType());
  uint8_t *out = result->mutableData();
  const size_t count = operands.size();
  Scalar arguments[3] = {};
  for (int64_t i = 0; i < result->size(); ++i) {
    for (size_t k = 0; k < count; ++k)
      arguments[k] = sources[k].load(sources[k].data, i * sources[k].step);
    store(out, i, kernel->fn(*kernel, arguments));
  }
  return call.yield(*result);
}

} // namespace tenon::interpreter
