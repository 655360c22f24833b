// stablehlo.sort and chlo.top_k as kernels.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

bool canEmitSort(mlir::Operation *op);
llvm::FailureOr<Kernel> emitSortKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                       const CpuTarget &target);

bool canEmitTopK(mlir::Operation *op);
llvm::FailureOr<Kernel> emitTopKKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                       const CpuTarget &target);

} // namespace tenon::codegen
