// Propagation of NaN through factorizations, whatever the LAPACK library does with it.
//
// LAPACK has no rule of its own: a NaN goes wherever arithmetic takes it, and some libraries lose it on the way and
// give numbers (OpenBLAS 0.3.21 does in f32). So the routines look at their operands first, which costs little beside
// n^3 operations. Where there is a NaN, it is replaced by a zero, the library computes what does not depend on it, and
// what does is made NaN here: the same elements as in a library that loses nothing, or a few more.
#pragma once

#include "tenon/runtime/cpu/lapack.h"

#include <cmath>
#include <limits>

namespace tenon::runtime::lapack {

template <typename T> bool allFinite(const T *values, int64_t count) {
  using Real = typename TypeTraits<T>::Real;
  const Real *reals = reinterpret_cast<const Real *>(values);
  count *= int64_t(sizeof(T) / sizeof(Real)); // NOLINT(bugprone-sizeof-expression): T may be Real
  // A sum of x * 0 is NaN if any x is not finite. There are no branches, and several sums for the lanes of vectors.
  constexpr int64_t kLanes = 16;
  Real sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += reals[i + lane] * Real(0);
  for (; i < count; ++i)
    sums[0] += reals[i] * Real(0);
  Real sum = 0;
  for (Real lane : sums)
    sum += lane;
  return !std::isnan(sum);
}

template <typename T> bool isNaN(T value) { return std::isnan(std::real(value)) || std::isnan(std::imag(value)); }

template <typename T> T notANumber() {
  using Real = typename TypeTraits<T>::Real;
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  if constexpr (TypeTraits<T>::isComplex)
    return {nan, nan};
  else
    return nan;
}

// Whether any value is NaN. The fast test for finite values comes first; infinities need the second one.
template <typename T> bool anyNaN(const T *values, int64_t count) {
  return !allFinite(values, count) && std::any_of(values, values + count, isNaN<T>);
}

template <typename T> void fillWithNaN(T *values, int64_t count) { std::fill_n(values, count, notANumber<T>()); }

// Makes NaN zero. Gives their places.
template <typename T> std::vector<int64_t> clearNaN(T *a, int64_t count) {
  std::vector<int64_t> places;
  if (!allFinite(a, count))
    for (int64_t place = 0; place < count; ++place)
      if (isNaN(a[place])) {
        a[place] = T(0);
        places.push_back(place);
      }
  return places;
}

// Makes columns with a NaN zero. Gives the columns' numbers, in order.
template <typename T> std::vector<int32_t> clearColumns(T *a, int32_t m, int32_t n) {
  std::vector<int32_t> cleared;
  if (!anyNaN(a, int64_t(m) * n))
    return cleared;
  for (int32_t j = 0; j < n; ++j)
    if (T *column = a + int64_t(j) * m; anyNaN(column, m)) {
      std::fill_n(column, m, T(0));
      cleared.push_back(j);
    }
  return cleared;
}

// Fills with NaN whatever a factorization that proceeds column by column computes from the cleared columns.
template <typename T> void spreadFromColumns(T *a, int32_t m, int32_t n, const std::vector<int32_t> &cleared) {
  for (int32_t j = cleared.front(); j < n; ++j)
    if (cleared.front() < m)
      fillWithNaN(a + int64_t(j) * m + cleared.front(), m - cleared.front());
  for (int32_t j : cleared)
    fillWithNaN(a + int64_t(j) * m, m);
}

// One triangle of a square matrix as if it were the lower one: element (i, j), j <= i.
template <typename T> struct Triangle {
  T *a;
  int32_t n;
  bool lower;

  T &at(int32_t i, int32_t j) const { return lower ? a[int64_t(j) * n + i] : a[int64_t(i) * n + j]; }
  bool isFinite() const {
    if (allFinite(a, int64_t(n) * n)) // one long loop is quicker than many short ones
      return true;
    for (int32_t j = 0; j < n; ++j) // a column of the array
      if (!(lower ? allFinite(&at(j, j), n - j) : allFinite(&at(j, 0), j + 1)))
        return false;
    return true;
  }
  // The first column of row i with a NaN, or i + 1.
  int32_t firstNaN(int32_t i) const {
    int32_t j = 0;
    while (j <= i && !isNaN(at(i, j)))
      ++j;
    return j;
  }
  // The first row with a NaN, or n.
  int32_t firstRow() const {
    if (isFinite())
      return n;
    int32_t i = 0;
    while (i < n && firstNaN(i) > i)
      ++i;
    return i;
  }
};

// The first of k reflectors, packed below the diagonal of a matrix of m rows, that has a NaN; or k.
template <typename T> int32_t firstBadReflector(const T *a, const T *tau, int32_t m, int32_t k) {
  for (int32_t j = 0; j < k; ++j)
    if (int32_t begin = std::min(j + 1, m); isNaN(tau[j]) || anyNaN(a + int64_t(j) * m + begin, m - begin))
      return j;
  return k;
}

} // namespace tenon::runtime::lapack
