// What threads know of the work of other blocks.
//
// Blocks of a grid do not wait for each other. A thread may publish what it has done, and what it knows, by a store
// that releases; who sees that store by a load that acquires knows all of it. A barrier makes what one thread of a
// block knows known to all of them, and a barrier of a cluster all that its blocks have done and know to each other.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tenon::runtime::emulator {

// Who has made an access, and when.
struct Accessor {
  uint32_t block, thread;
  uint32_t epoch;        // barriers that the block has had
  uint32_t fences = 0;   // for what is asynchronous, that the thread has had; kNone (shadow.h) of what needs none
  uint32_t releases = 0; // that the thread has made before
};

class HappensBefore {
public:
  // The thread's releases so far.
  uint32_t releasesOf(const Accessor &who) const;
  // `isAdded`: what others have released there is still published, too.
  void release(uintptr_t address, const Accessor &who, bool isAdded);
  void acquire(uintptr_t address, const Accessor &who);
  void barrier(uint32_t block);
  struct BlockEpoch {
    uint32_t block, epoch; // which begins
  };
  // All threads of these blocks know what any of them knows.
  void clusterBarrier(const std::vector<BlockEpoch> &blocks);
  // Whether the access, of another block, is known to be done.
  bool isKnown(const Accessor &earlier, const Accessor &who) const;

private:
  using ThreadName = std::pair<uint32_t, uint32_t>; // block and thread
  // What a thread did before its release of this number, and its block before the epoch.
  struct Moment {
    uint32_t epoch = 0, releases = 0;
  };
  using Knowledge = std::map<ThreadName, Moment>;

  static void add(const Knowledge &more, Knowledge &knowledge);
  static void add(ThreadName thread, Moment moment, Knowledge &knowledge);
  static bool covers(const Knowledge &knowledge, const Accessor &earlier);

  std::map<ThreadName, uint32_t> releases_;
  std::map<ThreadName, Knowledge> ofThreads_; // since their blocks' last barriers
  std::unordered_map<uint32_t, Knowledge> ofBlocks_;
  std::unordered_map<uintptr_t, Knowledge> released_; // by address
};

} // namespace tenon::runtime::emulator
