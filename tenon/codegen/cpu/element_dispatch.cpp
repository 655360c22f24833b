// From an op to the family that emits it. Families know ops by name, since stablehlo and chlo name the same functions
// alike; only ops with attributes are asked for them by class.
#include "tenon/codegen/cpu/element_kind.h"
#include "tenon/codegen/cpu/math/math.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

mlir::Type elementTypeOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

// "" for ops of other dialects.
StringRef baseName(mlir::Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "chlo" ? op->getName().stripDialect() : StringRef();
}

// --- What is supported ---

const StringSet<> &binaryNames() {
  static const StringSet<> names = {"add",
                                    "subtract",
                                    "multiply",
                                    "divide",
                                    "minimum",
                                    "maximum",
                                    "remainder",
                                    "power",
                                    "and",
                                    "or",
                                    "xor",
                                    "shift_left",
                                    "atan2",
                                    "next_after",
                                    "shift_right_logical",
                                    "shift_right_arithmetic",
                                    "zeta",
                                    "polygamma",
                                    "mulhi"};
  return names;
}

bool isIntegerOnly(StringRef name) {
  static const StringSet<> names = {"and",
                                    "or",
                                    "xor",
                                    "shift_left",
                                    "shift_right_logical",
                                    "shift_right_arithmetic",
                                    "not",
                                    "popcnt",
                                    "count_leading_zeros",
                                    "mulhi"};
  return names.contains(name);
}

bool isForIntegers(StringRef name) {
  static const StringSet<> names = {"add",       "subtract", "multiply", "divide", "minimum", "maximum",
                                    "remainder", "power",    "abs",      "negate", "sign",    "square"};
  return isIntegerOnly(name) || names.contains(name);
}

bool isForBooleans(StringRef name) {
  static const StringSet<> names = {"add", "subtract", "multiply", "minimum", "maximum", "and", "or", "xor", "not"};
  return names.contains(name);
}

bool isForComplex(StringRef name) {
  static const StringSet<> names = {"add",
                                    "subtract",
                                    "multiply",
                                    "divide",
                                    "minimum",
                                    "maximum",
                                    "power",
                                    "atan2",
                                    "abs",
                                    "negate",
                                    "sign",
                                    "square",
                                    "real",
                                    "imag",
                                    "conj",
                                    "log",
                                    "log_plus_one",
                                    "exponential",
                                    "exponential_minus_one",
                                    "sine",
                                    "cosine",
                                    "tan",
                                    "tanh",
                                    "sinh",
                                    "cosh",
                                    "sqrt",
                                    "rsqrt",
                                    "cbrt",
                                    "logistic",
                                    "asin",
                                    "acos",
                                    "atan",
                                    "asinh",
                                    "acosh",
                                    "atanh"};
  return names.contains(name);
}

const StringSet<> &unaryNames() {
  static const StringSet<> names = {"abs",
                                    "negate",
                                    "sign",
                                    "square",
                                    "real",
                                    "imag",
                                    "conj",
                                    "log",
                                    "log_plus_one",
                                    "exponential",
                                    "exponential_minus_one",
                                    "logistic",
                                    "tanh",
                                    "sine",
                                    "cosine",
                                    "tan",
                                    "sqrt",
                                    "rsqrt",
                                    "cbrt",
                                    "ceil",
                                    "floor",
                                    "round_nearest_afz",
                                    "round_nearest_even",
                                    "sinh",
                                    "cosh",
                                    "asin",
                                    "acos",
                                    "atan",
                                    "asinh",
                                    "acosh",
                                    "atanh",
                                    "erf",
                                    "erfc",
                                    "erf_inv",
                                    "lgamma",
                                    "digamma",
                                    "bessel_i1e",
                                    "not",
                                    "popcnt",
                                    "count_leading_zeros"};
  return names;
}

bool isPredicate(StringRef name) {
  return name == "is_finite" || name == "is_inf" || name == "is_pos_inf" || name == "is_neg_inf";
}

// Ops with operands and result of one type (the parts of a complex operand aside).
bool isUniformSupported(StringRef name, mlir::Type type) {
  if (isBool(type))
    return isForBooleans(name);
  if (isInteger(type))
    return isForIntegers(name);
  if (isComplexType(type))
    return isForComplex(name);
  return !isIntegerOnly(name);
}

bool isBitcastSupported(mlir::Type from, mlir::Type to) {
  if (isComplexType(from) || isComplexType(to))
    return from == to;
  return from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth();
}

// --- Emission ---

