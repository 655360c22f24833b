// Elementwise ops: shapes are equal, and the element types are related by one rule an op.
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "tenon/ir/infer.h"

namespace tenon::stablehlo {

//===- The same type everywhere ----------------------------------------------------------------------------------===//

LogicalResult inferSameType(const Rules &r, ValueRange operands, SmallVectorImpl<Type> &types) {
  SmallVector<RankedTensorType> all;
  for (Value operand : operands) {
    all.push_back(tensor(operand));
    if (!compatibleTypes(all.front(), all.back()))
      return r.broken(1) << "operands and result must have the same type, got " << all.front() << " and " << all.back();
  }
  types.push_back(mostSpecific(all));
  return success();
}

static LogicalResult infer(const Rules &r, AddOp::Adaptor op, SmallVectorImpl<Type> &types) {
  return inferSameType(r, op.getOperands(), types);
}

LogicalResult AddOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

/// The rest of StableHLO 1.20's rules for quantized operands, C5 to C7: what is quantized along a dimension is so in
/// the result.
static LogicalResult checkSummedAxes(const Rules &r, AddOp op) {
  auto axisOf = [](Type type) -> std::optional<int64_t> {
    auto quantized = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(tensor(type).getElementType());
    return quantized ? std::optional<int64_t>(quantized.getQuantizedDimension()) : std::nullopt;
  };
  std::optional<int64_t> result = axisOf(op.getType()), any;
  for (Type type : op->getOperandTypes()) {
    std::optional<int64_t> axis = axisOf(type);
    if (axis && axis != result)
      return r.broken("add") << "the result must be quantized along dimension " << *axis << ", as the operand is, got "
                             << op.getType();
    any = axis ? axis : any;
  }
  if (result && !any)
    return r.broken("add") << "an operand must be quantized along dimension " << *result << ", as the result is, got "
                           << op->getOperandTypes();
  return success();
}

LogicalResult AddOp::verify() {
  Rules r(*this);
  SmallVector<Type> types;
  if (failed(infer(r, Adaptor(*this), types)) || failed(checkResults(r, *this, types, 1, 1)))
    return failure();
  return checkSummedAxes(r, *this);
}

static LogicalResult infer(const Rules &r, ReducePrecisionOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (static_cast<int32_t>(op.getExponentBits()) < 1)
    return r.broken("reduce_precision_c2")
           << "exponent_bits must be >= 1, got " << static_cast<int32_t>(op.getExponentBits());
  if (static_cast<int32_t>(op.getMantissaBits()) < 0)
    return r.broken("reduce_precision_c3")
           << "mantissa_bits must be >= 0, got " << static_cast<int32_t>(op.getMantissaBits());
  return inferSameType(r, op.getOperands(), types);
}
TENON_INFERRED(ReducePrecisionOp, 1, 1)

//===- Parts of complex numbers ----------------------------------------------------------------------------------===//

static void inferElement(Value operand, Type element, SmallVectorImpl<Type> &types) {
  types.push_back(tensor(operand).clone(element));
}

#define TENON_REAL_PART(Op)                                                                                            \
  static LogicalResult infer(const Rules &, Op::Adaptor op, SmallVectorImpl<Type> &types) {                            \
    inferElement(op.getOperand(), realElement(tensor(op.getOperand()).getElementType()), types);                       \
    return success();                                                                                                  \
  }                                                                                                                    \
  TENON_INFERRED(Op, 2, 1)

TENON_REAL_PART(AbsOp)
TENON_REAL_PART(ImagOp)
TENON_REAL_PART(RealOp)

static LogicalResult infer(const Rules &r, ComplexOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = tensor(op.getLhs()), rhs = tensor(op.getRhs());
  if (!compatibleTypes(lhs, rhs))
    return r.broken("complex_c1") << "lhs and rhs must have the same type, got " << lhs << " and " << rhs;
  types.push_back(mostSpecific({lhs, rhs}).clone(mlir::ComplexType::get(lhs.getElementType())));
  return success();
}
TENON_INFERRED(ComplexOp, 3, 2)

//===- Tests -----------------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &, IsFiniteOp::Adaptor op, SmallVectorImpl<Type> &types) {
  inferElement(op.getX(), mlir::IntegerType::get(op.getX().getContext(), 1), types);
  return success();
}
TENON_INFERRED(IsFiniteOp, 1, 1)

