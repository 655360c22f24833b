// Who goes through a small loop that is one kernel (loop_kernel.h), and how they wait for each other: one thread, the
// threads of one block, or those of the blocks of a cluster, which are at work at once.
//
// Several blocks have no shared memory in common: what one writes and another reads is in global memory, which the
// barrier of the cluster orders.
#pragma once

#include "tenon/codegen/gpu/builder.h"

namespace tenon::codegen {

struct LoopTeam {
  int blocks = 1;  // several: of a cluster
  int threads = 1; // of a block

  bool isAlone() const { return all() == 1; }
  bool isOneBlock() const { return blocks == 1; }
  bool hasSharedMemory() const { return isOneBlock() && threads > 1; }
  int64_t all() const { return int64_t{blocks} * threads; }
};

// Words (i32) that looks at whether a loop is to end take turns to have (LoopTeamCode::wordOf). Several blocks have
// them in global memory.
constexpr int kLoopWords = 2;
constexpr int64_t kLoopWordBytes = int64_t{kLoopWords} * int64_t{sizeof(uint32_t)};

// What of a team is emitted into the kernel that its threads go through.
class LoopTeamCode {
public:
  LoopTeamCode(const LoopTeam &team, GpuBuilder &gpu) : team_(team), gpu_(gpu), b_(gpu.b) {}

  // At the beginning of the kernel.
  void emitStart();
  // Those in global memory, before the first that several blocks ask for.
  void haveWords(llvm::Value *words) { words_ = words; }

  bool isAlone() const { return team_.isAlone(); }
  // The number of the thread in its team, and how many there are, i64.
  llvm::Value *thread() const { return thread_; }
  llvm::Value *threads() const { return b_.getInt64(uint64_t(team_.all())); }
  // An i1, true of one thread; of a team of several.
  llvm::Value *isFirst() const { return isFirst_; }
  // Until all threads of the team are here: what they have written, all read.
  void emitBarrier();
  // The place of a word that all have in common, by its number, an i32 below kLoopWords.
  llvm::Value *wordOf(llvm::Value *number);

private:
  const LoopTeam &team_;
  GpuBuilder &gpu_;
  llvm::IRBuilder<> &b_;
  llvm::Value *thread_ = nullptr, *isFirst_ = nullptr, *words_ = nullptr;
};

} // namespace tenon::codegen
