#include "tenon/runtime/cpu/linear_algebra.h"

#include "tenon/runtime/core/call_memory.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/cholesky/cholesky.h"
#include "tenon/runtime/cpu/lapack_nan.h"
#include "tenon/runtime/cpu/small_matrices/group.h"
#include "tenon/runtime/cpu/triangular.h"

#include <cmath>
#include <complex>
#include <limits>

namespace tenon::runtime {
namespace {

using program::AttributeDict;

using lapack::TypeTraits;
using program::ElementType;
using program::Shape;
using small_matrices::Group;

template <typename T> T conjugate(T x) {
  if constexpr (TypeTraits<T>::isComplex)
    return std::conj(x);
  else
    return x;
}

// Row-major, in place; reads and writes one triangle. False if a pivot is not positive. For complex matrices where
// there is no library.
template <typename T> bool factorLower(T *a, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      T sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k)
        sum -= a[i * n + k] * conjugate(a[j * n + k]);
      if (i != j)
        a[i * n + j] = sum / a[j * n + j];
      else if (std::real(sum) > 0)
        a[i * n + i] = std::sqrt(std::real(sum));
      else
        return false;
    }
  return true;
}

template <typename T> bool factorUpper(T *a, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    if (!(std::real(a[k * n + k]) > 0))
      return false;
    auto pivot = std::sqrt(std::real(a[k * n + k]));
    a[k * n + k] = pivot;
    for (int64_t j = k + 1; j < n; ++j)
      a[k * n + j] /= pivot;
    for (int64_t i = k + 1; i < n; ++i)
      for (int64_t j = i; j < n; ++j)
        a[i * n + j] -= conjugate(a[k * n + i]) * a[k * n + j];
  }
  return true;
}

template <typename T> class Cholesky final : public RuntimeCallInstance {
public:
  Cholesky(int64_t batch, int64_t n, bool lower, void *potrf)
      : batch_(batch), n_(n), lower_(lower), potrf_(potrf), kernels_(small_matrices::kernelsFor<T>(batch, n, n)) {
    if constexpr (!TypeTraits<T>::isComplex)
      workElements_ = cholesky::workElements<T>(n);
  }

  Status call(const CallBuffers &call) override {
    if (kernels_)
      return small_matrices::forEachGroup(call, batch_, kernels_->lanes, Group::bytesFor<T>(n_ * n_),
                                          [&](Group &group) { many(group); });
    const T *in = static_cast<const T *>(call.operands[0]);
    T *out = static_cast<T *>(call.results[0]);
    CallMemory work(size_t(workElements_) * sizeof(T) * size_t(batch_ > 1 ? call.pool.size() : 1));
    if (!work)
      return Status(StatusCode::kResourceExhausted, "out of memory");
    call.pool.parallelFor(batch_, [&](int64_t begin, int64_t end, int worker) {
      for (int64_t b = begin; b < end; ++b)
        one(call.pool, in + b * n_ * n_, out + b * n_ * n_,
            reinterpret_cast<T *>(work.data()) + workElements_ * worker);
    });
    return {};
  }

private:
  using Real = typename TypeTraits<T>::Real;

  void many(Group &group) const {
    int64_t elements = n_ * n_;
    Real *a = group.load<T>(*kernels_, 0, elements);
    int32_t info[small_matrices::kMaxLanes];
    kernels_->cholesky(int(n_), !lower_, a, info); // of the transposes
    group.store<T>(*kernels_, 0, elements, a);
    for (int l = 0; l < group.count(); ++l) {
      T *out = group.result<T>(0, elements) + l * elements;
      keepTriangle(out, out);
      if (info[l] != 0)
        fillWithNaN(out);
    }
  }

  void one(ThreadPool &pool, const T *in, T *out, T *work) const {
    keepTriangle(in, out);
    if (!factor(pool, out, work))
      fillWithNaN(out);
  }

  void keepTriangle(const T *in, T *out) const {
    for (int64_t i = 0; i < n_; ++i)
      for (int64_t j = 0; j < n_; ++j)
        out[i * n_ + j] = (lower_ ? j <= i : j >= i) ? in[i * n_ + j] : T(0);
  }

  void fillWithNaN(T *out) const {
    constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (int64_t i = 0; i < n_ * n_; ++i) {
      if constexpr (TypeTraits<T>::isComplex)
        out[i] = {nan, nan};
      else
        out[i] = nan;
    }
  }

  bool factor(ThreadPool &pool, T *a, T *work) const {
    if constexpr (!TypeTraits<T>::isComplex)
      return cholesky::factor(pool, !lower_, n_, a, n_, work) == 0; // of the transpose
    else
      return factorComplex(a);
  }

  bool factorComplex(T *a) const {
    if (!potrf_)
      return lower_ ? factorLower(a, n_) : factorUpper(a, n_);
    if (lapack::anyNaN(a, n_ * n_)) // which the library may lose
      return false;
    char uplo = lower_ ? 'U' : 'L';
    int32_t n = int32_t(n_), lda = std::max(n, 1), info = 0;
    lapack::invoke(potrf_, (const char *)&uplo, &n, a, &lda, &info);
    // LAPACK lets NaN through on the diagonal.
    for (int64_t i = 0; i < n_ && info == 0; ++i)
      info = !(std::real(a[i * n_ + i]) > 0);
    return info == 0;
  }

  int64_t batch_, n_;
  bool lower_;
  void *potrf_;
  int64_t workElements_ = 0;
  const small_matrices::Kernels<Real> *kernels_;
};

