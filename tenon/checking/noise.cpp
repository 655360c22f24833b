#include "tenon/checking/noise.h"

#include "tenon/checking/agreement.h"

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"

#include <cmath>
#include <complex>

namespace tenon::checking {

using namespace mlir;
using interpreter::Scalar;
using interpreter::Tensor;

double epsilonOf(ElementType type) {
  type = realType(type);
  if (type == ElementType::kF64)
    return 0x1p-52;
  if (type == ElementType::kF32)
    return 0x1p-23;
  return std::ldexp(1.0, -floatFormat(type).mantissaBits);
}

double smallestOf(ElementType type) {
  type = realType(type);
  if (type == ElementType::kF64)
    return 0x1p-1074;
  if (type == ElementType::kF32)
    return 0x1p-149;
  const FloatFormat &format = floatFormat(type);
  return std::ldexp(1.0, 1 - format.bias - format.mantissaBits);
}

double partOf(const Tensor &tensor, int64_t position, bool imaginary) {
  Scalar value = tensor.get(position);
  if (isComplex(tensor.elementType()))
    return imaginary ? value.c.im : value.c.re;
  return value.f;
}

double magnitudeOf(const Tensor &tensor, int64_t position) {
  bool complex = isComplex(tensor.elementType());
  return std::hypot(partOf(tensor, position, false), complex ? partOf(tensor, position, true) : 0);
}

void addNoise(Tensor &tensor, double ulps, double least, std::mt19937_64 &random) {
  ElementType type = tensor.elementType();
  double epsilon = epsilonOf(type);
  auto moved = [&](double value, double size) {
    double direction = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    // Less than half a unit would be rounded away in narrow types.
    direction = std::copysign(std::max(std::fabs(direction), 0.5), direction);
    return std::isfinite(value) ? value + std::min(ulps * epsilon, 0.25) * direction * size : value;
  };
  for (int64_t i = 0; i < tensor.size(); ++i) {
    Scalar value = tensor.get(i);
    if (isComplex(type)) {
      double size = std::max(std::hypot(value.c.re, value.c.im), least);
      value = Scalar::ofComplex(std::complex<double>(moved(value.c.re, size), moved(value.c.im, size)));
    } else {
      value.f = moved(value.f, std::max(std::fabs(value.f), least));
    }
    tensor.set(i, value);
  }
}

double errorOf(Operation *op) {
  // exp(b log(a)): the error of the logarithm times b, which is at most about 700.
  if (llvm::isa<stablehlo::PowerOp, chlo::BroadcastPowerOp>(op) &&
      ir::isComplex(getElementTypeOrSelf(op->getResult(0))))
    return 256;
  return llvm::isa<chlo::ChloDialect>(op->getDialect()) ? 64 : 2;
}

double leastMagnitude(Operation *op) {
  return llvm::isa<chlo::LgammaOp, chlo::DigammaOp, chlo::ZetaOp, chlo::PolygammaOp, chlo::BroadcastZetaOp,
                   chlo::BroadcastPolygammaOp>(op)
             ? 1
             : 0;
}

// The size of a dimension, about the most that it has if it is open.
static int64_t sizeOf(Value value, int64_t dimension) {
  auto shaped = llvm::cast<ShapedType>(value.getType());
  return shaped.isDynamicDim(dimension) ? 16 : shaped.getDimSize(dimension);
}

static int64_t elements(Value value) {
  int64_t count = 1;
  if (auto shaped = llvm::dyn_cast<ShapedType>(value.getType()))
    for (int64_t d = 0; d < shaped.getRank(); ++d)
      count *= sizeOf(value, d);
  return std::max<int64_t>(1, count);
}

static int64_t product(llvm::ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

int64_t termsOf(Operation *op) {
  if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op))
    return product(window.getWindowDimensions());
  if (auto window = llvm::dyn_cast<stablehlo::SelectAndScatterOp>(op))
    return window.getWindowDimensions() ? product(*window.getWindowDimensions()) : 1;
  if (auto scan = llvm::dyn_cast<chlo::ScanOp>(op))
    return scan.getInputs().empty() ? 1 : sizeOf(scan.getInputs()[0], int64_t(scan.getDimension()));
  if (auto fft = llvm::dyn_cast<stablehlo::FftOp>(op))
    return product(fft.getFftLength());
  if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    int64_t terms = 1;
    for (int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions())
      terms *= sizeOf(dot.getLhs(), d);
    return terms;
  }
  if (llvm::isa<stablehlo::ConvolutionOp, stablehlo::DynamicConvOp, stablehlo::DotOp, chlo::RaggedDotOp>(op))
    return elements(op->getOperand(1));
  if (llvm::isa<stablehlo::EinsumOp>(op))
    return elements(op->getOperand(0)) * elements(op->getOperand(1));
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op))
    return elements(scatter.getUpdates()[0]);
  if (llvm::isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op))
    return 4 * sizeOf(op->getOperand(0), llvm::cast<ShapedType>(op->getOperand(0).getType()).getRank() - 1);
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return 1;
  // The last result of the normalisations is a sum, the first has the operand's shape.
  Value sum = op->getResults().back();
  return std::max<int64_t>(1, elements(op->getOperand(0)) / elements(sum));
}

