#include "tenon/codegen/llvm/loop/reduction.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/IR/Constants.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace tenon::codegen::loop {

using ir::elementTypeOf;

static std::optional<CombinerKind> combinerKind(mlir::Operation *op) {
  if (llvm::isa<stablehlo::AddOp>(op))
    return CombinerKind::kAdd;
  if (llvm::isa<stablehlo::MultiplyOp>(op))
    return CombinerKind::kMultiply;
  if (llvm::isa<stablehlo::MinimumOp>(op))
    return CombinerKind::kMinimum;
  if (llvm::isa<stablehlo::MaximumOp>(op))
    return CombinerKind::kMaximum;
  if (llvm::isa<stablehlo::AndOp>(op))
    return CombinerKind::kAnd;
  if (llvm::isa<stablehlo::OrOp>(op))
    return CombinerKind::kOr;
  if (llvm::isa<stablehlo::XorOp>(op))
    return CombinerKind::kXor;
  return std::nullopt;
}

// The argument behind a widening conversion (a sum of bf16 may be written as converts around an f32 add).
static mlir::Value throughConvert(mlir::Value value) {
  if (auto convert = value.getDefiningOp<stablehlo::ConvertOp>())
    return convert.getOperand();
  return value;
}

// Result number `i` as an operation on arguments i and n + i.
static std::optional<Combiner> independentCombiner(mlir::Block &block, unsigned i) {
  unsigned n = block.getNumArguments() / 2;
  mlir::Value returned = block.getTerminator()->getOperand(i);
  mlir::Type type = elementTypeOf(block.getArgument(i));
  if (elementTypeOf(returned) != type)
    return std::nullopt; // promoted element types
  auto matches = [&](mlir::Operation *op, bool convert) {
    if (!op || op->getNumOperands() != 2)
      return false;
    mlir::Value a = op->getOperand(0), b = op->getOperand(1);
    if (convert) {
      a = throughConvert(a);
      b = throughConvert(b);
    }
    mlir::Value x = block.getArgument(i), y = block.getArgument(n + i);
    return (a == x && b == y) || (a == y && b == x);
  };
  mlir::Operation *op = returned.getDefiningOp();
  mlir::Type accumulator = type;
  bool narrowFloat = llvm::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() <= 16;
  bool inner = llvm::isa_and_nonnull<stablehlo::ConvertOp>(op) && narrowFloat;
  if (inner)
    op = op->getOperand(0).getDefiningOp();
  if (!matches(op, inner))
    return std::nullopt;
  std::optional<CombinerKind> kind = combinerKind(op);
  if (!kind)
    return std::nullopt;
  if (inner && !llvm::isa<mlir::Float32Type>(elementTypeOf(op->getResult(0))))
    return std::nullopt;
  if (narrowFloat)
    accumulator = mlir::Float32Type::get(type.getContext());
  return Combiner{*kind, type, accumulator};
}

// --- Bodies that find the position of an extreme element, or add numbers of which they have the logarithms ---
//
// There are many ways to write argmax (JAX's compares, ors and ands eight values). Instead of matching text, the body
// is run on all pairs of a few telling values and positions: whoever behaves as argmax everywhere is argmax.

static std::optional<double> sampleConstant(stablehlo::ConstantOp op) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (llvm::isa<mlir::FloatType>(dense.getElementType()))
    return dense.getSplatValue<llvm::APFloat>().convertToDouble();
  if (dense.getElementType().isInteger(1))
    return dense.getSplatValue<llvm::APInt>().isZero() ? 0.0 : 1.0;
  if (llvm::isa<mlir::IntegerType>(dense.getElementType()))
    return static_cast<double>(dense.getSplatValue<llvm::APInt>().getSExtValue());
  return std::nullopt;
}

static bool compareSamples(stablehlo::ComparisonDirection direction, double a, double b) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return a == b;
  case stablehlo::ComparisonDirection::NE:
    return a != b;
  case stablehlo::ComparisonDirection::GE:
    return a >= b;
  case stablehlo::ComparisonDirection::GT:
    return a > b;
  case stablehlo::ComparisonDirection::LE:
    return a <= b;
  case stablehlo::ComparisonDirection::LT:
    return a < b;
  }
  return false;
}

