// Reductions whose computation is in a wider type than their operands (the specification's is_promotable) become
// reductions in that type: operands are converted first, or quantized anew.
//
//   reduce(x : T[8xi8], 0 : i8, add : i32)  =>  reduce(convert(x) : T[8xi32], convert(0) : i32, add : i32)
//
// select_and_scatter selects in the operand's type and scatters in another: there, both are done in a type that holds
// the operand's values and the sums, and `select` and `scatter` convert what they are given. For quantized values of
// two scales that is the type that they express.

#include "tenon/ir/infer.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::elementTypeOf;
using ir::typeOf;

// The specification's to_destination_type.
Value promoted(OpBuilder &builder, Location loc, Value value, Type element) {
  if (elementTypeOf(value) == element)
    return value;
  Type type = typeOf(value).clone(element);
  if (isa<quant::QuantizedType>(element))
    return sh::UniformQuantizeOp::create(builder, loc, type, value);
  if (isa<quant::QuantizedType>(elementTypeOf(value)))
    return sh::UniformDequantizeOp::create(builder, loc, type, value);
  return sh::ConvertOp::create(builder, loc, type, value);
}

// Gives `count` operands from `first` on the types of the computation's first arguments.
void promoteOperands(Operation *op, unsigned first, unsigned count, Region &computation) {
  OpBuilder builder(op);
  for (unsigned i = 0; i < count; ++i)
    op->setOperand(first + i, promoted(builder, op->getLoc(), op->getOperand(first + i),
                                       elementTypeOf(computation.getArgument(i))));
}

// Whether a value of type `from`, promoted to `to`, is the same one: converting it back gives it.
bool holds(Type to, Type from) {
  if (to == from)
    return true;
  if (auto floating = dyn_cast<FloatType>(from))
    return llvm::APFloatBase::isRepresentableBy(floating.getFloatSemantics(), cast<FloatType>(to).getFloatSemantics());
  auto narrow = dyn_cast<quant::UniformQuantizedType>(from), wide = dyn_cast<quant::UniformQuantizedType>(to);
  if (narrow && wide)
    return narrow.getScale() == wide.getScale() && narrow.getZeroPoint() == wide.getZeroPoint() &&
           narrow.getStorageTypeMin() >= wide.getStorageTypeMin() &&
           narrow.getStorageTypeMax() <= wide.getStorageTypeMax();
  return !isa<quant::QuantizedType>(from); // integers keep their bits, complex numbers their parts
}

// Whether what a value is dequantized to, quantized again, is that value: both steps round by half a unit, which
// together is less than half of the scale, and nothing overflows or is subnormal.
bool isExpressedExactly(quant::UniformQuantizedType type) {
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getExpressedType()).getFloatSemantics();
  unsigned width = type.getStorageTypeIntegralWidth();
  if (width + 2 >= llvm::APFloat::semanticsPrecision(semantics))
    return false;
  double smallest = llvm::APFloat::getSmallestNormalized(semantics).convertToDouble();
  double largest = llvm::APFloat::getLargest(semantics).convertToDouble();
  return type.getScale() >= smallest && std::ldexp(type.getScale(), static_cast<int>(width)) <= largest;
}

// A type that holds the values of both; null if none is known. Formats of 32 bits and more hold each other in order,
// and f32 all narrower ones.
Type commonType(Type operand, Type scattered) {
  if (holds(scattered, operand))
    return scattered;
  auto a = dyn_cast<quant::UniformQuantizedType>(operand), b = dyn_cast<quant::UniformQuantizedType>(scattered);
  // Operands may be integers that a narrowed range leaves out, which quantizing would clip.
  if (a && b && !a.hasStorageTypeBounds() && isExpressedExactly(a) && isExpressedExactly(b))
    return a.getExpressedType();
  return isa<FloatType>(operand) ? Type(Float32Type::get(operand.getContext())) : Type();
}

// Puts a computation, whose arguments and results are of element type `inner`, on values of type `outer`.
void convertBody(Region &region, Type inner, Type outer) {
  if (inner == outer)
    return;
  Block &block = region.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (BlockArgument argument : block.getArguments()) {
    argument.setType(typeOf(argument).clone(outer));
    Value own = promoted(builder, argument.getLoc(), argument, inner);
    argument.replaceAllUsesExcept(own, own.getDefiningOp());
  }
  Operation *terminator = block.getTerminator();
  builder.setInsertionPoint(terminator);
  for (OpOperand &result : terminator->getOpOperands())
    if (elementTypeOf(result.get()) == inner)
      result.set(promoted(builder, terminator->getLoc(), result.get(), outer));
}

LogicalResult promote(sh::SelectAndScatterOp op) {
  Type operand = elementTypeOf(op.getOperand()), scattered = elementTypeOf(op.getScatter().getArgument(0));
  if (operand == scattered)
    return success();
  Type common = commonType(operand, scattered);
  if (!common)
    return op.emitError("select_and_scatter cannot be compiled with a scatter in a quantized type that does not hold "
                        "the operand's values: ")
           << operand << " and " << scattered;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  op->setOperand(0, promoted(builder, loc, op.getOperand(), common));
  for (unsigned i : {1u, 2u})
    op->setOperand(i, promoted(builder, loc, promoted(builder, loc, op->getOperand(i), scattered), common));
  convertBody(op.getSelect(), operand, common);
  convertBody(op.getScatter(), scattered, common);
  auto type = cast<RankedTensorType>(op.getType());
  op.getResult().setType(type.clone(common));
  builder.setInsertionPointAfter(op);
  if (Value result = promoted(builder, loc, op.getResult(), scattered); result != op.getResult())
    op.getResult().replaceAllUsesExcept(result, result.getDefiningOp());
  return success();
}

} // namespace

LogicalResult promoteComputations(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<sh::ReduceOp, sh::ReduceWindowOp>([](auto reduce) {
          unsigned count = reduce.getInputs().size();
          promoteOperands(reduce, 0, count, reduce.getBody());
          promoteOperands(reduce, count, count, reduce.getBody());
          return success();
        })
        .Case([](sh::ScatterOp scatter) {
          unsigned count = scatter.getInputs().size();
          promoteOperands(scatter, 0, count, scatter.getUpdateComputation());
          promoteOperands(scatter, count + 1, count, scatter.getUpdateComputation());
          return success();
        })
        .Case<sh::AllReduceOp, sh::ReduceScatterOp, sh::CollectiveReduceOp>([](auto collective) {
          // One computation for each operand; roots of a collective_reduce are none.
          for (unsigned i = 0; i < collective->getNumResults(); ++i)
            promoteOperands(collective, i, 1, collective.getComputation());
          return success();
        })
        .Case([](sh::SelectAndScatterOp select) { return promote(select); })
        .Default(success());
  });
  return failure(result.wasInterrupted());
}

} // namespace tenon::passes
