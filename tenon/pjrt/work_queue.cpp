#include "tenon/pjrt/work_queue.h"

#include <utility>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace tenon::pjrt {
namespace {

// Of a worker.
thread_local WorkQueue *ownQueue = nullptr;
thread_local bool holdsTurn = false;
thread_local WorkQueue::Order taskOrder = WorkQueue::Order::kLoose;

} // namespace

WorkQueue::~WorkQueue() {
  std::vector<std::thread> threads;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    // What is still at work may make more threads.
    changed_.wait(lock, [this] { return isDone(); });
    changed_.notify_all();
    threads.swap(threads_);
  }
  for (std::thread &thread : threads)
    thread.join();
}

void WorkQueue::attend() {
  if (tasks_.empty() || taken_)
    return;
  if (idle_ == 0)
    threads_.emplace_back([this] { work(); });
  else
    changed_.notify_all();
}

void WorkQueue::push(Task task, Order order) {
  std::lock_guard lock(mutex_);
  tasks_.push_back({std::move(task), order});
  attend();
}

void WorkQueue::stepAside() {
  std::lock_guard lock(mutex_);
  ++aside_;
}

void WorkQueue::resume(Task task) {
  std::lock_guard lock(mutex_);
  tasks_.push_front({std::move(task), Order::kLoose});
  --aside_;
  attend();
  changed_.notify_all();
}

WorkQueue::Pause::Pause() {
  if (!holdsTurn || taskOrder == Order::kStrict)
    return;
  std::lock_guard lock(ownQueue->mutex_);
  holdsTurn = false;
  ownQueue->taken_ = false;
  ownQueue->attend();
}

bool WorkQueue::onWorkerThread() { return ownQueue != nullptr; }

void WorkQueue::work() {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), "tenon-device");
#endif
  ownQueue = this;
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return (!tasks_.empty() && !taken_) || (stopping_ && isDone()); });
    --idle_;
    if (tasks_.empty())
      return;
    Entry entry = std::move(tasks_.front());
    tasks_.pop_front();
    taken_ = holdsTurn = true;
    ++running_;
    taskOrder = entry.order;
    lock.unlock();
    entry.task();
    entry.task = nullptr; // releases buffers before the next wait
    lock.lock();
    --running_;
    if (std::exchange(holdsTurn, false))
      taken_ = false;
    changed_.notify_all();
  }
}

} // namespace tenon::pjrt
