// Transforms of an odd number p m of real numbers by (p + 1) / 2 complex ones of length m (fft_odd_real.h). Included by
// fft_kernels_impl.h.
#pragma once

#include "tenon/runtime/cpu/fft_passes_impl.h"

namespace tenon::runtime::fft::TENON_FFT_ISA {
namespace {

template <typename T> inline Lanes<T> backwards(Lanes<T> v) {
  return {reversed(v.re, LaneIndices<T>()), reversed(v.im, LaneIndices<T>())};
}
template <typename T> inline Lanes<T> conjugate(Lanes<T> v) { return {v.re, -v.im}; }

// Element k of a sequence, in every lane, or elements k to k + lanes; and element m - k, or those that mirror them.
template <typename T, bool isFirst> inline Lanes<T> elementsAt(const T *p) {
  if constexpr (isFirst)
    return {Vector<T>{} + p[0], Vector<T>{} + p[1]};
  else
    return loadPairs(p);
}
template <typename T, bool isFirst> inline Lanes<T> mirroredAt(const T *p) {
  if constexpr (isFirst)
    return {Vector<T>{} + p[0], Vector<T>{} + p[1]};
  else
    return backwards<T>(loadPairs(p - 2 * (kLanes<T> - 1)));
}
template <typename T, bool isFirst> inline void storeAt(T *p, Lanes<T> v) {
  if constexpr (isFirst) {
    p[0] = v.re[0];
    p[1] = v.im[0];
  } else {
    storePairs(p, v);
  }
}

// Elements k of the p real sequences' transforms, from those of the complex ones that hold two of them each.
template <typename T, int p, bool isFirst>
inline void joinAt(int64_t m, const T *parts, const T *roots, T *out, int64_t k, bool hasMiddle) {
  constexpr int h = p / 2;
  int64_t mirror = isFirst ? 0 : m - k;
  Lanes<T> v[p];
#pragma clang loop unroll(full)
  for (int t = 0; t < h; ++t) {
    Lanes<T> a = elementsAt<T, isFirst>(parts + 2 * (t * m + k));
    Lanes<T> b = mirroredAt<T, isFirst>(parts + 2 * (t * m + mirror));
    v[2 * t] = {(a.re + b.re) * T(0.5), (a.im - b.im) * T(0.5)};
    v[2 * t + 1] = {(a.im + b.im) * T(0.5), (b.re - a.re) * T(0.5)};
  }
  v[p - 1] = elementsAt<T, isFirst>(parts + 2 * (h * m + k));
#pragma clang loop unroll(full)
  for (int r = 1; r < p; ++r)
    v[r] = v[r] * elementsAt<T, isFirst>(roots + 2 * ((r - 1) * m + k));
  Butterfly<T, p>::apply(v);
#pragma clang loop unroll(full)
  for (int q = 0; q < h; ++q)
    storeAt<T, isFirst>(out + 2 * (q * m + k), v[q]);
  if (hasMiddle)
    storeAt<T, isFirst>(out + 2 * (h * m + k), v[h]);
}

// The way back, for k and m - k at once.
template <typename T, int p, bool isFirst>
inline void partAt(int64_t m, const T *in, const T *roots, T *parts, int64_t k) {
  constexpr int h = p / 2;
  int64_t mirror = isFirst ? 0 : m - k;
  Lanes<T> v[p];
#pragma clang loop unroll(full)
  for (int q = 0; q <= h; ++q)
    v[q] = conjugate<T>(elementsAt<T, isFirst>(in + 2 * (q * m + k)));
#pragma clang loop unroll(full)
  for (int q = h + 1; q < p; ++q)
    v[q] = mirroredAt<T, isFirst>(in + 2 * (m - k + m * (p - 1 - q)));
  if constexpr (isFirst)
    v[0].im = Vector<T>{}; // which the spectrum of real numbers does not have
  Butterfly<T, p>::apply(v);
#pragma clang loop unroll(full)
  for (int r = 1; r < p; ++r)
    v[r] = v[r] * elementsAt<T, isFirst>(roots + 2 * ((r - 1) * m + k));
#pragma clang loop unroll(full)
  for (int t = 0; t <= h; ++t) {
    Lanes<T> a = v[2 * t], b = t < h ? v[t < h ? 2 * t + 1 : 0] : Lanes<T>{};
    storeAt<T, isFirst>(parts + 2 * (t * m + k), {a.re + b.im, b.re - a.im});
    if constexpr (!isFirst)
      storePairs(parts + 2 * (t * m + mirror - (kLanes<T> - 1)), backwards<T>({a.re - b.im, a.im + b.re}));
  }
}

// In vectors, of which the last overlaps the one before it.
template <typename T, typename Body> inline void overVectors(int64_t begin, int64_t end, Body body) {
  constexpr int n = kLanes<T>;
  for (int64_t at = begin; at < end; at += n)
    body(at + n <= end ? at : end - n);
}

template <typename T, int p>
void joinRange(int64_t m, const T *parts, const T *roots, T *out, int64_t begin, int64_t end) {
  bool hasMiddle = end <= m / 2 + 1;
  if (begin == 0)
    joinAt<T, p, true>(m, parts, roots, out, 0, true);
  overVectors<T>(begin > 1 ? begin : 1, end,
                 [&](int64_t k) { joinAt<T, p, false>(m, parts, roots, out, k, hasMiddle); });
}
template <typename T, int p>
void partRange(int64_t m, const T *in, const T *roots, T *parts, int64_t begin, int64_t end) {
  if (begin == 0)
    partAt<T, p, true>(m, in, roots, parts, 0);
  overVectors<T>(begin > 1 ? begin : 1, end, [&](int64_t k) { partAt<T, p, false>(m, in, roots, parts, k); });
}

template <typename T>
void joinOdd(int p, int64_t m, const T *parts, const T *roots, T *out, int64_t begin, int64_t end) {
  p == 3   ? joinRange<T, 3>(m, parts, roots, out, begin, end)
  : p == 5 ? joinRange<T, 5>(m, parts, roots, out, begin, end)
           : joinRange<T, 7>(m, parts, roots, out, begin, end);
}
template <typename T>
void partOdd(int p, int64_t m, const T *in, const T *roots, T *parts, int64_t begin, int64_t end) {
  p == 3   ? partRange<T, 3>(m, in, roots, parts, begin, end)
  : p == 5 ? partRange<T, 5>(m, in, roots, parts, begin, end)
           : partRange<T, 7>(m, in, roots, parts, begin, end);
}

// Row of p m reals to sequences of pairs, and back.
template <typename T, int p> void spreadRow(int64_t m, const T *in, T *parts) {
  constexpr int h = p / 2;
  for (int64_t j = 0; j < m; ++j, in += p) {
#pragma clang loop unroll(full)
    for (int t = 0; t < h; ++t)
      __builtin_memcpy(parts + 2 * (t * m + j), in + 2 * t, 2 * sizeof(T));
    parts[2 * (h * m + j)] = in[p - 1];
    parts[2 * (h * m + j) + 1] = T(0);
  }
}
template <typename T, int p> void gatherRow(int64_t m, const T *parts, T *out) {
  constexpr int h = p / 2;
  for (int64_t j = 0; j < m; ++j, out += p) {
#pragma clang loop unroll(full)
    for (int t = 0; t < h; ++t)
      __builtin_memcpy(out + 2 * t, parts + 2 * (t * m + j), 2 * sizeof(T));
    out[p - 1] = parts[2 * (h * m + j)];
  }
}
template <typename T> void spreadOdd(int p, int64_t m, const T *in, T *parts) {
  p == 3 ? spreadRow<T, 3>(m, in, parts) : p == 5 ? spreadRow<T, 5>(m, in, parts) : spreadRow<T, 7>(m, in, parts);
}
template <typename T> void gatherOdd(int p, int64_t m, const T *parts, T *out) {
  p == 3 ? gatherRow<T, 3>(m, parts, out) : p == 5 ? gatherRow<T, 5>(m, parts, out) : gatherRow<T, 7>(m, parts, out);
}

} // namespace
} // namespace tenon::runtime::fft::TENON_FFT_ISA
