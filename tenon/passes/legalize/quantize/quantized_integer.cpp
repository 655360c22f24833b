#include "tenon/passes/legalize/quantize/quantized_integer.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

int64_t product(RankedTensorType type, ArrayRef<int64_t> dimensions) {
  int64_t size = 1;
  for (int64_t dimension : dimensions)
    size *= type.getDimSize(dimension);
  return size;
}

int64_t indexIn(ArrayRef<int64_t> dimensions, int64_t dimension) {
  return llvm::find(dimensions, dimension) - dimensions.begin();
}

// A sum of products as far as exactness is concerned.
struct Contraction {
  int64_t terms;                     // in each sum
  std::optional<int64_t> resultAxis; // which dimension of the result the rhs's quantized one becomes
};

Contraction describe(sh::DotGeneralOp op, int64_t rhsAxis) {
  sh::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  Contraction result{product(typeOf(op.getLhs()), numbers.getLhsContractingDimensions()), std::nullopt};
  ArrayRef<int64_t> batching = numbers.getRhsBatchingDimensions(), contracting = numbers.getRhsContractingDimensions();
  if (llvm::is_contained(contracting, rhsAxis))
    return result;
  if (llvm::is_contained(batching, rhsAxis)) {
    result.resultAxis = indexIn(batching, rhsAxis);
    return result;
  }
  // The result's dimensions: batching, free ones of the lhs, free ones of the rhs.
  int64_t axis = typeOf(op.getLhs()).getRank() - int64_t(contracting.size());
  for (int64_t d = 0; d < rhsAxis; ++d)
    axis += !llvm::is_contained(batching, d) && !llvm::is_contained(contracting, d);
  result.resultAxis = axis;
  return result;
}

Contraction describe(sh::ConvolutionOp op, int64_t rhsAxis) {
  sh::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType kernel = typeOf(op.getRhs());
  int64_t terms = product(kernel, numbers.getKernelSpatialDimensions()) *
                  kernel.getDimSize(numbers.getKernelInputFeatureDimension());
  Contraction result{terms, std::nullopt};
  if (rhsAxis == numbers.getKernelOutputFeatureDimension())
    result.resultAxis = numbers.getOutputFeatureDimension();
  return result;
}

// Whether every step of the definition is exact until the sum is rounded to the expressed type: dequantizing, the
// products, and their sum, which the interpreter forms in double (of f64: in long double, of 64 bits).
bool isExact(const Quantization &lhs, const Quantization &rhs, int64_t terms) {
  if (!lhs.dequantizesExactly() || !rhs.dequantizesExactly())
    return false;
  double sum = double(terms) * double(lhs.maxDifference()) * double(rhs.maxDifference());
  if (sum >= 0x1p31)
    return false;
  unsigned sumBits = llvm::bit_width(uint64_t(sum));
  return llvm::all_of(rhs.scales, [&](double scale) {
    unsigned scaleBits = significantBits(lhs.scales[0]) + significantBits(scale);
    // The smallest product must not lose bits below the smallest normal number either.
    return scaleBits + sumBits <= 53 && lhs.scales[0] * scale >= 0x1p-960;
  });
}

// The narrowest type that both operands' differences fit, or the storage itself.
IntegerType operandType(const Quantization &lhs, const Quantization &rhs) {
  if (!lhs.hasZeroPoint() && !rhs.hasZeroPoint() && lhs.storage == rhs.storage)
    return lhs.storage;
  bool isNarrow = std::max(lhs.maxDifference(), rhs.maxDifference()) < (1 << 15);
  return IntegerType::get(lhs.storage.getContext(), isNarrow ? 16 : 32);
}

template <typename Op> Value integerProductOf(Op op, OpBuilder &builder) {
  if (!isQuantized(op.getLhs().getType()) || !isQuantized(op.getRhs().getType()))
    return {};
  Quantization lhs(typeOf(op.getLhs())), rhs(typeOf(op.getRhs()));
  if (lhs.scales.size() != 1 || lhs.expressed != rhs.expressed)
    return {};
  Contraction contraction = describe(op, rhs.axis);
  if ((rhs.scales.size() != 1 && !contraction.resultAxis) || !isExact(lhs, rhs, contraction.terms))
    return {};
  QuantizedValues values(builder, op.getLoc());
  IntegerType element = operandType(lhs, rhs);
  Value operands[] = {values.differences(op.getLhs(), element), values.differences(op.getRhs(), element)};
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(typeOf(op.getResult()).clone(builder.getI32Type()));
  Value sum = values.convert(copy->getResult(0), builder.getF64Type());
  SmallVector<double> scales;
  for (double scale : rhs.scales)
    scales.push_back(lhs.scales[0] * scale);
  return values.binary<sh::MultiplyOp>(sum,
                                       values.broadcastTo(scales, typeOf(sum), contraction.resultAxis.value_or(0)));
}

} // namespace

Value chooseStored(Operation *op, OpBuilder &builder) {
  if (!isa<sh::MaximumOp, sh::MinimumOp, sh::ClampOp, sh::SelectOp, sh::CompareOp>(op))
    return {};
  RankedTensorType last = typeOf(op->getOperands().back()), resultType = typeOf(op->getResult(0));
  auto isAlike = [&](Value value) {
    return !isQuantized(value.getType()) || typeOf(value).getElementType() == last.getElementType();
  };
  Quantization quantization(last);
  if (!llvm::all_of(op->getOperands(), isAlike) || !isAlike(op->getResult(0)) || !quantization.isFaithful())
    return {};
  QuantizedValues values(builder, op->getLoc());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isQuantized(operand.getType()) ? values.stored(operand) : operand);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  if (auto compare = dyn_cast<sh::CompareOp>(copy)) {
    compare.removeCompareTypeAttr();
    return compare;
  }
  copy->getResult(0).setType(resultType.clone(quantization.storage));
  return values.fromStored(values.clip(copy->getResult(0), quantization), resultType);
}

Value integerProduct(Operation *op, OpBuilder &builder) {
  if (auto dot = dyn_cast<sh::DotGeneralOp>(op))
    return dot.getAlgorithm() ? Value() : integerProductOf(dot, builder);
  if (auto convolution = dyn_cast<sh::ConvolutionOp>(op))
    return integerProductOf(convolution, builder);
  return {};
}

} // namespace tenon::passes
