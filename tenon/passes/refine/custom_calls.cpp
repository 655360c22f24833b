// Custom calls whose meaning is about shapes, or whose result shapes are operands.

#include "tenon/ir/annotations.h"
#include "tenon/ir/checks.h"
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
  SmallVector<BoundedTensor> refined = refiner.getAll(call.getOperands());
  SmallVector<Value> operands = valuesOf(refined);
  // Elements that do not count hold.
  if (!refined.empty() && refined[0].isBounded()) {
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(refined[0].sizes.size())));
    operands[0] = refiner.emit.masked(refined[0], all, refiner.emit.boolean(true));
  }
  Operation *copy = refiner.emit.builder.clone(*call);
  copy->setOperands(operands);
  return checkAssertion(cast<sh::CustomCallOp>(copy));
}

// The first k of the last dimension: jax.lax.top_k of a k that is an expression of sizes.
LogicalResult refineTopK(Refiner &refiner, sh::CustomCallOp call) {
  if (call->getNumOperands() != 2 || call->getNumResults() != 2)
    return call.emitOpError("takes an operand and k, and has two results");
  std::optional<int64_t> k = constantInteger(refiner.get(call.getOperand(1)).value);
  if (!k)
    return call.emitOpError("needs a k that is known when the program is compiled");
  RankedTensorType type = refiner.get(call.getOperand(0)).type();
  if (type.getRank() == 0 || *k < 0 || *k > type.getShape().back())
    return call.emitOpError() << "cannot take the first " << *k << " of " << type;
  // The old program gets the op, which is refined like any other.
  OperationState state(call.getLoc(), chlo::TopKOp::getOperationName(), call.getOperand(0), call->getResultTypes());
  state.addAttribute("k", refiner.emit.builder.getI64IntegerAttr(*k));
  Operation *top = OpBuilder(call).create(state);
  call->replaceAllUsesWith(top);
  return refiner.refineOp(*top);
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
  FailureOr<SmallVector<Extent>> shape = refiner.extents(call, call.getOperand(1), declared);
  if (failed(shape))
    return failure();
  Value state = refiner.get(call.getOperand(0)).value;
  auto type = RankedTensorType::get(lengthsOf(*shape), declared.getElementType());
  Type types[] = {state.getType(), type};
  auto bits = sh::RngBitGeneratorOp::create(refiner.emit.builder, call.getLoc(), types, algorithm, state);
  return failure(failed(refiner.put(call, 0, BoundedTensor(bits->getResult(0)))) ||
                 failed(refiner.put(call, 1, BoundedTensor(bits->getResult(1), sizesOf(*shape)))));
}

// The leading dimensions of LAPACK's routines are a batch of independent problems.
unsigned batchRankOf(sh::CustomCallOp call) {
  StringRef name = call.getCallTargetName();
  int64_t rank = 2;
  if (name.starts_with("lapack_") && name.ends_with("_ffi"))
    for (Type type : call->getOperandTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        rank = std::max(rank, tensor.getRank());
  return rank - 2;
}

// The operands that are data. Only batches may be bounded; those of all operands are the same.
FailureOr<SmallVector<BoundedTensor>> refineData(Refiner &refiner, sh::CustomCallOp call,
                                                 const llvm::BitVector &shapes) {
  auto batchRank = static_cast<int64_t>(batchRankOf(call));
  SmallVector<BoundedTensor> operands = refiner.getAll(call.getOperands());
  SmallVector<BoundedTensor *> data;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!shapes.test(i))
      data.push_back(&operand);
  for (BoundedTensor *operand : data) {
    auto rank = static_cast<int64_t>(operand->sizes.size());
    if (failed(refiner.refuseBounded(call, *operand, llvm::to_vector(llvm::seq(std::min(batchRank, rank), rank)))))
      return failure();
  }
  for (int round = 0; round < 2; ++round)
    for (BoundedTensor *operand : data)
      for (int64_t d = 0; d < std::min<int64_t>(batchRank, operand->sizes.size()); ++d)
        if (failed(refiner.unify(call, *data.front(), d, *operand, d)))
          return failure();
  return operands;
}

// A result's batch is as long as the operands'; other dimensions must have sizes that are known.
FailureOr<SmallVector<Extent>> resultShape(Refiner &refiner, sh::CustomCallOp call, const BoundedTensor &operand,
                                           Value oldSizes, RankedTensorType declared) {
  FailureOr<Value> sizes = refiner.list(call, oldSizes, declared.getRank());
  if (failed(sizes))
    return failure();
  SmallVector<Extent> shape;
  auto batchRank = static_cast<int64_t>(batchRankOf(call));
  for (int64_t d = 0; d < declared.getRank(); ++d) {
    Value size = refiner.emit.element(*sizes, d);
    if (d < batchRank && operand.isBounded(d)) {
      if (failed(refiner.requireEqual(call, size, operand.sizes[d])))
        return failure();
      shape.push_back({operand.dim(d), operand.sizes[d]});
      continue;
    }
    FailureOr<Extent> extent = refiner.extent(call, size, declared, d);
    if (failed(extent) || (extent->size && failed(refiner.refuse(call, d))))
      return failure();
    shape.push_back(*extent);
  }
  return shape;
}

