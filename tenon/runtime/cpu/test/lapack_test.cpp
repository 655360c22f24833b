#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/cpu/cholesky/cholesky.h"
#include "tenon/runtime/cpu/qr/qr.h"
#include "tenon/runtime/cpu/test/lapack_testing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <complex>
#include <limits>

namespace tenon::runtime {
namespace {

using lapack_testing::Array;
using lapack_testing::Call;
using lapack_testing::hermitian;
using lapack_testing::randomArray;
using lapack_testing::target;
using matrix_testing::adjoint;
using matrix_testing::conjugate;
using matrix_testing::identity;
using matrix_testing::Matrix;
using program::RuntimeCall;
using testing::HasSubstr;
using namespace program::attribute;

template <typename T> void expectNear(const Matrix<T> &a, const Matrix<T> &b, const char *what) {
  using Real = typename lapack::TypeTraits<T>::Real;
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.columns, b.columns);
  for (size_t i = 0; i < a.data.size(); ++i)
    ASSERT_LT(std::abs(a.data[i] - b.data[i]), 200 * std::numeric_limits<Real>::epsilon() * Real(a.rows + 1))
        << what << " at " << i;
}

template <typename T> class Lapack : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Lapack, Types);

// Too few matrices for the lanes of a vector, and enough, with some lanes left over.
constexpr int64_t kBatch = 3, kFew = kBatch, kMany = 37;

TYPED_TEST(Lapack, Cholesky) {
  using T = TypeParam;
  for (int64_t batch : {kFew, kMany})
    for (int64_t n : {1, 2, 7, 40}) {
      Array<T> a = hermitian<T>(batch, n, double(n), 1), out({batch, n, n});
      Array<int32_t> info({batch});
      for (bool aliased : {false, true}) {
        Call call(target<T>("potrf"), {{"uplo", ui8('L')}}, 1);
        call.in(a).out(out).out(info);
        if (aliased)
          call.alias(0, 0);
        EXPECT_RUNS(call);
        for (int64_t b = 0; b < batch; ++b) {
          EXPECT_EQ(info.data[size_t(b)], 0);
          Matrix<T> l(out, b);
          for (int64_t i = 0; i < n; ++i)
            for (int64_t j = i + 1; j < n; ++j)
              l(i, j) = 0;
          expectNear(l * adjoint(l), Matrix<T>(a, b), "L L^H");
        }
      }
    }
  // Not positive definite: the order of the first bad minor.
  Array<T> bad({2, 2}), out({2, 2});
  Array<int32_t> info((std::vector<int64_t>()));
  bad.data = {T(1), T(0), T(0), T(-1)};
  EXPECT_RUNS(Call(target<T>("potrf"), {{"uplo", ui8('L')}}, 0).in(bad).out(out).out(info));
  EXPECT_EQ(info.data[0], 2);
}

// Real matrices are shared among threads, one or several of them, and complex ones are the library's: that shows in the
// bits.
TYPED_TEST(Lapack, LargeCholesky) {
  using T = TypeParam;
  int64_t n = 300;
  for (int64_t batch : {1, 2})
    for (char uplo : {'L', 'U'}) {
      Array<T> a = hermitian<T>(batch, n, double(n), 1), out({batch, n, n});
      Array<int32_t> info({batch});
      EXPECT_RUNS(Call(target<T>("potrf"), {{"uplo", ui8(uplo)}}, 1).in(a).out(out).out(info));
      for (int64_t b = 0; b < batch; ++b) {
        Matrix<T> expected(a, b);
        auto order = int32_t(n);
        int32_t failed = 0;
        if constexpr (lapack::TypeTraits<T>::isComplex) {
          lapack::invoke((*LapackLibrary::get())->find(lapack::TypeTraits<T>::letter + std::string("potrf")),
                         (const char *)&uplo, &order, expected.data.data(), &order, &failed);
        } else {
          ThreadPool pool(1);
          Buffer work(size_t(cholesky::workElements<T>(n)) * sizeof(T));
          cholesky::factor(pool, uplo == 'L', n, expected.data.data(), n, static_cast<T *>(work.data()));
        }
        EXPECT_EQ(info.data[size_t(b)], failed);
        EXPECT_EQ(Matrix<T>(out, b).data, expected.data);
      }
    }
}

