#include "tenon/runtime/core/thread_shares.h"

#include "tenon/support/trace.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tenon::runtime {

static ThreadPool &poolOfDevice(size_t device, size_t devices, size_t threads) {
  if (devices < 2)
    return ThreadPool::global();
  size_t share = threads / devices + (device < threads % devices);
  static auto *mutex = new std::mutex;
  // By the device, and how many workers it has; one pool is for all that have none.
  static auto *pools = new std::map<std::pair<size_t, size_t>, std::unique_ptr<ThreadPool>>;
  std::lock_guard lock(*mutex);
  std::unique_ptr<ThreadPool> &pool = (*pools)[share < 2 ? std::pair<size_t, size_t>(0, 1) : std::pair(device, share)];
  if (!pool)
    pool = std::make_unique<ThreadPool>(share < 2 ? 1 : static_cast<int>(share));
  return *pool;
}

ThreadPool &poolOfDevice(size_t device, size_t devices) {
  return poolOfDevice(device, devices, static_cast<size_t>(ThreadPool::defaultThreadCount()));
}

std::vector<ThreadPool *> poolsOfDevices(size_t devices) {
  const auto threads = static_cast<size_t>(ThreadPool::defaultThreadCount());
  std::vector<ThreadPool *> pools;
  pools.reserve(devices);
  for (size_t device = 0; device < devices; ++device)
    pools.push_back(&poolOfDevice(device, devices, threads));
  return pools;
}

size_t threadsForFibers(size_t devices) {
  const auto threads = static_cast<size_t>(ThreadPool::defaultThreadCount());
  const bool areFew = devices <= threads || (devices % threads != 0 && devices < 4 * threads);
  return areFew || trace::current() ? 0 : threads;
}

std::pair<size_t, size_t> threadShare(size_t thread, size_t threads, size_t devices) {
  auto end = [&](size_t count) { return devices / threads * count + std::min(count, devices % threads); };
  return {end(thread), end(thread + 1)};
}

} // namespace tenon::runtime
