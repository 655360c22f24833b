#include "tenon/passes/partition/summands.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

DenseElementsAttr splatOf(Value value) {
  while (auto broadcast = value.getDefiningOp<sh::BroadcastInDimOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<sh::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return elements && elements.isSplat() ? elements : DenseElementsAttr();
}

// With a factor that is not finite, a sum of products is not the product of the sum.
bool isFiniteFactor(Value value, bool isDivisor) {
  DenseElementsAttr elements = splatOf(value);
  if (!elements)
    return false;
  if (isa<IntegerType>(elements.getElementType()))
    return !isDivisor; // quotients of integers are rounded
  return isa<FloatType>(elements.getElementType()) && elements.getSplatValue<APFloat>().isFinite() &&
         !(isDivisor && elements.getSplatValue<APFloat>().isZero());
}

// Whether the op makes one array of summands of two.
bool isJoin(Operation *op, sdy::ReductionOp reduction) {
  switch (reduction) {
  case sdy::ReductionOp::SUM:
    return isa<sh::AddOp, sh::SubtractOp>(op);
  case sdy::ReductionOp::MAX:
    return isa<sh::MaximumOp>(op);
  case sdy::ReductionOp::MIN:
    return isa<sh::MinimumOp>(op);
  }
  return false;
}

// Which loses nothing, and is put together with something.
bool isWidening(sh::ConvertOp op, sdy::ReductionOp reduction) {
  auto from = dyn_cast<FloatType>(ir::typeOf(op.getOperand()).getElementType());
  auto to = dyn_cast<FloatType>(ir::typeOf(op.getResult()).getElementType());
  return from && to && from.getWidth() < to.getWidth() && op->hasOneUse() && isJoin(*op->user_begin(), reduction);
}

} // namespace

// Those of ops that say which element goes where, which hold for what is put together in any way.
static SmallVector<OpOperand *, 2> movedOperands(Operation *op, sdy::ReductionOp reduction) {
  auto operand = [&](unsigned i) { return &op->getOpOperand(i); };
  using Operands = SmallVector<OpOperand *, 2>;
  return llvm::TypeSwitch<Operation *, Operands>(op)
      .Case<sh::TransposeOp, sh::ReshapeOp>([&](auto) { return Operands{operand(0)}; })
      .Case([&](sh::BroadcastInDimOp broadcast) { // of one element as several, the sum is that of fewer bytes
        bool isReshape =
            ir::typeOf(broadcast.getOperand()).getNumElements() == ir::typeOf(op->getResult(0)).getNumElements();
        return isReshape ? Operands{operand(0)} : Operands();
      })
      .Case<sh::DynamicUpdateSliceOp>([&](auto) { return Operands{operand(0), operand(1)}; })
      .Case([&](sh::ConvertOp convert) { return isWidening(convert, reduction) ? Operands{operand(0)} : Operands(); })
      .Default(Operands());
}

SmallVector<OpOperand *, 2> summandOperands(Operation *op, sdy::ReductionOp reduction) {
  auto operand = [&](unsigned i) { return &op->getOpOperand(i); };
  using Operands = SmallVector<OpOperand *, 2>;
  if (isJoin(op, reduction))
    return {operand(0), operand(1)};
  if (Operands moved = movedOperands(op, reduction); !moved.empty() || reduction != sdy::ReductionOp::SUM)
    return moved;
  return llvm::TypeSwitch<Operation *, Operands>(op)
      .Case([&](sh::NegateOp) { return Operands{operand(0)}; })
      .Case([&](sh::MultiplyOp) {
        for (unsigned i : {0, 1})
          if (isFiniteFactor(op->getOperand(1 - i), /*isDivisor=*/false))
            return Operands{operand(i)};
        return Operands();
      })
      .Case([&](sh::DivideOp) {
        return isFiniteFactor(op->getOperand(1), /*isDivisor=*/true) ? Operands{operand(0)} : Operands();
      })
      .Default(Operands());
}

bool isAccumulated(sh::WhileOp loop, unsigned carried) {
  Value value = loop.getBody().getArgument(carried);
  if (!loop.getCond().getArgument(carried).use_empty())
    return false;
  using enum sdy::ReductionOp;
  SmallVector<sdy::ReductionOp> possible = {SUM, MAX, MIN};
  for (bool isChanged = false; value.hasOneUse(); isChanged = true) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->getBlock() != &loop.getBody().front())
      return false;
    if (user->hasTrait<OpTrait::IsTerminator>())
      return isChanged && use.getOperandNumber() == carried;
    bool mayBeSecond = !isa<sh::SubtractOp, sh::DynamicUpdateSliceOp>(user);
    if (!isa<sh::DynamicUpdateSliceOp>(user))
      llvm::erase_if(possible, [&](sdy::ReductionOp reduction) { return !isJoin(user, reduction); });
    if (possible.empty() || !(mayBeSecond || use.getOperandNumber() == 0))
      return false;
    value = user->getResult(0);
  }
  return false;
}

bool isZero(Value value) {
  DenseElementsAttr elements = splatOf(value);
  if (!elements)
    return false;
  if (isa<IntegerType>(elements.getElementType()))
    return elements.getSplatValue<APInt>().isZero();
  return isa<FloatType>(elements.getElementType()) && elements.getSplatValue<APFloat>().isZero();
}

} // namespace tenon::passes::partition
