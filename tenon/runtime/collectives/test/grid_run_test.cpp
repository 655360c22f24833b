// Processes of a grid that share the workers' threads as fibers.
#include "tenon/runtime/collectives/grid_run.h"

#include "tenon/runtime/core/fiber_group.h"
#include "tenon/runtime/core/thread_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace tenon::runtime {
namespace {

using testing::HasSubstr;

int32_t moreThanWorkers() { return 4 * ThreadPool::defaultThreadCount(); }

// Meets all others, who have counted themselves before.
Status meet(const RunOptions &options) {
  std::vector<int64_t> all(static_cast<size_t>(options.numPartitions));
  std::iota(all.begin(), all.end(), 0);
  int64_t own = options.partitionId;
  return options.rendezvous->meet(
      all, own, {&options.rendezvous->purpose("meet"), &own},
      [&](std::span<const Rendezvous::Part> parts) -> Status {
        for (size_t i = 0; i < parts.size(); ++i)
          EXPECT_EQ(*static_cast<const int64_t *>(parts[i].content), static_cast<int64_t>(i));
        return {};
      },
      options.wait);
}

TEST(GridRun, ProcessesThatWaitForEachOtherShareTheWorkersThreads) {
  const int32_t count = moreThanWorkers();
  std::vector<std::thread::id> threads(static_cast<size_t>(count));
  Status status = runGridOnWorkers(1, count, {}, [&](const RunOptions &options) -> Status {
    EXPECT_NE(FiberGroup::current(), nullptr);
    threads[static_cast<size_t>(options.partitionId)] = std::this_thread::get_id();
    for (int i = 0; i < 3; ++i)
      TENON_RETURN_IF_ERROR(meet(options));
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), static_cast<size_t>(ThreadPool::defaultThreadCount()));
}

TEST(GridRun, AsManyProcessesAsWorkersHaveThreads) {
  Status status = runGridOnWorkers(1, ThreadPool::defaultThreadCount(), {}, [](const RunOptions &options) -> Status {
    EXPECT_EQ(FiberGroup::current(), nullptr);
    return meet(options);
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(GridRun, AFiberRunsItsGridOnThreads) {
  std::atomic<int> runs = 0;
  Status status = runGridOnWorkers(1, moreThanWorkers(), {}, [&](const RunOptions &options) -> Status {
    return options.partitionId != 0 ? Status()
                                    : runGridOnWorkers(1, moreThanWorkers(), {}, [&](const RunOptions &inner) {
                                        EXPECT_EQ(FiberGroup::current() != nullptr, inner.partitionId == 0);
                                        ++runs;
                                        return Status();
                                      });
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(runs, moreThanWorkers());
}

TEST(GridRun, AFiberThatFailsEndsTheOthers) {
  const int32_t last = moreThanWorkers() - 1;
  std::atomic<int> entered = 0;
  RunOptions given;
  given.enterThread = [&] { ++entered; };
  Status status = runGridOnWorkers(1, last + 1, given, [&](const RunOptions &options) -> Status {
    return options.partitionId == last ? internalError("out of luck") : meet(options);
  });
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("process (0, " + std::to_string(last) + "): out of luck"));
  EXPECT_EQ(entered, ThreadPool::defaultThreadCount() - 1); // one is the caller's
}

} // namespace
} // namespace tenon::runtime
