// NaN goes where what depends on it is, with every LAPACK library (lapack_nan.h).

#include "tenon/runtime/cpu/lapack_nan.h"
#include "tenon/runtime/cpu/test/lapack_testing.h"

#include "gtest/gtest.h"

#include <functional>

namespace tenon::runtime {
namespace {

using lapack::isNaN;
using lapack::notANumber;
using lapack_testing::Array;
using lapack_testing::Call;
using lapack_testing::hermitian;
using lapack_testing::randomArray;
using lapack_testing::target;
using namespace program::attribute;

template <typename T> class LapackNaN : public testing::Test {
protected:
  using Real = typename lapack::TypeTraits<T>::Real;

  // What `run` appends to results is NaN where it would differ for other values of the element, and what is a number
  // does not depend on it.
  static void expectSpreads(T &element, const std::function<void(std::vector<T> &)> &run, const char *what) {
    T before = element;
    std::vector<T> first, second, spread;
    element = T(Real(0.5));
    run(first);
    element = T(Real(-0.25));
    run(second);
    element = notANumber<T>();
    run(spread);
    element = before;
    size_t found = 0;
    for (size_t i = 0; i < spread.size(); ++i) {
      found += isNaN(spread[i]);
      for (const std::vector<T> *other : {&first, &second})
        if (!isNaN(spread[i])) {
          Real scale = std::max(Real(1), std::abs(spread[i]));
          ASSERT_LT(std::abs(spread[i] - (*other)[i]), scale * 1000 * std::numeric_limits<Real>::epsilon())
              << what << ", element " << i;
        }
    }
    EXPECT_GT(found, 0U) << what;
  }

  // A NaN at several places of the matrix.
  static void expectSpreads(Array<T> &a, const std::function<void(std::vector<T> &)> &run, const char *what) {
    int64_t m = a.dims[0], n = a.dims[1];
    for (auto [i, j] :
         {std::pair<int64_t, int64_t>{0, 0}, {m - 1, 0}, {m / 2, n / 2}, {m / 2, n / 2 - 1}, {m - 1, n - 1}})
      if (j >= 0)
        expectSpreads(a.data[size_t(i * n + j)], run, what);
  }

  // Without exchanges of rows.
  static Array<T> dominant(int64_t m, int64_t n) {
    Array<T> a = randomArray<T>({m, n}, 7);
    for (int64_t i = 0; i < std::min(m, n); ++i)
      a.data[size_t(i * n + i)] += T(Real(2 * m));
    return a;
  }
  template <typename U> static void append(std::vector<T> &to, const Array<U> &array) {
    for (U value : array.data)
      to.push_back(T(value));
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackNaN, Types);

constexpr int64_t kOrders[] = {1, 2, 9, 40, 150};

TYPED_TEST(LapackNaN, Cholesky) {
  using T = TypeParam;
  for (int64_t n : kOrders)
    for (char uplo : {'L', 'U'}) {
      Array<T> a = hermitian<T>(1, n, double(2 * n), 1), out({n, n});
      a.dims = {n, n};
      bool lower = uplo == 'L';
      auto run = [&](std::vector<T> &results) {
        Array<T> other = a; // with the element in both triangles
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < i; ++j)
            other.data[size_t(j * n + i)] = lapack_testing::conjugate(a.data[size_t(i * n + j)]);
        Array<int32_t> info((std::vector<int64_t>()));
        EXPECT_RUNS(Call(target<T>("potrf"), {{"uplo", ui8(uplo)}}, 0).in(other).out(out).out(info));
        EXPECT_EQ(info.data[0], 0);
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j <= i; ++j)
            results.push_back(out.data[size_t(lower ? i * n + j : j * n + i)]);
      };
      // A diagonal element that is not NaN has to be positive and large.
      for (auto [i, j] : {std::pair<int64_t, int64_t>{n - 1, 0}, {n / 2, n / 2 - 1}, {n - 1, n - 2}})
        if (j >= 0 && i != j)
          this->expectSpreads(a.data[size_t(i * n + j)], run, "Cholesky");
      // On the diagonal, what is before it stays.
      std::vector<T> clean, spread;
      int64_t middle = n / 2;
      run(clean);
      a.data[size_t(middle * n + middle)] = notANumber<T>();
      run(spread);
      for (int64_t i = 0, k = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j, ++k) {
          ASSERT_EQ(isNaN(spread[size_t(k)]), i >= middle && j >= middle);
          if (j < middle || i < middle)
            ASSERT_LT(std::abs(spread[size_t(k)] - clean[size_t(k)]), 1e-3);
        }
    }
  // A minor before the NaN that is not positive is found.
  Array<T> bad({3, 3}), out({3, 3});
  Array<int32_t> info((std::vector<int64_t>()));
  bad.data = {T(1), T(0), T(0), T(0), T(-1), T(0), T(0), T(0), notANumber<T>()};
  EXPECT_RUNS(Call(target<T>("potrf"), {{"uplo", ui8('L')}}, 0).in(bad).out(out).out(info));
  EXPECT_EQ(info.data[0], 2);
}

TYPED_TEST(LapackNaN, Lu) {
  using T = TypeParam;
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {9, 9}, {60, 40}, {40, 60}, {150, 150}}) {
    Array<T> a = this->dominant(m, n), out({m, n});
    Array<int32_t> pivots({std::min(m, n)}), info((std::vector<int64_t>()));
    auto run = [&](std::vector<T> &results) {
      EXPECT_RUNS(Call(target<T>("getrf"), {}, 0).in(a).out(out).out(pivots).out(info));
      EXPECT_EQ(info.data[0], 0);
      this->append(results, out);
    };
    for (auto [i, j] :
         {std::pair<int64_t, int64_t>{0, n - 1}, {m - 1, 0}, {m / 2, n / 2 - 1}, {std::min(m, n) - 1, n - 1}})
      if (j >= 0 && i != j)
        this->expectSpreads(a.data[size_t(i * n + j)], run, "LU");
    a.data[0] = notANumber<T>();
    std::vector<T> all;
    run(all);
    EXPECT_EQ(size_t(std::count_if(all.begin(), all.end(), isNaN<T>)), all.size());
    for (int64_t i = 0; i < std::min(m, n); ++i)
      EXPECT_TRUE(pivots.data[size_t(i)] > i && pivots.data[size_t(i)] <= m);
  }
}

