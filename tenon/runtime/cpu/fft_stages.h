// The inner loops of the Fourier transform, compiled once for each instruction set.
#pragma once

#include <cstdint>

namespace tenon::runtime::fft {

// Complex arrays with real and imaginary parts apart, so that loops over them are vector loops.
template <typename T> struct Split {
  T *re, *im;
};
template <typename T> struct ConstSplit {
  const T *re, *im;
};

// One decimation step of Stockham's algorithm with radix r on sequences of length r * m, `stride` of them interleaved:
//   out[q + stride * (r * p + k)] = w^(p k) * sum_j in[q + stride * (p + m * j)] * exp(-2 pi i j k / r)
// for q < stride, p < m, k < r. `twiddles` holds w^(p k) at [p * (r - 1) + k - 1]. Radices 2, 3, 4, 5 have their own
// loops; for others `roots` holds exp(-2 pi i j / r) for j < r, and r is at most kMaxRadix.
inline constexpr int kMaxRadix = 31;

template <typename T> struct Loops {
  void (*stage)(int radix, int64_t m, int64_t stride, ConstSplit<T> in, Split<T> out, ConstSplit<T> twiddles,
                ConstSplit<T> roots);
  // a[i] = a[i] * b[i / lanes] for i < count * lanes.
  void (*multiplyRows)(int64_t count, int64_t lanes, Split<T> a, ConstSplit<T> b);
  // Between interleaved complex numbers and Split: lane l of element j is at memory[l * laneStride + j * elementStride]
  // (in complex numbers) and at split[j * lanes + l].
  void (*load)(int64_t count, int64_t lanes, const T *memory, int64_t laneStride, int64_t elementStride, Split<T> to);
  void (*store)(int64_t count, int64_t lanes, ConstSplit<T> from, T scale, T *memory, int64_t laneStride,
                int64_t elementStride);
};

// The loops for the instruction sets of the machine that this runs on.
template <typename T> const Loops<T> &loops();

namespace base {
extern const Loops<float> floatLoops;
extern const Loops<double> doubleLoops;
} // namespace base
namespace avx2 {
extern const Loops<float> floatLoops;
extern const Loops<double> doubleLoops;
} // namespace avx2
namespace avx512 {
extern const Loops<float> floatLoops;
extern const Loops<double> doubleLoops;
} // namespace avx512

} // namespace tenon::runtime::fft
