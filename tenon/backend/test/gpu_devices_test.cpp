#include "tenon/backend/gpu_devices.h"

#include "tenon/backend/job.h"
#include "tenon/runtime/emulator/driver.h"

#include <gmock/gmock.h>

namespace tenon::backend {
namespace {

using namespace runtime::cuda;

// GPUs of compute capability 9.0, but for number 1, of 8.0, and number 2, of 7.0.
Result attributeOf(int *value, DeviceAttribute attribute, Device device) {
  Result result = runtime::emulator::driver().deviceGetAttribute(value, attribute, device);
  if (attribute == DeviceAttribute::kComputeMajor && (device == 1 || device == 2))
    *value = 9 - device;
  return result;
}

TEST(GpuDevices, ThoseOfAnotherKindAreLeftOutWithAWord) {
  runtime::emulator::setDevices(4);
  Driver driver = runtime::emulator::driver();
  driver.deviceGetAttribute = attributeOf;
  ASSERT_EQ(*CudaDevice::count(driver), 4);
  auto opened = openGpus(4, [&](int number) { return CudaDevice::open(driver, number); });
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_EQ(opened->devices.size(), 2u); // numbers 0 and 3
  EXPECT_THAT(opened->leftOut,
              testing::ElementsAre("GPU 1 (emulated GPU, compute capability 8.0) is not used: it needs other code than "
                                   "GPU 0 (emulated GPU, compute capability 9.0)",
                                   "GPU 2 is not used: there is no code for GPUs of compute capability 7.0, only for "
                                   "8.0 and newer"));
}

TEST(GpuDevices, WithoutTheFirstThereIsNone) {
  auto opened = openGpus(2, [](int) { return StatusOr<std::unique_ptr<CudaDevice>>(notFound("it is gone")); });
  EXPECT_EQ(opened.status().message(), "it is gone");
}

TEST(GpuDevices, AreDealtOutAmongTheProcessesOfAMachine) {
  auto devicesOf = [](int64_t places, int64_t devices, int64_t before) {
    std::vector<int32_t> numbers;
    for (int64_t place = 0; place < places; ++place)
      numbers.push_back(localDevice(place, places, devices, before));
    return numbers;
  };
  using testing::ElementsAre;
  // All see all: each has others.
  EXPECT_THAT(devicesOf(2, 4, 0), ElementsAre(0, 1));
  EXPECT_THAT(devicesOf(2, 4, 1), ElementsAre(2, 3));
  // Each sees its own.
  EXPECT_THAT(devicesOf(2, 2, 3), ElementsAre(0, 1));
  EXPECT_THAT(devicesOf(1, 1, 7), ElementsAre(0));
  // More processes than devices share them.
  EXPECT_THAT(devicesOf(1, 2, 2), ElementsAre(0));
  EXPECT_THAT(devicesOf(1, 2, 3), ElementsAre(1));
}

} // namespace
} // namespace tenon::backend
