// Eigenvalues, singular values and Schur forms.
//
// LAPACK's iterations do not promise to end on NaN or infinity, so matrices that contain them are reported as failed
// (info = -4, as LAPACK's own checks do) without a call; JAX then fills the results with NaN.

#include "tenon/runtime/cpu/lapack_call.h"
#include "tenon/runtime/cpu/lapack_nan.h"

#include <cstring>

namespace tenon::runtime::lapack {
namespace {

using program::ElementType;
using small_matrices::Group;
using small_matrices::Kernels;
using small_matrices::kMaxLanes;
constexpr ElementType kInfo = ElementType::kI32;
constexpr int32_t kNotFinite = -4;

int32_t leading(int32_t n) { return std::max(n, 1); }

// Finds out which matrices of a group, as they are in operand 0, have only finite elements.
template <typename T> void findFinite(const Group &group, int64_t elements, bool *finite) {
  for (int l = 0; l < group.count(); ++l)
    finite[l] = allFinite(group.operand<T>(0, elements) + l * elements, elements);
}

void storeInfo(const Group &group, int lanes, size_t result, int32_t *info, const bool *finite) {
  for (int l = 0; l < group.count(); ++l)
    info[l] = finite[l] ? info[l] : kNotFinite;
  group.storeIntegers(lanes, result, 1, info);
}

// Results: eigenvectors (or what is left of the matrix), eigenvalues, info.
template <typename T> struct Syevd {
  static constexpr ElementType type = TypeTraits<T>::type;
  using Real = typename TypeTraits<T>::Real;
  void *routine;
  const Kernels<Real> *kernels;
  char mode, uplo;
  int32_t n, workSize, realSize = 1, integerSize;
  int64_t workBytes = 0, groupBytes;

  void prepare(Setup &setup) {
    setup.expectCounts(1, 3);
    n = setup.size(setup.rows(0));
    setup.expectOperand(0, type, {n, n});
    setup.expectResult(0, type, {n, n});
    setup.expectResult(1, TypeTraits<Real>::type, {n});
    setup.expectResult(2, kInfo, {});
    mode = setup.letter("mode", "NV");
    uplo = setup.letter("uplo", "LU");
    routine = setup.routine(routineName<T>(TypeTraits<T>::isComplex ? "heevd" : "syevd"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    Real realAnswer{}, w{};
    int32_t query = -1, integerAnswer = 0, info = 0;
    call(&none, &w, &answer, query, &realAnswer, query, &integerAnswer, query, &info);
    workSize = setup.size(workspaceSize(answer));
    realSize = setup.size(workspaceSize(realAnswer));
    integerSize = std::max(integerAnswer, 1);
    workBytes = Item::bytesFor<T>(workSize) + Item::bytesFor<Real>(realSize) + Item::bytesFor<int32_t>(integerSize);
    kernels = small_matrices::kernelsFor<T>(setup.batch(), n, n);
    groupBytes = 2 * Group::bytesFor<T>(int64_t(n) * n) + Group::bytesFor<Real>(n);
  }
  void many(Group &group) const {
    int64_t elements = int64_t(n) * n;
    bool finite[kMaxLanes];
    findFinite<T>(group, elements, finite);
    auto *a = group.load<T>(*kernels, 0, elements), *work = group.block<T>(elements);
    Real *w = group.block<Real>(n);
    int32_t info[kMaxLanes];
    kernels->eigh(n, uplo == 'L', mode == 'V', a, w, work, info);
    group.store<T>(*kernels, 0, elements, a);
    group.store<Real>(*kernels, 1, n, w);
    storeInfo(group, kernels->lanes, 2, info, finite);
  }
  void call(T *a, Real *w, T *work, int32_t workCount, Real *realWork, int32_t realCount, int32_t *integers,
            int32_t integerCount, int32_t *info) const {
    int32_t lda = leading(n);
    if constexpr (TypeTraits<T>::isComplex)
      invoke(routine, (const char *)&mode, (const char *)&uplo, &n, a, &lda, w, work, &workCount, realWork, &realCount,
             integers, &integerCount, info);
    else
      invoke(routine, (const char *)&mode, (const char *)&uplo, &n, a, &lda, w, work, &workCount, integers,
             &integerCount, info);
  }
  void one(Item &item) const {
    T *a = item.inPlace<T>(0, 0, int64_t(n) * n);
    if (!allFinite(a, int64_t(n) * n)) {
      *item.info(2) = kNotFinite;
      return;
    }
    T *work = item.take<T>(workSize);
    Real *realWork = item.take<Real>(realSize);
    call(a, item.result<Real>(1), work, workSize, realWork, realSize, item.take<int32_t>(integerSize), integerSize,
         item.info(2));
  }
};

// Results: what is left of the matrix, singular values, U, V adjoint, info. `mode`: all columns, the first min(m, n) or
// none.
template <typename T> struct SvdShape {
  static constexpr ElementType type = TypeTraits<T>::type;
  using Real = typename TypeTraits<T>::Real;
  const Kernels<Real> *kernels;
  char mode;
  int32_t m, n, k, ldu, ldvt;
  int64_t groupBytes;

  void prepareShape(Setup &setup) {
    setup.expectCounts(1, 5);
    m = setup.size(setup.rows(0));
    n = setup.size(setup.columns(0));
    k = std::min(m, n);
    mode = setup.letter("mode", "ASN");
    setup.expectOperand(0, type, {m, n});
    setup.expectResult(0, type, {m, n});
    setup.expectResult(1, TypeTraits<Real>::type, {k});
    if (mode != 'N') {
      setup.expectResult(2, type, {m, mode == 'A' ? m : k});
      setup.expectResult(3, type, {mode == 'A' ? n : k, n});
    }
    setup.expectResult(4, kInfo, {});
    ldu = leading(m);
    ldvt = leading(mode == 'A' ? n : k);
    kernels = small_matrices::kernelsFor<T>(setup.batch(), m, n);
    groupBytes = Group::bytesFor<T>(int64_t(m) * n) + Group::bytesFor<Real>(k) + Group::bytesFor<T>(leftSize()) +
                 Group::bytesFor<T>(rightSize()) + Group::bytesFor<T>(small_matrices::svdWork(m, n));
  }
  int64_t leftSize() const { return int64_t(m) * (mode == 'A' ? m : k); }
  int64_t rightSize() const { return int64_t(mode == 'A' ? n : k) * n; }

  void many(Group &group) const {
    int64_t elements = int64_t(m) * n;
    bool finite[kMaxLanes];
    findFinite<T>(group, elements, finite);
    auto *a = group.load<T>(*kernels, 0, elements), *u = group.block<T>(leftSize()), *vt = group.block<T>(rightSize());
    Real *s = group.block<Real>(k), *work = group.block<T>(small_matrices::svdWork(m, n));
    int32_t info[kMaxLanes];
    kernels->svd(m, n, mode != 'N', mode == 'A', a, s, u, vt, work, info);
    group.store<T>(*kernels, 0, elements, a);
    group.store<Real>(*kernels, 1, k, s);
    if (mode != 'N') {
      group.store<T>(*kernels, 2, leftSize(), u);
      group.store<T>(*kernels, 3, rightSize(), vt);
    }
    storeInfo(group, kernels->lanes, 4, info, finite);
  }
};

template <typename T> struct Gesdd : SvdShape<T> {
  using Real = typename TypeTraits<T>::Real;
  using SvdShape<T>::m;
  using SvdShape<T>::n;
  using SvdShape<T>::k;
  using SvdShape<T>::mode;
  void *routine;
  int32_t workSize;
  int64_t realSize = 1, workBytes = 0;

  void prepare(Setup &setup) {
    this->prepareShape(setup);
    routine = setup.routine(routineName<T>("gesdd"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    Real real{};
    int32_t integer = 0, info = 0;
    call(&none, &real, &none, &none, &answer, -1, &real, &integer, &info);
    workSize = setup.size(workspaceSize(answer));
    // LAPACK gives this size only in its documentation.
    int64_t small = k, large = std::max(m, n);
    realSize = !TypeTraits<T>::isComplex ? 1
               : mode == 'N' ? 7 * small
                             : std::max(5 * small * small + 5 * small, 2 * large * small + 2 * small * small + small);
    workBytes = Item::bytesFor<T>(workSize) + Item::bytesFor<Real>(realSize) + Item::bytesFor<int32_t>(8 * small);
  }
  void call(T *a, Real *s, T *u, T *vt, T *work, int32_t workCount, Real *realWork, int32_t *integers,
            int32_t *info) const {
    int32_t lda = leading(m);
    if constexpr (TypeTraits<T>::isComplex)
      invoke(routine, (const char *)&mode, &m, &n, a, &lda, s, u, &this->ldu, vt, &this->ldvt, work, &workCount,
             realWork, integers, info);
    else
      invoke(routine, (const char *)&mode, &m, &n, a, &lda, s, u, &this->ldu, vt, &this->ldvt, work, &workCount,
             integers, info);
  }
  void one(Item &item) const {
    T *a = item.template inPlace<T>(0, 0, int64_t(m) * n);
    if (!allFinite(a, int64_t(m) * n)) {
      *item.info(4) = kNotFinite;
      return;
    }
    T *work = item.template take<T>(workSize);
    Real *realWork = item.template take<Real>(realSize);
    call(a, item.template result<Real>(1), item.template result<T>(2), item.template result<T>(3), work, workSize,
         realWork, item.template take<int32_t>(8 * int64_t(k)), item.info(4));
  }
};

template <typename T> struct Gesvd : SvdShape<T> {
  using Real = typename TypeTraits<T>::Real;
  using SvdShape<T>::m;
  using SvdShape<T>::n;
  using SvdShape<T>::k;
  using SvdShape<T>::mode;
  void *routine;
  int32_t workSize;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    this->prepareShape(setup);
    routine = setup.routine(routineName<T>("gesvd"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    Real real{};
    int32_t info = 0;
    call(&none, &real, &none, &none, &answer, -1, &real, &info);
    workSize = setup.size(workspaceSize(answer));
    workBytes = Item::bytesFor<T>(workSize) + Item::bytesFor<Real>(5 * int64_t(k));
  }
  void call(T *a, Real *s, T *u, T *vt, T *work, int32_t workCount, Real *realWork, int32_t *info) const {
    int32_t lda = leading(m);
    if constexpr (TypeTraits<T>::isComplex)
      invoke(routine, (const char *)&mode, (const char *)&mode, &m, &n, a, &lda, s, u, &this->ldu, vt, &this->ldvt,
             work, &workCount, realWork, info);
    else
      invoke(routine, (const char *)&mode, (const char *)&mode, &m, &n, a, &lda, s, u, &this->ldu, vt, &this->ldvt,
             work, &workCount, info);
  }
  void one(Item &item) const {
    T *a = item.template inPlace<T>(0, 0, int64_t(m) * n);
    if (!allFinite(a, int64_t(m) * n)) {
      *item.info(4) = kNotFinite;
      return;
    }
    T *work = item.template take<T>(workSize);
    call(a, item.template result<Real>(1), item.template result<T>(2), item.template result<T>(3), work, workSize,
         item.template take<Real>(5 * int64_t(k)), item.info(4));
  }
};

// Results: eigenvalues (real and imaginary parts apart for real matrices), left and right eigenvectors (complex), info.
template <typename T> struct Geev {
  static constexpr ElementType type = TypeTraits<T>::type;
  using Real = typename TypeTraits<T>::Real;
  using Complex = std::complex<Real>;
  static constexpr bool isComplex = TypeTraits<T>::isComplex;
  static constexpr size_t kVectors = isComplex ? 1 : 2; // the result that holds the left eigenvectors
  void *routine;
  char left, right;
  int32_t n, workSize;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(1, kVectors + 3);
    n = setup.size(setup.rows(0));
    setup.expectOperand(0, type, {n, n});
    for (size_t i = 0; i < kVectors; ++i)
      setup.expectResult(i, type, {n});
    setup.expectResult(kVectors, TypeTraits<Complex>::type, {n, n});
    setup.expectResult(kVectors + 1, TypeTraits<Complex>::type, {n, n});
    setup.expectResult(kVectors + 2, kInfo, {});
    left = setup.letter("compute_left", "NV");
    right = setup.letter("compute_right", "NV");
    routine = setup.routine(routineName<T>("geev"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    Real real{};
    int32_t info = 0;
    call(&none, &none, &none, &none, &none, &answer, -1, &real, &info);
    workSize = setup.size(std::max<int64_t>(workspaceSize(answer), 4 * int64_t(n)));
    int64_t matrix = int64_t(n) * n;
    workBytes = Item::bytesFor<T>(workSize) + Item::bytesFor<Real>(2 * int64_t(n)) + 3 * Item::bytesFor<T>(matrix);
  }
  void call(T *a, T *w0, T *w1, T *vl, T *vr, T *work, int32_t workCount, Real *realWork, int32_t *info) const {
    int32_t ld = leading(n);
    if constexpr (isComplex)
      invoke(routine, (const char *)&left, (const char *)&right, &n, a, &ld, w0, vl, &ld, vr, &ld, work, &workCount,
             realWork, info);
    else
      invoke(routine, (const char *)&left, (const char *)&right, &n, a, &ld, w0, w1, vl, &ld, vr, &ld, work, &workCount,
             info);
  }
  // A conjugate pair of eigenvalues has its vector's real and imaginary parts in two columns.
  void unpack(const T *from, const T *imaginary, Complex *to) const {
    for (int32_t j = 0; j < n;) {
      if (imaginary[j] == 0 || j + 1 == n) {
        for (int32_t i = 0; i < n; ++i)
          to[int64_t(j) * n + i] = std::real(from[int64_t(j) * n + i]);
        ++j;
        continue;
      }
      for (int32_t i = 0; i < n; ++i) {
        Complex value(std::real(from[int64_t(j) * n + i]), std::real(from[int64_t(j + 1) * n + i]));
        to[int64_t(j) * n + i] = value;
        to[int64_t(j + 1) * n + i] = std::conj(value);
      }
      j += 2;
    }
  }
  void one(Item &item) const {
    int64_t matrix = int64_t(n) * n;
    int32_t *info = item.info(kVectors + 2);
    T *a = item.take<T>(matrix), *vl = item.take<T>(matrix), *vr = item.take<T>(matrix), *work = item.take<T>(workSize);
    Real *realWork = item.take<Real>(2 * int64_t(n));
    std::copy_n(item.operand<T>(0), matrix, a);
    if (!allFinite(a, matrix)) {
      *info = kNotFinite;
      return;
    }
    Complex *leftOut = item.result<Complex>(kVectors), *rightOut = item.result<Complex>(kVectors + 1);
    if constexpr (isComplex) {
      call(a, item.result<T>(0), nullptr, leftOut, rightOut, work, workSize, realWork, info);
    } else {
      T *imaginary = item.result<T>(1);
      call(a, item.result<T>(0), imaginary, vl, vr, work, workSize, realWork, info);
      if (*info != 0)
        return;
      if (left == 'V')
        unpack(vl, imaginary, leftOut);
      if (right == 'V')
        unpack(vr, imaginary, rightOut);
    }
  }
};

// Results: the Schur form, its vectors, eigenvalues (apart for real matrices), the number of selected ones, info.
template <typename T> struct Gees {
  static constexpr ElementType type = TypeTraits<T>::type;
  using Real = typename TypeTraits<T>::Real;
  static constexpr bool isComplex = TypeTraits<T>::isComplex;
  static constexpr size_t kSelected = isComplex ? 3 : 4;
  void *routine;
  char mode, sort;
  int32_t n, workSize;
  int64_t workBytes = 0;

  void prepare(Setup &setup) {
    setup.expectCounts(1, kSelected + 2);
    n = setup.size(setup.rows(0));
    setup.expectOperand(0, type, {n, n});
    setup.expectResult(0, type, {n, n});
    setup.expectResult(1, type, {n, n});
    for (size_t i = 2; i < kSelected; ++i)
      setup.expectResult(i, type, {n});
    setup.expectResult(kSelected, ElementType::kI32, {});
    setup.expectResult(kSelected + 1, kInfo, {});
    mode = setup.letter("mode", "NV");
    sort = setup.letter("sort", "N"); // sorting needs a callback, which nothing can express
    routine = setup.routine(routineName<T>("gees"));
    if (!setup.status().ok())
      return;
    T answer{}, none{};
    Real real{};
    int32_t selected = 0, info = 0;
    call(&none, &selected, &none, &none, &none, &answer, -1, &real, &info);
    workSize = setup.size(std::max<int64_t>(workspaceSize(answer), 3 * int64_t(n)));
    workBytes = Item::bytesFor<T>(workSize) + Item::bytesFor<Real>(n);
  }
  void call(T *a, int32_t *selected, T *w0, T *w1, T *vectors, T *work, int32_t workCount, Real *realWork,
            int32_t *info) const {
    int32_t ld = leading(n);
    void *select = nullptr;
    int32_t *flags = nullptr;
    if constexpr (isComplex)
      invoke(routine, (const char *)&mode, (const char *)&sort, select, &n, a, &ld, selected, w0, vectors, &ld, work,
             &workCount, realWork, flags, info);
    else
      invoke(routine, (const char *)&mode, (const char *)&sort, select, &n, a, &ld, selected, w0, w1, vectors, &ld,
             work, &workCount, flags, info);
  }
  void one(Item &item) const {
    T *a = item.inPlace<T>(0, 0, int64_t(n) * n);
    int32_t *info = item.info(kSelected + 1), *selected = item.result<int32_t>(kSelected);
    *selected = 0;
    if (!allFinite(a, int64_t(n) * n)) {
      *info = kNotFinite;
      return;
    }
    T *work = item.take<T>(workSize);
    call(a, selected, item.result<T>(2), isComplex ? nullptr : item.result<T>(3), item.result<T>(1), work, workSize,
         item.take<Real>(n), info);
  }
};

} // namespace

void registerSpectral(Registrar add) {
  addAllTypes<Syevd>(add, "syevd", "heevd");
  addAllTypes<Gesdd>(add, "gesdd");
  addAllTypes<Gesvd>(add, "gesvd");
  addAllTypes<Geev>(add, "geev");
  addAllTypes<Gees>(add, "gees");
}

} // namespace tenon::runtime::lapack
