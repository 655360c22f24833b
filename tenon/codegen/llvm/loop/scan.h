// Cumulative reductions (cumsum and the like), written as reduce_window over a whole dimension.
#pragma once

#include "tenon/codegen/llvm/loop/map.h"
#include "tenon/codegen/llvm/loop/reduction.h"

#include <optional>

namespace tenon::codegen::loop {

struct CumulativeWindow {
  unsigned dim;
  bool reverse; // from the element on to the last one; of computations that are known to be associative
};

std::optional<CumulativeWindow> cumulativeWindow(mlir::Operation *op);

// The cumulative reduction that gives all outputs of the kernel, or null.
mlir::Operation *scanOf(const KernelSource &source);

struct ScanPlan : LoopPlan {
  Kernel kernel;
  mlir::Operation *op = nullptr; // the cumulative reduction
  CumulativeWindow window{};
  ReductionBody body;
  IndexVector index;  // of the current element of the operands
  bool along = false; // vectors run along the scanned dimension
  // Not zero: the scanned dimension goes in blocks of this many elements, whose sums form a balanced tree.
  int64_t block = 0;

  void print(llvm::raw_ostream &os) const;
};
ScanPlan planScan(const KernelSource &source, mlir::Operation *op, llvm::StringRef symbol, const KernelTarget &target);
llvm::LogicalResult emitScan(const ScanPlan &plan, const KernelSource &source, llvm::Module &module,
                             const EmissionTarget &target);

} // namespace tenon::codegen::loop
