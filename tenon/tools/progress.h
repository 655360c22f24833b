// What a person at a terminal sees of a compilation that takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tenon::tools {

// While it lives, writes a line about `what` every `interval`, over the one before, the first after an interval; then
// takes the line away. Nothing is written of what is done sooner.
class Progress {
public:
  using Write = std::function<void(std::string_view)>; // called by a thread of its own, and at the end
  Progress(std::string what, std::chrono::milliseconds interval, Write write);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // The line says from now on that this stage is done.
  void reach(std::string_view stage);

private:
  void writeLines();

  const std::string what_;
  const std::chrono::milliseconds interval_;
  const Write write_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string stage_;
  bool done_ = false, hasLine_ = false;
  std::thread thread_;
};

// The progress of compiling this file, on standard error; null unless that is a terminal.
std::unique_ptr<Progress> compileProgress(const std::string &file);

} // namespace tenon::tools
