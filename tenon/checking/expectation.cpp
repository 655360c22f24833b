#include "tenon/checking/expectation.h"

#include "tenon/checking/noise.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <cstring>
#include <mutex>

namespace tenon::checking {

using namespace mlir;
using interpreter::Scalar;
using interpreter::Tensor;

//===- Interpretation --------------------------------------------------------------------------------------------===//

namespace {

constexpr int kNoisyRuns = 3, kNoisyRunsInDoubt = 40;
constexpr int kNeighbours = 8;

bool isRoundable(const interpreter::Value &value) {
  return value.isTensor() && (isFloat(value.tensor().elementType()) || isComplex(value.tensor().elementType()));
}

bool foldsWithRounding(Operation *op) {
  return foldsInAnyOrder(op) && llvm::any_of(op->getRegions(), [](Region &region) { return roundsWhenFolded(region); });
}

void move(llvm::MutableArrayRef<interpreter::Value> values, double ulps, double least, std::mt19937_64 &random) {
  for (interpreter::Value &value : values)
    if (isRoundable(value))
      addNoise(value.tensor(), ulps, least, random);
}

// The options of one process, whose errors are its own.
interpreter::Options noisyOptions(const std::function<bool(Operation *)> &isRounded, const Limits &limits,
                                  uint64_t seed) {
  auto random = std::make_shared<std::mt19937_64>(seed);
  interpreter::Options options = limited(limits);
  options.beforeOp = [=](Operation *op, llvm::MutableArrayRef<interpreter::Value> operands) {
    if (isRounded(op) && (behaviourOf(op) == Behaviour::kSums || foldsWithRounding(op)))
      move(operands, 2 + static_cast<double>(termsOf(op)) / 4, 0, *random);
  };
  options.afterOp = [=](Operation *op, llvm::MutableArrayRef<interpreter::Value> results) {
    if (isRounded(op) && behaviourOf(op) != Behaviour::kMoves)
      move(results, errorOf(op), leastMagnitude(op), *random);
  };
  return options;
}

int parts(const Tensor &tensor) { return isComplex(tensor.elementType()) ? 2 : 1; }

// Raises `spreads` to the distances between the tensors. Infinite where one is not finite and they are not the same.
void widen(std::vector<double> &spreads, const Tensor &expected, const Tensor &noisy) {
  for (size_t i = 0; i < spreads.size(); ++i) {
    bool imaginary = i % parts(expected);
    auto position = static_cast<int64_t>(i) / parts(expected);
    double a = partOf(expected, position, imaginary), b = partOf(noisy, position, imaginary);
    bool same = (std::isnan(a) && std::isnan(b)) || a == b;
    double distance = same ? 0 : std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : INFINITY;
    spreads[i] = std::max(spreads[i], distance);
  }
}

// Each element's bound becomes the largest finite one around it, since chance can make a single one too small.
std::vector<double> smoothed(const std::vector<double> &spreads) {
  std::vector<double> result(spreads.size());
  auto count = static_cast<int64_t>(spreads.size());
  for (int64_t i = 0; i < count; ++i) {
    result[i] = spreads[i];
    for (int64_t j = std::max<int64_t>(0, i - kNeighbours); j < std::min(count, i + kNeighbours + 1); ++j)
      if (std::isfinite(spreads[j]))
        result[i] = std::max(result[i], spreads[j]);
  }
  return result;
}

} // namespace

StatusOr<Expectation> Expectation::create(ModuleOp module, llvm::ArrayRef<std::vector<interpreter::Value>> arguments,
                                          const ExpectationOptions &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  llvm::DenseSet<Operation *> open;
  if (!options.foldsAreAssociative)
    module.walk([&](Operation *op) {
      bool mayNotBe =
          llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, chlo::ScanOp>(op) && foldsInAnyOrder(op);
      if (mayNotBe && !isAssociative(op->getRegion(0)))
        open.insert(op);
    });
  std::mutex mutex;
  auto observing = [&](int64_t) {
    interpreter::Options observed = limited(options.limits);
    observed.beforeOp = [&](Operation *op, llvm::MutableArrayRef<interpreter::Value> operands) {
      if (isUnpredictable(op, operands)) {
        std::lock_guard lock(mutex);
        open.insert(op);
      }
    };
    return observed;
  };
  TENON_ASSIGN_OR_RETURN(auto results, interpretAll(module, arguments, observing));
  Expectation expectation(module, arguments, std::move(open), options);
  expectation.analysis_.visit(main.front());
  auto returned = main.front().getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(results)) {
    expectation.expected_.push_back(value.tensor());
    expectation.agreements_.push_back(expectation.agreementOf(returned[i % returned.size()]));
    bool isRounded = expectation.agreements_.back() == Agreement::kRounded;
    expectation.distances_.emplace_back(isRounded ? value.tensor().size() * parts(value.tensor()) : 0);
  }
  TENON_RETURN_IF_ERROR(expectation.runNoisily(kNoisyRuns));
  return expectation;
}

