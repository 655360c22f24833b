// The workers of devices that run at the same time in one OS process.
#pragma once

#include "tenon/runtime/core/thread_pool.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace tenon::runtime {

// Those of one of `devices`: its share of the CPUs, or, where there are as many devices as CPUs, none but the thread
// that asks. Devices that wait for each other must not take each other's workers: who comes second would compute alone
// what the first one computes with all of them, and be waited for. Made at first use, and never destroyed.
ThreadPool &poolOfDevice(size_t device, size_t devices);
// Those of [0, devices), for which the number of CPUs is asked once.
std::vector<ThreadPool *> poolsOfDevices(size_t devices);

// How many threads are to run so many devices, which wait for nothing but each other, as fibers (fiber_group.h), in
// parts of [0, devices) that threadShare gives; 0 where each device is to have a thread: not more devices than workers,
// or some threads would have many more than others, or it is recorded what threads do.
size_t threadsForFibers(size_t devices);
std::pair<size_t, size_t> threadShare(size_t thread, size_t threads, size_t devices); // from, to

} // namespace tenon::runtime
