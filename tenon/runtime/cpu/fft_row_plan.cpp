#include "tenon/runtime/cpu/fft_row_plan.h"

#include "tenon/runtime/cpu/fft_roots.h"
#include "tenon/support/rounding.h"

#include <algorithm>
#include <cmath>

namespace tenon::runtime::fft {
namespace {

// How much more work blocks of whole vectors do than `n` sequences ask for.
double waste(int64_t n, int64_t lanes) { return double(roundUp(n, lanes)) / double(n); }

struct Factors {
  int64_t n1 = 0, n2 = 0;
  double waste = 0;
};

// The factors for the four-step method, which want to be near each other, and multiples of `lanes`. None if n has no
// suitable ones.
Factors fourStepFactors(int64_t n, int64_t lanes) {
  Factors best;
  double bestCost = 0;
  for (int64_t divisor = lanes; divisor * divisor <= n; ++divisor) {
    if (n % divisor != 0)
      continue;
    int64_t other = n / divisor;
    double wasted = waste(divisor, lanes) * waste(other, lanes);
    double cost = wasted * (1 + 0.05 * std::log2(double(other) / double(divisor)));
    if (best.n1 == 0 || cost <= bestCost) {
      best = {divisor, other, wasted};
      bestCost = cost;
    }
  }
  return best;
}

// Up to this many bytes the two buffers for the method by lanes stay in the first cache, and beyond that many they
// leave the second.
constexpr int64_t kSmallLaneBuffer = 16 << 10;
constexpr int64_t kLargestLaneBuffer = 64 << 10;
// Beyond this many bytes the roots of the four-step method are kept as products.
constexpr int64_t kLargestTwiddles = 512 << 10;

// The length with small factors, at least `n`, for Bluestein's convolution: smooth, and good for the four-step method.
int64_t convolutionLength(int64_t n, int64_t lanes) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  int64_t best = power;
  // Multiples of the square of the lanes, if the length is large enough to have a choice.
  int64_t unit = lanes * lanes;
  for (int64_t odd : {3, 5, 7})
    for (int64_t length = unit * odd; length < best; length *= 2)
      if (length >= n)
        best = length;
  return best;
}

// What is read next, and what is written soon, should be on its way from memory while this core computes: rows are too
// short, and columns too far apart, for the machine to see them coming.
constexpr int64_t kLine = 64;
template <typename T> void fetchToRead(const T *data, int64_t count) {
  for (int64_t i = 0; i < count; i += kLine / int64_t(sizeof(T)))
    __builtin_prefetch(data + i, 0, 2);
}
template <typename T> void fetchToWrite(const T *data, int64_t count) {
  for (int64_t i = 0; i < count; i += kLine / int64_t(sizeof(T)))
    __builtin_prefetch(data + i, 1, 3);
}
// Longer rows would push out what they are to be read after.
constexpr int64_t kLargestFetched = 128 << 10;

template <typename T> T sign(bool inverse) { return inverse ? T(-1) : T(1); }

} // namespace

template <typename T> RowPlan<T>::FourStep::FourStep(int64_t n1, int64_t n2) : columns(n1), rows(n2) {
  int64_t n = n1 * n2, lanes = kernels<T>().lanes, blocks = ceilDiv(n2, lanes);
  UnitRoots roots(n);
  auto startOf = [&](int64_t block) { return std::min(block * lanes, n2 - lanes); };
  auto appendElement = [&](int64_t start, int64_t k) {
    for (int part : {0, 1})
      for (int64_t l = 0; l < lanes; ++l) {
        std::complex<double> root = roots(k * (start + l));
        twiddles.push_back(T(part == 0 ? root.real() : root.imag()));
      }
  };
  bool asProducts = n * int64_t(2 * sizeof(T)) > kLargestTwiddles;
  for (int64_t block = 0; block < (asProducts ? 1 : blocks); ++block)
    for (int64_t k = 0; k < n1; ++k)
      appendElement(asProducts ? 0 : startOf(block), k);
  for (int64_t block = 0; asProducts && block < blocks; ++block)
    for (int64_t k = 0; k < n1; ++k)
      appendPair(factors, roots(k * startOf(block)));
}

