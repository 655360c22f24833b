// Custom calls whose meaning is about shapes, or whose result shapes are operands.

#include "tenon/ir/chlo.h"
#include "tenon/passes/refine/refiner.h"
#include "tenon/support/format_message.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

LogicalResult refineAssertion(Refiner &refiner, sh::CustomCallOp call) {
  SmallVector<Value> operands = valuesOf(refiner.getAll(call.getOperands()));
  Operation *copy = refiner.emit.builder.clone(*call);
  copy->setOperands(operands);
  return checkAssertion(cast<sh::CustomCallOp>(copy));
}

// The first k of the last dimension: jax.lax.top_k of a k that is an expression of sizes.
LogicalResult refineTopK(Refiner &refiner, sh::CustomCallOp call) {
  if (call->getNumOperands() != 2 || call->getNumResults() != 2)
    return call.emitOpError("takes an operand and k, and has two results");
  std::optional<int64_t> k = constantInteger(refiner.get(call.getOperand(1)).value);
  const Refined &operand = refiner.get(call.getOperand(0));
  if (!k || operand.isBounded())
    return call.emitOpError("needs an operand of known shape and a k that is known when the program is compiled");
  OperationState state(call.getLoc(), chlo::TopKOp::getOperationName());
  state.addOperands(operand.value);
  state.addAttribute("k", refiner.emit.builder.getI64IntegerAttr(*k));
  SmallVector<int64_t> shape(operand.type().getShape());
  if (shape.empty() || *k < 0 || *k > shape.back())
    return call.emitOpError() << "cannot take the first " << *k << " of " << operand.type();
  shape.back() = *k;
  state.addTypes({operand.type().clone(shape), RankedTensorType::get(shape, refiner.emit.builder.getI32Type())});
  Operation *top = refiner.emit.builder.create(state);
  return failure(failed(refiner.put(call, 0, Refined(top->getResult(0)))) ||
                 failed(refiner.put(call, 1, Refined(top->getResult(1)))));
}

