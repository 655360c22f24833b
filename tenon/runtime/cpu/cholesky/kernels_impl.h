// Included by kernels_<instruction set>.cpp with TENON_ISA set to the namespace, TENON_VECTOR_BYTES to a vector's size,
// and TENON_STRIP_VECTORS to the vectors in a column of a strip. kQuad times as many accumulators should hide a
// multiply-add's latency, and have room in registers beside the column. Everything is local to the file, as in
// small_matrices/numbers.h.

#include "tenon/runtime/cpu/cholesky/kernels.h"

namespace tenon::runtime::cholesky::TENON_ISA {
namespace {

using Floats = float __attribute__((vector_size(TENON_VECTOR_BYTES)));
using Doubles = double __attribute__((vector_size(TENON_VECTOR_BYTES)));
template <typename Real> struct VectorOf;
template <> struct VectorOf<float> {
  using Type = Floats;
};
template <> struct VectorOf<double> {
  using Type = Doubles;
};

constexpr int kVectors = TENON_STRIP_VECTORS;
template <typename Real> constexpr int kLanes = TENON_VECTOR_BYTES / int(sizeof(Real));
template <typename Real> constexpr int kRows = kVectors * kLanes<Real>;

template <typename Real> struct Tile {
  using V = typename VectorOf<Real>::Type;
  V values[kQuad][kVectors];

  void load(const Real *c, int64_t stride) {
#pragma clang loop unroll(full)
    for (int j = 0; j < kQuad; ++j)
#pragma clang loop unroll(full)
      for (int v = 0; v < kVectors; ++v)
        __builtin_memcpy(&values[j][v], c + j * stride + v * kLanes<Real>, sizeof(V));
  }
  void store(Real *c, int64_t stride) const {
#pragma clang loop unroll(full)
    for (int j = 0; j < kQuad; ++j)
#pragma clang loop unroll(full)
      for (int v = 0; v < kVectors; ++v)
        __builtin_memcpy(c + j * stride + v * kLanes<Real>, &values[j][v], sizeof(V));
  }
  // Sums the products first: the elements are read when they are needed.
  void subtractProduct(int64_t depth, const Real *strip, const Real *quad, const Real *c, int64_t stride) {
    V sums[kQuad][kVectors] = {};
    for (int64_t k = 0; k < depth; ++k) {
      const V *column = reinterpret_cast<const V *>(strip + k * kRows<Real>);
#pragma clang loop unroll(full)
      for (int j = 0; j < kQuad; ++j) {
        Real factor = quad[k * kRows<Real> + j];
#pragma clang loop unroll(full)
        for (int v = 0; v < kVectors; ++v)
          sums[j][v] += column[v] * factor;
      }
    }
    load(c, stride);
#pragma clang loop unroll(full)
    for (int j = 0; j < kQuad; ++j)
#pragma clang loop unroll(full)
      for (int v = 0; v < kVectors; ++v)
        values[j][v] -= sums[j][v];
  }
};

template <typename Real> void update(int64_t depth, const Real *strip, const Real *quad, Real *c, int64_t stride) {
  Tile<Real> tile;
  tile.subtractProduct(depth, strip, quad, c, stride);
  tile.store(c, stride);
}

template <typename Real> void solve(Real *c, int64_t stride, const Real *triangle, const Real *inverses) {
  Tile<Real> tile;
  tile.load(c, stride);
#pragma clang loop unroll(full)
  for (int p = 0; p < kQuad; ++p)
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      tile.values[p][v] *= inverses[p];
#pragma clang loop unroll(full)
      for (int q = p + 1; q < kQuad; ++q)
        tile.values[q][v] -= tile.values[p][v] * triangle[p * kRows<Real> + q];
    }
  tile.store(c, stride);
}

template <typename Real> constexpr Kernels<Real> kKernels = {kRows<Real>, update<Real>, solve<Real>};

} // namespace

// NOLINTBEGIN(misc-definitions-in-headers): included once for each ISA, in a namespace of its own
extern const Kernels<float> f32 = kKernels<float>;
extern const Kernels<double> f64 = kKernels<double>;
// NOLINTEND(misc-definitions-in-headers)

} // namespace tenon::runtime::cholesky::TENON_ISA
