// dot_general and convolution, alone or in a fusion with an elementwise epilogue, as kernels of matmul/ and conv/.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

// `op` is stablehlo.dot_general, stablehlo.convolution, or a tenon.fusion of kind dot or convolution (whose operands 0
// and 1 are the contraction's).
bool canEmitContraction(mlir::Operation *op);
llvm::FailureOr<Kernel> emitContractionKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                              const CpuTarget &target);

} // namespace tenon::codegen
