// Depthwise convolutions in as many tasks as there are vectors of results, without scratch memory: for targets with
// small tasks.
#pragma once

#include "tenon/codegen/kernel/conv/lowering.h"

namespace tenon::codegen::matmul {

// How many tasks there are.
int64_t depthwiseVectors(const DepthwisePlan &plan, const ConvolutionSpec &spec);
void emitDepthwiseVectors(const DepthwisePlan &plan, const ConvolutionSpec &spec, llvm::Module &module,
                          llvm::StringRef symbol, const Epilogue &epilogue);

} // namespace tenon::codegen::matmul