Agreement Expectation::agreementOf(Value value) const {
  Agreement agreement = analysis_.of(value);
  return agreement == Agreement::kOpen && options_.boundsOpen ? Agreement::kRounded : agreement;
}

Status Expectation::runNoisily(int runs) {
  auto isRounded = [this](Operation *op) {
    return llvm::any_of(op->getResults(), [&](Value value) { return agreementOf(value) == Agreement::kRounded; });
  };
  for (; llvm::is_contained(agreements_, Agreement::kRounded) && noisyRuns_ < runs; ++noisyRuns_) {
    auto optionsOf = [&](int64_t process) {
      return noisyOptions(isRounded, options_.limits, noisyRuns_ + static_cast<uint64_t>(process) * 1000);
    };
    TENON_ASSIGN_OR_RETURN(auto noisy, interpretAll(module_, arguments_, optionsOf));
    for (auto [i, result] : llvm::enumerate(distances_))
      widen(result, expected_[i], noisy[i].tensor());
  }
  spreads_.clear();
  for (const std::vector<double> &result : distances_)
    spreads_.push_back(smoothed(result));
  return {};
}

//===- Comparison ------------------------------------------------------------------------------------------------===//

static bool hasInfinity(Type element) {
  auto type = llvm::dyn_cast<FloatType>(element);
  return !type || llvm::APFloat::semanticsHasInf(type.getFloatSemantics());
}

bool Expectation::isRight(unsigned result, const Tensor &actual, int64_t position, bool imaginary) const {
  const Tensor &reference = expected_[result];
  double a = partOf(actual, position, imaginary), b = partOf(reference, position, imaginary);
  if (std::isnan(a) && std::isnan(b))
    return true;
  if (agreements_[result] == Agreement::kExact)
    return a == b && std::signbit(a) == std::signbit(b);
  double spread = spreads_[result][position * parts(reference) + imaginary];
  if (a == b || std::isinf(spread))
    return true;
  ElementType type = realType(reference.elementType());
  double size = std::min(magnitudeOf(reference, position), std::numeric_limits<double>::max());
  // The quotient by a zero that has only rounding errors.
  if (std::isinf(a) && spread >= size / 2 && size * epsilonOf(type) > 1)
    return true;
  // What overflows in one order and not in another.
  if (std::isfinite(a) != std::isfinite(b) &&
      (std::isinf(a) || std::isinf(b) || !hasInfinity(reference.mlirElementType())))
    return std::fabs(std::isfinite(a) ? a : b) + 8 * spread > interpreter::maxFinite(type).f;
  return std::fabs(a - b) <= 8 * spread + 16 * epsilonOf(type) * size + 16 * smallestOf(type);
}

std::string Expectation::nameOf(unsigned result) const {
  size_t count = expected_.size() / arguments_.size();
  std::string name = "result " + std::to_string(result % count);
  return arguments_.size() == 1 ? name : name + " of process " + std::to_string(result / count);
}

std::optional<std::string> Expectation::firstWrong(unsigned result, const Tensor &actual) const {
  const Tensor &reference = expected_[result];
  bool numeric = isRoundable(reference);
  for (int64_t i = 0; i < reference.size(); ++i) {
    int64_t width = byteSize(reference.elementType());
    bool right = std::memcmp(actual.data() + i * width, reference.data() + i * width, width) == 0;
    if (!right && numeric)
      right = isRight(result, actual, i, false) && (parts(reference) == 1 || isRight(result, actual, i, true));
    if (right)
      continue;
    auto describe = [&](const Tensor &tensor) {
      Scalar value = tensor.get(i);
      return interpreter::toString(Tensor::scalar(tensor.mlirElementType(), value));
    };
    std::string bound = agreements_[result] == Agreement::kExact
                            ? "exactly"
                            : "within " + std::to_string(spreads_[result][i * parts(reference)]);
    return nameOf(result) + ", element " + std::to_string(i) + " is " + describe(actual) + " ; " + bound +
           " expected " + describe(reference);
  }
  return std::nullopt;
}

std::optional<std::string> Expectation::check(unsigned result, llvm::ArrayRef<uint8_t> bytes) {
  const Tensor &reference = expected_[result];
  if (agreements_[result] == Agreement::kOpen || reference.bytes() == bytes)
    return std::nullopt;
  auto actual = Tensor::fromBytes(reference.type(), bytes);
  if (!actual.ok())
    return nameOf(result) + " has another size";
  auto wrong = firstWrong(result, *actual);
  if (!wrong || agreements_[result] != Agreement::kRounded)
    return wrong;
  if (Status status = runNoisily(kNoisyRunsInDoubt); !status.ok())
    return wrong;
  return firstWrong(result, *actual);
}

} // namespace tenon::checking
