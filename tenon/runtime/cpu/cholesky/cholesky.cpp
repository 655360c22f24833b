// Matrices of few columns are factored in place. Of others, panels of columns from the left to the right. The rows of a
// panel from its diagonal on are packed into strips, factored there, four columns at a time, and written back; then
// they are multiplied with each other and subtracted from the rest of the triangle. Of that, the columns of a strip's
// product belong to the matrix as they lie: to the columns of the lower triangle, or, since the matrix is Hermitian, to
// those of the upper one.
#include "tenon/runtime/cpu/cholesky/cholesky.h"

#include "tenon/runtime/cpu/cholesky/kernels.h"
#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/support/rounding.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace tenon::runtime::cholesky {
namespace {

// Columns of a panel: a multiple of a strip's rows, for every instruction set.
constexpr int64_t kPanel = 128;
// Up to this order a matrix has no strips: to fill and to empty them takes longer than the factorization.
constexpr int64_t kFewColumns = 16;
// Strips, or blocks, that are worth a wake-up: each takes 5 to 10 us.
constexpr int64_t kGrain = 2;

template <typename Real> const Kernels<Real> &kernels() {
  if constexpr (std::is_same_v<Real, float>)
    return TENON_VARIANT(f32);
  else
    return TENON_VARIANT(f64);
}

template <typename Real> class Factorization {
public:
  Factorization(ThreadPool &pool, bool lower, int64_t n, Real *a, int64_t stride, Real *work)
      : pool_(pool), kernels_(kernels<Real>()), rows_(kernels_.rows), lower_(lower), n_(n), a_(a), stride_(stride),
        strips_(work) {}

  int64_t run() {
    for (first_ = 0; first_ < n_; first_ += kPanel) {
      columns_ = std::min(n_ - first_, kPanel);
      int64_t count = ceilDiv(n_ - first_, rows_), onDiagonal = ceilDiv(columns_, rows_);
      if (int64_t failed = factorDiagonal(onDiagonal))
        return first_ + failed;
      if (count <= onDiagonal)
        break;
      pool_.parallelFor(
          count - onDiagonal,
          [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i)
              solveStrip(onDiagonal + i);
          },
          kGrain);
      updateRest(onDiagonal, count);
    }
    return 0;
  }

private:
  // Element (row, column), row >= column, of the lower triangle or of the adjoint of the upper one.
  Real &at(int64_t row, int64_t column) const {
    return lower_ ? a_[column * stride_ + row] : a_[row * stride_ + column];
  }
  Real *strip(int64_t i) const { return strips_ + i * rows_ * kPanel; }
  // The kQuad rows of the panel from `row` on, counted from its first.
  Real *quad(int64_t row) const { return strip(row / rows_) + row % rows_; }

  // Calls visit(r, c, element) for the rows of a strip and the columns of the panel that are in the triangle.
  template <typename F> void forEachElement(int64_t i, F visit) const {
    int64_t row = first_ + i * rows_, end = std::min<int64_t>(rows_, n_ - row);
    auto inside = [&](int64_t r) { return std::min(row + r - first_ + 1, columns_); };
    if (!lower_) {
      for (int64_t r = 0; r < end; ++r)
        for (int64_t c = 0; c < inside(r); ++c)
          visit(r, c, at(row + r, first_ + c));
      return;
    }
    for (int64_t c = 0; c < columns_; ++c)
      for (int64_t r = std::max<int64_t>(first_ + c - row, 0); r < end; ++r)
        visit(r, c, at(row + r, first_ + c));
  }

  // What is past the end of the matrix is a part of the identity, which changes nothing.
  void pack(int64_t i) const {
    Real *to = strip(i);
    int64_t row = i * rows_, end = ceilDiv(columns_, kQuad) * kQuad;
    if (row < kPanel || first_ + row + rows_ > n_)
      std::fill_n(to, rows_ * end, Real(0));
    for (int64_t c = std::max(columns_, row); c < std::min(row + rows_, end); ++c)
      to[c * rows_ + c - row] = 1;
    forEachElement(i, [&](int64_t r, int64_t c, Real &element) { to[c * rows_ + r] = element; });
  }
  void unpack(int64_t i) const {
    const Real *from = strip(i);
    forEachElement(i, [&](int64_t r, int64_t c, Real &element) { element = from[c * rows_ + r]; });
  }

  // The strips that have the panel's first rows.
  int64_t factorDiagonal(int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      pack(i);
    for (int64_t c = 0; c < columns_; c += kQuad) {
      for (int64_t i = c / rows_; i < count; ++i)
        update(c, i);
      if (int64_t failed = factorQuad(c))
        return c + failed;
      Real triangle[kQuad * kQuad];
      forEachOfQuad(c, [&](int p, int q, Real &element) { triangle[p * kQuad + q] = element; });
      for (int64_t i = count; i-- > c / rows_;) // last the strip that has the triangle itself
        solve(c, i);
      forEachOfQuad(c, [&](int p, int q, Real &element) { element = triangle[p * kQuad + q]; });
    }
    for (int64_t i = 0; i < count; ++i)
      unpack(i);
    return 0;
  }

  void solveStrip(int64_t i) const {
    pack(i);
    for (int64_t c = 0; c < columns_; c += kQuad) {
      update(c, i);
      solve(c, i);
    }
    unpack(i);
  }

  // Updates a strip's columns from `column` on.
  void update(int64_t column, int64_t i) const {
    kernels_.update(column, strip(i), quad(column), strip(i) + column * rows_, rows_);
  }
  void solve(int64_t column, int64_t i) const {
    kernels_.solve(strip(i) + column * rows_, rows_, quad(column) + column * rows_, inverses_ + column);
  }

