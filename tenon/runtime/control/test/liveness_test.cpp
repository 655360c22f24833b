#include "tenon/runtime/control/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::runtime {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Time passes only where a test says so.
class LivenessTest : public testing::Test {
protected:
  void make(const LivenessOptions &options = {}) {
    liveness_ = std::make_unique<Liveness>(options, std::vector<std::string>{"process 0", "process 1", "process 2"},
                                           std::vector<Peer>{1, 2}, now_);
  }
  // Seconds pass in which these are heard of.
  Liveness::Verdict pass(int seconds, const std::vector<Peer> &heard) {
    Liveness::Verdict all;
    for (int i = 0; i < seconds; ++i) {
      now_ += 1s;
      for (Peer peer : heard)
        liveness_->heard(peer, activities_, now_);
      Liveness::Verdict verdict = liveness_->check(waiting_, now_);
      all.warnings.insert(all.warnings.end(), verdict.warnings.begin(), verdict.warnings.end());
      all.lost.insert(all.lost.end(), verdict.lost.begin(), verdict.lost.end());
      if (!all.failure)
        all.failure = verdict.failure;
    }
    return all;
  }
  void awaitProcess(Peer peer) { waiting_ = {{peer, false, "all_reduce at train.py:31", now_}}; }

  Liveness::Time now_ = Liveness::Time(1000h);
  std::unique_ptr<Liveness> liveness_;
  std::vector<Activity> activities_ = {{Activity::State::kRunning, 3, 7, "gather at train.py:5", 2s}};
  std::vector<Exchange::Waiting> waiting_;
};

TEST_F(LivenessTest, NamesWhoIsSilent) {
  make();
  EXPECT_FALSE(pass(100, {1, 2}).failure);
  EXPECT_FALSE(pass(10, {1}).failure) << "not longer than it may";
  Liveness::Verdict verdict = pass(1, {1});
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.failure->code(), StatusCode::kAborted);
  EXPECT_THAT(verdict.failure->message(), AllOf(HasSubstr("process 2 has been silent for 11 s"),
                                                HasSubstr("device 3: gather at train.py:5 (launch 7), for 2 s")));
}

TEST_F(LivenessTest, NoticesWhoWasNeverHeardOf) {
  make();
  Liveness::Verdict verdict = pass(11, {2});
  ASSERT_TRUE(verdict.failure);
  EXPECT_THAT(verdict.failure->message(), AllOf(HasSubstr("process 1"), HasSubstr("never heard of")));
}

TEST_F(LivenessTest, LetsDebuggersStopAProcess) {
  LivenessOptions options;
  options.peerTimeout = 0ms;
  make(options);
  EXPECT_FALSE(pass(10'000, {1}).failure);
}

TEST_F(LivenessTest, ExpectsNothingOfWhoHasLeft) {
  make();
  liveness_->left(2, now_);
  EXPECT_FALSE(pass(100, {1}).failure);
}

TEST_F(LivenessTest, WaitsForWhatWasSaidBeforeAnEnd) {
  make({.endTimeout = 2s});
  EXPECT_EQ(liveness_->nextEnd(), std::nullopt);
  liveness_->framesEnded(1, now_);
  EXPECT_EQ(liveness_->nextEnd(), now_ + 2s);
  EXPECT_FALSE(pass(1, {1, 2}).failure);
  Liveness::Verdict verdict = pass(1, {1, 2});
  ASSERT_TRUE(verdict.failure);
  EXPECT_THAT(verdict.failure->message(), HasSubstr("the connection with process 1 has ended"));
  EXPECT_EQ(liveness_->nextEnd(), std::nullopt);
  EXPECT_FALSE(pass(10, {1, 2}).failure) << "once";
}

// Process 0, which is not watched here, may know why it has ended.
TEST_F(LivenessTest, BlamesNobodyItDoesNotHear) {
  make({.endTimeout = 2s});
  liveness_->framesEnded(0, now_);
  EXPECT_THAT(pass(1, {1, 2}).lost, IsEmpty());
  Liveness::Verdict verdict = pass(1, {1, 2});
  EXPECT_FALSE(verdict.failure) << "of all";
  ASSERT_EQ(verdict.lost.size(), 1u);
  EXPECT_EQ(verdict.lost[0].first, 0);
  EXPECT_THAT(verdict.lost[0].second.message(), HasSubstr("process 0 has ended without a word"));
}

TEST_F(LivenessTest, LetsAProcessSayThatItMeansToEnd) {
  make({.endTimeout = 2s});
  liveness_->processEnded(1, now_);
  EXPECT_FALSE(pass(1, {2}).failure);
  liveness_->left(1, now_);
  Liveness::Verdict verdict = pass(2, {2});
  EXPECT_FALSE(verdict.failure);
  ASSERT_FALSE(verdict.lost.empty());
  EXPECT_THAT(verdict.lost[0].second.message(), HasSubstr("process 1 has ended, and others wait for it"));
}

TEST_F(LivenessTest, NamesWhoseEndTheKernelTells) {
  make({.endTimeout = 2s});
  liveness_->processEnded(1, now_);
  EXPECT_FALSE(pass(1, {1, 2}).failure);
  Liveness::Verdict verdict = pass(1, {1, 2});
  ASSERT_TRUE(verdict.failure);
  EXPECT_THAT(verdict.failure->message(),
              AllOf(HasSubstr("process 1 has ended without a word"), HasSubstr("gather at train.py:5")));
}

// Where this process itself was stopped, it has heard nobody, and nobody is to blame.
TEST_F(LivenessTest, DoesNotCountItsOwnPauses) {
  make();
  EXPECT_FALSE(pass(5, {1, 2}).failure);
  now_ += 1h;
  EXPECT_FALSE(liveness_->check(waiting_, now_).failure);
  EXPECT_FALSE(pass(10, {1}).failure);
  EXPECT_TRUE(pass(1, {1}).failure);
}

TEST_F(LivenessTest, WarnsOnceOfWhoIsWaitedFor) {
  make();
  awaitProcess(2);
  EXPECT_THAT(pass(20, {1, 2}).warnings, IsEmpty());
  EXPECT_THAT(pass(100, {1, 2}).warnings,
              ElementsAre(AllOf(HasSubstr("all_reduce at train.py:31 has waited 21 s for process 2"),
                                HasSubstr("device 3: gather at train.py:5"))));
  waiting_.clear();
  EXPECT_THAT(pass(1, {1, 2}).warnings, IsEmpty());
  awaitProcess(2);
  EXPECT_THAT(pass(30, {1, 2}).warnings, testing::SizeIs(1)) << "the next time it is news";
}

TEST_F(LivenessTest, EndsWaitingAfterALongTime) {
  make();
  awaitProcess(2);
  EXPECT_FALSE(pass(30 * 60, {1, 2}).failure);
  Liveness::Verdict verdict = pass(1, {1, 2});
  ASSERT_TRUE(verdict.failure);
  EXPECT_THAT(verdict.failure->message(),
              AllOf(HasSubstr("has waited 1801 s for process 2"), HasSubstr("TENON_COLLECTIVE_TIMEOUT")));
}

TEST_F(LivenessTest, WaitsForWhoCompiles) {
  make();
  activities_ = {{Activity::State::kCompiling, 0, 0, "jit_step", 100s}};
  awaitProcess(2);
  EXPECT_FALSE(pass(2 * 3600, {1, 2}).failure);
  activities_.clear();
  EXPECT_TRUE(pass(1, {1, 2}).failure);
}

} // namespace
} // namespace tenon::runtime
