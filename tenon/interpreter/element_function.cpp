#include "tenon/interpreter/element_function.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"

namespace tenon::interpreter {

// The element type of a rank-0 tensor that scalar steps can hold.
static std::optional<ElementType> scalarTypeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || tensor.getRank() != 0 || llvm::isa<mlir::quant::QuantizedType>(tensor.getElementType()))
    return std::nullopt;
  return elementTypeOf(tensor.getElementType());
}

ElementFunction::ElementFunction(mlir::Region &region, Invocation &call) : region_(region), call_(call) {
  for (mlir::BlockArgument arg : region.getArguments()) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(arg.getType());
    argumentTypes_.push_back(tensor ? elementTypeOf(tensor.getElementType()).value_or(ElementType::kI1)
                                    : ElementType::kI1);
  }
  flat_ = flatten();
}

LogicalResult ElementFunction::check(unsigned arguments, unsigned results) {
  if (region_.getNumArguments() == arguments && llvm::all_of(region_.getArgumentTypes(), ir::isScalarTensor) &&
      region_.front().getTerminator()->getNumOperands() == results &&
      llvm::all_of(region_.front().getTerminator()->getOperandTypes(), ir::isScalarTensor))
    return llvm::success();
  return call_.fail("a region must take " + llvm::Twine(arguments) + " and return " + llvm::Twine(results) +
                    " rank-0 tensors");
}

std::optional<unsigned> ElementFunction::registerOf(mlir::Value value) {
  auto it = numbers_.find(value);
  if (it != numbers_.end())
    return it->second;
  // A value from outside: fixed for as long as the region runs.
  const Value *outside = call_.frame()->find(value);
  if (!outside || !scalarTypeOf(value.getType()))
    return std::nullopt;
  auto number = static_cast<unsigned>(registers_.size());
  registers_.push_back(outside->tensor().get(0));
  numbers_[value] = number;
  return number;
}

bool ElementFunction::flattenOp(mlir::Operation &op) {
  if (op.getNumResults() != 1 || op.getNumRegions() != 0)
    return false;
  std::optional<ElementType> result = scalarTypeOf(op.getResult(0).getType());
  if (!result)
    return false;
  auto number = static_cast<unsigned>(registers_.size());
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
    if (constant.getValue().size() != 1)
      return false;
    StatusOr<Tensor> value = Tensor::fromAttr(constant.getValue());
    if (!value.ok())
      return false;
    registers_.push_back(value->get(0));
    numbers_[op.getResult(0)] = number;
    return true;
  }
  if (op.getNumOperands() > 3)
    return false;
  Step step{};
  llvm::SmallVector<ElementType, 3> types;
  for (unsigned i = 0; i < op.getNumOperands(); ++i) {
    std::optional<ElementType> type = scalarTypeOf(op.getOperand(i).getType());
    std::optional<unsigned> source = registerOf(op.getOperand(i));
    if (!type || !source)
      return false;
    types.push_back(*type);
    step.operands[i] = *source;
  }
  MaybeKernel kernel;
  if (op.hasTrait<ir::Reindexes>()) // of a single element
    kernel = kernels::identity(*result);
  else
    kernel = findKernel(&op, {types, *result});
  if (!kernel)
    return false;
  step.kernel = *kernel;
  step.result = static_cast<unsigned>(registers_.size());
  registers_.push_back(Scalar{});
  numbers_[op.getResult(0)] = step.result;
  steps_.push_back(step);
  return true;
}

bool ElementFunction::flatten() {
  if (!region_.hasOneBlock())
    return false;
  for (mlir::BlockArgument arg : region_.getArguments()) {
    if (!scalarTypeOf(arg.getType()))
      return false;
    numbers_[arg] = static_cast<unsigned>(registers_.size());
    registers_.push_back(Scalar{});
  }
  for (mlir::Operation &op : region_.front()) {
    if (!op.hasTrait<mlir::OpTrait::IsTerminator>()) {
      if (!flattenOp(op))
        return false;
      continue;
    }
    for (mlir::Value operand : op.getOperands()) {
      std::optional<unsigned> source = registerOf(operand);
      if (!source)
        return false;
      outputs_.push_back(*source);
    }
  }
  return true;
}

LogicalResult ElementFunction::operator()(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results) {
  if (!flat_)
    return runAsBlock(arguments, results);
  Scalar *registers = registers_.data();
  std::copy(arguments.begin(), arguments.end(), registers);
  for (const Step &step : steps_) {
    Scalar operands[3] = {registers[step.operands[0]], registers[step.operands[1]], registers[step.operands[2]]};
    registers[step.result] = step.kernel(operands);
  }
  for (auto [result, source] : llvm::zip(results, outputs_))
    result = registers[source];
  return llvm::success();
}

LogicalResult ElementFunction::runAsBlock(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results) {
  Values args, values;
  for (auto [arg, value] : llvm::zip(region_.getArguments(), arguments))
    args.push_back(Tensor::scalar(llvm::cast<mlir::RankedTensorType>(arg.getType()).getElementType(), value));
  if (llvm::failed(call_.evaluator().runRegion(region_, std::move(args), call_.frame(), values)))
    return llvm::failure();
  for (auto [result, value] : llvm::zip(results, values))
    result = value.tensor().get(0);
  return llvm::success();
}

} // namespace tenon::interpreter
