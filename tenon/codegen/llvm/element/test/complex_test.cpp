// Complex functions against long double, and their values at infinities and zeros.
#include "tenon/codegen/llvm/element/test/element_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

namespace tenon::codegen::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;
using Real = long double;
using Exact = std::complex<Real>;

template <typename T> std::vector<T> makeParts(double range, size_t count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-range, range), exponent(-20, 1);
  std::vector<T> parts;
  for (size_t i = 0; i < count; ++i) {
    parts.push_back(T(uniform(random)));
    parts.push_back(T(uniform(random) * (i % 4 ? 1 : std::exp2(exponent(random)))));
  }
  return parts;
}

template <typename T> const char *typeName() { return sizeof(T) == 4 ? "complex<f32>" : "complex<f64>"; }

// Distance relative to the modulus, in units of the type's epsilon.
template <typename T> double normwiseError(T re, T im, Exact exact) {
  Real scale = std::abs(exact) * std::numeric_limits<T>::epsilon();
  Real distance = std::abs(Exact(re, im) - exact);
  return scale > 0 ? double(distance / scale) : distance == 0 ? 0 : INFINITY;
}

using Function = Exact (*)(const Exact &);
struct Case {
  const char *name;
  Function reference;
  double range;
  double limitF32, limitF64;
};

Exact square(const Exact &z) { return z * z; }
Exact expm1(const Exact &z) {
  Real h = std::sin(z.imag() / 2), re = std::expm1(z.real());
  return {re * std::cos(z.imag()) - 2 * h * h, std::exp(z.real()) * std::sin(z.imag())};
}
Exact log1p(const Exact &z) {
  Real x = z.real(), y = z.imag();
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}
Exact logistic(const Exact &z) { return Real(1) / (Real(1) + std::exp(-z)); }
Exact rsqrt(const Exact &z) { return Real(1) / std::sqrt(z); }
Exact cbrt(const Exact &z) { return std::polar(std::cbrt(std::abs(z)), std::arg(z) / 3); }
Exact sign(const Exact &z) { return z / std::abs(z); }

const Case kCases[] = {
    {"stablehlo.exponential", std::exp, 50, 1, 2},
    {"stablehlo.exponential_minus_one", expm1, 3, 2, 8},
    {"stablehlo.log", std::log, 3, 1, 4},
    {"stablehlo.log_plus_one", log1p, 0.9, 1, 4},
    {"stablehlo.logistic", logistic, 3, 4, 16},
    {"stablehlo.sine", std::sin, 20, 1, 4},
    {"stablehlo.cosine", std::cos, 20, 1, 4},
    {"stablehlo.tan", std::tan, 3, 2, 64},
    {"stablehlo.tanh", std::tanh, 3, 2, 64},
    {"stablehlo.sqrt", std::sqrt, 100, 1, 4},
    {"stablehlo.rsqrt", rsqrt, 100, 1, 4},
    {"stablehlo.cbrt", cbrt, 100, 1, 4},
    {"stablehlo.sign", sign, 100, 1, 2},
    {"stablehlo.negate", [](const Exact &z) { return -z; }, 100, 0, 0},
    {"chlo.square", square, 100, 2, 2},
    {"chlo.sinh", std::sinh, 20, 1, 4},
    {"chlo.cosh", std::cosh, 20, 1, 4},
    {"chlo.asin", std::asin, 5, 1, 16},
    {"chlo.acos", std::acos, 5, 1, 16},
    {"chlo.atan", std::atan, 5, 1, 16},
    {"chlo.asinh", std::asinh, 5, 1, 16},
    {"chlo.acosh", std::acosh, 5, 1, 16},
    {"chlo.atanh", std::atanh, 5, 1, 16},
};

class ComplexUnary : public ::testing::TestWithParam<Case> {};

template <typename T> void check(const Case &c, double limit) {
  std::vector<T> in = makeParts<T>(c.range, 4000);
  auto out = fromBytes<T>(runUnary(c.name, typeName<T>(), toBytes(in), 8));
  double worst = 0;
  Exact at;
  for (size_t i = 0; i < in.size(); i += 2) {
    Exact z(in[i], in[i + 1]);
    double error = normwiseError(out[i], out[i + 1], c.reference(z));
    if (!(error <= worst)) {
      worst = error;
      at = z;
    }
  }
  EXPECT_LE(worst, limit) << c.name << " " << typeName<T>() << " at " << at;
  auto scalar = fromBytes<T>(runUnary(c.name, typeName<T>(), toBytes(in), 1));
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_TRUE(out[i] == scalar[i] || (std::isnan(out[i]) && std::isnan(scalar[i]))) << c.name << " at " << in[i];
}

