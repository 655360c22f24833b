// Scans along rows (loop::ScanPlan) by teams of whole warps.
//
// A team goes along its row, as many vectors at a time as it has threads: each thread scans its vector, the threads of
// a warp exchange their sums, and the warps theirs through shared memory, and each adds what comes before. Few long
// rows are cut into tiles, each for a block, which tell each other what is before them (look_back.h): elements are read
// once. The order is that of the plan, whatever the order of blocks.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/gpu/look_back.h"
#include "tenon/codegen/llvm/loop/scan.h"

namespace tenon::codegen {

struct ScanTeamPlan {
  int threads = 0; // of a row
  int rows = 1;    // of a block
  unsigned lanes = 1;
  int vectors = 0;                // of a thread, of a tile; 0: blocks have whole rows
  int64_t tasks = 1;              // blocks
  int64_t sets = 0, setBytes = 0; // what the warps share
  LookBackPlan tiles;
  int64_t tempBytes = 0;

  bool isTiled() const { return vectors > 0; }
  int64_t tileSize() const { return int64_t(threads) * lanes * vectors; }
  int64_t slotBytes() const { return sets * setBytes; }
  int64_t sharedBytes() const { return slotBytes() + (isTiled() ? tiles.sharedBytes() : 0); }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// None where vectors do not run along the rows.
std::optional<ScanTeamPlan> planScanTeam(const loop::ScanPlan &plan, int64_t tempBase, const CostModel::Blocks &costs);

// The phases' functions have the names that the plan's kernel gives them.
llvm::LogicalResult emitScanTeam(const ScanTeamPlan &team, const loop::ScanPlan &plan, const KernelSource &source,
                                 llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
