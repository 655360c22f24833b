// The order in which one device does its work: a queue, and a thread that is made when first needed.
//
// One task runs at a time, with two exceptions, without which programs could wait for each other for ever. A task that
// waits for something outside (a host callback, which may use the device from any thread) pauses: another thread goes
// on with the queue, and the task goes on beside it when its wait is over. And a task that finds that its inputs are
// not there yet may step aside until they are.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tenon::pjrt {

class WorkQueue {
public:
  using Task = std::function<void()>;
  // Whether later tasks may overtake. They may not if the task exchanges data with the outside, where order counts.
  enum class Order { kLoose, kStrict };

  WorkQueue() = default;
  // Finishes what is queued, and what has stepped aside.
  ~WorkQueue();
  WorkQueue(const WorkQueue &) = delete;
  WorkQueue &operator=(const WorkQueue &) = delete;

  void push(Task task, Order order = Order::kLoose);
  // Announces that a task will come back by `resume`, before those that are queued then.
  void stepAside();
  void resume(Task task);

  // In its turn the queue stops: no task runs from then on until release(). `hasStopped` is called once then, by
  // whatever thread, with the queue's lock held.
  void reserve(Task hasStopped);
  // The same at once, if no task is queued, runs or will come back: whether it is so.
  bool tryReserve();
  void release();

  // Made by a task around a wait. No effect in tasks of strict order, and on threads that do not work at a task.
  class Pause {
  public:
    Pause();
  };

  // Returns a function that makes the thread which calls it count as working at the calling thread's task, until the
  // task ends.
  static std::function<void()> joinTask();

  // Whether the calling thread is some queue's worker. Such a thread must not wait for its own queue, so work that a
  // running program starts (host callbacks that use the device) is done in place.
  static bool onWorkerThread();

  // How many threads it has made: one, and one for each pause during which there was no other.
  size_t threadCount();

private:
  struct Entry {
    Task task;
    Order order;
    bool isReservation = false;
  };

  struct Turn;
  static thread_local Turn *ownTurn; // of a thread that works at a task

  void work();
  // Wakes a worker for what is queued, or makes one, unless one is about to look. With the lock held.
  void attend();
  // Stops for the reservation whose turn it is, if that is so. With the lock held.
  bool stopsForReservation();
  bool isDone() const { return tasks_.empty() && aside_ == 0 && running_ == 0; }

  std::mutex mutex_;
  std::condition_variable changed_, done_;
  std::deque<Entry> tasks_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;       // threads that wait for tasks
  size_t aside_ = 0;      // tasks that will come back
  size_t running_ = 0;    // tasks, paused ones included
  bool starting_ = false; // a thread has been made that has not looked for tasks yet
  bool taken_ = false;    // some thread is at a task, and not paused, or the queue is reserved
  bool stopping_ = false;
};

} // namespace tenon::pjrt
