// Transfers between a running program and the framework, by callbacks that it passes to PJRT_LoadedExecutable_Execute.
//
// An op `send` on a channel calls the channel's send callback with one chunk for each array; `recv` calls the receive
// callback with a stream, and waits until it has been filled, by whatever thread. Chunks of several arrays follow one
// another. Both run on the device's thread, in the program's order.
#pragma once

#include "tenon/runtime/core/device_streams.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <memory>

namespace tenon::pjrt {

// The host transfers of the run on device number `device` of the call. Null if the framework passes no callbacks.
std::unique_ptr<runtime::HostTransfers> makeHostTransfers(const PJRT_ExecuteOptions &options, size_t device);

void fillStreamSlots(PJRT_Api &api);

} // namespace tenon::pjrt
