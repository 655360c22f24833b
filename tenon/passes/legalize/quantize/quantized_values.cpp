#include "tenon/passes/legalize/quantize/quantized_values.h"

#include <cmath>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

APFloat rounded(double value, FloatType type) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  if (value <= 0 && isa<Float8E8M0FNUType>(type))
    return APFloat::getNaN(format); // has neither zero nor negative values
  APFloat number(value);
  bool lost;
  number.convert(format, APFloat::rmNearestTiesToEven, &lost);
  return number;
}

double roundedTo(double value, FloatType type) {
  APFloat number = rounded(value, type);
  bool lost;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

double largest(FloatType type) {
  APFloat number = APFloat::getLargest(type.getFloatSemantics());
  bool lost;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

int64_t storageMin(IntegerType type) { return type.isUnsigned() ? 0 : -(int64_t(1) << (type.getWidth() - 1)); }
int64_t storageMax(IntegerType type) { return (int64_t(1) << (type.getWidth() - (type.isUnsigned() ? 0 : 1))) - 1; }

} // namespace

bool isQuantized(Type tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor);
  return type && isa<quant::QuantizedType>(type.getElementType());
}

IntegerType Quantization::storageOf(quant::QuantizedType type) {
  return IntegerType::get(type.getContext(), type.getStorageTypeIntegralWidth(),
                          type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
}

Quantization::Quantization(RankedTensorType tensor) {
  auto type = cast<quant::QuantizedType>(tensor.getElementType());
  expressed = cast<FloatType>(type.getExpressedType());
  storage = storageOf(type);
  low = type.getStorageTypeMin();
  high = type.getStorageTypeMax();
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    llvm::append_range(scales, perAxis.getScales());
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
    axis = perAxis.getQuantizedDimension();
  } else {
    auto perTensor = cast<quant::UniformQuantizedType>(type);
    scales = {perTensor.getScale()};
    zeroPoints = {perTensor.getZeroPoint()};
  }
  for (double &scale : scales)
    scale = roundedTo(scale, expressed);
}

int64_t Quantization::maxDifference() const {
  int64_t result = 0;
  for (int64_t zeroPoint : zeroPoints)
    result = std::max({result, storageMax(storage) - zeroPoint, zeroPoint - storageMin(storage)});
  return result;
}

bool Quantization::hasZeroPoint() const {
  return llvm::any_of(zeroPoints, [](int64_t zeroPoint) { return zeroPoint != 0; });
}

bool Quantization::isNarrowed() const { return low != storageMin(storage) || high != storageMax(storage); }

// With precision p and d = difference < 2^(p-4): d * scale and its quotient by the scale are off by less than
// d * 2^(1-p) <= 1/8, adding the zero point by at most another 1/8, and rounding to an integer takes both back.
bool Quantization::isFaithful() const {
  const llvm::fltSemantics &format = expressed.getFloatSemantics();
  int room = int(APFloat::semanticsPrecision(format)) - 4;
  int64_t reach = std::max(maxDifference(), std::max(std::abs(storageMin(storage)), storageMax(storage)));
  if (room < 1 || reach >= (int64_t(1) << room))
    return false;
  double least = std::ldexp(1.0, APFloat::semanticsMinExponent(format)), most = largest(expressed);
  return llvm::all_of(scales, [&](double scale) { return scale >= least && scale * double(reach) <= most; });
}

bool Quantization::dequantizesExactly() const {
  int64_t reach = maxDifference();
  unsigned precision = APFloat::semanticsPrecision(expressed.getFloatSemantics());
  double most = largest(expressed);
  return llvm::all_of(scales, [&](double scale) {
    return significantBits(scale) + llvm::bit_width(uint64_t(reach)) <= precision && scale * double(reach) <= most;
  });
}

unsigned significantBits(double value) {
  int exponent;
  auto significand = uint64_t(std::ldexp(std::frexp(std::fabs(value), &exponent), 53));
  return significand == 0 ? 0 : 53 - unsigned(llvm::countr_zero(significand));
}

Value QuantizedValues::cast(Value value, Type type) {
  return UnrealizedConversionCastOp::create(builder_, loc_, type, value).getResult(0);
}

Value QuantizedValues::stored(Value quantized) {
  RankedTensorType type = typeOf(quantized);
  return cast(quantized, type.clone(Quantization(type).storage));
}

Value QuantizedValues::fromStored(Value storage, RankedTensorType type) { return cast(storage, type); }

