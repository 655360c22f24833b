// Matrix products in which a thread takes a tile of the result: its sums are in registers, and the elements of operands
// are read where they are, in vectors where they lie side by side. For products in small loops (loop_kernel.h), whose
// operands are in shared memory or in a cache, and for those of complex numbers, which have no other form where they
// have more than a few rows and columns. Sums are added up in the order of k, as in all products by threads.
#pragma once

#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/kernel/contraction/contraction.h"

namespace tenon::codegen {

struct TileProductPlan {
  int64_t rows = 1, columns = 1; // of a tile
  int64_t tasks = 1;
  double products = 0; // multiply-adds of all of them
  double bytes = 0;    // that they read

  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// Tiles for about so many threads. None for sums of nothing.
std::optional<TileProductPlan> planTileProduct(const matmul::ContractionPlan &plan, int64_t threads);

// The function of tasks has the name of the plan's last phase. `epilogue`: what the plan was made for, or none.
void emitTileProduct(const TileProductPlan &tiles, const matmul::ContractionPlan &plan,
                     const matmul::Epilogue &epilogue, llvm::Module &module);

} // namespace tenon::codegen