namespace {

// The range of the magnitudes of finite elements other than zero.
struct Range {
  double smallest = INFINITY, largest = 0;
  bool hasNaN = false, hasInfinity = false;

  void add(double value) {
    hasNaN |= std::isnan(value);
    hasInfinity |= std::isinf(value);
    if (!std::isfinite(value) || value == 0)
      return;
    smallest = std::min(smallest, std::fabs(value));
    largest = std::max(largest, std::fabs(value));
  }
};

bool hasParts(const interpreter::Value &value) {
  return value.isTensor() && (isFloat(value.tensor().elementType()) || isComplex(value.tensor().elementType()));
}

Range rangeOf(llvm::ArrayRef<interpreter::Value> operands) {
  Range range;
  for (const interpreter::Value &value : operands) {
    if (!hasParts(value))
      continue;
    bool complex = isComplex(value.tensor().elementType());
    for (int64_t i = 0; i < value.tensor().size(); ++i) {
      range.add(partOf(value.tensor(), i, false));
      if (complex)
        range.add(partOf(value.tensor(), i, true));
    }
  }
  return range;
}

double largestOf(ElementType type) { return interpreter::maxFinite(realType(type)).f; }

// Whether sums of products of these values could leave the range of the narrowest type that takes part.
bool couldOverflow(Operation *op, llvm::ArrayRef<interpreter::Value> operands, const Range &range) {
  double limit = INFINITY;
  for (const interpreter::Value &value : operands)
    if (hasParts(value))
      limit = std::min(limit, largestOf(value.tensor().elementType()));
  for (Type type : op->getResultTypes())
    if (std::optional<ElementType> element = interpreter::elementTypeOf(getElementTypeOrSelf(type));
        element && (isFloat(*element) || isComplex(*element)))
      limit = std::min(limit, largestOf(*element));
  bool multiplies = false;
  for (Region &region : op->getRegions())
    region.walk([&](stablehlo::MultiplyOp) { multiplies = true; });
  auto terms = static_cast<double>(termsOf(op));
  if (multiplies)
    return terms * std::log2(std::max({range.largest, 1 / range.smallest, 1.0})) > std::log2(limit) / 2;
  double largest = std::max(range.largest, 1.0);
  return terms * largest * largest * largest > limit / 8 || 1 / std::min(range.smallest, 1.0) > std::cbrt(limit);
}

// Complex numbers with NaN are no order: which of two stays depends on their order.
bool picksComplex(Operation *op) {
  return llvm::isa<stablehlo::MaximumOp, stablehlo::MinimumOp, stablehlo::ClampOp, chlo::BroadcastMaximumOp,
                   chlo::BroadcastMinimumOp>(op) &&
         ir::isComplex(getElementTypeOrSelf(op->getResult(0).getType()));
}

bool ordersNaNBySign(Operation *op) {
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op))
    return compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  return llvm::isa<stablehlo::SortOp, stablehlo::SelectAndScatterOp, stablehlo::BitcastConvertOp, chlo::TopKOp>(op);
}

// NaN becomes a zero of its sign, or of either.
bool convertsNaNToZero(Operation *op) {
  if (!llvm::isa<stablehlo::ConvertOp>(op))
    return false;
  auto type = interpreter::elementTypeOf(getElementTypeOrSelf(op->getResult(0).getType()));
  return type == ElementType::kF4E2M1FN || type == ElementType::kF6E2M3FN || type == ElementType::kF6E3M2FN;
}

// A complex number divided by zero is infinite or NaN.
bool dividesComplexByZero(Operation *op, llvm::ArrayRef<interpreter::Value> operands) {
  auto solve = llvm::dyn_cast<stablehlo::TriangularSolveOp>(op);
  if (!solve || solve.getUnitDiagonal() || !isComplex(operands[0].tensor().elementType()))
    return false;
  const Tensor &a = operands[0].tensor();
  int64_t n = a.shape().back();
  for (int64_t i = 0; i < a.size(); i += i % (n * n) == n * n - 1 ? 1 : n + 1)
    if (partOf(a, i, false) == 0 && partOf(a, i, true) == 0)
      return true;
  return false;
}

