// Transforms of one length of sequences that each lie in one piece, by one of three methods:
//
// * Lanes: a sequence in each lane of the vectors, which takes a transposition before and after.
// * The four-step method, if the length is a product n1 n2 of two factors with at least as many elements as a vector:
//   the sequence is a matrix of n1 rows; transforms of its columns, a multiplication by roots of unity, transforms of
//   its rows. A vector's lanes are neighbouring columns, then neighbouring rows, so there is one transposition only,
//   and the two steps work on pieces that fit the first cache. The workers can share one sequence.
// * Bluestein's, if a prime factor is beyond kMaxRadix: the transform is written as a convolution with a chirp,
// computed
//   by transforms of a length with small factors.
#pragma once

#include "tenon/runtime/cpu/fft_lane_plan.h"

#include <complex>
#include <memory>

namespace tenon::runtime::fft {

// Neighbouring rows, from one to the next `stride` complex numbers.
template <typename T> struct RowsOf {
  T *data;
  int64_t stride;
};

template <typename T> class RowPlan {
public:
  // `rows`: how many there are in all, of which the choice of the method depends.
  RowPlan(int64_t length, int64_t rows);

  int64_t length() const { return length_; }
  // Rows that are transformed together.
  int64_t groupRows() const;
  // Memory that run() needs, in reals.
  int64_t scratchSize() const;
  // The transforms of up to groupRows() rows, which may be transformed in place. `scale` is for the results. `next` is
  // what will be transformed then, as many rows in one piece, or null: its way from memory can begin.
  void run(RowsOf<const T> in, RowsOf<T> out, int64_t count, bool inverse, T scale, T *scratch, const T *next) const;

  // For workers that share a sequence: the two steps of the four-step method, in parts.
  bool isFourStep() const { return fourStep_ != nullptr; }
  int64_t columnBlocks() const;
  int64_t rowBlocks() const;
  int64_t matrixSize() const;   // in reals
  int64_t blockScratch() const; // in reals
  void runColumns(const T *in, T *matrix, bool inverse, int64_t begin, int64_t end, T *scratch, const T *next) const;
  void runRows(const T *matrix, T *out, bool inverse, T scale, int64_t begin, int64_t end, T *scratch) const;

private:
  struct FourStep {
    LanePlan<T> columns, rows;
    // The roots of unity in the order of the matrix, or for long sequences, where they would take much memory, as
    // products of a root for the element and the lane and one for the element and the block.
    std::vector<T> twiddles, factors;

    FourStep(int64_t n1, int64_t n2);
  };
  struct Chirp {
    RowPlan inner;
    std::vector<T> chirp, spectrum;

    Chirp(int64_t length, int64_t rows);
  };

  void runLanes(RowsOf<const T> in, RowsOf<T> out, int64_t count, bool inverse, T scale, T *scratch,
                const T *next) const;
  void runChirp(RowsOf<const T> in, RowsOf<T> out, int64_t count, bool inverse, T scale, T *scratch) const;

  int64_t length_;
  std::unique_ptr<const LanePlan<T>> lanes_;
  std::unique_ptr<const FourStep> fourStep_;
  std::unique_ptr<const Chirp> chirp_;
};

extern template class RowPlan<float>;
extern template class RowPlan<double>;

} // namespace tenon::runtime::fft