TYPED_TEST(Lapack, Lu) {
  using T = TypeParam;
  for (int64_t batch : {kFew, kMany})
    for (auto [m, n] : {std::pair<int64_t, int64_t>{5, 5}, {6, 4}, {3, 8}}) {
      int64_t k = std::min(m, n);
      Array<T> a = randomArray<T>({batch, m, n}, 2), out({batch, m, n});
      Array<int32_t> pivots({batch, k}), info({batch});
      EXPECT_RUNS(Call(target<T>("getrf"), {}, 1).in(a).out(out).out(pivots).out(info).alias(0, 0));
      for (int64_t b = 0; b < batch; ++b) {
        Matrix<T> lu(out, b), l(m, k), u(k, n);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            if (j < k && i >= j)
              l(i, j) = i == j ? T(1) : lu(i, j);
            if (i < k && i <= j)
              u(i, j) = lu(i, j);
          }
        Matrix<T> product = l * u;
        for (int64_t i = k; i-- > 0;) {
          int64_t other = pivots.data[size_t(b * k + i)] - 1;
          ASSERT_GE(other, i);
          for (int64_t j = 0; j < n; ++j)
            std::swap(product(i, j), product(other, j));
        }
        expectNear(product, Matrix<T>(a, b), "P L U");
      }
    }
}

TYPED_TEST(Lapack, QrAndReflectors) {
  using T = TypeParam;
  for (int64_t batch : {kFew, kMany})
    for (auto [m, n] : {std::pair<int64_t, int64_t>{6, 4}, {5, 5}, {4, 6}}) {
      int64_t k = std::min(m, n);
      Array<T> a = randomArray<T>({batch, m, n}, 3), packed({batch, m, n}), tau({batch, k});
      EXPECT_RUNS(Call(target<T>("geqrf"), {}, 1).in(a).out(packed).out(tau).alias(0, 0));
      // Q's first k columns.
      Array<T> reflectors({batch, m, k}), q({batch, m, k});
      for (int64_t b = 0; b < batch; ++b)
        for (int64_t i = 0; i < m; ++i)
          std::copy_n(&packed.data[size_t((b * m + i) * n)], k, &reflectors.data[size_t((b * m + i) * k)]);
      const char *orgqr = lapack::TypeTraits<T>::isComplex ? "ungqr" : "orgqr";
      EXPECT_RUNS(Call(target<T>(orgqr), {}, 1).in(reflectors).in(tau).out(q).alias(0, 0));
      // Q^H A by the other routine.
      Array<T> product({batch, m, n});
      const char *ormqr = lapack::TypeTraits<T>::isComplex ? "unmqr" : "ormqr";
      EXPECT_RUNS(Call(target<T>(ormqr), {{"left", boolean(true)}, {"transpose", boolean(true)}}, 1)
                      .in(reflectors)
                      .in(tau)
                      .in(a)
                      .out(product)
                      .alias(0, 2));
      for (int64_t b = 0; b < batch; ++b) {
        Matrix<T> qb(q, b), r(k, n), rAll(m, n), pb(packed, b);
        for (int64_t i = 0; i < k; ++i)
          for (int64_t j = i; j < n; ++j)
            r(i, j) = rAll(i, j) = pb(i, j);
        expectNear(qb * r, Matrix<T>(a, b), "Q R");
        expectNear(adjoint(qb) * qb, identity<T>(k), "Q^H Q");
        expectNear(Matrix<T>(product, b), rAll, "Q^H A");
      }
    }
}

// What the library makes of a matrix, or the factorization that is shared among threads.
template <typename T> struct ExpectedQr {
  Matrix<T> packed;
  std::vector<T> tau;

  ExpectedQr(const Matrix<T> &a, bool isOwn) : packed(a), tau(size_t(std::min(a.rows, a.columns))) {
    auto m = int32_t(a.rows), n = int32_t(a.columns);
    if constexpr (!lapack::TypeTraits<T>::isComplex)
      if (isOwn) {
        ThreadPool pool(1);
        std::vector<T> work(size_t(qr::workElements<T>(m, n)));
        qr::factor(pool, m, n, packed.data.data(), tau.data(), work.data());
        return;
      }
    T answer{};
    int32_t size = -1, failed = 0;
    void *routine = (*LapackLibrary::get())->find(lapack::TypeTraits<T>::letter + std::string("geqrf"));
    lapack::invoke(routine, &m, &n, packed.data.data(), &m, tau.data(), &answer, &size, &failed);
    size = int32_t(std::real(answer));
    std::vector<T> work(static_cast<size_t>(size));
    lapack::invoke(routine, &m, &n, packed.data.data(), &m, tau.data(), work.data(), &size, &failed);
  }
};

