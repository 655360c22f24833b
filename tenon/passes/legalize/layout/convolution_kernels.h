// The order in which the kernels of convolutions lie.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace tenon::passes {

// Lets the kernel of each convolution that `isWanted`, or the gradient of it, lie as its images do: outputs first, and
// inputs last where the images have their features last. A transpose leads from the order of before to this one, or
// back. Leaves alone those that have groups and are gradients, those whose images have their features elsewhere, and
// those whose results one elementwise op takes, unless the convolution `standsAlone` (FuseOptions): our kernels compute
// that, too.
void orderConvolutionKernels(mlir::ModuleOp module, const std::function<bool(mlir::Operation *)> &isWanted,
                             const std::function<bool(mlir::Operation *)> &standsAlone);

} // namespace tenon::passes