TEST_P(ComplexUnary, Float) { check<float>(GetParam(), GetParam().limitF32); }
TEST_P(ComplexUnary, Double) { check<double>(GetParam(), GetParam().limitF64); }

INSTANTIATE_TEST_SUITE_P(ElementComplex, ComplexUnary, ::testing::ValuesIn(kCases), [](const auto &info) {
  std::string name = info.param.name;
  return name.substr(name.find('.') + 1);
});

TEST(ElementComplex, Binary) {
  std::vector<double> a = makeParts<double>(10, 2000), b = makeParts<double>(3, 2000);
  std::reverse(b.begin(), b.end());
  auto run = [&](const char *name) {
    return fromBytes<double>(runBinary(name, "complex<f64>", toBytes(a), toBytes(b), 4));
  };
  auto quotient = run("stablehlo.divide"), product = run("stablehlo.multiply"), power = run("stablehlo.power");
  for (size_t i = 0; i < a.size(); i += 2) {
    Exact x(a[i], a[i + 1]), y(b[i], b[i + 1]);
    ASSERT_LE(normwiseError(quotient[i], quotient[i + 1], x / y), 4) << x << " / " << y;
    ASSERT_LE(normwiseError(product[i], product[i + 1], x * y), 2);
    ASSERT_LE(normwiseError(power[i], power[i + 1], std::pow(x, y)), 64) << x << " ^ " << y;
  }
}

// As the interpreter, and NumPy but for negative exponents, where it has NaN.
TEST(ElementComplex, ZeroToAPower) {
  std::vector<double> zeros(10), exponents = {0, 0, 0.5, -0.5, -1, 0, -0.1, -0.5, 0, 1};
  auto powers = fromBytes<double>(runBinary("stablehlo.power", "complex<f64>", toBytes(zeros), toBytes(exponents), 5));
  EXPECT_THAT(powers, ElementsAre(1, 0, 0, 0, INFINITY, 0, IsNan(), IsNan(), IsNan(), IsNan()));
}

// As the C library has it: each direction of infinity has its angle, and zeros stay beside NaN.
TEST(ElementComplex, InverseFunctionsAtInfinity) {
  std::vector<double> in;
  for (double re : std::vector<double>{INFINITY, -INFINITY, 2, -2, 0.0, -0.0, NAN})
    for (double im : std::vector<double>{INFINITY, -INFINITY, 2, 0.0, -0.0, NAN})
      if (std::isinf(re) || std::isinf(im))
        in.insert(in.end(), {re, im});
  std::pair<const char *, std::complex<double> (*)(const std::complex<double> &)> functions[] = {
      {"chlo.asin", std::asin},   {"chlo.acos", std::acos},   {"chlo.atan", std::atan},
      {"chlo.asinh", std::asinh}, {"chlo.acosh", std::acosh}, {"chlo.atanh", std::atanh}};
  auto same = [](double x, double y) { // infinities beside NaN have no sign
    return std::isnan(y) ? std::isnan(x) : std::isinf(y) ? std::isinf(x) : std::abs(x - y) < 1e-15;
  };
  for (auto [name, function] : functions) {
    auto out = fromBytes<double>(runUnary(name, "complex<f64>", toBytes(in), 4));
    for (size_t i = 0; i < in.size(); i += 2) {
      std::complex<double> z(in[i], in[i + 1]), expected = function(z), result(out[i], out[i + 1]);
      EXPECT_TRUE(same(result.real(), expected.real()) && same(result.imag(), expected.imag()))
          << name << z << " = " << expected << ", not " << result;
      if (!std::isnan(z.real()) && !std::isnan(z.imag())) {
        EXPECT_EQ(std::signbit(result.real()), std::signbit(expected.real())) << name << z;
        EXPECT_EQ(std::signbit(result.imag()), std::signbit(expected.imag())) << name << z;
      }
    }
  }
  std::vector<double> zeros{0.0, NAN, -0.0, NAN};
  for (const char *name : {"chlo.asin", "chlo.atanh"})
    EXPECT_THAT(fromBytes<double>(runUnary(name, "complex<f64>", toBytes(zeros), 2)),
                ElementsAre(0, IsNan(), 0, IsNan()));
}

