// The rounding error of products over a long k, in each kernel.
#include "tenon/codegen/cpu/matmul/array_testing.h"
#include "tenon/codegen/cpu/matmul/jit_testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>

namespace tenon::codegen {
namespace {

using testing::Array;
using testing::JitModule;
using testing::targets;
using testing::testsWhole;

enum class Data : uint8_t { kConstant, kAlternating, kSorted, kRandom };

// As Array::get and set, which are slow for arrays as long as these.
std::complex<float> at(const Array &array, int64_t i) {
  float parts[2] = {};
  int64_t size = program::byteSize(array.type);
  std::memcpy(parts, array.bytes.data() + i * size, size_t(size));
  return {parts[0], parts[1]};
}

void put(Array &array, int64_t i, std::complex<double> value) {
  float parts[2] = {float(value.real()), float(value.imag())};
  int64_t size = program::byteSize(array.type);
  std::memcpy(array.bytes.data() + i * size, parts, size_t(size));
}

// Of f32 or complex f32.
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

// lhs [m, k] and rhs [k, n], either transposed on request; the corners of the result are checked.
void check(Type type, int64_t m, int64_t n, int64_t k, bool lhsT, bool rhsT, MatmulPlan::Kind kind) {
  ContractionSpec spec;
  spec.lhs = spec.rhs = spec.out = type;
  spec.m = {{m, lhsT ? 1 : k, 0, n}};
  spec.n = {{n, 0, rhsT ? k : 1, 1}};
  spec.k = {{k, lhsT ? m : 1, rhsT ? 1 : n, 0}};
  for (const MatmulTarget &target : targets()) {
    MatmulPlan plan = planContraction(spec, target);
    ASSERT_EQ(plan.kind, kind) << plan.toString();
    JitModule jit(target);
    auto kernel = emitContraction(jit.module(), "kernel", spec, target);
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    jit.compile();
    for (Data data : {Data::kConstant, Data::kAlternating, Data::kSorted, Data::kRandom}) {
      Array lhs(type, m * k), rhs(type, k * n), out(type, m * n), again(type, m * n);
      fill(lhs, data, k, lhsT ? m : 1, 3);
      fill(rhs, data, k, rhsT ? 1 : n, data == Data::kAlternating ? 3 : 5);
      runKernel(jit, *kernel, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, 3);
      runKernel(jit, *kernel, {lhs.bytes.data(), rhs.bytes.data(), again.bytes.data()}, 1);
      EXPECT_TRUE(out.bytes == again.bytes) << "the partition changed the bits";
      for (int64_t row : {int64_t(0), m - 1})
        for (int64_t column : {int64_t(0), n - 1}) {
          std::complex<long double> sum = 0;
          long double magnitude = 0;
          for (int64_t i = 0; i < k; ++i) {
            std::complex<long double> a = at(lhs, lhsT ? i * m + row : row * k + i),
                                      b = at(rhs, rhsT ? column * k + i : i * n + column);
            sum += a * b;
            magnitude += std::abs(a * b);
          }
          std::complex<long double> got = at(out, row * n + column);
          EXPECT_LE(double(std::abs(got - sum) / magnitude) * 0x1p24, kLimit)
              << plan.toString() << " data " << int(data) << ": expected " << double(sum.real()) << ", got "
              << double(got.real());
        }
    }
  }
}

using Kind = MatmulPlan::Kind;

int64_t length() { return testsWhole() ? 20'000'000 : 400'000; }

TEST(LongProducts, Dot) {
  check(Type::kF32, 1, 1, length(), false, true, Kind::kDot);
  check(Type::kF32, 2, 5, length() / 4 + 13, false, true, Kind::kDot);
}

TEST(LongProducts, Stream) {
  check(Type::kF32, 1, 8, length() / 8, false, false, Kind::kStream);
  check(Type::kF32, 3, 37, length() / 20 + 5, false, false, Kind::kStream);
}

TEST(LongProducts, Tiled) {
  check(Type::kF32, 9, 10, length() / 4, true, false, Kind::kTiled);
  check(Type::kF32, 33, 40, length() / 16 + 11, true, false, Kind::kTiled);
  check(Type::kF32, 9, 20, length() / 4, false, true, Kind::kTiled);
  check(Type::kComplexF32, 1, 1, length() / 2, false, true, Kind::kTiled);
}

} // namespace
} // namespace tenon::codegen
