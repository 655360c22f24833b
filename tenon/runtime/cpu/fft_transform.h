// Transforms along one dimension of an array, on the pool's workers. Arrays are of complex numbers as pairs. The
// functions give false if memory ran out; `in` and `out` are the same or do not overlap.
#pragma once

#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/fft_row_plan.h"

#include <optional>

namespace tenon::runtime::fft {

// Along the last dimension of [rows, length].
template <typename T> class RowTransform {
public:
  RowTransform(int64_t length, int64_t rows) : rows_(rows), plan_(length, rows) {}
  bool run(const T *in, T *out, bool inverse, T scale, ThreadPool &pool) const;

private:
  int64_t rows_;
  RowPlan<T> plan_;
};

// Along the middle dimension of [outer, length, inner].
template <typename T> class ColumnTransform {
public:
  ColumnTransform(int64_t length, int64_t outer, int64_t inner);
  bool run(const T *in, T *out, bool inverse, T scale, ThreadPool &pool) const;

private:
  // Up to a vector's lanes of columns.
  void runColumns(const T *in, T *out, int64_t count, bool inverse, T scale, T *scratch) const;
  void runAsRows(const T *in, T *out, int64_t count, bool inverse, T scale, T *scratch) const;
  int64_t scratchSize() const;

  int64_t length_, outer_, inner_;
  // One of them: columns are taken as rows if the length has a large prime factor.
  std::optional<LanePlan<T>> lanes_;
  std::optional<RowPlan<T>> rows_;
};

// Transforms [rows, length] real numbers to the first length / 2 + 1 of the complex ones, and back: an even number of
// reals as half as many complex numbers; an odd one with a factor p of 3, 5 or 7 as (p + 1) / 2 sequences of complex
// numbers, each of two of the p sequences of every p-th real. Other odd numbers of reals are complex numbers without
// imaginary parts. No row meets another one: rows of other magnitudes, infinities and NaN stay where they are.
template <typename T> class RealTransform {
public:
  RealTransform(int64_t length, int64_t rows);
  bool forward(const T *in, T *out, ThreadPool &pool) const;
  // The scale is 1 / length. Ignores the imaginary parts that the spectrum of real numbers cannot have.
  bool inverse(const T *in, T *out, ThreadPool &pool) const;

private:
  bool isEven() const { return length_ % 2 == 0; }
  // The factor p of an odd length, or 0.
  static int64_t oddFactor(int64_t length);
  static int64_t planLength(int64_t length);
  int64_t sequences() const { return factor_ ? (factor_ + 1) / 2 : 1; } // of the plan's length, for each row
  void runSequences(T *work, int64_t rows, bool inverse, T scale, T *scratch) const;
  void toSequences(const T *in, T *work) const;
  void fromSequences(const T *work, T *out) const;
  // Between the sequences' transforms and the spectrum; all of a row, or by the pool's workers.
  void join(const T *work, T *out, ThreadPool *pool) const;
  void part(const T *in, T *work, ThreadPool *pool) const;
  int64_t kept() const { return length_ / 2 + 1; }
  bool forwardShared(const T *in, T *out, ThreadPool &pool) const;
  bool inverseShared(const T *in, T *out, ThreadPool &pool) const;

  int64_t length_, rows_, factor_;
  RowPlan<T> plan_;
  std::vector<T> roots_;
};

extern template class RowTransform<float>;
extern template class RowTransform<double>;
extern template class ColumnTransform<float>;
extern template class ColumnTransform<double>;
extern template class RealTransform<float>;
extern template class RealTransform<double>;

} // namespace tenon::runtime::fft