// As those of real numbers, whatever the order of operands.
TEST(ElementComplex, ZerosOfEqualNumbersAreOrdered) {
  std::vector<float> a = {-0.0F, 0, 0, -0.0F}, b = {0, -0.0F, -0.0F, 0};
  auto signs = [&](const char *op) {
    auto got = fromBytes<float>(runBinary(op, "complex<f32>", toBytes(a), toBytes(b), 2));
    EXPECT_THAT(got, ElementsAre(0, 0, 0, 0));
    return std::vector<bool>{std::signbit(got[0]), std::signbit(got[1]), std::signbit(got[2]), std::signbit(got[3])};
  };
  EXPECT_THAT(signs("stablehlo.maximum"), ElementsAre(false, false, false, false));
  EXPECT_THAT(signs("stablehlo.minimum"), ElementsAre(true, true, true, true));
  std::vector<float> low = {-5, 0.0F}, x = {-5, -0.0F}, high = {-5, 0.0F};
  auto clamped = fromBytes<float>(runElementwise("%r = stablehlo.clamp %0, %1, %2 : tensor<complex<f32>>",
                                                 {"complex<f32>", "complex<f32>", "complex<f32>"}, "complex<f32>",
                                                 {toBytes(low), toBytes(x), toBytes(high)}, 1));
  EXPECT_EQ(clamped[0], -5);
  EXPECT_FALSE(std::signbit(clamped[1]));
}

TEST(ElementComplex, DivisionOfExtremes) {
  const double kMax = std::numeric_limits<double>::max(), kTiny = 5e-324;
  std::vector<double> a = {kMax, kMax, kTiny, kTiny, 1e300, 1e300, 1, 1, INFINITY, 0, 1, 0, 3, 4};
  std::vector<double> b = {kMax, kMax, kTiny, kTiny, 1e-8, 1e-8, INFINITY, 0, 2, 0, 0, 0, 1e-310, 0};
  auto got = fromBytes<double>(runBinary("stablehlo.divide", "complex<f64>", toBytes(a), toBytes(b), 2));
  EXPECT_EQ(got[0], 1);
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(got[2], 1);
  EXPECT_EQ(got[3], 0);
  EXPECT_NEAR(got[4] / 1e308, 1, 1e-14);
  EXPECT_EQ(got[5], 0);
  EXPECT_TRUE(got[6] == 0 && got[7] == 0);
  EXPECT_TRUE(std::isinf(got[8]));
  EXPECT_TRUE(std::isinf(got[10]));
  EXPECT_TRUE(std::isinf(got[12]));
}

TEST(ElementComplex, ModulusDoesNotOverflow) {
  std::vector<double> in = {3e300, 4e300, 3e-310, 4e-310, INFINITY, NAN, NAN, 1, 0, -0.0};
  auto got = fromBytes<double>(runElementwise("%r = stablehlo.abs %0 : (tensor<complex<f64>>) -> tensor<f64>",
                                              {"complex<f64>"}, "f64", {toBytes(in)}, 4));
  EXPECT_NEAR(got[0] / 5e300, 1, 1e-15);
  EXPECT_NEAR(got[1] / 5e-310, 1, 1e-12);
  EXPECT_EQ(got[2], INFINITY);
  EXPECT_TRUE(std::isnan(got[3]));
  EXPECT_EQ(got[4], 0);
}

// As that of doubles, rounded: at both ends of the range, where squares of floats over- and underflow, and between.
TEST(ElementComplex, ModulusOfFloatsIsRoundedOnce) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> parts = {
      0.0F,    -0.0F, 1e-45F,   -1e-45F,  1.2e-38F, 1e-30F,  0x1p-50F,       0x1.8p-51F, -0x1p-63F, 3,  -4,
      0x1p62F, 1e19F, 0x1p127F, -3.4e38F, 1.5F,     0x1p63F, 0x1.23456p-20F, infinity,   -infinity, nan};
  for (int i = 0; i < 43; ++i)
    parts.push_back(std::sin(float(i)) * std::exp2(float(i) / 3 - 7));
  std::vector<float> in;
  for (float re : parts)
    for (float im : parts)
      in.insert(in.end(), {re, im});
  for (unsigned lanes : {1U, 8U}) {
    auto got = fromBytes<float>(runElementwise("%r = stablehlo.abs %0 : (tensor<complex<f32>>) -> tensor<f32>",
                                               {"complex<f32>"}, "f32", {toBytes(in)}, lanes));
    ASSERT_EQ(got.size(), in.size() / 2);
    for (size_t i = 0; i < got.size(); ++i) {
      double re = in[2 * i], im = in[2 * i + 1];
      auto expected = float(std::hypot(re, im));
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got[i])) << re << ' ' << im;
      else
        EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(expected)) << re << ' ' << im;
    }
  }
}

TEST(ElementComplex, QuotientsOfFloatsAreExactWhereTheyMayBe) {
  std::vector<float> x, y;
  for (int i = 1; i < 100; ++i)
    for (int j = 1; j < 20; ++j) {
      x.insert(x.end(), {float(i * j), float(-2 * i * j)});
      y.insert(y.end(), {float(j), 0.0F});
    }
  auto got =
      fromBytes<float>(runElementwise("%r = stablehlo.divide %0, %1 : tensor<complex<f32>>",
                                      {"complex<f32>", "complex<f32>"}, "complex<f32>", {toBytes(x), toBytes(y)}, 4));
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], x[i] / y[i / 2 * 2]);
}

