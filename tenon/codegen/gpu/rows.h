// Rows of a reduction (RowReductionPlan), each by several threads: a team.
//
// Where vectors run along the rows, a row is for a part of a warp, a warp or a block. Its vectors go round among the
// threads, so that neighbours read what lies side by side. Where vectors run across the rows, a block has as many
// vectors of rows as a warp has lanes, and each of its warps takes every so many elements of all of them. Each thread
// reduces what is its own, in order; then the threads of a team exchange their accumulators in an order of fixed form:
// those in a warp by shuffles, others through shared memory. So every thread has the rows' results, and goes on to the
// next stage with the same elements as before, which it has kept in registers where a row is short enough. Longer rows
// that are gone through several times are for the blocks of a cluster, which write their accumulators into each other's
// shared memory.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/chip.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/llvm/loop/row_reduction.h"

namespace tenon::codegen {

struct RowTeamPlan {
  bool isAlong = true; // vectors run along the rows
  int threads = 1;     // that share a row, or a vector of them: a power of two
  int rows = 1;        // of a block, or vectors of them
  int blocks = 1;      // of a cluster, that share a row
  unsigned lanes = 1;
  int64_t vectors = 1;      // of the dimension that they run along
  bool inRegisters = false; // each element is read once
  bool sumsInTrees = false; // long sums are made as balanced trees
  int64_t tasks = 1;        // blocks' worth of rows
  int64_t sharedBytes = 0;

  int blockThreads() const { return threads * rows; }
  int64_t members() const { return int64_t(threads) * blocks; } // threads of a team
  int64_t vectorsOfThread() const { return (vectors + members() - 1) / members(); }
  FormPhases phases() const { return {{tasks, blockThreads(), sharedBytes, /*isByThreads=*/false, blocks}}; }
  void print(llvm::raw_ostream &os) const;
};

// None where a thread for a row, or for a vector of rows, is better. `extent`: of the outermost reduced dimension, or
// what one team takes of it.
std::optional<RowTeamPlan> planRowTeam(const RowReductionPlan &plan, int64_t extent, const CostModel::Blocks &costs);
std::optional<RowTeamPlan> planRowTeam(const loop::RowKernelPlan &plan, const CostModel::Blocks &costs,
                                       const GpuChip &chip);

llvm::LogicalResult emitRowTeam(const RowTeamPlan &team, const loop::RowKernelPlan &plan, const KernelSource &source,
                                llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