// What one step of substitution is off, the next ones multiply by up to the ratio of elements beside the diagonal to
// those on it; the result may overflow in one order and not in another.
bool substitutionOverflows(Operation *op, llvm::ArrayRef<interpreter::Value> operands) {
  auto solve = llvm::dyn_cast<stablehlo::TriangularSolveOp>(op);
  if (!solve)
    return false;
  const Tensor &a = operands[0].tensor();
  int64_t n = a.shape().back();
  double largest = 0, pivot = solve.getUnitDiagonal() ? 1 : INFINITY;
  for (int64_t i = 0; i < a.size(); ++i) {
    double size = magnitudeOf(a, i);
    bool onDiagonal = i % n == i / n % n;
    if (!onDiagonal)
      largest = std::max(largest, size);
    else if (!solve.getUnitDiagonal())
      pivot = std::min(pivot, size);
  }
  return static_cast<double>(n) * std::log2(std::max(1.0, largest / pivot)) > std::log2(largestOf(a.elementType()));
}

// Whether a value has been rounded, as far as its block shows.
bool isOfSums(Value value) {
  llvm::SmallVector<Operation *> open;
  llvm::DenseSet<Operation *> seen;
  auto add = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp(); op && seen.insert(op).second)
      open.push_back(op);
  };
  for (add(value); !open.empty();) {
    Operation *op = open.pop_back_val();
    if (behaviourOf(op) == Behaviour::kSums || op->getNumRegions() != 0)
      return true;
    llvm::for_each(op->getOperands(), add);
  }
  return false;
}

// Where a sum's terms cancel, a divisor may be zero in one order and a rounding error in another, so that even x / x is
// NaN or one.
bool dividesByRoundingErrors(Operation *op, llvm::ArrayRef<interpreter::Value> operands) {
  if (!llvm::isa<stablehlo::DivideOp, chlo::BroadcastDivideOp>(op) || !hasParts(operands[1]) ||
      !isOfSums(op->getOperand(1)))
    return false;
  const Tensor &divisor = operands[1].tensor();
  double largest = rangeOf(operands[1]).largest;
  for (int64_t i = 0; i < divisor.size(); ++i) {
    if (magnitudeOf(divisor, i) < 256 * epsilonOf(divisor.elementType()) * largest)
      return true;
  }
  return false;
}

// Rounding decides whether a matrix that is nearly singular is positive definite.
bool hasUnsettledPivot(Operation *op, llvm::ArrayRef<interpreter::Value> operands) {
  auto cholesky = llvm::dyn_cast<stablehlo::CholeskyOp>(op);
  if (!cholesky)
    return false;
  using Complex = std::complex<double>;
  const Tensor &a = operands[0].tensor();
  int64_t n = a.shape().back();
  bool complex = isComplex(a.elementType()), lower = cholesky.getLower();
  double limit = 64 * static_cast<double>(n) * epsilonOf(a.elementType());
  std::vector<Complex> l(n * n);
  for (int64_t first = 0; first < a.size(); first += n * n) {
    auto at = [&](int64_t i, int64_t j) {
      int64_t position = first + (lower ? i * n + j : j * n + i);
      return Complex(partOf(a, position, false), complex ? (lower ? 1 : -1) * partOf(a, position, true) : 0);
    };
    for (int64_t j = 0; j < n; ++j) {
      double pivot = at(j, j).real();
      for (int64_t k = 0; k < j; ++k)
        pivot -= std::norm(l[j * n + k]);
      if (std::fabs(pivot) <= limit * std::fabs(at(j, j).real()))
        return true;
      if (!(pivot > 0))
        break; // not positive definite by a margin
      l[j * n + j] = std::sqrt(pivot);
      for (int64_t i = j + 1; i < n; ++i) {
        Complex sum = at(i, j);
        for (int64_t k = 0; k < j; ++k)
          sum -= l[i * n + k] * std::conj(l[j * n + k]);
        l[i * n + j] = sum / l[j * n + j];
      }
    }
  }
  return false;
}

// atan2(y, x) = -i log((x + iy) / sqrt(x^2 + y^2)): on the cut of the logarithm the last bit of the quotient decides,
// and near one the logarithm is what that was rounded by.
bool takesUnsettledAngle(Operation *op, llvm::ArrayRef<interpreter::Value> operands) {
  if (!llvm::isa<stablehlo::Atan2Op, chlo::BroadcastAtan2Op>(op))
    return false;
  const Tensor &y = operands[0].tensor(), &x = operands[1].tensor();
  if (x.shape() != y.shape())
    return true;
  using Complex = std::complex<long double>;
  for (int64_t i = 0; i < x.size(); ++i) {
    Complex a(partOf(y, i, false), partOf(y, i, true)), b(partOf(x, i, false), partOf(x, i, true));
    Complex direction = (b + a * Complex(0, 1)) / std::sqrt(b * b + a * a);
    bool onCut = !(direction.real() > 0 || std::fabs(direction.imag()) > 1e-6L * std::fabs(direction.real()));
    if (onCut || std::abs(direction - 1.0L) < 1e-3L)
      return true;
  }
  return false;
}