// Real matrices that are neither small nor narrow are shared among threads, and others are the library's: that shows in
// the bits.
TYPED_TEST(Lapack, LargeQr) {
  using T = TypeParam;
  for (int64_t batch : {1, 2})
    for (auto [m, n] : {std::pair<int64_t, int64_t>{70, 70}, {90, 40}, {40, 90}, {70, 8}, {600, 32}}) {
      Array<T> a = randomArray<T>({batch, m, n}, 5), packed({batch, m, n}), tau({batch, std::min(m, n)});
      EXPECT_RUNS(Call(target<T>("geqrf"), {}, 1).in(a).out(packed).out(tau));
      for (int64_t b = 0; b < batch; ++b) {
        ExpectedQr<T> expected(Matrix<T>(a, b), qr::isFaster(m, n));
        EXPECT_EQ(Matrix<T>(packed, b).data, expected.packed.data) << m << " by " << n;
        EXPECT_TRUE(std::equal(expected.tau.begin(), expected.tau.end(), tau.data.begin() + b * std::min(m, n)));
      }
    }
}

TYPED_TEST(Lapack, FactorOfLargeQr) {
  using T = TypeParam;
  for (auto [m, n] : {std::pair<int64_t, int64_t>{70, 70}, {90, 40}}) {
    Array<T> a = randomArray<T>({1, m, n}, 6), packed({1, m, n}), tau({1, n}), q({1, m, n});
    EXPECT_RUNS(Call(target<T>("geqrf"), {}, 1).in(a).out(packed).out(tau));
    const char *orgqr = lapack::TypeTraits<T>::isComplex ? "ungqr" : "orgqr";
    EXPECT_RUNS(Call(target<T>(orgqr), {}, 1).in(packed).in(tau).out(q));
    Matrix<T> factor(q, 0), r(n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i; j < n; ++j)
        r(i, j) = packed.data[size_t(i * n + j)];
    expectNear(factor * r, Matrix<T>(a, 0), "Q R");
    if constexpr (!lapack::TypeTraits<T>::isComplex)
      if (qr::isFaster(m, n)) {
        ThreadPool pool(1);
        Matrix<T> expected(packed, 0);
        std::vector<T> work(size_t(qr::workElements<T>(m, n)));
        qr::formFactor(pool, m, n, n, expected.data.data(), tau.data.data(), work.data());
        EXPECT_EQ(factor.data, expected.data);
      }
  }
}

TYPED_TEST(Lapack, PivotedQr) {
  using T = TypeParam;
  int64_t m = 6, n = 5;
  Array<T> a = randomArray<T>({kBatch, m, n}, 4), packed({kBatch, m, n}), tau({kBatch, n});
  Array<int32_t> free({kBatch, n}), pivots({kBatch, n});
  EXPECT_RUNS(Call(target<T>("geqp3"), {}, 1).in(a).in(free).out(packed).out(pivots).out(tau).alias(0, 0).alias(1, 1));
  for (int64_t b = 0; b < kBatch; ++b) {
    std::vector<int32_t> order(pivots.data.begin() + b * n, pivots.data.begin() + (b + 1) * n);
    for (int64_t i = 1; i < n; ++i) // falling diagonal
      EXPECT_LE(std::abs(Matrix<T>(packed, b)(i, i)), std::abs(Matrix<T>(packed, b)(i - 1, i - 1)) * 1.001);
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(order[size_t(i)], i + 1);
  }
}

TYPED_TEST(Lapack, HermitianEigenvalues) {
  using T = TypeParam;
  using Real = typename lapack::TypeTraits<T>::Real;
  for (int64_t batch : {kFew, kMany})
    for (int64_t n : {1, 6, 40}) {
      Array<T> a = hermitian<T>(batch, n, 0, 5), v({batch, n, n});
      Array<Real> w({batch, n});
      Array<int32_t> info({batch});
      const char *name = lapack::TypeTraits<T>::isComplex ? "heevd" : "syevd";
      EXPECT_RUNS(
          Call(target<T>(name), {{"mode", ui8('V')}, {"uplo", ui8('L')}}, 1).in(a).out(v).out(w).out(info).alias(0, 0));
      for (int64_t b = 0; b < batch; ++b) {
        EXPECT_EQ(info.data[size_t(b)], 0);
        Matrix<T> vb(v, b), diagonal(n, n);
        for (int64_t i = 0; i < n; ++i)
          diagonal(i, i) = T(w.data[size_t(b * n + i)]);
        expectNear(vb * diagonal * adjoint(vb), Matrix<T>(a, b), "V W V^H");
        EXPECT_TRUE(std::is_sorted(w.data.begin() + b * n, w.data.begin() + (b + 1) * n));
      }
    }
}

