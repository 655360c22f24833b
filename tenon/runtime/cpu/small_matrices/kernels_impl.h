// Included by kernels_<instruction set>.cpp; see numbers.h. Loops are LAPACK's unblocked ones (potf2, getf2, geqr2,
// org2r), with a choice for each lane where those branch.

#include "tenon/runtime/cpu/small_matrices/numbers.h"

namespace tenon::runtime::small_matrices::TENON_ISA {
namespace {

template <typename V> void load(int64_t numbers, const RealOf<V> *memory, int64_t stride, int count, RealOf<V> *block) {
  for (int l = 0; l < kLanes<V>; ++l) {
    const RealOf<V> *matrix = memory + (l < count ? l : count - 1) * stride;
    for (int64_t e = 0; e < numbers; ++e)
      block[e * kLanes<V> + l] = matrix[e];
  }
}

template <typename V>
void store(int64_t numbers, const RealOf<V> *block, RealOf<V> *memory, int64_t stride, int count) {
  for (int l = 0; l < count; ++l)
    for (int64_t e = 0; e < numbers; ++e)
      memory[l * stride + e] = block[e * kLanes<V> + l];
}

template <typename V> void storeIntegers(Mask<V> values, int32_t *to) {
  for (int l = 0; l < kLanes<V>; ++l)
    to[l] = static_cast<int32_t>(values[l]);
}

// The first step, from 1, at which it failed.
template <typename V> Mask<V> firstFailure(Mask<V> info, Mask<V> fails, int step) {
  Mask<V> number = Mask<V>{} + step;
  return (fails & (info == 0)) ? number : info;
}

//===- Cholesky --------------------------------------------------------------------------------------------------===//

// The lower factor, or the adjoint of the upper one.
template <typename N> struct Triangle {
  Block<N> block;
  bool lower;
  N get(int i, int j) const { return lower ? block.get(i, j) : conjugate(block.get(j, i)); }
  void set(int i, int j, N value) const { lower ? block.set(i, j, value) : block.set(j, i, conjugate(value)); }
};

template <typename N> void cholesky(int n, bool lower, RealOf<typename Block<N>::V> *data, int32_t *info) {
  using V = typename Block<N>::V;
  Triangle<N> a{Block<N>(data, n), lower};
  Mask<V> failed{};
  for (int j = 0; j < n; ++j) {
    V pivot = realPart(a.get(j, j));
    for (int k = 0; k < j; ++k)
      pivot -= squared(a.get(j, k));
    failed = firstFailure<V>(failed, ~(pivot > V{}), j + 1);
    V root = squareRoot(pivot);
    a.set(j, j, Element<N>::of(root));
    for (int i = j + 1; i < n; ++i) {
      N sum = a.get(i, j);
      for (int k = 0; k < j; ++k)
        sum = sum - a.get(i, k) * conjugate(a.get(j, k));
      a.set(i, j, dividedByReal(sum, root));
    }
  }
  storeIntegers<V>(failed, info);
}

//===- LU --------------------------------------------------------------------------------------------------------===//

// The row of the largest element of column k on or below the diagonal, the first among equals.
template <typename N> Mask<typename Block<N>::V> pivotRow(const Block<N> &a, int m, int k) {
  using V = typename Block<N>::V;
  V largest = sumOfParts(a.get(k, k));
  Mask<V> row = Mask<V>{} + k;
  for (int i = k + 1; i < m; ++i) {
    V size = sumOfParts(a.get(i, k));
    Mask<V> better = size > largest, here = Mask<V>{} + i;
    largest = select<V>(better, size, largest);
    row = better ? here : row;
  }
  return row;
}

template <typename N> void exchangeRows(const Block<N> &a, int m, int n, int k, Mask<typename Block<N>::V> row) {
  for (int j = 0; j < n; ++j) {
    N top = a.get(k, j), chosen = top;
    for (int i = k + 1; i < m; ++i) {
      N value = a.get(i, j);
      chosen = select(row == i, value, chosen);
      a.set(i, j, select(row == i, top, value));
    }
    a.set(k, j, chosen);
  }
}

template <typename N> void lu(int m, int n, RealOf<typename Block<N>::V> *data, int32_t *pivots, int32_t *info) {
  using V = typename Block<N>::V;
  Block<N> a(data, m);
  Mask<V> failed{};
  for (int k = 0; k < m && k < n; ++k) {
    Mask<V> row = pivotRow<N>(a, m, k);
    exchangeRows<N>(a, m, n, k, row);
    storeIntegers<V>(row + 1, pivots + k * kLanes<V>);
    N pivot = a.get(k, k);
    Mask<V> zero = sumOfParts(pivot) == V{};
    failed = firstFailure<V>(failed, zero, k + 1);
    for (int i = k + 1; i < m; ++i) {
      N value = a.get(i, k);
      a.set(i, k, select(zero, value, dividedBy(value, pivot)));
    }
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < m; ++i)
        a.set(i, j, a.get(i, j) - a.get(i, k) * a.get(k, j));
  }
  storeIntegers<V>(failed, info);
}

//===- Triangular solve ------------------------------------------------------------------------------------------===//

// A solve from the right is one from the left of everything's transpose.
template <typename N>
void solve(SolveForm form, int m, int n, const RealOf<typename Block<N>::V> *matrix,
           RealOf<typename Block<N>::V> *sides) {
  int order = form.left ? m : n, columns = form.left ? n : m;
  Block<N> a(const_cast<RealOf<typename Block<N>::V> *>(matrix), order), b(sides, m);
  bool exchanged = form.transposed == form.left;
  auto factor = [&](int i, int j) {
    N value = exchanged ? a.get(j, i) : a.get(i, j);
    return form.conjugated ? conjugate(value) : value;
  };
  auto get = [&](int i, int j) { return form.left ? b.get(i, j) : b.get(j, i); };
  auto set = [&](int i, int j, N value) { form.left ? b.set(i, j, value) : b.set(j, i, value); };
  bool forward = form.lower != exchanged;
  for (int step = 0; step < order; ++step) {
    int i = forward ? step : order - 1 - step;
    int begin = forward ? 0 : i + 1, end = forward ? i : order;
    N pivot = factor(i, i);
    for (int j = 0; j < columns; ++j) {
      N sum = get(i, j);
      for (int k = begin; k < end; ++k)
        sum = sum - factor(i, k) * get(k, j);
      set(i, j, form.unitDiagonal ? sum : dividedBy(sum, pivot));
    }
  }
}

//===- QR --------------------------------------------------------------------------------------------------------===//

// Makes column k of `a` the reflector that turns it into a multiple of the unit vector; its scale (larfg).
template <typename N> N makeReflector(const Block<N> &a, int m, int k) {
  using V = typename Block<N>::V;
  N top = a.get(k, k);
  V largest = larger(largestPart(top), splat<V>(Traits<V>::kSmallest)), below{};
  for (int i = k + 1; i < m; ++i)
    largest = larger(largestPart(a.get(i, k)), largest);
  for (int i = k + 1; i < m; ++i)
    below += squared(dividedByReal(a.get(i, k), largest));
  // Columns that are zero below the diagonal need no reflector. NaN does not compare equal and is propagated.
  Mask<V> trivial = (below == V{}) & (imaginaryPart(top) == V{});
  V norm = largest * squareRoot(below + squared(dividedByReal(top, largest)));
  V beta = select<V>(realPart(top) < V{}, norm, -norm);
  V safe = select<V>(trivial, splat<V>(1), beta);
  N tau = Element<N>::of((beta - realPart(top)) / safe, -imaginaryPart(top) / safe);
  N difference = select(trivial, one<N>(), top - Element<N>::of(beta));
  for (int i = k + 1; i < m; ++i) {
    N value = a.get(i, k);
    a.set(i, k, select(trivial, value, dividedBy(value, difference)));
  }
  a.set(k, k, select(trivial, top, Element<N>::of(beta)));
  return select(trivial, N{}, tau);
}

// Column j of `a`, from row k on, minus scale * v (v* column), where v is 1 and then column k.
template <typename N> void reflect(const Block<N> &a, int m, int k, int j, N scale) {
  N product = a.get(k, j);
  for (int i = k + 1; i < m; ++i)
    product = product + conjugate(a.get(i, k)) * a.get(i, j);
  product = scale * product;
  a.set(k, j, a.get(k, j) - product);
  for (int i = k + 1; i < m; ++i)
    a.set(i, j, a.get(i, j) - a.get(i, k) * product);
}

template <typename N> void qr(int m, int n, RealOf<typename Block<N>::V> *data, RealOf<typename Block<N>::V> *scales) {
  Block<N> a(data, m), tau(scales, 1);
  for (int k = 0; k < m && k < n; ++k) {
    N scale = makeReflector<N>(a, m, k);
    tau.set(0, k, scale);
    for (int j = k + 1; j < n; ++j)
      reflect<N>(a, m, k, j, conjugate(scale));
  }
}

template <typename N>
void formQ(int m, int n, int k, RealOf<typename Block<N>::V> *data, const RealOf<typename Block<N>::V> *scales) {
  using V = typename Block<N>::V;
  Block<N> a(data, m), tau(const_cast<RealOf<V> *>(scales), 1);
  for (int j = k; j < n; ++j)
    for (int i = 0; i < m; ++i)
      a.set(i, j, i == j ? one<N>() : N{});
  for (int i = k; i-- > 0;) {
    N scale = tau.get(0, i);
    for (int j = i + 1; j < n; ++j)
      reflect<N>(a, m, i, j, scale);
    for (int r = i + 1; r < m; ++r)
      a.set(r, i, -(scale * a.get(r, i)));
    a.set(i, i, one<N>() - scale);
    for (int r = 0; r < i; ++r)
      a.set(r, i, N{});
  }
}

} // namespace
} // namespace tenon::runtime::small_matrices::TENON_ISA

#include "tenon/runtime/cpu/small_matrices/jacobi_impl.h"

namespace tenon::runtime::small_matrices::TENON_ISA {
namespace {

template <typename N>
constexpr Kernels<RealOf<typename Block<N>::V>> kKernels = {kLanes<typename Block<N>::V>,
                                                            load<typename Block<N>::V>,
                                                            store<typename Block<N>::V>,
                                                            cholesky<N>,
                                                            lu<N>,
                                                            solve<N>,
                                                            qr<N>,
                                                            formQ<N>,
                                                            eigh<N>,
                                                            svd<N>};

} // namespace

// NOLINTBEGIN(misc-definitions-in-headers): included once for each ISA, in a namespace of its own
extern const Kernels<float> f32 = kKernels<Floats>, c64 = kKernels<Complex<Floats>>;
extern const Kernels<double> f64 = kKernels<Doubles>, c128 = kKernels<Complex<Doubles>>;
// NOLINTEND(misc-definitions-in-headers)

} // namespace tenon::runtime::small_matrices::TENON_ISA