// Functions of complex numbers that are right for all finite ones. Sums of products may overflow in one order only.
bool coversRange(Operation *op) {
  return op->getNumOperands() == 1 && op->hasTrait<ir::Elementwise>() && behaviourOf(op) != Behaviour::kSums;
}

// One by one, in a type of few bits, more terms than its significand counts are lost against their sum; which are
// depends on the order. The interpreter goes through blocks of 64.
bool losesTerms(Operation *op) {
  auto terms = static_cast<double>(std::min<int64_t>(termsOf(op), 64));
  for (Region &region : op->getRegions())
    for (Type type : region.getArgumentTypes())
      if (std::optional<ElementType> element = interpreter::elementTypeOf(getElementTypeOrSelf(type));
          element && (isFloat(*element) || isComplex(*element)) && terms * epsilonOf(*element) > 2)
        return true;
  return false;
}

// Sums of products of integers, in a float type, that f32 need not hold: integers are exact, and noise does not move
// them.
bool roundsIntegers(Operation *op, llvm::ArrayRef<interpreter::Value> operands) {
  if (behaviourOf(op) != Behaviour::kSums || op->getNumResults() == 0)
    return false;
  std::optional<ElementType> type = interpreter::elementTypeOf(getElementTypeOrSelf(op->getResult(0)));
  if (!type || !(isFloat(*type) || isComplex(*type)))
    return false;
  auto sum = static_cast<double>(termsOf(op));
  bool hasIntegers = false;
  for (const interpreter::Value &value : operands) {
    if (!value.isTensor() || hasParts(value))
      continue;
    hasIntegers = true;
    const Tensor &tensor = value.tensor();
    double largest = 1;
    for (int64_t i = 0; i < tensor.size(); ++i)
      largest = std::max(
          largest, std::fabs(interpreter::convertScalar(tensor.elementType(), ElementType::kF64, tensor.get(i)).f));
    sum *= largest;
  }
  return hasIntegers && sum > 0x1p24;
}

} // namespace

bool isUnpredictable(Operation *op, llvm::ArrayRef<interpreter::Value> operands) {
  Behaviour behaviour = behaviourOf(op);
  bool complexFunction = behaviour >= Behaviour::kFunction && llvm::any_of(operands, [](const auto &value) {
                           return value.isTensor() && isComplex(value.tensor().elementType());
                         });
  bool folds =
      llvm::any_of(op->getRegions(), [](Region &region) { return !region.empty() && roundsWhenFolded(region); }) &&
      foldsInAnyOrder(op);
  bool sums = folds || (behaviour == Behaviour::kSums && op->getNumResults() && llvm::any_of(operands, hasParts));
  bool nanMatters = ordersNaNBySign(op) || convertsNaNToZero(op) || picksComplex(op);
  // In a region of elements: its ops are not shown one at a time.
  op->walk([&](Operation *inner) { nanMatters |= inner != op && (ordersNaNBySign(inner) || picksComplex(inner)); });
  bool specialSeries =
      llvm::isa<chlo::ZetaOp, chlo::PolygammaOp, chlo::BroadcastZetaOp, chlo::BroadcastPolygammaOp>(op);
  if ((folds && losesTerms(op)) || dividesByRoundingErrors(op, operands) || roundsIntegers(op, operands))
    return true;
  if (!complexFunction && !sums && !nanMatters && !specialSeries)
    return false;
  Range range = rangeOf(operands);
  // Near the poles, and far out, where terms overflow.
  if (specialSeries && (range.largest > 100 || range.smallest == INFINITY))
    return true;
  if (nanMatters && range.hasNaN)
    return true;
  if (!complexFunction && !sums && !specialSeries)
    return false;
  if (complexFunction && coversRange(op))
    return range.hasNaN || range.hasInfinity;
  return range.hasNaN || range.hasInfinity || couldOverflow(op, operands, range) ||
         dividesComplexByZero(op, operands) || substitutionOverflows(op, operands) || hasUnsettledPivot(op, operands) ||
         (complexFunction && takesUnsettledAngle(op, operands));
}

} // namespace tenon::checking
