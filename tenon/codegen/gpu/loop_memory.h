// Where the arrays of a loop that is one kernel (loop_kernel.h) are while it runs, and which of its steps are shared
// out among the threads of its team.
//
// Arrays of a few bytes are private: each thread has them in registers, and computes them for itself, so that nobody
// waits for them. Of other arrays those that the loop writes are in the shared memory of the team's block, if it has
// but one and they find room there. What the loop only reads stays where it is, and so does what several blocks write.
#pragma once

#include "tenon/codegen/gpu/loop_kernel.h"

namespace tenon::codegen {

// The words of a team (loop_team.h) are in front of the arrays in its block's shared memory.
constexpr int64_t kWordBytesOfShared = 16;
static_assert(kLoopWordBytes <= kWordBytesOfShared);

// The most of it that arrays may have.
inline int64_t sharedBytesOfLoop(const GpuChip &chip) { return chip.halfOfShared() - kWordBytesOfShared; }

class LoopMemory {
public:
  enum class Where : uint8_t { kGiven, kShared, kPrivate };

  // Arrays of at most `privateBytes` may be private; those in shared memory have at most `sharedBytes` together.
  LoopMemory(const LoopKernel &kernel, int64_t privateBytes, int64_t sharedBytes);

  Where whereIs(int32_t place) const { return places_.at(place).where; }
  bool isPrivate(int32_t place) const { return whereIs(place) == Where::kPrivate; }
  // Whether the loop writes there, or exchanges it for another place.
  bool isWritten(int32_t place) const { return places_.at(place).isWritten; }
  // Whether its contents count when the loop begins.
  bool isRead(int32_t place) const { return kernel_.carried.contains(place) || !isWritten(place); }
  int64_t offsetOf(int32_t place) const { return places_.at(place).offset; } // in shared memory
  int64_t sharedBytes() const { return sharedBytes_; }
  // Arrays of two numbers are never in the same memory.
  int32_t groupOf(int32_t place) const { return places_.at(place).group; }
  // Whether each thread does the step for itself.
  bool isForAll(const program::KernelStep &step) const;

private:
  struct Place {
    Where where = Where::kGiven;
    bool isWritten = false;
    int32_t group = -1;
    int64_t offset = 0;
  };

  llvm::ArrayRef<int32_t> resultsOf(const program::KernelStep &step) const;
  void choosePrivate(const LoopContents &contents, int64_t mostBytes);
  void findWritten(const LoopContents &contents);
  void findGroups(const LoopContents &contents);
  void placeInShared(int64_t mostBytes);

  const LoopKernel &kernel_;
  std::map<int32_t, Place> places_;
  int64_t sharedBytes_ = 0;
};

} // namespace tenon::codegen
