// Included by fft_stages_<instruction set>.cpp with TENON_FFT_ISA set to the namespace. Everything here is local to the
// file and uses no inline function from elsewhere: the linker must not mix code for different machines.

#include "tenon/runtime/cpu/fft_stages.h"

namespace tenon::runtime::fft::TENON_FFT_ISA {
namespace {

template <typename T> struct Complex {
  T re, im;
};
template <typename T> inline Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <typename T> inline Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <typename T> inline Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T> inline Complex<T> scaled(Complex<T> a, T factor) { return {a.re * factor, a.im * factor}; }
// -i * a
template <typename T> inline Complex<T> turned(Complex<T> a) { return {a.im, -a.re}; }

template <typename T> inline Complex<T> at(ConstSplit<T> a, int64_t i) { return {a.re[i], a.im[i]}; }
template <typename T> inline void put(Split<T> a, int64_t i, Complex<T> value) {
  a.re[i] = value.re;
  a.im[i] = value.im;
}

// The short transforms: values in place, natural order.
template <typename T> struct Butterfly2 {
  static constexpr int kRadix = 2;
  static void apply(Complex<T> *v) {
    Complex<T> a = v[0], b = v[1];
    v[0] = a + b;
    v[1] = a - b;
  }
};

template <typename T> struct Butterfly3 {
  static constexpr int kRadix = 3;
  static void apply(Complex<T> *v) {
    constexpr T kSin = T(0.866025403784438646763723170752936183);
    Complex<T> sum = v[1] + v[2], difference = scaled(turned(v[1] - v[2]), kSin);
    Complex<T> middle = v[0] - scaled(sum, T(0.5));
    v[0] = v[0] + sum;
    v[1] = middle + difference;
    v[2] = middle - difference;
  }
};

template <typename T> struct Butterfly4 {
  static constexpr int kRadix = 4;
  static void apply(Complex<T> *v) {
    Complex<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
};

template <typename T> struct Butterfly5 {
  static constexpr int kRadix = 5;
  static void apply(Complex<T> *v) {
    constexpr T kCos1 = T(0.309016994374947424102293417182819059), kSin1 = T(0.951056516295153572116439333379382143);
    constexpr T kCos2 = T(-0.809016994374947424102293417182819059), kSin2 = T(0.587785252292473129168705954639072769);
    Complex<T> s1 = v[1] + v[4], d1 = turned(v[1] - v[4]), s2 = v[2] + v[3], d2 = turned(v[2] - v[3]);
    Complex<T> a = v[0] + scaled(s1, kCos1) + scaled(s2, kCos2), b = v[0] + scaled(s1, kCos2) + scaled(s2, kCos1);
    Complex<T> c = scaled(d1, kSin1) + scaled(d2, kSin2), d = scaled(d1, kSin2) - scaled(d2, kSin1);
    v[0] = v[0] + s1 + s2;
    v[1] = a + c;
    v[2] = b + d;
    v[3] = b - d;
    v[4] = a - c;
  }
};

template <typename T, template <typename> class Butterfly>
void fixedStage(int64_t m, int64_t stride, ConstSplit<T> in, Split<T> out, ConstSplit<T> twiddles) {
  constexpr int r = Butterfly<T>::kRadix;
  // `in` and `out` never overlap, which the pragma below says again: checks at run time would be too many.
  const T *__restrict inRe = in.re, *__restrict inIm = in.im;
  T *__restrict outRe = out.re, *__restrict outIm = out.im;
  if (stride == 1) {
    for (int64_t p = 0; p < m; ++p) {
      Complex<T> v[r];
      for (int j = 0; j < r; ++j)
        v[j] = {inRe[p + m * j], inIm[p + m * j]};
      Butterfly<T>::apply(v);
      put(out, r * p, v[0]);
      for (int k = 1; k < r; ++k)
        put(out, r * p + k, v[k] * at(twiddles, p * (r - 1) + k - 1));
    }
    return;
  }
  for (int64_t p = 0; p < m; ++p) {
    Complex<T> w[r];
    for (int k = 1; k < r; ++k)
      w[k] = at(twiddles, p * (r - 1) + k - 1);
    int64_t inBase = stride * p, outBase = stride * r * p;
#pragma clang loop vectorize(assume_safety) interleave(disable)
    for (int64_t q = 0; q < stride; ++q) {
      Complex<T> v[r];
      for (int j = 0; j < r; ++j)
        v[j] = {inRe[inBase + stride * m * j + q], inIm[inBase + stride * m * j + q]};
      Butterfly<T>::apply(v);
      outRe[outBase + q] = v[0].re;
      outIm[outBase + q] = v[0].im;
      for (int k = 1; k < r; ++k) {
        Complex<T> value = v[k] * w[k];
        outRe[outBase + stride * k + q] = value.re;
        outIm[outBase + stride * k + q] = value.im;
      }
    }
  }
}

// Any radix, by the definition.
template <typename T>
void generalStage(int r, int64_t m, int64_t stride, ConstSplit<T> in, Split<T> out, ConstSplit<T> twiddles,
                  ConstSplit<T> roots) {
  for (int64_t p = 0; p < m; ++p)
    for (int k = 0; k < r; ++k) {
      T *__restrict outRe = out.re + stride * (r * p + k), *__restrict outIm = out.im + stride * (r * p + k);
      Complex<T> w = k == 0 ? Complex<T>{1, 0} : at(twiddles, p * (r - 1) + k - 1);
      for (int j = 0; j < r; ++j) {
        const T *__restrict inRe = in.re + stride * (p + m * j), *__restrict inIm = in.im + stride * (p + m * j);
        Complex<T> factor = at(roots, (int64_t(j) * k) % r) * w;
        if (j == 0)
          for (int64_t q = 0; q < stride; ++q) {
            outRe[q] = inRe[q] * factor.re - inIm[q] * factor.im;
            outIm[q] = inRe[q] * factor.im + inIm[q] * factor.re;
          }
        else
          for (int64_t q = 0; q < stride; ++q) {
            outRe[q] += inRe[q] * factor.re - inIm[q] * factor.im;
            outIm[q] += inRe[q] * factor.im + inIm[q] * factor.re;
          }
      }
    }
}

template <typename T>
void stage(int radix, int64_t m, int64_t stride, ConstSplit<T> in, Split<T> out, ConstSplit<T> twiddles,
           ConstSplit<T> roots) {
  switch (radix) {
  case 2:
    return fixedStage<T, Butterfly2>(m, stride, in, out, twiddles);
  case 3:
    return fixedStage<T, Butterfly3>(m, stride, in, out, twiddles);
  case 4:
    return fixedStage<T, Butterfly4>(m, stride, in, out, twiddles);
  case 5:
    return fixedStage<T, Butterfly5>(m, stride, in, out, twiddles);
  default:
    return generalStage(radix, m, stride, in, out, twiddles, roots);
  }
}

template <typename T> void multiplyRows(int64_t count, int64_t lanes, Split<T> a, ConstSplit<T> b) {
  for (int64_t j = 0; j < count; ++j) {
    Complex<T> factor = at(b, j);
    T *__restrict re = a.re + j * lanes, *__restrict im = a.im + j * lanes;
    for (int64_t l = 0; l < lanes; ++l) {
      Complex<T> value = Complex<T>{re[l], im[l]} * factor;
      re[l] = value.re;
      im[l] = value.im;
    }
  }
}

template <typename T>
void load(int64_t count, int64_t lanes, const T *memory, int64_t laneStride, int64_t elementStride, Split<T> to) {
  T *__restrict re = to.re, *__restrict im = to.im;
  if (laneStride == 1) {
    for (int64_t j = 0; j < count; ++j)
      for (int64_t l = 0; l < lanes; ++l) {
        re[j * lanes + l] = memory[2 * (j * elementStride + l)];
        im[j * lanes + l] = memory[2 * (j * elementStride + l) + 1];
      }
    return;
  }
  // A transposition, in tiles that fit the first cache.
  constexpr int64_t kTile = 32;
  for (int64_t j0 = 0; j0 < count; j0 += kTile) {
    int64_t end = j0 + kTile < count ? j0 + kTile : count;
    for (int64_t l = 0; l < lanes; ++l) {
      const T *__restrict row = memory + 2 * l * laneStride;
      for (int64_t j = j0; j < end; ++j) {
        re[j * lanes + l] = row[2 * j * elementStride];
        im[j * lanes + l] = row[2 * j * elementStride + 1];
      }
    }
  }
}

template <typename T>
void store(int64_t count, int64_t lanes, ConstSplit<T> from, T scale, T *memory, int64_t laneStride,
           int64_t elementStride) {
  const T *__restrict re = from.re, *__restrict im = from.im;
  if (laneStride == 1) {
    for (int64_t j = 0; j < count; ++j)
      for (int64_t l = 0; l < lanes; ++l) {
        memory[2 * (j * elementStride + l)] = re[j * lanes + l] * scale;
        memory[2 * (j * elementStride + l) + 1] = im[j * lanes + l] * scale;
      }
    return;
  }
  constexpr int64_t kTile = 32;
  for (int64_t j0 = 0; j0 < count; j0 += kTile) {
    int64_t end = j0 + kTile < count ? j0 + kTile : count;
    for (int64_t l = 0; l < lanes; ++l) {
      T *__restrict row = memory + 2 * l * laneStride;
      for (int64_t j = j0; j < end; ++j) {
        row[2 * j * elementStride] = re[j * lanes + l] * scale;
        row[2 * j * elementStride + 1] = im[j * lanes + l] * scale;
      }
    }
  }
}

} // namespace

// NOLINTBEGIN(misc-definitions-in-headers): included once for each ISA, in a namespace of its own
extern const Loops<float> floatLoops = {stage<float>, multiplyRows<float>, load<float>, store<float>};
extern const Loops<double> doubleLoops = {stage<double>, multiplyRows<double>, load<double>, store<double>};
// NOLINTEND(misc-definitions-in-headers)

} // namespace tenon::runtime::fft::TENON_FFT_ISA
