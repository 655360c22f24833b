// What NVIDIA's libraries do of a program: runtime calls that they make in the device's memory. They are opened where
// they are there; their functions that we use are declared by ourselves, as the driver's (driver.h), and kept in tables
// which tests fill by themselves.
#pragma once

#include "tenon/runtime/core/device_call.h"
#include "tenon/runtime/cuda/product_library.h"
#include "tenon/status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tenon::runtime::cuda {

// cuSOLVER's dense routines (libcusolver). Functions return 0 when they have done what was asked.
struct SolverTable {
  int (*create)(void **handle) = nullptr;
  int (*destroy)(void *handle) = nullptr;
  int (*setStream)(void *handle, void *stream) = nullptr;
  int (*createParams)(void **params) = nullptr;
  int (*destroyParams)(void *params) = nullptr;
  // The Cholesky factor of a column-major matrix, in place of the triangle that `fill` says (0: lower, 1: upper).
  int (*potrfSizes)(void *handle, void *params, int fill, int64_t n, int type, const void *a, int64_t lda,
                    int computeType, size_t *deviceBytes, size_t *hostBytes) = nullptr;
  int (*potrf)(void *handle, void *params, int fill, int64_t n, int type, void *a, int64_t lda, int computeType,
               void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes, int *info) = nullptr;
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
};

// The libraries of a device.
struct DeviceLibraries {
  std::optional<SolverTable> solver;
  std::optional<FourierTable> fourier;
  std::shared_ptr<ProductLibrary> products; // cuBLASLt

  // Those of the machine that are there, for a driver of this version, as it says it (12040), or of these the ones that
  // TENON_CUDA_LIBRARIES names, where it is set (cublas, cusolver, cufft, with commas between them; or off).
  // FAILED_PRECONDITION with the name of what one lacks.
  static StatusOr<DeviceLibraries> open(int driverVersion);

  // What makes the call in the device's memory; null where no library does, and the host has to. cuSOLVER has the
  // Cholesky factor of real and complex matrices (lapack_spotrf_ffi and its kin, in place), cuFFT forward transforms:
  // it does not scale inverse ones. Errors name target and location.
  StatusOr<std::unique_ptr<DeviceCallInstance>> instantiate(const program::RuntimeCall &call) const;
};

// What these functions' numbers mean: INTERNAL, with the function's name, unless 0.
Status libraryStatus(int code, const char *function);

// Parts of instantiate. Private to the folder.
StatusOr<std::unique_ptr<DeviceCallInstance>> makeCholesky(const SolverTable &table, const program::RuntimeCall &call);
StatusOr<std::unique_ptr<DeviceCallInstance>> makeTransform(const FourierTable &table,
                                                            const program::RuntimeCall &call);

} // namespace tenon::runtime::cuda
