// What of the machine this process may use.
#pragma once

#include <cstdint>

namespace tenon {

// CPUs in the affinity mask, limited by the cgroup's quota (rounded up), which is read once. At least 1.
int usableCpus();
// Physical memory, limited by the cgroup. 0 if unknown.
int64_t usableMemory();

} // namespace tenon
