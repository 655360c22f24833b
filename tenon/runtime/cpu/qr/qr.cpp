// Panels of kPanel columns. The reflectors H = I - tau v v' of a panel are found one after the other, each applied to
// the rest of the panel; together they are I - V T V' with a triangle T, so that they are applied to the columns
// behind the panel, or to those of the factor that is formed, by three products: of V' with the columns, of -T or its
// transpose with that, and of V with that. Columns are shared among threads.
#include "tenon/runtime/cpu/qr/qr.h"

#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/runtime/cpu/qr/kernels.h"
#include "tenon/support/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tenon::runtime::qr {
namespace {

// Columns of a task.
constexpr int64_t kColumns = 8;

template <typename Real> const Kernels<Real> &kernels() {
  if constexpr (std::is_same_v<Real, float>)
    return TENON_VARIANT(f32);
  else
    return TENON_VARIANT(f64);
}

template <typename Real> struct Reflector {
  Real diagonal, tau, scale; // of R; v is the rest of the column by `scale`, below a one
};

// The reflector that makes zeros of a column's rest, `squares` being the sum of its squares.
template <typename Real> Reflector<Real> reflector(Real first, Real squares) {
  Real length = -std::copysign(std::hypot(first, std::sqrt(squares)), first);
  return {length, (length - first) / length, 1 / (first - length)};
}

template <typename Real> class Reflections {
public:
  Reflections(ThreadPool &pool, int64_t m, int64_t n, Real *a, Real *work)
      : pool_(pool), kernels_(kernels<Real>()), m_(m), n_(n), stride_(ceilDiv(m, kernels_.lanes) * kernels_.lanes),
        given_(a), a_(stride_ == m ? a : work + 2 * kPanel * stride_), v_(work), transposed_(work + kPanel * stride_) {
    if (a_ != given_)
      for (int64_t j = 0; j < n_; ++j)
        std::fill_n(std::copy_n(given_ + j * m_, m_, column(j)), stride_ - m_, Real(0));
  }

  void factor(Real *tau) {
    int64_t count = std::min(m_, n_);
    for (int64_t first = 0; first < count; first += kPanel) {
      start(first, std::min(kPanel, count - first));
      factorPanel(tau + first);
      if (first_ + count_ < n_) {
        findTriangle(tau + first, /*transposed=*/true);
        applyFrom(first_ + count_);
      }
    }
    finish();
  }

  void form(int64_t k, const Real *tau) {
    for (int64_t j = k; j < n_; ++j)
      setToUnit(j);
    for (int64_t first = (k - 1) / kPanel * kPanel; k > 0 && first >= 0; first -= kPanel) {
      start(first, std::min(kPanel, k - first));
      for (int64_t p = 0; p < count_; ++p) {
        std::copy_n(column(first_ + p) + base_, rows_, reflectorOf(p));
        clearAbove(p);
        setToUnit(first_ + p);
      }
      findTriangle(tau + first, /*transposed=*/false);
      applyToUnits();
      applyFrom(first_ + count_);
    }
    finish();
  }

private:
  Real *column(int64_t j) const { return a_ + j * stride_; }
  Real *reflectorOf(int64_t p) const { return v_ + p * rows_; }
  // The place of the diagonal in a column of the panel, from its first row on.
  int64_t diagonal(int64_t p) const { return first_ + p - base_; }

  // Whole vectors from the panel's first row on, or a little before it: reflectors are zero there.
  void start(int64_t first, int64_t count) {
    first_ = first;
    count_ = count;
    base_ = first / kernels_.lanes * kernels_.lanes;
    rows_ = stride_ - base_;
  }
  void finish() const {
    if (a_ != given_)
      for (int64_t j = 0; j < n_; ++j)
        std::copy_n(column(j), m_, given_ + j * m_);
  }

  void clearAbove(int64_t p) const {
    Real *v = reflectorOf(p);
    std::fill_n(v, diagonal(p), Real(0));
    v[diagonal(p)] = 1;
  }
  void setToUnit(int64_t j) const {
    std::fill_n(column(j), m_, Real(0));
    column(j)[j] = 1;
  }

  void factorPanel(Real *tau) const {
    for (int64_t p = 0; p < count_; ++p) {
      tau[p] = findReflector(p);
      if (tau[p] != 0)
        kernels_.reflect(rows_, reflectorOf(p), tau[p], column(first_ + p + 1) + base_, stride_, count_ - p - 1);
    }
  }

  // Makes a column of the panel that of R, and the reflector below it. Gives tau, which is zero if there is nothing to
  // do.
  Real findReflector(int64_t p) const {
    Real *from = column(first_ + p) + base_, *v = reflectorOf(p);
    int64_t place = diagonal(p);
    std::copy_n(from, rows_, v);
    clearAbove(p);
    v[place] = 0;
    Reflector<Real> found = reflectorWith(from[place], v);
    if (found.tau != 0) {
      for (int64_t i = place + 1; i < rows_; ++i)
        from[i] = v[i] *= found.scale;
      from[place] = found.diagonal;
    }
    v[place] = 1;
    return found.tau;
  }

  // `rest` is scaled where its squares would not be numbers.
  Reflector<Real> reflectorWith(Real first, Real *rest) const {
    constexpr Real kSmallest = std::is_same_v<Real, float> ? Real(1e-25) : Real(1e-250), kLargest = 1 / kSmallest;
    Real squares = kernels_.dot(rows_, rest, rest);
    if (squares > kSmallest && squares < kLargest)
      return reflector(first, squares);
    Real largest = 0;
    for (int64_t i = 0; i < rows_; ++i)
      largest = std::max(largest, std::abs(rest[i]));
    if (largest == 0)
      return {};
    int exponent = std::ilogb(std::max(largest, std::abs(first)));
    for (int64_t i = 0; i < rows_; ++i)
      rest[i] = std::ldexp(rest[i], -exponent);
    Reflector<Real> found = reflector(std::ldexp(first, -exponent), kernels_.dot(rows_, rest, rest));
    found.diagonal = std::ldexp(found.diagonal, exponent);
    return found;
  }

  // -T, or its transpose; of each reflector's column of T, the part above the diagonal is what the earlier ones make of
  // it. Also V', in which elements of reflectors that there are not are zeros.
  void findTriangle(const Real *tau, bool transposed) {
    transpose();
    Real products[kPanel * kPanel], t[kPanel][kPanel] = {};
    kernels_.products(rows_, transposed_, v_, rows_, count_, products);
    for (int64_t p = 0; p < count_; ++p) {
      for (int64_t l = 0; l < p; ++l) {
        Real sum = 0;
        for (int64_t s = l; s < p; ++s)
          sum += t[l][s] * products[p * kPanel + s];
        t[l][p] = -tau[p] * sum;
      }
      t[p][p] = tau[p];
    }
    for (int64_t l = 0; l < kPanel; ++l)
      for (int64_t p = 0; p < kPanel; ++p)
        triangle_[l][p] = -(transposed ? t[l][p] : t[p][l]);
  }

  // A few rows at a time, so that lines of all reflectors stay in L1.
  void transpose() const {
    constexpr int64_t kRows = 16;
    for (int64_t row = 0; row < rows_; row += kRows) {
      int64_t end = std::min(row + kRows, rows_);
      for (int64_t p = 0; p < kPanel; ++p)
        for (int64_t i = row; i < end; ++i)
          transposed_[i * kPanel + p] = p < count_ ? v_[p * rows_ + i] : 0;
    }
  }

  void applyFrom(int64_t first) const {
    // Wake-ups are worth some ten microseconds.
    constexpr int64_t kWork = 1 << 19;
    pool_.parallelFor(
        ceilDiv(n_ - first, kColumns),
        [&](int64_t begin, int64_t end, int) {
          for (int64_t task = begin; task < end; ++task) {
            int64_t j = first + task * kColumns, columns = std::min(kColumns, n_ - j);
            Real products[kColumns * kPanel];
            kernels_.products(rows_, transposed_, column(j) + base_, stride_, columns, products);
            addProducts(products, j, columns);
          }
        },
        ceilDiv(kWork, rows_ * count_ * kColumns * 2));
  }

  // To the columns of the panel, when they are those of the identity.
  void applyToUnits() const {
    for (int64_t p = 0; p < count_; p += kColumns)
      addProducts(transposed_ + diagonal(p) * kPanel, first_ + p, std::min(kColumns, count_ - p));
  }

  // Given the products of V' with columns.
  void addProducts(const Real *products, int64_t j, int64_t columns) const {
    Real factors[kColumns * kPanel];
    kernels_.products(kPanel, triangle_[0], products, kPanel, columns, factors);
    kernels_.add(rows_, count_, v_, factors, column(j) + base_, stride_, columns);
  }

  ThreadPool &pool_;
  const Kernels<Real> &kernels_;
  const int64_t m_, n_, stride_;
  // The matrix, and the one that is computed with: its columns are whole vectors, the last filled up with zeros.
  Real *const given_, *const a_;
  Real *const v_, *const transposed_;
  Real triangle_[kPanel][kPanel] = {};
  // The panel at hand: its columns, and the row from which on its vectors are.
  int64_t first_ = 0, count_ = 0, base_ = 0, rows_ = 0;
};

} // namespace

