#include "tenon/runtime/cpu/cholesky/cholesky.h"

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/runtime/cpu/test/matrix_testing.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

namespace tenon::runtime {
namespace {

template <typename T> class Cholesky : public testing::Test {
protected:
  static constexpr T kUntouched = 7;

  // Column-major, with a few elements between columns; one triangle of a positive definite matrix.
  static std::vector<T> triangle(int64_t n, int64_t stride, bool lower) {
    std::vector<T> a(size_t(n * stride));
    matrix_testing::fillRandomly(a, 1);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < stride; ++i)
        if (i == j)
          a[size_t(j * stride + i)] = T(n + 1);
        else if (i >= n || (i > j) != lower)
          a[size_t(j * stride + i)] = kUntouched;
    return a;
  }

  static int64_t factor(std::vector<T> &a, int64_t n, int64_t stride, bool lower, int threads) {
    ThreadPool pool(threads);
    Buffer work(size_t(cholesky::workElements<T>(n)) * sizeof(T));
    return cholesky::factor(pool, lower, n, a.data(), stride, static_cast<T *>(work.data()));
  }

  static void expectFactor(const std::vector<T> &a, const std::vector<T> &f, int64_t n, int64_t stride, bool lower) {
    auto at = [&](const std::vector<T> &m, int64_t i, int64_t j) { // of the lower triangle
      return m[size_t(lower ? j * stride + i : i * stride + j)];
    };
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        T sum = 0;
        for (int64_t k = 0; k <= j; ++k)
          sum += at(f, i, k) * at(f, j, k);
        ASSERT_LT(std::abs(sum - at(a, i, j)), 50 * std::numeric_limits<T>::epsilon() * T(n + 1))
            << "order " << n << (lower ? ", lower" : ", upper") << " at " << i << ", " << j;
      }
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < stride; ++i)
        if (i >= n || (i != j && (i > j) != lower))
          ASSERT_EQ(f[size_t(j * stride + i)], kUntouched);
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Cholesky, Types);

// Orders around those of quads, strips and panels.
TYPED_TEST(Cholesky, EveryOrderOnEveryMachine) {
  InstructionSet most = instructionSet();
  for (InstructionSet set : {InstructionSet::kBase, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    limitInstructionSet(set);
    for (int64_t n : {0, 1, 3, 4, 15, 16, 17, 33, 64, 65, 127, 128, 129, 191, 200, 260, 300})
      for (bool lower : {true, false}) {
        int64_t stride = n + 3;
        std::vector<TypeParam> a = this->triangle(n, stride, lower), f = a;
        EXPECT_EQ(this->factor(f, n, stride, lower, 2), 0);
        this->expectFactor(a, f, n, stride, lower);
      }
  }
  limitInstructionSet(most);
}

TYPED_TEST(Cholesky, AnyNumberOfThreadsGivesTheSameBits) {
  int64_t n = 500;
  for (bool lower : {true, false}) {
    std::vector<TypeParam> a = this->triangle(n, n, lower), one = a;
    ASSERT_EQ(this->factor(one, n, n, lower, 1), 0);
    for (int threads : {2, 3}) {
      std::vector<TypeParam> many = a;
      ASSERT_EQ(this->factor(many, n, n, lower, threads), 0);
      EXPECT_EQ(many, one);
    }
  }
}

TYPED_TEST(Cholesky, TheFirstMinorThatIsNotPositiveIsSaid) {
  using T = TypeParam;
  for (bool lower : {true, false})
    for (auto [n, i] : {std::pair<int64_t, int64_t>{1, 0},
                        {6, 0},
                        {6, 5},
                        {300, 0},
                        {300, 5},
                        {300, 66},
                        {300, 127},
                        {300, 128},
                        {300, 299}})
      for (T bad : {T(0), T(-1), std::numeric_limits<T>::quiet_NaN()}) {
        std::vector<T> a = this->triangle(n, n, lower);
        a[size_t(i * n + i)] = bad;
        EXPECT_EQ(this->factor(a, n, n, lower, 2), i + 1);
      }
}

} // namespace
} // namespace tenon::runtime
