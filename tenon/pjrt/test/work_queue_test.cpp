#include "tenon/pjrt/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <numeric>
#include <thread>

namespace tenon::pjrt {
namespace {

// Far above what a busy machine may take: what waits that long waits for ever.
constexpr std::chrono::minutes kHang{10};

// A chance for what must not happen yet. A wrong queue may pass for all that, a right one cannot fail.
void letOthersRun() {
  for (int i = 0; i < 1000; ++i)
    std::this_thread::yield();
}

TEST(WorkQueue, KeepsTheOrder) {
  std::vector<int> seen;
  {
    WorkQueue queue;
    for (int i = 0; i < 1000; ++i)
      queue.push([&, i] { seen.push_back(i); });
  } // waits
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
  EXPECT_FALSE(WorkQueue::onWorkerThread());
}

// Also where tasks are pushed before the first thread has begun: each further one would be woken for every task.
TEST(WorkQueue, HasOneThreadForTasksThatDoNotPause) {
  WorkQueue queue;
  for (int round = 0; round < 20; ++round) {
    std::promise<void> done;
    for (int i = 0; i < 50; ++i)
      queue.push([] {});
    queue.push([&] { done.set_value(); });
    ASSERT_EQ(done.get_future().wait_for(kHang), std::future_status::ready);
  }
  EXPECT_EQ(queue.threadCount(), 1u);
}

// A reserved queue runs nothing until it is released: not what was queued before, which has ended, nor what comes
// after.
TEST(WorkQueue, StopsForAReservationInItsTurn) {
  WorkQueue queue;
  std::promise<void> mayEnd, hasStopped, ran;
  std::atomic<int> state = 0;
  queue.push([&] {
    mayEnd.get_future().wait();
    state = 1;
  });
  queue.reserve([&] {
    EXPECT_EQ(state, 1);
    hasStopped.set_value();
  });
  queue.push([&] {
    EXPECT_EQ(state, 2);
    ran.set_value();
  });
  letOthersRun();
  EXPECT_EQ(state, 0);
  mayEnd.set_value();
  ASSERT_EQ(hasStopped.get_future().wait_for(kHang), std::future_status::ready);
  letOthersRun();
  state = 2;
  queue.release();
  EXPECT_EQ(ran.get_future().wait_for(kHang), std::future_status::ready);
}

// No thread is made or woken for reservations of a queue that has nothing to do.
TEST(WorkQueue, ReservationsNeedNoThread) {
  WorkQueue queue;
  int stopped = 0;
  queue.reserve([&] { ++stopped; });
  queue.reserve([&] { ++stopped; });
  EXPECT_EQ(stopped, 1);
  queue.release();
  EXPECT_EQ(stopped, 2);
  queue.release();
  EXPECT_EQ(queue.threadCount(), 0u);
}

// At once, but not before what is queued.
TEST(WorkQueue, IsReservedAtOnceWhereItHasNothingToDo) {
  WorkQueue queue;
  ASSERT_TRUE(queue.tryReserve());
  EXPECT_FALSE(queue.tryReserve());
  std::promise<void> mayEnd, ran;
  queue.push([&] {
    ran.set_value();
    mayEnd.get_future().wait();
  });
  letOthersRun();
  EXPECT_EQ(queue.threadCount(), 0u);
  queue.release();
  EXPECT_EQ(ran.get_future().wait_for(kHang), std::future_status::ready);
  EXPECT_FALSE(queue.tryReserve());
  mayEnd.set_value();
}

// A task that waits for what a later task does.
TEST(WorkQueue, GoesOnWhileATaskPauses) {
  WorkQueue queue;
  std::promise<void> later, done;
  queue.push([&] {
    EXPECT_TRUE(WorkQueue::onWorkerThread());
    WorkQueue::Pause pause;
    EXPECT_EQ(later.get_future().wait_for(kHang), std::future_status::ready);
    done.set_value();
  });
  queue.push([&] { later.set_value(); });
  EXPECT_EQ(done.get_future().wait_for(kHang), std::future_status::ready);
  EXPECT_EQ(queue.threadCount(), 2u);
}

// A thread that works at a task may pause it, and so may another after it.
TEST(WorkQueue, ThreadsJoinATask) {
  WorkQueue queue;
  std::promise<void> later, done;
  queue.push([&] {
    std::function<void()> join = WorkQueue::joinTask();
    auto waits = [&, ready = later.get_future().share()] {
      EXPECT_FALSE(WorkQueue::onWorkerThread());
      join();
      EXPECT_TRUE(WorkQueue::onWorkerThread());
      WorkQueue::Pause pause;
      EXPECT_EQ(ready.wait_for(kHang), std::future_status::ready);
    };
    std::thread first(waits), second(waits);
    first.join();
    second.join();
    done.set_value();
  });
  queue.push([&] { later.set_value(); });
  EXPECT_EQ(done.get_future().wait_for(kHang), std::future_status::ready);
}

// Pauses in pauses, on as many threads as there are.
TEST(WorkQueue, EachTaskMayWaitForTheNext) {
  constexpr int kTasks = 20;
  std::vector<std::promise<void>> finished(kTasks);
  WorkQueue queue;
  for (int i = 0; i < kTasks; ++i)
    queue.push([&, i] {
      WorkQueue::Pause pause;
      if (i + 1 < kTasks)
        EXPECT_EQ(finished[i + 1].get_future().wait_for(kHang), std::future_status::ready);
      finished[i].set_value();
    });
  EXPECT_EQ(finished[0].get_future().wait_for(kHang), std::future_status::ready);
}

TEST(WorkQueue, StrictTasksKeepTheirTurn) {
  std::atomic<bool> finished = false;
  std::promise<void> queued;
  WorkQueue queue;
  queue.push(
      [&] {
        WorkQueue::Pause pause;
        queued.get_future().wait();
        letOthersRun();
        finished = true;
      },
      WorkQueue::Order::kStrict);
  std::promise<bool> order;
  queue.push([&] { order.set_value(finished); });
  queued.set_value();
  EXPECT_TRUE(order.get_future().get());
}

// Only one task at a time, but for paused ones.
TEST(WorkQueue, PausedTasksDoNotMakeOthersRunTogether) {
  std::atomic<int> active = 0;
  std::promise<void> half;
  {
    WorkQueue queue;
    queue.push([&] {
      WorkQueue::Pause pause;
      half.get_future().wait();
    });
    for (int i = 0; i < 200; ++i)
      queue.push([&, i] {
        EXPECT_EQ(++active, 1);
        if (i == 100)
          half.set_value();
        std::this_thread::yield();
        --active;
      });
  }
}

TEST(WorkQueue, ATaskThatSteppedAsideComesNext) {
  std::vector<std::string> seen;
  {
    WorkQueue queue;
    std::promise<void> go;
    queue.push([&, ready = go.get_future().share()] {
      queue.stepAside();
      ready.wait();
      queue.push([&] { seen.emplace_back("behind"); });
      queue.resume([&] { seen.emplace_back("resumed"); });
    });
    go.set_value();
  }
  EXPECT_THAT(seen, testing::ElementsAre("resumed", "behind"));
}

// The queue's end waits for what comes back from elsewhere.
TEST(WorkQueue, TheEndWaitsForTasksAside) {
  std::atomic<bool> resumed = false;
  std::promise<void> aside, end;
  std::thread other;
  {
    WorkQueue queue;
    queue.push([&] {
      queue.stepAside();
      other = std::thread([&] {
        end.get_future().wait();
        letOthersRun();
        queue.resume([&] { resumed = true; });
      });
      aside.set_value();
    });
    aside.get_future().wait();
    end.set_value();
  }
  EXPECT_TRUE(resumed);
  other.join();
}

TEST(WorkQueue, ManyQueuesComeAndGo) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> count = 0;
    {
      WorkQueue queue;
      for (int i = 0; i < 10; ++i)
        queue.push([&, i] {
          if (i % 3 == 0) {
            WorkQueue::Pause pause;
            std::this_thread::yield();
          }
          ++count;
        });
    }
    ASSERT_EQ(count, 10);
  }
}

} // namespace
} // namespace tenon::pjrt
