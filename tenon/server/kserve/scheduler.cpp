#include "tenon/server/kserve/scheduler.h"

#include <algorithm>

namespace tenon::kserve {

static const Status kEnded(StatusCode::kUnavailable, "the model does not serve any more");

Scheduler::Scheduler(const ModelConfig &config, std::function<void(Batch)> run)
    : maxBatch_(std::max<int64_t>(config.maxBatchSize, 1)), sizes_(config.batchSizes), delay_(config.maxQueueDelay),
      maxQueue_(static_cast<size_t>(config.maxQueueSize)), run_(std::move(run)) {
  for (int64_t i = 0; i < config.instances; ++i)
    threads_.emplace_back([this] { work(); });
}

void Scheduler::end() {
  std::deque<std::shared_ptr<Job>> left;
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    left.swap(queue_);
  }
  changed_.notify_all();
  for (const auto &job : left)
    job->results.set_value(kEnded);
}

Scheduler::~Scheduler() {
  end();
  for (std::thread &thread : threads_)
    thread.join();
}

Status Scheduler::add(std::shared_ptr<Job> job) {
  {
    std::lock_guard lock(mutex_);
    if (ends_)
      return kEnded;
    if (queue_.size() >= maxQueue_)
      return {StatusCode::kUnavailable,
              "the model has its " + std::to_string(maxQueue_) + " requests waiting; try again later"};
    job->queued = Job::Clock::now();
    queue_.push_back(std::move(job));
  }
  changed_.notify_all();
  return {};
}

int64_t Scheduler::waiting() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(queue_.size());
}

void Scheduler::dropLate(Job::Clock::time_point now) {
  std::erase_if(queue_, [&](const std::shared_ptr<Job> &job) {
    if (job->deadline > now)
      return false;
    job->results.set_value(Status(StatusCode::kDeadlineExceeded, "the request's time was over before it had its turn"));
    return true;
  });
}

Scheduler::Batch Scheduler::take(Job::Clock::time_point now, Job::Clock::time_point &until) {
  // The first request, and those like it in their order, as long as they fit.
  std::vector<size_t> places;
  int64_t rows = 0;
  size_t preferred = 0; // so many of them have as many rows as a program is compiled for
  bool isFull = false;
  for (size_t i = 0; i < queue_.size() && !isFull; ++i) {
    if (queue_[i]->shapes != queue_.front()->shapes)
      continue;
    if (rows + queue_[i]->rows > maxBatch_) {
      isFull = true;
      break;
    }
    places.push_back(i);
    rows += queue_[i]->rows;
    if (std::ranges::binary_search(sizes_, rows))
      preferred = places.size();
    isFull = rows == maxBatch_;
  }
  until = queue_.front()->queued + delay_;
  if (!isFull && preferred == 0 && now < until)
    return {};
  if (!isFull && preferred > 0 && now < until)
    places.resize(preferred);
  Batch batch;
  for (size_t place : places)
    batch.push_back(std::move(queue_[place]));
  std::erase(queue_, nullptr);
  return batch;
}

void Scheduler::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    auto now = Job::Clock::now();
    dropLate(now);
    if (queue_.empty()) {
      changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
      continue;
    }
    Job::Clock::time_point until;
    Batch batch = take(now, until);
    if (batch.empty()) {
      changed_.wait_until(lock, until);
      continue;
    }
    lock.unlock();
    run_(std::move(batch));
    lock.lock();
  }
}

} // namespace tenon::kserve