static std::optional<double> sampleArithmetic(mlir::Operation &op, llvm::ArrayRef<double> in) {
  if (llvm::isa<stablehlo::AddOp>(op))
    return in[0] + in[1];
  if (llvm::isa<stablehlo::SubtractOp>(op))
    return in[0] - in[1];
  if (llvm::isa<stablehlo::NegateOp>(op))
    return -in[0];
  if (llvm::isa<stablehlo::AbsOp>(op))
    return std::fabs(in[0]);
  if (llvm::isa<stablehlo::ExponentialOp>(op))
    return std::exp(in[0]);
  if (llvm::isa<stablehlo::LogOp>(op))
    return std::log(in[0]);
  if (llvm::isa<stablehlo::LogPlusOneOp>(op))
    return std::log1p(in[0]);
  return std::nullopt;
}

static std::optional<double> sampleOp(mlir::Operation &op, llvm::ArrayRef<double> in) {
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
    return sampleConstant(constant);
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op)) {
    if (compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER)
      return std::nullopt;
    return compareSamples(compare.getComparisonDirection(), in[0], in[1]);
  }
  if (llvm::isa<stablehlo::SelectOp>(op))
    return in[0] != 0 ? in[1] : in[2];
  bool boolean = elementTypeOf(op.getResult(0)).isInteger(1);
  if (llvm::isa<mlir::FloatType>(elementTypeOf(op.getResult(0))))
    if (std::optional<double> result = sampleArithmetic(op, in))
      return result;
  if (llvm::isa<stablehlo::AndOp>(op) && boolean)
    return in[0] != 0 && in[1] != 0;
  if (llvm::isa<stablehlo::OrOp>(op) && boolean)
    return in[0] != 0 || in[1] != 0;
  if (llvm::isa<stablehlo::NotOp>(op) && boolean)
    return in[0] == 0;
  if (llvm::isa<stablehlo::MaximumOp>(op))
    return std::isnan(in[0]) || std::isnan(in[1]) ? std::nan("") : std::max(in[0], in[1]);
  if (llvm::isa<stablehlo::MinimumOp>(op))
    return std::isnan(in[0]) || std::isnan(in[1]) ? std::nan("") : std::min(in[0], in[1]);
  return std::nullopt;
}

// What the body returns for these arguments; nothing where it has an operation that is not known here.
static std::optional<llvm::SmallVector<double, 2>> sampleBody(mlir::Block &block, llvm::ArrayRef<double> arguments) {
  llvm::DenseMap<mlir::Value, double> values;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    values[argument] = value;
  auto valuesOf = [&](mlir::OperandRange operands) -> std::optional<llvm::SmallVector<double, 2>> {
    llvm::SmallVector<double, 2> found;
    for (mlir::Value operand : operands) {
      auto value = values.find(operand);
      if (value == values.end())
        return std::nullopt;
      found.push_back(value->second);
    }
    return found;
  };
  for (mlir::Operation &op : block.without_terminator()) {
    auto in = valuesOf(op.getOperands());
    std::optional<double> result = in && op.getNumResults() == 1 ? sampleOp(op, *in) : std::nullopt;
    if (!result)
      return std::nullopt;
    values[op.getResult(0)] = *result;
  }
  return valuesOf(block.getTerminator()->getOperands());
}

// Whether the body picks the larger (or smaller) element, the smaller position among equals and a NaN before any
// number; of two NaNs the first if it also has the smaller position, or, for positions in `anyOrder`, that with the
// smaller one.
static bool picksExtreme(mlir::Block &block, bool largest, bool floats, bool anyOrder) {
  const double infinity = std::numeric_limits<double>::infinity();
  llvm::SmallVector<double> values = {-2, 0, 1, 3};
  if (floats)
    llvm::append_values(values, -infinity, infinity, std::nan(""));
  for (double a : values) {
    for (double b : values) {
      for (auto [i, j] : {std::pair<double, double>{0, 5}, {5, 0}, {2, 3}, {3, 3}}) {
        auto results = sampleBody(block, {a, i, b, j});
        if (!results)
          return false;
        double first = results->front(), second = results->back();
        bool aNan = std::isnan(a), bNan = std::isnan(b);
        if (aNan && bNan) {
          if (!std::isnan(first) || ((anyOrder || i < j) && second != std::min(i, j)))
            return false;
          continue;
        }
        bool better = largest ? a > b : a < b;
        bool takeA = aNan || (!bNan && (better || (a == b && i < j)));
        double value = takeA ? a : b, position = takeA ? i : j;
        bool sameValue = std::isnan(value) ? std::isnan(first) : first == value;
        if (!sameValue || second != position)
          return false;
      }
    }
  }
  return true;
}

