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

} // namespace
} // namespace tenon::runtime