Value QuantizedValues::convert(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return sh::ConvertOp::create(builder_, loc_, typeOf(value).clone(element), value);
}

Value QuantizedValues::broadcastTo(ArrayRef<double> values, RankedTensorType type, int64_t axis) {
  Type element = type.getElementType();
  SmallVector<Attribute> attributes;
  for (double value : values)
    attributes.push_back(
        isa<FloatType>(element)
            ? Attribute(FloatAttr::get(element, rounded(value, mlir::cast<FloatType>(element))))
            : IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(), uint64_t(int64_t(value)),
                                              /*isSigned=*/true, /*implicitTrunc=*/true)));
  bool isOne = llvm::all_equal(values);
  SmallVector<int64_t> shape, dimensions;
  if (!isOne) {
    shape.push_back(int64_t(values.size()));
    dimensions.push_back(axis);
  }
  auto constantType = RankedTensorType::get(shape, element);
  Value constant = sh::ConstantOp::create(
      builder_, loc_,
      DenseElementsAttr::get(constantType, isOne ? ArrayRef(attributes).take_front() : ArrayRef(attributes)));
  if (type.getRank() == 0)
    return constant;
  return sh::BroadcastInDimOp::create(builder_, loc_, type, constant, dimensions);
}

Value QuantizedValues::differences(Value quantized, IntegerType element) {
  Quantization quantization(typeOf(quantized));
  Value storage = convert(stored(quantized), element);
  if (!quantization.hasZeroPoint())
    return storage;
  SmallVector<double> zeroPoints(quantization.zeroPoints.begin(), quantization.zeroPoints.end());
  return binary<sh::SubtractOp>(storage, broadcastTo(zeroPoints, typeOf(storage), quantization.axis));
}

Value QuantizedValues::dequantize(Value quantized) {
  Quantization quantization(typeOf(quantized));
  unsigned width = quantization.storage.getWidth() <= 16 ? 32 : 64;
  Value difference =
      quantization.hasZeroPoint() ? differences(quantized, builder_.getIntegerType(width)) : stored(quantized);
  Value real = convert(difference, quantization.expressed);
  return binary<sh::MultiplyOp>(real, broadcastTo(quantization.scales, typeOf(real), quantization.axis));
}

Value QuantizedValues::quantize(Value real, RankedTensorType type) {
  Quantization quantization(type);
  // The quotient is rounded once, to the expressed type: from double, where the two types differ.
  bool sameType = typeOf(real).getElementType() == quantization.expressed;
  Value dividend = sameType ? real : convert(real, builder_.getF64Type());
  Value value =
      convert(binary<sh::DivideOp>(dividend, broadcastTo(quantization.scales, typeOf(dividend), quantization.axis)),
              quantization.expressed);
  RankedTensorType realType = typeOf(value);
  if (quantization.hasZeroPoint()) {
    SmallVector<double> zeroPoints(quantization.zeroPoints.begin(), quantization.zeroPoints.end());
    value = binary<sh::AddOp>(value, broadcastTo(zeroPoints, realType, quantization.axis));
  }
  // Bounds that the expressed type cannot represent clip nothing here.
  double low = roundedTo(double(quantization.low), quantization.expressed);
  double high = roundedTo(double(quantization.high), quantization.expressed);
  if (std::isfinite(low))
    value = binary<sh::MaximumOp>(value, broadcastTo(low, realType));
  if (std::isfinite(high))
    value = binary<sh::MinimumOp>(value, broadcastTo(high, realType));
  value = sh::RoundNearestEvenOp::create(builder_, loc_, realType, value);
  Value storage = convert(value, quantization.storage);
  // Rounding may have moved the bounds out of [low, high], and NaN becomes 0: then the result must be clipped.
  bool isInside = low == double(quantization.low) && high == double(quantization.high) && quantization.low <= 0 &&
                  quantization.high >= 0;
  return fromStored(isInside ? storage : clip(storage, quantization), type);
}

Value QuantizedValues::clip(Value storage, const Quantization &quantization) {
  if (!quantization.isNarrowed())
    return storage;
  auto scalar = RankedTensorType::get({}, quantization.storage);
  return sh::ClampOp::create(builder_, loc_, storage.getType(), broadcastTo(double(quantization.low), scalar), storage,
                             broadcastTo(double(quantization.high), scalar));
}

} // namespace tenon::passes
