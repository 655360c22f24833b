// The GPUs of a driver that programs run on: one compiled program is for all of them.
#pragma once

#include "tenon/runtime/cuda/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenon::backend {

struct GpuDevices {
  std::vector<std::unique_ptr<runtime::cuda::CudaDevice>> devices;
  std::vector<std::string> leftOut; // for each of the others, why: "GPU 1 (...) ..."
};

// All that code for the first one is for. Fails where the first one cannot be opened.
using OpenGpu = std::function<StatusOr<std::unique_ptr<runtime::cuda::CudaDevice>>(int number)>;
StatusOr<GpuDevices> openGpus(int count, const OpenGpu &open);

} // namespace tenon::backend