enum class Transpose { kNone, kTranspose, kAdjoint };

struct SolveForm {
  bool left, lower, unit;
  Transpose transpose;
};

template <typename T> class TriangularSolve final : public RuntimeCallInstance {
public:
  TriangularSolve(int64_t batch, int64_t rows, int64_t columns, SolveForm form, void *trsm)
      : batch_(batch), rows_(rows), columns_(columns), order_(form.left ? rows : columns), form_(form), trsm_(trsm),
        kernels_(small_matrices::kernelsFor<T>(batch, rows, columns)) {}

  Status call(const CallBuffers &call) override {
    if (kernels_)
      return small_matrices::forEachGroup(call, batch_, kernels_->lanes,
                                          Group::bytesFor<T>(order_ * order_) + Group::bytesFor<T>(rows_ * columns_),
                                          [&](Group &group) { many(group); });
    const T *a = static_cast<const T *>(call.operands[0]), *b = static_cast<const T *>(call.operands[1]);
    T *x = static_cast<T *>(call.results[0]);
    int64_t matrix = order_ * order_, sides = rows_ * columns_;
    lapack::TriangularEquations<T> equations = columnMajor();
    int64_t parts = equations.parts();
    call.pool.parallelFor(batch_ * parts, [&](int64_t begin, int64_t end, int) {
      for (int64_t task = begin; task < end; ++task) {
        int64_t i = task / parts;
        equations.solve(task % parts, a + i * matrix, b + i * sides, x + i * sides);
      }
    });
    return {};
  }

private:
  // Row-major matrices are the transposes of what the kernels see, and so are the equations.
  void many(Group &group) const {
    auto *a = group.load<T>(*kernels_, 0, order_ * order_), *x = group.load<T>(*kernels_, 1, rows_ * columns_);
    small_matrices::SolveForm form = {!form_.left, !form_.lower, form_.unit, form_.transpose != Transpose::kNone,
                                      form_.transpose == Transpose::kAdjoint};
    kernels_->solve(form, int(columns_), int(rows_), a, x);
    group.store<T>(*kernels_, 0, rows_ * columns_, x);
  }

  lapack::TriangularEquations<T> columnMajor() const {
    char trans = form_.transpose == Transpose::kNone ? 'N' : form_.transpose == Transpose::kTranspose ? 'T' : 'C';
    return {trsm_, form_.left ? 'R' : 'L', form_.lower ? 'U' : 'L', trans, form_.unit ? 'U' : 'N', columns_, rows_};
  }

  int64_t batch_, rows_, columns_, order_;
  SolveForm form_;
  void *trsm_;
  const small_matrices::Kernels<typename TypeTraits<T>::Real> *kernels_;
};

// Calls `make` with a value of the element's type.
template <typename F> StatusOr<std::unique_ptr<RuntimeCallInstance>> withType(const Shape &shape, F make) {
  switch (shape.type) {
  case ElementType::kF32:
    return make(float());
  case ElementType::kF64:
    return make(double());
  case ElementType::kComplexF32:
    return make(std::complex<float>());
  case ElementType::kComplexF64:
    return make(std::complex<double>());
  default:
    return unimplemented("matrices of " + shape.toString());
  }
}

