// Functions of two arguments: errors, the special cases of IEEE 754, exact remainders.
#include "tenon/codegen/llvm/math/math.h"
#include "tenon/codegen/llvm/math/testing/accuracy.h"
#include "tenon/codegen/llvm/math/testing/harness.h"

#include "gtest/gtest.h"

namespace tenon::codegen::math {
namespace {

using Real = long double;

template <typename T> struct Pairs {
  std::vector<T> a, b;
};

// All pairs of special values, and random ones.
template <typename T> Pairs<T> makePairs(double lowA, double highA, double lowB, double highB) {
  std::vector<T> a = makeSamples<T>(lowA, highA, 1 << 16, 1), b = makeSamples<T>(lowB, highB, 1 << 16, 2);
  Pairs<T> pairs;
  for (int i = 0; i < 160; ++i)
    for (int j = 0; j < 160; ++j) {
      pairs.a.push_back(a[i]);
      pairs.b.push_back(b[j]);
    }
  std::mt19937 random(3);
  for (T value : a) {
    pairs.a.push_back(value);
    pairs.b.push_back(b[random() % b.size()]);
  }
  while (pairs.a.size() % 16) {
    pairs.a.push_back(1);
    pairs.b.push_back(1);
  }
  return pairs;
}

template <typename T>
void checkBinary(const char *name, F (*function)(F, F), Real (*reference)(Real, Real), const Pairs<T> &in,
                 double limit) {
  constexpr bool kDouble = sizeof(T) == 8;
  testing::Jit jit;
  std::vector<T> out(in.a.size()), scalar(in.a.size());
  int64_t count = in.a.size();
  compileBinary(jit, "wide", function, kDouble, kDouble ? 8 : 16)(in.a.data(), in.b.data(), out.data(), count);
  compileBinary(jit, "scalar", function, kDouble, 1)(in.a.data(), in.b.data(), scalar.data(), count);
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_TRUE(sameBits(out[i], scalar[i])) << name << std::hexfloat << " at " << in.a[i] << ", " << in.b[i];
    double error = ulpError(out[i], reference(in.a[i], in.b[i]));
    if (error > worst) {
      worst = error;
      at = i;
    }
  }
  EXPECT_LE(worst, limit) << name << (kDouble ? " f64" : " f32") << std::hexfloat << " at " << in.a[at] << ", "
                          << in.b[at] << ": " << out[at];
}

TEST(MathBinary, Pow) {
  checkBinary<float>("pow", pow, std::pow, makePairs<float>(0, 20, -30, 30), 1);
  checkBinary<double>("pow", pow, std::pow, makePairs<double>(0, 20, -30, 30), 1);
  checkBinary<float>("pow", pow, std::pow, makePairs<float>(-3e38, 3e38, -3e38, 3e38), 1);
  checkBinary<double>("pow", pow, std::pow, makePairs<double>(-1e300, 1e300, -10, 10), 1);
}

TEST(MathBinary, PowNearOverflow) {
  checkBinary<float>("pow", pow, std::pow, makePairs<float>(1.9, 2.1, 120, 130), 1);
  checkBinary<double>("pow", pow, std::pow, makePairs<double>(1.9, 2.1, -1100, 1100), 1);
  checkBinary<double>("pow", pow, std::pow, makePairs<double>(0.9999, 1.0001, -1e6, 1e6), 1);
}

TEST(MathBinary, Atan2) {
  checkBinary<float>("atan2", atan2, std::atan2, makePairs<float>(-10, 10, -10, 10), 1);
  checkBinary<double>("atan2", atan2, std::atan2, makePairs<double>(-10, 10, -10, 10), 2);
  checkBinary<float>("atan2", atan2, std::atan2, makePairs<float>(-3e38, 3e38, -3e38, 3e38), 1);
  checkBinary<double>("atan2", atan2, std::atan2, makePairs<double>(-1e300, 1e300, -1e300, 1e300), 2);
}

TEST(MathBinary, FmodIsExact) {
  checkBinary<float>("fmod", fmod, std::fmod, makePairs<float>(-100, 100, -10, 10), 0);
  checkBinary<double>("fmod", fmod, std::fmod, makePairs<double>(-100, 100, -10, 10), 0);
  checkBinary<float>("fmod", fmod, std::fmod, makePairs<float>(-3e38, 3e38, -3e38, 3e38), 0);
  checkBinary<double>("fmod", fmod, std::fmod, makePairs<double>(-1e300, 1e300, -1e300, 1e300), 0);
}

TEST(MathBinary, NextAfter) {
  auto nextFloat = [](Real a, Real b) -> Real { return std::nextafter((float)a, (float)b); };
  auto nextDouble = [](Real a, Real b) -> Real { return std::nextafter((double)a, (double)b); };
  checkBinary<float>("nextafter", nextAfter, nextFloat, makePairs<float>(-10, 10, -10, 10), 0);
  checkBinary<double>("nextafter", nextAfter, nextDouble, makePairs<double>(-10, 10, -10, 10), 0);
}

// A constant exponent takes other code.
TEST(MathBinary, PowOfConstantExponents) {
  std::vector<double> in = makeSamples<double>(-20, 20, 1 << 10), out(in.size());
  for (double exponent : {-1.0, 0.5, 1.0, 2.0, 3.0, 0.0}) {
    testing::Jit jit;
    auto body = [&](F x) { return pow(x, constant(x, exponent)); };
    compileUnary(jit, "pow", body, true, 8)(in.data(), out.data(), in.size());
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_LE(ulpError(out[i], std::pow((Real)in[i], (Real)exponent)), 1) << in[i] << " ^ " << exponent;
  }
}

// The same function of doubles, which floats have in fewer terms where all powers are in range.
template <F (*Function)(F, F)> Real inDouble(Real a, Real b) {
  static testing::Jit jit;
  static auto *compiled = compileBinary(jit, "double", Function, true, 1);
  double x = double(a), y = double(b), result = 0;
  compiled(&x, &y, &result, 1);
  return result;
}

TEST(MathBinary, ZetaAndPolygammaOfFloats) {
  checkBinary<float>("zeta", zeta, inDouble<zeta>, makePairs<float>(-2, 40, -6, 60), 0.51);
  checkBinary<float>("zeta", zeta, inDouble<zeta>, makePairs<float>(1, 1.5, 0, 2), 0.51);
  checkBinary<float>("zeta", zeta, inDouble<zeta>, makePairs<float>(1, 3e38, 0, 3e38), 0.51);
  auto wholeFirst = [](Pairs<float> pairs) {
    for (float &n : pairs.a)
      n = std::floor(n);
    return pairs;
  };
  // Negative second arguments have finite results for whole first ones only.
  checkBinary<float>("zeta", zeta, inDouble<zeta>, wholeFirst(makePairs<float>(1, 8, -9, 0)), 0.51);
  checkBinary<float>("zeta", zeta, inDouble<zeta>, wholeFirst(makePairs<float>(2, 90, -0.6, -0.4)), 0.51);
  checkBinary<float>("zeta", zeta, inDouble<zeta>, wholeFirst(makePairs<float>(2, 20, -1000, 0)), 0.51);
  Pairs<float> pairs = wholeFirst(makePairs<float>(-2, 200, -6, 60));
  checkBinary<float>("polygamma", polygamma, inDouble<polygamma>, pairs, 0.51);
}

// Zeta of 16 floats where that of doubles, which floats have where short sums are not good enough, gives zero.
F zetaWithoutDoubles(F x, F q) {
  F y = zeta(x, q);
  llvm::Function *doubles = y.b->GetInsertBlock()->getModule()->getFunction("tenon.math.zeta.v16f64");
  doubles->deleteBody();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(doubles->getContext(), "entry", doubles));
  builder.CreateRet(llvm::Constant::getNullValue(doubles->getReturnType()));
  return y;
}

