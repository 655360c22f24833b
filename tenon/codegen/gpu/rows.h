// Rows of a reduction (loop::RowKernelPlan), each by several threads: a part of a warp, a warp, or a block.
//
// A row's vectors go round among its threads, so that neighbours read what lies side by side. Each thread reduces its
// own vectors, in order; then the threads of a warp exchange their accumulators in a tree of fixed form, and after them
// the warps of a block, through shared memory. So every thread has the row's results, and goes on to the next stage
// with the same vectors as before, which it has kept in registers where the row is short enough.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/llvm/loop/row_reduction.h"

namespace tenon::codegen {

struct RowTeamPlan {
  int threads = 1; // that share a row: a power of two
  int rows = 1;    // of a block
  unsigned lanes = 1;
  int64_t vectors = 1;      // of the innermost reduced dimension
  bool inRegisters = false; // each element is read once
  bool readsInTree = false; // long sums are made as balanced trees
  int64_t tasks = 1;        // blocks' worth of rows
  int64_t sharedBytes = 0;

  int blockThreads() const { return threads * rows; }
  int64_t vectorsOfThread() const { return (vectors + threads - 1) / threads; }
  void print(llvm::raw_ostream &os) const;
};

// None where a thread for a row, or for a vector of rows, is better.
std::optional<RowTeamPlan> planRowTeam(const loop::RowKernelPlan &plan);

llvm::LogicalResult emitRowTeam(const RowTeamPlan &team, const loop::RowKernelPlan &plan, const KernelSource &source,
                                llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
