#include "tenon/pjrt/work_queue.h"

#include <utility>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace tenon::pjrt {

// The state of a running task, shared by the threads that work at it.
struct WorkQueue::Turn {
  WorkQueue &queue;
  const Order order;
  bool isHeld = true; // false: the task has paused. Guarded by the queue's lock
};

thread_local WorkQueue::Turn *WorkQueue::ownTurn = nullptr;

WorkQueue::~WorkQueue() {
  std::vector<std::thread> threads;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    // Tasks that still run may make more threads, so those are joined afterwards.
    done_.wait(lock, [this] { return isDone(); });
    changed_.notify_all();
    threads.swap(threads_);
  }
  for (std::thread &thread : threads)
    thread.join();
}

bool WorkQueue::stopsForReservation() {
  if (tasks_.empty() || taken_ || !tasks_.front().isReservation)
    return false;
  Task hasStopped = std::move(tasks_.front().task);
  tasks_.pop_front();
  taken_ = true;
  ++running_;
  hasStopped();
  return true;
}

void WorkQueue::attend() {
  if (tasks_.empty() || taken_ || starting_ || stopsForReservation())
    return;
  if (idle_) {
    changed_.notify_one();
    return;
  }
  starting_ = true;
  threads_.emplace_back([this] { work(); });
}

void WorkQueue::push(Task task, Order order) {
  std::lock_guard lock(mutex_);
  tasks_.push_back({std::move(task), order});
  attend();
}

void WorkQueue::reserve(Task hasStopped) {
  std::lock_guard lock(mutex_);
  tasks_.push_back({std::move(hasStopped), Order::kStrict, /*isReservation=*/true});
  attend();
}

bool WorkQueue::tryReserve() {
  std::lock_guard lock(mutex_);
  if (!isDone())
    return false;
  taken_ = true;
  ++running_;
  return true;
}

void WorkQueue::release() {
  std::lock_guard lock(mutex_);
  taken_ = false;
  --running_;
  attend();
  if (isDone())
    done_.notify_all();
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
}

WorkQueue::Pause::Pause() {
  if (!ownTurn || ownTurn->order == Order::kStrict)
    return;
  WorkQueue &queue = ownTurn->queue;
  std::lock_guard lock(queue.mutex_);
  if (!std::exchange(ownTurn->isHeld, false))
    return;
  queue.taken_ = false;
  queue.attend();
}

std::function<void()> WorkQueue::joinTask() {
  return [turn = ownTurn] { ownTurn = turn; };
}

size_t WorkQueue::threadCount() {
  std::lock_guard lock(mutex_);
  return threads_.size();
}

bool WorkQueue::onWorkerThread() { return ownTurn != nullptr; }

void WorkQueue::work() {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), "tenon-device");
#endif
  std::unique_lock lock(mutex_);
  starting_ = false;
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return (!tasks_.empty() && !taken_) || (stopping_ && isDone()); });
    --idle_;
    if (tasks_.empty())
      return;
    if (stopsForReservation())
      continue;
    Entry entry = std::move(tasks_.front());
    tasks_.pop_front();
    taken_ = true;
    ++running_;
    Turn turn{*this, entry.order};
    ownTurn = &turn;
    lock.unlock();
    entry.task();
    entry.task = nullptr; // releases buffers before the next wait
    lock.lock();
    ownTurn = nullptr;
    --running_;
    if (turn.isHeld)
      taken_ = false; // and this thread takes what is queued
    if (isDone())
      done_.notify_all();
  }
}

} // namespace tenon::pjrt