template <typename Real> void factor(ThreadPool &pool, int64_t m, int64_t n, Real *a, Real *tau, Real *work) {
  Reflections<Real>(pool, m, n, a, work).factor(tau);
}

template <typename Real>
void formFactor(ThreadPool &pool, int64_t m, int64_t n, int64_t k, Real *a, const Real *tau, Real *work) {
  Reflections<Real>(pool, m, n, a, work).form(k, tau);
}

template <typename Real> int64_t workElements(int64_t m, int64_t n) {
  int64_t lanes = kernels<Real>().lanes, stride = ceilDiv(m, lanes) * lanes;
  return (2 * kPanel + (stride == m ? 0 : n)) * stride;
}

bool isFaster(int64_t m, int64_t n) {
  constexpr int64_t kFewest = 32, kMostRows = 2048, kMostRowsOfColumn = 16;
  return instructionSet() != InstructionSet::kBase && std::min(m, n) >= kFewest && m <= kMostRows &&
         m <= kMostRowsOfColumn * n;
}

template void factor(ThreadPool &, int64_t, int64_t, float *, float *, float *);
template void factor(ThreadPool &, int64_t, int64_t, double *, double *, double *);
template void formFactor(ThreadPool &, int64_t, int64_t, int64_t, float *, const float *, float *);
template void formFactor(ThreadPool &, int64_t, int64_t, int64_t, double *, const double *, double *);
template int64_t workElements<float>(int64_t, int64_t);
template int64_t workElements<double>(int64_t, int64_t);

} // namespace tenon::runtime::qr