bool addsLogarithms(mlir::Operation *op) {
  mlir::Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != 2 || !llvm::isa<mlir::FloatType>(elementTypeOf(block.getArgument(0))))
    return false;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 9> values = {-infinity, -1000, -2, 0, 0.5, 3, 1000, infinity, std::nan("")};
  for (double a : values) {
    for (double b : values) {
      auto results = sampleBody(block, {a, b});
      if (!results)
        return false;
      double larger = std::max(a, b),
             expected = std::isinf(larger) ? larger : larger + std::log1p(std::exp(-std::fabs(a - b)));
      if (std::isnan(a) || std::isnan(b)
              ? !std::isnan(results->front())
              : results->front() != expected && !(std::fabs(results->front() - expected) < 1e-12))
        return false;
    }
  }
  return true;
}

ReductionBody analyzeReductionBody(mlir::Operation *op) {
  ReductionBody body;
  mlir::Block &block = op->getRegion(0).front();
  unsigned n = block.getNumArguments() / 2;
  for (unsigned i = 0; i < n; ++i) {
    std::optional<Combiner> combiner = independentCombiner(block, i);
    if (!combiner)
      break;
    body.combiners.push_back(*combiner);
  }
  if (body.combiners.size() == n) {
    body.form = ReductionBody::Form::kIndependent;
    return body;
  }
  body.combiners.clear();
  if (n != 2 || block.getTerminator()->getNumOperands() != 2)
    return body;
  mlir::Type value = elementTypeOf(block.getArgument(0)), position = elementTypeOf(block.getArgument(1));
  bool floats = llvm::isa<mlir::FloatType>(value);
  if ((!floats && !llvm::isa<mlir::IntegerType>(value)) || !llvm::isa<mlir::IntegerType>(position))
    return body;
  for (bool largest : {true, false}) {
    if (picksExtreme(block, largest, floats, !hasIncreasingPositions(op))) {
      body.form = ReductionBody::Form::kArgument;
      body.largest = largest;
      return body;
    }
  }
  return body;
}

bool gainsFromTree(const ReductionBody &body) {
  return body.form == ReductionBody::Form::kIndependent && llvm::any_of(body.combiners, [](const Combiner &combiner) {
           return (combiner.kind == CombinerKind::kAdd || combiner.kind == CombinerKind::kMultiply) &&
                  llvm::isa<mlir::FloatType, mlir::ComplexType>(combiner.accumulator);
         });
}

// --- Initial values and positions ---

bool hasIncreasingPositions(mlir::Operation *op) {
  auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce || reduce.getDimensions().size() != 1)
    return false;
  uint64_t dim = reduce.getDimensions()[0];
  mlir::Value positions = op->getOperand(1);
  if (auto broadcast = positions.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    llvm::ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
    auto found = llvm::find(dims, static_cast<int64_t>(dim));
    if (found == dims.end())
      return false;
    dim = found - dims.begin();
    positions = broadcast.getOperand();
  }
  auto iota = positions.getDefiningOp<stablehlo::IotaOp>();
  if (!iota || iota.getIotaDimension() != dim)
    return false;
  // The initial position comes first.
  llvm::APInt init;
  return mlir::matchPattern(op->getOperand(3), mlir::m_ConstantInt(&init)) && !init.isStrictlyPositive();
}

// --- Combining ---

llvm::SmallVector<mlir::Type, 2> accumulatorTypes(mlir::Operation *op, const ReductionBody &body) {
  llvm::SmallVector<mlir::Type, 2> types;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    types.push_back(body.form == ReductionBody::Form::kIndependent ? body.combiners[i].accumulator
                                                                   : elementTypeOf(result));
  return types;
}