TYPED_TEST(LapackNaN, Qr) {
  using T = TypeParam;
  for (auto [m, n] : {std::pair<int64_t, int64_t>{2, 2}, {9, 9}, {60, 40}, {40, 60}, {150, 150}}) {
    Array<T> a = randomArray<T>({m, n}, 3), packed({m, n}), tau({std::min(m, n)});
    auto factor = [&](std::vector<T> &results) {
      EXPECT_RUNS(Call(target<T>("geqrf"), {}, 0).in(a).out(packed).out(tau));
      this->append(results, packed);
      this->append(results, tau);
    };
    this->expectSpreads(a, factor, "QR");
    auto pivoted = [&](std::vector<T> &results) {
      Array<int32_t> free({n}), pivots({n});
      EXPECT_RUNS(Call(target<T>("geqp3"), {}, 0).in(a).in(free).out(packed).out(pivots).out(tau));
      this->append(results, packed);
      this->append(results, tau);
      std::vector<bool> seen(size_t(n), false);
      for (int32_t pivot : pivots.data) {
        ASSERT_TRUE(pivot >= 1 && pivot <= n && !seen[size_t(pivot - 1)]);
        seen[size_t(pivot - 1)] = true;
      }
    };
    this->expectSpreads(a, pivoted, "QR with pivots");
  }
}

TYPED_TEST(LapackNaN, Reflectors) {
  using T = TypeParam;
  const bool isComplex = lapack::TypeTraits<T>::isComplex;
  for (auto [m, n] : {std::pair<int64_t, int64_t>{2, 1}, {9, 5}, {60, 40}, {150, 149}}) {
    Array<T> a = randomArray<T>({m, n}, 3), packed({m, n}), tau({n}), q({m, n});
    EXPECT_RUNS(Call(target<T>("geqrf"), {}, 0).in(a).out(packed).out(tau));
    auto form = [&](std::vector<T> &results) {
      EXPECT_RUNS(Call(target<T>(isComplex ? "ungqr" : "orgqr"), {}, 0).in(packed).in(tau).out(q));
      this->append(results, q);
    };
    T *places[] = {&packed.data[size_t((m - 1) * n)], &packed.data[size_t((n / 2 + 1) * n + n / 2)],
                   &packed.data[size_t((m - 1) * n + n - 1)], &tau.data[size_t(n / 2)]};
    for (T *place : places)
      this->expectSpreads(*place, form, "Q");
    for (bool left : {true, false})
      for (bool transpose : {true, false}) {
        Array<T> c = randomArray<T>(left ? std::vector<int64_t>{m, 7} : std::vector<int64_t>{7, m}, 4), product(c.dims);
        program::AttributeDict attributes = {{"left", boolean(left)}, {"transpose", boolean(transpose)}};
        auto apply = [&](std::vector<T> &results) {
          EXPECT_RUNS(
              Call(target<T>(isComplex ? "unmqr" : "ormqr"), attributes, 0).in(packed).in(tau).in(c).out(product));
          this->append(results, product);
        };
        for (T *place : places)
          this->expectSpreads(*place, apply, "product with Q");
        this->expectSpreads(c, apply, "product with Q");
      }
  }
}

TYPED_TEST(LapackNaN, Reductions) {
  using T = TypeParam;
  const bool isComplex = lapack::TypeTraits<T>::isComplex;
  using Real = typename lapack::TypeTraits<T>::Real;
  for (int64_t n : kOrders) {
    Array<T> a = randomArray<T>({n, n}, 6), out({n, n}), tau({n - 1});
    Array<int32_t> info((std::vector<int64_t>()));
    auto hessenberg = [&](std::vector<T> &results) {
      program::AttributeDict attributes = {{"low", i32(1)}, {"high", i32(n)}};
      EXPECT_RUNS(Call(target<T>("gehrd"), attributes, 0).in(a).out(out).out(tau).out(info));
      this->append(results, out);
      this->append(results, tau);
    };
    this->expectSpreads(a, hessenberg, "Hessenberg form");
    for (bool lower : {true, false}) {
      Array<Real> d({n}), e({n - 1});
      auto tridiagonal = [&](std::vector<T> &results) {
        program::AttributeDict attributes = {{"uplo", ui8(lower ? 'L' : 'U')}};
        EXPECT_RUNS(Call(target<T>(isComplex ? "hetrd" : "sytrd"), attributes, 0)
                        .in(a)
                        .out(out)
                        .out(d)
                        .out(e)
                        .out(tau)
                        .out(info));
        this->append(results, d);
        this->append(results, e);
        this->append(results, tau);
      };
      for (auto [i, j] : {std::pair<int64_t, int64_t>{0, 0}, {n - 1, 0}, {n / 2, n / 2}, {n - 1, n - 1}})
        this->expectSpreads(a.data[size_t(lower ? i * n + j : j * n + i)], tridiagonal, "tridiagonal form");
    }
  }
}

} // namespace
} // namespace tenon::runtime
