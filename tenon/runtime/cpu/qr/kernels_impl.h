// Included by kernels_<instruction set>.cpp with TENON_ISA set to the namespace, TENON_VECTOR_BYTES to a vector's size,
// and TENON_TILE_VECTORS to the vectors that are multiplied with kQuad columns at once: as many accumulators as that
// should have room in registers beside the operands. Everything is local to the file, as in small_matrices/numbers.h.

#include "tenon/runtime/cpu/qr/kernels.h"

namespace tenon::runtime::qr::TENON_ISA {
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
template <typename Real> using Vector = typename VectorOf<Real>::Type;

constexpr int kTile = TENON_TILE_VECTORS;
// Columns that share what is read of the reflectors.
constexpr int kQuad = 4;
template <typename Real> constexpr int kLanes = TENON_VECTOR_BYTES / int(sizeof(Real));

template <typename Real> Vector<Real> load(const Real *from) {
  Vector<Real> vector;
  __builtin_memcpy(&vector, from, sizeof(vector));
  return vector;
}
template <typename Real> void store(Real *to, Vector<Real> vector) { __builtin_memcpy(to, &vector, sizeof(vector)); }

// The lanes' sum, by halves.
template <typename Real> Real sumOf(Vector<Real> vector) {
  Real lanes[kLanes<Real>];
  __builtin_memcpy(lanes, &vector, sizeof(vector));
#pragma clang loop unroll(full)
  for (int half = kLanes<Real> / 2; half > 0; half /= 2)
#pragma clang loop unroll(full)
    for (int i = 0; i < half; ++i)
      lanes[i] += lanes[i + half];
  return lanes[0];
}

// Adds the products of V vectors of kPanel columns with C of those at c.
template <typename Real, int V, int C>
void addProducts(int64_t rows, const Real *transposed, const Real *c, int64_t stride, Real *products) {
  Vector<Real> sums[C][V] = {};
  for (int64_t row = 0; row < rows; ++row) {
    Vector<Real> left[V];
#pragma clang loop unroll(full)
    for (int i = 0; i < V; ++i)
      left[i] = load(transposed + row * kPanel + i * kLanes<Real>);
#pragma clang loop unroll(full)
    for (int j = 0; j < C; ++j)
#pragma clang loop unroll(full)
      for (int i = 0; i < V; ++i)
        sums[j][i] += left[i] * c[j * stride + row];
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < C; ++j)
#pragma clang loop unroll(full)
    for (int i = 0; i < V; ++i) {
      Real *product = products + j * kPanel + i * kLanes<Real>;
      store(product, load(product) + sums[j][i]);
    }
}

template <typename Real>
void products(int64_t rows, const Real *transposed, const Real *c, int64_t stride, int64_t columns, Real *products) {
  constexpr int kVectors = kTile < kPanel / kLanes<Real> ? kTile : kPanel / kLanes<Real>;
  // Long sums are sums of short ones, which are rounded less.
  constexpr int64_t kRows = 64;
  for (int64_t i = 0; i < columns * kPanel; ++i)
    products[i] = 0;
  for (int64_t row = 0; row < rows; row += kRows) {
    int64_t count = rows - row < kRows ? rows - row : kRows;
    for (int64_t first = 0; first < kPanel; first += kVectors * kLanes<Real>) {
      const Real *left = transposed + row * kPanel + first, *right = c + row;
      Real *sums = products + first;
      int64_t j = 0;
      for (; j + kQuad <= columns; j += kQuad)
        addProducts<Real, kVectors, kQuad>(count, left, right + j * stride, stride, sums + j * kPanel);
      for (; j < columns; ++j)
        addProducts<Real, kVectors, 1>(count, left, right + j * stride, stride, sums + j * kPanel);
    }
  }
}

// The sum of the products comes first, so that the elements of c are rounded once.
template <typename Real, int V, int C>
void addTile(int64_t rows, int64_t count, const Real *v, const Real *factors, Real *c, int64_t stride) {
  Vector<Real> sums[C][V] = {};
  for (int64_t k = 0; k < count; ++k) {
    Vector<Real> left[V];
#pragma clang loop unroll(full)
    for (int i = 0; i < V; ++i)
      left[i] = load(v + k * rows + i * kLanes<Real>);
#pragma clang loop unroll(full)
    for (int j = 0; j < C; ++j)
#pragma clang loop unroll(full)
      for (int i = 0; i < V; ++i)
        sums[j][i] += left[i] * factors[j * kPanel + k];
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < C; ++j)
#pragma clang loop unroll(full)
    for (int i = 0; i < V; ++i)
      store(c + j * stride + i * kLanes<Real>, load(c + j * stride + i * kLanes<Real>) + sums[j][i]);
}

template <typename Real, int C>
void addTo(int64_t rows, int64_t count, const Real *v, const Real *factors, Real *c, int64_t stride) {
  int64_t row = 0;
  for (; row + kTile * kLanes<Real> <= rows; row += kTile * kLanes<Real>)
    addTile<Real, kTile, C>(rows, count, v + row, factors, c + row, stride);
  for (; row < rows; row += kLanes<Real>)
    addTile<Real, 1, C>(rows, count, v + row, factors, c + row, stride);
}

template <typename Real>
void add(int64_t rows, int64_t count, const Real *v, const Real *factors, Real *c, int64_t stride, int64_t columns) {
  int64_t j = 0;
  for (; j + kQuad <= columns; j += kQuad)
    addTo<Real, kQuad>(rows, count, v, factors + j * kPanel, c + j * stride, stride);
  for (; j < columns; ++j)
    addTo<Real, 1>(rows, count, v, factors + j * kPanel, c + j * stride, stride);
}

template <typename Real, int C> void reflectColumns(int64_t rows, const Real *v, Real factor, Real *c, int64_t stride) {
  Vector<Real> sums[C] = {};
  for (int64_t row = 0; row < rows; row += kLanes<Real>) {
    Vector<Real> left = load(v + row);
#pragma clang loop unroll(full)
    for (int j = 0; j < C; ++j)
      sums[j] += left * load(c + j * stride + row);
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < C; ++j)
    sums[j] = Vector<Real>{} + sumOf<Real>(sums[j]) * -factor;
  for (int64_t row = 0; row < rows; row += kLanes<Real>) {
    Vector<Real> left = load(v + row);
#pragma clang loop unroll(full)
    for (int j = 0; j < C; ++j)
      store(c + j * stride + row, load(c + j * stride + row) + left * sums[j]);
  }
}

template <typename Real>
void reflect(int64_t rows, const Real *v, Real factor, Real *c, int64_t stride, int64_t columns) {
  int64_t j = 0;
  for (; j + kQuad <= columns; j += kQuad)
    reflectColumns<Real, kQuad>(rows, v, factor, c + j * stride, stride);
  for (; j < columns; ++j)
    reflectColumns<Real, 1>(rows, v, factor, c + j * stride, stride);
}

// Several sums: one would wait for itself.
template <typename Real> Real dot(int64_t rows, const Real *x, const Real *y) {
  constexpr int kSums = 4;
  Vector<Real> sums[kSums] = {};
  int64_t row = 0;
  for (; row + kSums * kLanes<Real> <= rows; row += kSums * kLanes<Real>)
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i)
      sums[i] += load(x + row + i * kLanes<Real>) * load(y + row + i * kLanes<Real>);
  for (; row < rows; row += kLanes<Real>)
    sums[0] += load(x + row) * load(y + row);
  return sumOf<Real>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

template <typename Real>
constexpr Kernels<Real> kKernels = {kLanes<Real>, dot<Real>, reflect<Real>, products<Real>, add<Real>};

} // namespace

// NOLINTBEGIN(misc-definitions-in-headers): included once for each ISA, in a namespace of its own
extern const Kernels<float> f32 = kKernels<float>;
extern const Kernels<double> f64 = kKernels<double>;
// NOLINTEND(misc-definitions-in-headers)

} // namespace tenon::runtime::qr::TENON_ISA
