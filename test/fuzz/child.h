// Work in other processes, which may crash or hang.
#pragma once

#include "test/fuzz/check.h"

#include <functional>
#include <sys/types.h>

namespace tenon::fuzz {

// A process that works off numbers one after the other, and ends at the first finding or crash.
class Child {
public:
  // In the new process `work` is called with a number and a function to hand over the program it makes of it; from
  // `first` on in steps of `stride`, `count` times.
  using HandOver = std::function<void(const std::string &program)>;
  using Work = std::function<Finding(uint64_t number, const HandOver &handOver)>;
  Child(uint64_t first, uint64_t stride, uint64_t count, const Work &work);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  // Whether it has ended, on its own or because a number took longer than `timeLimit` seconds of computing, or ten
  // times that in all, as it may on a busy machine.
  bool poll(double timeLimit);
  // Then: why, the number it was at, and the program of that, empty when it did not get to make one.
  const Finding &finding() const { return result_; }
  uint64_t number() const;
  std::string program() const;
  // How many it has finished.
  uint64_t done() const;

private:
  struct Shared;
  void end(int status, bool hangs);
  double computed() const;

  Shared *shared_;
  int errors_; // what the process wrote to standard error
  pid_t process_;
  uint64_t lastDone_ = 0;
  double lastProgress_, computedBefore_ = 0;
  Finding result_;
};

// checkProgram in a child.
Finding checkInChild(const std::string &program, uint64_t seed, double timeLimit, Origin origin = Origin::kOrdinary,
                     Target target = Target::kProcessor);

} // namespace tenon::fuzz
