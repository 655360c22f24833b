// Functions of complex numbers whose parts lie anywhere in the range of their type, independently of each other:
// compiled, against the interpreter, which computes in a type of greater range.

#include "test/e2e/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace tenon;
using xla::Literal;

namespace {

struct Case {
  std::string op, element;
  int operands = 1;
  // Both parts of the result are as good as the whole. Otherwise a part may be small because terms cancel, and is as
  // good as the modulus.
  bool eachPart = true;
  bool isSquare = false; // the operands are one value
};

void PrintTo(const Case &one, std::ostream *out) { *out << one.op << " of " << one.element; }

template <typename T> std::vector<T> partsInRange() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> parts{0, Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::denorm_min(), 0.5, 2, 88.5};
  parts.insert(parts.end(), {T(709.9), T(745), T(1e-20)});
  int step = (Limits::max_exponent - Limits::min_exponent) / 36;
  for (int exponent = Limits::min_exponent - Limits::digits; exponent < Limits::max_exponent; exponent += step)
    for (double mantissa : {1.0, 1.37, 1.99})
      parts.push_back(static_cast<T>(std::ldexp(mantissa, exponent)));
  size_t count = parts.size();
  for (size_t i = 0; i < count; ++i)
    parts.push_back(-parts[i]);
  return parts;
}

template <typename T> void fill(Literal &array, std::mt19937_64 &random) {
  static const std::vector<T> parts = partsInRange<T>();
  auto *numbers = static_cast<T *>(array.mutable_data());
  for (size_t i = 0; i < size_t(array.size_bytes()) / sizeof(T); ++i)
    numbers[i] = parts[random() % parts.size()];
}

template <typename T> std::complex<double> at(const Literal &array, size_t i) {
  const auto *numbers = static_cast<const T *>(array.untyped_data());
  return {numbers[2 * i], numbers[2 * i + 1]};
}

template <typename T> class Agreement {
public:
  explicit Agreement(bool eachPart) : eachPart_(eachPart) {}

  bool operator()(std::complex<double> got, std::complex<double> right) const {
    double modulus = std::hypot(right.real(), right.imag());
    // Where terms may cancel, a part beside an infinite one may be anything.
    if (!eachPart_ && (std::isinf(right.real()) || std::isinf(right.imag())))
      return std::isinf(got.real()) || std::isinf(got.imag());
    // The sign of an infinity beside NaN is left open.
    bool open = std::isnan(right.real()) || std::isnan(right.imag());
    return part(got.real(), right.real(), modulus, open) && part(got.imag(), right.imag(), modulus, open);
  }

private:
  bool part(double got, double right, double modulus, bool open) const {
    if (!std::isfinite(got) || !std::isfinite(right))
      return (std::isnan(got) && std::isnan(right)) ||
             (std::isinf(got) && std::isinf(right) && (open || std::signbit(got) == std::signbit(right)));
    double relative = std::sqrt(double(std::numeric_limits<T>::epsilon())) * 1e-2;
    double scale = eachPart_ ? std::fabs(right) : modulus;
    return std::fabs(got - right) <= scale * relative + 4 * double(std::numeric_limits<T>::denorm_min());
  }

  bool eachPart_;
};

class ComplexRangeTest : public ::testing::TestWithParam<Case> {
protected:
  static std::string programOf(const Case &one, int64_t size) {
    std::string type = "tensor<" + std::to_string(size) + "xcomplex<" + one.element + ">>", arguments, names, types;
    for (int i = 0; i < one.operands; ++i) {
      std::string comma = i ? ", " : "", name = "%x" + std::to_string(one.isSquare ? 0 : i);
      if (!i || !one.isSquare)
        arguments.append(comma).append(name).append(": ").append(type);
      names.append(comma).append(name);
      types.append(comma).append(type);
    }
    return "func.func @main(" + arguments + ") -> " + type + " {\n  %r = \"" + one.op + "\"(" + names + ") : (" +
           types + ") -> " + type + "\n  return %r : " + type + "\n}\n";
  }

  template <typename T> static void check(const Case &one) {
    constexpr int64_t kSize = 20000;
    std::string text = programOf(one, kSize);
    auto native = tenon::testing::compileAndLoad(text, {});
    ASSERT_TRUE(native.ok()) << native.status().message();
    std::vector<Literal> inputs = tenon::testing::randomInputs((*native)->program());
    std::mt19937_64 random(1);
    for (Literal &input : inputs)
      fill<T>(input, random);
    auto got = tenon::testing::runNative(**native, inputs);
    ASSERT_TRUE(got.ok()) << got.status().message();
    auto right = tenon::testing::runReference(text, inputs, (*native)->program());
    ASSERT_TRUE(right.ok()) << right.status().message();
    Agreement<T> agrees(one.eachPart);
    int shown = 0;
    for (size_t i = 0; i < kSize && shown < 5; ++i) {
      if (agrees(at<T>((*got)[0], i), at<T>((*right)[0], i)))
        continue;
      ++shown;
      ADD_FAILURE() << one.op << " of " << at<T>(inputs[0], i) << (one.operands > 1 ? " and " : "")
                    << at<T>(inputs.back(), i) << " gives " << at<T>((*got)[0], i) << ", right is "
                    << at<T>((*right)[0], i);
    }
  }
};

TEST_P(ComplexRangeTest, AgreesWithTheInterpreter) {
  GetParam().element == "f64" ? check<double>(GetParam()) : check<float>(GetParam());
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char *element : {"f32", "f64"}) {
    for (const char *op : {"stablehlo.exponential",
                           "stablehlo.exponential_minus_one",
                           "stablehlo.log",
                           "stablehlo.log_plus_one",
                           "stablehlo.logistic",
                           "stablehlo.sine",
                           "stablehlo.cosine",
                           "stablehlo.tan",
                           "stablehlo.tanh",
                           "stablehlo.sqrt",
                           "stablehlo.rsqrt",
                           "stablehlo.cbrt",
                           "stablehlo.sign",
                           "chlo.square",
                           "chlo.sinh",
                           "chlo.cosh",
                           "chlo.asin",
                           "chlo.acos",
                           "chlo.atan",
                           "chlo.asinh",
                           "chlo.acosh",
                           "chlo.atanh"})
      all.push_back({op, element});
    for (const char *op : {"stablehlo.add", "stablehlo.subtract"})
      all.push_back({op, element, 2});
    for (const char *op : {"stablehlo.multiply", "stablehlo.divide"})
      all.push_back({op, element, 2, false});
    all.push_back({"stablehlo.multiply", element, 2, false, true});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Functions, ComplexRangeTest, ::testing::ValuesIn(cases()), [](const auto &info) {
  std::string name = info.param.op + (info.param.isSquare ? "_square_" : "_") + info.param.element;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

} // namespace
