// Errors of the functions of one argument against long double, and agreement of vectors with scalars. The limits are
// those that math.h states. With TENON_ACCURACY in the environment, prints the
// table of errors.
#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/codegen/llvm/math/math.h"
#include "tenon/codegen/llvm/math/testing/accuracy.h"
#include "tenon/codegen/llvm/math/testing/harness.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <cfenv>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

namespace tenon::codegen::math {
namespace {

using Real = long double;

struct Range {
  double low, high;
};

struct UnaryCase {
  const char *name;
  F (*function)(F);
  Real (*reference)(Real);
  Range f32, f64;
  double limitF32, limitF64;
  // Where roots are ill-conditioned: errors relative to at least 1.
  bool nearRootsAbsolute = false;
};

Real logisticReference(Real x) { return 1 / (1 + std::exp(-x)); }
Real rsqrtReference(Real x) { return 1 / std::sqrt(x); }

Real erfInvReference(Real x) {
  Real a = std::fabs(x);
  if (!(a < 1))
    return a == 1 ? std::copysign(INFINITY, x) : NAN;
  if (a == 0)
    return x;
  Real complement = 1 - a, w = -std::log(complement * (1 + a));
  Real y = w < 5 ? std::sqrt(w) * 0.886L : std::sqrt(w - std::log(std::sqrt(3.14159L * w)));
  for (int i = 0; i < 12; ++i) {
    // Newton's step from whichever function is accurate, damped as Halley does.
    Real miss = a < 0.5 ? a - std::erf(y) : std::erfc(y) - complement;
    Real step = miss * 0.886226925452758013649L * std::exp(y * y);
    y += step / (1 + y * step);
  }
  return std::copysign(y, x);
}

// digamma(x) - digamma(r) for the positive root r, each term as a multiple of x - r, so that nothing cancels.
Real digammaNearRootReference(Real x) {
  constexpr Real kRoot = 1.46163214496836234117249642139L, kRootLow = 9.0163120932586959186e-20L;
  Real d = (x - kRoot) - kRootLow, result = 0, from = kRoot;
  for (; from < 40; from += 1)
    result += d / (from * (from + d));
  Real growth = std::log1p(d / from);
  auto power = [&](int k) { return std::pow(from, Real(-k)) * std::expm1(-k * growth); };
  return result + growth - power(1) / 2 - power(2) / 12 + power(4) / 120 - power(6) / 252 + power(8) / 240;
}

Real digammaReference(Real x) {
  if (std::isnan(x) || (x <= 0 && std::floor(x) == x))
    return NAN;
  Real result = 0;
  if (x < 0) {
    result = -1 / x - M_PIl / std::tan(M_PIl * (x - std::rint(x)));
    x = -x;
  }
  if (std::isinf(x))
    return x;
  for (; x < 40; x += 1)
    result -= 1 / x;
  Real i = 1 / (x * x);
  return result + std::log(x) - 0.5L / x - i * (1.0L / 12 - i * (1.0L / 120 - i * (1.0L / 252 - i / 240)));
}

Real besselI1eReference(Real x) {
  Real a = std::fabs(x), sum = 0, term = a / 2;
  for (int k = 0; k < 500; ++k) {
    sum += term;
    term *= a * a / 4 / ((k + 1.0L) * (k + 2.0L));
  }
  return std::isnan(x) ? x : std::copysign(std::isinf(a) ? 0 : sum * std::exp(-a), x);
}

const UnaryCase kCases[] = {
    {"exp", exp, std::exp, {-200, 92}, {-1500, 720}, 1, 1},
    {"expm1", expm1, std::expm1, {-30, 92}, {-50, 720}, 1, 1},
    {"logistic", logistic, logisticReference, {-110, 30}, {-760, 60}, 1, 1},
    {"logistic_far_down", logistic, logisticReference, {-38.45, -38.43}, {-38.45, -38.43}, 1, 1},
    {"log", log, std::log, {0, 3e38}, {0, 1e300}, 1, 1},
    {"log_near_one", log, std::log, {0.5, 2}, {0.5, 2}, 1, 1},
    {"log1p", log1p, std::log1p, {-1, 3e38}, {-1, 1e300}, 1, 1},
    {"log1p_small", log1p, std::log1p, {-1, 3}, {-1, 3}, 1, 1},
    {"tanh", tanh, std::tanh, {-12, 12}, {-24, 24}, 1, 1.5},
    {"tanh_near_one", tanh, std::tanh, {0.9, 1}, {0.9, 1}, 1, 1.5},
    {"tanh_small", tanh, std::tanh, {-1.2, 1.2}, {-1, 1}, 1, 1.5},
    {"sinh", sinh, std::sinh, {-92, 92}, {-712, 712}, 0.8, 2},
    {"sinh_small", sinh, std::sinh, {-2, 2}, {-2, 2}, 0.8, 2},
    {"cosh", cosh, std::cosh, {-92, 92}, {-712, 712}, 0.8, 2},
    {"cosh_to_ten", cosh, std::cosh, {-11, 11}, {-11, 11}, 0.8, 2},
    {"sinh_to_ten", sinh, std::sinh, {-11, 11}, {-11, 11}, 0.8, 2},
    {"asinh", asinh, std::asinh, {-10, 10}, {-10, 10}, 1, 2},
    {"asinh_large", asinh, std::asinh, {-3e38, 3e38}, {-1e300, 1e300}, 1, 2},
    {"acosh", acosh, std::acosh, {0.9, 10}, {0.9, 10}, 1, 2},
    {"acosh_large", acosh, std::acosh, {1, 3e38}, {1, 1e300}, 1, 2},
    {"atanh", atanh, std::atanh, {-1.1, 1.1}, {-1.1, 1.1}, 1, 2},
    {"sin", sin, std::sin, {-100, 100}, {-100, 100}, 1, 1},
    {"sin_medium", sin, std::sin, {-1.3e5, 1.3e5}, {-1e9, 1e9}, 1, 1},
    {"sin_huge", sin, std::sin, {-3e38, 3e38}, {-1e18, 1e18}, 1, 1},
    {"cos", cos, std::cos, {-100, 100}, {-100, 100}, 1, 1},
    {"cos_medium", cos, std::cos, {-1.3e5, 1.3e5}, {-1e9, 1e9}, 1, 1},
    {"cos_huge", cos, std::cos, {-3e38, 3e38}, {-1e18, 1e18}, 1, 1},
    {"tan", tan, std::tan, {-100, 100}, {-100, 100}, 2, 2},
    {"tan_huge", tan, std::tan, {-3e38, 3e38}, {-1e18, 1e18}, 2, 2},
    {"asin", asin, std::asin, {-1.1, 1.1}, {-1.1, 1.1}, 1, 2},
    {"acos", acos, std::acos, {-1.1, 1.1}, {-1.1, 1.1}, 1, 2},
    {"atan", atan, std::atan, {-10, 10}, {-10, 10}, 1, 1},
    {"atan_small", atan, std::atan, {-1.5, 1.5}, {-1.5, 1.5}, 1, 1},
    {"atan_large", atan, std::atan, {-3e38, 3e38}, {-1e300, 1e300}, 1, 1},
    {"cbrt", cbrt, std::cbrt, {-3e38, 3e38}, {-1e300, 1e300}, 1, 1},
    {"rsqrt", rsqrt, rsqrtReference, {0, 3e38}, {0, 1e300}, 0.53, 1},
    {"rsqrt_far", rsqrt, rsqrtReference, {1e37, 3.4e38}, {1e300, 1e308}, 0.53, 1},
    {"rsqrt_subnormal", rsqrt, rsqrtReference, {0, 3e-38}, {0, 1e-307}, 0.53, 1},
    {"sqrt", sqrt, std::sqrt, {-1, 3e38}, {-1, 1e300}, 0.5001, 0.5001},
    {"erf", erf, std::erf, {-5, 5}, {-7, 7}, 1, 1.1},
    {"erf_middle", erf, std::erf, {0.8, 1.5}, {0.8, 1.5}, 1, 1.1},
    {"erfc", erfc, std::erfc, {-5, 11}, {-7, 28}, 1, 3},
    {"erf_inv", erfInv, erfInvReference, {-1.1, 1.1}, {-1.1, 1.1}, 1, 3},
    {"lgamma_positive", lgamma, std::lgamma, {0, 3e38}, {0, 1e300}, 1, 4},
    {"lgamma", lgamma, std::lgamma, {0, 30}, {0, 30}, 1, 4},
    {"lgamma_negative", lgamma, std::lgamma, {-9, 0}, {-9, 0}, 1, 32, true},
    {"digamma", digamma, digammaReference, {0, 100}, {0, 100}, 1, 8, true},
    {"digamma_root", digamma, digammaNearRootReference, {1.22, 1.7}, {1.22, 1.7}, 1, 4},
    {"digamma_negative", digamma, digammaReference, {-9, 0}, {-9, 0}, 1, 32, true},
    {"bessel_i1e", besselI1e, besselI1eReference, {-180, 180}, {-180, 180}, 1, 4},
    {"round_away", roundAwayFromZero, std::round, {-10, 10}, {-10, 10}, 0, 0},
    {"round_even", roundEven, std::rint, {-10, 10}, {-10, 10}, 0, 0},
    {"floor", floor, std::floor, {-10, 10}, {-10, 10}, 0, 0},
    {"ceil", ceil, std::ceil, {-10, 10}, {-10, 10}, 0, 0},
};

class Accuracy : public ::testing::TestWithParam<UnaryCase> {};

template <typename T> void checkUnary(const UnaryCase &c) {
  constexpr bool kDouble = sizeof(T) == 8;
  Range range = kDouble ? c.f64 : c.f32;
  double limit = kDouble ? c.limitF64 : c.limitF32;
  std::vector<T> in = makeSamples<T>(range.low, range.high, kDouble ? 1 << 17 : 1 << 18), out(in.size());
  testing::Jit jit;
  unsigned lanes = kDouble ? 8 : 16;
  compileUnary(jit, "wide", c.function, kDouble, lanes)(in.data(), out.data(), in.size());
  double worst = 0;
  T worstAt = 0;
  std::string_view name(c.name);
  bool inDomainOnly = name.starts_with("bessel") || name.starts_with("lgamma") || name == "digamma_root";
  for (size_t i = 0; i < in.size(); ++i) {
    if (inDomainOnly && !(in[i] >= range.low && in[i] <= range.high))
      continue; // the reference serves only there
    Real exact = c.reference(in[i]);
    double error = ulpError(out[i], exact);
    if (c.nearRootsAbsolute && std::isfinite(error) && std::fabs(exact) < 1)
      error = std::fabs(out[i] - exact) / std::numeric_limits<T>::epsilon();
    if (error > worst) {
      worst = error;
      worstAt = in[i];
    }
  }
  if (std::getenv("TENON_ACCURACY"))
    std::printf("%-18s %s %.3f ulp at %a\n", c.name, kDouble ? "f64" : "f32", worst, (double)worstAt);
  EXPECT_LE(worst, limit) << c.name << (kDouble ? " f64" : " f32") << " at " << std::hexfloat << worstAt;
  for (unsigned other : {1u, 4u}) {
    std::vector<T> again(in.size());
    compileUnary(jit, "lanes" + std::to_string(other), c.function, kDouble, other)(in.data(), again.data(), in.size());
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_TRUE(sameBits(out[i], again[i])) << c.name << ", " << other << " lanes, at " << std::hexfloat << in[i];
  }
}

TEST_P(Accuracy, Float) { checkUnary<float>(GetParam()); }
TEST_P(Accuracy, Double) { checkUnary<double>(GetParam()); }

// Inline, the lanes' slow path is longer than the fast one: 1,000 sines in one kernel took twice as long to compile.
TEST(Trigonometric, HugeLanesGoThroughOneFunction) {
  for (F (*function)(F) : {sin, cos, tan}) {
    testing::Jit jit;
    unsigned calls = 0;
    compileUnary(
        jit, "two",
        [&](F x) {
          F y = function(function(x));
          for (llvm::Instruction &instruction : llvm::instructions(*y.b->GetInsertBlock()->getParent()))
            if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
              calls += call->getCalledFunction()->getName().starts_with("tenon.math.");
          return y;
        },
        false, 4);
    EXPECT_EQ(calls, 2U);
  }
}

// The functions that a function of so many lanes calls for with AVX2, by name, whether called by itself or by those.
std::set<std::string> sharedFunctionsOf(F (*function)(F), bool isDouble, unsigned lanes) {
  testing::Jit jit("x86-64-v3");
  std::set<std::string> names;
  auto body = [&](F x) {
    F y = function(x);
    for (llvm::Function &other : *y.b->GetInsertBlock()->getModule())
      if (llvm::StringRef name = other.getName(); name.consume_front("tenon.math."))
        names.insert(name.str());
    return y;
  };
  compileUnary(jit, "caller", body, isDouble, lanes);
  return names;
}

TEST(Trigonometric, HugeFloatsAreReducedAllAtOnceAndDoublesOneByOne) {
  EXPECT_EQ(sharedFunctionsOf(sin, false, 8), std::set<std::string>{"sin_huge.v8f32"});
  EXPECT_EQ(sharedFunctionsOf(tan, false, 8), std::set<std::string>{"tan_huge.v8f32"});
  EXPECT_EQ(sharedFunctionsOf(sin, true, 4), (std::set<std::string>{"sin_huge.f64", "sin_huge.lanes.v4f64"}));
}

// Several registers by the function of one; what is no number of whole ones by its own.
TEST(Trigonometric, HugeNumbersAreReducedByRegisters) {
  EXPECT_EQ(sharedFunctionsOf(sin, false, 32), std::set<std::string>{"sin_huge.v8f32"});
  EXPECT_EQ(sharedFunctionsOf(sin, true, 16), (std::set<std::string>{"sin_huge.f64", "sin_huge.lanes.v4f64"}));
  EXPECT_EQ(sharedFunctionsOf(sin, false, 4), std::set<std::string>{"sin_huge.v4f32"});
}

// sinOrCos of four lanes, cosines in the even ones.
F everyOtherCosine(F x) {
  llvm::Constant *yes = x.b->getTrue(), *no = x.b->getFalse();
  return sinOrCos(x, {x.b, llvm::ConstantVector::get({yes, no, yes, no})});
}

template <typename T> std::vector<T> valuesOf(F (*function)(F), std::vector<T> samples) {
  constexpr unsigned kLanes = 4;
  testing::Jit jit;
  size_t size = samples.size();
  samples.resize(llvm::alignTo(size, kLanes)); // the loop takes whole vectors
  std::vector<T> values(samples.size());
  auto *loop = compileUnary(jit, "values", function, std::is_same_v<T, double>, kLanes);
  loop(samples.data(), values.data(), static_cast<int64_t>(samples.size()));
  values.resize(size);
  return values;
}

template <typename T> void checkLogarithmsOfUnit() {
  std::vector<T> samples;
  for (T x : makeSamples<T>(0, 1, 1 << 16))
    if (std::isnan(x) || (!std::signbit(x) && x <= 1))
      samples.push_back(x);
  std::vector<T> all = valuesOf<T>(log1p, samples), unit = valuesOf<T>(log1pOfUnit, samples);
  EXPECT_GT(samples.size(), 1U << 15);
  for (size_t i = 0; i < samples.size(); ++i)
    EXPECT_TRUE(sameBits(unit[i], all[i]) || (std::isnan(unit[i]) && std::isnan(all[i]))) << samples[i];
}

TEST(Logarithm, OfOneAndUpToOneHasTheSameBits) {
  checkLogarithmsOfUnit<float>();
  checkLogarithmsOfUnit<double>();
}

template <typename T> void checkSinesAndCosines() {
  std::vector<T> samples = makeSamples<T>(-1e30, 1e30, 4096);
  std::vector<T> sines = valuesOf<T>(sin, samples), cosines = valuesOf<T>(cos, samples);
  std::vector<T> mixed = valuesOf<T>(everyOtherCosine, samples);
  for (size_t i = 0; i < samples.size(); ++i)
    EXPECT_TRUE(sameBits(mixed[i], i % 2 ? sines[i] : cosines[i])) << samples[i];
}

TEST(Trigonometric, SinesBesideCosinesHaveTheSameBits) {
  checkSinesAndCosines<float>();
  checkSinesAndCosines<double>();
}

// How often each instruction or intrinsic stands in `function`, compiled for `cpu` with so many lanes of float.
std::map<std::string, unsigned> countInstructions(F (*function)(F), const char *cpu, unsigned lanes) {
  testing::Jit jit(cpu);
  std::map<std::string, unsigned> counts;
  auto body = [&](F x) {
    F y = function(x);
    for (llvm::Instruction &instruction : llvm::instructions(*y.b->GetInsertBlock()->getParent())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      counts[call ? call->getCalledFunction()->getName().str() : instruction.getOpcodeName()]++;
    }
    return y;
  };
  compileUnary(jit, "counted", body, false, lanes);
  return counts;
}

TEST(Piecewise, CoefficientsArePermutedInRegisters) {
  for (auto [function, tables] : {std::pair{&tanh, 10U}, {&erf, 9U}, {&erfc, 10U}}) {
    for (unsigned lanes : {2U, 4U, 8U})
      EXPECT_EQ(countInstructions(function, "x86-64-v3", lanes)["llvm.x86.avx2.permps"], tables) << lanes;
    EXPECT_EQ(countInstructions(function, "x86-64-v3", 16)["llvm.x86.avx2.permps"], 2 * tables);
    EXPECT_EQ(countInstructions(function, "x86-64-v3", 8)["fdiv"], 0U);
  }
}

TEST(Piecewise, CoefficientsAreLoadedWithoutSuchAnInstruction) {
  // The argument is one more.
  EXPECT_EQ(countInstructions(tanh, "x86-64-v3", 1)["load"], 11U);
  EXPECT_EQ(countInstructions(tanh, "x86-64-v2", 8)["llvm.x86.avx2.permps"], 0U);
}

class RowsOfFour final : public InstructionSet {
public:
  RowsOfFour() : InstructionSet("rows of four") {}
  unsigned rowFloats() const override { return 4; }
};

// The function on a chip that reads tables by rows, as GPUs do.
template <F (*function)(F)> F byRows(F x) {
  static const RowsOfFour instructions;
  useInstructions(*x.b->GetInsertBlock()->getModule(), instructions);
  return function(x);
}

TEST(Piecewise, CoefficientsAreTheSameInRowsOfATable) {
  std::vector<float> samples = makeSamples<float>(-11, 11, 8192);
  auto check = [&](F (*function)(F), F (*inRows)(F)) {
    std::vector<float> expected = valuesOf<float>(function, samples), found = valuesOf<float>(inRows, samples);
    for (size_t i = 0; i < samples.size(); ++i)
      EXPECT_TRUE(sameBits(found[i], expected[i])) << samples[i];
  };
  check(tanh, byRows<tanh>);
  check(erf, byRows<erf>);
  check(erfc, byRows<erfc>);
  // Three of a row for each lane, beside the argument.
  EXPECT_EQ(countInstructions(byRows<tanh>, "x86-64-v3", 1)["load"], 1U + 3);
  EXPECT_EQ(countInstructions(byRows<tanh>, "x86-64-v3", 4)["load"], 1U + 4 * 3);
}

TEST(Exponential, ScalesByTwoShiftedHalves) {
  auto counts = countInstructions(exp, "x86-64-v3", 8);
  EXPECT_EQ(counts["shl"], 2U);
  EXPECT_EQ(counts["add"], 0U);
}

// The blocks in which a root of so many lanes is taken.
std::vector<std::string> blocksOfRoots(bool isDouble, unsigned lanes) {
  std::vector<std::string> blocks;
  auto body = [&](F x) {
    F y = rsqrt(x);
    for (llvm::Instruction &instruction : llvm::instructions(*y.b->GetInsertBlock()->getParent()))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        if (call->getIntrinsicID() == llvm::Intrinsic::sqrt)
          blocks.push_back(call->getParent()->getName().str());
    return y;
  };
  testing::Jit jit;
  compileUnary(jit, "root", body, isDouble, lanes);
  return blocks;
}

TEST(ReciprocalRoot, IsTakenOfARootOnlyWhereAFloatIsUnusual) {
  for (unsigned lanes : {1U, 8U, 16U}) {
    EXPECT_EQ(blocksOfRoots(false, lanes), std::vector<std::string>{"rare"}) << lanes;
    EXPECT_NE(blocksOfRoots(true, lanes), std::vector<std::string>{"rare"}) << lanes;
  }
}

// One lane of a vector is unusual; the others keep the bits that they have among usual ones.
TEST(ReciprocalRoot, UnusualLanesLeaveTheOthersAsTheyAre) {
  const float infinity = INFINITY;
  const std::pair<float, float> unusual[] = {{0.0F, infinity},     {-0.0F, -infinity},   {infinity, 0.0F},
                                             {-infinity, NAN},     {NAN, NAN},           {-1.0F, NAN},
                                             {-1e-45F, NAN},       {0x1p-148F, 0x1p74F}, {0x1p-130F, 0x1p65F},
                                             {0x1p124F, 0x1p-62F}, {0x1p126F, 0x1p-63F}};
  std::vector<float> usual{3, 1, 0x1p-126F, 0x1.fffffep123F, 0x1.fffffep-1F, 5e-20F, 7e19F, 2};
  std::vector<float> expected = valuesOf<float>(rsqrt, usual);
  for (auto [x, y] : unusual) {
    for (size_t at = 0; at < usual.size(); ++at) {
      std::vector<float> mixed = usual;
      mixed[at] = x;
      std::vector<float> found = valuesOf<float>(rsqrt, mixed);
      for (size_t i = 0; i < mixed.size(); ++i)
        EXPECT_TRUE(sameBits(found[i], i == at ? y : expected[i])) << mixed[i] << " gives " << found[i];
    }
  }
}

TEST(Hyperbolic, FloatsAreNeitherWidenedNorDivided) {
  for (F (*function)(F) : {sinh, cosh}) {
    auto counts = countInstructions(function, "x86-64-v3", 8);
    EXPECT_EQ(counts["fpext"], 0U);
    EXPECT_EQ(counts["fdiv"], 0U);
  }
  EXPECT_EQ(countInstructions(asinh, "x86-64-v3", 8)["fpext"], 1U);
}

// Nine steps up to where the series serves.
TEST(Digamma, DividesLessOftenThanItSteps) {
  testing::Jit jit;
  unsigned divisions = 0;
  auto body = [&](F x) {
    F y = digamma(x);
    llvm::Function *shared = y.b->GetInsertBlock()->getModule()->getFunction("tenon.math.digamma.v8f64");
    for (llvm::Instruction &instruction : llvm::instructions(*shared))
      divisions += instruction.getOpcode() == llvm::Instruction::FDiv;
    return y;
  };
  compileUnary(jit, "divided", body, false, 8);
  EXPECT_LE(divisions, 9U);
}

TEST(ArcTangent, FloatsAreNotWidened) {
  auto counts = countInstructions(atan, "x86-64-v3", 8);
  EXPECT_EQ(counts["fpext"], 0U);
  EXPECT_EQ(counts["fdiv"], 1U);
  EXPECT_EQ(countInstructions(asin, "x86-64-v3", 8)["fpext"], 1U);
}

TEST(ArcTangent, EdgesAreExact) {
  const float halfPi = 0x1.921fb6p+0F, quarterPi = 0x1.921fb6p-1F;
  std::pair<float, float> edges[] = {{0.0F, 0.0F},           {0x1p-149F, 0x1p-149F}, {0x1p-127F, 0x1p-127F},
                                     {0x1p-126F, 0x1p-126F}, {0x1p-13F, 0x1p-13F},   {1.0F, quarterPi},
                                     {0x1p99F, halfPi},      {0x1p101F, halfPi},     {0x1.fffffep+127F, halfPi},
                                     {INFINITY, halfPi}};
  std::vector<float> arguments{NAN, -NAN, 1.0F, 2.0F}; // whole vectors of four
  for (auto [x, y] : edges)
    arguments.insert(arguments.end(), {x, -x});
  std::vector<float> found = valuesOf<float>(atan, arguments);
  EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[1]));
  for (size_t i = 0; i < std::size(edges); ++i) {
    EXPECT_TRUE(sameBits(found[2 * i + 4], edges[i].second)) << edges[i].first;
    EXPECT_TRUE(sameBits(found[2 * i + 5], -edges[i].second)) << -edges[i].first;
  }
}

// Where the result is zero for certain: underflow takes x86 a hundred times as long as a product.
TEST(Exponential, IsZeroWithoutUnderflow) {
  testing::Jit jit; // for this machine
  F (*function)(F) = exp;
  std::vector<float> x(16, -1e9F), y(16, 1);
  std::vector<double> x64(16, -1e9), y64(16, 1);
  x[1] = -INFINITY;
  x64[1] = -INFINITY;
  for (unsigned lanes : {4U, 8U, 16U}) {
    UnaryLoop *floats = compileUnary(jit, "floats" + std::to_string(lanes), function, false, lanes);
    UnaryLoop *doubles = compileUnary(jit, "doubles" + std::to_string(lanes), function, true, lanes);
    std::feclearexcept(FE_ALL_EXCEPT);
    floats(x.data(), y.data(), 16);
    doubles(x64.data(), y64.data(), 16);
    EXPECT_FALSE(std::fetestexcept(FE_UNDERFLOW)) << lanes;
    EXPECT_EQ(y, std::vector<float>(16, 0));
    EXPECT_EQ(y64, std::vector<double>(16, 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Math, Accuracy, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace tenon::codegen::math
