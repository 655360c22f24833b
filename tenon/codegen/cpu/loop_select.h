// select_and_scatter: the gradient of max pooling.
#pragma once

#include "tenon/codegen/cpu/loop_kernel.h"

namespace tenon::codegen {

llvm::FailureOr<Kernel> emitSelectAndScatterKernel(const KernelSource &source, llvm::Module &module,
                                                   llvm::StringRef symbol, const CpuTarget &target);

} // namespace tenon::codegen
