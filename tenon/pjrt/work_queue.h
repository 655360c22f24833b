// The order in which one device does its work: a thread, made when first needed, and a queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tenon::pjrt {

class WorkQueue {
public:
  using Task = std::function<void()>;

  WorkQueue() = default;
  // Finishes what is queued.
  ~WorkQueue();
  WorkQueue(const WorkQueue &) = delete;
  WorkQueue &operator=(const WorkQueue &) = delete;

  void push(Task task);
  // Whether the calling thread is some queue's worker. Such a thread must not wait for its own queue, so work that a
  // running program starts (host callbacks that use the device) is done in place.
  static bool onWorkerThread();

private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::thread thread_;
  bool stopping_ = false;
};

} // namespace tenon::pjrt