llvm::SmallVector<Element, 2> emitArgumentCombine(llvm::IRBuilderBase &builder, const ReductionBody &body,
                                                  mlir::Type valueType, mlir::Type positionType,
                                                  llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b,
                                                  bool keepsEarlier) {
  auto isUnsigned = [](mlir::Type type) { return llvm::cast<mlir::IntegerType>(type).isUnsigned(); };
  llvm::Value *better, *tie;
  if (llvm::isa<mlir::FloatType>(valueType)) {
    mlir::Type wide =
        valueType.getIntOrFloatBitWidth() < 32 ? mlir::Float32Type::get(valueType.getContext()) : valueType;
    llvm::Value *x = emitConvert(builder, valueType, wide, a[0]).re,
                *y = emitConvert(builder, valueType, wide, b[0]).re;
    if (keepsEarlier) {
      llvm::Value *beats = body.largest ? builder.CreateFCmpUGT(y, x) : builder.CreateFCmpULT(y, x);
      llvm::Value *take = builder.CreateAnd(beats, builder.CreateFCmpORD(x, x));
      return {selectElement(builder, take, b[0], a[0]), selectElement(builder, take, b[1], a[1])};
    }
    llvm::Value *xNan = builder.CreateFCmpUNO(x, x), *yNan = builder.CreateFCmpUNO(y, y);
    llvm::Value *ordered = body.largest ? builder.CreateFCmpOGT(y, x) : builder.CreateFCmpOLT(y, x);
    better = builder.CreateOr(ordered, builder.CreateAnd(yNan, builder.CreateNot(xNan)));
    tie = builder.CreateOr(builder.CreateFCmpOEQ(x, y), builder.CreateAnd(xNan, yNan));
  } else {
    llvm::Value *x = a[0].re, *y = b[0].re;
    bool flag = valueType.isInteger(1) || isUnsigned(valueType);
    better = body.largest ? (flag ? builder.CreateICmpUGT(y, x) : builder.CreateICmpSGT(y, x))
                          : (flag ? builder.CreateICmpULT(y, x) : builder.CreateICmpSLT(y, x));
    if (keepsEarlier)
      return {selectElement(builder, better, b[0], a[0]), selectElement(builder, better, b[1], a[1])};
    tie = builder.CreateICmpEQ(x, y);
  }
  llvm::Value *before =
      isUnsigned(positionType) ? builder.CreateICmpULT(b[1].re, a[1].re) : builder.CreateICmpSLT(b[1].re, a[1].re);
  llvm::Value *take = builder.CreateOr(better, builder.CreateAnd(tie, before));
  return {selectElement(builder, take, b[0], a[0]), selectElement(builder, take, b[1], a[1])};
}

static llvm::APInt extremeInteger(mlir::IntegerType type, bool largest) {
  // Kept in the value form: at least 8 bits, sub-byte values extended.
  unsigned width = type.getWidth(), kept = width == 1 ? 1 : std::max(8u, width);
  if (width == 1)
    return llvm::APInt(1, largest);
  if (type.isUnsigned())
    return (largest ? llvm::APInt::getMaxValue(width) : llvm::APInt::getMinValue(width)).zextOrTrunc(kept);
  return (largest ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getSignedMinValue(width)).sextOrTrunc(kept);
}

