// What factorizations by reflectors spend their time on, for several instruction sets. Columns have a number of rows
// that is a multiple of `lanes`; memory need not be aligned.
#pragma once

#include <cstdint>

namespace tenon::runtime::qr {

// Reflectors that are applied at once.
inline constexpr int64_t kPanel = 32;

template <typename Real> struct Kernels {
  int lanes; // of a vector
  Real (*dot)(int64_t rows, const Real *x, const Real *y);
  // c -= factor * v (v' c), for each of the columns.
  void (*reflect)(int64_t rows, const Real *v, Real factor, Real *c, int64_t stride, int64_t columns);
  // The products of kPanel columns with each of those at c, kPanel numbers for each. An element of all kPanel columns
  // is in one piece at `transposed`.
  void (*products)(int64_t rows, const Real *transposed, const Real *c, int64_t stride, int64_t columns,
                   Real *products);
  // Adds, to each of the columns at c, `count` columns that lie `rows` apart by as many of its kPanel factors.
  void (*add)(int64_t rows, int64_t count, const Real *v, const Real *factors, Real *c, int64_t stride,
              int64_t columns);
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

} // namespace tenon::runtime::qr
