// Scans across rows (loop::ScanPlan whose vectors run along a kept dimension), where there are fewer columns than a GPU
// has threads: they are cut into parts. In one phase a thread sums up each vector of columns of each part, and in the
// next it begins with the sum of those before and goes on through its own. The order is that of the plan, whatever the
// order of threads. Long sums go in blocks as on CPUs.
#pragma once

#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/llvm/loop/scan.h"

namespace tenon::codegen {

struct ColumnScanPlan {
  unsigned lanes = 1;
  int64_t columns = 0;                   // vectors of them
  int64_t parts = 1, partSize = 0;       // of a column; elements of a part
  int64_t block = 0;                     // elements of a sum of its own; 0: there is one
  llvm::SmallVector<int64_t, 2> offsets; // of the sums of parts in the temporary block: [part][column] of each result
  int64_t tempBytes = 0;

  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// None where vectors run along the rows, where elements have to be combined one after the other, or where columns alone
// keep a GPU at work.
std::optional<ColumnScanPlan> planColumnScan(const loop::ScanPlan &plan, int64_t tempBase,
                                             const CostModel::Blocks &costs);

// The phases' functions have the names that the plan's kernel gives them.
llvm::LogicalResult emitColumnScan(const ColumnScanPlan &columns, const loop::ScanPlan &plan,
                                   const KernelSource &source, llvm::Module &module, const EmissionTarget &target);

} // namespace tenon::codegen
