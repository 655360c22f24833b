// The sums over the window of one result of a depthwise convolution.
#pragma once

#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/matmul/kernels.h"

namespace tenon::codegen::matmul {

// All of a convolution without phases as one part: results are numbered by batch, spatial dimensions and feature.
ConvolutionPart wholePart(const ConvolutionSpec &spec);

TapPlaces tapPlaces(const ConvolutionSpec &spec);

// Whether the sums over dimension d and those inside it are trees of blocks.
bool isTapTree(const ConvolutionSpec &spec, const Problem &p, size_t d);

// Adds tap(t, sums) for all t in [lo, hi), taps of dimension d, to `acc`.
using Tap = llvm::function_ref<Values(llvm::Value *t, llvm::ArrayRef<llvm::Value *> sums)>;
Values overTaps(Emitter &e, const ConvolutionSpec &spec, const Problem &p, size_t d, llvm::Value *lo, llvm::Value *hi,
                llvm::ArrayRef<llvm::Value *> acc, Tap tap);

} // namespace tenon::codegen::matmul
