// select_and_scatter: the gradient of max pooling.
#pragma once

#include "tenon/codegen/llvm/loop/map.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::codegen::loop {

struct SelectAndScatterPlan : LoopPlan { // its dimensions are those without windows
  Kernel kernel;
  stablehlo::SelectAndScatterOp op;
  llvm::SmallVector<int64_t> window;    // sizes
  llvm::SmallVector<unsigned> windowed; // dimensions with windows
  IndexVector index;                    // of the current source element; null in the windowed dimensions

  void print(llvm::raw_ostream &os) const;
};
SelectAndScatterPlan planSelectAndScatter(const KernelSource &source, llvm::StringRef symbol,
                                          const KernelTarget &target);
llvm::LogicalResult emitSelectAndScatter(const SelectAndScatterPlan &plan, const KernelSource &source,
                                         llvm::Module &module, const EmissionTarget &target);

} // namespace tenon::codegen::loop
