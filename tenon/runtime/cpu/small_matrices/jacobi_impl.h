// Jacobi's method: eigenvalues of Hermitian matrices, and singular values by making columns orthogonal to each other
// (Hestenes 1958; Demmel and Veselic 1992). Included by kernels_impl.h; see numbers.h.
//
// Lanes turn until they have converged themselves, so that the last bits of one do not depend on the others.

namespace tenon::runtime::small_matrices::TENON_ISA {
namespace {

constexpr int kMaxSweeps = 30; // 6 to 8 are usual

// The power of two below each number, at least the smallest normal number.
template <typename V> V powerBelow(V x) {
  using Words = typename Traits<V>::Words;
  V power = reinterpret_cast<V>(reinterpret_cast<Words>(x) & Traits<V>::kExponent);
  return larger(power, splat<V>(Traits<V>::kSmallest));
}

template <typename N> void setIdentity(const Block<N> &a, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      a.set(i, j, i == j ? one<N>() : N{});
}

// The rotation that makes [first, beside; conjugate(beside), second] diagonal; none in the lanes of the mask.
template <typename N> struct Rotation {
  using V = typename Element<N>::V;
  Mask<V> none;
  N direction;
  V size, tangent, cosine, sine;

  Rotation(V first, V second, N beside, Mask<V> none) : none(none) {
    V unit = splat<V>(1);
    size = modulus(beside);
    V safe = select<V>(none, unit, size);
    direction = select(none, one<N>(), dividedByReal(beside, safe));
    V theta = (second - first) / (safe + safe), width = magnitude(theta);
    // The square might be out of range.
    V root = select<V>(width > splat<V>(1 / Traits<V>::kEpsilon), width, squareRoot(width * width + unit));
    tangent = unit / (width + root);
    tangent = select<V>(none, V{}, select<V>(theta < V{}, -tangent, tangent));
    cosine = unit / squareRoot(tangent * tangent + unit);
    sine = tangent * cosine;
  }

  // Rotates the elements of columns p and q in row r.
  void turn(const Block<N> &block, int r, int p, int q) const {
    N x = block.get(r, p), old = block.get(r, q), y = old * conjugate(direction);
    block.set(r, p, select(none, x, scaled(x, cosine) - scaled(y, sine)));
    block.set(r, q, select(none, old, scaled(x, sine) + scaled(y, cosine)));
  }
};

// Sorts values, and columns with them, by exchanges. `before` says whether its second argument goes before its first.
template <typename V, typename F, typename... Columns>
void sortBy(F before, const Block<V> &values, int n, const Columns &...columns) {
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      V x = values.get(0, i), y = values.get(0, j);
      Mask<V> exchange = before(x, y);
      values.set(0, i, select<V>(exchange, y, x));
      values.set(0, j, select<V>(exchange, x, y));
      (columns.exchange(exchange, i, j), ...);
    }
}

template <typename N> struct ColumnsOf {
  Block<N> block;
  int rows;
  void exchange(Mask<typename Block<N>::V> mask, int i, int j) const {
    for (int r = 0; r < rows; ++r) {
      N first = block.get(r, i), second = block.get(r, j);
      block.set(r, i, select(mask, second, first));
      block.set(r, j, select(mask, first, second));
    }
  }
};

//===- Eigenvalues -----------------------------------------------------------------------------------------------===//

// Writes both triangles of a matrix of which one is given, scaled by a power of two so that nothing overflows or
// underflows, and returns the scale.
template <typename N>
typename Block<N>::V prepareHermitian(const Block<N> &given, const Block<N> &a, int n, bool lower) {
  using V = typename Block<N>::V;
  V largest{};
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i)
      largest = larger(largestPart(lower ? given.get(i, j) : given.get(j, i)), largest);
  V scale = powerBelow(largest);
  for (int j = 0; j < n; ++j) {
    a.set(j, j, Element<N>::of(realPart(given.get(j, j)) / scale));
    for (int i = j + 1; i < n; ++i) {
      N value = dividedByReal(lower ? given.get(i, j) : conjugate(given.get(j, i)), scale);
      a.set(i, j, value);
      a.set(j, i, conjugate(value));
    }
  }
  return scale;
}