Element emitFloatOp(IRBuilderBase &b, StringRef name, mlir::Type type, ArrayRef<Element> operands) {
  if (name == "next_after" && isSmallFloat(type))
    return {nextAfterSmallFloat(b, type, operands[0].re, operands[1].re)};
  if (name == "next_after" && !isF32OrF64(type)) {
    Value *x = operands[0].re;
    Type *bits = sameLanes(b.getInt16Ty(), x);
    math::I next = math::nextAfterBits({&b, b.CreateBitCast(x, bits)}, {&b, b.CreateBitCast(operands[1].re, bits)},
                                       type.isBF16() ? 0x7f80 : 0x7c00);
    return {b.CreateBitCast(next.v, x->getType())};
  }
  Value *x = toComputeFloat(b, type, operands[0].re);
  Value *y = operands.size() > 1 ? toComputeFloat(b, type, operands[1].re) : nullptr;
  Value *result = y ? emitFloatBinary(b, name, x, y) : emitFloatUnary(b, name, x);
  // The sign of a NaN that an operation makes is the machine's; a type without NaN has zero in its place.
  if (result && isa<mlir::Float4E2M1FNType, mlir::Float6E2M3FNType, mlir::Float6E3M2FNType>(type))
    result = b.CreateSelect(b.CreateFCmpORD(result, result), result, Constant::getNullValue(result->getType()));
  return {result ? roundToFloatType(b, type, result) : nullptr};
}

// An op with operands of one type, by its name.
Element emitUniform(IRBuilderBase &b, StringRef name, mlir::Type type, ArrayRef<Element> operands) {
  if (isFloatType(type))
    return emitFloatOp(b, name, type, operands);
  bool binary = operands.size() > 1;
  if (isComplexType(type))
    return binary ? emitComplexBinary(b, name, operands[0], operands[1]) : emitComplexUnary(b, name, operands[0]);
  return binary ? emitIntegerBinary(b, name, type, operands[0].re, operands[1].re)
                : emitIntegerUnary(b, name, type, operands[0].re);
}

Element emitPredicate(IRBuilderBase &b, StringRef name, mlir::Type type, Element x) {
  math::F f{&b, toComputeFloat(b, type, x.re)};
  if (name == "is_finite")
    return {math::isFinite(f).v};
  if (name == "is_inf")
    return {math::isInf(f).v};
  return {(f == (name == "is_pos_inf" ? INFINITY : -INFINITY)).v};
}

Element emitClamp(IRBuilderBase &b, mlir::Type type, ArrayRef<Element> operands) {
  // In this order: of complex numbers with NaN parts the first stays.
  Element low = emitUniform(b, "maximum", type, {operands[1], operands[0]});
  return emitUniform(b, "minimum", type, {low, operands[2]});
}

Element emitCompareOp(IRBuilderBase &b, mlir::Operation *op, ArrayRef<Element> operands) {
  mlir::Type type = elementTypeOf(op->getOperand(0));
  auto compare = cast<stablehlo::CompareOp>(op);
  StringRef direction = stablehlo::stringifyComparisonDirection(compare.getComparisonDirection());
  bool totalOrder = compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  return {emitCompare(b, direction, totalOrder, type, operands[0], operands[1])};
}

// Shape changes that leave a single element as it is.
bool isScalarIdentity(mlir::Operation *op) {
  static const StringSet<> names = {"reshape", "broadcast_in_dim", "transpose", "broadcast"};
  if (op->getName().getDialectNamespace() != "stablehlo" || !names.contains(op->getName().stripDialect()))
    return false;
  auto isScalar = [](mlir::Type type) {
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 1;
  };
  return isScalar(op->getOperand(0).getType()) && isScalar(op->getResult(0).getType());
}

} // namespace

bool isElementwiseSupported(mlir::Operation *op) {
  StringRef name = baseName(op);
  if (name.empty() || op->getNumResults() != 1 || op->getNumRegions() != 0 || op->getNumOperands() == 0)
    return false;
  for (mlir::Type type : concat<const mlir::Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    if (!shaped || !isElementTypeSupported(shaped.getElementType()))
      return false;
  }
  mlir::Type type = elementTypeOf(op->getOperand(0));
  mlir::Type resultType = elementTypeOf(op->getResult(0));
  size_t operands = op->getNumOperands();
  if (isPredicate(name))
    return isFloatType(type);
  if (name == "convert" || name == "compare" || name == "select" || name == "clamp" || name == "complex")
    return true;
  if (auto constant = dyn_cast<chlo::ConstantLikeOp>(op))
    return isa<mlir::IntegerAttr, mlir::FloatAttr>(constant.getValue());
  if (name == "bitcast_convert")
    return isBitcastSupported(type, resultType) && cast<mlir::ShapedType>(op->getOperand(0).getType()).getRank() ==
                                                       cast<mlir::ShapedType>(op->getResult(0).getType()).getRank();
  if (name == "reduce_precision")
    return isFloatType(type);
  if (operands == 1 ? !unaryNames().contains(name) : operands != 2 || !binaryNames().contains(name))
    return false;
  return isUniformSupported(name, type);
}

