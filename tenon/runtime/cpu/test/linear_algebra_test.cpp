#include "tenon/runtime/cpu/linear_algebra.h"

#include "tenon/program/testing/attributes.h"

#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/lapack.h"
#include "tenon/runtime/cpu/test/matrix_testing.h"
#include "tenon/runtime/cpu/triangular.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>

namespace tenon::runtime {
namespace {

using namespace program::attribute;

using matrix_testing::conjugate;
using program::ElementType;
using program::RuntimeCall;

template <typename T> std::vector<T> randomValues(int64_t count, uint32_t seed) {
  std::vector<T> values(static_cast<size_t>(count));
  matrix_testing::fillRandomly(values, seed);
  return values;
}

Status run(StatusOr<std::unique_ptr<RuntimeCallInstance>> instance, std::vector<void *> operands, void *result,
           int threads = 2) {
  if (!instance.ok())
    return instance.status();
  ThreadPool pool(threads);
  RunOptions options;
  void *results[] = {result};
  return (*instance)->call({operands, results, options, pool});
}

// Both ways of doing it: LAPACK if there is one, and the loops.
std::vector<const LapackLibrary *> libraries() {
  std::vector<const LapackLibrary *> list = {nullptr};
  if (auto library = LapackLibrary::get(); library.ok())
    list.push_back(*library);
  return list;
}

template <typename T> class LinearAlgebra : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LinearAlgebra, Types);

TYPED_TEST(LinearAlgebra, Cholesky) {
  using T = TypeParam;
  using Real = typename lapack::TypeTraits<T>::Real;
  for (const LapackLibrary *library : libraries())
    for (bool lower : {false, true})
      for (auto [batch, n] : {std::pair<int64_t, int64_t>{3, 0}, {3, 1}, {3, 3}, {3, 20}, {37, 0}, {37, 3}, {37, 20}}) {
        RuntimeCall runtimeCall;
        runtimeCall.attributes = {{"lower", boolean(lower)}};
        runtimeCall.operands = runtimeCall.results = {{lapack::TypeTraits<T>::type, {batch, n, n}}};
        std::vector<T> a = randomValues<T>(batch * n * n, 1), out(a.size(), T(9));
        for (int64_t b = 0; b < batch; ++b)
          for (int64_t i = 0; i < n; ++i)
            a[size_t((b * n + i) * n + i)] = T(Real(n + 1));
        ASSERT_TRUE(run(makeCholesky(runtimeCall, library), {a.data()}, out.data()).ok());
        for (int64_t b = 0; b < batch; ++b) {
          const T *m = a.data() + b * n * n, *f = out.data() + b * n * n;
          for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
              bool stored = lower ? j <= i : j >= i;
              if (!stored) {
                EXPECT_EQ(f[i * n + j], T(0));
                continue;
              }
              T sum = 0;
              for (int64_t k = 0; k < n; ++k)
                sum += lower ? f[i * n + k] * conjugate(f[j * n + k]) : conjugate(f[k * n + i]) * f[k * n + j];
              EXPECT_LT(std::abs(sum - m[i * n + j]), 100 * std::numeric_limits<Real>::epsilon() * Real(n));
            }
        }
      }
}

TYPED_TEST(LinearAlgebra, CholeskyOfAnIndefiniteMatrixIsNaN) {
  using T = TypeParam;
  for (const LapackLibrary *library : libraries())
    for (bool lower : {false, true})
      for (T bad : {T(-1), T(0), T(std::nanf(""))}) {
        RuntimeCall runtimeCall;
        runtimeCall.attributes = {};
        if (lower) // which is not the default
          runtimeCall.attributes = {{"lower", boolean(true)}};
        for (int64_t batch : {2, 18}) {
          runtimeCall.operands = runtimeCall.results = {{lapack::TypeTraits<T>::type, {batch, 2, 2}}};
          std::vector<T> a = {T(4), T(0), T(0), bad}, out(size_t(4 * batch));
          for (int64_t b = 1; b < batch; ++b)
            a.insert(a.end(), {T(4), T(0), T(0), T(9)});
          ASSERT_TRUE(run(makeCholesky(runtimeCall, library), {a.data()}, out.data()).ok());
          for (int i = 0; i < 4; ++i)
            EXPECT_TRUE(std::isnan(std::real(out[size_t(i)])));
          EXPECT_EQ(out[4], T(2));
          EXPECT_EQ(out[7], T(3));
        }
      }
}

TEST(TriangularEquations, LargeSolvesAreDivided) {
  auto parts = [](char side, int32_t m, int32_t n) {
    return lapack::TriangularEquations<float>{nullptr, side, 'L', 'N', 'N', m, n}.parts();
  };
  EXPECT_EQ(parts('L', 512, 256), 2);
  EXPECT_EQ(parts('R', 256, 512), 2);
  EXPECT_EQ(parts('L', 512, 255), 1); // a part has 128 equations
  EXPECT_EQ(parts('L', 64, 512), 1);  // and is worth a wake-up
  EXPECT_EQ(parts('L', 0, 256), 1);
  EXPECT_EQ(parts('L', 100, 100000), 64);
}