template <typename T> void *routine(const LapackLibrary *library, const char *name, const Shape &shape) {
  for (int64_t dim : shape.dims)
    if (dim > std::numeric_limits<int32_t>::max())
      return nullptr;
  return library ? library->find(TypeTraits<T>::letter + std::string(name)) : nullptr;
}

int64_t batchOf(const Shape &shape) {
  int64_t batch = 1;
  for (size_t i = 0; i + 2 < shape.dims.size(); ++i)
    batch *= shape.dims[i];
  return batch;
}

bool isSquare(const Shape &shape) {
  return shape.dims.size() >= 2 && shape.dims.back() == shape.dims[shape.dims.size() - 2];
}

StatusOr<Transpose> parseTranspose(const AttributeDict &attributes) {
  TENON_ASSIGN_OR_RETURN(std::string text, stringAttribute(attributes, "transpose_a"));
  if (text == "NO_TRANSPOSE")
    return Transpose::kNone;
  if (text == "ADJOINT")
    return Transpose::kAdjoint;
  if (text == "TRANSPOSE")
    return Transpose::kTranspose;
  return invalidArgument("attribute 'transpose_a' is unknown: " + text);
}

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeCholesky(const program::RuntimeCall &runtimeCall,
                                                            const LapackLibrary *library) {
  const AttributeDict &attributes = runtimeCall.attributes;
  bool lower = false; // as the specification has it
  if (findAttribute(attributes, "lower")) {
    TENON_ASSIGN_OR_RETURN(lower, booleanAttribute(attributes, "lower"));
  }
  if (runtimeCall.operands.size() != 1 || runtimeCall.results.size() != 1 ||
      runtimeCall.operands[0] != runtimeCall.results[0] || !isSquare(runtimeCall.operands[0]))
    return invalidArgument("cholesky takes square matrices and gives matrices of the same shape");
  const Shape &shape = runtimeCall.operands[0];
  return withType(shape, [&](auto zero) -> StatusOr<std::unique_ptr<RuntimeCallInstance>> {
    using T = decltype(zero);
    return std::unique_ptr<RuntimeCallInstance>(
        std::make_unique<Cholesky<T>>(batchOf(shape), shape.dims.back(), lower, routine<T>(library, "potrf", shape)));
  });
}

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeTriangularSolve(const program::RuntimeCall &runtimeCall,
                                                                   const LapackLibrary *library) {
  const AttributeDict &attributes = runtimeCall.attributes;
  SolveForm form = {};
  for (auto [name, value] : {std::pair<const char *, bool *>("left_side", &form.left),
                             {"lower", &form.lower},
                             {"unit_diagonal", &form.unit}}) {
    TENON_ASSIGN_OR_RETURN(bool parsed, booleanAttribute(attributes, name));
    *value = parsed;
  }
  TENON_ASSIGN_OR_RETURN(form.transpose, parseTranspose(attributes));
  if (runtimeCall.operands.size() != 2 || runtimeCall.results.size() != 1 ||
      runtimeCall.operands[1] != runtimeCall.results[0] || !isSquare(runtimeCall.operands[0]) ||
      runtimeCall.operands[1].dims.size() != runtimeCall.operands[0].dims.size())
    return invalidArgument("triangular_solve takes square matrices and right-hand sides of the same rank");
  const Shape &a = runtimeCall.operands[0], &b = runtimeCall.operands[1];
  int64_t rows = b.dims[b.dims.size() - 2], columns = b.dims.back();
  if (a.type != b.type || a.dims.back() != (form.left ? rows : columns) || batchOf(a) != batchOf(b))
    return invalidArgument("triangular_solve: " + a.toString() + " and " + b.toString() + " do not fit together");
  return withType(a, [&](auto zero) -> StatusOr<std::unique_ptr<RuntimeCallInstance>> {
    using T = decltype(zero);
    return std::unique_ptr<RuntimeCallInstance>(
        std::make_unique<TriangularSolve<T>>(batchOf(a), rows, columns, form, routine<T>(library, "trsm", b)));
  });
}

} // namespace tenon::runtime
