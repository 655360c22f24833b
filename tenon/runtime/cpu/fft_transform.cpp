#include "tenon/runtime/cpu/fft_transform.h"

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/cpu/fft_roots.h"

#include <algorithm>

namespace tenon::runtime::fft {
namespace {

// A stretch of a loop should have about this many complex numbers.
constexpr int64_t kGrain = 4096;
// Workers share a row from this length on; shorter ones are not worth the barrier.
constexpr int64_t kSharedFrom = 1 << 14;

// Whether a loop over rows would leave workers without work. Either way gives the same bits.
template <typename T> bool sharesRows(const RowPlan<T> &plan, int64_t rows, const ThreadPool &pool) {
  return plan.isFourStep() && plan.length() >= kSharedFrom && rows % pool.size() != 0 && rows < 4 * pool.size();
}

// Calls body(first row, number of rows, whether the next rows follow, memory) for groups of rows, with `extra` reals in
// front of the plan's memory.
template <typename T, typename Body>
bool forGroups(const RowPlan<T> &plan, int64_t rows, int64_t extra, ThreadPool &pool, Body body) {
  int64_t group = plan.groupRows(), size = extra + plan.scratchSize();
  Buffer memory(size_t(size * pool.size()) * sizeof(T));
  if (!memory)
    return false;
  pool.parallelFor((rows + group - 1) / group,
                   [&](int64_t begin, int64_t end, int worker) {
                     for (int64_t i = begin; i < end; ++i)
                       body(i * group, std::min(group, rows - i * group), i + 1 < end,
                            static_cast<T *>(memory.data()) + size * worker);
                   },
                   std::max<int64_t>(1, kGrain / (group * plan.length())));
  return true;
}

// One row at a time, each by all workers.
template <typename T> class SharedRow {
public:
  SharedRow(const RowPlan<T> &plan, ThreadPool &pool)
      : plan_(plan), pool_(pool), matrix_(size_t(plan.matrixSize()) * sizeof(T)),
        blocks_(size_t(plan.blockScratch() * pool.size()) * sizeof(T)) {}

  explicit operator bool() const { return matrix_ && blocks_; }

  void run(const T *in, T *out, bool inverse, T scale) const {
    auto *matrix = static_cast<T *>(matrix_.data());
    pool_.parallelFor(plan_.columnBlocks(), [&](int64_t begin, int64_t end, int worker) {
      plan_.runColumns(in, matrix, inverse, begin, end, scratch(worker), nullptr);
    });
    // The last block may overlap the one before it, so one worker does both.
    int64_t blocks = plan_.rowBlocks(), tasks = std::max<int64_t>(1, blocks - 1);
    pool_.parallelFor(tasks, [&](int64_t begin, int64_t end, int worker) {
      plan_.runRows(matrix, out, inverse, scale, begin, end == tasks ? blocks : end, scratch(worker));
    });
  }

private:
  T *scratch(int worker) const { return static_cast<T *>(blocks_.data()) + plan_.blockScratch() * worker; }

  const RowPlan<T> &plan_;
  ThreadPool &pool_;
  Buffer matrix_, blocks_;
};

// body(begin, end) for stretches of `count`, each of at least kGrain.
template <typename Body> void forStretches(int64_t count, ThreadPool &pool, Body body) {
  int64_t stretches = std::max<int64_t>(1, count / kGrain);
  pool.parallelFor(stretches, [&](int64_t begin, int64_t end, int) {
    body(begin * kGrain, end == stretches ? count : end * kGrain);
  });
}

} // namespace

template <typename T> bool RowTransform<T>::run(const T *in, T *out, bool inverse, T scale, ThreadPool &pool) const {
  int64_t n = plan_.length();
  if (!sharesRows(plan_, rows_, pool))
    return forGroups(plan_, rows_, 0, pool, [&](int64_t first, int64_t count, bool follow, T *scratch) {
      const T *rows = in + 2 * n * first;
      plan_.run({rows, n}, {out + 2 * n * first, n}, count, inverse, scale, scratch,
                follow ? rows + 2 * n * count : nullptr);
    });
  SharedRow<T> shared(plan_, pool);
  for (int64_t row = 0; shared && row < rows_; ++row)
    shared.run(in + 2 * n * row, out + 2 * n * row, inverse, scale);
  return bool(shared);
}

template <typename T>
ColumnTransform<T>::ColumnTransform(int64_t length, int64_t outer, int64_t inner)
    : length_(length), outer_(outer), inner_(inner) {
  if (hasSmallFactors(length))
    lanes_.emplace(length);
  else
    rows_.emplace(length, outer * inner);
}

template <typename T> int64_t ColumnTransform<T>::scratchSize() const {
  if (lanes_)
    return 2 * lanes_->bufferSize();
  return 2 * length_ * kernels<T>().lanes + rows_->scratchSize();
}

template <typename T> bool ColumnTransform<T>::run(const T *in, T *out, bool inverse, T scale, ThreadPool &pool) const {
  int64_t lanes = kernels<T>().lanes, blocks = (inner_ + lanes - 1) / lanes, size = scratchSize();
  Buffer memory(size_t(size * pool.size()) * sizeof(T));
  if (!memory)
    return false;
  pool.parallelFor(
      outer_ * blocks,
      [&](int64_t begin, int64_t end, int worker) {
        T *scratch = static_cast<T *>(memory.data()) + size * worker;
        for (int64_t task = begin; task < end; ++task) {
          int64_t first = task % blocks * lanes, offset = 2 * (task / blocks * length_ * inner_ + first);
          int64_t count = std::min(lanes, inner_ - first);
          if (lanes_)
            runColumns(in + offset, out + offset, count, inverse, scale, scratch);
          else
            runAsRows(in + offset, out + offset, count, inverse, scale, scratch);
        }
      },
      std::max<int64_t>(1, kGrain / (lanes * length_)));
  return true;
}

template <typename T>
void ColumnTransform<T>::runColumns(const T *in, T *out, int64_t count, bool inverse, T scale, T *scratch) const {
  const Kernels<T> &k = kernels<T>();
  T sign = inverse ? T(-1) : T(1), *other = scratch + lanes_->bufferSize();
  Strided<const T> from{in, inner_, 1, sign};
  Strided<T> to{out, inner_, scale, scale * sign};
  if (count == k.lanes) {
    lanes_->execute(scratch, other, &from, &to);
    return;
  }
  k.gather(length_, count, from, 1, scratch);
  const T *result = lanes_->execute(scratch, other, nullptr, nullptr);
  k.scatter(length_, count, result, to, 1);
}

template <typename T>
void ColumnTransform<T>::runAsRows(const T *in, T *out, int64_t count, bool inverse, T scale, T *scratch) const {
  T *work = scratch, *rest = scratch + 2 * length_ * kernels<T>().lanes;
  for (int64_t j = 0; j < length_; ++j)
    for (int64_t l = 0; l < count; ++l)
      std::copy_n(in + 2 * (j * inner_ + l), 2, work + 2 * (l * length_ + j));
  int64_t group = rows_->groupRows();
  for (int64_t first = 0; first < count; first += group) {
    T *rows = work + 2 * length_ * first;
    rows_->run({rows, length_}, {rows, length_}, std::min(group, count - first), inverse, scale, rest, nullptr);
  }
  for (int64_t j = 0; j < length_; ++j)
    for (int64_t l = 0; l < count; ++l)
      std::copy_n(work + 2 * (l * length_ + j), 2, out + 2 * (j * inner_ + l));
}

template <typename T> int64_t RealTransform<T>::oddFactor(int64_t length) {
  if (length % 2 == 0)
    return 0;
  // Both halves of the elements are vectors.
  for (int64_t p : {7, 5, 3})
    if (length % p == 0 && length / p > 2 * kernels<T>().lanes)
      return p;
  return 0;
}

template <typename T> int64_t RealTransform<T>::planLength(int64_t length) {
  return length / (length % 2 == 0 ? 2 : std::max<int64_t>(oddFactor(length), 1));
}

template <typename T>
RealTransform<T>::RealTransform(int64_t length, int64_t rows)
    : length_(length), rows_(rows), factor_(oddFactor(length)), plan_(planLength(length), rows * sequences()) {
  if (!isEven() && factor_ == 0)
    return;
  UnitRoots root(length);
  if (isEven())
    for (int64_t k = 0; k <= length / 2; ++k)
      appendPair(roots_, 0.5 * root(k));
  for (int64_t r = 1; r < factor_; ++r)
    for (int64_t k = 0; k < plan_.length(); ++k)
      appendPair(roots_, root(r * k));
}

template <typename T>
void RealTransform<T>::runSequences(T *work, int64_t rows, bool inverse, T scale, T *scratch) const {
  int64_t n = plan_.length(), group = plan_.groupRows(), count = rows * sequences();
  for (int64_t first = 0; first < count; first += group) {
    T *part = work + 2 * n * first;
    plan_.run({part, n}, {part, n}, std::min(group, count - first), inverse, scale, scratch, nullptr);
  }
}

template <typename T> bool RealTransform<T>::forward(const T *in, T *out, ThreadPool &pool) const {
  if (sharesRows(plan_, rows_, pool))
    return forwardShared(in, out, pool);
  const Kernels<T> &k = kernels<T>();
  int64_t n = plan_.length(), size = 2 * n * sequences();
  return forGroups(
      plan_, rows_, size * plan_.groupRows(), pool, [&](int64_t first, int64_t count, bool follow, T *work) {
        T *scratch = work + size * plan_.groupRows();
        const T *reals = in + length_ * first;
        T *result = out + 2 * kept() * first;
        if (isEven()) {
          // Pairs of reals are complex numbers as they lie.
          plan_.run({reals, n}, {work, n}, count, false, T(1), scratch, follow ? reals + length_ * count : nullptr);
          for (int64_t row = 0; row < count; ++row)
            k.splitReal(n, work + 2 * n * row, roots_.data(), result + 2 * kept() * row, 0, n);
          return;
        }
        for (int64_t row = 0; row < count; ++row)
          toSequences(reals + length_ * row, work + size * row);
        runSequences(work, count, false, T(1), scratch);
        for (int64_t row = 0; row < count; ++row)
          join(work + size * row, result + 2 * kept() * row, nullptr);
      });
}

template <typename T> bool RealTransform<T>::forwardShared(const T *in, T *out, ThreadPool &pool) const {
  int64_t n = plan_.length();
  SharedRow<T> shared(plan_, pool);
  Buffer memory(size_t(2 * n * sequences()) * sizeof(T));
  if (!shared || !memory)
    return false;
  auto *work = static_cast<T *>(memory.data());
  for (int64_t row = 0; row < rows_; ++row, in += length_, out += 2 * kept()) {
    if (isEven()) {
      shared.run(in, work, false, T(1));
      forStretches(n, pool, [&](int64_t begin, int64_t end) {
        kernels<T>().splitReal(n, work, roots_.data(), out, begin, end);
      });
      continue;
    }
    toSequences(in, work);
    for (int64_t i = 0; i < sequences(); ++i)
      shared.run(work + 2 * n * i, work + 2 * n * i, false, T(1));
    join(work, out, &pool);
  }
  return true;
}

template <typename T> bool RealTransform<T>::inverse(const T *in, T *out, ThreadPool &pool) const {
  if (sharesRows(plan_, rows_, pool))
    return inverseShared(in, out, pool);
  const Kernels<T> &k = kernels<T>();
  int64_t n = plan_.length(), size = 2 * n * sequences();
  T scale = T(1) / T(isEven() ? n : length_);
  return forGroups(plan_, rows_, size * plan_.groupRows(), pool, [&](int64_t first, int64_t count, bool, T *work) {
    T *scratch = work + size * plan_.groupRows(), *reals = out + length_ * first;
    const T *spectrum = in + 2 * kept() * first;
    for (int64_t row = 0; row < count; ++row)
      if (isEven())
        k.mergeReal(n, spectrum + 2 * kept() * row, roots_.data(), work + size * row, 0, n);
      else
        part(spectrum + 2 * kept() * row, work + size * row, nullptr);
    if (isEven()) {
      plan_.run({work, n}, {reals, n}, count, true, scale, scratch, nullptr);
      return;
    }
    runSequences(work, count, true, scale, scratch);
    for (int64_t row = 0; row < count; ++row)
      fromSequences(work + size * row, reals + length_ * row);
  });
}

template <typename T> bool RealTransform<T>::inverseShared(const T *in, T *out, ThreadPool &pool) const {
  int64_t n = plan_.length();
  T scale = T(1) / T(isEven() ? n : length_);
  SharedRow<T> shared(plan_, pool);
  Buffer memory(size_t(2 * n * sequences()) * sizeof(T));
  if (!shared || !memory)
    return false;
  auto *work = static_cast<T *>(memory.data());
  for (int64_t row = 0; row < rows_; ++row, in += 2 * kept(), out += length_)
    if (isEven()) {
      forStretches(n, pool,
                   [&](int64_t begin, int64_t end) { kernels<T>().mergeReal(n, in, roots_.data(), work, begin, end); });
      shared.run(work, out, true, scale);
    } else {
      part(in, work, &pool);
      for (int64_t i = 0; i < sequences(); ++i)
        shared.run(work + 2 * n * i, work + 2 * n * i, true, scale);
      fromSequences(work, out);
    }
  return true;
}

template <typename T> void RealTransform<T>::toSequences(const T *in, T *work) const {
  if (factor_)
    return kernels<T>().spreadOdd(int(factor_), plan_.length(), in, work);
  for (int64_t j = 0; j < length_; ++j) {
    work[2 * j] = in[j];
    work[2 * j + 1] = T(0);
  }
}

template <typename T> void RealTransform<T>::fromSequences(const T *work, T *out) const {
  if (factor_)
    return kernels<T>().gatherOdd(int(factor_), plan_.length(), work, out);
  for (int64_t j = 0; j < length_; ++j)
    out[j] = work[2 * j];
}

// body(begin, end) for all of [begin, end), by the workers if there is a pool.
template <typename Body> static void forRange(int64_t begin, int64_t end, ThreadPool *pool, Body body) {
  if (!pool)
    return body(begin, end);
  forStretches(end - begin, *pool, [&](int64_t from, int64_t to) { body(begin + from, begin + to); });
}

template <typename T> void RealTransform<T>::join(const T *work, T *out, ThreadPool *pool) const {
  if (!factor_) {
    std::copy_n(work, 2 * kept(), out);
    return;
  }
  int64_t m = plan_.length(), middle = m / 2 + 1;
  auto body = [&](int64_t begin, int64_t end) {
    kernels<T>().joinOdd(int(factor_), m, work, roots_.data(), out, begin, end);
  };
  forRange(0, middle, pool, body);
  forRange(middle, m, pool, body);
}

template <typename T> void RealTransform<T>::part(const T *in, T *work, ThreadPool *pool) const {
  if (factor_)
    return forRange(0, plan_.length() / 2 + 1, pool, [&](int64_t begin, int64_t end) {
      kernels<T>().partOdd(int(factor_), plan_.length(), in, roots_.data(), work, begin, end);
    });
  work[0] = in[0];
  work[1] = T(0);
  for (int64_t k = 1; k < kept(); ++k) {
    work[2 * k] = work[2 * (length_ - k)] = in[2 * k];
    work[2 * k + 1] = in[2 * k + 1];
    work[2 * (length_ - k) + 1] = -in[2 * k + 1];
  }
}

template class RowTransform<float>;
template class RowTransform<double>;
template class ColumnTransform<float>;
template class ColumnTransform<double>;
template class RealTransform<float>;
template class RealTransform<double>;

} // namespace tenon::runtime::fft
