// Constant kernels of convolutions, packed when a program is compiled.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace tenon::passes {

// The output features of the panels in which the constant kernel of a convolution, or of a fusion with one, is to lie;
// 0: it stays as it is.
using KernelPanelColumns = std::function<int64_t(mlir::Operation *convolution)>;

// Packs the constant kernels of convolutions where `columns` wants it so. Of a module whose ops are fused. See
// kernel_panels.cpp.
void packConstantKernels(mlir::ModuleOp module, const KernelPanelColumns &columns);

} // namespace tenon::passes
