// Triangular solves by BLAS's trsm, whose equations are shared among threads. The library has threads of its own, but
// they stay off (lapack_library.cpp).
#pragma once

#include "tenon/runtime/cpu/lapack.h"

#include <algorithm>
#include <cstdint>

namespace tenon::runtime::lapack {

// op(A) X = B with side 'L', X op(A) = B with 'R', of column-major matrices; X and B are of m x n.
template <typename T> struct TriangularEquations {
  void *trsm;
  char side, uplo, trans, diag;
  int32_t m, n;

  int32_t order() const { return side == 'L' ? m : n; }

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

  // Computes a part of x from that part of b, which may be the same memory.
  void solve(int64_t part, const T *a, const T *b, T *x) const {
    bool left = side == 'L';
    auto begin = int32_t(equations() * part / parts()), end = int32_t(equations() * (part + 1) / parts());
    int32_t rows = left ? m : end - begin, columns = left ? end - begin : n;
    int64_t offset = left ? int64_t(begin) * m : begin;
    if (b != x)
      for (int64_t column = 0; column < columns; ++column)
        std::copy_n(b + offset + column * m, rows, x + offset + column * m);
    T one = T(1);
    int32_t lda = std::max(order(), 1), ldb = std::max(m, 1);
    invoke(trsm, (const char *)&side, (const char *)&uplo, (const char *)&trans, (const char *)&diag,
           (const int32_t *)&rows, (const int32_t *)&columns, &one, a, &lda, x + offset, &ldb);
  }

private:
  int64_t equations() const { return side == 'L' ? n : m; }
};

} // namespace tenon::runtime::lapack
