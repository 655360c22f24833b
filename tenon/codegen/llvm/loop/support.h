// Which ops loop kernels compute.
#pragma once

#include "tenon/codegen/llvm/kernel_target.h"

#include "mlir/IR/Operation.h"

namespace tenon::codegen::loop {

// Whether the op is a loop kernel of its own: a `tenon.fusion` of kind loop, reduce or rows, scatter,
// select_and_scatter, or an op that could stand in such a fusion, if all element types, ops and scalar regions inside
// are supported. Cheap.
bool canEmitLoopKernel(mlir::Operation *op, const KernelTarget &target);

// Whether `op` may stand inside a loop, reduce or rows fusion (a constant, elementwise or index-remapping op, reduce,
// reduce_window, gather...). Where it may stand (as the root only, say) is up to canEmitLoopKernel.
bool canFuseInLoopKernel(mlir::Operation *op);

} // namespace tenon::codegen::loop
