// Included by fft_kernels_<instruction set>.cpp with TENON_FFT_ISA set to the namespace. Everything is local to the
// file.

#include "tenon/runtime/cpu/fft_odd_impl.h"

namespace tenon::runtime::fft::TENON_FFT_ISA {
namespace {

template <typename T> void storeBuffer(int64_t count, const T *buffer, Strided<T> to) {
  ToArray<T> target{to};
  for (int64_t e = 0; e < count; ++e)
    target(e, loadElement(buffer + e * 2 * kLanes<T>));
}

template <typename T> void gather(int64_t count, int64_t used, Strided<const T> from, int64_t laneStride, T *buffer) {
  constexpr int n = kLanes<T>;
  for (int64_t e = 0; e < count; ++e) {
    T *element = buffer + e * 2 * n;
    const T *source = from.data + 2 * e * from.stride;
    for (int64_t l = 0; l < n; ++l) {
      element[l] = l < used ? source[2 * l * laneStride] : T(0);
      element[n + l] = l < used ? source[2 * l * laneStride + 1] * from.im : T(0);
    }
  }
}

template <typename T> void scatter(int64_t count, int64_t used, const T *buffer, Strided<T> to, int64_t laneStride) {
  constexpr int n = kLanes<T>;
  for (int64_t e = 0; e < count; ++e) {
    const T *element = buffer + e * 2 * n;
    T *target = to.data + 2 * e * to.stride;
    for (int64_t l = 0; l < used; ++l) {
      target[2 * l * laneStride] = element[l] * to.re;
      target[2 * l * laneStride + 1] = element[n + l] * to.im;
    }
  }
}

// Squares of vectors: each row gives half as many complex numbers as a vector has lanes. The last square overlaps the
// one before it where they do not come out even.
template <typename T> void loadRows(int64_t count, Strided<const T> rows, T *buffer) {
  constexpr int n = kLanes<T>, step = n / 2;
  if (count < step)
    return gather(count, n, {rows.data, 1, rows.re, rows.im}, rows.stride, buffer);
  for (int64_t begin = 0; begin < count; begin += step) {
    int64_t first = begin + step <= count ? begin : count - step;
    Vector<T> square[n];
#pragma clang loop unroll(full)
    for (int l = 0; l < n; ++l)
      square[l] = load(rows.data + 2 * (l * rows.stride + first));
    transpose<T>(square);
#pragma clang loop unroll(full)
    for (int i = 0; i < step; ++i)
      storeElement<T>(buffer + (first + i) * 2 * n, {square[2 * i], square[2 * i + 1] * rows.im});
  }
}

template <typename T> void storeRows(int64_t count, const T *buffer, Strided<T> rows) {
  constexpr int n = kLanes<T>, step = n / 2;
  if (count < step)
    return scatter(count, n, buffer, {rows.data, 1, rows.re, rows.im}, rows.stride);
  for (int64_t begin = 0; begin < count; begin += step) {
    int64_t first = begin + step <= count ? begin : count - step;
    Vector<T> square[n];
#pragma clang loop unroll(full)
    for (int i = 0; i < step; ++i) {
      Lanes<T> element = loadElement(buffer + (first + i) * 2 * n);
      square[2 * i] = element.re * rows.re;
      square[2 * i + 1] = element.im * rows.im;
    }
    transpose<T>(square);
#pragma clang loop unroll(full)
    for (int l = 0; l < n; ++l)
      store(rows.data + 2 * (l * rows.stride + first), square[l]);
  }
}

template <typename T, bool hasFactors>
void turnBlocks(const T *blocks, const T *twiddles, const T *factors, int64_t n1, int64_t n2, int64_t first,
                T *buffer) {
  constexpr int n = kLanes<T>;
  for (int64_t block = 0; block * n < n2; ++block) {
    int64_t start = block * n + n <= n2 ? block * n : n2 - n, place = block * n1 + first;
    const T *source = blocks + place * 2 * n, *w = twiddles + (hasFactors ? first : place) * 2 * n;
    Vector<T> re[n], im[n];
#pragma clang loop unroll(full)
    for (int i = 0; i < n; ++i) {
      Lanes<T> factor = loadElement(w + i * 2 * n), value = loadElement(source + i * 2 * n);
      if constexpr (hasFactors) {
        T fr = factors[2 * (place + i)], fi = factors[2 * (place + i) + 1];
        factor = {factor.re * fr - factor.im * fi, factor.re * fi + factor.im * fr};
      }
      value = value * factor;
      re[i] = value.re;
      im[i] = value.im;
    }
    transpose<T>(re);
    transpose<T>(im);
#pragma clang loop unroll(full)
    for (int i = 0; i < n; ++i)
      storeElement<T>(buffer + (start + i) * 2 * n, {re[i], im[i]});
  }
}

template <typename T>
void turn(const T *blocks, const T *twiddles, const T *factors, int64_t n1, int64_t n2, int64_t first, T *buffer) {
  if (factors)
    turnBlocks<T, true>(blocks, twiddles, factors, n1, n2, first, buffer);
  else
    turnBlocks<T, false>(blocks, twiddles, factors, n1, n2, first, buffer);
}

// x = a + conj(b) -+ i w (a - conj(b)) with w the root for k, halved as the sum has to be.
template <typename V> inline Complex<V> splitOne(Complex<V> a, Complex<V> b, Complex<V> w) {
  Complex<V> even = {a.re + b.re, a.im - b.im}, odd = {a.re - b.re, a.im + b.im};
  return {even.re * 0.5f + (w.re * odd.im + w.im * odd.re), even.im * 0.5f - (w.re * odd.re - w.im * odd.im)};
}
template <typename V> inline Complex<V> mergeOne(Complex<V> a, Complex<V> b, Complex<V> w) {
  Complex<V> even = {a.re + b.re, a.im - b.im}, odd = {a.re - b.re, a.im + b.im};
  return {even.re * 0.5f - (w.re * odd.im - w.im * odd.re), even.im * 0.5f + (w.re * odd.re + w.im * odd.im)};
}

// Applies `one` to in[k], in[h - k] and roots[k] for 0 < k < h within [begin, end): in vectors, of which the last
// overlaps the one before it, or one by one if there are too few for a vector, and then in all of the row.
template <typename T, auto vectorOne, auto one>
void mirroredRange(int64_t h, const T *in, const T *roots, T *out, int64_t begin, int64_t end) {
  constexpr int n = kLanes<T>;
  begin = begin > 1 ? begin : 1;
  end = end < h ? end : h;
  if (h - 1 < n) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t mirror = h - k;
      Complex<T> value =
          one({in[2 * k], in[2 * k + 1]}, {in[2 * mirror], in[2 * mirror + 1]}, {roots[2 * k], roots[2 * k + 1]});
      out[2 * k] = value.re;
      out[2 * k + 1] = value.im;
    }
    return;
  }
  for (int64_t at = begin; at < end; at += n) {
    int64_t k = at + n <= end ? at : end - n;
    Lanes<T> a = loadPairs(in + 2 * k), b = loadPairs(in + 2 * (h - k - n + 1)), w = loadPairs(roots + 2 * k);
    b = {reversed(b.re, LaneIndices<T>()), reversed(b.im, LaneIndices<T>())};
    storePairs(out + 2 * k, vectorOne(a, b, w));
  }
}

