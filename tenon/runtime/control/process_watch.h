// Whether another process of this machine still runs, as the kernel says it in /proc. A process's connections say so,
// too, but later: those of one that is killed end when its memory has been taken back, which takes about 0.1 s a GiB,
// and where it has a child by fork, which has inherited them, not before that ends as well.
#pragma once

#include <cstdint>

namespace tenon::runtime {

// Which process it is: numbers of processes are used again.
struct ProcessIdentity {
  int64_t pid = 0;
  uint64_t started = 0;     // when, in ticks since the machine was; 0: not known
  uint64_t namespaceId = 0; // of the namespace that the number is of

  bool operator==(const ProcessIdentity &) const = default;
};

// `started` is 0 where /proc does not tell.
ProcessIdentity ownIdentity();

class ProcessWatch {
public:
  explicit ProcessWatch(const ProcessIdentity &process);

  // Whether the process can be seen from here: it is of this process's namespace, and /proc shows it.
  bool isPossible() const { return isPossible_; }
  // Whether it has ended, or is about to: all of its threads are.
  bool hasEnded() const;

private:
  const ProcessIdentity process_;
  bool isPossible_ = false;
};

} // namespace tenon::runtime
