// Real and complex numbers whose parts are vectors, with what factorisations do to them. Included by
// kernels_<instruction set>.cpp with TENON_ISA set to the namespace and TENON_VECTOR_BYTES to a vector's size.
// Everything here is local to the file and uses no inline function from elsewhere: the linker must not mix code for
// different machines.

#include "tenon/runtime/cpu/small_matrices/kernels.h"

namespace tenon::runtime::small_matrices::TENON_ISA {
namespace {

using Floats = float __attribute__((vector_size(TENON_VECTOR_BYTES)));
using Doubles = double __attribute__((vector_size(TENON_VECTOR_BYTES)));

template <typename V> struct Traits;
template <> struct Traits<Floats> {
  using Real = float;
  static constexpr float kEpsilon = 0x1p-23F, kSmallest = 0x1p-126F;
  static constexpr uint32_t kExponent = 0x7f800000;
  using Words = uint32_t __attribute__((vector_size(TENON_VECTOR_BYTES)));
};
template <> struct Traits<Doubles> {
  using Real = double;
  static constexpr double kEpsilon = 0x1p-52, kSmallest = 0x1p-1022;
  static constexpr uint64_t kExponent = 0x7ff0000000000000;
  using Words = uint64_t __attribute__((vector_size(TENON_VECTOR_BYTES)));
};

template <typename V> using Mask = decltype(V() < V());
template <typename V> using RealOf = typename Traits<V>::Real;
template <typename V> constexpr int kLanes = TENON_VECTOR_BYTES / sizeof(RealOf<V>);

template <typename V> struct Complex {
  V re, im;
};

template <typename V> V splat(RealOf<V> x) { return V{} + x; }
template <typename V> V select(Mask<V> m, V a, V b) { return m ? a : b; }
template <typename V> V magnitude(V x) { return __builtin_elementwise_abs(x); }
template <typename V> V squareRoot(V x) { return __builtin_elementwise_sqrt(x); }
template <typename V> V larger(V a, V b) { return a > b ? a : b; } // b where a is NaN
template <typename V> bool any(Mask<V> m) {
  bool result = false;
  for (int l = 0; l < kLanes<V>; ++l)
    result |= m[l] != 0;
  return result;
}

template <typename V> Complex<V> operator+(Complex<V> a, Complex<V> b) { return {a.re + b.re, a.im + b.im}; }
template <typename V> Complex<V> operator-(Complex<V> a, Complex<V> b) { return {a.re - b.re, a.im - b.im}; }
template <typename V> Complex<V> operator-(Complex<V> a) { return {-a.re, -a.im}; }
template <typename V> Complex<V> operator*(Complex<V> a, Complex<V> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename V> Complex<V> scaled(Complex<V> a, V factor) { return {a.re * factor, a.im * factor}; }
template <typename V> V scaled(V a, V factor) { return a * factor; }
template <typename V> Complex<V> dividedByReal(Complex<V> a, V b) { return {a.re / b, a.im / b}; }
template <typename V> V dividedByReal(V a, V b) { return a / b; }
template <typename V> V dividedBy(V a, V b) { return a / b; }
// Smith's way (CACM 1962), which squares nothing.
template <typename V> Complex<V> dividedBy(Complex<V> a, Complex<V> b) {
  Mask<V> wide = magnitude(b.re) >= magnitude(b.im);
  V large = select<V>(wide, b.re, b.im), small = select<V>(wide, b.im, b.re);
  V ratio = small / large, denominator = large + small * ratio;
  V first = select<V>(wide, a.re, a.im), second = select<V>(wide, a.im, a.re);
  V re = (first + second * ratio) / denominator, im = (second - first * ratio) / denominator;
  return {re, select<V>(wide, im, -im)};
}

template <typename V> V realPart(V x) { return x; }
template <typename V> V realPart(Complex<V> x) { return x.re; }
template <typename V> V imaginaryPart(V) { return V{}; }
template <typename V> V imaginaryPart(Complex<V> x) { return x.im; }
template <typename V> V conjugate(V x) { return x; }
template <typename V> Complex<V> conjugate(Complex<V> x) { return {x.re, -x.im}; }
template <typename V> V squared(V x) { return x * x; }
template <typename V> V squared(Complex<V> x) { return x.re * x.re + x.im * x.im; }
// The sum of the parts' magnitudes, by which LAPACK chooses pivots, and the larger one.
template <typename V> V sumOfParts(V x) { return magnitude(x); }
template <typename V> V sumOfParts(Complex<V> x) { return magnitude(x.re) + magnitude(x.im); }
template <typename V> V largestPart(V x) { return magnitude(x); }
template <typename V> V largestPart(Complex<V> x) { return larger(magnitude(x.re), magnitude(x.im)); }
template <typename V> V modulus(V x) { return magnitude(x); }
template <typename V> V modulus(Complex<V> x) {
  V largest = larger(largestPart(x), splat<V>(Traits<V>::kSmallest)); // whose square may be out of range
  return largest * squareRoot(squared(dividedByReal(x, largest)));
}
template <typename V> Complex<V> select(Mask<V> m, Complex<V> a, Complex<V> b) {
  return {select<V>(m, a.re, b.re), select<V>(m, a.im, b.im)};
}

// The operations that differ between real (N = V) and complex (N = Complex<V>) elements of matrices.
template <typename N> struct Element {
  using V = N;
  static constexpr int kParts = 1;
  static N load(const V *at) { return *at; }
  static void store(V *at, N value) { *at = value; }
  static N of(V re) { return re; }
  static N of(V re, V) { return re; }
};
template <typename Vector> struct Element<Complex<Vector>> {
  using V = Vector;
  static constexpr int kParts = 2;
  static Complex<V> load(const V *at) { return {at[0], at[1]}; }
  static void store(V *at, Complex<V> value) {
    at[0] = value.re;
    at[1] = value.im;
  }
  static Complex<V> of(V re) { return {re, V{}}; }
  static Complex<V> of(V re, V im) { return {re, im}; }
};

template <typename N> N one() { return Element<N>::of(splat<typename Element<N>::V>(1)); }

// A block, column-major.
template <typename N> class Block {
public:
  using E = Element<N>;
  using V = typename E::V;
  Block(RealOf<V> *data, int rows) : data_(reinterpret_cast<V *>(data)), rows_(rows) {}
  N get(int i, int j) const { return E::load(at(i, j)); }
  void set(int i, int j, N value) const { E::store(at(i, j), value); }

private:
  V *at(int i, int j) const { return data_ + (int64_t(j) * rows_ + i) * E::kParts; }
  V *data_;
  int rows_;
};

} // namespace
} // namespace tenon::runtime::small_matrices::TENON_ISA