TYPED_TEST(Lapack, SingularValues) {
  using T = TypeParam;
  using Real = typename lapack::TypeTraits<T>::Real;
  for (int64_t batch : {kFew, kMany})
    for (auto [m, n] : {std::pair<int64_t, int64_t>{6, 4}, {5, 5}, {4, 7}})
      for (const char *name : {"gesdd", "gesvd"})
        for (bool full : {false, true}) {
          int64_t k = std::min(m, n), uColumns = full ? m : k, vRows = full ? n : k;
          Array<T> a = randomArray<T>({batch, m, n}, 6), rest({batch, m, n}), u({batch, m, uColumns}),
                   vt({batch, vRows, n});
          Array<Real> s({batch, k});
          Array<int32_t> info({batch});
          EXPECT_RUNS(Call(target<T>(name), {{"mode", ui8(full ? 'A' : 'S')}}, 1)
                          .in(a)
                          .out(rest)
                          .out(s)
                          .out(u)
                          .out(vt)
                          .out(info)
                          .alias(0, 0));
          for (int64_t b = 0; b < batch; ++b) {
            Matrix<T> ub(u, b), vb(vt, b), middle(uColumns, vRows);
            for (int64_t i = 0; i < k; ++i)
              middle(i, i) = T(s.data[size_t(b * k + i)]);
            expectNear(ub * middle * vb, Matrix<T>(a, b), "U S V^H");
            expectNear(adjoint(ub) * ub, identity<T>(uColumns), "U^H U");
          }
          // Values only.
          Array<Real> s2({batch, k});
          EXPECT_RUNS(Call(target<T>(name), {{"mode", ui8('N')}}, 1).in(a).out(rest).out(s2).out(u).out(vt).out(info));
          for (size_t i = 0; i < s.data.size(); ++i)
            EXPECT_NEAR(s.data[i], s2.data[i], 100 * std::numeric_limits<Real>::epsilon());
        }
}

TYPED_TEST(Lapack, GeneralEigenvalues) {
  using T = TypeParam;
  using Real = typename lapack::TypeTraits<T>::Real;
  using Complex = std::complex<Real>;
  int64_t n = 7; // odd: real matrices have a real eigenvalue, and pairs
  Array<T> a = randomArray<T>({kBatch, n, n}, 7), w0({kBatch, n}), w1({kBatch, n});
  Array<Complex> left({kBatch, n, n}), right({kBatch, n, n});
  Array<int32_t> info({kBatch});
  Call call(target<T>("geev"), {{"compute_left", ui8('V')}, {"compute_right", ui8('V')}}, 1);
  call.in(a).out(w0);
  if (!lapack::TypeTraits<T>::isComplex)
    call.out(w1);
  call.out(left).out(right).out(info);
  EXPECT_RUNS(call);
  for (int64_t b = 0; b < kBatch; ++b) {
    Matrix<Complex> ab(n, n), wb(n, n), vr(right, b), vl(left, b);
    for (int64_t i = 0; i < n; ++i) {
      wb(i, i) = Complex(w0.data[size_t(b * n + i)]) + Complex(0, 1) * Complex(w1.data[size_t(b * n + i)]);
      for (int64_t j = 0; j < n; ++j)
        ab(i, j) = Complex(a.data[size_t((b * n + i) * n + j)]);
    }
    expectNear(ab * vr, vr * wb, "A V = V W");
    expectNear(adjoint(vl) * ab, wb * adjoint(vl), "U^H A = W U^H");
  }
}