// Makes element (p, q) zero by a rotation of these two rows and columns.
template <typename N> Rotation<N> diagonalize(const Block<N> &a, int n, int p, int q, Mask<typename Block<N>::V> open) {
  using V = typename Block<N>::V;
  N beside = a.get(p, q);
  V first = realPart(a.get(p, p)), second = realPart(a.get(q, q));
  constexpr auto kNegligible = Traits<V>::kEpsilon * Traits<V>::kEpsilon;
  Rotation<N> rotation(first, second, beside, ~(largestPart(beside) >= splat<V>(kNegligible)) | ~open);
  for (int r = 0; r < n; ++r) {
    if (r == p || r == q)
      continue;
    rotation.turn(a, r, p, q);
    a.set(p, r, conjugate(a.get(r, p)));
    a.set(q, r, conjugate(a.get(r, q)));
  }
  // Lanes that have converged count what they have left there as nothing.
  V change = rotation.tangent * rotation.size;
  a.set(p, p, Element<N>::of(first - change));
  a.set(q, q, Element<N>::of(second + change));
  a.set(p, q, N{});
  a.set(q, p, N{});
  return rotation;
}

template <typename N> Mask<typename Block<N>::V> isFarFromDiagonal(const Block<N> &a, int n) {
  using V = typename Block<N>::V;
  V largest{};
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i)
      largest = larger(largestPart(a.get(i, j)), largest);
  // The limit is absolute, since the matrices are scaled so that their largest elements are of the order of 1.
  return largest > splat<V>(Traits<V>::kEpsilon / 16);
}

template <typename N>
void eigh(int n, bool lower, bool vectors, RealOf<typename Block<N>::V> *matrix, RealOf<typename Block<N>::V> *values,
          RealOf<typename Block<N>::V> *work, int32_t *info) {
  using V = typename Block<N>::V;
  Block<N> result(matrix, n), a(work, n);
  Block<V> w(values, 1);
  V scale = prepareHermitian<N>(result, a, n, lower);
  if (vectors)
    setIdentity<N>(result, n);
  Mask<V> open = isFarFromDiagonal<N>(a, n);
  for (int sweep = 0; sweep < kMaxSweeps && any<V>(open); ++sweep) {
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        Rotation<N> rotation = diagonalize<N>(a, n, p, q, open);
        for (int r = 0; vectors && r < n; ++r)
          rotation.turn(result, r, p, q);
      }
    open = isFarFromDiagonal<N>(a, n);
  }
  for (int j = 0; j < n; ++j)
    w.set(0, j, realPart(a.get(j, j)) * scale);
  sortBy([](V x, V y) { return y < x; }, w, n, ColumnsOf<N>{result, vectors ? n : 0});
  storeIntegers<V>(open & 1, info);
}

//===- Singular values -------------------------------------------------------------------------------------------===//

// The matrix, or its adjoint where that has fewer columns, scaled by a power of two; the scale.
template <typename N> typename Block<N>::V prepareTall(const Block<N> &given, int m, int n, const Block<N> &a) {
  using V = typename Block<N>::V;
  V largest{};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      largest = larger(largestPart(given.get(i, j)), largest);
  V scale = powerBelow(largest);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      N value = dividedByReal(given.get(i, j), scale);
      m < n ? a.set(j, i, conjugate(value)) : a.set(i, j, value);
    }
  return scale;
}