template <typename T> void splitReal(int64_t h, const T *packed, const T *roots, T *out, int64_t begin, int64_t end) {
  mirroredRange<T, splitOne<Vector<T>>, splitOne<T>>(h, packed, roots, out, begin, end);
  if (begin == 0) {
    T re = packed[0], im = packed[1];
    out[0] = re + im;
    out[1] = T(0);
    out[2 * h] = re - im;
    out[2 * h + 1] = T(0);
  }
}

template <typename T> void mergeReal(int64_t h, const T *in, const T *roots, T *packed, int64_t begin, int64_t end) {
  mirroredRange<T, mergeOne<Vector<T>>, mergeOne<T>>(h, in, roots, packed, begin, end);
  if (begin == 0) {
    T first = in[0], last = in[2 * h];
    packed[0] = (first + last) * T(0.5);
    packed[1] = (first - last) * T(0.5);
  }
}

template <typename T> void multiply(int64_t count, const T *in, T inFactor, const T *b, T *out, T scale, T outFactor) {
  constexpr int n = kLanes<T>;
  int64_t j = 0;
  for (; j + n <= count; j += n) {
    Lanes<T> value = loadPairs(in + 2 * j), factor = loadPairs(b + 2 * j);
    value.im = value.im * inFactor;
    value = value * factor;
    storePairs<T>(out + 2 * j, {value.re * scale, value.im * (scale * outFactor)});
  }
  for (; j < count; ++j) {
    Complex<T> value = {in[2 * j], in[2 * j + 1] * inFactor}, factor = {b[2 * j], b[2 * j + 1]};
    value = value * factor;
    out[2 * j] = value.re * scale;
    out[2 * j + 1] = value.im * (scale * outFactor);
  }
}

template <typename T>
constexpr Kernels<T> kTable = {kLanes<T>,    TENON_FFT_VECTOR_BYTES == 64 ? 16 : 8,
                               runPass<T>,   storeBuffer<T>,
                               loadRows<T>,  storeRows<T>,
                               gather<T>,    scatter<T>,
                               turn<T>,      splitReal<T>,
                               mergeReal<T>, spreadOdd<T>,
                               gatherOdd<T>, joinOdd<T>,
                               partOdd<T>,   multiply<T>};

} // namespace

// NOLINTBEGIN(misc-definitions-in-headers): included once for each ISA, in a namespace of its own
extern const Kernels<float> floatKernels = kTable<float>;
extern const Kernels<double> doubleKernels = kTable<double>;
// NOLINTEND(misc-definitions-in-headers)

} // namespace tenon::runtime::fft::TENON_FFT_ISA