FailureOr<Element> emitElementwise(ElementContext &context, mlir::Operation *op, ArrayRef<Element> operands,
                                   unsigned lanes) {
  IRBuilderBase &b = context.builder;
  if (!isElementwiseSupported(op))
    return op->emitError("this operation has no elementwise code for its element type");
  StringRef name = baseName(op);
  mlir::Type type = elementTypeOf(op->getOperand(0));
  mlir::Type resultType = elementTypeOf(op->getResult(0));
  Element result;
  if (name == "convert")
    result = emitConvert(b, type, resultType, operands[0]);
  else if (name == "bitcast_convert")
    result = emitBitcast(b, type, resultType, operands[0]);
  else if (name == "compare")
    result = emitCompareOp(b, op, operands);
  else if (name == "select")
    result = selectElement(b, operands[0].re, operands[1], operands[2]);
  else if (name == "clamp")
    result = emitClamp(b, type, operands);
  else if (name == "complex")
    result = {operands[0].re, operands[1].re};
  else if (auto constant = dyn_cast<chlo::ConstantLikeOp>(op))
    result = *constantElement(b.getContext(), resultType, constant.getValue(), lanes);
  else if (isPredicate(name))
    result = emitPredicate(b, name, type, operands[0]);
  else if (auto reduce = dyn_cast<stablehlo::ReducePrecisionOp>(op))
    result = emitReducePrecision(b, type, operands[0], reduce.getExponentBits(), reduce.getMantissaBits());
  else
    result = emitUniform(b, name, type, operands);
  if (!result.re)
    return op->emitError("this operation has no elementwise code for its element type");
  return result;
}

// --- Regions ---

bool isScalarRegionSupported(mlir::Region &region) {
  if (!region.hasOneBlock())
    return false;
  for (mlir::BlockArgument argument : region.getArguments())
    if (!isElementTypeSupported(elementTypeOf(argument)))
      return false;
  for (mlir::Operation &op : region.front().without_terminator()) {
    mlir::DenseElementsAttr constant;
    bool isConstant = mlir::matchPattern(&op, mlir::m_Constant(&constant)) && constant.isSplat() &&
                      isElementTypeSupported(constant.getElementType());
    if (!isConstant && !isScalarIdentity(&op) && !isElementwiseSupported(&op) &&
        op.getName().getStringRef() != "stablehlo.optimization_barrier")
      return false;
  }
  return true;
}

FailureOr<SmallVector<Element>> emitScalarRegion(ElementContext &context, mlir::Region &region,
                                                 ArrayRef<Element> arguments, unsigned lanes) {
  LLVMContext &llvmContext = context.builder.getContext();
  DenseMap<mlir::Value, Element> values;
  for (auto [argument, element] : zip_equal(region.getArguments(), arguments))
    values[argument] = element;
  auto operandsOf = [&](mlir::Operation &op) -> FailureOr<SmallVector<Element>> {
    SmallVector<Element> elements;
    for (mlir::Value operand : op.getOperands()) {
      if (auto found = values.find(operand); found != values.end()) {
        elements.push_back(found->second);
        continue;
      }
      mlir::DenseElementsAttr constant;
      FailureOr<Element> outer = failure();
      if (mlir::matchPattern(operand, mlir::m_Constant(&constant)) && constant.isSplat())
        outer = constantElement(llvmContext, constant, 0, lanes);
      else if (context.captured)
        outer = context.captured(operand);
      if (failed(outer))
        return op.emitError("the region uses a value from outside that is not available to its code");
      elements.push_back(values[operand] = *outer);
    }
    return elements;
  };
  for (mlir::Operation &op : region.front()) {
    if (mlir::matchPattern(&op, mlir::m_Constant()))
      continue; // emitted at their uses
    FailureOr<SmallVector<Element>> operands = operandsOf(op);
    if (failed(operands) || op.hasTrait<mlir::OpTrait::IsTerminator>())
      return operands;
    if (isScalarIdentity(&op) || op.getName().getStringRef() == "stablehlo.optimization_barrier") {
      for (auto [result, operand] : zip(op.getResults(), *operands))
        values[result] = operand;
      continue;
    }
    FailureOr<Element> result = emitElementwise(context, &op, *operands, lanes);
    if (failed(result))
      return failure();
    values[op.getResult(0)] = *result;
  }
  return failure();
}

// --- By name ---

Element emitAdd(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emitUniform(builder, "add", type, {a, b});
}
Element emitMultiply(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emitUniform(builder, "multiply", type, {a, b});
}
Element emitMinimum(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emitUniform(builder, "minimum", type, {a, b});
}
Element emitMaximum(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emitUniform(builder, "maximum", type, {a, b});
}

} // namespace tenon::codegen
