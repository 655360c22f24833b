// The kernels of every instruction set that this machine has, by what factorisations are defined by.

#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/runtime/cpu/small_matrices/kernels.h"
#include "tenon/runtime/cpu/test/matrix_testing.h"

#include "gtest/gtest.h"

#include <complex>
#include <cstring>
#include <limits>
#include <numeric>

namespace tenon::runtime::small_matrices {
namespace {

using lapack::TypeTraits;
using matrix_testing::adjoint;
using matrix_testing::conjugate;
using matrix_testing::identity;
using matrix_testing::Matrix;
template <typename T> using RealOf = typename TypeTraits<T>::Real;
template <typename T> constexpr int kParts = TypeTraits<T>::isComplex ? 2 : 1;

template <typename T> Matrix<T> randomMatrix(int m, int n, uint32_t seed) {
  Matrix<T> a(m, n);
  matrix_testing::fillRandomly(a.data, seed);
  return a;
}

// The scales of matrices: the usual one, and those where squares leave the range.
template <typename Real> std::vector<Real> scales() {
  return {1, std::numeric_limits<Real>::max() / 64, std::numeric_limits<Real>::min() * 64};
}

template <typename T> Matrix<T> positiveMatrix(int n, uint32_t seed) {
  Matrix<T> a = randomMatrix<T>(n, n, seed), product = a * adjoint(a);
  for (int i = 0; i < n; ++i)
    product(i, i) = std::real(product(i, i)) + RealOf<T>(1);
  return product;
}

template <typename T> void expectNear(const Matrix<T> &got, const Matrix<T> &want, RealOf<T> size = 1) {
  ASSERT_EQ(got.data.size(), want.data.size());
  RealOf<T> bound = RealOf<T>(16 * (want.rows + want.columns)) * std::numeric_limits<RealOf<T>>::epsilon() * size;
  for (size_t i = 0; i < got.data.size(); ++i)
    ASSERT_LE(std::abs(got.data[i] - want.data[i]), bound) << i << ": " << got.data[i] << " " << want.data[i];
}

template <typename T> class Blocks {
public:
  using Real = RealOf<T>;
  explicit Blocks(const Kernels<Real> &kernels) : kernels_(kernels) {}

  Real *load(const std::vector<Matrix<T>> &matrices) {
    size_t numbers = matrices[0].data.size() * kParts<T>;
    std::vector<Real> memory;
    for (const Matrix<T> &matrix : matrices) {
      auto *first = reinterpret_cast<const Real *>(matrix.data.data());
      memory.insert(memory.end(), first, first + numbers);
    }
    Real *block = make(matrices[0].data.size());
    kernels_.load(int64_t(numbers), memory.data(), int64_t(numbers), int(matrices.size()), block);
    return block;
  }
  Real *make(size_t elements) {
    size_t bytes = std::max<size_t>(elements, 1) * kBlockAlignment * kParts<T>;
    blocks_.push_back(std::unique_ptr<void, void (*)(void *)>(std::aligned_alloc(kBlockAlignment, bytes), std::free));
    std::memset(blocks_.back().get(), 0xab, bytes);
    return static_cast<Real *>(blocks_.back().get());
  }
  Matrix<T> get(const Real *block, int lane, int m, int n) const {
    Matrix<T> a(m, n);
    auto *to = reinterpret_cast<Real *>(a.data.data());
    for (int e = 0; e < m * n * kParts<T>; ++e)
      to[e] = block[e * kernels_.lanes + lane];
    return a;
  }

private:
  const Kernels<Real> &kernels_;
  std::vector<std::unique_ptr<void, void (*)(void *)>> blocks_;
};

// One for each set of instructions.
template <typename T> std::vector<const Kernels<RealOf<T>> *> variants();
#if defined(__x86_64__)
#define VARIANTS(type, name)                                                                                           \
  template <> std::vector<const Kernels<RealOf<type>> *> variants<type>() {                                            \
    std::vector<const Kernels<RealOf<type>> *> all = {&base::name, &avx2::name, &avx512::name};                        \
    all.resize(size_t(instructionSet()) + 1);                                                                          \
    return all;                                                                                                        \
  }
#else
#define VARIANTS(type, name)                                                                                           \
  template <> std::vector<const Kernels<RealOf<type>> *> variants<type>() { return {&base::name}; }
#endif
VARIANTS(float, f32)
VARIANTS(double, f64)
VARIANTS(std::complex<float>, c64)
VARIANTS(std::complex<double>, c128)

template <typename T> class SmallMatrices : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SmallMatrices, Types);

TYPED_TEST(SmallMatrices, LoadAndStore) {
  using T = TypeParam;
  for (auto *kernels : variants<T>())
    for (int count = 1; count <= kernels->lanes; ++count) {
      Blocks<T> blocks(*kernels);
      std::vector<Matrix<T>> matrices;
      for (int l = 0; l < count; ++l)
        matrices.push_back(randomMatrix<T>(3, 5, uint32_t(l)));
      auto *block = blocks.load(matrices);
      std::vector<T> memory(size_t(count) * 15 + 1, T(7));
      kernels->store(15 * kParts<T>, block, reinterpret_cast<RealOf<T> *>(memory.data()), 15 * kParts<T>, count);
      for (int l = 0; l < count; ++l)
        EXPECT_TRUE(std::equal(matrices[l].data.begin(), matrices[l].data.end(), memory.begin() + l * 15));
      EXPECT_EQ(memory.back(), T(7));
    }
}

TYPED_TEST(SmallMatrices, Cholesky) {
  using T = TypeParam;
  for (auto *kernels : variants<T>())
    for (int n = 1; n <= 9; ++n)
      for (bool lower : {false, true}) {
        Blocks<T> blocks(*kernels);
        std::vector<Matrix<T>> matrices;
        for (int l = 0; l < kernels->lanes; ++l)
          matrices.push_back(positiveMatrix<T>(n, uint32_t(31 * n + l)));
        // Not positive definite from row `bad` on; NaN is not either.
        int bad = n / 2;
        matrices[1](bad, bad) = T(-1);
        matrices[0](bad, bad) = std::numeric_limits<RealOf<T>>::quiet_NaN();
        auto *a = blocks.load(matrices);
        int32_t info[kMaxLanes];
        kernels->cholesky(n, lower, a, info);
        EXPECT_EQ(info[0], bad + 1);
        EXPECT_EQ(info[1], bad + 1);
        for (int l = 2; l < kernels->lanes; ++l) {
          EXPECT_EQ(info[l], 0);
          Matrix<T> factor = blocks.get(a, l, n, n);
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
              if (lower ? i < j : i > j) {
                EXPECT_EQ(factor(i, j), matrices[l](i, j)) << "the other triangle stays";
                factor(i, j) = T(0);
              }
          expectNear<T>(lower ? factor * adjoint(factor) : adjoint(factor) * factor, matrices[l], RealOf<T>(n + 1));
        }
      }
}

TYPED_TEST(SmallMatrices, LU) {
  using T = TypeParam;
  for (auto *kernels : variants<T>())
    for (auto [m, n] : {std::pair(1, 1), {2, 2}, {3, 3}, {4, 7}, {8, 8}, {9, 5}, {16, 16}}) {
      Blocks<T> blocks(*kernels);
      std::vector<Matrix<T>> matrices;
      for (int l = 0; l < kernels->lanes; ++l)
        matrices.push_back(randomMatrix<T>(m, n, uint32_t(31 * n + l)));
      for (int i = 0; i < m; ++i)
        matrices[1](i, 0) = T(0);
      int steps = std::min(m, n);
      auto *a = blocks.load(matrices);
      std::vector<int32_t> pivots(size_t(steps * kernels->lanes));
      int32_t info[kMaxLanes];
      kernels->lu(m, n, a, pivots.data(), info);
      for (int l = 0; l < kernels->lanes; ++l) {
        EXPECT_EQ(info[l], l == 1 ? 1 : 0);
        Matrix<T> factors = blocks.get(a, l, m, n), lower(m, steps), upper(steps, n);
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < m; ++i) {
            if (i <= j && i < steps)
              upper(i, j) = factors(i, j);
            if (j < steps && i >= j)
              lower(i, j) = i == j ? T(1) : factors(i, j);
            if (j < steps && i > j)
              EXPECT_LE(std::abs(factors(i, j)), RealOf<T>(1.5)); // of complex ones, by the sum of parts
          }
        Matrix<T> permuted = matrices[l];
        for (int k = 0; k < steps; ++k) {
          int row = pivots[size_t(k * kernels->lanes + l)] - 1;
          ASSERT_GE(row, k);
          ASSERT_LT(row, m);
          for (int j = 0; j < n; ++j)
            std::swap(permuted(k, j), permuted(row, j));
        }
        expectNear<T>(lower * upper, permuted, RealOf<T>(n));
      }
    }
}

