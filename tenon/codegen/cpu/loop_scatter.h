// Scatter, in place: the results' buffers start as the inputs'.
#pragma once

#include "tenon/codegen/cpu/loop_kernel.h"

namespace tenon::codegen {

llvm::FailureOr<Kernel> emitScatterKernel(const KernelSource &source, llvm::Module &module, llvm::StringRef symbol,
                                          const CpuTarget &target);

} // namespace tenon::codegen
