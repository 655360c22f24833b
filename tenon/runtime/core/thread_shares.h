// The workers of devices that run at the same time in one OS process.
#pragma once

#include "tenon/runtime/core/thread_pool.h"

#include <cstddef>

namespace tenon::runtime {

// Those of one of `devices`: its share of the CPUs, or, where there are as many devices as CPUs, none but the thread
// that asks. Devices that wait for each other must not take each other's workers: who comes second would compute alone
// what the first one computes with all of them, and be waited for. Made at first use, and never destroyed.
ThreadPool &poolOfDevice(size_t device, size_t devices);

} // namespace tenon::runtime