std::vector<float> zetasOfFloats(F (*function)(F, F), const std::vector<float> &x, const std::vector<float> &q) {
  testing::Jit jit;
  std::vector<float> result(x.size());
  compileBinary(jit, "zetas", function, false, 16)(x.data(), q.data(), result.data(), int64_t(x.size()));
  return result;
}

TEST(MathBinary, ZetaOfFloatsAtNegativePlacesTakesShortSums) {
  std::vector<float> x, q;
  for (int i = 0; i < 1600; ++i) {
    x.push_back(float(2 + i % 9));
    q.push_back(-0.00501F * float(i + 1));
  }
  std::vector<float> expected = zetasOfFloats(zeta, x, q), found = zetasOfFloats(zetaWithoutDoubles, x, q);
  unsigned others = 0;
  for (size_t i = 0; i < x.size(); ++i)
    others += !sameBits(found[i], expected[i]);
  EXPECT_LE(others, x.size() / 50);
  EXPECT_GT(others, 0U);
}

TEST(MathBinary, ZetaOfFloatsIsSpecialWithoutDoubles) {
  std::vector<float> x{2.5F, 2, 3, 1, 0.5F, NAN, 2, 2.5F, -3, 2, 3, 1, 1, NAN, 2, -INFINITY};
  std::vector<float> q{-0.5F, -1, -2, 3, 3, 1, NAN, 0, -0.5F, 0, -0.0F, -0.5F, NAN, NAN, -0.0F, 1};
  std::vector<float> expected = zetasOfFloats(zeta, x, q), found = zetasOfFloats(zetaWithoutDoubles, x, q);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_FALSE(std::isfinite(expected[i])) << x[i] << ", " << q[i];
    EXPECT_TRUE(sameBits(found[i], expected[i])) << x[i] << ", " << q[i];
  }
}

