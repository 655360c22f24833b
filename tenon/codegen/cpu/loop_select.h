// select_and_scatter: the gradient of max pooling.
#pragma once

#include "tenon/codegen/cpu/loop_kernel.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::codegen {

struct SelectAndScatterPlan : LoopPlan { // its dimensions are those without windows
  Kernel kernel;
  stablehlo::SelectAndScatterOp op;
  llvm::SmallVector<int64_t> window;    // sizes
  llvm::SmallVector<unsigned> windowed; // dimensions with windows
  IndexVector index;                    // of the current source element; null in the windowed dimensions

  void print(llvm::raw_ostream &os) const;
};
SelectAndScatterPlan planSelectAndScatter(const KernelSource &source, llvm::StringRef symbol, const CpuTarget &target);
llvm::LogicalResult emitSelectAndScatter(const SelectAndScatterPlan &plan, const KernelSource &source,
                                         llvm::Module &module, const CpuTarget &target);

} // namespace tenon::codegen
