#include "tenon/runtime/core/thread_pool.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace tenon::runtime {
namespace {

// Every index exactly once, whatever the extent, grain and number of workers.
void expectCoversOnce(ThreadPool &pool, int64_t extent, int64_t grain) {
  std::vector<std::atomic<int>> visits(static_cast<size_t>(extent));
  pool.parallelFor(
      extent,
      [&](int64_t begin, int64_t end, int worker) {
        EXPECT_LE(0, begin);
        EXPECT_LT(begin, end);
        EXPECT_LE(end, extent);
        EXPECT_LT(worker, pool.size());
        for (int64_t i = begin; i < end; ++i)
          visits[size_t(i)].fetch_add(1, std::memory_order_relaxed);
      },
      grain);
  for (auto &count : visits)
    ASSERT_EQ(count.load(), 1);
}

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (int64_t extent : {0, 1, 2, 3, 7, 8, 9, 31, 1000})
      for (int64_t grain : {0, 1, 5, 2000})
        expectCoversOnce(pool, extent, grain);
  }
}

TEST(ThreadPool, ManyShortLoops) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 20000; ++i)
    pool.parallelFor(4, [&](int64_t begin, int64_t end, int) { sum.fetch_add(end - begin); });
  EXPECT_EQ(sum.load(), 80000);
}

// Loops between which the workers fall asleep.
TEST(ThreadPool, WakesSleepers) {
  ThreadPool pool(3);
  for (int i = 0; i < 20; ++i) {
    while (pool.sleepers() < 2)
      std::this_thread::yield();
    expectCoversOnce(pool, 64, 1);
  }
}

// The caller's first piece blocks until somebody else has come: it must not be what shows whether that is worth it.
TEST(ThreadPool, LongLoopsWakeSleepersAtOnce) {
  ThreadPool pool(2);
  while (pool.sleepers() < 1)
    std::this_thread::yield();
  std::atomic<bool> other{false};
  auto body = [&](int64_t, int64_t, int worker) {
    if (worker != 0)
      other = true;
    while (worker == 0 && !other)
      std::this_thread::yield();
  };
  pool.parallelFor(1000, body, 1, /*isLong=*/true);
  EXPECT_TRUE(other.load());
}

// At the end of a loop nobody waits for more than one task of another.
TEST(ThreadPool, LastPiecesAreSmall) {
  constexpr int64_t kExtent = 128;
  ThreadPool pool(2);
  std::atomic<int64_t> lengths[kExtent + 1] = {}; // of pieces, by where they end
  pool.parallelFor(kExtent, [&](int64_t begin, int64_t end, int) { lengths[end] = end - begin; });
  for (int64_t end : {kExtent / 2, kExtent})
    EXPECT_EQ(lengths[end].load(), 1) << end;
}

TEST(ThreadPool, WorkersTakePart) {
  ThreadPool pool(2);
  std::atomic<bool> other{false};
  // The caller's stretch blocks until somebody else has started on the second.
  pool.parallelFor(2, [&](int64_t begin, int64_t, int worker) {
    if (worker != 0)
      other = true;
    while (begin == 0 && worker == 0 && !other)
      std::this_thread::yield();
  });
  EXPECT_TRUE(other.load());
}

TEST(ThreadPool, NestedLoopsRunInPlace) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  pool.parallelFor(10, [&](int64_t begin, int64_t end, int) {
    auto thread = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i)
      pool.parallelFor(100, [&](int64_t b, int64_t e, int) {
        EXPECT_EQ(thread, std::this_thread::get_id());
        sum.fetch_add(e - b);
      });
  });
  EXPECT_EQ(sum.load(), 1000);
}

TEST(ThreadPool, ConcurrentCallers) {
  ThreadPool pool(4);
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&] {
      for (int i = 0; i < 2000; ++i)
        pool.parallelFor(17, [&](int64_t begin, int64_t end, int) { sum.fetch_add(end - begin); });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum.load(), 6 * 2000 * 17);
}

TEST(ThreadPool, MakesAndDestroysQuickly) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(3);
    if (i % 2)
      pool.parallelFor(3, [](int64_t, int64_t, int) {});
  }
}

TEST(ThreadPool, EnvironmentSetsTheDefault) {
  setenv("TENON_NUM_THREADS", "5", 1);
  EXPECT_EQ(ThreadPool::defaultThreadCount(), 5);
  setenv("TENON_NUM_THREADS", "rubbish", 1);
  EXPECT_GE(ThreadPool::defaultThreadCount(), 1);
  unsetenv("TENON_NUM_THREADS");
  EXPECT_GE(ThreadPool::defaultThreadCount(), 1);
}

} // namespace
} // namespace tenon::runtime