TYPED_TEST(Lapack, Schur) {
  using T = TypeParam;
  int64_t n = 6;
  Array<T> a = randomArray<T>({kBatch, n, n}, 8), form({kBatch, n, n}), vectors({kBatch, n, n}), w0({kBatch, n}),
           w1({kBatch, n});
  Array<int32_t> selected({kBatch}), info({kBatch});
  Call call(target<T>("gees"), {{"mode", ui8('V')}, {"sort", ui8('N')}}, 1);
  call.in(a).out(form).out(vectors).out(w0);
  if (!lapack::TypeTraits<T>::isComplex)
    call.out(w1);
  call.out(selected).out(info).alias(0, 0);
  EXPECT_RUNS(call);
  for (int64_t b = 0; b < kBatch; ++b) {
    Matrix<T> z(vectors, b);
    expectNear(z * Matrix<T>(form, b) * adjoint(z), Matrix<T>(a, b), "Z T Z^H");
  }
}

TYPED_TEST(Lapack, HessenbergAndTridiagonal) {
  using T = TypeParam;
  using Real = typename lapack::TypeTraits<T>::Real;
  int64_t n = 6;
  Array<T> a = hermitian<T>(kBatch, n, 0, 9), out({kBatch, n, n}), tau({kBatch, n - 1});
  Array<int32_t> info({kBatch});
  EXPECT_RUNS(
      Call(target<T>("gehrd"), {{"high", i32(6)}, {"low", i32(1)}}, 1).in(a).out(out).out(tau).out(info).alias(0, 0));
  auto traceAndNorm = [&](const Matrix<T> &m, bool hessenbergOnly) {
    double trace = 0, norm = 0;
    for (int64_t i = 0; i < n; ++i) {
      trace += std::real(m(i, i));
      for (int64_t j = 0; j < n; ++j)
        if (!hessenbergOnly || j >= i - 1)
          norm += std::norm(m(i, j));
    }
    return std::pair(trace, norm);
  };
  double tolerance = 200 * std::numeric_limits<Real>::epsilon();
  for (int64_t b = 0; b < kBatch; ++b) {
    auto [trace, norm] = traceAndNorm(Matrix<T>(a, b), false);
    auto [trace2, norm2] = traceAndNorm(Matrix<T>(out, b), true);
    EXPECT_NEAR(trace, trace2, tolerance * n);
    EXPECT_NEAR(norm, norm2, tolerance * norm);
  }
  Array<Real> d({kBatch, n}), e({kBatch, n - 1});
  const char *name = lapack::TypeTraits<T>::isComplex ? "hetrd" : "sytrd";
  EXPECT_RUNS(
      Call(target<T>(name), {{"uplo", ui8('L')}}, 1).in(a).out(out).out(d).out(e).out(tau).out(info).alias(0, 0));
  for (int64_t b = 0; b < kBatch; ++b) {
    auto [trace, norm] = traceAndNorm(Matrix<T>(a, b), false);
    double trace2 = 0, norm2 = 0;
    for (int64_t i = 0; i < n; ++i) {
      trace2 += d.data[size_t(b * n + i)];
      norm2 += std::norm(d.data[size_t(b * n + i)]);
      if (i + 1 < n)
        norm2 += 2 * std::norm(e.data[size_t(b * (n - 1) + i)]);
    }
    EXPECT_NEAR(trace, trace2, tolerance * n);
    EXPECT_NEAR(norm, norm2, tolerance * norm);
  }
}

TYPED_TEST(Lapack, TriangularSolve) {
  using T = TypeParam;
  int64_t n = 5, columns = 3;
  Array<T> a = randomArray<T>({kBatch, n, n}, 10);
  for (int64_t b = 0; b < kBatch; ++b)
    for (int64_t i = 0; i < n; ++i)
      a.data[size_t((b * n + i) * n + i)] += T(3);
  for (char side : {'L', 'R'})
    for (char uplo : {'L', 'U'})
      for (char trans : {'N', 'T', 'C'})
        for (char diag : {'N', 'U'}) {
          std::vector<int64_t> dims = {kBatch, side == 'L' ? n : columns, side == 'L' ? columns : n};
          Array<T> b = randomArray<T>(dims, 11), x(dims);
          program::AttributeDict attributes = {
              {"diag", ui8(diag)}, {"side", ui8(side)}, {"trans_x", ui8(trans)}, {"uplo", ui8(uplo)}};
          EXPECT_RUNS(Call(target<T>("trsm"), attributes, 1).in(a).in(b).out(x).alias(0, 1));
          for (int64_t k = 0; k < kBatch; ++k) {
            Matrix<T> full(a, k), op(n, n);
            for (int64_t i = 0; i < n; ++i)
              for (int64_t j = 0; j < n; ++j) {
                T value = i == j && diag == 'U' ? T(1) : (uplo == 'L' ? i >= j : i <= j) ? full(i, j) : T(0);
                (trans == 'N' ? op(i, j) : op(j, i)) = trans == 'C' ? conjugate(value) : value;
              }
            Matrix<T> xk(x, k);
            expectNear(side == 'L' ? op * xk : xk * op, Matrix<T>(b, k), "op(A) X");
          }
        }
}