  // Calls visit(p, q, element) for element (q, p), q >= p, of the triangle on the diagonal.
  template <typename F> void forEachOfQuad(int64_t column, F visit) const {
    Real *triangle = quad(column) + column * rows_;
    for (int p = 0; p < kQuad; ++p)
      for (int q = p; q < kQuad; ++q)
        visit(p, q, triangle[p * rows_ + q]);
  }

  int64_t factorQuad(int64_t column) {
    Real *triangle = quad(column) + column * rows_;
    for (int p = 0; p < kQuad; ++p) {
      Real *factors = triangle + p * rows_;
      if (!(factors[p] > 0))
        return p + 1;
      factors[p] = std::sqrt(factors[p]);
      Real inverse = inverses_[column + p] = 1 / factors[p];
      for (int q = p + 1; q < kQuad; ++q)
        factors[q] *= inverse;
      for (int q = p + 1; q < kQuad; ++q)
        for (int r = q; r < kQuad; ++r)
          triangle[q * rows_ + r] -= factors[r] * factors[q];
    }
    return 0;
  }

  // The triangle behind the panel, in blocks of a strip's rows by as many columns as a panel has.
  void updateRest(int64_t firstStrip, int64_t count) const {
    int64_t strips = count - firstStrip, groups = ceilDiv(n_ - first_ - kPanel, kPanel);
    pool_.parallelFor(
        strips * groups,
        [&](int64_t begin, int64_t end, int) {
          for (int64_t task = begin; task < end; ++task)
            updateBlock(firstStrip + task / groups, kPanel * (1 + task % groups));
        },
        kGrain);
  }

  // Columns from `column` on, counted from the panel's first.
  void updateBlock(int64_t i, int64_t column) const {
    int64_t row = i * rows_, last = row + rows_ - 1, size = n_ - first_;
    for (int64_t c = column; c < std::min(column + kPanel, size); c += kQuad) {
      bool isInside = last < size && c + kQuad <= size && (lower_ ? row >= c + kQuad - 1 : last <= c);
      Real *to = a_ + (first_ + c) * stride_ + first_ + row;
      if (isInside)
        kernels_.update(kPanel, strip(i), quad(c), to, stride_);
      else if (lower_ ? last >= c : row < c + kQuad)
        updatePart(i, c, to);
    }
  }

  // Those elements of a tile that are in the triangle.
  void updatePart(int64_t i, int64_t column, Real *to) const {
    constexpr int64_t kMostRows = 64;
    alignas(64) Real products[kMostRows * kQuad] = {};
    kernels_.update(kPanel, strip(i), quad(column), products, rows_);
    int64_t row = i * rows_, size = n_ - first_;
    for (int64_t c = 0; c < std::min<int64_t>(kQuad, size - column); ++c) {
      int64_t diagonal = column + c - row, end = std::min(rows_, size - row);
      for (int64_t r = lower_ ? std::max<int64_t>(diagonal, 0) : 0; r < (lower_ ? end : std::min(end, diagonal + 1));
           ++r)
        to[c * stride_ + r] += products[c * rows_ + r];
    }
  }

  ThreadPool &pool_;
  const Kernels<Real> &kernels_;
  const int64_t rows_;
  const bool lower_;
  const int64_t n_;
  Real *const a_;
  const int64_t stride_;
  Real *const strips_;
  Real inverses_[kPanel] = {};
  // The columns of the panel at hand.
  int64_t first_ = 0, columns_ = 0;
};

// Column by column, each subtracted from those behind it as soon as it is found. The triangle is held as a lower one.
template <typename Real> int64_t factorFewColumns(bool lower, int64_t n, Real *a, int64_t stride) {
  Real columns[kFewColumns][kFewColumns];
  int64_t alongRow = lower ? stride : 1, alongColumn = lower ? 1 : stride;
  for (int64_t c = 0; c < n; ++c)
    for (int64_t r = c; r < n; ++r)
      columns[c][r] = a[c * alongRow + r * alongColumn];
  for (int64_t c = 0; c < n; ++c) {
    Real *column = columns[c];
    if (!(column[c] > 0))
      return c + 1;
    column[c] = std::sqrt(column[c]);
    Real inverse = 1 / column[c];
    for (int64_t r = c + 1; r < n; ++r)
      column[r] *= inverse;
    for (int64_t q = c + 1; q < n; ++q)
      for (int64_t r = q; r < n; ++r)
        columns[q][r] -= column[r] * column[q];
  }
  for (int64_t c = 0; c < n; ++c)
    for (int64_t r = c; r < n; ++r)
      a[c * alongRow + r * alongColumn] = columns[c][r];
  return 0;
}

} // namespace

template <typename Real> int64_t factor(ThreadPool &pool, bool lower, int64_t n, Real *a, int64_t stride, Real *work) {
  if (n <= kFewColumns)
    return factorFewColumns(lower, n, a, stride);
  return Factorization<Real>(pool, lower, n, a, stride, work).run();
}

template <typename Real> int64_t workElements(int64_t n) {
  if (n <= kFewColumns)
    return 0;
  int64_t rows = kernels<Real>().rows;
  return std::max(ceilDiv(n, rows) * rows, kPanel) * kPanel;
}

template int64_t factor(ThreadPool &, bool, int64_t, float *, int64_t, float *);
template int64_t factor(ThreadPool &, bool, int64_t, double *, int64_t, double *);
template int64_t workElements<float>(int64_t);
template int64_t workElements<double>(int64_t);

} // namespace tenon::runtime::cholesky