Element combinerIdentity(llvm::LLVMContext &context, const Combiner &combiner, unsigned lanes) {
  mlir::Type type = combiner.accumulator, part = type;
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  if (complex)
    part = complex.getElementType();
  auto number = [&](double value) {
    const llvm::fltSemantics &semantics = llvm::cast<mlir::FloatType>(part).getFloatSemantics();
    if (std::isinf(value) && !llvm::APFloat::semanticsHasInf(semantics))
      return llvm::APFloat::getLargest(semantics, value < 0);
    llvm::APFloat result(value);
    bool lost;
    result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
    return result;
  };
  if (llvm::isa<mlir::FloatType>(part)) {
    // -0 is the identity of addition: 0 would turn a sum of negative zeros positive.
    double value = combiner.kind == CombinerKind::kAdd        ? -0.0
                   : combiner.kind == CombinerKind::kMultiply ? 1.0
                   : combiner.kind == CombinerKind::kMaximum  ? -std::numeric_limits<double>::infinity()
                                                              : std::numeric_limits<double>::infinity();
    if (!complex)
      return constantElement(context, type, number(value), lanes);
    double imaginary = combiner.kind == CombinerKind::kMultiply ? 0.0 : value;
    return constantElement(context, type, number(value), number(imaginary), lanes);
  }
  auto integer = llvm::cast<mlir::IntegerType>(type);
  unsigned kept = integer.getWidth() == 1 ? 1 : std::max(8u, integer.getWidth());
  llvm::Type *valueOf = valueType(context, type, lanes);
  auto make = [&](const llvm::APInt &value) { return Element{llvm::ConstantInt::get(valueOf, value)}; };
  switch (combiner.kind) {
  case CombinerKind::kAdd:
  case CombinerKind::kOr:
  case CombinerKind::kXor:
    return make(llvm::APInt::getZero(kept));
  case CombinerKind::kMultiply:
    return make(llvm::APInt(kept, 1));
  case CombinerKind::kAnd:
    if (integer.isUnsigned() && integer.getWidth() < 8)
      return make(llvm::APInt::getLowBitsSet(8, integer.getWidth()));
    return make(llvm::APInt::getAllOnes(kept));
  case CombinerKind::kMaximum:
    return make(extremeInteger(integer, false));
  case CombinerKind::kMinimum:
    return make(extremeInteger(integer, true));
  }
  return {};
}

Element emitCombine(llvm::IRBuilderBase &builder, const Combiner &combiner, Element a, Element b) {
  switch (combiner.kind) {
  case CombinerKind::kAdd:
    return emitAdd(builder, combiner.accumulator, a, b);
  case CombinerKind::kMultiply:
    return emitMultiply(builder, combiner.accumulator, a, b);
  case CombinerKind::kMinimum:
    return emitMinimum(builder, combiner.accumulator, a, b);
  case CombinerKind::kMaximum:
    return emitMaximum(builder, combiner.accumulator, a, b);
  case CombinerKind::kAnd:
    return {builder.CreateAnd(a.re, b.re)};
  case CombinerKind::kOr:
    return {builder.CreateOr(a.re, b.re)};
  case CombinerKind::kXor:
    return {builder.CreateXor(a.re, b.re)};
  }
  return a;
}

// --- Extrema of bits ---

// An extremum of floats minds NaN and the sign of zero in five instructions of a processor that minds neither, each of
// which waits for the one before. Of the bits as integers three do, which do not wait for each other: the largest by
// sign, which is positive NaN if there is one and the maximum unless all are negative; the least and the largest
// without sign, which are the maximum of negative numbers and the minimum of positive ones, and of both, and negative
// NaN. Halves and bf16 need not be widened for them, either.
static constexpr llvm::Intrinsic::ID kExtremaOfBits[] = {llvm::Intrinsic::smax, llvm::Intrinsic::umin,
                                                         llvm::Intrinsic::umax};
static_assert(std::size(kExtremaOfBits) == kBitExtrema);

bool isExtremum(const ReductionBody &body) {
  if (body.form != ReductionBody::Form::kIndependent || body.combiners.size() != 1)
    return false;
  const Combiner &combiner = body.combiners.front();
  return combiner.accumulator.isF32() &&
         (combiner.kind == CombinerKind::kMinimum || combiner.kind == CombinerKind::kMaximum);
}

BitExtrema bitExtremaOf(llvm::IRBuilderBase &b, llvm::Value *floats) {
  llvm::Type *type = floats->getType();
  llvm::Type *bits = type->getWithNewType(b.getIntNTy(type->getScalarSizeInBits()));
  return BitExtrema(kBitExtrema, b.CreateBitCast(floats, bits));
}

BitExtrema mergeBitExtrema(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> a,
                           llvm::ArrayRef<llvm::Value *> b) {
  BitExtrema merged;
  for (auto [id, x, y] : llvm::zip(kExtremaOfBits, a, b))
    merged.push_back(builder.CreateBinaryIntrinsic(id, x, y));
  return merged;
}

