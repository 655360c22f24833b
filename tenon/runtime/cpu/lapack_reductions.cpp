// Reductions to Hessenberg and tridiagonal form.

#include "tenon/runtime/cpu/lapack_call.h"
#include "tenon/runtime/cpu/lapack_nan.h"

#include <utility>

namespace tenon::runtime::lapack {
namespace {

using program::ElementType;
constexpr ElementType kInfo = ElementType::kI32;

// LAPACK wants leading dimensions of at least one.
int32_t leading(int32_t n) { return std::max(n, 1); }

template <typename T> struct Gehrd {
  static constexpr ElementType type = TypeTraits<T>::type;
  void *routine;
  int32_t n, low, high, workSize;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(1, 3);
    n = setup.size(setup.rows(0));
    setup.expectOperand(0, type, {n, n});
    setup.expectResult(0, type, {n, n});
    setup.expectResult(1, type, {std::max(n - 1, 0)});
    setup.expectResult(2, kInfo, {});
    low = setup.size(setup.integer("low"));
    high = setup.size(setup.integer("high"));
    routine = setup.routine(routineName<T>("gehrd"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    int32_t query = -1, info = 0, lda = leading(n);
    invoke(routine, &n, &low, &high, &none, &lda, &none, &answer, &query, &info);
    workSize = setup.size(std::max<int64_t>(workspaceSize(answer), n));
    workBytes = Item::bytesFor<T>(workSize);
  }
  void one(Item &item) const {
    T *a = item.inPlace<T>(0, 0, int64_t(n) * n);
    int32_t lda = leading(n);
    std::vector<int64_t> places = clearNaN(a, int64_t(n) * n);
    invoke(routine, &n, &low, &high, a, &lda, item.result<T>(1), item.take<T>(workSize), &workSize, item.info(2));
    if (std::any_of(places.begin(), places.end(), [&](int64_t place) { return isReached(place); })) {
      for (int64_t place = 0; place < int64_t(n) * n; ++place)
        if (isReached(place))
          a[place] = notANumber<T>();
      fillWithNaN(item.result<T>(1) + low - 1, high - low);
    }
    for (int64_t place : places)
      a[place] = notANumber<T>();
  }
  // Whether a reflector changes this element: rows and columns low + 1 to high, counted from one, are combined.
  bool isReached(int64_t place) const {
    int64_t i = place % n + 1, j = place / n + 1;
    return (i > low && i <= high && j >= low) || (j > low && j <= high && i <= high);
  }
};

template <typename T> struct Sytrd {
  static constexpr ElementType type = TypeTraits<T>::type;
  using Real = typename TypeTraits<T>::Real;
  void *routine;
  char uplo;
  int32_t n, workSize;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(1, 5);
    n = setup.size(setup.rows(0));
    int64_t less = std::max(n - 1, 0);
    setup.expectOperand(0, type, {n, n});
    setup.expectResult(0, type, {n, n});
    setup.expectResult(1, TypeTraits<Real>::type, {n});
    setup.expectResult(2, TypeTraits<Real>::type, {less});
    setup.expectResult(3, type, {less});
    setup.expectResult(4, kInfo, {});
    uplo = setup.letter("uplo", "LU");
    routine = setup.routine(routineName<T>(TypeTraits<T>::isComplex ? "hetrd" : "sytrd"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    Real real{};
    int32_t query = -1, info = 0, lda = leading(n);
    invoke(routine, (const char *)&uplo, &n, &none, &lda, &real, &real, &none, &answer, &query, &info);
    workSize = setup.size(workspaceSize(answer));
    workBytes = Item::bytesFor<T>(workSize);
  }
  void one(Item &item) const {
    T *a = item.inPlace<T>(0, 0, int64_t(n) * n);
    Real *d = item.result<Real>(1), *e = item.result<Real>(2);
    T *tau = item.result<T>(3);
    int32_t lda = leading(n);
    Triangle<T> triangle{a, n, uplo == 'L'};
    bool isFinite = triangle.isFinite();
    // The corner that no reflector reaches.
    int32_t corner = uplo == 'L' ? 0 : n - 1;
    if (!isFinite && spreadNaN(triangle, corner)) {
      *item.info(4) = 0;
      fillWithNaN(d, n);
      fillWithNaN(e, n - 1);
      fillWithNaN(tau, n - 1);
      d[corner] = std::real(triangle.at(corner, corner));
      return;
    }
    T inCorner = isFinite ? T(0) : std::exchange(triangle.at(corner, corner), T(0));
    invoke(routine, (const char *)&uplo, &n, a, &lda, d, e, tau, item.take<T>(workSize), &workSize, item.info(4));
    if (!isFinite) {
      triangle.at(corner, corner) = inCorner;
      d[corner] = std::real(inCorner);
    }
  }
  // Whether there is a NaN outside of the corner; then all that is there becomes NaN.
  bool spreadNaN(const Triangle<T> &triangle, int32_t corner) const {
    bool found = false;
    auto others = [&](auto visit) {
      for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j <= i; ++j)
          if (i != corner || j != corner)
            visit(triangle.at(i, j));
    };
    others([&](T &element) { found |= isNaN(element); });
    if (found)
      others([](T &element) { element = notANumber<T>(); });
    return found;
  }
};

} // namespace

void registerReductions(Registrar add) {
  addAllTypes<Gehrd>(add, "gehrd");
  addAllTypes<Sytrd>(add, "sytrd", "hetrd");
}

} // namespace tenon::runtime::lapack
