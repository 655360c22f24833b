// Convolutions and their gradients by NVIDIA's library for them, cuDNN, where it is there: in place of a program's own
// kernels (program::DeviceConvolution).
//
// cuDNN has engines, each of which can do some convolutions, and recommends some for one. Which is taken follows from
// the convolution and the chip alone, and is asked once in a process: the first of those recommended that computes each
// element as the sum of its own products. Not taken are engines that add up in an order that varies, that round f32 (to
// tf32, for tensor cores, unless the program allows it) or sums of 16-bit floats, and those that transform (Winograd's,
// FFT), by which an infinity or a NaN spreads to neighbours.
#pragma once

#include "tenon/program/device_program.h"
#include "tenon/runtime/cuda/library_op.h"
#include "tenon/status.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tenon::runtime::cuda {

// cuDNN 9 (libcudnn). Functions that return an int return 0 when they have done what was asked.
struct ConvolutionTable {
  size_t (*version)() = nullptr;     // 92801 of 9.28.1
  size_t (*cudaVersion)() = nullptr; // that it is made for: 13000
  int (*create)(void **handle) = nullptr;
  int (*destroy)(void *handle) = nullptr;
  int (*setStream)(void *handle, void *stream) = nullptr;
  // What there is to say is said by descriptors with attributes; kinds, names and types are those of
  // convolution_numbers.h.
  int (*createDescriptor)(int kind, void **descriptor) = nullptr;
  int (*destroyDescriptor)(void *descriptor) = nullptr;
  int (*setAttribute)(void *descriptor, int name, int type, int64_t count, const void *elements) = nullptr;
  int (*getAttribute)(void *descriptor, int name, int type, int64_t most, int64_t *count, void *elements) = nullptr;
  int (*finalize)(void *descriptor) = nullptr;
  int (*execute)(void *handle, void *plan, void *arguments) = nullptr;
};

struct ConvolutionPlan;

// The library, with what it was asked. It is used in one context, which is that of the thread when it is destroyed.
class ConvolutionLibrary {
public:
  explicit ConvolutionLibrary(const ConvolutionTable &table) : table_(table) {}
  ~ConvolutionLibrary();
  ConvolutionLibrary(const ConvolutionLibrary &) = delete;
  ConvolutionLibrary &operator=(const ConvolutionLibrary &) = delete;

  // Null where it has no way to compute the convolution. The library outlives it.
  StatusOr<std::unique_ptr<LibraryOp>> make(const program::DeviceConvolution &convolution);

private:
  friend class LibraryConvolution;
  // From one thread at a time.
  StatusOr<std::shared_ptr<const ConvolutionPlan>> plan(const program::DeviceConvolution &convolution);

  ConvolutionTable table_;
  std::mutex mutex_; // of the handle, too
  void *handle_ = nullptr;
  // By all that a convolution is but for where its arrays are; null where it cannot be.
  std::map<std::vector<int64_t>, std::shared_ptr<const ConvolutionPlan>> plans_;
};

} // namespace tenon::runtime::cuda
