#include "tenon/ir/elementwise_loop.h"

#include "tenon/ir/traits.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::ir {
namespace {

bool areScalars(TypeRange types) { return llvm::all_of(types, isScalarTensor); }

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

bool isArray(Value value) { return isStatic(value.getType()) && !isScalarTensor(value.getType()); }

// Whether the shapes are one but for dimensions of one element.
bool isSameShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  auto isLong = [](int64_t n) { return n != 1; };
  return llvm::equal(llvm::make_filter_range(a, isLong), llvm::make_filter_range(b, isLong));
}

// Whether all elements of the result are elements of the first operand, each of one that does not depend on data other
// than scalars.
bool isMove(Operation &op) {
  return isa<sh::DynamicSliceOp, sh::SliceOp, sh::ReshapeOp, sh::BroadcastInDimOp, sh::TransposeOp, sh::ReverseOp>(op);
}

bool isSplat(Operation &op) {
  DenseElementsAttr value;
  return matchPattern(&op, m_Constant(&value)) && value.isSplat();
}

// Whether writing the part writes one index of one dimension in each iteration, and all of them together.
bool writesEach(sh::WhileOp loop, sh::DynamicUpdateSliceOp update) {
  ArrayRef<int64_t> whole = shapeOf(update.getResult()), part = shapeOf(update.getUpdate());
  std::optional<unsigned> written;
  for (auto [dim, extent] : llvm::enumerate(whole)) {
    if (part[dim] == extent)
      continue;
    if (written || part[dim] != 1)
      return false;
    written = dim;
  }
  int64_t trips = tripCount(loop);
  if (!written || trips == 0 || whole[*written] != trips)
    return false;
  std::optional<IterationNumber> at = iterationNumber(update.getStartIndices()[*written], loop);
  return at && ((at->factor == 1 && at->constant == 0) || (at->factor == -1 && at->constant == trips - 1));
}

// Looks through a loop's body, in order.
class BodyCheck {
public:
  explicit BodyCheck(sh::WhileOp loop) : loop_(loop), body_(loop.getBody().front()) {}

  bool run() {
    for (unsigned number = 0; number < body_.getNumArguments(); ++number) {
      BlockArgument argument = body_.getArgument(number);
      if (!isStatic(argument.getType()))
        return false;
      if (isScalarTensor(argument.getType()) || isUnchanged(loop_, number))
        continue;
      sh::DynamicUpdateSliceOp update = writtenPart(loop_, number);
      if (!isOfShape(update ? update.getUpdate() : Value(argument), !update))
        return false;
      if (update)
        updates_.insert(update);
      else
        changed_.insert(argument);
    }
    return shape_ &&
           llvm::all_of(body_.without_terminator(), [&](Operation &op) { return updates_.contains(&op) || fits(op); });
  }

private:
  // Whether the array is of the shape of those before.
  bool isOfShape(Value array, bool exactly) {
    if (!shape_)
      shape_ = elementShape(loop_);
    return exactly ? shapeOf(array) == *shape_ : isSameShape(shapeOf(array), *shape_);
  }

  bool fits(Operation &op) {
    if (op.getNumResults() != 1 || op.getNumRegions() > 0 || !llvm::all_of(op.getOperandTypes(), isStatic) ||
        !isStatic(op.getResult(0).getType()))
      return false;
    if (op.hasTrait<OpTrait::ConstantLike>())
      return isSplat(op);
    bool isElementwise = op.hasTrait<ir::Elementwise>();
    if (llvm::none_of(op.getOperands(), [&](Value operand) { return changed_.contains(operand); }))
      return isElementwise || isMove(op) || isa<sh::IotaOp>(op);
    if (!isElementwise &&
        !(isa<sh::ReshapeOp>(op) && isArray(op.getResult(0)) && isSameShape(shapeOf(op.getResult(0)), *shape_)))
      return false;
    changed_.insert(op.getResult(0));
    return isArray(op.getResult(0));
  }

  sh::WhileOp loop_;
  Block &body_;
  std::optional<ArrayRef<int64_t>> shape_;
  llvm::DenseSet<Operation *> updates_;
  llvm::DenseSet<Value> changed_; // carried arrays that change, and what depends on these
};

// Whether it depends on scalars alone whether the loop goes on.
bool endsByScalars(sh::WhileOp loop) {
  Block &condition = loop.getCond().front();
  for (Operation &op : condition.without_terminator()) {
    bool isComputed = op.hasTrait<OpTrait::ConstantLike>() ? isSplat(op)
                      : isa<sh::ReshapeOp, sh::BroadcastInDimOp>(op)
                          ? true
                          : op.hasTrait<ir::Elementwise>() && op.getNumRegions() == 0;
    if (!isComputed || op.getNumResults() != 1 || !areScalars(op.getOperandTypes()) || !areScalars(op.getResultTypes()))
      return false;
  }
  return areScalars(condition.getTerminator()->getOperandTypes());
}

} // namespace

bool isElementwiseLoop(sh::WhileOp loop) { return endsByScalars(loop) && BodyCheck(loop).run(); }

ArrayRef<int64_t> elementShape(sh::WhileOp loop) {
  sh::DynamicUpdateSliceOp written;
  for (OpResult result : loop->getResults()) {
    unsigned number = result.getResultNumber();
    if (!isArray(result) || isUnchanged(loop, number))
      continue;
    sh::DynamicUpdateSliceOp update = writtenPart(loop, number);
    if (!update)
      return shapeOf(result);
    if (!written)
      written = update;
  }
  return written ? shapeOf(written.getUpdate()) : ArrayRef<int64_t>();
}

bool isUnchanged(sh::WhileOp loop, unsigned number) {
  Block &body = loop.getBody().front();
  return body.getTerminator()->getOperand(number) == body.getArgument(number);
}

bool isLongFunction(Operation *op) {
  ElementCost cost = elementCost(op->getName()).value_or(ElementCost::kSimple);
  return cost != ElementCost::kSimple && cost != ElementCost::kDivision && cost != ElementCost::kRoot;
}

sh::DynamicUpdateSliceOp writtenPart(sh::WhileOp loop, unsigned number) {
  Block &body = loop.getBody().front();
  BlockArgument argument = body.getArgument(number);
  auto update = body.getTerminator()->getOperand(number).getDefiningOp<sh::DynamicUpdateSliceOp>();
  if (!update || update->getBlock() != &body || update.getOperand() != argument || !argument.hasOneUse() ||
      !update.getResult().hasOneUse() || !loop.getCond().front().getArgument(number).use_empty() ||
      !llvm::all_of(update->getOperandTypes(), isStatic) || !writesEach(loop, update))
    return nullptr;
  return update;
}

} // namespace tenon::ir
