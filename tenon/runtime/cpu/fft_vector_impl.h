// Vectors and complex numbers of vectors. Included by fft_kernels_impl.h, once for each instruction set, in a namespace
// of its own: the linker must not mix code for different machines, so nothing here uses an inline function from
// elsewhere.
#pragma once

#include "tenon/runtime/cpu/fft_kernels.h"

#if defined(__AVX512F__)
#define TENON_FFT_VECTOR_BYTES 64
#elif defined(__AVX__)
#define TENON_FFT_VECTOR_BYTES 32
#else
#define TENON_FFT_VECTOR_BYTES 16
#endif

namespace tenon::runtime::fft::TENON_FFT_ISA {
namespace {

template <typename T> inline constexpr int kLanes = TENON_FFT_VECTOR_BYTES / int(sizeof(T));
template <typename T> struct VectorOf {
  using Type [[gnu::vector_size(TENON_FFT_VECTOR_BYTES)]] = T;
};
template <typename T> using Vector = typename VectorOf<T>::Type;

template <typename T> inline Vector<T> load(const T *p) {
  Vector<T> v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
template <typename T> inline void store(T *p, Vector<T> v) { __builtin_memcpy(p, &v, sizeof(v)); }

template <int... I> struct Indices {};
template <typename, int... I> struct IndicesOf {
  using Type = Indices<I...>;
};
// 0, ..., kLanes<T> - 1
template <typename T> using LaneIndices = typename __make_integer_seq<IndicesOf, int, kLanes<T>>::Type;

template <typename V, int... I> inline V evens(V a, V b, Indices<I...>) {
  return __builtin_shufflevector(a, b, 2 * I...);
}
template <typename V, int... I> inline V odds(V a, V b, Indices<I...>) {
  return __builtin_shufflevector(a, b, 2 * I + 1 ...);
}
template <typename V, int... I> inline V zipLow(V a, V b, Indices<I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, I / 2 + I % 2 * n...);
}
template <typename V, int... I> inline V zipHigh(V a, V b, Indices<I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, n / 2 + I / 2 + I % 2 * n...);
}
template <typename V, int... I> inline V reversed(V a, Indices<I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, a, n - 1 - I...);
}

// Exchanges blocks of `step` elements: those at odd places of `a` with those at even places of `b`.
template <int step, typename V, int... I> inline void exchangeBlocks(V &a, V &b, Indices<I...>) {
  constexpr int n = sizeof...(I);
  V low = __builtin_shufflevector(a, b, (I & step ? n + I - step : I)...);
  V high = __builtin_shufflevector(a, b, (I & step ? n + I : I + step)...);
  a = low;
  b = high;
}
// A square of vectors, in place.
template <typename T, int step = kLanes<T> / 2> inline void transpose(Vector<T> *rows) {
#pragma clang loop unroll(full)
  for (int i = 0; i < kLanes<T>; ++i)
    if (!(i & step))
      exchangeBlocks<step>(rows[i], rows[i + step], LaneIndices<T>());
  if constexpr (step > 1)
    transpose<T, step / 2>(rows);
}

template <typename V> struct Complex {
  V re, im;
};
template <typename V> inline Complex<V> operator+(Complex<V> a, Complex<V> b) { return {a.re + b.re, a.im + b.im}; }
template <typename V> inline Complex<V> operator-(Complex<V> a, Complex<V> b) { return {a.re - b.re, a.im - b.im}; }
template <typename V> inline Complex<V> operator*(Complex<V> a, Complex<V> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// -i * a
template <typename V> inline Complex<V> turned(Complex<V> a) { return {a.im, -a.re}; }

template <typename T> using Lanes = Complex<Vector<T>>;

// Elements of a buffer.
template <typename T> inline Lanes<T> loadElement(const T *p) { return {load(p), load(p + kLanes<T>)}; }
template <typename T> inline void storeElement(T *p, Lanes<T> v) {
  store(p, v.re);
  store(p + kLanes<T>, v.im);
}
// Neighbouring complex numbers of an array.
template <typename T> inline Lanes<T> loadPairs(const T *p) {
  Vector<T> a = load(p), b = load(p + kLanes<T>);
  return {evens(a, b, LaneIndices<T>()), odds(a, b, LaneIndices<T>())};
}
template <typename T> inline void storePairs(T *p, Lanes<T> v) {
  store(p, zipLow(v.re, v.im, LaneIndices<T>()));
  store(p + kLanes<T>, zipHigh(v.re, v.im, LaneIndices<T>()));
}

} // namespace
} // namespace tenon::runtime::fft::TENON_FFT_ISA
