// The gradient of a depthwise convolution with regard to its weights: see depthwise_gradient.cpp for the method.
#pragma once

#include "tenon/codegen/kernel/conv/lowering.h"

namespace tenon::codegen::matmul {

// A batch group for each channel, which are the innermost dimension of all arrays.
bool isDepthwiseGradient(const ConvolutionSpec &spec);

// Gives the phases' numbers of tasks and estimated times, scratch and temporary bytes in `kernel`.
StatusOr<DepthwiseGradientPlan> planDepthwiseGradient(const ConvolutionSpec &spec, const MatmulTarget &target,
                                                      llvm::StringRef symbol, bool hasEpilogue, Kernel &kernel);
void emitDepthwiseGradient(const DepthwiseGradientPlan &plan, const ConvolutionSpec &spec, llvm::Module &module,
                           const Kernel &kernel, const Epilogue &epilogue);

} // namespace tenon::codegen::matmul
