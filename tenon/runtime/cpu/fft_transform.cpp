// Blocks of sequences are gathered into split form, transformed in cache, and scattered. One sequence too long for the
// cache is taken as a matrix instead (the six-step method): transforms along its columns, a multiplication with roots
// of unity, transforms along its rows; each step works on blocks that fit and is shared among the workers.

#include "tenon/runtime/cpu/fft_transform.h"

#include <algorithm>
#include <cmath>

namespace tenon::runtime::fft {
namespace {

// A block and its scratch memory should stay in the second-level cache.
constexpr int64_t kBlockBytes = 512 << 10;
constexpr int64_t kMaxLanes = 16;

template <typename T> int64_t bytesPerLane(const Plan<T> &plan) {
  return (2 * plan.length() + plan.scratchPerLane()) * int64_t(sizeof(T));
}

template <typename T> int64_t lanesFor(const Plan<T> &plan, int64_t available) {
  int64_t lanes = std::clamp<int64_t>(kBlockBytes / bytesPerLane(plan), 1, kMaxLanes);
  return std::min(lanes, available);
}

template <typename T> const T *reals(const std::complex<T> *p) { return reinterpret_cast<const T *>(p); }
template <typename T> T *reals(std::complex<T> *p) { return reinterpret_cast<T *>(p); }

// The divisor of n nearest below its square root such that both parts have small prime factors only; 0 if there is none
// worth having.
int64_t balancedDivisor(int64_t n) {
  int64_t rest = n;
  for (int p = 2; p <= kMaxRadix; ++p)
    while (rest % p == 0)
      rest /= p;
  if (rest != 1)
    return 0;
  for (int64_t divisor = int64_t(std::sqrt(double(n))); divisor >= 16; --divisor)
    if (n % divisor == 0)
      return divisor;
  return 0;
}

} // namespace

// Work memory of one worker.
template <typename T> struct AxisTransform<T>::Block {
  Split<T> data;
  T *scratch;

  static int64_t realsNeeded(const Plan<T> &plan, int64_t lanes) {
    return (2 * plan.length() + plan.scratchPerLane()) * lanes;
  }
  Block(T *memory, const Plan<T> &plan, int64_t lanes)
      : data{memory, memory + plan.length() * lanes}, scratch(memory + 2 * plan.length() * lanes) {}

  void load(const std::complex<T> *in, const Plan<T> &plan, int64_t lanes, View view, bool exchange) const {
    Split<T> to = exchange ? Split<T>{data.im, data.re} : data;
    loops<T>().load(plan.length(), lanes, reals(in), view.lane, view.element, to);
  }
  static void store(Split<T> from, std::complex<T> *out, const Plan<T> &plan, int64_t lanes, View view, bool exchange,
                    T scale) {
    ConstSplit<T> source = exchange ? ConstSplit<T>{from.im, from.re} : ConstSplit<T>{from.re, from.im};
    loops<T>().store(plan.length(), lanes, source, scale, reals(out), view.lane, view.element);
  }
};

template <typename T> struct AxisTransform<T>::SixStep {
  Plan<T> columns, rows;
  // exp(-2 pi i e / n) = high[e / kLow] * low[e % kLow]
  static constexpr int64_t kLow = 1024;
  std::vector<std::complex<double>> high, low;

  SixStep(int64_t n, int64_t n1) : columns(n1), rows(n / n1) {
    for (int64_t e = 0; e < kLow; ++e)
      low.push_back(unitRoot(e, n));
    for (int64_t e = 0; e < n; e += kLow)
      high.push_back(unitRoot(e, n));
  }

  // Element k of lane l gets the factor w^(k (first + l)).
  void multiply(Split<T> data, int64_t lanes, int64_t first) const {
    for (int64_t k = 0; k < columns.length(); ++k)
      for (int64_t l = 0; l < lanes; ++l) {
        int64_t exponent = k * (first + l); // below n
        std::complex<double> w = high[size_t(exponent / kLow)] * low[size_t(exponent % kLow)];
        T re = data.re[k * lanes + l], im = data.im[k * lanes + l], wr = T(w.real()), wi = T(w.imag());
        data.re[k * lanes + l] = re * wr - im * wi;
        data.im[k * lanes + l] = re * wi + im * wr;
      }
  }
};

template <typename T> AxisTransform<T>::AxisTransform(int64_t length) : length_(length) {
  plan_ = std::make_unique<Plan<T>>(length);
  if (bytesPerLane(*plan_) > kBlockBytes)
    if (int64_t divisor = balancedDivisor(length))
      sixStep_ = std::make_shared<const SixStep>(length, divisor);
}

template <typename T>
bool AxisTransform<T>::run(const std::complex<T> *in, std::complex<T> *out, int64_t outer, int64_t inner, bool inverse,
                           T scale, ThreadPool &pool) const {
  if (sixStep_ && inner == 1)
    return runSixStep(in, out, outer, inverse, scale, pool);
  return runBlocks(in, out, outer, inner, inverse, scale, pool);
}

template <typename T>
bool AxisTransform<T>::runBlocks(const std::complex<T> *in, std::complex<T> *out, int64_t outer, int64_t inner,
                                 bool inverse, T scale, ThreadPool &pool) const {
  // Lanes are neighbours in the inner dimensions, or rows if there are none.
  bool byRows = inner == 1;
  int64_t available = byRows ? outer : inner;
  int64_t lanes = lanesFor(*plan_, available), blocks = (available + lanes - 1) / lanes;
  View view = byRows ? View{length_, 1} : View{1, inner};
  size_t blockReals = size_t(Block::realsNeeded(*plan_, lanes));
  Buffer memory(blockReals * sizeof(T) * size_t(pool.size()));
  if (!memory)
    return false;
  pool.parallelFor((byRows ? 1 : outer) * blocks, [&](int64_t begin, int64_t end, int worker) {
    T *base = static_cast<T *>(memory.data()) + blockReals * size_t(worker);
    for (int64_t task = begin; task < end; ++task) {
      int64_t first = task % blocks * lanes, count = std::min(lanes, available - first);
      int64_t offset = task / blocks * length_ * inner + first * view.lane;
      Block block(base, *plan_, count);
      block.load(in + offset, *plan_, count, view, inverse);
      Split<T> result = plan_->execute(block.data, block.scratch, count);
      Block::store(result, out + offset, *plan_, count, view, inverse, scale);
    }
  });
  return true;
}

template <typename T>
bool AxisTransform<T>::runSixStep(const std::complex<T> *in, std::complex<T> *out, int64_t rowCount, bool inverse,
                                  T scale, ThreadPool &pool) const {
  const SixStep &six = *sixStep_;
  int64_t n1 = six.columns.length(), n2 = six.rows.length();
  int64_t lanes1 = lanesFor(six.columns, n2), lanes2 = lanesFor(six.rows, n1);
  size_t blockReals = size_t(std::max(Block::realsNeeded(six.columns, lanes1), Block::realsNeeded(six.rows, lanes2)));
  Buffer blocks(blockReals * sizeof(T) * size_t(pool.size()));
  Buffer between(size_t(length_) * sizeof(std::complex<T>));
  if (!blocks || !between)
    return false;
  auto *matrix = static_cast<std::complex<T> *>(between.data());
  for (int64_t row = 0; row < rowCount; ++row, in += length_, out += length_) {
    // The matrix holds exchanged parts if the transform is an inverse one.
    pool.parallelFor((n2 + lanes1 - 1) / lanes1, [&](int64_t begin, int64_t end, int worker) {
      for (int64_t task = begin; task < end; ++task) {
        int64_t first = task * lanes1, count = std::min(lanes1, n2 - first);
        Block block(static_cast<T *>(blocks.data()) + blockReals * size_t(worker), six.columns, count);
        block.load(in + first, six.columns, count, {1, n2}, inverse);
        Split<T> result = six.columns.execute(block.data, block.scratch, count);
        six.multiply(result, count, first);
        Block::store(result, matrix + first, six.columns, count, {1, n2}, false, T(1));
      }
    });
    pool.parallelFor((n1 + lanes2 - 1) / lanes2, [&](int64_t begin, int64_t end, int worker) {
      for (int64_t task = begin; task < end; ++task) {
        int64_t first = task * lanes2, count = std::min(lanes2, n1 - first);
        Block block(static_cast<T *>(blocks.data()) + blockReals * size_t(worker), six.rows, count);
        block.load(matrix + first * n2, six.rows, count, {n2, 1}, false);
        Split<T> result = six.rows.execute(block.data, block.scratch, count);
        Block::store(result, out + first, six.rows, count, {1, n1}, inverse, scale);
      }
    });
  }
  return true;
}

template <typename T> RealPacking<T>::RealPacking(int64_t length) : half_(length / 2) {
  for (int64_t k = 0; k <= half_; ++k)
    roots_.emplace_back(unitRoot(k, length));
}

// Products are written out: std::complex's operator* handles infinities, which costs a call for each NaN.
template <typename T>
void RealPacking<T>::split(const std::complex<T> *packed, std::complex<T> *out, int64_t rows, ThreadPool &pool) const {
  int64_t grain = std::max<int64_t>(1, 16384 / (half_ + 1));
  pool.parallelFor(
      rows,
      [&](int64_t begin, int64_t end, int) {
        for (int64_t row = begin; row < end; ++row) {
          const std::complex<T> *z = packed + row * half_;
          std::complex<T> *x = out + row * (half_ + 1);
          for (int64_t k = 0; k <= half_; ++k) {
            std::complex<T> a = z[k == half_ ? 0 : k], b = std::conj(z[k == 0 ? 0 : half_ - k]);
            std::complex<T> even = T(0.5) * (a + b), odd = T(0.5) * (a - b), w = roots_[size_t(k)];
            // even - i w odd
            x[k] = {even.real() + (w.real() * odd.imag() + w.imag() * odd.real()),
                    even.imag() - (w.real() * odd.real() - w.imag() * odd.imag())};
          }
        }
      },
      grain);
}

template <typename T>
void RealPacking<T>::merge(const std::complex<T> *in, std::complex<T> *packed, int64_t rows, ThreadPool &pool) const {
  int64_t grain = std::max<int64_t>(1, 16384 / (half_ + 1));
  pool.parallelFor(
      rows,
      [&](int64_t begin, int64_t end, int) {
        for (int64_t row = begin; row < end; ++row) {
          const std::complex<T> *x = in + row * (half_ + 1);
          std::complex<T> *z = packed + row * half_;
          for (int64_t k = 0; k < half_; ++k) {
            std::complex<T> a = x[k], b = std::conj(x[half_ - k]), w = roots_[size_t(k)];
            if (k == 0) {
              a = a.real();
              b = b.real();
            }
            std::complex<T> even = T(0.5) * (a + b), odd = T(0.5) * (a - b);
            // even + i conj(w) odd
            z[k] = {even.real() - (w.real() * odd.imag() - w.imag() * odd.real()),
                    even.imag() + (w.real() * odd.real() + w.imag() * odd.imag())};
          }
        }
      },
      grain);
}

template class AxisTransform<float>;
template class AxisTransform<double>;
template class RealPacking<float>;
template class RealPacking<double>;

} // namespace tenon::runtime::fft
