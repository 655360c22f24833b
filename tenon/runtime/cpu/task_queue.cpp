#include "tenon/runtime/cpu/task_queue.h"

#include "tenon/runtime/core/thread_pool.h"

#include <algorithm>
#include <system_error>

namespace tenon::runtime {

TaskQueue::TaskQueue(int threads) : size_(std::max(1, threads)) {}

TaskQueue::~TaskQueue() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

TaskQueue &TaskQueue::global() {
  static TaskQueue *queue = new TaskQueue(ThreadPool::global().size());
  return *queue;
}

void TaskQueue::schedule(Task *task, void *data) {
  {
    std::lock_guard lock(mutex_);
    if (idle_ <= int(tasks_.size()) && int(threads_.size()) < size_) {
      try {
        threads_.emplace_back([this] { threadMain(); });
      } catch (const std::system_error &) { // NOLINT(bugprone-empty-catch)
        // Fewer threads then; with none at all the task runs here.
      }
    }
    if (!threads_.empty()) {
      tasks_.emplace_back(task, data);
      task = nullptr;
    }
  }
  if (task)
    task(data);
  else
    changed_.notify_one();
}

void TaskQueue::threadMain() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty())
      return;
    auto [task, data] = tasks_.front();
    tasks_.pop_front();
    lock.unlock();
    task(data);
    lock.lock();
  }
}

} // namespace tenon::runtime
