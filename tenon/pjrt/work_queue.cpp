#include "tenon/pjrt/work_queue.h"

#include <utility>

namespace tenon::pjrt {
namespace {
thread_local bool isWorker = false;
}

WorkQueue::~WorkQueue() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void WorkQueue::push(Task task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (!thread_.joinable())
      thread_ = std::thread([this] { work(); });
  }
  changed_.notify_one();
}

bool WorkQueue::onWorkerThread() { return isWorker; }

void WorkQueue::work() {
  isWorker = true;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty())
      return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr; // releases buffers before the next wait
    lock.lock();
  }
}

} // namespace tenon::pjrt