// Where terms cancel, what short sums lose counts.
TEST(MathBinary, ZetaOfFloatsThatCancelTakesDoubles) {
  std::vector<float> x(16, 5), q(16, -100.5F - 0x1p-17F);
  EXPECT_EQ(zetasOfFloats(zetaWithoutDoubles, x, q)[0], 0);
  EXPECT_NE(zetasOfFloats(zeta, x, q)[0], 0);
}

double zetaAt(double x, double q) {
  testing::Jit jit;
  double result;
  compileBinary(jit, "zeta", zeta, true, 1)(&x, &q, &result, 1);
  return result;
}
double polygammaAt(double n, double x) {
  testing::Jit jit;
  double result;
  compileBinary(jit, "polygamma", polygamma, true, 1)(&n, &x, &result, 1);
  return result;
}

// Values of mpmath.
TEST(MathBinary, ZetaAndPolygamma) {
  auto near = [](double got, double want) { EXPECT_NEAR(got / want, 1, 4e-15) << got << " for " << want; };
  near(zetaAt(2, 1), 1.6449340668482264365);
  near(zetaAt(3, 1), 1.2020569031595942854);
  near(zetaAt(1.5, 0.25), 10.21305536046660073888);
  near(zetaAt(40, 3.5), 1.727018297046345883783e-22);
  near(zetaAt(1.0001, 10), 9997.748500866487683157);
  near(zetaAt(1.5, 0x1.fffffffffffffp+1023), 1.4916681462400414e-154);
  near(polygammaAt(1, 1), 1.6449340668482264365);
  near(polygammaAt(2, 0.5), -16.828796644234319996);
  near(polygammaAt(3, 7.25), 0.006433037597940156658706);
  // Both sides of zero make up for each other.
  near(zetaAt(33, -2.5), 1.111381887630304034393e-18);
  near(zetaAt(33, -0x1.4000000000001p+1), 0.0005035400390625011415752);
  near(zetaAt(3, -0x1.4000000000001p+1), 0.05410202582090694421711);
  near(zetaAt(5, -1e-5), -9.999999999999995909847e+24);
  near(zetaAt(4, -1000000.25), 259.7575760906731659635);
  near(zetaAt(3, -1000000.5), 4.999990000013749985e-13);
  // Factorials out of range; the logarithms cost some digits.
  auto nearLarge = [](double got, double want) { EXPECT_NEAR(got / want, 1, 1e-11) << got << " for " << want; };
  nearLarge(polygammaAt(32, -2.5), -292438846245110037.5);
  nearLarge(polygammaAt(171, 60), 1896.2946408125740267);
  nearLarge(polygammaAt(200, 70.5), -2737.36744094806227425);
  nearLarge(polygammaAt(1000, 300), -1.0521717652801777981e+88);
  nearLarge(polygammaAt(5000, 1900), -4.0914826231551585609e-72);
  EXPECT_EQ(polygammaAt(28672, 28672), 0);
  EXPECT_EQ(polygammaAt(171, 1), INFINITY);
  EXPECT_EQ(polygammaAt(172, 1), -INFINITY);
  EXPECT_EQ(polygammaAt(171, INFINITY), 0);
  EXPECT_EQ(polygammaAt(1.5e308, INFINITY), 0);
  EXPECT_EQ(polygammaAt(171, -0.5), INFINITY);
  EXPECT_EQ(polygammaAt(2000, -0.3), INFINITY);
  EXPECT_EQ(polygammaAt(2000, -0.7), -INFINITY);
  EXPECT_EQ(polygammaAt(1e300, 1.5), -INFINITY);
  EXPECT_EQ(polygammaAt(1e308, 10), -INFINITY);
  EXPECT_EQ(polygammaAt(3584, -1.5), -INFINITY);
  EXPECT_EQ(zetaAt(2001, -0.3), -INFINITY);
  EXPECT_EQ(zetaAt(2001, -1.5), 0);
  EXPECT_TRUE(std::isinf(zetaAt(1, 2)));
  EXPECT_TRUE(std::isnan(zetaAt(0.5, 2)));
  EXPECT_TRUE(std::isinf(zetaAt(2, 0)));
  EXPECT_TRUE(std::isnan(zetaAt(2.5, -1.5)));
  EXPECT_TRUE(std::isnan(polygammaAt(-1, 2)));
  EXPECT_TRUE(std::isnan(polygammaAt(1.5, 2)));
  EXPECT_TRUE(std::isnan(polygammaAt(INFINITY, 0.5)));
}

} // namespace
} // namespace tenon::codegen::math
