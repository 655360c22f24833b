// The devices of the emulated driver, all of one kind, and their contexts.
#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/emulator/state.h"

#include <algorithm>
#include <cstdio>

namespace tenon::runtime::emulator {

using namespace cuda;

namespace {

thread_local ContextHandle *current = nullptr;

} // namespace

ContextHandle *currentContext() { return current; }

bool isDevice(Device device) {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  return device >= 0 && size_t(device) < state.contexts.size();
}

Result checkContext(State &state) {
  if (!state.isInitialized)
    return state.fail(Result::kNotInitialized, "the driver has not been initialized");
  auto isCurrent = [](const ContextHandle &context) { return &context == current && context.retained > 0; };
  if (std::none_of(state.contexts.begin(), state.contexts.end(), isCurrent))
    return state.fail(Result::kInvalidContext, "the thread has no context");
  return state.sticky;
}

void setMultiprocessors(int count) {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  state.multiprocessors = count;
}

void setDevices(int count) {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  state.contexts.resize(size_t(count));
}

namespace {

Result init(unsigned flags) {
  std::lock_guard lock(State::instance().mutex);
  State::instance().isInitialized = true;
  return flags == 0 ? Result::kSuccess : Result::kInvalidValue;
}

Result driverGetVersion(int *version) {
  *version = 12040; // the first with all of the table
  return Result::kSuccess;
}

Result deviceGetCount(int *count) {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  *count = int(state.contexts.size());
  return Result::kSuccess;
}

Result deviceGet(Device *device, int ordinal) {
  *device = ordinal;
  return isDevice(ordinal) ? Result::kSuccess : Result::kInvalidDevice;
}

Result deviceGetAttribute(int *value, DeviceAttribute attribute, Device device) {
  if (!isDevice(device))
    return Result::kInvalidDevice;
  switch (attribute) {
  case DeviceAttribute::kMaxThreadsPerBlock:
    *value = kMaxThreads;
    return Result::kSuccess;
  case DeviceAttribute::kMaxSharedBytesPerBlock:
    *value = int(kPlainSharedBytes);
    return Result::kSuccess;
  case DeviceAttribute::kMaxSharedBytesOptIn:
    *value = kMostSharedBytes;
    return Result::kSuccess;
  case DeviceAttribute::kWarpSize:
    *value = kWarpThreads;
    return Result::kSuccess;
  case DeviceAttribute::kMultiprocessors:
    *value = State::instance().multiprocessors;
    return Result::kSuccess;
  case DeviceAttribute::kComputeMajor:
    *value = 9;
    return Result::kSuccess;
  case DeviceAttribute::kComputeMinor:
    *value = 0;
    return Result::kSuccess;
  }
  return Result::kInvalidValue;
}

Result deviceGetName(char *name, int bytes, Device device) {
  if (!isDevice(device) || bytes <= 0)
    return Result::kInvalidValue;
  std::snprintf(name, size_t(bytes), "emulated GPU");
  return Result::kSuccess;
}

Result deviceTotalMem(size_t *bytes, Device device) {
  if (!isDevice(device))
    return Result::kInvalidDevice;
  *bytes = size_t(memoryStats().physicalBytes);
  return Result::kSuccess;
}

Result primaryContextRetain(ContextHandle **context, Device device) {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  if (!state.isInitialized)
    return Result::kNotInitialized;
  if (!isDevice(device))
    return Result::kInvalidDevice;
  *context = &state.contexts[size_t(device)];
  ++(*context)->retained;
  return Result::kSuccess;
}

Result primaryContextRelease(Device device) {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  if (!isDevice(device) || state.contexts[size_t(device)].retained == 0)
    return Result::kInvalidDevice;
  --state.contexts[size_t(device)].retained;
  return Result::kSuccess;
}

Result contextGetCurrent(ContextHandle **context) {
  *context = current;
  return Result::kSuccess;
}

Result contextGetDevice(Device *device) {
  TENON_ENTER(state);
  auto isCurrent = [](const ContextHandle &context) { return &context == current; };
  *device = Device(std::find_if(state.contexts.begin(), state.contexts.end(), isCurrent) - state.contexts.begin());
  return Result::kSuccess;
}

Result contextSetCurrent(ContextHandle *context) {
  current = context;
  return Result::kSuccess;
}

} // namespace

void addDeviceFunctions(cuda::Driver &driver) {
  driver.init = init;
  driver.driverGetVersion = driverGetVersion;
  driver.deviceGetCount = deviceGetCount;
  driver.deviceGet = deviceGet;
  driver.deviceGetAttribute = deviceGetAttribute;
  driver.deviceGetName = deviceGetName;
  driver.deviceTotalMem = deviceTotalMem;
  driver.primaryContextRetain = primaryContextRetain;
  driver.primaryContextRelease = primaryContextRelease;
  driver.contextSetCurrent = contextSetCurrent;
  driver.contextGetCurrent = contextGetCurrent;
  driver.contextGetDevice = contextGetDevice;
}

} // namespace tenon::runtime::emulator
