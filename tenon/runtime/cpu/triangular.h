// Triangular solves: of small systems, or where there is no library, by loops; of others by BLAS's trsm, whose
// equations are shared among threads. The library has threads of its own, but they stay off (lapack_library.cpp).
#pragma once

#include "tenon/runtime/cpu/lapack.h"

#include <algorithm>
#include <cstdint>

namespace tenon::runtime::lapack {

// op(A) X = B with side 'L', X op(A) = B with 'R', of column-major matrices; X and B are of m x n.
template <typename T> struct TriangularEquations {
  void *trsm;
  char side, uplo, trans, diag;
  int64_t m, n; // integers of 32 bits where there is a library

  int64_t order() const { return side == 'L' ? m : n; }

  // Into how many parts the columns of X (its rows, with 'R') are divided: they have nothing to do with each other. The
  // sizes alone decide, so results do not depend on the number of threads. A part is large enough that to bring A into
  // the library's form, which each does, takes a few percent of its time.
  int64_t parts() const {
    constexpr int64_t kLeast = 128, kMostParts = 64;
    constexpr double kLeastProducts = 4e6;
    double products = double(order()) * order() * equations();
    return std::clamp(std::min(equations() / kLeast, int64_t(std::min(products / kLeastProducts, 1e9))), int64_t(1),
                      kMostParts);
  }

  // Whether a call of the library would take longer than what it computes.
  bool isSmall() const {
    constexpr int64_t kMostProducts = 256;
    return !TypeTraits<T>::isComplex && order() <= 16 && order() * order() * equations() <= kMostProducts;
  }

  // Computes a part of x from that part of b, which may be the same memory.
  void solve(int64_t part, const T *a, const T *b, T *x) const {
    bool left = side == 'L';
    int64_t begin = equations() * part / parts(), end = equations() * (part + 1) / parts();
    int64_t rows = left ? m : end - begin, columns = left ? end - begin : n;
    int64_t offset = left ? begin * m : begin;
    if (b != x)
      for (int64_t column = 0; column < columns; ++column)
        std::copy_n(b + offset + column * m, rows, x + offset + column * m);
    if (!trsm || isSmall())
      return substitute(a, x + offset, rows, columns);
    T one = T(1);
    auto rowCount = int32_t(rows), columnCount = int32_t(columns), lda = int32_t(std::max<int64_t>(order(), 1)),
         ldb = int32_t(std::max<int64_t>(m, 1));
    invoke(trsm, (const char *)&side, (const char *)&uplo, (const char *)&trans, (const char *)&diag,
           (const int32_t *)&rowCount, (const int32_t *)&columnCount, &one, a, &lda, x + offset, &ldb);
  }

private:
  // Each unknown, in the order in which they can be found, is taken out of the equations behind it.
  void substitute(const T *a, T *x, int64_t rows, int64_t columns) const {
    bool left = side == 'L', isLower = (uplo == 'L') == (trans == 'N'), forward = left == isLower;
    int64_t alongUnknowns = left ? 1 : m, alongEquations = left ? m : 1, count = left ? columns : rows;
    for (int64_t step = 0; step < order(); ++step) {
      int64_t i = forward ? step : order() - 1 - step, begin = forward ? i + 1 : 0, end = forward ? order() : i;
      T *unknown = x + i * alongUnknowns;
      if (diag != 'U')
        for (int64_t e = 0; e < count; ++e)
          unknown[e * alongEquations] /= conjugateIfAdjoint(a[i * order() + i]);
      for (int64_t k = begin; k < end; ++k) {
        T factor = conjugateIfAdjoint(a[left == (trans == 'N') ? i * order() + k : k * order() + i]);
        for (int64_t e = 0; e < count; ++e)
          x[k * alongUnknowns + e * alongEquations] -= factor * unknown[e * alongEquations];
      }
    }
  }
  T conjugateIfAdjoint(T value) const {
    if constexpr (TypeTraits<T>::isComplex)
      return trans == 'C' ? std::conj(value) : value;
    else
      return value;
  }

  int64_t equations() const { return side == 'L' ? n : m; }
};

} // namespace tenon::runtime::lapack
