// Elementwise kernels that read some arrays along another dimension than they write (loop::MapPlan with transposed
// reads), by blocks of threads: each takes a square of the two dimensions, copies what the other arrays have of it to
// shared memory, reading along their dimension, and then computes and writes along the results' own.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/llvm/loop/map.h"

namespace tenon::codegen {

struct TransposePlan {
  llvm::SmallVector<int64_t, 2> offsets; // in shared memory, of the squares of the transposed accesses
  int64_t tasks = 1;
  int64_t sharedBytes = 0;

  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// The threads of a block.
constexpr int kTransposeThreads = 256;

// None without transposed reads.
std::optional<TransposePlan> planTranspose(const loop::MapPlan &plan);

llvm::LogicalResult emitTranspose(const TransposePlan &transpose, const loop::MapPlan &plan, const KernelSource &source,
                                  llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
