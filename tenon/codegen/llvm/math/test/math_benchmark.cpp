// Prints nanoseconds an element of each function, on arrays that stay in the first-level cache. Not a test.
#include "tenon/codegen/llvm/math/math.h"
#include "tenon/codegen/llvm/math/testing/harness.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

using namespace tenon::codegen;
using namespace tenon::codegen::math;

namespace {

// One argument serves for both.
F powOfItself(F x) { return math::pow(x, x - 3.0); }
F atan2OfItself(F x) { return math::atan2(x, x - 3.0); }

struct Entry {
  const char *name;
  F (*function)(F);
  double low, high;
};

const Entry kEntries[] = {
    {"exp", math::exp, -20, 20},
    {"expm1", math::expm1, -5, 5},
    {"log", math::log, 0, 20},
    {"log1p", math::log1p, -0.9, 20},
    {"logistic", math::logistic, -20, 20},
    {"tanh", math::tanh, -5, 5},
    {"sinh", math::sinh, -5, 5},
    {"cosh", math::cosh, -5, 5},
    {"asinh", math::asinh, -5, 5},
    {"acosh", math::acosh, 1, 5},
    {"atanh", math::atanh, -1, 1},
    {"sin", math::sin, -20, 20},
    {"cos", math::cos, -20, 20},
    {"tan", math::tan, -20, 20},
    {"asin", math::asin, -1, 1},
    {"acos", math::acos, -1, 1},
    {"atan", math::atan, -5, 5},
    {"sqrt", math::sqrt, 0, 20},
    {"rsqrt", math::rsqrt, 0, 20},
    {"cbrt", math::cbrt, -20, 20},
    {"erf", math::erf, -4, 4},
    {"erfc", math::erfc, -4, 4},
    {"erf_inv", math::erfInv, -1, 1},
    {"lgamma", math::lgamma, -20, 20},
    {"digamma", math::digamma, -5, 5},
    {"bessel_i1e", math::besselI1e, -20, 20},
    {"pow", powOfItself, 0, 10},
    {"atan2", atan2OfItself, -5, 5},
};

template <typename T> double nanosecondsPerElement(const Entry &entry) {
  constexpr bool kDouble = sizeof(T) == 8;
  constexpr int kCount = 2048;
  testing::Jit jit;
  UnaryLoop *loop = compileUnary(jit, "loop", entry.function, kDouble, kDouble ? 8 : 16);
  std::vector<T> in(kCount), out(kCount);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(entry.low, entry.high);
  for (T &value : in)
    value = static_cast<T>(uniform(random));
  double best = 1e9;
  for (int repetition = 0; repetition < 100; ++repetition) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i)
      loop(in.data(), out.data(), kCount);
    std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / (4 * kCount));
  }
  return best;
}

} // namespace

int main() {
  std::printf("%-12s %8s %8s   ns/element, 512-bit vectors\n", "", "f32", "f64");
  for (const Entry &entry : kEntries)
    std::printf("%-12s %8.3f %8.3f\n", entry.name, nanosecondsPerElement<float>(entry),
                nanosecondsPerElement<double>(entry));
  return 0;
}
