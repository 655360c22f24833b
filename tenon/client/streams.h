// The host's side of infeed, outfeed, send and recv (runtime/core/device_streams.h), for programs that are run with
// Executable::execute.
//
//   std::vector<runtime::StreamArray> arrays = ...;
//   deviceStreams(0).infeed.push({std::move(arrays), ""});   // waits while the queue is full
//   auto item = deviceStreams(0).outfeed.pop(types, wait);   // an error, naming both, if it has other types
//
// A program that waits for data can be stopped: RunOptions::wait.
#pragma once

#include "tenon/runtime/core/device_streams.h"

namespace tenon::client {

// What programs on the device use, unless RunOptions::streams names others (one client of several, say).
inline runtime::DeviceStreams &deviceStreams(int32_t device) { return runtime::DeviceStreams::ofDevice(device); }

} // namespace tenon::client