TYPED_TEST(SmallMatrices, Solve) {
  using T = TypeParam;
  for (auto *kernels : variants<T>())
    for (int form = 0; form < 32; ++form) {
      SolveForm f = {(form & 1) != 0, (form & 2) != 0, (form & 4) != 0, (form & 8) != 0, (form & 16) != 0};
      int m = 5, n = 3, order = f.left ? m : n;
      Blocks<T> blocks(*kernels);
      std::vector<Matrix<T>> matrices, sides;
      for (int l = 0; l < kernels->lanes; ++l) {
        matrices.push_back(randomMatrix<T>(order, order, uint32_t(form + l)));
        for (int i = 0; i < order; ++i)
          matrices[l](i, i) += T(3);
        sides.push_back(randomMatrix<T>(m, n, uint32_t(form + l + 100)));
      }
      auto *b = blocks.load(sides);
      kernels->solve(f, m, n, blocks.load(matrices), b);
      for (int l = 0; l < kernels->lanes; ++l) {
        Matrix<T> op(order, order), x = blocks.get(b, l, m, n);
        for (int j = 0; j < order; ++j)
          for (int i = 0; i < order; ++i) {
            T value = i == j && f.unitDiagonal ? T(1) : i == j || (f.lower == (i > j)) ? matrices[l](i, j) : T(0);
            (f.transposed ? op(j, i) : op(i, j)) = f.conjugated ? conjugate(value) : value;
          }
        expectNear<T>(f.left ? op * x : x * op, sides[l], RealOf<T>(16));
      }
    }
}

