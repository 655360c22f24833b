// The passes of Stockham's algorithm. Included by fft_kernels_impl.h.
#pragma once

#include "tenon/runtime/cpu/fft_vector_impl.h"

namespace tenon::runtime::fft::TENON_FFT_ISA {
namespace {

// The short transforms: values in place, natural order.
template <typename T, int R> struct Butterfly;

template <typename T> struct Butterfly<T, 1> {
  static inline void apply(Lanes<T> *) {}
};

template <typename T> struct Butterfly<T, 2> {
  static inline void apply(Lanes<T> *v) {
    Lanes<T> a = v[0], b = v[1];
    v[0] = a + b;
    v[1] = a - b;
  }
};

template <typename T> struct Butterfly<T, 4> {
  static inline void apply(Lanes<T> *v) {
    Lanes<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
};

// The cosine and sine of 2 pi j / R for j <= R / 2.
template <int R> inline constexpr double kCos[1] = {};
template <int R> inline constexpr double kSin[1] = {};
template <> inline constexpr double kCos<3>[2] = {1, -0.5};
template <> inline constexpr double kSin<3>[2] = {0, 0.866025403784438646763723170752936183};
template <>
inline constexpr double kCos<5>[3] = {1, 0.309016994374947424102293417182819059,
                                      -0.809016994374947424102293417182819059};
template <>
inline constexpr double kSin<5>[3] = {0, 0.951056516295153572116439333379382143,
                                      0.587785252292473129168705954639072769};
template <>
inline constexpr double kCos<7>[4] = {1, 0.623489801858733530525004884004239811,
                                      -0.222520933956314404288902564496794759, -0.900968867902419126236102319507445052};
template <>
inline constexpr double kSin<7>[4] = {0, 0.781831482468029808708444526674057750, 0.974927912181823607018131682993931218,
                                      0.433883739117558120475768332848358754};
template <>
inline constexpr double kCos<9>[5] = {1, 0.766044443118978035202392650555416674, 0.173648177666930348851716626769314796,
                                      -0.5, -0.939692620785908384054109277324731469};
template <>
inline constexpr double kSin<9>[5] = {0, 0.642787609686539326322643409907263433, 0.984807753012208059366743024589523014,
                                      0.866025403784438646763723170752936183, 0.342020143325668733044099614682259581};
template <>
inline constexpr double kCos<8>[5] = {1, 0.707106781186547524400844362104849039, 0,
                                      -0.707106781186547524400844362104849039, -1};
template <>
inline constexpr double kSin<8>[5] = {0, 0.707106781186547524400844362104849039, 1,
                                      0.707106781186547524400844362104849039, 0};
template <>
inline constexpr double kCos<16>[9] = {1,
                                       0.923879532511286756128183189396788287,
                                       0.707106781186547524400844362104849039,
                                       0.382683432365089771728459984030398866,
                                       0,
                                       -0.382683432365089771728459984030398866,
                                       -0.707106781186547524400844362104849039,
                                       -0.923879532511286756128183189396788287,
                                       -1};
template <>
inline constexpr double kSin<16>[9] = {0,
                                       0.382683432365089771728459984030398866,
                                       0.707106781186547524400844362104849039,
                                       0.923879532511286756128183189396788287,
                                       1,
                                       0.923879532511286756128183189396788287,
                                       0.707106781186547524400844362104849039,
                                       0.382683432365089771728459984030398866,
                                       0};

// An odd number R of values, by the definition: x_j and x_(R-j) meet the same cosine and opposite sines.
template <typename T, int R> struct OddButterfly {
  static inline void apply(Lanes<T> *v) {
    constexpr int h = R / 2;
    Lanes<T> sums[h + 1], differences[h + 1], first = v[0], all = v[0];
#pragma clang loop unroll(full)
    for (int j = 1; j <= h; ++j) {
      sums[j] = v[j] + v[R - j];
      differences[j] = v[j] - v[R - j];
      all = all + sums[j];
    }
    v[0] = all;
#pragma clang loop unroll(full)
    for (int k = 1; k <= h; ++k) {
      Lanes<T> a = first, b = {};
#pragma clang loop unroll(full)
      for (int j = 1; j <= h; ++j) {
        int place = j * k % R;
        T cosine = T(kCos<R>[place <= h ? place : R - place]);
        T sine = T(place <= h ? kSin<R>[place] : -kSin<R>[R - place]);
        a = {a.re + sums[j].re * cosine, a.im + sums[j].im * cosine};
        b = j == 1 ? Lanes<T>{differences[j].re * sine, differences[j].im * sine}
                   : Lanes<T>{b.re + differences[j].re * sine, b.im + differences[j].im * sine};
      }
      v[k] = a + turned(b);
      v[R - k] = a - turned(b);
    }
  }
};
template <typename T> struct Butterfly<T, 3> : OddButterfly<T, 3> {};
template <typename T> struct Butterfly<T, 5> : OddButterfly<T, 5> {};
template <typename T> struct Butterfly<T, 7> : OddButterfly<T, 7> {};

// value * exp(-2 pi i e / R); called with constants only.
template <int R, typename T> inline Lanes<T> rotated(Lanes<T> value, int e) {
  if (e == 0)
    return value;
  if (4 * e == R)
    return turned(value);
  T cosine = T(kCos<R>[e <= R / 2 ? e : R - e]), sine = T(e <= R / 2 ? kSin<R>[e] : -kSin<R>[R - e]);
  if (8 * e == R)
    return {(value.re + value.im) * cosine, (value.im - value.re) * cosine};
  if (8 * e == 3 * R)
    return {(value.im - value.re) * sine, -(value.re + value.im) * sine};
  return {value.re * cosine + value.im * sine, value.im * cosine - value.re * sine};
}

// A * B values as a matrix (Cooley and Tukey).
template <typename T, int A, int B> struct ProductButterfly {
  static inline void apply(Lanes<T> *v) {
    constexpr int R = A * B;
    Lanes<T> rows[A][B];
#pragma clang loop unroll(full)
    for (int j = 0; j < B; ++j) {
      Lanes<T> column[A];
#pragma clang loop unroll(full)
      for (int i = 0; i < A; ++i)
        column[i] = v[B * i + j];
      Butterfly<T, A>::apply(column);
#pragma clang loop unroll(full)
      for (int i = 0; i < A; ++i)
        rows[i][j] = rotated<R, T>(column[i], i * j);
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < A; ++i) {
      Butterfly<T, B>::apply(rows[i]);
#pragma clang loop unroll(full)
      for (int j = 0; j < B; ++j)
        v[i + A * j] = rows[i][j];
    }
  }
};
template <typename T> struct Butterfly<T, 8> : ProductButterfly<T, 2, 4> {};
template <typename T> struct Butterfly<T, 9> : ProductButterfly<T, 3, 3> {};
template <typename T> struct Butterfly<T, 16> : ProductButterfly<T, 4, 4> {};

template <typename T> struct FromBuffer {
  const T *data;
  inline Lanes<T> operator()(int64_t e) const { return loadElement(data + e * 2 * kLanes<T>); }
};
template <typename T> struct FromArray {
  Strided<const T> array;
  inline Lanes<T> operator()(int64_t e) const {
    Lanes<T> v = loadPairs(array.data + 2 * e * array.stride);
    return {v.re, v.im * array.im};
  }
};
template <typename T> struct ToBuffer {
  T *data;
  inline void operator()(int64_t e, Lanes<T> v) const { storeElement(data + e * 2 * kLanes<T>, v); }
};
template <typename T> struct ToArray {
  Strided<T> array;
  inline void operator()(int64_t e, Lanes<T> v) const {
    storePairs(array.data + 2 * e * array.stride, {v.re * array.re, v.im * array.im});
  }
};

template <typename T, int R, bool twiddled, typename From, typename To>
void fixedPass(const Pass<T> &pass, From from, To to) {
  int64_t m = pass.m, stride = pass.stride;
  for (int64_t p = 0; p < m; ++p) {
    const T *w = pass.twiddles + 2 * p * (R - 1);
    for (int64_t q = 0; q < stride; ++q) {
      Lanes<T> v[R];
#pragma clang loop unroll(full)
      for (int j = 0; j < R; ++j)
        v[j] = from(q + stride * (p + m * j));
      Butterfly<T, R>::apply(v);
      to(q + stride * R * p, v[0]);
#pragma clang loop unroll(full)
      for (int k = 1; k < R; ++k) {
        if constexpr (twiddled) {
          T re = w[2 * k - 2], im = w[2 * k - 1];
          v[k] = {v[k].re * re - v[k].im * im, v[k].re * im + v[k].im * re};
        }
        to(q + stride * (R * p + k), v[k]);
      }
    }
  }
}

// x_j + x_(r-j), x_j - x_(r-j) and, at 0, x_0.
template <typename T> struct Folded {
  Lanes<T> sums[kMaxRadix / 2 + 1], differences[kMaxRadix / 2 + 1];
};

// The parts of results k and r - k that the cosines and the sines give, for `count` values of k at a time: one alone
// would wait for its own additions.
template <typename T, int count>
void sumParts(const Folded<T> &in, int r, const T *roots, const int *ks, Lanes<T> *cosines, Lanes<T> *sines) {
  int places[count] = {};
  Lanes<T> a[count], b[count];
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i) {
    a[i] = in.sums[0];
    b[i] = {};
  }
  for (int j = 1; j <= r / 2; ++j) {
    Lanes<T> sum = in.sums[j], difference = in.differences[j];
#pragma clang loop unroll(full)
    for (int i = 0; i < count; ++i) {
      places[i] = places[i] + ks[i] < r ? places[i] + ks[i] : places[i] + ks[i] - r;
      T cosine = roots[2 * places[i]], sine = roots[2 * places[i] + 1];
      a[i] = {a[i].re + sum.re * cosine, a[i].im + sum.im * cosine};
      b[i] = {b[i].re + difference.re * sine, b[i].im + difference.im * sine};
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i) {
    cosines[i] = a[i];
    sines[i] = b[i];
  }
}

// Any odd radix, like OddButterfly.
template <typename T, bool twiddled, typename From, typename To>
void generalPass(const Pass<T> &pass, From from, To to) {
  int64_t m = pass.m, stride = pass.stride;
  int r = pass.radix, h = r / 2;
  constexpr int together = 3;
  for (int64_t p = 0; p < m; ++p) {
    const T *w = pass.twiddles + 2 * p * (r - 1);
    auto put = [&](int64_t q, int k, Lanes<T> value) {
      if constexpr (twiddled) {
        T re = w[2 * k - 2], im = w[2 * k - 1];
        value = {value.re * re - value.im * im, value.re * im + value.im * re};
      }
      to(q + stride * (r * p + k), value);
    };
    for (int64_t q = 0; q < stride; ++q) {
      Folded<T> in;
      Lanes<T> all = in.sums[0] = from(q + stride * p);
      for (int j = 1; j <= h; ++j) {
        Lanes<T> a = from(q + stride * (p + m * j)), b = from(q + stride * (p + m * (r - j)));
        in.sums[j] = a + b;
        in.differences[j] = a - b;
        all = all + in.sums[j];
      }
      to(q + stride * r * p, all);
      for (int k = 1; k <= h; k += together) {
        int ks[together];
        Lanes<T> cosines[together], sines[together];
        for (int i = 0; i < together; ++i)
          ks[i] = k + i <= h ? k + i : h;
        sumParts<T, together>(in, r, pass.roots, ks, cosines, sines);
        for (int i = 0; i < together && k + i <= h; ++i) {
          put(q, k + i, cosines[i] + turned(sines[i]));
          put(q, r - k - i, cosines[i] - turned(sines[i]));
        }
      }
    }
  }
}

template <typename T, bool twiddled, typename From, typename To> void anyPass(const Pass<T> &pass, From from, To to) {
  switch (pass.radix) {
  case 1:
    return fixedPass<T, 1, false>(pass, from, to);
  case 2:
    return fixedPass<T, 2, twiddled>(pass, from, to);
  case 3:
    return fixedPass<T, 3, twiddled>(pass, from, to);
  case 4:
    return fixedPass<T, 4, twiddled>(pass, from, to);
  case 5:
    return fixedPass<T, 5, twiddled>(pass, from, to);
  case 7:
    return fixedPass<T, 7, twiddled>(pass, from, to);
  case 8:
    return fixedPass<T, 8, twiddled>(pass, from, to);
  case 9:
    return fixedPass<T, 9, twiddled>(pass, from, to);
#if defined(__AVX512F__)
  case 16:
    return fixedPass<T, 16, twiddled>(pass, from, to);
#endif
  default:
    return generalPass<T, twiddled>(pass, from, to);
  }
}

template <typename T>
void runPass(PassKind kind, const Pass<T> &pass, const T *buffer, Strided<const T> array, T *toBuffer,
             Strided<T> toArray) {
  switch (kind) {
  case PassKind::kArrayToBuffer:
    return anyPass<T, true>(pass, FromArray<T>{array}, ToBuffer<T>{toBuffer});
  case PassKind::kMiddle:
    return anyPass<T, true>(pass, FromBuffer<T>{buffer}, ToBuffer<T>{toBuffer});
  case PassKind::kLast:
    return anyPass<T, false>(pass, FromBuffer<T>{buffer}, ToBuffer<T>{toBuffer});
  case PassKind::kLastToArray:
    return anyPass<T, false>(pass, FromBuffer<T>{buffer}, ToArray<T>{toArray});
  case PassKind::kOnlyFromArray:
    return anyPass<T, false>(pass, FromArray<T>{array}, ToBuffer<T>{toBuffer});
  }
}

} // namespace
} // namespace tenon::runtime::fft::TENON_FFT_ISA
