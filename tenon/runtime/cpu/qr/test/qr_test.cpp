#include "tenon/runtime/cpu/qr/qr.h"

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/runtime/cpu/test/matrix_testing.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

namespace tenon::runtime {
namespace {

using matrix_testing::Matrix;

template <typename T> struct Factors {
  Matrix<T> reflectors, q; // R on and above the diagonal of the first
  std::vector<T> tau;
};

template <typename T> class Qr : public testing::Test {
protected:
  static Matrix<T> random(int64_t m, int64_t n) {
    Matrix<T> a(m, n);
    matrix_testing::fillRandomly(a.data, uint32_t(m * 1000 + n));
    return a;
  }

  static Buffer work(int64_t m, int64_t n) { return Buffer(size_t(qr::workElements<T>(m, n)) * sizeof(T)); }

  // As many columns of the factor as there are reflectors, and `more`.
  static Factors<T> factor(const Matrix<T> &a, int threads = 2, int64_t more = 0) {
    ThreadPool pool(threads);
    int64_t m = a.rows, k = std::min(m, a.columns);
    Factors<T> result{a, Matrix<T>(m, k + more), std::vector<T>(size_t(k))};
    Buffer first = work(m, a.columns), second = work(m, k + more);
    qr::factor(pool, m, a.columns, result.reflectors.data.data(), result.tau.data(), static_cast<T *>(first.data()));
    std::copy_n(result.reflectors.data.begin(), m * k, result.q.data.begin());
    qr::formFactor(pool, m, k + more, k, result.q.data.data(), result.tau.data(), static_cast<T *>(second.data()));
    return result;
  }

  static Matrix<T> upper(const Factors<T> &f) {
    Matrix<T> r(f.q.columns, f.reflectors.columns);
    for (int64_t j = 0; j < r.columns; ++j)
      for (int64_t i = 0; i <= std::min({j, r.rows - 1, f.reflectors.rows - 1}); ++i)
        r(i, j) = f.reflectors(i, j);
    return r;
  }

  static void expectEqual(const Matrix<T> &x, const Matrix<T> &y, T bound) {
    ASSERT_EQ(x.rows, y.rows);
    ASSERT_EQ(x.columns, y.columns);
    for (size_t i = 0; i < x.data.size(); ++i)
      ASSERT_LE(std::abs(x.data[i] - y.data[i]), bound) << x.rows << " by " << x.columns << " at " << i;
  }

  static void expectFactors(const Matrix<T> &a, const Factors<T> &f) {
    T bound = 20 * std::numeric_limits<T>::epsilon() * T(a.rows + 4), largest = 0;
    for (T x : a.data)
      largest = std::max(largest, std::abs(x));
    expectEqual(f.q * upper(f), a, bound * largest);
    expectEqual(matrix_testing::adjoint(f.q) * f.q, matrix_testing::identity<T>(f.q.columns), bound);
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Qr, Types);

// Sizes around those of vectors, quads of columns, tasks and panels.
TYPED_TEST(Qr, EveryShapeOnEveryMachine) {
  InstructionSet most = instructionSet();
  for (InstructionSet set : {InstructionSet::kBase, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    limitInstructionSet(set);
    for (auto [m, n] : {std::pair<int64_t, int64_t>{0, 0},
                        {1, 1},
                        {1, 5},
                        {5, 1},
                        {4, 4},
                        {16, 16},
                        {17, 3},
                        {31, 32},
                        {32, 31},
                        {33, 33},
                        {40, 70},
                        {64, 64},
                        {65, 64},
                        {70, 40},
                        {100, 9},
                        {9, 100},
                        {96, 96},
                        {97, 98},
                        {128, 50},
                        {150, 130}}) {
      Matrix<TypeParam> a = this->random(m, n);
      this->expectFactors(a, this->factor(a));
    }
  }
  limitInstructionSet(most);
}

TYPED_TEST(Qr, MoreColumnsThanReflectors) {
  Matrix<TypeParam> a = this->random(90, 37);
  this->expectFactors(a, this->factor(a, 2, 20));
  this->expectFactors(a, this->factor(a, 2, 53));
}

TYPED_TEST(Qr, AnyNumberOfThreadsGivesTheSameBits) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{256, 256}, {301, 203}}) {
    Matrix<TypeParam> a = this->random(m, n);
    Factors<TypeParam> one = this->factor(a, 1);
    for (int threads : {2, 3}) {
      Factors<TypeParam> more = this->factor(a, threads);
      EXPECT_EQ(one.reflectors.data, more.reflectors.data);
      EXPECT_EQ(one.q.data, more.q.data);
      EXPECT_EQ(one.tau, more.tau);
    }
  }
}

// Squares of such elements are no numbers, or zeros.
TYPED_TEST(Qr, HugeAndTinyElements) {
  using Limits = std::numeric_limits<TypeParam>;
  for (TypeParam factor : {Limits::max() / 1024, Limits::min() * 1024}) {
    Matrix<TypeParam> a = this->random(50, 40);
    for (TypeParam &x : a.data)
      x *= factor;
    Factors<TypeParam> f = this->factor(a);
    // Compared as products of numbers of the usual size.
    for (TypeParam &x : f.reflectors.data)
      x /= factor;
    for (TypeParam &x : a.data)
      x /= factor;
    this->expectFactors(a, f);
  }
}

TYPED_TEST(Qr, ColumnsThatAreZeroBelowTheDiagonalAreLeft) {
  Matrix<TypeParam> a(40, 36);
  for (int64_t j = 0; j < a.columns; ++j)
    for (int64_t i = 0; i <= j; ++i)
      a(i, j) = TypeParam(1 + i + 2 * j);
  Factors<TypeParam> f = this->factor(a);
  EXPECT_EQ(f.reflectors.data, a.data);
  EXPECT_EQ(f.tau, std::vector<TypeParam>(36));
  EXPECT_EQ(f.q.data, this->factor(Matrix<TypeParam>(40, 36)).q.data);
}

// In units in the last place of one: 27 with AVX-512. With sums of whole columns in one piece it was 41, and 87 when
// products were also added to an element one by one.
TEST(QrRounding, LongColumnsKeepTheirLastPlaces) {
  int64_t m = 2000, n = 96;
  Matrix<float> a(m, n), packed = a;
  matrix_testing::fillRandomly(a.data, 9);
  packed.data = a.data;
  std::vector<float> tau(static_cast<size_t>(n));
  std::vector<float> work(size_t(qr::workElements<float>(m, n)));
  ThreadPool pool(1);
  qr::factor(pool, m, n, packed.data.data(), tau.data(), work.data());
  Matrix<float> q = packed;
  qr::formFactor(pool, m, n, n, q.data.data(), tau.data(), work.data());
  double worst = 0;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) {
      double sum = 0;
      for (int64_t k = 0; k <= j; ++k)
        sum += double(q(i, k)) * packed(k, j);
      worst = std::max(worst, std::abs(sum - a(i, j)));
    }
  EXPECT_LT(worst, 34 * std::numeric_limits<float>::epsilon());
}

TEST(QrChoice, DependsOnTheMachineAndTheShape) {
  InstructionSet most = instructionSet();
  if (most == InstructionSet::kBase)
    GTEST_SKIP() << "the machine has no AVX2";
  EXPECT_TRUE(qr::isFaster(256, 256));
  EXPECT_TRUE(qr::isFaster(512, 32));
  EXPECT_TRUE(qr::isFaster(32, 4000));
  EXPECT_FALSE(qr::isFaster(513, 32)); // far more rows than columns
  EXPECT_FALSE(qr::isFaster(31, 31));
  EXPECT_FALSE(qr::isFaster(2049, 2049));
  limitInstructionSet(InstructionSet::kBase);
  EXPECT_FALSE(qr::isFaster(256, 256));
  limitInstructionSet(most);
}

} // namespace
} // namespace tenon::runtime