TYPED_TEST(SmallMatrices, QR) {
  using T = TypeParam;
  for (auto *kernels : variants<T>())
    for (auto [m, n] : {std::pair(1, 1), {2, 2}, {3, 3}, {7, 4}, {4, 7}, {16, 16}})
      for (RealOf<T> scale : scales<RealOf<T>>()) {
        Blocks<T> blocks(*kernels);
        std::vector<Matrix<T>> matrices;
        for (int l = 0; l < kernels->lanes; ++l) {
          matrices.push_back(randomMatrix<T>(m, n, uint32_t(31 * n + l)));
          for (T &value : matrices[l].data)
            value *= scale;
        }
        for (int i = 0; i < m; ++i)
          matrices[1](i, 0) = T(0);
        int steps = std::min(m, n);
        auto *a = blocks.load(matrices), *tau = blocks.make(size_t(steps));
        kernels->qr(m, n, a, tau);
        auto *q = blocks.make(size_t(m * m));
        for (int e = 0; e < m * steps * kParts<T> * kernels->lanes; ++e)
          q[e] = a[e];
        kernels->formQ(m, m, steps, q, tau);
        for (int l = 0; l < kernels->lanes; ++l) {
          Matrix<T> r = blocks.get(a, l, m, n), unitary = blocks.get(q, l, m, m);
          for (int j = 0; j < n; ++j)
            for (int i = j + 1; i < m; ++i)
              r(i, j) = T(0);
          expectNear<T>(adjoint(unitary) * unitary, identity<T>(m));
          expectNear<T>(unitary * r, matrices[l], scale * RealOf<T>(n));
          if (l == 1)
            EXPECT_EQ(blocks.get(tau, l, 1, steps)(0, 0), T(0));
        }
      }
}

TYPED_TEST(SmallMatrices, Eigh) {
  using T = TypeParam;
  for (auto *kernels : variants<T>())
    for (int n : {1, 2, 3, 5, 8, 16})
      for (bool lower : {false, true})
        for (RealOf<T> scale : scales<RealOf<T>>()) {
          Blocks<T> blocks(*kernels);
          std::vector<Matrix<T>> matrices, given;
          for (int l = 0; l < kernels->lanes; ++l) {
            Matrix<T> a = randomMatrix<T>(n, n, uint32_t(31 * n + l)), other = adjoint(a);
            for (size_t i = 0; i < a.data.size(); ++i)
              a.data[i] = l == 1 ? T(i % size_t(n + 1) == 0 ? scale : 0) : (a.data[i] + other.data[i]) * scale;
            matrices.push_back(a);
            given.push_back(a);
            for (int j = 0; j < n; ++j)
              for (int i = 0; i < n; ++i)
                if (lower ? i < j : i > j)
                  given[l](i, j) = T(1234);
          }
          auto *a = blocks.load(given), *work = blocks.make(size_t(n * n));
          Blocks<RealOf<T>> reals(*kernels);
          auto *w = reals.make(size_t(n));
          int32_t info[kMaxLanes];
          kernels->eigh(n, lower, true, a, w, work, info);
          for (int l = 0; l < kernels->lanes; ++l) {
            EXPECT_EQ(info[l], 0);
            Matrix<T> vectors = blocks.get(a, l, n, n), diagonal(n, n);
            Matrix<RealOf<T>> values = reals.get(w, l, 1, n);
            EXPECT_TRUE(std::is_sorted(values.data.begin(), values.data.end()));
            for (int i = 0; i < n; ++i)
              diagonal(i, i) = values(0, i);
            expectNear<T>(adjoint(vectors) * vectors, identity<T>(n));
            expectNear<T>(matrices[l] * vectors, vectors * diagonal, scale * RealOf<T>(n + 2));
          }
          auto *again = blocks.load(given);
          auto *valuesOnly = reals.make(size_t(n));
          kernels->eigh(n, lower, false, again, valuesOnly, work, info);
          EXPECT_EQ(std::memcmp(w, valuesOnly, sizeof(RealOf<T>) * size_t(n * kernels->lanes)), 0);
        }
}

