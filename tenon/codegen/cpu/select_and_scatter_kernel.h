// stablehlo.select_and_scatter (the gradient of max pooling) as a kernel.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

bool canEmitSelectAndScatter(mlir::Operation *op);
llvm::FailureOr<Kernel> emitSelectAndScatterKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                                   const CpuTarget &target);

} // namespace tenon::codegen
