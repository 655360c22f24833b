// The rounding error of products over a long k, in each kernel.
#include "tenon/codegen/kernel/matmul/problem.h"
#include "tenon/codegen/kernel/matmul/test/array_testing.h"
#include "tenon/codegen/kernel/matmul/test/contraction_testing.h"
#include "tenon/codegen/kernel/matmul/test/jit_testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <random>

namespace tenon::codegen::matmul {
namespace {

using testing::Array;
using testing::JitModule;
using testing::mlirType;
using testing::targets;
using testing::testsWhole;
using testing::Type;

enum class Data : uint8_t { kConstant, kAlternating, kSorted, kRandom };

// As Array::get and set, which are slow for arrays as long as these.
std::complex<float> at(const Array &array, int64_t i) {
  float parts[2] = {};
  int64_t size = byteSize(array.type);
  // A bf16 is the upper half of an f32.
  std::memcpy(reinterpret_cast<char *>(parts) + (size == 2 ? 2 : 0), array.bytes.data() + i * size, size_t(size));
  return {parts[0], parts[1]};
}

void put(Array &array, int64_t i, std::complex<double> value) {
  float parts[2] = {float(value.real()), float(value.imag())};
  int64_t size = byteSize(array.type);
  std::memcpy(array.bytes.data() + i * size, reinterpret_cast<char *>(parts) + (size == 2 ? 2 : 0), size_t(size));
}

// Fills an array of f32, complex f32 or bf16.
void fill(Array &array, Data data, int64_t k, int64_t stride, unsigned seed) {
  std::mt19937 random(seed);
  for (int64_t i = 0; i < array.count(); ++i) {
    int64_t position = i / stride % k; // along k
    double uniform = double(random()) / 0x1p32;
    double value = data == Data::kConstant      ? 0.3
                   : data == Data::kAlternating ? (position % 2 ? -0.6 : 0.7)
                   : data == Data::kSorted      ? double(position) / double(k)
                                                : uniform;
    put(array, i, {value, uniform});
  }
}

// Errors in half units in the last place of f32, relative to the sum of absolute products: a running sum over k makes
// about k/4, these kernels at most some 900 (the longest pass of the register tile) and, for this data, far fewer.
constexpr double kLimit = 256;

// Where the elements of the lhs [m, k] and the rhs [k, n] are.
struct Places {
  std::function<int64_t(int64_t row, int64_t k)> lhs;
  std::function<int64_t(int64_t column, int64_t k)> rhs;
};

// The corners of the result [m, n] are checked. `strides`: elements between neighbours along k, in lhs and rhs.
void check(const ContractionSpec &spec, int64_t m, int64_t n, int64_t k, const Places &places,
           std::pair<int64_t, int64_t> strides, MatmulPlan::Kind kind, double limit = kLimit) {
  for (const MatmulTarget &target : targets()) {
    StatusOr<ContractionPlan> plan = planContraction(spec, target, "kernel");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ASSERT_EQ(plan->schedule.kind, kind) << plan->schedule.toString();
    JitModule jit(target);
    emitContraction(*plan, jit.module());
    jit.compile();
    for (Data data : {Data::kConstant, Data::kAlternating, Data::kSorted, Data::kRandom}) {
      Array lhs(spec.lhs, m * k), rhs(spec.rhs, k * n), out(spec.out, m * n), again(spec.out, m * n);
      fill(lhs, data, k, strides.first, 3);
      fill(rhs, data, k, strides.second, data == Data::kAlternating ? 3 : 5);
      runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, 3);
      runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), again.bytes.data()}, 1);
      EXPECT_TRUE(out.bytes == again.bytes) << "the partition changed the bits";
      for (int64_t row : {int64_t(0), m - 1})
        for (int64_t column : {int64_t(0), n - 1}) {
          std::complex<long double> sum = 0;
          long double magnitude = 0;
          for (int64_t i = 0; i < k; ++i) {
            std::complex<long double> a = at(lhs, places.lhs(row, i)), b = at(rhs, places.rhs(column, i));
            sum += a * b;
            magnitude += std::abs(a * b);
          }
          std::complex<long double> got = at(out, row * n + column);
          EXPECT_LE(double(std::abs(got - sum) / magnitude) * 0x1p24, limit)
              << plan->schedule.toString() << " data " << int(data) << ": expected " << double(sum.real()) << ", got "
              << double(got.real());
        }
    }
  }
}

// lhs [m, k] and rhs [k, n], either transposed on request.
void check(Type type, int64_t m, int64_t n, int64_t k, bool lhsT, bool rhsT, MatmulPlan::Kind kind) {
  ContractionSpec spec;
  spec.lhs = spec.rhs = spec.out = mlirType(type);
  spec.m = {{m, lhsT ? 1 : k, 0, n}};
  spec.n = {{n, 0, rhsT ? k : 1, 1}};
  spec.k = {{k, lhsT ? m : 1, rhsT ? 1 : n, 0}};
  Places places{[=](int64_t row, int64_t i) { return lhsT ? i * m + row : row * k + i; },
                [=](int64_t column, int64_t i) { return rhsT ? column * k + i : i * n + column; }};
  check(spec, m, n, k, places, {lhsT ? m : 1, rhsT ? 1 : n}, kind);
}

