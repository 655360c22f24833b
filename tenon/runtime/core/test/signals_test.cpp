#include "tenon/runtime/core/signals.h"

#include "tenon/runtime/core/fiber_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <vector>

namespace tenon::runtime {
namespace {

using testing::ElementsAre;

int32_t flag = 0;
int checks = 0;

class Signals : public testing::Test {
protected:
  void SetUp() override {
    flag = 0;
    checks = 0;
    std::signal(SIGINT, [](int) {});
  }
  void TearDown() override {
    setSignalCheck(nullptr);
    std::signal(SIGINT, SIG_DFL);
  }
};

TEST_F(Signals, AreAskedOnce) {
  setSignalCheck([] { return ++checks == 2; });
  SignalWatch watch(&flag);
  EXPECT_FALSE(confirmsStop(&flag));
  std::raise(SIGINT);
  EXPECT_EQ(flag, kSignal);
  EXPECT_FALSE(confirmsStop(&flag));
  EXPECT_FALSE(confirmsStop(&flag));
  EXPECT_EQ(checks, 1);
  std::raise(SIGINT);
  EXPECT_TRUE(confirmsStop(&flag));
  EXPECT_EQ(flag, kStopBySignal);
  EXPECT_TRUE(confirmsStop(&flag));
  EXPECT_EQ(checks, 2);
}

// One that comes while the handlers of another run is not lost: nobody may send a third.
TEST_F(Signals, ComeWhileTheirHandlersRun) {
  setSignalCheck([] {
    if (++checks == 1)
      std::raise(SIGINT);
    return checks == 2;
  });
  SignalWatch watch(&flag);
  std::raise(SIGINT);
  EXPECT_FALSE(confirmsStop(&flag));
  EXPECT_TRUE(confirmsStop(&flag));
  EXPECT_EQ(checks, 2);
}

TEST_F(Signals, EndARunThoughAnotherComes) {
  setSignalCheck([] {
    std::raise(SIGINT);
    return true;
  });
  SignalWatch watch(&flag);
  std::raise(SIGINT);
  EXPECT_TRUE(confirmsStop(&flag));
  EXPECT_EQ(flag, kStopBySignal);
}

TEST_F(Signals, LeaveDeadlinesThatComeMeanwhile) {
  setSignalCheck([] {
    flag = kStop;
    return false;
  });
  SignalWatch watch(&flag);
  std::raise(SIGINT);
  EXPECT_TRUE(confirmsStop(&flag));
  EXPECT_EQ(flag, kStop);
}

// Devices that take turns on a thread end in any order.
TEST_F(Signals, AreSeenByAllRunsThatAreWatchedInAnyOrder) {
  setSignalCheck([] { return true; });
  int32_t flags[3] = {};
  std::optional<SignalWatch> watches[3];
  for (size_t i = 0; i < 3; ++i)
    watches[i].emplace(&flags[i]);
  watches[0].reset();
  std::raise(SIGINT);
  EXPECT_THAT(flags, ElementsAre(0, kSignal, kSignal));
  watches[1].reset();
  watches[2].reset();
  std::raise(SIGINT); // whom nobody waits for
  SignalWatch watch(&flag);
  EXPECT_EQ(flag, 0);
  std::raise(SIGINT);
  EXPECT_TRUE(confirmsStop(&flag));
  EXPECT_THAT(flags, ElementsAre(0, kSignal, kSignal));
}

// A fiber's stack is none that a language knows.
TEST_F(Signals, AreAskedForOnTheStackOfTheThread) {
  static const char *stack = nullptr;
  const char here = 0;
  stack = &here;
  setSignalCheck([] {
    const char there = 0;
    EXPECT_LT(std::abs(&there - stack), std::ptrdiff_t(1) << 20);
    EXPECT_EQ(FiberGroup::current(), nullptr);
    return ++checks == 2;
  });
  std::vector<bool> outcomes;
  Status status = FiberGroup::runAll({[&] {
                                       SignalWatch watch(&flag);
                                       for (int i = 0; i < 2; ++i) {
                                         std::raise(SIGINT);
                                         outcomes.push_back(confirmsStop(&flag));
                                       }
                                       EXPECT_NE(FiberGroup::current(), nullptr);
                                     }},
                                     [](size_t) {});
  EXPECT_TRUE(status.ok());
  EXPECT_THAT(outcomes, ElementsAre(false, true));
}

} // namespace
} // namespace tenon::runtime
