#include "tenon/runtime/core/signals.h"

#include "gtest/gtest.h"

#include <csignal>

namespace tenon::runtime {
namespace {

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

} // namespace
} // namespace tenon::runtime
