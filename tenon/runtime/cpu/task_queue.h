// Threads for tasks that custom calls schedule. Separate from the workers of kernels: such tasks may block.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tenon::runtime {

class TaskQueue {
public:
  using Task = void(void *data);

  explicit TaskQueue(int threads);
  // Waits for the tasks that were scheduled.
  ~TaskQueue();

  // The process's queue, never destroyed; as many threads as the pool of kernels has workers.
  static TaskQueue &global();

  int size() const { return size_; }
  // Runs the task on one of the threads, which start when first needed; in place if none can be started.
  void schedule(Task *task, void *data);

private:
  void threadMain();

  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Task *, void *>> tasks_;
  std::vector<std::thread> threads_;
  int idle_ = 0;
  bool stop_ = false;
};

} // namespace tenon::runtime
