// Cumulative reductions (cumsum and the like), written as reduce_window over a whole dimension.
#pragma once

#include "tenon/codegen/cpu/loop_kernel.h"

#include <optional>

namespace tenon::codegen {

struct CumulativeWindow {
  unsigned dim;
  bool reverse; // from the element on to the last one; of recognised computations only
};

std::optional<CumulativeWindow> cumulativeWindow(mlir::Operation *op);

// The cumulative reduction that gives all outputs of the kernel, or null.
mlir::Operation *scanOf(const KernelSource &source);

llvm::FailureOr<Kernel> emitScanKernel(const KernelSource &source, llvm::Module &module, llvm::StringRef symbol,
                                       const CpuTarget &target);

} // namespace tenon::codegen
