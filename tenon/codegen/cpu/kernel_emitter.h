// From an op of a fused program to the kernel that computes it: the one place that knows which emitter takes which op.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Whether the op has native code (else it must be a service: a library routine or a custom call).
bool canEmitKernel(mlir::Operation *op);

// Emits functions named `symbol` (and with suffixes) into the module. Errors are reported at the op.
llvm::FailureOr<Kernel> emitKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                   const CpuTarget &target);

// Equal for ops whose kernels are the same code: same ops, attributes, types and data flow, whatever their locations.
std::vector<uintptr_t> kernelKey(mlir::Operation *op);

} // namespace tenon::codegen
