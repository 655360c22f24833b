// What NVIDIA's libraries do of a program: runtime calls that they make in the device's memory. They are opened where
// they are there; their functions that we use are declared by ourselves, as the driver's (driver.h), and kept in tables
// which tests fill by themselves.
#pragma once

#include "tenon/runtime/core/device_call.h"
#include "tenon/runtime/cuda/blas_library.h"
#include "tenon/runtime/cuda/convolution_library.h"
#include "tenon/runtime/cuda/product_library.h"
#include "tenon/status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tenon::runtime::cuda {

// cuSOLVER's dense routines (libcusolver), for column-major matrices. Functions return 0 when they have done what was
// asked. `info` is on the device.
struct SolverTable {
  template <typename Function> using OfTypes = std::array<Function, kMatrixTypes>; // by matrixType

  int (*create)(void **handle) = nullptr;
  int (*destroy)(void *handle) = nullptr;
  int (*setStream)(void *handle, void *stream) = nullptr;
  int (*createParams)(void **params) = nullptr;
  int (*destroyParams)(void *params) = nullptr;
  // The Cholesky factor, in place of the triangle that `fill` says (0: lower, 1: upper).
  int (*potrfSizes)(void *handle, void *params, int fill, int64_t n, int type, const void *a, int64_t lda,
                    int computeType, size_t *deviceBytes, size_t *hostBytes) = nullptr;
  int (*potrf)(void *handle, void *params, int fill, int64_t n, int type, void *a, int64_t lda, int computeType,
               void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes, int *info) = nullptr;
  // LU, QR and the columns of Q; memory in elements.
  OfTypes<int (*)(void *handle, int m, int n, void *a, int lda, int *elements)> getrfSize = {}, geqrfSize = {};
  OfTypes<int (*)(void *handle, int m, int n, void *a, int lda, void *work, int *pivots, int *info)> getrf = {};
  OfTypes<int (*)(void *handle, int m, int n, void *a, int lda, void *tau, void *work, int elements, int *info)> geqrf =
      {};
  OfTypes<int (*)(void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *elements)>
      orgqrSize = {};
  OfTypes<int (*)(void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work, int elements,
                  int *info)>
      orgqr = {};
  // Eigenvalues of a symmetric matrix, and with mode 1 its eigenvectors in its place.
  int (*syevdSizes)(void *handle, void *params, int mode, int fill, int64_t n, int type, const void *a, int64_t lda,
                    int valueType, const void *values, int computeType, size_t *deviceBytes,
                    size_t *hostBytes) = nullptr;
  int (*syevd)(void *handle, void *params, int mode, int fill, int64_t n, int type, void *a, int64_t lda, int valueType,
               void *values, int computeType, void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes,
               int *info) = nullptr;
  // Singular values, U and the adjoint of V; m >= n.
  int (*gesvdSizes)(void *handle, void *params, signed char leftMode, signed char rightMode, int64_t m, int64_t n,
                    int type, const void *a, int64_t lda, int valueType, const void *values, int leftType,
                    const void *left, int64_t ldu, int rightType, const void *right, int64_t ldv, int computeType,
                    size_t *deviceBytes, size_t *hostBytes) = nullptr;
  int (*gesvd)(void *handle, void *params, signed char leftMode, signed char rightMode, int64_t m, int64_t n, int type,
               void *a, int64_t lda, int valueType, void *values, int leftType, void *left, int64_t ldu, int rightType,
               void *right, int64_t ldv, int computeType, void *deviceWork, size_t deviceBytes, void *hostWork,
               size_t hostBytes, int *info) = nullptr;
};

// cuFFT (libcufft).
struct FourierTable {
  int (*planMany)(int *plan, int rank, int *lengths, int *inEmbed, int inStride, int inDistance, int *outEmbed,
                  int outStride, int outDistance, int type, int batch) = nullptr;
  int (*destroy)(int plan) = nullptr;
  int (*setStream)(int plan, void *stream) = nullptr;
  int (*complexSingle)(int plan, void *in, void *out, int direction) = nullptr;
  int (*complexDouble)(int plan, void *in, void *out, int direction) = nullptr;
  int (*realSingle)(int plan, void *in, void *out) = nullptr;
  int (*realDouble)(int plan, void *in, void *out) = nullptr;
  int (*toRealSingle)(int plan, void *in, void *out) = nullptr;
  int (*toRealDouble)(int plan, void *in, void *out) = nullptr;
};

// Whether the host takes less time for a batch of matrices, copies included, than it takes to start work for each.
constexpr bool isForHost(int64_t batch, int64_t order) {
  constexpr int64_t kMostMatrices = 8, kLeastOrder = 32;
  return batch > kMostMatrices && order < kLeastOrder;
}

// The libraries of a device.
struct DeviceLibraries {
  std::optional<SolverTable> solver;
  std::optional<FourierTable> fourier;
  std::shared_ptr<BlasLibrary> blas;
  std::shared_ptr<ProductLibrary> products;         // cuBLASLt
  std::shared_ptr<ConvolutionLibrary> convolutions; // cuDNN

  // Those of the machine that are there, for a driver of this version, as it says it (12040), or of these the ones that
  // TENON_CUDA_LIBRARIES names, where it is set (cublas, cusolver, cufft, cudnn, with commas between them; or off).
  // FAILED_PRECONDITION with the name of what one lacks.
  static StatusOr<DeviceLibraries> open(int driverVersion);

  // What makes the call in the device's memory; null where no library does, and the host has to. cuSOLVER has the
  // Cholesky, LU and QR factors of real and complex matrices, eigenvalues and singular values with their vectors
  // (lapack_spotrf_ffi and its kin), cuBLAS triangular equations, cuFFT transforms. What is not as the library takes it
  // is brought to that by cuBLAS; where it is not there, such calls are the host's. So are batches of many small
  // matrices. Errors name target and location.
  StatusOr<std::unique_ptr<DeviceCallInstance>> instantiate(const program::RuntimeCall &call) const;

  // What computes the op in place of the program's kernels; null where no library does. The libraries outlive it.
  StatusOr<std::unique_ptr<LibraryOp>> make(const program::DeviceOp &op) const;
};

// What these functions' numbers mean: INTERNAL, with the function's name, unless 0.
Status libraryStatus(int code, const char *function);

// Parts of instantiate. Private to the folder.
StatusOr<std::unique_ptr<DeviceCallInstance>>
makeSolverCall(const SolverTable &table, const std::shared_ptr<BlasLibrary> &blas, const program::RuntimeCall &call);
StatusOr<std::unique_ptr<DeviceCallInstance>> makeTriangularSolve(const std::shared_ptr<BlasLibrary> &blas,
                                                                  const program::RuntimeCall &call);
StatusOr<std::unique_ptr<DeviceCallInstance>>
makeTransform(const FourierTable &table, const std::shared_ptr<BlasLibrary> &blas, const program::RuntimeCall &call);

} // namespace tenon::runtime::cuda
