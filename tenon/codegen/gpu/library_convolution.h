// Convolutions that a library may compute in place of our kernels (runtime/cuda/convolution_library.h), as it knows
// them: forward convolutions, and the two gradients of one, in terms of the arrays of the forward convolution.
//
// StableHLO has no gradients; they are convolutions, too. One with a dilated input is the gradient of the input of a
// convolution that has that dilation as its stride, and the kernel turned round. One that sums over more places than it
// has results is the gradient of a kernel: the roles of batch and features are exchanged, and so are those of strides
// and the kernel's dilation.
#pragma once

#include "tenon/codegen/gpu/chip.h"
#include "tenon/codegen/kernel/kernel_plan.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/program/device_program.h"

namespace tenon::codegen {

// None where our kernels compute something on the way in or out, where the library knows no such convolution (a stride
// and a dilated input, an input that is cut off, a kernel that is reversed in some dimensions), where the arrays do not
// lie as it wants them (program/plain_convolution.h), for depthwise ones, in which nothing is multiplied by matrices,
// for those that our kernels do faster, and for those that take the chip less than so many nanoseconds at its peak,
// without tf32 (where our kernels are slow, less than a part of that). `allowsTf32` is the user's word
// (GpuTargetOptions).
std::optional<program::DeviceConvolution> libraryConvolution(const KernelPlan &plan, const GpuChip &chip,
                                                             double leastNanoseconds, bool allowsTf32);

// Whether the kernel of a convolution is to lie as its images do, so that a library can compute it.
bool wantsPlainKernel(stablehlo::ConvolutionOp op, const GpuChip &chip, double leastNanoseconds, bool allowsTf32);

} // namespace tenon::codegen
