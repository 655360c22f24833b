#include "test/fuzz/arguments.h"

#include "tenon/checking/interpret_all.h"
#include "tenon/checking/noise.h"
#include "tenon/checking/reduce.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <random>

namespace tenon::fuzz {

using namespace mlir;
using interpreter::Scalar;
using interpreter::Tensor;

namespace {

enum class ValueKind { kUnit, kFractions, kSmallIntegers, kPositive, kSpecial, kRange, kCount };

class ArgumentMaker {
public:
  explicit ArgumentMaker(uint64_t seed) : random_(seed) { kind_ = ValueKind(random_() % int(ValueKind::kCount)); }

  Tensor make(RankedTensorType type) {
    Tensor tensor(type.getShape(), type.getElementType());
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.set(i, element(tensor.elementType()));
    return tensor;
  }

private:
  Scalar element(ElementType type) {
    if (isFloat(type))
      return Scalar::ofFloat(real(type));
    if (isComplex(type)) {
      double re = real(realType(type));
      return Scalar::ofComplex(std::complex<double>(re, real(realType(type))));
    }
    return integer(type);
  }

  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  double real(ElementType type) {
    switch (kind_) {
    case ValueKind::kUnit:
      return 2 * unit() - 1;
    case ValueKind::kFractions:
      return 16 * unit() - 8;
    case ValueKind::kSmallIntegers:
      return static_cast<double>(random_() % 9) - 4;
    case ValueKind::kPositive:
      return 0.125 + 2 * unit();
    case ValueKind::kRange:
      return inRange(type);
    default:
      return specialReal(type);
    }
  }

  // Finite, of any exponent, often at one of the ends.
  double inRange(ElementType type) {
    double largest = interpreter::maxFinite(type).f, low = std::log2(checking::smallestOf(type)),
           high = std::log2(largest);
    double at = unit();
    if (random_() % 3 == 0)
      at = at < 0.5 ? at / 16 : 1 - (1 - at) / 16;
    double magnitude = random_() % 32 == 0 ? 0 : std::min(largest, std::exp2(low + at * (high - low)));
    return random_() % 2 ? magnitude : -magnitude;
  }

  double specialReal(ElementType type) {
    double largest = interpreter::maxFinite(type).f, epsilon = checking::epsilonOf(type),
           tiny = checking::smallestOf(type);
    const double values[] = {NAN,
                             INFINITY,
                             -INFINITY,
                             0.0,
                             -0.0,
                             tiny,
                             -tiny,
                             1.0,
                             -1.0,
                             1 + epsilon,
                             largest,
                             -largest,
                             0.5,
                             -0.5,
                             2.5,
                             -2.5,
                             std::sqrt(largest),
                             1 / largest,
                             88.72283,
                             0x1p31,
                             -0x1p63,
                             0x1p-126,
                             3.0,
                             -1.5};
    if (random_() % 2)
      return values[random_() % std::size(values)];
    double range = std::log2(largest);
    return std::exp2((2 * unit() - 1) * range) * (random_() % 2 ? 1 : -1);
  }

  Scalar integer(ElementType type) {
    switch (kind_) {
    case ValueKind::kUnit:
      return interpreter::scalarOf(type, static_cast<int64_t>(random_() % 2));
    case ValueKind::kFractions:
      return interpreter::normalize(type, Scalar::ofUnsigned(random_()));
    case ValueKind::kSmallIntegers:
      return interpreter::scalarOf(type, static_cast<int64_t>(random_() % 12) - 4);
    case ValueKind::kPositive:
      return interpreter::scalarOf(type, static_cast<int64_t>(random_() % 8));
    default:
      switch (random_() % 4) {
      case 0:
        return interpreter::minFinite(type);
      case 1:
        return interpreter::maxFinite(type);
      default:
        return interpreter::scalarOf(type, static_cast<int64_t>(random_() % 5) - 2);
      }
    }
  }

  std::mt19937_64 random_;
  ValueKind kind_;
};

} // namespace

Tensor makeInput(RankedTensorType type, uint64_t seed, uint64_t number, int64_t process) {
  return ArgumentMaker(seed * 1000003 + number + static_cast<uint64_t>(process) * 100'000'007).make(type);
}

std::vector<interpreter::Value> makeArguments(ModuleOp module, uint64_t seed, int64_t process) {
  std::vector<interpreter::Value> arguments;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    uint64_t number = checking::inputOf(main, i);
    auto type = llvm::cast<RankedTensorType>(main.getArgument(i).getType());
    llvm::SmallVector<int64_t> sizes(type.getShape());
    for (auto [d, size] : llvm::enumerate(sizes))
      if (ShapedType::isDynamic(size))
        size = static_cast<int64_t>((seed / 7 + number * 3 + d * 5) % 9);
    arguments.emplace_back(makeInput(type.clone(sizes), seed, number, process));
  }
  return arguments;
}

std::vector<std::vector<interpreter::Value>> makeAllArguments(ModuleOp module, uint64_t seed) {
  std::vector<std::vector<interpreter::Value>> all;
  for (int64_t process = 0; process < checking::processesOf(module).size(); ++process)
    all.push_back(makeArguments(module, seed, process));
  return all;
}

} // namespace tenon::fuzz
