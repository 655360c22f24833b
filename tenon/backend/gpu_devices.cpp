#include "tenon/backend/gpu_devices.h"

namespace tenon::backend {
namespace {

using runtime::cuda::CudaDevice;

std::string nameOf(int number, const CudaDevice &device) {
  const runtime::DeviceProperties &properties = device.properties();
  return "GPU " + std::to_string(number) + " (" + properties.name + ", compute capability " +
         properties.computeCapability + ")";
}

} // namespace

StatusOr<GpuDevices> openGpus(int count, const OpenGpu &open) {
  GpuDevices opened;
  for (int number = 0; number < count; ++number) {
    StatusOr<std::unique_ptr<CudaDevice>> device = open(number);
    if (device.ok() && (number == 0 || (*device)->chip() == opened.devices.front()->chip()))
      opened.devices.push_back(*std::move(device));
    else if (device.ok())
      opened.leftOut.push_back(nameOf(number, **device) + " is not used: it needs other code than " +
                               nameOf(0, *opened.devices.front()));
    else if (number == 0)
      return device.status();
    else
      opened.leftOut.push_back("GPU " + std::to_string(number) + " is not used: " + device.status().message());
  }
  return opened;
}

} // namespace tenon::backend