// k is `runs` runs of `length`, which no operand has one behind the other: lhs [runs, m, length], and rhs
// [runs, n, length], or [runs, length, n] where it has rows.
void checkRuns(Type type, int64_t m, int64_t n, int64_t runs, int64_t length, bool rhsHasRows) {
  ContractionSpec spec;
  spec.lhs = spec.rhs = mlirType(type);
  spec.out = mlirType(type == Type::kBF16 ? Type::kF32 : type);
  spec.m = {{m, length, 0, n}};
  spec.n = {{n, 0, rhsHasRows ? 1 : length, 1}};
  spec.k = {{runs, m * length, n * length, 0}, {length, 1, rhsHasRows ? n : 1, 0}};
  Places places{[=](int64_t row, int64_t i) { return (i / length * m + row) * length + i % length; },
                [=](int64_t column, int64_t i) {
                  int64_t start = i / length * n * length, at = i % length;
                  return start + (rhsHasRows ? at * n + column : column * length + at);
                }};
  // bf16 is taken in pairs, each rounded as its processor does, and twice as many a pass.
  check(spec, m, n, runs * length, places, {1, rhsHasRows ? n : 1}, MatmulPlan::Kind::kTiled,
        type == Type::kBF16 ? 2 * kLimit : kLimit);
}

using Kind = MatmulPlan::Kind;

int64_t length() { return testsWhole() ? 20'000'000 : 400'000; }

TEST(LongProducts, Dot) {
  check(Type::kF32, 1, 1, length(), false, true, Kind::kDot);
  check(Type::kF32, 2, 5, length() / 4 + 13, false, true, Kind::kDot);
  check(Type::kF32, 16, 2, length() / 8, false, true, Kind::kRuns);
}

TEST(LongProducts, Stream) {
  check(Type::kF32, 1, 8, length() / 8, false, false, Kind::kStream);
  check(Type::kF32, 3, 137, length() / 80 + 5, false, false, Kind::kStream);
}

TEST(LongProducts, Tiled) {
  check(Type::kF32, 9, 10, length() / 4, true, false, Kind::kTiled);
  check(Type::kF32, 33, 40, length() / 16 + 11, true, false, Kind::kTiled);
  check(Type::kF32, 9, 20, length() / 4, false, true, Kind::kTiled);
  check(Type::kComplexF32, 1, 1, length() / 2, false, true, Kind::kTiled);
}

// Products of one element that no kernel with vectors takes.
TEST(LongProducts, Small) {
  check(Type::kF32, 1, 1, 2000, true, true, Kind::kDot);
  check(Type::kComplexF32, 1, 1, 2000, false, true, Kind::kTiled);
}

// Plain loops add up the products of an only column in four sums, where these are many: a one that is far below the
// first product has a sum without it.
TEST(LongProducts, OnlyColumnsHaveSeveralSums) {
  for (auto [k, expected] : {std::pair<int64_t, double>{63, 0.0}, {64, 1.0}, {67, 1.0}, {130, 1.0}})
    for (const MatmulTarget &target : targets()) {
      StatusOr<ContractionPlan> plan =
          planContraction(testing::plainSpec(Type::kF32, Type::kF32, Type::kF32, {3, 1, 1, k}), target, "kernel");
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      ASSERT_EQ(plan->schedule.kind, Kind::kSimple);
      JitModule jit(target);
      emitContraction(*plan, jit.module());
      jit.compile();
      Array lhs(mlirType(Type::kF32), 3 * k), rhs(mlirType(Type::kF32), 3 * k), out(mlirType(Type::kF32), 3);
      for (int64_t i = 0; i < 3 * k; ++i) {
        int64_t place = i % k;
        put(lhs, i, place == 0 ? 0x1p25 : place == 1 ? 1 : place == 4 ? -0x1p25 : 0);
        put(rhs, i, 1);
      }
      runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, 1);
      for (int64_t i = 0; i < 3; ++i)
        EXPECT_EQ(at(out, i).real(), expected) << k;
    }
}

// A pass is of a part of a long run, or of several short ones, also of such as have no whole units.
TEST(LongProducts, Runs) {
  for (Type type : {Type::kF32, Type::kBF16})
    for (bool rhsHasRows : {false, true}) {
      checkRuns(type, 9, 20, 3, length() / 48, rhsHasRows);
      checkRuns(type, 9, 33, 5, length() / 96 + 13, rhsHasRows);
      checkRuns(type, 20, 16, length() / 96 / 31, 31, rhsHasRows);
      checkRuns(type, 12, 40, length() / 96 / 48, 48, rhsHasRows);
      checkRuns(type, 9, 17, length() / 40 / 1600, 1600, rhsHasRows);
    }
  checkRuns(Type::kComplexF32, 5, 9, 3, length() / 96 + 1, false);
}

} // namespace
} // namespace tenon::codegen::matmul