// `indices_of_shape_operands`: the operands that are no data but the shapes of the results, in order.
LogicalResult refineShapeOperands(Refiner &refiner, sh::CustomCallOp call, DenseIntElementsAttr indices) {
  if (indices.getNumElements() != call->getNumResults())
    return call.emitOpError() << "indices_of_shape_operands must name one operand for each of the "
                              << call->getNumResults() << " results, got " << indices.getNumElements();
  llvm::BitVector shapes(call->getNumOperands());
  for (auto [result, index] : llvm::zip(call->getResults(), indices.getValues<APInt>())) {
    if (index.uge(call->getNumOperands()) || !isa<RankedTensorType>(result.getType()))
      return call.emitOpError("indices_of_shape_operands must name operands, and results must be tensors");
    shapes.set(index.getZExtValue());
  }
  FailureOr<SmallVector<BoundedTensor>> operands = refineData(refiner, call, shapes);
  if (failed(operands))
    return failure();
  Operation *copy = refiner.emit.builder.clone(*call);
  copy->setOperands(valuesOf(*operands));
  SmallVector<SmallVector<Value, 4>> sizes;
  for (auto [result, index] : llvm::zip(copy->getResults(), indices.getValues<APInt>())) {
    auto declared = cast<RankedTensorType>(result.getType());
    FailureOr<SmallVector<Extent>> shape =
        resultShape(refiner, call, operands->front(), call->getOperand(index.getZExtValue()), declared);
    if (failed(shape))
      return failure();
    sizes.push_back(sizesOf(*shape));
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
  if (failed(verifyCopy(copy)))
    return failure();
  for (auto [i, result] : llvm::enumerate(copy->getResults()))
    if (failed(refiner.put(call, i, BoundedTensor(result, sizes[i]))))
      return failure();
  return success();
}

// Elements that do not count are given the value that is expected of them.
LogicalResult refineCheck(Refiner &refiner, sh::CustomCallOp call) {
  FailureOr<SmallVector<BoundedTensor>> operands = refiner.unified(call, call.getOperands());
  if (failed(operands))
    return failure();
  BoundedTensor &actual = operands->front();
  const BoundedTensor &expected = operands->back();
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(actual.sizes.size())));
  if (StatusOr<ElementCheck> check = ir::elementCheck(call); check.ok() && check->minUlps)
    if (failed(refiner.refuseBounded(call, actual)))
      return failure();
  if (Value mask = refiner.emit.validMask(actual, all); mask && actual.type() == expected.type())
    actual.value = refiner.emit.make<sh::SelectOp>(actual.type(), mask, actual.value, expected.value);
  Operation *copy = refiner.emit.builder.clone(*call);
  copy->setOperands(valuesOf(*operands));
  if (failed(verifyCopy(copy)))
    return failure();
  return copy->getNumResults() == 0 ? success() : refiner.put(call, 0, BoundedTensor(copy->getResult(0)));
}

// Qr gives a matrix of the operand's shape and a scale for each of its reflectors, the product of the reflectors a
// matrix of the operand's shape.
LogicalResult refineReflectors(Refiner &refiner, sh::CustomCallOp call) {
  SmallVector<BoundedTensor> operands = refiner.getAll(call.getOperands());
  for (const BoundedTensor &operand : operands)
    if (failed(refiner.refuseBounded(call, operand)))
      return failure();
  bool isQr = call.getCallTargetName() == "Qr";
  if (operands.empty() || call->getNumResults() != (isQr ? 2 : 1) || operands[0].type().getRank() < 2)
    return call.emitOpError("takes matrices, and gives them and their factors");
  Operation *copy = refiner.emit.builder.clone(*call);
  copy->setOperands(valuesOf(operands));
  RankedTensorType type = operands[0].type();
  copy->getResult(0).setType(type);
  if (isQr) {
    SmallVector<int64_t> shape(type.getShape().drop_back());
    shape.back() = std::min(shape.back(), type.getShape().back());
    copy->getResult(1).setType(type.clone(shape));
  }
  for (auto [i, result] : llvm::enumerate(copy->getResults()))
    if (failed(refiner.put(call, i, BoundedTensor(result))))
      return failure();
  return success();
}

bool isIdentity(sh::CustomCallOp call) {
  if (!ir::isAnnotation(call) || call->getNumOperands() != 1 || call->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(call->getResult(0).getType());
  return type && !type.hasStaticShape();
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
  else if (ir::isCheck(call))
    outcome = refineCheck(refiner, call);
  else if (target == "stablehlo.dynamic_top_k")
    outcome = refineTopK(refiner, call);
  else if (target == "stablehlo.dynamic_reduce_window")
    outcome = refineReduceWindow(refiner, call);
  else if (target == "stablehlo.dynamic_rng_bit_generator")
    outcome = refineRandomBits(refiner, call);
  else if (auto indices = call->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands"))
    outcome = refineShapeOperands(refiner, call, indices);
  else if (target == "Qr" || target == "ProductOfElementaryHouseholderReflectors")
    outcome = refineReflectors(refiner, call);
  else if (isIdentity(call))
    outcome = refiner.put(op, refiner.get(call.getOperand(0)));
  else
    return false;
  return failed(outcome) ? FailureOr<bool>(failure()) : true;
}

} // namespace tenon::passes::refine
