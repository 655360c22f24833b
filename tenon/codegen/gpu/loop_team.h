// Who goes through a small loop that is one kernel (loop_kernel.h), and how they wait for each other: one thread, the
// threads of one block, or those of all blocks of a cluster or of a grid, which are at work at once.
//
// Several blocks have no shared memory in common: what one writes and another reads is in global memory. The barrier of
// a cluster orders that. A grid has a barrier of ours: a thread of each block adds to a word, by which it releases what
// its block has done, and looks at it until all have added; so it acquires what they have. Of the words differences
// count alone, so that it does not matter when they overflow.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/chip.h"
#include "tenon/status.h"

#include <string_view>

namespace tenon::codegen {

constexpr int kLoopThreads = 256; // the most of a block

struct LoopTeam {
  int blocks = 1;      // of a grid the most: where there is room for fewer, there are fewer
  int threads = 1;     // of a block
  bool isGrid = false; // several blocks that are no cluster

  bool isAlone() const { return most() == 1; }
  bool isOneBlock() const { return blocks == 1 && !isGrid; }
  bool hasSharedMemory() const { return isOneBlock() && threads > 1; }
  int64_t most() const { return int64_t{blocks} * threads; }
  int64_t least() const { return isGrid ? threads : most(); }
};

// How loops are computed, whatever time that takes.
struct ForcedLoops {
  enum class Form : uint8_t { kNone, kNodes, kBlock, kCluster, kGrid };

  Form form = Form::kNone;
  int blocks = 1; // of clusters

  // "": as they take the least time; "nodes", "block", "cluster2", "cluster4", "cluster8" and "grid".
  // INVALID_ARGUMENT for other words, and for clusters where the chip has none of so many blocks.
  static StatusOr<ForcedLoops> parse(std::string_view word, const GpuChip &chip);
};

// Words (i32) that two looks at whether a loop is to end take turns to have (LoopTeamCode::wordOf). Teams of several
// blocks have them in global memory, and grids behind them the word of their barrier, which begins as 0.
constexpr int kLoopWords = 2;
constexpr int64_t kLoopWordBytes = int64_t{kLoopWords + 1} * int64_t{sizeof(uint32_t)};

// What of a team is emitted into the kernel that its threads go through.
class LoopTeamCode {
public:
  LoopTeamCode(const LoopTeam &team, GpuBuilder &gpu) : team_(team), gpu_(gpu), b_(gpu.b) {}

  // At the beginning of the kernel.
  void emitStart();
  // In global memory: before the first barrier or word of a team of several blocks.
  void haveWords(llvm::Value *words) { words_ = words; }

  bool isAlone() const { return team_.isAlone(); }
  // The number of the thread in its team, and how many there are, i64.
  llvm::Value *thread() const { return thread_; }
  llvm::Value *threads() const { return threads_; }
  // The number of the thread's block in its team, and how many there are, i64.
  llvm::Value *block() const;
  llvm::Value *blocks() const;
  // An i1; there is one in each team.
  llvm::Value *isFirst() const { return isFirst_; }
  // Whether so many numbers are one, or none, for each thread.
  bool hasThreadForEach(int64_t count) const { return !isAlone() && count <= team_.least(); }
  bool isThreadForEach(int64_t count) const { return count == team_.least() && count == team_.most(); }
  // Until all threads of the team are here: what they have written, all read.
  void emitBarrier();
  // A place that all have in common, of one of kLoopWords words: its number is an i32.
  llvm::Value *wordOf(llvm::Value *number);
  // Brings the word of a grid's barrier to its beginning: in a kernel of one thread before the loop's.
  static void emitClear(llvm::Value *words, GpuBuilder &gpu);

private:
  void emitGridBarrier();
  static llvm::Value *wordAt(llvm::Value *words, llvm::Value *number, GpuBuilder &gpu);

  const LoopTeam &team_;
  GpuBuilder &gpu_;
  llvm::IRBuilder<> &b_;
  llvm::Value *thread_ = nullptr, *threads_ = nullptr, *isFirst_ = nullptr, *words_ = nullptr;
  // How many blocks a grid has, an i32; and what its word is when all have come to the last barrier that this thread
  // has come to, in memory of the thread's own.
  llvm::Value *blocks_ = nullptr, *arrived_ = nullptr;
};

} // namespace tenon::codegen
