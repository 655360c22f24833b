// Arrays that come to a device of the emulation's, and go, while it has programs to run.
#include "tenon/runtime/cuda/device.h"

#include "test/e2e/emulated_gpu_testing.h"

using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr const char *kProgram = R"(func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  %0 = stablehlo.add %a, %a : tensor<8xi32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<8xi32>
  return %1 : tensor<8xi32> })";
constexpr size_t kCount = 8;
constexpr int64_t kBytes = kCount * sizeof(int32_t);
constexpr int32_t kUnwritten = -1; // what the emulation's memory begins as

using Numbers = std::vector<int32_t>;

class EmulatedDevices : public ::testing::Test {
protected:
  void SetUp() override {
    runtime::emulator::takeFailure();
    runtime::emulator::setDevices(2);
    ASSERT_TRUE(CudaDevice::count(runtime::emulator::driver()).ok());
    for (int number : {0, 1}) {
      auto opened = CudaDevice::open(runtime::emulator::driver(), number, runtime::emulator::takeFailure);
      ASSERT_TRUE(opened.ok()) << opened.status().message();
      devices.push_back(*std::move(opened));
    }
    allocated = runtime::emulator::allocatedBytes();
    program::DeviceProgram code;
    codegen::GpuTarget target = emulatedTarget(&code);
    auto compiled = compiler::compileFor(target, kProgram, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    program = *std::move(compiled);
    auto loaded = device().load(std::move(code), program);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    executable = *std::move(loaded);
    for (int32_t number : {1, 2}) { // whose memory is made first, for which the host waits
      Run run = start(copyOf(Numbers(kCount, number)));
      EXPECT_TRUE(run.work->wait().ok());
      device().free(run.result, kBytes);
    }
  }
  void TearDown() override {
    if (executable)
      device().unload(std::move(executable));
    devices.clear(); // whose streams end with what is in them
    EXPECT_EQ(runtime::emulator::allocatedBytes(), allocated);
    runtime::emulator::setDevices(1);
  }

  CudaDevice &device() { return *devices[0]; }

  void *copyOf(const Numbers &numbers) {
    auto memory = device().allocateCopy(numbers.data(), kBytes);
    EXPECT_TRUE(memory.ok()) << memory.status().message();
    return memory.ok() ? *memory : nullptr;
  }

  struct Run {
    std::shared_ptr<runtime::DeviceWork> work;
    void *result = nullptr;

    int32_t first() const { return *static_cast<const int32_t *>(result); } // which the host can see, here
  };

  // Starts a run, and lets go of its argument.
  Run start(void *argument) {
    auto result = device().allocate(kBytes);
    EXPECT_TRUE(result.ok());
    const DeviceAddress arguments[] = {reinterpret_cast<DeviceAddress>(argument)};
    const DeviceAddress results[] = {reinterpret_cast<DeviceAddress>(*result)};
    auto work = device().start(*executable, {arguments, results, {}});
    EXPECT_TRUE(work.ok()) << work.status().message();
    device().free(argument, kBytes);
    return {work.ok() ? *work : nullptr, *result};
  }

  Numbers read(CudaDevice &from, const void *memory) {
    Numbers numbers(kCount);
    Status status = from.copyToHost(numbers.data(), memory, kBytes);
    EXPECT_TRUE(status.ok()) << status.message();
    return numbers;
  }

  std::vector<std::unique_ptr<CudaDevice>> devices;
  program::Program program;
  std::unique_ptr<DeviceExecutable> executable;
  size_t allocated = 0;
};

TEST_F(EmulatedDevices, CopiesDoNotWaitForRuns) {
  void *kept = copyOf({1, 2, 3, 4, 5, 6, 7, 8});
  Run run = start(copyOf(Numbers(kCount, 21)));
  ASSERT_TRUE(run.work);
  EXPECT_EQ(read(device(), kept), Numbers({1, 2, 3, 4, 5, 6, 7, 8}));
  void *next = copyOf(Numbers(kCount, 5));
  auto here = device().allocateCopy(device(), kept, kBytes), there = devices[1]->allocateCopy(device(), kept, kBytes);
  ASSERT_TRUE(here.ok() && there.ok());
  EXPECT_EQ(read(device(), *here), read(*devices[1], *there));
  EXPECT_EQ(run.first(), kUnwritten) << "the run has been waited for";
  Run second = start(next);
  ASSERT_TRUE(second.work);
  EXPECT_TRUE(second.work->wait().ok());
  EXPECT_EQ(read(device(), run.result), Numbers(kCount, 42));
  EXPECT_EQ(read(device(), second.result), Numbers(kCount, 10));
  devices[1]->free(*there, kBytes);
  for (void *memory : {kept, *here, run.result, second.result})
    device().free(memory, kBytes);
}

// A copy that fails leaves no memory behind.
TEST_F(EmulatedDevices, CopiesThatFail) {
  void *kept = copyOf(Numbers(kCount, 1));
  int64_t inUse = device().memoryStats().bytesInUse;
  auto copied = device().allocateCopy(device(), static_cast<char *>(kept) + 4, kBytes); // past the end
  EXPECT_FALSE(copied.ok());
  EXPECT_EQ(device().memoryStats().bytesInUse, inUse);
  runtime::emulator::takeFailure();
  device().free(kept, kBytes);
}

TEST_F(EmulatedDevices, ArraysOfNothing) {
  auto memory = device().allocateCopy(nullptr, 0);
  ASSERT_TRUE(memory.ok());
  EXPECT_TRUE(device().copyToHost(nullptr, *memory, 0).ok());
  device().free(*memory, 0);
}

} // namespace