// Large enough for several parts.
TYPED_TEST(Lapack, TriangularSolveInParts) {
  using T = TypeParam;
  int64_t n = 200, columns = 331;
  Array<T> a = randomArray<T>({kBatch, n, n}, 10);
  for (int64_t b = 0; b < kBatch; ++b)
    for (int64_t i = 0; i < n; ++i)
      a.data[size_t((b * n + i) * n + i)] += T(50);
  for (char side : {'L', 'R'}) {
    std::vector<int64_t> dims = {kBatch, side == 'L' ? n : columns, side == 'L' ? columns : n};
    Array<T> b = randomArray<T>(dims, 11), x(dims), alone(dims);
    program::AttributeDict attributes = {
        {"diag", ui8('N')}, {"side", ui8(side)}, {"trans_x", ui8('N')}, {"uplo", ui8('L')}};
    EXPECT_RUNS(Call(target<T>("trsm"), attributes, 1).in(a).in(b).out(x).alias(0, 1));
    ASSERT_TRUE(Call(target<T>("trsm"), attributes, 1).in(a).in(b).out(alone).alias(0, 1).run(1).ok());
    EXPECT_EQ(x.data, alone.data);
    for (int64_t k = 0; k < kBatch; ++k) {
      Matrix<T> full(a, k), lower(n, n), xk(x, k);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j)
          lower(i, j) = full(i, j);
      expectNear(side == 'L' ? lower * xk : xk * lower, Matrix<T>(b, k), "A X");
    }
  }
}

TYPED_TEST(Lapack, TridiagonalSolve) {
  using T = TypeParam;
  int64_t n = 8, columns = 2;
  Array<T> below = randomArray<T>({kBatch, n}, 12), diagonal = randomArray<T>({kBatch, n}, 13),
           above = randomArray<T>({kBatch, n}, 14), b = randomArray<T>({kBatch, n, columns}, 15);
  for (T &value : diagonal.data)
    value += T(3);
  Array<T> o0({kBatch, n}), o1({kBatch, n}), o2({kBatch, n}), x({kBatch, n, columns}), x2({kBatch, n, columns});
  Array<int32_t> info({kBatch});
  EXPECT_RUNS(Call(target<T>("gtsv"), {}, 1)
                  .in(below)
                  .in(diagonal)
                  .in(above)
                  .in(b)
                  .out(o0)
                  .out(o1)
                  .out(o2)
                  .out(x)
                  .out(info)
                  .alias(0, 0)
                  .alias(1, 1)
                  .alias(2, 2)
                  .alias(3, 3));
  EXPECT_RUNS(Call("tridiagonal_solve_perturbed_ffi", {}, 1).in(below).in(diagonal).in(above).in(b).out(x2));
  for (int64_t k = 0; k < kBatch; ++k) {
    Matrix<T> m(n, n);
    for (int64_t i = 0; i < n; ++i) {
      m(i, i) = diagonal.data[size_t(k * n + i)];
      if (i > 0)
        m(i, i - 1) = below.data[size_t(k * n + i)];
      if (i + 1 < n)
        m(i, i + 1) = above.data[size_t(k * n + i)];
    }
    expectNear(m * Matrix<T>(x, k), Matrix<T>(b, k), "gtsv");
    expectNear(m * Matrix<T>(x2, k), Matrix<T>(b, k), "perturbed");
  }
}

