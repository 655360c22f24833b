// Work of the compiler that threads share. Kernels have workers of their own (runtime/core/thread_pool.h).
#pragma once

#include <cstddef>
#include <functional>

namespace tenon {

// Calls work(0), ..., work(count - 1), in any order, on up to `threads` threads (0: as many as the process may use):
// the calling one and others that the process keeps for this. `work` must not throw; it may call this function.
void forEachInParallel(size_t count, int threads, const std::function<void(size_t)> &work);

} // namespace tenon
