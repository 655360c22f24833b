// Few rows times columns that are runs along k: see runs.cpp for the method.
#pragma once

#include "tenon/codegen/kernel/matmul/problem.h"

namespace tenon::codegen::matmul {

// The k dimensions in the order in which the rhs has them, and how the units of the lhs are copied for it.
struct RunLayout {
  struct Dim {
    int64_t size, lhsStride, rhsStride;
    int64_t unitStride; // in a copied row
  };

  RunLayout(const Problem &p, const MatmulPlan &plan);

  // Whether the innermost dimension lies along the rhs.
  bool isAlongRhs() const { return dims.back().rhsStride == 1; }
  // Where the runs start in the rhs.
  llvm::SmallVector<int64_t> runOffsets() const;
  int64_t units() const { return runs * paddedRun; } // of a row

  llvm::SmallVector<Dim, 4> dims; // the outermost first
  size_t outerDims = 0;           // those that are no part of a run
  int64_t runs = 1, run = 1, steps = 1, paddedRun = 1;
};

// Whether the kernel is faster than register tiles.
bool readsRuns(const Problem &p);
// Decides on the kernel, where it is the faster one.
bool planRuns(const Problem &p, MatmulPlan &plan);
void emitRuns(llvm::Module &module, llvm::StringRef symbol, const Problem &p, const MatmulPlan &plan);

} // namespace tenon::codegen::matmul
