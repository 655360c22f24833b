// Functions on one thread that wait for each other, and that compute tasks together.
#include "tenon/runtime/core/fiber_group.h"

#include "tenon/runtime/core/abi.h"
#include "tenon/runtime/core/interrupt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>

namespace tenon::runtime {
namespace {

using testing::ElementsAre;
using Bodies = std::vector<std::function<void()>>;

// In which order the bodies ended.
std::vector<size_t> run(Bodies bodies) {
  std::unique_ptr<FiberGroup> group = FiberGroup::create(bodies.size());
  std::vector<size_t> ended;
  group->run(std::move(bodies), [&](size_t i) {
    EXPECT_EQ(FiberGroup::current(), nullptr);
    ended.push_back(i);
  });
  return ended;
}

void sleepUntil(Signal &signal, const bool &isReady) {
  while (true) {
    uint32_t seen = signal.now();
    if (isReady)
      return;
    FiberGroup::current()->sleep(signal, seen, Signal::Time::max());
  }
}

TEST(FiberGroup, WaitsForEachOther) {
  Signal signal;
  bool first = false, second = false;
  auto ended = run({[&] {
                      sleepUntil(signal, second);
                      first = true;
                      signal.notify();
                    },
                    [&] {
                      second = true;
                      signal.notify();
                      sleepUntil(signal, first);
                    }});
  EXPECT_THAT(ended, ElementsAre(0, 1));
}

TEST(FiberGroup, WaitsForOtherThreads) {
  Signal signals[2];
  std::atomic<bool> isReady[2] = {false, false};
  std::atomic<bool> secondGoesOn = false;
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // so that both fibers sleep by then, as a rule
    isReady[1] = true;
    signals[1].notify();
    secondGoesOn.wait(false);
    isReady[0] = true;
    signals[0].notify();
  });
  auto wait = [&](int i) {
    for (uint32_t seen = signals[i].now(); !isReady[i]; seen = signals[i].now())
      if (!isReady[i])
        FiberGroup::current()->sleep(signals[i], seen, Signal::Time::max());
  };
  auto second = [&] {
    wait(1);
    secondGoesOn = true;
    secondGoesOn.notify_one();
  };
  EXPECT_THAT(run({[&] { wait(0); }, second}), ElementsAre(1, 0));
}

TEST(FiberGroup, ASleepEndsInTime) {
  Signal signal;
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  run({[&] { FiberGroup::current()->sleep(signal, signal.now(), until); }});
  EXPECT_GE(std::chrono::steady_clock::now(), until);
}

// Tasks that begin the same are those of all who come to them, a stretch after the other.
TEST(FiberGroup, ComputesTasksInTurns) {
  std::string order;
  auto tasks = [&](char name, const void *key, int64_t extent) {
    FiberGroup::current()->runTasks(key, extent, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i)
        order += name + std::to_string(i) + " ";
    });
  };
  int one = 0, two = 0;
  run({[&] { tasks('a', &one, 3); }, [&] { tasks('b', &two, 2); }, [&] { tasks('c', &one, 3); }});
  EXPECT_EQ(order, "a0 c0 a1 c1 a2 c2 b0 b1 ");
}

TEST(FiberGroup, GivesEveryTaskOnce) {
  for (int64_t extent : {1, 31, 32, 33, 100, 1000}) {
    std::vector<int> counts(static_cast<size_t>(extent) * 2);
    auto tasks = [&](size_t at) {
      FiberGroup::current()->runTasks(&counts, extent, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i)
          ++counts[at + static_cast<size_t>(i)];
      });
    };
    run({[&] { tasks(0); }, [&] { tasks(static_cast<size_t>(extent)); }});
    EXPECT_THAT(counts, testing::Each(1));
  }
}

// What each works for is its own (tenon_stopped), and so are the registers that a function keeps.
TEST(FiberGroup, KeepsWhatIsAFibersOwn) {
  Signal signal;
  bool isReady = false;
  int32_t stop = kStop, go = 0;
  double kept[2] = {};
  auto body = [&](int i) {
    CurrentRun worksFor(i ? &go : &stop);
    double value = std::sqrt(i + 2.0);
    if (i == 0) {
      sleepUntil(signal, isReady);
    } else {
      isReady = true;
      signal.notify();
      FiberGroup::current()->runTasks(&go, 1, [](int64_t, int64_t, int) {});
    }
    EXPECT_EQ(tenon_stopped(), i == 0);
    kept[i] = value;
  };
  run({[&] { body(0); }, [&] { body(1); }});
  EXPECT_EQ(tenon_stopped(), 0);
  EXPECT_EQ(kept[0], std::sqrt(2.0));
  EXPECT_EQ(kept[1], std::sqrt(3.0));
}

TEST(FiberGroup, RunsAgain) {
  std::unique_ptr<FiberGroup> group = FiberGroup::create(3);
  for (int round = 0; round < 100; ++round) {
    int count = 0;
    Bodies bodies(3, [&] { count += 1; });
    std::jthread([&] { group->run(std::move(bodies), [&](size_t) { count += 10; }); }).join();
    EXPECT_EQ(count, 33);
  }
}

// An exception that a fiber catches is its own.
TEST(FiberGroup, CatchesExceptions) {
  int caught = 0;
  auto body = [&] {
    try {
      throw std::runtime_error("out of luck");
    } catch (const std::runtime_error &) {
      ++caught;
    }
  };
  run({body, body});
  EXPECT_EQ(caught, 2);
}

} // namespace
} // namespace tenon::runtime