// Large enough for several parts, the last of them of another size; any number of threads gives the same bits.
TYPED_TEST(LinearAlgebra, TriangularSolveInParts) {
  using T = TypeParam;
  constexpr int64_t kOrder = 200, kSides = 331;
  StatusOr<const LapackLibrary *> library = LapackLibrary::get();
  if (!library.ok())
    GTEST_SKIP() << library.status().message();
  for (bool left : {false, true})
    for (bool lower : {false, true}) {
      int64_t rows = left ? kOrder : kSides, columns = left ? kSides : kOrder;
      RuntimeCall runtimeCall;
      runtimeCall.attributes = {{"left_side", boolean(left)},
                                {"lower", boolean(lower)},
                                {"transpose_a", string("ADJOINT")},
                                {"unit_diagonal", boolean(false)}};
      runtimeCall.operands = {{lapack::TypeTraits<T>::type, {2, kOrder, kOrder}},
                              {lapack::TypeTraits<T>::type, {2, rows, columns}}};
      runtimeCall.results = {runtimeCall.operands[1]};
      std::vector<T> a = randomValues<T>(2 * kOrder * kOrder, 2), b = randomValues<T>(2 * rows * columns, 3);
      for (int64_t i = 0; i < 2 * kOrder; ++i)
        a[size_t(i * kOrder + i % kOrder)] += T(50);
      std::vector<T> expected(b.size()), x(b.size()), inPlace = b;
      ASSERT_TRUE(run(makeTriangularSolve(runtimeCall, nullptr), {a.data(), b.data()}, expected.data()).ok());
      ASSERT_TRUE(run(makeTriangularSolve(runtimeCall, *library), {a.data(), b.data()}, x.data(), 1).ok());
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(std::abs(x[i] - expected[i]), 1e-5) << i;
      ASSERT_TRUE(run(makeTriangularSolve(runtimeCall, *library), {a.data(), inPlace.data()}, inPlace.data(), 3).ok());
      EXPECT_EQ(x, inPlace);
    }
}

TYPED_TEST(LinearAlgebra, TriangularSolve) {
  using T = TypeParam;
  using Real = typename lapack::TypeTraits<T>::Real;
  constexpr int64_t kOrder = 7, kSides = 4;
  for (const LapackLibrary *library : libraries())
    for (int64_t batch : {2, 37})
      for (bool left : {false, true})
        for (bool lower : {false, true})
          for (bool unit : {false, true})
            for (std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
              int64_t rows = left ? kOrder : kSides, columns = left ? kSides : kOrder;
              RuntimeCall runtimeCall;
              runtimeCall.attributes = {{"left_side", boolean(left)},
                                        {"lower", boolean(lower)},
                                        {"transpose_a", string(transpose)},
                                        {"unit_diagonal", boolean(unit)}};
              runtimeCall.operands = {{lapack::TypeTraits<T>::type, {batch, kOrder, kOrder}},
                                      {lapack::TypeTraits<T>::type, {batch, rows, columns}}};
              runtimeCall.results = {runtimeCall.operands[1]};
              std::vector<T> a = randomValues<T>(batch * kOrder * kOrder, 2),
                             b = randomValues<T>(batch * rows * columns, 3), x(b.size());
              for (int64_t i = 0; i < batch * kOrder; ++i)
                a[size_t(i * kOrder + i % kOrder)] += T(3);
              ASSERT_TRUE(run(makeTriangularSolve(runtimeCall, library), {a.data(), b.data()}, x.data()).ok());
              for (int64_t k = 0; k < batch; ++k) {
                auto op = [&](int64_t i, int64_t j) {
                  if (transpose != "NO_TRANSPOSE")
                    std::swap(i, j);
                  T value = i == j && unit              ? T(1)
                            : (lower ? i >= j : i <= j) ? a[size_t((k * kOrder + i) * kOrder + j)]
                                                        : T(0);
                  return transpose == "ADJOINT" ? conjugate(value) : value;
                };
                for (int64_t i = 0; i < rows; ++i)
                  for (int64_t j = 0; j < columns; ++j) {
                    T sum = 0;
                    for (int64_t l = 0; l < kOrder; ++l)
                      sum += left ? op(i, l) * x[size_t((k * rows + l) * columns + j)]
                                  : x[size_t((k * rows + i) * columns + l)] * op(l, j);
                    ASSERT_LT(std::abs(sum - b[size_t((k * rows + i) * columns + j)]),
                              2000 * std::numeric_limits<Real>::epsilon())
                        << "left " << left << ", lower " << lower << ", unit " << unit << ", " << transpose;
                  }
              }
            }
}

TEST(LinearAlgebraErrors, ShapesAndAttributes) {
  RuntimeCall runtimeCall;
  runtimeCall.operands = runtimeCall.results = {{ElementType::kF32, {2, 3}}};
  EXPECT_FALSE(makeCholesky(runtimeCall, nullptr).ok());
  runtimeCall.operands = runtimeCall.results = {{ElementType::kBF16, {3, 3}}};
  EXPECT_EQ(makeCholesky(runtimeCall, nullptr).status().code(), StatusCode::kUnimplemented);
  runtimeCall.operands = runtimeCall.results = {{ElementType::kF32, {3, 3}}};
  EXPECT_TRUE(makeCholesky(runtimeCall, nullptr).ok());
  runtimeCall.attributes = {{"lower", string("yes")}};
  EXPECT_FALSE(makeCholesky(runtimeCall, nullptr).ok());
  runtimeCall.operands.push_back(runtimeCall.operands[0]);
  runtimeCall.attributes = {{"left_side", boolean(true)}, {"lower", boolean(true)}, {"unit_diagonal", boolean(false)}};
  EXPECT_FALSE(makeTriangularSolve(runtimeCall, nullptr).ok());
  runtimeCall.attributes = {{"left_side", boolean(true)},
                            {"lower", boolean(true)},
                            {"unit_diagonal", boolean(false)},
                            {"transpose_a", string("TRANSPOSE")}};
  EXPECT_TRUE(makeTriangularSolve(runtimeCall, nullptr).ok());
  runtimeCall.operands[0].dims = {4, 4};
  EXPECT_FALSE(makeTriangularSolve(runtimeCall, nullptr).ok());
}

} // namespace
} // namespace tenon::runtime