TEST(ElementComplex, PartsAndConstruction) {
  std::vector<float> in = {1, 2, 3, 4, 5, 6};
  auto part = [&](const char *name) {
    return fromBytes<float>(
        runElementwise(std::string("%r = stablehlo.") + name + " %0 : (tensor<complex<f32>>) -> tensor<f32>",
                       {"complex<f32>"}, "f32", {toBytes(in)}, 2));
  };
  EXPECT_EQ(part("real"), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(part("imag"), (std::vector<float>{2, 4, 6}));
  auto made = runElementwise("%r = stablehlo.complex %0, %1 : tensor<complex<f32>>", {"f32", "f32"}, "complex<f32>",
                             {toBytes(part("real")), toBytes(part("imag"))}, 2);
  EXPECT_EQ(fromBytes<float>(made), in);
}

TEST(ElementComplex, Infinities) {
  std::vector<double> in = {-INFINITY, INFINITY, INFINITY, 0, -INFINITY, 1, 0, 0};
  auto exponential = fromBytes<double>(runUnary("stablehlo.exponential", "complex<f64>", toBytes(in), 4));
  EXPECT_TRUE(exponential[0] == 0 && exponential[1] == 0);
  EXPECT_TRUE(exponential[2] == INFINITY && exponential[3] == 0);
  EXPECT_TRUE(exponential[4] == 0 && exponential[5] == 0);
  auto root = fromBytes<double>(runUnary("stablehlo.sqrt", "complex<f64>", toBytes(in), 4));
  EXPECT_TRUE(root[0] == INFINITY && root[1] == INFINITY);
  EXPECT_TRUE(root[2] == INFINITY && root[3] == 0);
  EXPECT_TRUE(root[4] == 0 && root[5] == INFINITY);
  EXPECT_TRUE(root[6] == 0 && root[7] == 0);
  auto logarithm = fromBytes<double>(runUnary("stablehlo.log", "complex<f64>", toBytes(in), 4));
  EXPECT_EQ(logarithm[6], -INFINITY);
  EXPECT_EQ(logarithm[4], INFINITY);
  EXPECT_NEAR(logarithm[5], M_PI, 1e-15);
}

// The exponential overflows, and its product with a subnormal sine does not.
TEST(ElementComplex, LargeExponentialsOfSubnormals) {
  std::vector<double> in = {937.2, -1.26e-311, 709.9, 5e-324, 1400, 5e-324, 1454, -5e-324, 800, 0, -937.2, 1.26e-311};
  std::pair<const char *, Function> functions[] = {{"stablehlo.exponential", std::exp},
                                                   {"stablehlo.exponential_minus_one", expm1},
                                                   {"chlo.sinh", std::sinh},
                                                   {"chlo.cosh", std::cosh}};
  for (auto [name, function] : functions) {
    auto out = fromBytes<double>(runUnary(name, "complex<f64>", toBytes(in), 6));
    for (size_t i = 0; i < in.size(); i += 2) {
      Exact z(in[i], in[i + 1]), exact = function(z);
      auto re = static_cast<double>(exact.real()), im = static_cast<double>(exact.imag());
      EXPECT_DOUBLE_EQ(out[i], re) << name << z;
      if (z.imag() != 0 || !std::isnan(im)) // infinity times zero, in the formula above
        EXPECT_DOUBLE_EQ(out[i + 1], im) << name << z;
    }
  }
}

// There the denominator is what is left of 1 - 1.
TEST(ElementComplex, LogisticBesideItsPoles) {
  std::vector<double> in = {0, M_PI, -1.3e-9, 3 * M_PI, 1e-15, -M_PI, -1e-300, M_PI};
  auto out = fromBytes<double>(runUnary("stablehlo.logistic", "complex<f64>", toBytes(in), 4));
  for (size_t i = 0; i < in.size(); i += 2) {
    Real x = in[i], y = in[i + 1], half = std::cos(y / 2);
    // 1 / (1 + e^-z), with e^-x - 1 and 1 + cos y as they are exact.
    Exact sum(2 * half * half + std::expm1(-x) * std::cos(y), -std::exp(-x) * std::sin(y)), exact = Real(1) / sum;
    EXPECT_LE(normwiseError(out[i], out[i + 1], exact), 4) << x << " + i " << y;
  }
}

} // namespace
} // namespace tenon::codegen::testing
