// Factorizations, products with their orthogonal factors, and solves.

#include "tenon/runtime/cpu/cholesky/cholesky.h"
#include "tenon/runtime/cpu/lapack_call.h"
#include "tenon/runtime/cpu/lapack_nan.h"
#include "tenon/runtime/cpu/qr/qr.h"
#include "tenon/runtime/cpu/triangular.h"

#include <cmath>
#include <numeric>

namespace tenon::runtime::lapack {
namespace {

using program::ElementType;
using small_matrices::Group;
using small_matrices::Kernels;
using small_matrices::kMaxLanes;
constexpr ElementType kInfo = ElementType::kI32;

// LAPACK wants leading dimensions of at least one.
int32_t leading(int32_t n) { return std::max(n, 1); }

template <typename T> struct Potrf {
  static constexpr ElementType type = TypeTraits<T>::type;
  void *routine = nullptr; // of complex matrices
  void *trsm;
  const Kernels<typename TypeTraits<T>::Real> *kernels;
  char uplo;
  int32_t n;
  int64_t workBytes = 0, groupBytes;

  void prepare(Setup &setup) {
    setup.expectCounts(1, 2);
    n = setup.size(setup.rows(0));
    setup.expectOperand(0, type, {n, n});
    setup.expectResult(0, type, {n, n});
    setup.expectResult(1, kInfo, {});
    uplo = setup.letter("uplo", "LU");
    if constexpr (TypeTraits<T>::isComplex)
      routine = setup.routine(routineName<T>("potrf"));
    else
      workBytes = Item::bytesFor<T>(cholesky::workElements<T>(n));
    trsm = setup.routine(routineName<T>("trsm"));
    kernels = small_matrices::kernelsFor<T>(setup.batch(), n, n);
    groupBytes = Group::bytesFor<T>(int64_t(n) * n);
  }
  void one(Item &item, ThreadPool &pool) const {
    T *a = item.inPlace<T>(0, 0, int64_t(n) * n);
    Triangle<T> triangle{a, n, uplo == 'L'};
    int32_t lda = leading(n), bad = triangle.firstRow();
    if constexpr (TypeTraits<T>::isComplex)
      invoke(routine, (const char *)&uplo, &bad, a, &lda, item.info(1));
    else
      *item.info(1) =
          int32_t(cholesky::factor(pool, triangle.lower, bad, a, n, item.take<T>(cholesky::workElements<T>(n))));
    if (bad < n && *item.info(1) == 0)
      finish(triangle, bad);
  }
  // The rows from `bad` on, the first with a NaN; those before are factors. A row that has a NaN depends on it from
  // there on, and rows below one that has on its diagonal.
  void finish(const Triangle<T> &triangle, int32_t bad) const {
    std::vector<int32_t> first;
    for (int32_t i = bad; i < n; ++i) {
      first.push_back(std::min(triangle.firstNaN(i), i > bad ? bad : i));
      for (int32_t j = first.back(); j <= i; ++j)
        triangle.at(i, j) = T(0);
    }
    const char side = triangle.lower ? 'R' : 'L', trans = 'C', diag = 'N';
    int32_t rest = n - bad, lda = leading(n);
    T alpha = T(1);
    if (bad > 0)
      invoke(trsm, &side, &uplo, &trans, &diag, triangle.lower ? &rest : &bad, triangle.lower ? &bad : &rest, &alpha,
             triangle.a, &lda, &triangle.at(bad, 0), &lda);
    for (int32_t i = bad; i < n; ++i)
      for (int32_t j = first[size_t(i - bad)]; j <= i; ++j)
        triangle.at(i, j) = notANumber<T>();
  }
  void many(Group &group) const {
    auto *a = group.load<T>(*kernels, 0, int64_t(n) * n);
    int32_t info[kMaxLanes];
    kernels->cholesky(n, uplo == 'L', a, info);
    group.store<T>(*kernels, 0, int64_t(n) * n, a);
    group.storeIntegers(kernels->lanes, 1, 1, info);
  }
};

template <typename T> struct Getrf {
  static constexpr ElementType type = TypeTraits<T>::type;
  void *routine;
  const Kernels<typename TypeTraits<T>::Real> *kernels;
  int32_t m, n;
  int64_t workBytes = 0, groupBytes;

  void prepare(Setup &setup) {
    setup.expectCounts(1, 3);
    m = setup.size(setup.rows(0));
    n = setup.size(setup.columns(0));
    setup.expectOperand(0, type, {m, n});
    setup.expectResult(0, type, {m, n});
    setup.expectResult(1, ElementType::kI32, {std::min(m, n)});
    setup.expectResult(2, kInfo, {});
    routine = setup.routine(routineName<T>("getrf"));
    kernels = small_matrices::kernelsFor<T>(setup.batch(), m, n);
    groupBytes = Group::bytesFor<T>(int64_t(m) * n) + Group::bytesFor<float>(std::min(m, n));
  }
  void one(Item &item) const {
    T *a = item.inPlace<T>(0, 0, int64_t(m) * n);
    int32_t lda = leading(m), *info = item.info(2);
    std::vector<int32_t> cleared = clearColumns(a, m, n);
    invoke(routine, &m, &n, a, &lda, item.result<int32_t>(1), info);
    if (cleared.empty())
      return;
    spreadFromColumns(a, m, n, cleared);
    if (*info > cleared.front()) // a pivot that is NaN is no zero
      *info = 0;
  }
  void many(Group &group) const {
    auto *a = group.load<T>(*kernels, 0, int64_t(m) * n);
    int32_t *pivots = group.integers(std::min(m, n)), info[kMaxLanes];
    kernels->lu(m, n, a, pivots, info);
    group.store<T>(*kernels, 0, int64_t(m) * n, a);
    group.storeIntegers(kernels->lanes, 1, std::min(m, n), pivots);
    group.storeIntegers(kernels->lanes, 2, 1, info);
  }
};

// For real matrices, the work space of our own factorization where that is faster; otherwise zero.
template <typename T> int64_t ownQrElements(int32_t m, int32_t n) {
  if constexpr (!TypeTraits<T>::isComplex)
    if (qr::isFaster(m, n))
      return qr::workElements<T>(m, n);
  return 0;
}

template <typename T> struct Geqrf {
  static constexpr ElementType type = TypeTraits<T>::type;
  void *routine;
  const Kernels<typename TypeTraits<T>::Real> *kernels;
  int32_t m, n, workSize;
  int64_t workBytes = 0, ownElements = 0, groupBytes;

  void prepare(Setup &setup) {
    setup.expectCounts(1, 2);
    m = setup.size(setup.rows(0));
    n = setup.size(setup.columns(0));
    setup.expectOperand(0, type, {m, n});
    setup.expectResult(0, type, {m, n});
    setup.expectResult(1, type, {std::min(m, n)});
    routine = setup.routine(routineName<T>("geqrf"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    int32_t query = -1, info = 0, lda = leading(m);
    invoke(routine, &m, &n, &none, &lda, &none, &answer, &query, &info);
    workSize = setup.size(std::max<int64_t>(workspaceSize(answer), n));
    ownElements = ownQrElements<T>(m, n);
    workBytes = Item::bytesFor<T>(std::max<int64_t>(workSize, ownElements));
    kernels = small_matrices::kernelsFor<T>(setup.batch(), m, n);
    groupBytes = Group::bytesFor<T>(int64_t(m) * n) + Group::bytesFor<T>(std::min(m, n));
  }
  void one(Item &item, [[maybe_unused]] ThreadPool &pool) const {
    T *a = item.inPlace<T>(0, 0, int64_t(m) * n), *tau = item.result<T>(1);
    if constexpr (!TypeTraits<T>::isComplex)
      if (ownElements > 0 && allFinite(a, int64_t(m) * n))
        return qr::factor(pool, m, n, a, tau, item.take<T>(ownElements));
    int32_t lda = leading(m), info = 0;
    std::vector<int32_t> cleared = clearColumns(a, m, n);
    invoke(routine, &m, &n, a, &lda, tau, item.take<T>(workSize), &workSize, &info);
    if (cleared.empty())
      return;
    spreadFromColumns(a, m, n, cleared);
    // The reflector of one real element is the identity.
    int32_t count = std::min(m, TypeTraits<T>::isComplex ? n : std::min(m - 1, n));
    if (cleared.front() < count)
      fillWithNaN(tau + cleared.front(), count - cleared.front());
  }
  void many(Group &group) const {
    auto *a = group.load<T>(*kernels, 0, int64_t(m) * n), *tau = group.block<T>(std::min(m, n));
    kernels->qr(m, n, a, tau);
    group.store<T>(*kernels, 0, int64_t(m) * n, a);
    group.store<T>(*kernels, 1, std::min(m, n), tau);
  }
};

// Operands: matrix, pivots in (0: free column), results: matrix, pivots out (from 1), tau.
template <typename T> struct Geqp3 {
  static constexpr ElementType type = TypeTraits<T>::type;
  using Real = typename TypeTraits<T>::Real;
  void *routine;
  int32_t m, n, workSize;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(2, 3);
    m = setup.size(setup.rows(0));
    n = setup.size(setup.columns(0));
    setup.expectOperand(0, type, {m, n});
    setup.expectOperand(1, ElementType::kI32, {n});
    setup.expectResult(0, type, {m, n});
    setup.expectResult(1, ElementType::kI32, {n});
    setup.expectResult(2, type, {std::min(m, n)});
    routine = setup.routine(routineName<T>("geqp3"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    Real realWork{};
    int32_t query = -1, info = 0, lda = leading(m), pivot = 0;
    call(&none, lda, &pivot, &none, &answer, &query, &realWork, &info);
    workSize = setup.size(std::max<int64_t>(workspaceSize(answer), 3 * int64_t(n) + 1));
    workBytes = Item::bytesFor<T>(workSize) + Item::bytesFor<Real>(2 * int64_t(n));
  }
  void call(T *a, int32_t lda, int32_t *pivots, T *tau, T *work, const int32_t *size, Real *realWork,
            int32_t *info) const {
    if constexpr (TypeTraits<T>::isComplex)
      invoke(routine, &m, &n, a, &lda, pivots, tau, work, size, realWork, info);
    else
      invoke(routine, &m, &n, a, &lda, pivots, tau, work, size, info);
  }
  void one(Item &item) const {
    T *a = item.inPlace<T>(0, 0, int64_t(m) * n);
    int32_t *pivots = item.inPlace<int32_t>(1, 1, n), info = 0;
    if (anyNaN(a, int64_t(m) * n)) { // the column of the greatest norm, NaN, comes first
      fillWithNaN(a, int64_t(m) * n);
      fillWithNaN(item.result<T>(2), std::min(m, n));
      std::iota(pivots, pivots + n, 1);
      return;
    }
    T *work = item.take<T>(workSize);
    call(a, leading(m), pivots, item.result<T>(2), work, &workSize, item.take<Real>(2 * int64_t(n)), &info);
  }
};

// The first n columns of the product of k reflectors.
template <typename T> struct Orgqr {
  static constexpr ElementType type = TypeTraits<T>::type;
  void *routine;
  const Kernels<typename TypeTraits<T>::Real> *kernels;
  int32_t m, n, k, workSize;
  int64_t workBytes = 0, ownElements = 0, groupBytes;

  void prepare(Setup &setup) {
    setup.expectCounts(2, 1);
    m = setup.size(setup.rows(0));
    n = setup.size(setup.columns(0));
    k = setup.size(setup.columns(1));
    setup.expectOperand(0, type, {m, n});
    setup.expectOperand(1, type, {k});
    setup.expectResult(0, type, {m, n});
    routine = setup.routine(routineName<T>(TypeTraits<T>::isComplex ? "ungqr" : "orgqr"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    int32_t query = -1, info = 0, lda = leading(m);
    invoke(routine, &m, &n, &k, &none, &lda, &none, &answer, &query, &info);
    workSize = setup.size(std::max<int64_t>(workspaceSize(answer), n));
    // LAPACK refuses what is not k <= n <= m.
    bool isTaken = k <= n && n <= m;
    ownElements = isTaken ? ownQrElements<T>(m, n) : 0;
    workBytes = Item::bytesFor<T>(std::max<int64_t>(workSize, ownElements));
    kernels = isTaken ? small_matrices::kernelsFor<T>(setup.batch(), m, n) : nullptr;
    groupBytes = Group::bytesFor<T>(int64_t(m) * n) + Group::bytesFor<T>(k);
  }
  void many(Group &group) const {
    auto *a = group.load<T>(*kernels, 0, int64_t(m) * n), *tau = group.load<T>(*kernels, 1, k);
    kernels->formQ(m, n, k, a, tau);
    group.store<T>(*kernels, 0, int64_t(m) * n, a);
  }
  void one(Item &item, [[maybe_unused]] ThreadPool &pool) const {
    T *a = item.inPlace<T>(0, 0, int64_t(m) * n), *tau = const_cast<T *>(item.operand<T>(1));
    if constexpr (!TypeTraits<T>::isComplex)
      if (ownElements > 0 && allFinite(a, int64_t(m) * k) && allFinite(tau, k))
        return qr::formFactor(pool, m, n, k, a, tau, item.take<T>(ownElements));
    int32_t lda = leading(m), info = 0, count = firstBadReflector(a, tau, m, std::min(k, n));
    bool isWhole = count == std::min(k, n);
    invoke(routine, &m, &n, isWhole ? &k : &count, a, &lda, tau, item.take<T>(workSize), &workSize, &info);
    if (!isWhole) // earlier columns are products of earlier reflectors
      fillWithNaN(a + int64_t(count) * m, int64_t(n - count) * m);
  }
};

// Q or its adjoint times a matrix, from either side.
template <typename T> struct Ormqr {
  static constexpr ElementType type = TypeTraits<T>::type;
  void *routine;
  char side, trans;
  int32_t m, n, k, lda, workSize;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(3, 1);
    m = setup.size(setup.rows(2));
    n = setup.size(setup.columns(2));
    k = setup.size(setup.columns(1));
    side = setup.boolean("left") ? 'L' : 'R';
    trans = !setup.boolean("transpose") ? 'N' : TypeTraits<T>::isComplex ? 'C' : 'T';
    int32_t order = side == 'L' ? m : n;
    setup.expectOperand(0, type, {order, setup.columns(0)});
    setup.expectOperand(1, type, {k});
    setup.expectOperand(2, type, {m, n});
    setup.expectResult(0, type, {m, n});
    lda = leading(order);
    routine = setup.routine(routineName<T>(TypeTraits<T>::isComplex ? "unmqr" : "ormqr"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    int32_t query = -1, info = 0, ldc = leading(m);
    call(&none, &none, &none, ldc, &answer, &query, &info);
    workSize = setup.size(std::max<int64_t>(workspaceSize(answer), std::max(m, n)));
    workBytes = Item::bytesFor<T>(workSize);
  }
  void call(const T *a, const T *tau, T *c, int32_t ldc, T *work, const int32_t *size, int32_t *info) const {
    invoke(routine, (const char *)&side, (const char *)&trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, size, info);
  }
  void one(Item &item) const {
    T *c = item.inPlace<T>(2, 0, int64_t(m) * n);
    const T *a = item.operand<T>(0), *tau = item.operand<T>(1);
    int32_t info = 0, bad = firstBadReflector(a, tau, lda, k);
    T *work = item.take<T>(workSize);
    if (bad == k && !anyNaN(c, int64_t(m) * n)) {
      call(a, tau, c, leading(m), work, &workSize, &info);
      return;
    }
    spreadNaN(a, tau, c, work, bad);
  }
  // A product of the matrix with reflectors from `bad` on is NaN, and so are its columns (rows, from the right) with a
  // NaN. The others that do not depend on it come first: those that the earlier reflectors reach before the bad ones.
  void spreadNaN(const T *a, const T *tau, T *c, T *work, int32_t bad) const {
    bool left = side == 'L', badFirst = left == (trans == 'N');
    std::vector<bool> isBad(size_t(left ? n : m), bad < k && badFirst);
    if (k > 0)
      for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < m; ++i)
          if (T &element = c[int64_t(j) * m + i]; isNaN(element)) {
            isBad[size_t(left ? j : i)] = true;
            element = T(0);
          }
    int32_t info = 0;
    Ormqr first = *this;
    first.k = bad;
    if (bad > 0)
      first.call(a, tau, c, leading(m), work, &workSize, &info);
    for (int32_t j = 0; j < n; ++j)
      for (int32_t i = 0; i < m; ++i)
        if (isBad[size_t(left ? j : i)] || (bad < k && (left ? i : j) >= bad))
          c[int64_t(j) * m + i] = notANumber<T>();
  }
};

template <typename T> struct Trsm {
  static constexpr ElementType type = TypeTraits<T>::type;
  TriangularEquations<T> equations;
  const Kernels<typename TypeTraits<T>::Real> *kernels;
  int64_t workBytes = 0, groupBytes;

  void prepare(Setup &setup) {
    setup.expectCounts(2, 1);
    int32_t m = setup.size(setup.rows(1)), n = setup.size(setup.columns(1));
    char side = setup.letter("side", "LR"), uplo = setup.letter("uplo", "LU"), trans = setup.letter("trans_x", "NTC"),
         diag = setup.letter("diag", "NU");
    equations = {setup.routine(routineName<T>("trsm")), side, uplo, trans, diag, m, n};
    int64_t order = equations.order();
    setup.expectOperand(0, type, {order, order});
    setup.expectOperand(1, type, {m, n});
    setup.expectResult(0, type, {m, n});
    kernels = small_matrices::kernelsFor<T>(setup.batch(), m, n);
    groupBytes = Group::bytesFor<T>(order * order) + Group::bytesFor<T>(int64_t(m) * n);
  }
  void many(Group &group) const {
    const auto &[trsm, side, uplo, trans, diag, m, n] = equations;
    int64_t matrix = equations.order() * equations.order(), sides = m * n;
    auto *a = group.load<T>(*kernels, 0, matrix), *b = group.load<T>(*kernels, 1, sides);
    kernels->solve({side == 'L', uplo == 'L', diag == 'U', trans != 'N', trans == 'C'}, int(m), int(n), a, b);
    group.store<T>(*kernels, 0, sides, b);
  }
  int64_t parts() const { return equations.parts(); }
  void one(Item &item, int64_t part) const {
    equations.solve(part, item.operand<T>(0), item.operand<T>(1), item.result<T>(0));
  }
};

// Diagonals of n elements each; the first below and the last above do not count.
template <typename T> struct Gtsv {
  static constexpr ElementType type = TypeTraits<T>::type;
  void *routine;
  int32_t n, columns;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(4, 5);
    n = setup.size(setup.rows(3));
    columns = setup.size(setup.columns(3));
    for (size_t i = 0; i < 3; ++i) {
      setup.expectOperand(i, type, {n});
      setup.expectResult(i, type, {n});
    }
    setup.expectOperand(3, type, {n, columns});
    setup.expectResult(3, type, {n, columns});
    setup.expectResult(4, kInfo, {});
    routine = setup.routine(routineName<T>("gtsv"));
  }
  void one(Item &item) const {
    T *below = item.inPlace<T>(0, 0, n), *diagonal = item.inPlace<T>(1, 1, n), *above = item.inPlace<T>(2, 2, n);
    T *b = item.inPlace<T>(3, 3, int64_t(n) * columns);
    int32_t ldb = leading(n);
    invoke(routine, &n, &columns, below + 1, diagonal, above, b, &ldb, item.info(4));
  }
};

// A tridiagonal solve that continues when the matrix is singular: pivots too small are replaced by one of the order of
// rounding errors, as inverse iteration needs. Gaussian elimination with exchanges of neighbouring rows.
template <typename T> struct PerturbedSolve {
  static constexpr ElementType type = TypeTraits<T>::type;
  using Real = typename TypeTraits<T>::Real;
  int32_t n, columns;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(4, 1);
    n = setup.size(setup.rows(3));
    columns = setup.size(setup.columns(3));
    for (size_t i = 0; i < 3; ++i)
      setup.expectOperand(i, type, {n});
    setup.expectOperand(3, type, {n, columns});
    setup.expectResult(0, type, {n, columns});
    workBytes = 4 * Item::bytesFor<T>(n) + Item::bytesFor<char>(n);
  }

  void one(Item &item) const {
    const T *below = item.operand<T>(0);
    T *b = item.inPlace<T>(3, 0, int64_t(n) * columns);
    if (n == 0)
      return;
    // U's three diagonals and the multipliers.
    T *u0 = item.take<T>(n), *u1 = item.take<T>(n), *u2 = item.take<T>(n), *factor = item.take<T>(n);
    char *exchanged = item.take<char>(n);
    std::copy_n(item.operand<T>(1), n, u0);
    std::copy_n(item.operand<T>(2), n, u1);
    std::fill_n(u2, n, T(0));
    u1[n - 1] = T(0);
    for (int32_t i = 0; i + 1 < n; ++i) {
      T sub = below[i + 1];
      exchanged[i] = std::abs(sub) > std::abs(u0[i]);
      if (exchanged[i]) {
        factor[i] = u0[i] / sub;
        T nextDiagonal = u0[i + 1], nextAbove = u1[i + 1];
        u0[i + 1] = u1[i] - factor[i] * nextDiagonal;
        u0[i] = sub;
        u1[i] = nextDiagonal;
        u2[i] = nextAbove;
        u1[i + 1] = -factor[i] * nextAbove;
      } else {
        factor[i] = u0[i] == T(0) ? T(0) : sub / u0[i];
        u0[i + 1] -= factor[i] * u1[i];
      }
    }
    Real largest = 0;
    for (int32_t i = 0; i < n; ++i)
      largest = std::max({largest, std::abs(u0[i]), std::abs(u1[i]), std::abs(u2[i])});
    Real tiny = std::max(std::numeric_limits<Real>::epsilon() * largest, std::numeric_limits<Real>::min());
    for (int32_t i = 0; i < n; ++i)
      if (std::abs(u0[i]) < tiny)
        u0[i] = u0[i] == T(0) ? T(tiny) : u0[i] / std::abs(u0[i]) * tiny;
    for (int32_t column = 0; column < columns; ++column, b += n) {
      for (int32_t i = 0; i + 1 < n; ++i) {
        if (exchanged[i])
          std::swap(b[i], b[i + 1]);
        b[i + 1] -= factor[i] * b[i];
      }
      for (int32_t i = n; i-- > 0;) {
        T sum = b[i];
        if (i + 1 < n)
          sum -= u1[i] * b[i + 1];
        if (i + 2 < n)
          sum -= u2[i] * b[i + 2];
        b[i] = sum / u0[i];
      }
    }
  }
};

// The element type is taken from the result, since the target's name does not have it.
StatusOr<std::unique_ptr<RuntimeCallInstance>> makePerturbedSolve(const program::RuntimeCall &runtimeCall) {
  switch (runtimeCall.results.empty() ? ElementType::kInvalid : runtimeCall.results[0].type) {
  case ElementType::kF32:
    return makeRuntimeCall<PerturbedSolve<float>>(runtimeCall);
  case ElementType::kF64:
    return makeRuntimeCall<PerturbedSolve<double>>(runtimeCall);
  case ElementType::kComplexF32:
    return makeRuntimeCall<PerturbedSolve<std::complex<float>>>(runtimeCall);
  case ElementType::kComplexF64:
    return makeRuntimeCall<PerturbedSolve<std::complex<double>>>(runtimeCall);
  default:
    return invalidArgument("expected a result of f32, f64, complex<f32> or complex<f64>");
  }
}

} // namespace

void registerFactorizations(Registrar add) {
  addAllTypes<Potrf>(add, "potrf");
  addAllTypes<Getrf>(add, "getrf");
  addAllTypes<Geqrf>(add, "geqrf");
  addAllTypes<Geqp3>(add, "geqp3");
  addAllTypes<Orgqr>(add, "orgqr", "ungqr");
  addAllTypes<Ormqr>(add, "ormqr", "unmqr");
  addAllTypes<Trsm>(add, "trsm");
  addAllTypes<Gtsv>(add, "gtsv");
  add("tridiagonal_solve_perturbed_ffi", makePerturbedSolve);
}

} // namespace tenon::runtime::lapack
