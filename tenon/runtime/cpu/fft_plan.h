// Discrete Fourier transforms of one length.
//
// Lengths whose prime factors are at most fft::kMaxRadix go through mixed-radix steps (Stockham's algorithm, which
// needs no reordering); all others through Bluestein's: the transform is written as a convolution with a chirp,
// computed by transforms of a power of two. `lanes` sequences are transformed side by side, which is where the vectors
// come from.
#pragma once

#include "tenon/runtime/cpu/fft_stages.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace tenon::runtime::fft {

// exp(-2 pi i j / n), correctly rounded up to an ulp or so for any j.
std::complex<double> unitRoot(int64_t j, int64_t n);

template <typename T> struct SplitVector {
  std::vector<T> re, im;
  void push_back(std::complex<double> value) {
    re.push_back(T(value.real()));
    im.push_back(T(value.imag()));
  }
  ConstSplit<T> view() const { return {re.data(), im.data()}; }
};

template <typename T> class Plan {
public:
  explicit Plan(int64_t length);

  int64_t length() const { return length_; }
  // Reals of scratch memory that execute() needs for each lane.
  int64_t scratchPerLane() const;

  // Lane l of element j is in[j * lanes + l]. Overwrites the input; returns where the result is: in `data` or in the
  // scratch memory. Forward direction; exchange re and im, before and after, for the (unscaled) inverse.
  Split<T> execute(Split<T> data, T *scratch, int64_t lanes) const;

private:
  struct Stage {
    int radix;
    int64_t m;
    SplitVector<T> twiddles, roots;
  };

  void makeStages(const std::vector<int> &radices);
  void makeChirp();
  Split<T> executeStages(Split<T> data, Split<T> other, int64_t lanes) const;
  Split<T> executeChirp(Split<T> data, T *scratch, int64_t lanes) const;

  int64_t length_;
  std::vector<Stage> stages_;
  // Bluestein's.
  std::unique_ptr<Plan> inner_;
  SplitVector<T> chirp_, spectrum_;
};

extern template class Plan<float>;
extern template class Plan<double>;

} // namespace tenon::runtime::fft
