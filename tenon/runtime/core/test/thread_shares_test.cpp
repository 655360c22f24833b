#include "tenon/runtime/core/thread_shares.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenon::runtime {
namespace {

TEST(ThreadShares, DevicesShareTheCpus) {
  auto threads = static_cast<size_t>(ThreadPool::defaultThreadCount());
  for (size_t devices : {size_t(2), size_t(3), threads, 2 * threads + 1}) {
    size_t all = 0;
    for (size_t device = 0; device < devices; ++device) {
      ThreadPool &pool = poolOfDevice(device, devices);
      EXPECT_EQ(&pool, &poolOfDevice(device, devices));
      all += static_cast<size_t>(pool.size());
      if (pool.size() > 1 && device > 0) {
        EXPECT_NE(&pool, &poolOfDevice(device - 1, devices)); // they do not take each other's workers
      }
    }
    EXPECT_EQ(all, std::max(devices, threads));
  }
  EXPECT_EQ(&poolOfDevice(0, 1), &ThreadPool::global());
}

TEST(ThreadShares, AreWholeAndNearlyEqual) {
  for (size_t devices : {4, 8, 9, 13})
    for (size_t threads : {1, 2, 3, 4}) {
      size_t at = 0;
      for (size_t thread = 0; thread < threads; ++thread) {
        auto [first, end] = threadShare(thread, threads, devices);
        EXPECT_EQ(first, at);
        EXPECT_GE(end - first, devices / threads);
        EXPECT_LE(end - first, devices / threads + 1);
        at = end;
      }
      EXPECT_EQ(at, devices);
    }
}

TEST(ThreadShares, FibersAreForMoreDevicesThanWorkers) {
  const auto workers = static_cast<size_t>(ThreadPool::defaultThreadCount());
  EXPECT_EQ(threadsForFibers(workers), 0U);
  EXPECT_EQ(threadsForFibers(2 * workers), workers);
  EXPECT_EQ(threadsForFibers(4 * workers + 1), workers);
  if (workers > 1)
    EXPECT_EQ(threadsForFibers(workers + 1), 0U);
}

} // namespace
} // namespace tenon::runtime