llvm::Value *settleBitExtrema(llvm::IRBuilderBase &b, CombinerKind kind, mlir::FloatType of,
                              llvm::ArrayRef<llvm::Value *> extrema) {
  auto [largest, least, farthest] = std::tuple(extrema[0], extrema[1], extrema[2]);
  llvm::Type *type = largest->getType();
  auto infinity = [&](bool isNegative) {
    return llvm::ConstantInt::get(type, llvm::APFloat::getInf(of.getFloatSemantics(), isNegative).bitcastToAPInt());
  };
  llvm::Value *zero = llvm::Constant::getNullValue(type);
  llvm::Value *isNaN = b.CreateOr(b.CreateICmpSGT(largest, infinity(false)), b.CreateICmpUGT(farthest, infinity(true)));
  llvm::Value *number = kind == CombinerKind::kMaximum
                            ? b.CreateSelect(b.CreateICmpSLT(largest, zero), least, largest)
                            : b.CreateSelect(b.CreateICmpSLT(farthest, zero), farthest, least);
  number = b.CreateBitCast(number, type->getWithNewType(storageType(b.getContext(), of)));
  number = emitConvert(b, of, mlir::Float32Type::get(of.getContext()), {number}).re;
  return b.CreateSelect(isNaN, llvm::ConstantFP::getQNaN(number->getType()), number);
}

// How many NaNs there are of either sign. Keys turn round by so many: those of the sign whose end is no NaN's otherwise
// come behind the others.
static constexpr int32_t kNaNs = 0x7FFFFF, kInfinity = 0x7F800000;

// The bits of negative numbers, whose order is reversed, upside down; its own inverse.
static llvm::Value *turnNegative(llvm::IRBuilderBase &b, llvm::Value *bits) {
  llvm::Value *mask = b.CreateAnd(b.CreateAShr(bits, 31), llvm::ConstantInt::get(bits->getType(), 0x7FFFFFFF));
  return b.CreateXor(bits, mask);
}

llvm::Value *extremumKey(llvm::IRBuilderBase &b, CombinerKind kind, llvm::Value *floats) {
  llvm::Type *type = floats->getType()->getWithNewType(b.getInt32Ty());
  llvm::Value *ordered = turnNegative(b, b.CreateBitCast(floats, type));
  llvm::Value *nans = llvm::ConstantInt::get(type, kNaNs);
  return kind == CombinerKind::kMaximum ? b.CreateSub(ordered, nans) : b.CreateAdd(ordered, nans);
}

llvm::Value *mergeExtremumKeys(llvm::IRBuilderBase &builder, CombinerKind kind, llvm::Value *a, llvm::Value *b) {
  return builder.CreateBinaryIntrinsic(kind == CombinerKind::kMaximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin,
                                       a, b);
}

llvm::Value *settleExtremumKey(llvm::IRBuilderBase &b, CombinerKind kind, mlir::Type from, llvm::Value *key) {
  llvm::Type *type = key->getType();
  auto constant = [&](int32_t value) { return llvm::ConstantInt::getSigned(type, value); };
  bool isMaximum = kind == CombinerKind::kMaximum;
  // Infinity's key; that of the negative one is turned.
  llvm::Value *isNaN = isMaximum ? b.CreateICmpSGT(key, constant(kInfinity - kNaNs))
                                 : b.CreateICmpSLT(key, constant(kNaNs - kInfinity - 1));
  llvm::Value *ordered = isMaximum ? b.CreateAdd(key, constant(kNaNs)) : b.CreateSub(key, constant(kNaNs));
  llvm::Value *number = turnNegative(b, ordered);
  if (from.isBF16()) { // whose bits are the upper ones, without rounding
    llvm::Value *bits = b.CreateTrunc(b.CreateLShr(number, 16), type->getWithNewType(b.getInt16Ty()));
    number = emitConvert(b, from, mlir::Float32Type::get(from.getContext()), {bits}).re;
  } else {
    number = b.CreateBitCast(number, type->getWithNewType(b.getFloatTy()));
  }
  return b.CreateSelect(isNaN, llvm::ConstantFP::getQNaN(number->getType()), number);
}

} // namespace tenon::codegen::loop
