#include "tenon/runtime/cuda/blas_library.h"

#include "tenon/runtime/cuda/device_libraries.h"

#include <algorithm>
#include <complex>

namespace tenon::runtime::cuda {
namespace {

// The least that NVIDIA advises. The library would otherwise allocate in a stream that is captured, which bodies of
// loops cannot have.
constexpr int64_t kWorkspaceBytes = int64_t{4} << 20;

// 1 and 0 in the types of matrixType.
const void *one(size_t type) {
  static constexpr std::complex<float> kSingle = 1;
  static constexpr std::complex<double> kDouble = 1;
  return type % 2 == 0 ? static_cast<const void *>(&kSingle) : &kDouble;
}
const void *zero(size_t) {
  static constexpr std::complex<double> kZero = 0;
  return &kZero;
}

} // namespace

BlasLibrary::~BlasLibrary() {
  if (handle_)
    table_.destroy(handle_);
}

StatusOr<BlasLibrary::Use> BlasLibrary::use(void *stream, DeviceScratch *scratch) {
  std::unique_lock lock(mutex_);
  if (!handle_)
    TENON_RETURN_IF_ERROR(libraryStatus(table_.create(&handle_), "cublasCreate"));
  TENON_RETURN_IF_ERROR(libraryStatus(table_.setStream(handle_, stream), "cublasSetStream"));
  if (scratch) {
    TENON_ASSIGN_OR_RETURN(void *workspace, scratch->allocate(kWorkspaceBytes));
    TENON_RETURN_IF_ERROR(
        libraryStatus(table_.setWorkspace(handle_, workspace, size_t(kWorkspaceBytes)), "cublasSetWorkspace"));
  }
  return Use(std::move(lock), table_, handle_);
}

Status BlasLibrary::Use::copy(bool isDouble, int64_t count, const void *from, void *to) const {
  return libraryStatus(table_->copy[isDouble](handle_, count, from, 1, to, 1), "cublasCopy");
}

Status BlasLibrary::Use::scale(bool isDouble, int64_t count, double factor, void *numbers) const {
  const auto single = float(factor);
  const void *by = isDouble ? static_cast<const void *>(&factor) : &single;
  return libraryStatus(table_->scale[isDouble](handle_, count, by, numbers, 1), "cublasScal");
}

Status BlasLibrary::Use::transpose(size_t type, int64_t rows, int64_t columns, const void *from, void *to) const {
  return libraryStatus(table_->add[type](handle_, kTranspose, kNoTranspose, columns, rows, one(type), from, rows,
                                         zero(type), to, columns, to, columns),
                       "cublasGeam");
}

Status BlasLibrary::Use::solve(size_t type, int side, int fill, int op, int diagonal, int64_t rows, int64_t columns,
                               const void *a, void *b) const {
  return libraryStatus(table_->solve[type](handle_, side, fill, op, diagonal, rows, columns, one(type), a,
                                           std::max<int64_t>(side == kLeft ? rows : columns, 1), b,
                                           std::max<int64_t>(rows, 1)),
                       "cublasTrsm");
}

} // namespace tenon::runtime::cuda
