// What convolutions compute for one who knows forward convolutions and their gradients. StableHLO has no gradients:
// they are convolutions, too.
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

enum class ConvolutionRole {
  kForward,
  kInputGradient, // of a dilated input, or by a reversed kernel
  kKernelGradient // of more taps than results
};

ConvolutionRole roleOf(stablehlo::ConvolutionOp op);

// Multiplications and additions; zeros between elements of the input are not multiplied.
double operationsIn(stablehlo::ConvolutionOp op);

} // namespace tenon::ir
