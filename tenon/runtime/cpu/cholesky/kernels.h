// What the factorization of one large matrix spends its time on, for several instruction sets.
//
// A strip is `rows` rows of a panel of columns, packed: row r of column k is at [k * rows + r]. Its rows are the lanes
// of a few vectors. kQuad of its rows, read at the same place of every column, are the other operand of a product.
#pragma once

#include <cstdint>

namespace tenon::runtime::cholesky {

inline constexpr int kQuad = 4;

template <typename Real> struct Kernels {
  int rows; // a multiple of kQuad
  // Subtracts from `rows` by kQuad elements, column-major with columns `stride` apart, the product of a strip's first
  // `depth` columns with kQuad rows of those of a strip.
  void (*update)(int64_t depth, const Real *strip, const Real *quad, Real *c, int64_t stride);
  // Solves X L' = C for X, in place of C, which is of the same form. L is a triangle of order kQuad; its element (q, p)
  // is at [p * rows + q], and `inverses` are those of its diagonal.
  void (*solve)(Real *c, int64_t stride, const Real *triangle, const Real *inverses);
};

namespace base {
extern const Kernels<float> f32;
extern const Kernels<double> f64;
} // namespace base
namespace avx2 {
extern const Kernels<float> f32;
extern const Kernels<double> f64;
} // namespace avx2
namespace avx512 {
extern const Kernels<float> f32;
extern const Kernels<double> f64;
} // namespace avx512

} // namespace tenon::runtime::cholesky
