// A driver of our own: what the table of NVIDIA's does (runtime/cuda/driver.h), by the host, so that all that stands on
// the table runs where there is no GPU.
//
// Its devices have memory of the host's, each its own, which begins as bytes that are no numbers. Its modules are
// relocatable objects of the host (codegen/gpu, emulated). It is a strict one: streams do their work as late as they
// may, when somebody waits for it, so that who does not wait sees old data; work on memory that is not allocated, or no
// longer, fails; a kernel that fails leaves a context in which all else fails, as on hardware.
#pragma once

#include "tenon/runtime/cuda/driver.h"
#include "tenon/runtime/emulator/block.h"

#include <functional>
#include <string>

namespace tenon::runtime::emulator {

// The driver of this process, with one state.
const cuda::Driver &driver();

// How many devices it has from now on: one, until this is said. Nothing is left of devices that go.
void setDevices(int count);

// How many multiprocessors each device has from now on: as many as an H100, until this is said.
void setMultiprocessors(int count);

// In which order threads take their turns from now on.
void setThreadOrder(ThreadOrder order);

// Whether accesses of code that says what it accesses (block.h) are checked from now on.
void setChecksAccesses(bool checks);

// What the first failure since the last call was, in words; empty if there was none. Forgets the failure, and with it
// what else fails because of it.
std::string takeFailure();

// How often graphs were started, and nodes of graphs that are loaded changed, in this process.
struct GraphCounts {
  int64_t graphLaunches = 0, nodeUpdates = 0;
  int64_t kernels = 0; // that have begun, in graphs or by themselves
};
GraphCounts graphCounts();

// Puts work of the host into a stream: what libraries that tests play do in the device's memory.
cuda::Result enqueueWork(cuda::StreamHandle *stream, std::function<void()> work);

// Bytes that are allocated: what tests look for leaks by.
size_t allocatedBytes();

} // namespace tenon::runtime::emulator
