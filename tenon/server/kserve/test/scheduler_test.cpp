#include "tenon/server/kserve/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::kserve {
namespace {

using ::testing::ElementsAre;

constexpr std::chrono::microseconds kForEver = std::chrono::hours(1);

// Jobs whose results are the number of the batch that they ran in.
class SchedulerTest : public ::testing::Test {
protected:
  void start(int64_t maxBatch, std::vector<int64_t> sizes, std::chrono::microseconds delay, int64_t maxQueue = 100) {
    ModelConfig config;
    config.maxBatchSize = maxBatch;
    config.batchSizes = std::move(sizes);
    config.maxQueueDelay = delay;
    config.maxQueueSize = maxQueue;
    scheduler_ = std::make_unique<Scheduler>(config, [this](const Scheduler::Batch &batch) { run(batch); });
  }
  std::shared_ptr<Job> add(int64_t rows, int64_t size = 1) {
    auto job = std::make_shared<Job>();
    job->rows = rows;
    job->shapes = {{0, size}};
    EXPECT_TRUE(scheduler_->add(job).ok());
    return job;
  }
  static int64_t batchOf(const std::shared_ptr<Job> &job) {
    auto results = job->results.get_future().get();
    return results.ok() ? (*results)[0].shape.dims[0] : -1;
  }

  void run(const Scheduler::Batch &batch) {
    ++batches_;
    for (const auto &job : batch)
      job->results.set_value(std::vector<Tensor>{{"", {{}, {batches_}}, ""}});
  }

  int64_t batches_ = 0;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, AFullBatchRunsAtOnce) {
  start(4, {4}, kForEver);
  std::vector jobs{add(1), add(2), add(1)};
  for (const auto &job : jobs)
    EXPECT_EQ(batchOf(job), 1);
}

TEST_F(SchedulerTest, WhatDoesNotFitMakesABatchFull) {
  start(4, {4}, kForEver);
  auto first = add(3), second = add(2), third = add(2);
  EXPECT_THAT((std::vector{batchOf(first), batchOf(second), batchOf(third)}), ElementsAre(1, 2, 2));
}

TEST_F(SchedulerTest, APreferredSizeRunsAtOnce) {
  start(8, {2, 8}, kForEver);
  auto first = add(1), second = add(1);
  EXPECT_THAT((std::vector{batchOf(first), batchOf(second)}), ElementsAre(1, 1));
}

TEST_F(SchedulerTest, OtherShapesAreNotMixed) {
  start(2, {2}, kForEver);
  auto first = add(1, 5), other = add(1, 6), second = add(1, 5), otherSecond = add(1, 6);
  EXPECT_EQ(batchOf(first), batchOf(second));
  EXPECT_EQ(batchOf(other), batchOf(otherSecond));
  EXPECT_EQ(batches_, 2);
}

TEST_F(SchedulerTest, WithoutADelayWhatIsThereRuns) {
  start(8, {8}, std::chrono::microseconds(0));
  EXPECT_EQ(batchOf(add(1)), 1);
  EXPECT_EQ(batchOf(add(3)), 2);
}

TEST_F(SchedulerTest, TheQueueHasALargestSize) {
  start(8, {8}, kForEver, /*maxQueue=*/2);
  add(1);
  add(1);
  auto late = std::make_shared<Job>();
  EXPECT_EQ(scheduler_->add(late).code(), StatusCode::kUnavailable);
  EXPECT_EQ(scheduler_->waiting(), 2);
}

TEST_F(SchedulerTest, WhatIsTooLateDoesNotRun) {
  start(2, {2}, kForEver);
  auto late = std::make_shared<Job>();
  late->shapes = {{0, 1}};
  late->deadline = Job::Clock::now() - std::chrono::seconds(1);
  ASSERT_TRUE(scheduler_->add(late).ok());
  EXPECT_EQ(late->results.get_future().get().status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(batches_, 0);
}

TEST_F(SchedulerTest, AtItsEndWhatWaitsFails) {
  start(8, {8}, kForEver);
  auto job = add(1);
  scheduler_.reset();
  EXPECT_EQ(job->results.get_future().get().status().code(), StatusCode::kUnavailable);
}

} // namespace
} // namespace tenon::kserve
