// The inner loops of the Fourier transform, compiled once for each instruction set.
//
// A vector has `lanes` elements, and that many sequences are transformed side by side. Between the passes they lie in a
// buffer: element e is one vector of real parts and one of imaginary parts, at buffer + 2 * lanes * e. In arrays the
// parts of a complex number lie side by side.
#pragma once

#include <cstdint>

namespace tenon::runtime::fft {

// One decimation step of Stockham's algorithm, which needs no reordering:
//   out[q + stride * (radix * p + k)] = w^(p k) * sum_j in[q + stride * (p + m * j)] * exp(-2 pi i j k / radix)
// for q < stride, p < m, k < radix. `twiddles` holds w^(p k) at [p * (radix - 1) + k - 1] as pairs; in the last pass,
// where m is 1, there are none to multiply by. Odd radices beyond 7, up to kMaxRadix, take the cosine and the sine of
// 2 pi j / radix from `roots`.
inline constexpr int kMaxRadix = 61;
template <typename T> struct Pass {
  int radix;
  int64_t m, stride;
  const T *twiddles, *roots;
};

// A part of an array, of `lanes` neighbouring complex numbers for each element, `stride` complex numbers apart. The
// parts are multiplied by re and im on their way: with im negated before and after, the forward transform becomes the
// inverse one. Reading takes re as 1.
template <typename T> struct Strided {
  T *data;
  int64_t stride;
  T re, im;
};

// What a pass reads and writes: a buffer, or an array.
enum class PassKind { kArrayToBuffer, kMiddle, kLast, kLastToArray, kOnlyFromArray };

template <typename T> struct Kernels {
  int lanes;
  // The largest radices are for machines with many registers.
  int largestPowerOfTwo;

  void (*pass)(PassKind kind, const Pass<T> &pass, const T *buffer, Strided<const T> array, T *toBuffer,
               Strided<T> toArray);
  // A buffer as an array.
  void (*store)(int64_t count, const T *buffer, Strided<T> to);
  // Between `lanes` rows of `count` complex numbers and a buffer; `stride` is from row to row.
  void (*loadRows)(int64_t count, Strided<const T> rows, T *buffer);
  void (*storeRows)(int64_t count, const T *buffer, Strided<T> rows);
  // The same for fewer than `lanes` sequences, at any distance of elements and sequences. The other lanes are zero.
  void (*gather)(int64_t count, int64_t used, Strided<const T> from, int64_t laneStride, T *buffer);
  void (*scatter)(int64_t count, int64_t used, const T *buffer, Strided<T> to, int64_t laneStride);
  // The middle of the four-step method (fft_row_plan.h): takes the elements [first, first + lanes) of each block of
  // `n1` in `blocks`, multiplies them by those of `twiddles`, and transposes, so that lanes become elements and
  // elements lanes. If `factors` is given, `twiddles` is one block, and each element has a factor besides.
  void (*turn)(const T *blocks, const T *twiddles, const T *factors, int64_t n1, int64_t n2, int64_t first, T *buffer);

  // The transform of 2h real numbers from that of h complex ones, and the way back; roots are exp(-2 pi i k / (2h)) / 2
  // for k <= h. Elements k of [begin, end) of the result, whose last one goes with the first; more than `lanes` of
  // them, or all.
  void (*splitReal)(int64_t h, const T *packed, const T *roots, T *out, int64_t begin, int64_t end);
  void (*mergeReal)(int64_t h, const T *in, const T *roots, T *packed, int64_t begin, int64_t end);
  // The same for an odd number p m of real numbers, p = 3, 5 or 7: real j p + r is a part of element j of complex
  // sequence r / 2, of which there are (p + 1) / 2 of length m, one behind the other; the last one has no imaginary
  // parts. Roots are exp(-2 pi i r k / (p m)) at [(r - 1) m + k]. spreadOdd and gatherOdd go from reals to sequences
  // and back; joinOdd makes the transform of those of the sequences, elements k + q m of it for k in [begin, end),
  // which is a part of [0, m / 2] or of what is above it, of at least `lanes` elements besides 0; partOdd is its way
  // back, for k in a part of [0, m / 2], without the factor 1 / p.
  void (*spreadOdd)(int p, int64_t m, const T *in, T *parts);
  void (*gatherOdd)(int p, int64_t m, const T *parts, T *out);
  void (*joinOdd)(int p, int64_t m, const T *parts, const T *roots, T *out, int64_t begin, int64_t end);
  void (*partOdd)(int p, int64_t m, const T *in, const T *roots, T *parts, int64_t begin, int64_t end);
  // out[j] = (in.re, inFactor * in.im)[j] * b[j], with the imaginary part multiplied by outFactor and all by scale.
  void (*multiply)(int64_t count, const T *in, T inFactor, const T *b, T *out, T scale, T outFactor);
};

// The loops for the instruction sets of the machine that this runs on.
template <typename T> const Kernels<T> &kernels();

namespace base {
extern const Kernels<float> floatKernels;
extern const Kernels<double> doubleKernels;
} // namespace base
namespace avx2 {
extern const Kernels<float> floatKernels;
extern const Kernels<double> doubleKernels;
} // namespace avx2
namespace avx512 {
extern const Kernels<float> floatKernels;
extern const Kernels<double> doubleKernels;
} // namespace avx512

} // namespace tenon::runtime::fft