// Turns columns p and q until they are orthogonal; the lanes where they were not.
template <typename N>
Mask<typename Block<N>::V> orthogonalize(const Block<N> &a, int rows, const Block<N> &right, int columns, int p,
                                         int q) {
  using V = typename Block<N>::V;
  V first{}, second{};
  N product{};
  for (int r = 0; r < rows; ++r) {
    N x = a.get(r, p), y = a.get(r, q);
    first += squared(x);
    second += squared(y);
    product = product + conjugate(x) * y;
  }
  constexpr auto kNegligible = Traits<V>::kEpsilon * Traits<V>::kEpsilon * Traits<V>::kEpsilon * Traits<V>::kEpsilon;
  auto tolerance = Traits<V>::kEpsilon * (2 + static_cast<RealOf<V>>(rows) / 2);
  V bound = squareRoot(first) * squareRoot(second) * tolerance;
  Mask<V> open = (largestPart(product) > bound) & (first > splat<V>(kNegligible)) & (second > splat<V>(kNegligible));
  Rotation<N> rotation(first, second, product, ~open);
  for (int r = 0; r < rows; ++r)
    rotation.turn(a, r, p, q);
  for (int r = 0; r < columns; ++r)
    rotation.turn(right, r, p, q);
  return open;
}

// Orthonormal columns in the directions of those of `a`, `count` of them: a's factor Q, since R is diagonal but for
// rounding. So what belongs to a singular value of zero is orthogonal to the rest too.
template <typename N>
void normalizeColumns(const Block<N> &a, int rows, int columns, int count, RealOf<typename Block<N>::V> *work,
                      RealOf<typename Block<N>::V> *scales) {
  using V = typename Block<N>::V;
  Block<N> q(work, rows), signs(scales + int64_t(columns) * Element<N>::kParts * kLanes<V>, 1);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      q.set(i, j, a.get(i, j));
  qr<N>(rows, columns, work, scales);
  for (int j = 0; j < columns; ++j)
    signs.set(0, j, select(realPart(q.get(j, j)) < V{}, -one<N>(), one<N>()));
  formQ<N>(rows, count, columns, work, scales);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      q.set(i, j, q.get(i, j) * signs.get(0, j));
}

template <typename N>
void svd(int m, int n, bool vectors, bool full, const RealOf<typename Block<N>::V> *matrix,
         RealOf<typename Block<N>::V> *values, RealOf<typename Block<N>::V> *left, RealOf<typename Block<N>::V> *right,
         RealOf<typename Block<N>::V> *work, int32_t *info) {
  using V = typename Block<N>::V;
  int rows = m < n ? n : m, columns = m < n ? m : n, count = full ? rows : columns;
  auto take = [&](int64_t elements) {
    RealOf<V> *piece = work;
    work += elements * Element<N>::kParts * kLanes<V>;
    return piece;
  };
  Block<N> a(take(int64_t(rows) * columns), rows), turned(take(int64_t(columns) * columns), columns);
  Block<V> s(values, 1);
  V scale = prepareTall<N>(Block<N>(const_cast<RealOf<V> *>(matrix), m), m, n, a);
  setIdentity<N>(turned, columns);
  Mask<V> open = Mask<V>{} - 1;
  for (int sweep = 0; sweep < kMaxSweeps && any<V>(open); ++sweep) {
    open = Mask<V>{};
    for (int p = 0; p < columns; ++p)
      for (int q = p + 1; q < columns; ++q)
        open |= orthogonalize<N>(a, rows, turned, vectors ? columns : 0, p, q);
  }
  for (int j = 0; j < columns; ++j) {
    V sum{};
    for (int i = 0; i < rows; ++i)
      sum += squared(a.get(i, j));
    s.set(0, j, squareRoot(sum) * scale);
  }
  storeIntegers<V>(open & 1, info);
  sortBy([](V x, V y) { return y > x; }, s, columns, ColumnsOf<N>{a, vectors ? rows : 0},
         ColumnsOf<N>{turned, vectors ? columns : 0});
  if (!vectors)
    return;
  RealOf<V> *unitary = take(int64_t(rows) * rows);
  normalizeColumns<N>(a, rows, columns, count, unitary, take(2 * int64_t(columns)));
  Block<N> q(unitary, rows), u(left, m), vt(right, full ? n : columns);
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < rows; ++i)
      m < n ? vt.set(j, i, conjugate(q.get(i, j))) : u.set(i, j, q.get(i, j));
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < columns; ++i)
      m < n ? u.set(i, j, turned.get(i, j)) : vt.set(j, i, conjugate(turned.get(i, j)));
}

} // namespace
} // namespace tenon::runtime::small_matrices::TENON_ISA