// Inputs, initial values, and the window's attributes as operands; the computation is a function.
LogicalResult refineReduceWindow(Refiner &refiner, sh::CustomCallOp call) {
  unsigned count = call->getNumResults();
  ArrayAttr computations = call.getCalledComputationsAttr();
  if (call->getNumOperands() != 2 * count + 5 || !computations || computations.size() != 1)
    return call.emitOpError("takes an input and an initial value for each result, five attributes as operands, and one "
                            "computation");
  auto name = cast<FlatSymbolRefAttr>(computations[0]);
  auto computation = call->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(name.getAttr());
  if (!computation || computation.isExternal())
    return call.emitOpError() << "calls " << name << ", which is not a function with a body";
  SmallVector<SmallVector<int64_t>> attributes;
  for (Value operand : call->getOperands().take_back(5)) {
    auto integers = constantIntegers(refiner.get(operand).value);
    if (!integers)
      return call.emitOpError("must have a window that is known when the program is compiled");
    attributes.push_back(*integers);
  }
  OpBuilder &builder = refiner.emit.builder;
  SmallVector<Type> types;
  for (Value result : call->getResults())
    types.push_back(cast<RankedTensorType>(result.getType()).dropEncoding());
  auto paddingType = RankedTensorType::get({static_cast<int64_t>(attributes[4].size()) / 2, 2}, builder.getI64Type());
  // The old program gets the op, which is refined like any other.
  OpBuilder old(call);
  auto window = sh::ReduceWindowOp::create(
      old, call.getLoc(), types, call->getOperands().take_front(count), call->getOperands().slice(count, count),
      old.getDenseI64ArrayAttr(attributes[0]), old.getDenseI64ArrayAttr(attributes[1]),
      old.getDenseI64ArrayAttr(attributes[2]), old.getDenseI64ArrayAttr(attributes[3]),
      DenseIntElementsAttr::get(paddingType, ArrayRef<int64_t>(attributes[4])));
  IRMapping mapping;
  computation.getBody().cloneInto(&window.getBody(), mapping);
  Operation *terminator = window.getBody().front().getTerminator();
  old.setInsertionPoint(terminator);
  sh::ReturnOp::create(old, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  call->replaceAllUsesWith(window->getResults());
  return refiner.refineOp(*window);
}

LogicalResult refineRandomBits(Refiner &refiner, sh::CustomCallOp call) {
  auto algorithm = call->getAttrOfType<sh::RngAlgorithmAttr>("rng_algorithm");
  if (call->getNumOperands() != 2 || call->getNumResults() != 2 || !algorithm)
    return call.emitOpError("takes a state and a shape, has two results, and an attribute rng_algorithm");
  auto declared = dyn_cast<RankedTensorType>(call->getResult(1).getType());
  if (!declared)
    return call.emitOpError("must have tensors for results");
  FailureOr<SmallVector<Extent>> shape = refiner.extents(call, refiner.get(call.getOperand(1)).value, declared);
  if (failed(shape))
    return failure();
  Value state = refiner.get(call.getOperand(0)).value;
  auto type = RankedTensorType::get(lengthsOf(*shape), declared.getElementType());
  Type types[] = {state.getType(), type};
  auto bits = sh::RngBitGeneratorOp::create(refiner.emit.builder, call.getLoc(), types, algorithm, state);
  return failure(failed(refiner.put(call, 0, Refined(bits->getResult(0)))) ||
                 failed(refiner.put(call, 1, Refined(bits->getResult(1), sizesOf(*shape)))));
}

// `indices_of_shape_operands`: the operands that are no data but the shapes of the results, in order.
LogicalResult refineShapeOperands(Refiner &refiner, sh::CustomCallOp call, DenseIntElementsAttr indices) {
  if (indices.getNumElements() != call->getNumResults())
    return call.emitOpError() << "indices_of_shape_operands must name one operand for each of the "
                              << call->getNumResults() << " results, got " << indices.getNumElements();
  Operation *copy = refiner.emit.builder.clone(*call);
  copy->setOperands(valuesOf(refiner.getAll(call.getOperands())));
  llvm::BitVector shapes(call->getNumOperands());
  for (auto [result, index] : llvm::zip(copy->getResults(), indices.getValues<APInt>())) {
    auto declared = dyn_cast<RankedTensorType>(result.getType());
    if (index.uge(call->getNumOperands()) || !declared)
      return call.emitOpError("indices_of_shape_operands must name operands, and results must be tensors");
    shapes.set(index.getZExtValue());
    FailureOr<SmallVector<Extent>> shape = refiner.extents(call, copy->getOperand(index.getZExtValue()), declared);
    if (failed(shape))
      return failure();
    for (auto [d, extent] : llvm::enumerate(*shape))
      if (extent.size)
        return refiner.refuse(call, d);
    result.setType(RankedTensorType::get(lengthsOf(*shape), declared.getElementType()));
  }
  copy->removeAttr("indices_of_shape_operands");
  if (auto layouts = call.getOperandLayoutsAttr()) {
    SmallVector<Attribute> kept;
    for (auto [i, layout] : llvm::enumerate(layouts))
      if (!shapes.test(i))
        kept.push_back(layout);
    cast<sh::CustomCallOp>(copy).setOperandLayoutsAttr(refiner.emit.builder.getArrayAttr(kept));
  }
  copy->eraseOperands(shapes);
  if (failed(verify(copy)))
    return failure();
  for (auto [i, result] : llvm::enumerate(copy->getResults()))
    if (failed(refiner.put(call, i, Refined(result))))
      return failure();
  return success();
}

// Annotations say where a value is or how it is sharded.
bool isIdentity(sh::CustomCallOp call) {
  return call->getNumOperands() == 1 && call->getNumResults() == 1 &&
         llvm::is_contained({"Sharding", "annotate_device_placement", "LayoutConstraint"}, call.getCallTargetName()) &&
         !cast<ShapedType>(call->getResult(0).getType()).hasStaticShape();
}

} // namespace

LogicalResult checkAssertion(sh::CustomCallOp call) {
  if (call->getNumOperands() == 0 || call->getNumResults() != 0)
    return call.emitOpError("shape_assertion takes a condition and has no result");
  std::optional<int64_t> condition = constantInteger(call.getOperand(0));
  if (!condition)
    return success();
  if (*condition) {
    call.erase();
    return success();
  }
  std::vector<int64_t> inputs;
  for (Value input : call.getOperands().drop_front())
    inputs.push_back(constantInteger(input).value_or(ShapedType::kDynamic));
  auto message = call->getAttrOfType<StringAttr>("error_message");
  return call.emitError() << formatMessage(message ? message.getValue() : "a shape assertion does not hold", inputs);
}

FailureOr<bool> refineCustomCall(Refiner &refiner, Operation *op) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  if (!call)
    return false;
  StringRef target = call.getCallTargetName();
  LogicalResult outcome = success();
  if (target == "shape_assertion")
    outcome = refineAssertion(refiner, call);
  else if (target == "stablehlo.dynamic_top_k")
    outcome = refineTopK(refiner, call);
  else if (target == "stablehlo.dynamic_reduce_window")
    outcome = refineReduceWindow(refiner, call);
  else if (target == "stablehlo.dynamic_rng_bit_generator")
    outcome = refineRandomBits(refiner, call);
  else if (auto indices = call->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands"))
    outcome = refineShapeOperands(refiner, call, indices);
  else if (isIdentity(call))
    outcome = refiner.put(op, refiner.get(call.getOperand(0)));
  else
    return false;
  return failed(outcome) ? FailureOr<bool>(failure()) : true;
}

} // namespace tenon::passes::refine