// With jk = (j^2 + k^2 - (k-j)^2) / 2 the sum over x_j w^(jk) becomes c_k * sum (x_j c_j) conj(c_(k-j)), c_j =
// w^(j^2/2).
template <typename T>
RowPlan<T>::Chirp::Chirp(int64_t length, int64_t rows)
    : inner(convolutionLength(2 * length - 1, kernels<T>().lanes), rows) {
  int64_t padded = inner.length();
  std::vector<UnitRoots::Wide> filter(static_cast<size_t>(padded));
  UnitRoots roots(2 * length);
  for (int64_t j = 0; j < length; ++j) {
    // j^2 modulo 2n, without overflow.
    int64_t square = int64_t(__int128(j) * j % (2 * length));
    appendPair(chirp, roots(square));
    for (int64_t place : {j, (padded - j) % padded})
      filter[size_t(place)] = std::conj(roots.wide(square));
  }
  // The scale of the inverse transform goes in here.
  for (UnitRoots::Wide value : wideTransform(filter))
    appendPair(spectrum, {double(value.real() / padded), double(value.imag() / padded)});
}

template <typename T> RowPlan<T>::RowPlan(int64_t length, int64_t rows) : length_(length) {
  int64_t lanes = kernels<T>().lanes;
  if (!hasSmallFactors(length)) {
    chirp_ = std::make_unique<const Chirp>(length, rows);
    return;
  }
  Factors factors = fourStepFactors(length, lanes);
  auto plan = std::make_unique<const LanePlan<T>>(length);
  int64_t bytes = plan->bufferSize() * int64_t(sizeof(T));
  bool lanesAreDear = rows < lanes || bytes > kLargestLaneBuffer || (bytes > kSmallLaneBuffer && factors.waste < 1.3);
  if (factors.n1 > 0 && lanesAreDear)
    fourStep_ = std::make_unique<const FourStep>(factors.n1, factors.n2);
  else
    lanes_ = std::move(plan);
}

template <typename T> int64_t RowPlan<T>::groupRows() const {
  return chirp_ ? chirp_->inner.groupRows() : lanes_ ? kernels<T>().lanes : 1;
}

template <typename T> int64_t RowPlan<T>::scratchSize() const {
  if (chirp_)
    return 2 * chirp_->inner.length() * groupRows() + chirp_->inner.scratchSize();
  if (lanes_)
    return 2 * lanes_->bufferSize();
  return matrixSize() + blockScratch();
}

template <typename T>
void RowPlan<T>::run(RowsOf<const T> in, RowsOf<T> out, int64_t count, bool inverse, T scale, T *scratch,
                     const T *next) const {
  if (chirp_)
    return runChirp(in, out, count, inverse, scale, scratch);
  if (lanes_)
    return runLanes(in, out, count, inverse, scale, scratch, next);
  T *blockMemory = scratch + matrixSize();
  runColumns(in.data, scratch, inverse, 0, columnBlocks(), blockMemory, next);
  runRows(scratch, out.data, inverse, scale, 0, rowBlocks(), blockMemory);
}

template <typename T>
void RowPlan<T>::runLanes(RowsOf<const T> in, RowsOf<T> out, int64_t count, bool inverse, T scale, T *scratch,
                          const T *next) const {
  const Kernels<T> &k = kernels<T>();
  T *other = scratch + lanes_->bufferSize();
  if (count == k.lanes)
    k.loadRows(length_, {in.data, in.stride, 1, sign<T>(inverse)}, scratch);
  else
    k.gather(length_, count, {in.data, 1, 1, sign<T>(inverse)}, in.stride, scratch);
  if (next)
    fetchToRead(next, 2 * length_ * count);
  for (int64_t row = 0; row < count; ++row)
    fetchToWrite(out.data + 2 * out.stride * row, 2 * length_);
  const T *result = lanes_->execute(scratch, other, nullptr, nullptr);
  if (count == k.lanes)
    k.storeRows(length_, result, {out.data, out.stride, scale, scale * sign<T>(inverse)});
  else
    k.scatter(length_, count, result, {out.data, 1, scale, scale * sign<T>(inverse)}, out.stride);
}

