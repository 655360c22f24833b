#include "tenon/ir/elementwise_loop.h"

#include "tenon/ir/traits.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::ir {
namespace {

bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

bool areScalars(TypeRange types) { return llvm::all_of(types, isScalar); }

// The shape of the carried arrays, or null where they have none in common.
std::optional<ArrayRef<int64_t>> carriedShape(sh::WhileOp loop) {
  std::optional<ArrayRef<int64_t>> shape;
  for (Type type : loop->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || (tensor.getRank() > 0 && shape && *shape != tensor.getShape()))
      return std::nullopt;
    if (tensor.getRank() > 0)
      shape = tensor.getShape();
  }
  return shape;
}

bool isScalarOrOf(Type type, ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (tensor.getRank() == 0 || tensor.getShape() == shape);
}

// Whether the op gives each element of its result from the scalars and the elements at the same index.
bool isElementwise(Operation &op, ArrayRef<int64_t> shape) {
  auto fits = [&](Type type) { return isScalarOrOf(type, shape); };
  if (!llvm::all_of(op.getOperandTypes(), fits) || !llvm::all_of(op.getResultTypes(), fits) || op.getNumResults() != 1)
    return false;
  if (op.hasTrait<OpTrait::ConstantLike>()) {
    DenseElementsAttr value;
    return matchPattern(&op, m_Constant(&value)) && value.isSplat();
  }
  if (isa<sh::BroadcastInDimOp, sh::ReshapeOp>(op))
    return areScalars(op.getOperandTypes());
  return op.hasTrait<ir::Elementwise>() && op.getNumRegions() == 0;
}

} // namespace

bool isElementwiseLoop(sh::WhileOp loop) {
  std::optional<ArrayRef<int64_t>> shape = carriedShape(loop);
  if (!shape)
    return false;
  for (Operation &op : loop.getCond().front().without_terminator())
    if (!isElementwise(op, *shape) || !areScalars(op.getResultTypes()))
      return false;
  if (!areScalars(loop.getCond().front().getTerminator()->getOperandTypes()))
    return false;
  return llvm::all_of(loop.getBody().front().without_terminator(),
                      [&](Operation &op) { return isElementwise(op, *shape); });
}

} // namespace tenon::ir
