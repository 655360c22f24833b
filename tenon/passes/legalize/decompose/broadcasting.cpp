// CHLO's implicitly broadcasting ops: the broadcasts become ops of their own.
//
//   chlo.broadcast_add %x, %y : (tensor<3x1xf32>, tensor<4xf32>)
//     =>  stablehlo.add of two stablehlo.broadcast_in_dim : tensor<3x4xf32>

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr llvm::StringLiteral kPrefix = "chlo.broadcast_";

// The operand in the result's shape. `dimensions` says where the dimensions of an operand of lower rank go; without it
// they are the last ones.
Value broadcastTo(OpBuilder &builder, Value operand, ArrayRef<int64_t> shape,
                  std::optional<ArrayRef<int64_t>> dimensions) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (type.getShape() == shape)
    return operand;
  int64_t rank = type.getRank(), resultRank = int64_t(shape.size());
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < rank; ++i)
    places.push_back(resultRank - rank + i);
  if (dimensions && rank < resultRank)
    places.assign(dimensions->begin(), dimensions->end());
  return sh::BroadcastInDimOp::create(builder, operand.getLoc(), type.clone(shape), operand, places);
}

Operation *compareOf(OpBuilder &builder, chlo::BroadcastCompareOp op, ArrayRef<Value> operands) {
  MLIRContext *context = op.getContext();
  auto direction = sh::ComparisonDirection(op.getComparisonDirection());
  sh::ComparisonTypeAttr type;
  if (std::optional<chlo::ComparisonType> given = op.getCompareType())
    type = sh::ComparisonTypeAttr::get(context, sh::ComparisonType(*given));
  return sh::CompareOp::create(builder, op.getLoc(), op.getResult().getType(), operands[0], operands[1], direction,
                               type);
}

LogicalResult expand(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto isStatic = [](Type operand) {
    auto tensor = dyn_cast<RankedTensorType>(operand);
    return tensor && tensor.hasStaticShape();
  };
  if (!type || !isStatic(type) || !llvm::all_of(op->getOperandTypes(), isStatic))
    return success();
  OpBuilder builder(op);
  std::optional<ArrayRef<int64_t>> dimensions;
  if (auto attribute = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions"))
    dimensions = attribute.asArrayRef();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(broadcastTo(builder, operand, type.getShape(), dimensions));
  Operation *plain = nullptr;
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    plain = compareOf(builder, compare, operands);
  } else {
    StringRef name = op->getName().getStringRef().drop_front(kPrefix.size());
    bool isChlo = name == "next_after" || name == "polygamma" || name == "zeta";
    OperationState state(op->getLoc(), ((isChlo ? "chlo." : "stablehlo.") + name).str(), operands, type);
    plain = builder.create(state);
  }
  for (Value operand : operands)
    if (Operation *broadcast = operand.getDefiningOp(); broadcast && failed(verify(broadcast)))
      return failure();
  if (failed(verify(plain)))
    return failure();
  op->replaceAllUsesWith(plain->getResults());
  op->erase();
  return success();
}

} // namespace

LogicalResult expandBroadcasting(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef().starts_with(kPrefix))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(expand(op)))
      return failure();
  return success();
}

} // namespace tenon::passes
