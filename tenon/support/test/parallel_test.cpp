#include "tenon/support/cpu_quota.h"
#include "tenon/support/parallel.h"

#include "gtest/gtest.h"

#include <atomic>
#include <barrier>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tenon {
namespace {

TEST(Parallel, DoesEverythingOnce) {
  for (int threads : {0, 1, 3})
    for (size_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> calls(count);
      forEachInParallel(count, threads, [&](size_t i) { ++calls[i]; });
      for (const std::atomic<int> &value : calls)
        EXPECT_EQ(value, 1);
    }
}

std::atomic<int> threadsSeen{0};
thread_local const int threadNumber = threadsSeen++;

TEST(Parallel, KeepsItsThreads) {
  const int most = usableCpus() + 3; // with those of the other tests
  for (int i = 0; i < 3 * most; ++i) {
    std::barrier both(2); // neither thread can do the work of the other
    forEachInParallel(2, 2, [&](size_t) {
      EXPECT_GE(threadNumber, 0);
      both.arrive_and_wait();
    });
  }
  EXPECT_LE(threadsSeen, most);
}

TEST(Parallel, MayBeNestedAndCalledFromSeveralThreads) {
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        forEachInParallel(3, 3, [&](size_t) { forEachInParallel(3, 3, [&](size_t) { ++calls; }); });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(calls, 4 * 50 * 9);
}

// The child has none of the parent's threads.
TEST(Parallel, WorksInAForkedChild) {
  auto countCalls = [] {
    std::atomic<int> calls{0};
    forEachInParallel(10, 4, [&](size_t) { ++calls; });
    return calls.load();
  };
  EXPECT_EQ(countCalls(), 10);
  pid_t child = fork();
  if (child == 0)
    _exit(countCalls());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 10);
}

} // namespace
} // namespace tenon
