#include "tenon/interpreter/promote.h"

#include "tenon/interpreter/elementwise.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace tenon::interpreter {

llvm::FailureOr<Tensor> promoted(Invocation &call, const Tensor &tensor, mlir::Type element) {
  if (tensor.mlirElementType() == element)
    return tensor;
  if (llvm::isa<mlir::quant::QuantizedType>(element))
    return requantized(call, tensor, element);
  llvm::FailureOr<Tensor> result = call.make(tensor.shape(), element);
  if (llvm::failed(result))
    return result;
  ElementType from = tensor.elementType(), to = result->elementType();
  for (int64_t i = 0; i < tensor.size(); ++i)
    result->set(i, normalize(to, convertScalar(from, to, tensor.get(i))));
  return result;
}

LogicalResult promoteOperands(Invocation &call, unsigned first, unsigned count, mlir::Region &computation) {
  for (unsigned i = 0; i < count; ++i) {
    auto argument = llvm::cast<mlir::RankedTensorType>(computation.getArgument(i).getType());
    llvm::FailureOr<Tensor> value = promoted(call, call.tensor(first + i), argument.getElementType());
    if (llvm::failed(value))
      return llvm::failure();
    call.operands()[first + i] = *std::move(value);
  }
  return llvm::success();
}

} // namespace tenon::interpreter