template <typename T>
void RowPlan<T>::runChirp(RowsOf<const T> in, RowsOf<T> out, int64_t count, bool inverse, T scale, T *scratch) const {
  const Kernels<T> &k = kernels<T>();
  const RowPlan &inner = chirp_->inner;
  int64_t padded = inner.length();
  T *innerScratch = scratch + 2 * padded * groupRows();
  for (int64_t row = 0; row < count; ++row) {
    T *work = scratch + 2 * padded * row;
    k.multiply(length_, in.data + 2 * in.stride * row, sign<T>(inverse), chirp_->chirp.data(), work, T(1), T(1));
    std::fill(work + 2 * length_, work + 2 * padded, T(0));
  }
  inner.run({scratch, padded}, {scratch, padded}, count, false, T(1), innerScratch, nullptr);
  for (int64_t row = 0; row < count; ++row) {
    T *work = scratch + 2 * padded * row;
    k.multiply(padded, work, T(1), chirp_->spectrum.data(), work, T(1), T(1));
  }
  inner.run({scratch, padded}, {scratch, padded}, count, true, T(1), innerScratch, nullptr);
  for (int64_t row = 0; row < count; ++row)
    k.multiply(length_, scratch + 2 * padded * row, T(1), chirp_->chirp.data(), out.data + 2 * out.stride * row, scale,
               sign<T>(inverse));
}

template <typename T> int64_t RowPlan<T>::columnBlocks() const {
  return ceilDiv(fourStep_->rows.length(), kernels<T>().lanes);
}
template <typename T> int64_t RowPlan<T>::rowBlocks() const {
  return ceilDiv(fourStep_->columns.length(), kernels<T>().lanes);
}
template <typename T> int64_t RowPlan<T>::matrixSize() const {
  return columnBlocks() * fourStep_->columns.bufferSize();
}
template <typename T> int64_t RowPlan<T>::blockScratch() const {
  return 2 * std::max(fourStep_->columns.bufferSize(), fourStep_->rows.bufferSize());
}

template <typename T>
void RowPlan<T>::runColumns(const T *in, T *matrix, bool inverse, int64_t begin, int64_t end, T *scratch,
                            const T *next) const {
  const LanePlan<T> &plan = fourStep_->columns;
  if (2 * length_ * int64_t(sizeof(T)) > kLargestFetched)
    next = nullptr;
  int64_t n2 = fourStep_->rows.length(), lanes = kernels<T>().lanes, size = plan.bufferSize();
  for (int64_t block = begin; block < end; ++block) {
    if (next) {
      int64_t share = ceilDiv(2 * length_, columnBlocks());
      fetchToRead(next + block * share, share);
    }
    int64_t start = std::min(block * lanes, n2 - lanes);
    Strided<const T> from{in + 2 * start, n2, 1, sign<T>(inverse)};
    // The buffers alternate, so that the last pass writes to the matrix.
    T *own = matrix + block * size;
    bool odd = plan.passes() % 2 == 1;
    plan.execute(odd ? scratch : own, odd ? own : scratch, &from, nullptr);
  }
}

template <typename T>
void RowPlan<T>::runRows(const T *matrix, T *out, bool inverse, T scale, int64_t begin, int64_t end, T *scratch) const {
  const Kernels<T> &k = kernels<T>();
  const LanePlan<T> &plan = fourStep_->rows;
  int64_t n1 = fourStep_->columns.length(), n2 = plan.length();
  const T *factors = fourStep_->factors.empty() ? nullptr : fourStep_->factors.data();
  for (int64_t block = begin; block < end; ++block) {
    int64_t first = std::min<int64_t>(block * k.lanes, n1 - k.lanes);
    k.turn(matrix, fourStep_->twiddles.data(), factors, n1, n2, first, scratch);
    for (int64_t e = 0; e < n2; ++e)
      fetchToWrite(out + 2 * (first + e * n1), 2 * k.lanes);
    Strided<T> to{out + 2 * first, n1, scale, scale * sign<T>(inverse)};
    plan.execute(scratch, scratch + plan.bufferSize(), nullptr, &to);
  }
}

template class RowPlan<float>;
template class RowPlan<double>;

} // namespace tenon::runtime::fft
