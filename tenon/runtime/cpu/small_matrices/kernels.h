// Factorisations of many small matrices at a time, one in each lane of a vector. A call of LAPACK takes longer to begin
// than a matrix of order 4 takes to factor, and works on one element at a time where there are few.
//
// A block holds `lanes` matrices, column-major: its number e of lane l is at [e * lanes + l]. A complex element is two
// numbers. Blocks begin at a multiple of kBlockAlignment bytes. Lanes do not know of each other: a matrix's factors are
// the same to the bit in whatever company it is.
#pragma once

#include <cstdint>

namespace tenon::runtime::small_matrices {

inline constexpr int kBlockAlignment = 64, kMaxLanes = 16;

// op(A) X = B, or X op(A) = B.
struct SolveForm {
  bool left, lower, unitDiagonal;
  bool transposed, conjugated; // op, of A as `lower` describes it
};

// Functions that do what the LAPACK routines named in brackets do, apart from rounding. `info` has a value for each
// lane. Real and complex matrices share the signatures; their numbers are of type Real.
template <typename Real> struct Kernels {
  int lanes;
  // Copy between a block and `count` <= lanes matrices of so many numbers each, which lie `stride` numbers apart in
  // memory. Lanes without a matrix hold a copy of the last one.
  void (*load)(int64_t numbers, const Real *memory, int64_t stride, int count, Real *block);
  void (*store)(int64_t numbers, const Real *block, Real *memory, int64_t stride, int count);
  // Factorizes one triangle in place (potrf).
  void (*cholesky)(int n, bool lower, Real *a, int32_t *info);
  // Factorizes in place (getrf). `pivots` has at [i * lanes + lane] the row, counted from 1, that row i was exchanged
  // with, for the first min(m, n) rows.
  void (*lu)(int m, int n, Real *a, int32_t *pivots, int32_t *info);
  // B of m x n becomes X (trsm).
  void (*solve)(SolveForm form, int m, int n, const Real *a, Real *b);
  // Reflectors below the diagonal, R on and above, in place (geqrf).
  void (*qr)(int m, int n, Real *a, Real *tau);
  // The first n columns of the product of k reflectors, in place (orgqr, ungqr).
  void (*formQ)(int m, int n, int k, Real *a, const Real *tau);
  // Computes, for finite Hermitian matrices of which one triangle is given, ascending eigenvalues and, if wanted,
  // eigenvectors in place of the matrix, by Jacobi's method (Demmel and Veselic 1992; syevd, heevd). `work` has room
  // for a matrix. `info` is above zero where it did not converge.
  void (*eigh)(int n, bool lower, bool vectors, Real *a, Real *w, Real *work, int32_t *info);
  // Computes, for finite matrices, descending singular values s and, if wanted, u of m x m (full) or m x min(m, n) and
  // the adjoint vt of n x n or min(m, n) x n (gesdd). `work` has room for svdWork(m, n) elements.
  void (*svd)(int m, int n, bool vectors, bool full, const Real *a, Real *s, Real *u, Real *vt, Real *work,
              int32_t *info);
};

constexpr int64_t svdWork(int64_t m, int64_t n) {
  int64_t rows = m < n ? n : m, columns = m < n ? m : n;
  return rows * columns + columns * columns + rows * rows + 2 * columns;
}

namespace base {
extern const Kernels<float> f32, c64;
extern const Kernels<double> f64, c128;
} // namespace base
namespace avx2 {
extern const Kernels<float> f32, c64;
extern const Kernels<double> f64, c128;
} // namespace avx2
namespace avx512 {
extern const Kernels<float> f32, c64;
extern const Kernels<double> f64, c128;
} // namespace avx512

} // namespace tenon::runtime::small_matrices
