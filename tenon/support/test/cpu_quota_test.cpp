#include "tenon/support/cpu_quota.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <thread>

namespace tenon {
namespace {

TEST(CpuQuota, FollowsTheAffinityOfTheThread) {
  EXPECT_GE(usableCpus(), 1);
  EXPECT_GT(usableMemory(), 0);
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usableCpus(), 1);
  }).join();
}

} // namespace
} // namespace tenon