TYPED_TEST(SmallMatrices, SVD) {
  using T = TypeParam;
  for (auto *kernels : variants<T>())
    for (auto [m, n] : {std::pair(1, 1), {2, 2}, {3, 3}, {7, 4}, {4, 7}, {16, 16}})
      for (bool full : {false, true})
        for (RealOf<T> scale : scales<RealOf<T>>()) {
          Blocks<T> blocks(*kernels);
          std::vector<Matrix<T>> matrices;
          for (int l = 0; l < kernels->lanes; ++l) {
            matrices.push_back(randomMatrix<T>(m, n, uint32_t(31 * n + l)));
            if (l == 1) // of rank 1
              matrices[1] = randomMatrix<T>(m, 1, 5) * randomMatrix<T>(1, n, 6);
            for (T &value : matrices[l].data)
              value *= scale;
          }
          std::fill(matrices[0].data.begin(), matrices[0].data.end(), T(0));
          int k = std::min(m, n), left = full ? m : k, right = full ? n : k;
          auto *u = blocks.make(size_t(m * left)), *vt = blocks.make(size_t(right * n)),
               *work = blocks.make(size_t(svdWork(m, n)));
          Blocks<RealOf<T>> reals(*kernels);
          auto *s = reals.make(size_t(k)), *valuesOnly = reals.make(size_t(k));
          int32_t info[kMaxLanes];
          kernels->svd(m, n, true, full, blocks.load(matrices), s, u, vt, work, info);
          for (int l = 0; l < kernels->lanes; ++l) {
            EXPECT_EQ(info[l], 0);
            Matrix<T> unitary = blocks.get(u, l, m, left), other = blocks.get(vt, l, right, n), middle(left, right);
            Matrix<RealOf<T>> values = reals.get(s, l, 1, k);
            EXPECT_TRUE(std::is_sorted(values.data.rbegin(), values.data.rend()));
            EXPECT_GE(values.data.back(), 0);
            for (int i = 0; i < k; ++i)
              middle(i, i) = values(0, i);
            expectNear<T>(adjoint(unitary) * unitary, identity<T>(left));
            expectNear<T>(other * adjoint(other), identity<T>(right));
            expectNear<T>(unitary * (middle * other), matrices[l], scale * RealOf<T>(n));
          }
          kernels->svd(m, n, false, full, blocks.load(matrices), valuesOnly, nullptr, nullptr, work, info);
          EXPECT_EQ(std::memcmp(s, valuesOnly, sizeof(RealOf<T>) * size_t(k * kernels->lanes)), 0);
        }
}

// NaN and early or late convergence beside a matrix are nothing to it.
TYPED_TEST(SmallMatrices, LanesAreApart) {
  using T = TypeParam;
  constexpr int n = 6;
  for (auto *kernels : variants<T>()) {
    std::vector<Matrix<T>> alone = {positiveMatrix<T>(n, 5)}, inCompany;
    for (int l = 0; l < kernels->lanes; ++l)
      inCompany.push_back(l == 1 ? alone[0] : l % 2 ? positiveMatrix<T>(n, uint32_t(l)) : identity<T>(n));
    for (T &value : inCompany[0].data)
      value = std::numeric_limits<RealOf<T>>::quiet_NaN();
    auto factors = [&](const std::vector<Matrix<T>> &matrices, int lane) {
      Blocks<T> blocks(*kernels);
      std::vector<T> all;
      auto keep = [&](const RealOf<T> *block) {
        Matrix<T> matrix = blocks.get(block, lane, n, n);
        all.insert(all.end(), matrix.data.begin(), matrix.data.end());
      };
      int32_t info[kMaxLanes], pivots[n * kMaxLanes];
      auto *a = blocks.load(matrices);
      kernels->cholesky(n, true, a, info);
      keep(a);
      a = blocks.load(matrices);
      kernels->lu(n, n, a, pivots, info);
      keep(a);
      a = blocks.load(matrices);
      kernels->qr(n, n, a, blocks.make(n));
      keep(a);
      a = blocks.load(matrices);
      kernels->eigh(n, true, true, a, blocks.make(n), blocks.make(n * n), info);
      keep(a);
      auto *u = blocks.make(n * n), *vt = blocks.make(n * n);
      kernels->svd(n, n, true, true, blocks.load(matrices), blocks.make(n), u, vt, blocks.make(svdWork(n, n)), info);
      keep(u);
      keep(vt);
      return all;
    };
    auto first = factors(alone, 0), second = factors(inCompany, 1);
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(T)), 0);
  }
}

} // namespace
} // namespace tenon::runtime::small_matrices
