#include "tenon/runtime/emulator/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace tenon::runtime::emulator {
namespace {

using namespace cuda;
using ::testing::Each;
using ::testing::HasSubstr;

class EmulatedDriver : public ::testing::Test {
protected:
  void SetUp() override {
    takeFailure();
    ASSERT_EQ(d.init(0), Result::kSuccess);
    ContextHandle *context = nullptr;
    ASSERT_EQ(d.primaryContextRetain(&context, 0), Result::kSuccess);
    ASSERT_EQ(d.contextSetCurrent(context), Result::kSuccess);
    ASSERT_EQ(d.streamCreate(&stream, 0), Result::kSuccess);
  }
  void TearDown() override {
    takeFailure();
    EXPECT_EQ(d.streamDestroy(stream), Result::kSuccess);
    EXPECT_EQ(d.primaryContextRelease(0), Result::kSuccess);
  }

  DeviceAddress allocate(size_t bytes) {
    DeviceAddress address = 0;
    EXPECT_EQ(d.memAlloc(&address, bytes), Result::kSuccess);
    return address;
  }

  const Driver &d = driver();
  StreamHandle *stream = nullptr;
};

TEST_F(EmulatedDriver, DescribesOneDevice) {
  int count = 0, value = 0;
  Device device = -1;
  EXPECT_EQ(d.deviceGetCount(&count), Result::kSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(d.deviceGet(&device, 1), Result::kInvalidDevice);
  EXPECT_EQ(d.deviceGet(&device, 0), Result::kSuccess);
  EXPECT_EQ(d.deviceGetAttribute(&value, DeviceAttribute::kWarpSize, device), Result::kSuccess);
  EXPECT_EQ(value, 32);
}

// A second device, with a stream of its own.
class TwoEmulatedDevices : public EmulatedDriver {
protected:
  void SetUp() override {
    setDevices(2);
    EmulatedDriver::SetUp();
    EXPECT_EQ(d.contextGetCurrent(&first), Result::kSuccess);
    ASSERT_EQ(d.primaryContextRetain(&second, 1), Result::kSuccess);
    enter(second);
    ASSERT_EQ(d.streamCreate(&secondStream, 0), Result::kSuccess);
    enter(first);
  }
  void TearDown() override {
    takeFailure();
    enter(second);
    EXPECT_EQ(d.streamDestroy(secondStream), Result::kSuccess);
    EXPECT_EQ(d.primaryContextRelease(1), Result::kSuccess);
    enter(first);
    EmulatedDriver::TearDown();
    setDevices(1);
  }
  void enter(ContextHandle *context) { ASSERT_EQ(d.contextSetCurrent(context), Result::kSuccess); }

  ContextHandle *first = nullptr, *second = nullptr;
  StreamHandle *secondStream = nullptr;
};

TEST_F(TwoEmulatedDevices, HaveMemoryOfTheirOwn) {
  int in = 7, out = 0;
  DeviceAddress memory = allocate(sizeof(int)), there = 0;
  enter(second);
  there = allocate(sizeof(int));
  EXPECT_EQ(d.memcpyHtoDAsync(there, &in, sizeof(int), secondStream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(secondStream), Result::kSuccess);
  enter(first);
  EXPECT_EQ(d.memcpyPeerAsync(memory, first, there, second, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoHAsync(&out, memory, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_EQ(out, 7);
  EXPECT_EQ(d.memcpyDtoDAsync(memory, there, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kInvalidValue);
  EXPECT_THAT(takeFailure(), HasSubstr("not allocated"));
  EXPECT_EQ(d.memcpyPeerAsync(memory, second, there, second, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kInvalidValue);
  EXPECT_THAT(takeFailure(), HasSubstr("memory that is not theirs"));
  EXPECT_EQ(d.memFree(memory), Result::kSuccess);
  EXPECT_EQ(d.memFree(there), Result::kSuccess);
}

TEST_F(TwoEmulatedDevices, CopyRows) {
  const std::vector<int> in{1, 2, 3, 4, 5, 6};
  std::vector<int> out(6, 0);
  DeviceAddress memory = allocate(6 * sizeof(int));
  EXPECT_EQ(d.memcpyHtoDAsync(memory, out.data(), 6 * sizeof(int), stream), Result::kSuccess);
  enter(second);
  DeviceAddress there = allocate(6 * sizeof(int));
  EXPECT_EQ(d.memcpyHtoDAsync(there, in.data(), 6 * sizeof(int), secondStream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(secondStream), Result::kSuccess);
  enter(first);
  PeerCopy copy{};
  copy.from.address = there;
  copy.from.context = second;
  copy.from.pitch = 2 * sizeof(int);
  copy.to.address = memory + sizeof(int);
  copy.to.context = first;
  copy.to.pitch = 4 * sizeof(int);
  copy.from.height = copy.to.height = copy.rows = 2;
  copy.rowBytes = sizeof(int);
  copy.planes = 1;
  EXPECT_EQ(d.memcpy3DPeerAsync(&copy, stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoHAsync(out.data(), memory, 6 * sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_EQ(out, std::vector<int>({0, 1, 0, 0, 0, 3}));
  PeerCopy narrow = copy;
  narrow.to.pitch = 2; // less than a row
  EXPECT_EQ(d.memcpy3DPeerAsync(&narrow, stream), Result::kInvalidValue);
  EXPECT_THAT(takeFailure(), HasSubstr("what is not rows"));
  copy.to.pitch = 8 * sizeof(int); // the second row is outside
  EXPECT_EQ(d.memcpy3DPeerAsync(&copy, stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kInvalidValue);
  EXPECT_THAT(takeFailure(), HasSubstr("memory that is not theirs"));
  EXPECT_EQ(d.memFree(memory), Result::kSuccess);
  EXPECT_EQ(d.memFree(there), Result::kSuccess);
}

TEST_F(TwoEmulatedDevices, RecordEventsOfTheirOwn) {
  EventHandle *event = nullptr;
  EXPECT_EQ(d.eventCreate(&event, 0), Result::kSuccess);
  EXPECT_EQ(d.eventRecord(event, secondStream), Result::kInvalidHandle);
  EXPECT_THAT(takeFailure(), HasSubstr("recorded in a stream of another"));
  EXPECT_EQ(d.eventRecord(event, stream), Result::kSuccess);
  EXPECT_EQ(d.eventDestroy(event), Result::kSuccess);
}

TEST_F(TwoEmulatedDevices, AreTheOnesThatThereAre) {
  int count = 0;
  Device device = -1;
  ContextHandle *third = nullptr;
  EXPECT_EQ(d.deviceGetCount(&count), Result::kSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(d.deviceGet(&device, 1), Result::kSuccess);
  EXPECT_EQ(d.primaryContextRetain(&third, 2), Result::kInvalidDevice);
}

// Events of one device order the work of another.
TEST_F(TwoEmulatedDevices, WaitForEachOther) {
  int in = 5, out = 0;
  DeviceAddress memory = allocate(sizeof(int));
  enter(second);
  DeviceAddress there = allocate(sizeof(int));
  EventHandle *event = nullptr;
  EXPECT_EQ(d.eventCreate(&event, 0), Result::kSuccess);
  EXPECT_EQ(d.memcpyHtoDAsync(there, &in, sizeof(int), secondStream), Result::kSuccess);
  EXPECT_EQ(d.eventRecord(event, secondStream), Result::kSuccess);
  enter(first);
  EXPECT_EQ(d.streamWaitEvent(stream, event, 0), Result::kSuccess);
  EXPECT_EQ(d.memcpyPeerAsync(memory, first, there, second, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoHAsync(&out, memory, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_EQ(out, 5);
  EXPECT_EQ(d.eventDestroy(event), Result::kSuccess);
  EXPECT_EQ(d.memFree(memory), Result::kSuccess);
  EXPECT_EQ(d.memFree(there), Result::kSuccess);
}

// What is freed in the order of the stream is there for what was enqueued before.
TEST_F(EmulatedDriver, FreesInTheOrderOfTheStream) {
  size_t before = allocatedBytes();
  int in = 7, out = 0;
  DeviceAddress memory = 0;
  EXPECT_EQ(d.memAllocAsync(&memory, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyHtoDAsync(memory, &in, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoHAsync(&out, memory, sizeof(int), stream), Result::kSuccess);
  EXPECT_EQ(d.memFreeAsync(memory, stream), Result::kSuccess);
  EXPECT_EQ(allocatedBytes(), before + sizeof(int));
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_EQ(out, 7);
  EXPECT_EQ(allocatedBytes(), before);
  EXPECT_EQ(d.memFreeAsync(memory, stream), Result::kInvalidValue);
  EXPECT_THAT(takeFailure(), HasSubstr("not the begin of an allocation"));
}

// Who does not wait sees old data.
TEST_F(EmulatedDriver, StreamsWorkWhenSomebodyWaits) {
  std::vector<float> in(8, 3), out(8, 1);
  DeviceAddress a = allocate(32), b = allocate(32);
  EXPECT_EQ(d.memcpyHtoDAsync(a, in.data(), 32, stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoDAsync(b, a, 32, stream), Result::kSuccess);
  EXPECT_EQ(d.memsetD8Async(b, 0, 4, stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoHAsync(out.data(), b, 32, stream), Result::kSuccess);
  EXPECT_THAT(out, Each(1));
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[7], 3);
  EXPECT_EQ(d.memFree(a), Result::kSuccess);
  EXPECT_EQ(d.memFree(b), Result::kSuccess);
}

TEST_F(EmulatedDriver, MemoryBeginsAsNoNumber) {
  std::vector<float> out(4, 0);
  size_t before = allocatedBytes();
  DeviceAddress a = allocate(16);
  EXPECT_EQ(allocatedBytes(), before + 16);
  EXPECT_EQ(d.memcpyDtoHAsync(out.data(), a, 16, stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_THAT(out, Each(::testing::IsNan()));
  EXPECT_EQ(d.memFree(a), Result::kSuccess);
  EXPECT_EQ(allocatedBytes(), before);
}

// An event stands for what was in its stream when it was recorded, also for a stream that waits for it.
TEST_F(EmulatedDriver, EventsOrderStreams) {
  StreamHandle *other = nullptr;
  EventHandle *event = nullptr;
  ASSERT_EQ(d.streamCreate(&other, 0), Result::kSuccess);
  ASSERT_EQ(d.eventCreate(&event, 0), Result::kSuccess);
  EXPECT_EQ(d.eventQuery(event), Result::kSuccess) << "nothing was recorded";
  DeviceAddress a = allocate(1);
  unsigned char out[2] = {9, 9};
  EXPECT_EQ(d.memsetD8Async(a, 1, 1, stream), Result::kSuccess);
  EXPECT_EQ(d.eventRecord(event, stream), Result::kSuccess);
  EXPECT_EQ(d.memsetD8Async(a, 2, 1, stream), Result::kSuccess);
  EXPECT_EQ(d.streamWaitEvent(other, event, 0), Result::kSuccess);
  EXPECT_EQ(d.eventRecord(event, stream), Result::kSuccess) << "again: the wait is for what it stood for";
  EXPECT_EQ(d.memcpyDtoHAsync(&out[0], a, 1, other), Result::kSuccess);
  EXPECT_EQ(d.eventQuery(event), Result::kNotReady);
  EXPECT_EQ(d.streamSynchronize(other), Result::kSuccess);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(d.eventQuery(event), Result::kNotReady);
  EXPECT_EQ(d.eventSynchronize(event), Result::kSuccess);
  EXPECT_EQ(d.eventQuery(event), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoHAsync(&out[1], a, 1, other), Result::kSuccess);
  EXPECT_EQ(d.streamDestroy(other), Result::kSuccess);
  EXPECT_EQ(out[1], 2);
  EXPECT_EQ(d.eventDestroy(event), Result::kSuccess);
  EXPECT_EQ(d.memFree(a), Result::kSuccess);
}

TEST_F(EmulatedDriver, RefusesMemoryThatIsNotAllocated) {
  DeviceAddress a = allocate(16);
  char out[32];
  EXPECT_EQ(d.memcpyDtoHAsync(out, a + 8, 16, stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kInvalidValue);
  EXPECT_EQ(d.memFree(a), Result::kInvalidValue) << "all fails after a failure";
  EXPECT_THAT(takeFailure(), HasSubstr("a copy of memory that is not allocated"));
  EXPECT_EQ(d.memFree(a + 8), Result::kInvalidValue);
  EXPECT_EQ(d.memFree(a), Result::kSuccess);
  EXPECT_EQ(d.memFree(a), Result::kInvalidValue);
}

TEST_F(EmulatedDriver, RefusesWhatItDoesNotKnow) {
  EventHandle *event = nullptr;
  ASSERT_EQ(d.eventCreate(&event, 0), Result::kSuccess);
  EXPECT_EQ(d.eventDestroy(event), Result::kSuccess);
  EXPECT_EQ(d.eventDestroy(event), Result::kInvalidHandle);
  EXPECT_EQ(d.streamSynchronize(nullptr), Result::kInvalidHandle);
  ModuleHandle *module = nullptr;
  std::vector<char> image(256, 0);
  EXPECT_EQ(d.moduleLoadData(&module, image.data()), Result::kInvalidImage);
  EXPECT_EQ(d.contextSetCurrent(nullptr), Result::kSuccess);
  DeviceAddress a = 0;
  EXPECT_EQ(d.memAlloc(&a, 16), Result::kInvalidContext);
  ContextHandle *context = nullptr;
  EXPECT_EQ(d.primaryContextRetain(&context, 0), Result::kSuccess);
  EXPECT_EQ(d.contextSetCurrent(context), Result::kSuccess);
  EXPECT_EQ(d.primaryContextRelease(0), Result::kSuccess);
}

} // namespace
} // namespace tenon::runtime::emulator