// Rows must be exchanged, and a singular matrix gives finite, large answers.
TYPED_TEST(Lapack, PerturbedTridiagonalSolve) {
  using T = TypeParam;
  Array<T> below({3}), diagonal({3}), above({3}), b({3, 1}), x({3, 1});
  below.data = {T(0), T(2), T(3)};
  diagonal.data = {T(0), T(0), T(1)};
  above.data = {T(1), T(4), T(0)};
  b.data = {T(5), T(6), T(7)};
  EXPECT_RUNS(Call("tridiagonal_solve_perturbed_ffi", {}, 0).in(below).in(diagonal).in(above).in(b).out(x));
  // x1 = 5; 3 x1 + x2 = 7; 2 x0 + 4 x2 = 6
  EXPECT_NEAR(std::abs(x.data[1] - T(5)), 0, 1e-5);
  EXPECT_NEAR(std::abs(x.data[2] - T(-8)), 0, 1e-5);
  EXPECT_NEAR(std::abs(x.data[0] - T(19)), 0, 1e-4);
  below.data = diagonal.data = above.data = {T(1), T(1), T(1)};
  diagonal.data = {T(1), T(1), T(0)};
  below.data = {T(0), T(1), T(0)};
  EXPECT_RUNS(Call("tridiagonal_solve_perturbed_ffi", {}, 0).in(below).in(diagonal).in(above).in(b).out(x));
  for (T value : x.data)
    EXPECT_TRUE(std::isfinite(std::abs(value)));
}

TEST(LapackErrors, NotFinite) {
  Array<double> a({2, 2}), v({2, 2}), w({2});
  Array<int32_t> info((std::vector<int64_t>()));
  for (double bad : {double(NAN), double(INFINITY)}) {
    a.data = {1, 2, 2, bad};
    EXPECT_RUNS(Call("lapack_dsyevd_ffi", {{"mode", ui8('V')}, {"uplo", ui8('L')}}, 0).in(a).out(v).out(w).out(info));
    EXPECT_NE(info.data[0], 0);
  }
}

TEST(LapackErrors, EmptyMatricesAndBatches) {
  Array<float> a({0, 4, 4}), out({0, 4, 4});
  Array<int32_t> info({0});
  EXPECT_RUNS(Call("lapack_spotrf_ffi", {{"uplo", ui8('L')}}, 1).in(a).out(out).out(info));
  Array<float> none({2, 0, 0}), noneOut({2, 0, 0});
  Array<int32_t> info2({2});
  info2.data = {7, 7};
  EXPECT_RUNS(Call("lapack_spotrf_ffi", {{"uplo", ui8('L')}}, 1).in(none).out(noneOut).out(info2));
  EXPECT_THAT(info2.data, testing::ElementsAre(0, 0));
}

TEST(LapackErrors, SignaturesAreChecked) {
  Array<float> a({4, 4}), out({4, 4}), wrong({4, 3});
  Array<double> wide({4, 4});
  Array<int32_t> info((std::vector<int64_t>()));
  auto message = [](Call call) { return call.run().message(); };
  EXPECT_THAT(message(Call("lapack_spotrf_ffi", {{"uplo", ui8('L')}}, 0).in(a).out(wrong).out(info)),
              HasSubstr("result 0 is f32[4,3]; expected f32[4,4]"));
  EXPECT_THAT(message(Call("lapack_spotrf_ffi", {{"uplo", ui8('L')}}, 0).in(wide).out(out).out(info)),
              HasSubstr("operand 0 is f64[4,4]"));
  EXPECT_THAT(message(Call("lapack_spotrf_ffi", {{"uplo", ui8('L')}}, 0).in(a).out(out)), HasSubstr("2 results"));
  EXPECT_THAT(message(Call("lapack_spotrf_ffi", {}, 0).in(a).out(out).out(info)), HasSubstr("'uplo' is missing"));
  EXPECT_THAT(message(Call("lapack_spotrf_ffi", {{"uplo", ui8('Q')}}, 0).in(a).out(out).out(info)), HasSubstr("uplo"));
  EXPECT_THAT(message(Call("lapack_spotrf_ffi", {{"uplo", ui8('Q')}}, 0).in(a).out(out).out(info)),
              HasSubstr("test.py:1"));
}

TEST(LapackHandlers, GoBeforeThoseFromOutside) {
  registerCustomCall("lapack_spotrf_ffi", [](const RuntimeCall &) -> StatusOr<std::unique_ptr<RuntimeCallInstance>> {
    return makeRuntimeCall([](const CallBuffers &) { return unimplemented("outside"); });
  });
  Array<float> a({1, 1}), out({1, 1});
  Array<int32_t> info((std::vector<int64_t>()));
  a.data[0] = 9;
  EXPECT_RUNS(Call("lapack_spotrf_ffi", {{"uplo", ui8('L')}}, 0).in(a).out(out).out(info));
  EXPECT_EQ(out.data[0], 3);
}

} // namespace
} // namespace tenon::runtime