bool mayCompareAs(Type element, ComparisonType type) {
  switch (type) {
  case ComparisonType::NOTYPE:
    return true;
  case ComparisonType::FLOAT:
    return ir::isFloat(element) || ir::isComplex(element) || ir::isQuantized(element);
  case ComparisonType::TOTALORDER:
    return ir::isFloat(element) || ir::isQuantized(element);
  // StableHLO and XLA take the orders of integers for floats, too, and compare those as FLOAT; old artifacts have them.
  case ComparisonType::SIGNED:
    return ir::isSignedInt(element) || ir::isFloat(element) || ir::isQuantized(element);
  case ComparisonType::UNSIGNED:
    return ir::isUnsignedInt(element) || ir::isFloat(element) || ir::isBool(element) || ir::isQuantized(element);
  }
  llvm_unreachable("all comparison types are handled");
}

static LogicalResult infer(const Rules &r, CompareOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = tensor(op.getLhs()), rhs = tensor(op.getRhs());
  if (!compatibleElements(lhs.getElementType(), rhs.getElementType()))
    return r.broken("compare_c1") << "lhs and rhs must have the same element type, got " << lhs << " and " << rhs;
  if (!compatibleShapes(lhs.getShape(), rhs.getShape()))
    return r.broken("compare_c2") << "lhs and rhs must have the same shape, got " << lhs << " and " << rhs;
  // StableHLO reads every compare_type (C3); what some would mean, nothing says (ir::whyWithoutMeaning).
  types.push_back(mostSpecific({lhs, rhs}).clone(mlir::IntegerType::get(lhs.getContext(), 1)));
  return success();
}
TENON_INFERRED(CompareOp, 2, 2)

//===- Choices ---------------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, ClampOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensor(op.getOperand());
  auto fits = [&](Value bound) {
    return tensor(bound).getRank() == 0 || compatibleShapes(tensor(bound).getShape(), operand.getShape());
  };
  if (!fits(op.getMin()))
    return r.broken("clamp_c1") << "min must have rank 0 or the operand's shape, got " << op.getMin().getType()
                                << " beside " << operand;
  if (!fits(op.getMax()))
    return r.broken("clamp_c2") << "max must have rank 0 or the operand's shape, got " << op.getMax().getType()
                                << " beside " << operand;
  for (Value bound : {op.getMin(), op.getMax()})
    if (!compatibleElements(tensor(bound).getElementType(), operand.getElementType()))
      return r.broken("clamp_c3") << "min, operand and max must have the same element type, got " << bound.getType()
                                  << " beside " << operand;
  types.push_back(operand);
  return success();
}
TENON_INFERRED(ClampOp, 4, 4)

static LogicalResult infer(const Rules &r, SelectOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType pred = tensor(op.getPred()), onTrue = tensor(op.getOnTrue()), onFalse = tensor(op.getOnFalse());
  if (pred.getRank() != 0 && !compatibleShapes(pred.getShape(), onTrue.getShape()))
    return r.broken("select_c1") << "pred must have rank 0 or the shape of on_true, got " << pred << " beside "
                                 << onTrue;
  if (!compatibleTypes(onTrue, onFalse))
    return r.broken("select_c2") << "on_true and on_false must have the same type, got " << onTrue << " and "
                                 << onFalse;
  types.push_back(mostSpecific({onTrue, onFalse}));
  return success();
}
TENON_INFERRED(SelectOp, 2, 2)

//===- Conversions -----------------------------------------------------------------------------------------------===//

static LogicalResult checkSameShape(const Rules &r, Value operand, Value result) {
  if (compatibleShapes(tensor(operand).getShape(), tensor(result).getShape()))
    return success();
  return r.broken(1) << "operand and result must have the same shape, got " << operand.getType() << " and "
                     << result.getType();
}

LogicalResult ConvertOp::verify() { return checkSameShape(Rules(*this), getOperand(), getResult()); }

static Type expressedType(Type element) {
  auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element);
  return quantized ? quantized.getExpressedType() : element;
}

LogicalResult UniformQuantizeOp::verify() {
  Rules r(*this);
  Type from = expressedType(tensor(getOperand()).getElementType()), to = expressedType(getType().getElementType());
  if (from != to)
    return r.broken("uniform_quantize_c2")
           << "operand and result must express the same type, got " << getOperand().getType() << " and " << getType();
  return checkSameShape(r, getOperand(), getResult());
}

static LogicalResult infer(const Rules &r, UniformDequantizeOp::Adaptor op, SmallVectorImpl<Type> &types) {
  auto element = llvm::dyn_cast<mlir::quant::QuantizedType>(tensor(op.getOperand()).getElementType());
  if (!element)
    return r.broken("uniform_dequantize_i1")
           << "operand must be of a quantized type, got " << op.getOperand().getType();
  inferElement(op.getOperand(), element.getExpressedType(), types);
  return success();
}
TENON_INFERRED(UniformDequantizeOp, 2, 1)

} // namespace tenon::stablehlo
