#include "tenon/passes/fuse/rules.h"

#include "tenon/ir/chlo.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr int64_t kEmbeddedElements = 64;

bool isPlainTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !isa<quant::QuantizedType>(tensor.getElementType());
}

bool hasPlainTypes(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), isPlainTensor) && llvm::all_of(op->getResultTypes(), isPlainTensor);
}

bool isElementwise(Operation *op) { return op->hasTrait<ir::Elementwise>() && op->getNumRegions() == 0; }

// Bits that are read as a type of the same width: each element by itself. Legalization leaves no others.
bool keepsElements(sh::BitcastConvertOp op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType()), to = cast<RankedTensorType>(op.getType());
  return from.getShape() == to.getShape() && !ir::isScalarTensor(to);
}

} // namespace

OpRole roleOf(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return OpRole::kConstant;
  if (!hasPlainTypes(op) || op->getNumResults() == 0)
    return OpRole::kOpaque;
  bool elementwise = isElementwise(op);
  if (elementwise || isa<sh::ReshapeOp>(op))
    if (llvm::all_of(op->getOperandTypes(), ir::isScalarTensor) &&
        llvm::all_of(op->getResultTypes(), ir::isScalarTensor))
      return OpRole::kScalar;
  if (isa<sh::DynamicUpdateSliceOp>(op))
    return OpRole::kUpdate;
  if (elementwise || op->hasTrait<ir::MovesElements>() || isa<sh::IotaOp>(op))
    return OpRole::kLoop;
  if (auto bits = dyn_cast<sh::BitcastConvertOp>(op); bits && keepsElements(bits))
    return OpRole::kLoop;
  if (isa<sh::ReduceOp>(op))
    return OpRole::kReduce;
  if (isa<sh::DotGeneralOp, sh::ConvolutionOp>(op))
    return OpRole::kContract;
  return OpRole::kOpaque;
}

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

// Arithmetic of one instruction on values that cost nothing: iota, constants, broadcasts of something much smaller.
static bool isCheapOfSmall(Operation *op, const CostModel &costs) {
  if (!isa<sh::AddOp, sh::SubtractOp, sh::MultiplyOp, sh::CompareOp, sh::AndOp, sh::OrOp, sh::NotOp>(op) ||
      op->getNumResults() != 1)
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    if (!source)
      return false;
    if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(source))
      return elementsOf(broadcast.getOperand()) * costs.repeatedParts <= elementsOf(op->getResult(0));
    return isa<sh::IotaOp>(source) || (source->hasTrait<OpTrait::ConstantLike>() && isEmbeddableConstant(source));
  });
}

bool isCheap(Operation *op, const CostModel &costs) {
  return isCheapOfSmall(op, costs) || op->hasTrait<ir::Reindexes>() ||
         isa<sh::IotaOp, sh::ConvertOp, sh::BitcastConvertOp>(op);
}

// Integers of another width, or that after a reshape: loading them takes as long as loading the indices themselves.
// The kernel that computes them, if one does, converts them on the way.
static bool convertsIntegers(Value indices) {
  if (auto reshape = indices.getDefiningOp<sh::ReshapeOp>(); reshape && changesUnitDims(reshape))
    indices = reshape.getOperand();
  auto convert = indices.getDefiningOp<sh::ConvertOp>();
  if (!convert || !isa<IntegerType>(getElementTypeOrSelf(convert.getOperand().getType())))
    return false;
  Operation *source = convert.getOperand().getDefiningOp();
  return !source || !source->hasTrait<ir::Elementwise>();
}

// A table of which few elements are taken need not be there as a whole: neither rows whose columns are taken, nor what
// arithmetic makes, which reads its operands in rows where rows are taken, and otherwise each element by itself.
static bool takesFew(sh::GatherOp gather) {
  constexpr int64_t kElementsPerTaken = 16, kElementsPerTakenOfRow = 4, kLeastRow = 8;
  Operation *table = gather.getOperand().getDefiningOp();
  int64_t taken = elementsOf(gather.getResult()), elements = elementsOf(gather.getOperand());
  if (isa_and_nonnull<sh::GatherOp>(table))
    return taken < elements;
  bool takesRows = !gather.getSliceSizes().empty() && gather.getSliceSizes().back() >= kLeastRow;
  return table && table->hasTrait<ir::Elementwise>() &&
         taken * (takesRows ? kElementsPerTakenOfRow : kElementsPerTaken) <= elements;
}

bool mayFuseOperand(Operation *op, unsigned index) {
  Value operand = op->getOperand(index);
  if (ir::isScalarTensor(operand.getType()))
    return false;
  if (auto gather = dyn_cast<sh::GatherOp>(op); gather && index == 0)
    return takesFew(gather);
  if (auto gather = dyn_cast<sh::GatherOp>(op)) // indices of windows would be computed for each of their elements
    return index == 1 &&
           (llvm::all_of(gather.getSliceSizes(), [](int64_t size) { return size == 1; }) || convertsIntegers(operand));
  if (isa<sh::DynamicUpdateSliceOp>(op))
    return index == 1;
  if (isa<sh::DotGeneralOp, sh::ConvolutionOp>(op))
    return operand.getDefiningOp() && mayPrecedeContract(operand.getDefiningOp());
  return true;
}

bool mayPrecedeContract(Operation *op) {
  auto convert = dyn_cast<sh::ConvertOp>(op);
  if (!convert || !hasPlainTypes(op))
    return false;
  Type from = getElementTypeOrSelf(convert.getOperand().getType()),
       to = getElementTypeOrSelf(convert.getResult().getType());
  // Floats of 8 bits are looked up one by one.
  bool isQuick = isa<IntegerType>(from) || from.isBF16() || from.isF16() || from.isF32();
  return isQuick && from != to && ir::convertsExactly(from, to) &&
         (!isa<FloatType>(to) || to.getIntOrFloatBitWidth() >= 16);
}

bool isEmbeddableConstant(Operation *op) {
  DenseElementsAttr value;
  return matchPattern(op, m_Constant(&value)) && (value.isSplat() || value.getNumElements() <= kEmbeddedElements) &&
         isPlainTensor(op->getResult(0).getType());
}

SmallVector<int64_t> withoutUnitDims(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  llvm::copy_if(shape, std::back_inserter(result), [](int64_t size) { return size != 1; });
  return result;
}

bool changesUnitDims(sh::ReshapeOp op) {
  return withoutUnitDims(ir::shapeOf(op.getOperand())) == withoutUnitDims(ir::shapeOf(op));
}

} // namespace tenon::passes
