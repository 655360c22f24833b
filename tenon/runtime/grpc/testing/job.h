// Jobs of several OS processes, for tests.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tenon::runtime {

// A child, which ends with this object, and with the thread that made it.
class ChildProcess {
public:
  ChildProcess(const std::string &mode, const std::map<std::string, std::string> &environment);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Lets it go on where it waits for input.
  void proceed();
  // The next line that begins with `start`; what is before it is passed over. Empty: there is none, or not for a long
  // time, which only keeps a test from hanging.
  std::string lineWith(const std::string &start);
  // Waits for its end; its exit status, or minus the signal that ended it.
  int end();
  // All that it has said so far.
  const std::string &said() const { return said_; }

private:
  bool readMore(std::chrono::steady_clock::time_point end);

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1;
  std::string said_;
  size_t read_ = 0; // of it
};

// Processes that find each other by files or, with a coordinator, by the keys of process 0.
class TestJob {
public:
  TestJob(int count, const std::string &mode, std::map<std::string, std::string> environment = {},
          bool hasCoordinator = false);
  ~TestJob();

  ChildProcess &operator[](size_t process) { return *children_[process]; }
  size_t size() const { return children_.size(); }
  int port() const { return port_; }

private:
  std::string folder_;
  int port_ = 0;
  std::vector<std::unique_ptr<ChildProcess>> children_;
};

} // namespace tenon::runtime
