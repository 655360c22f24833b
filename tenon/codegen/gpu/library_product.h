// Products of matrices that a library may compute in place of our kernels (runtime/cuda/product_library.h). Whether one
// is there is known only where the program is loaded: the program has its own kernels in any case.
#pragma once

#include "tenon/codegen/gpu/chip.h"
#include "tenon/codegen/kernel/kernel_plan.h"
#include "tenon/program/device_program.h"

namespace tenon::codegen {

// None where our kernels save a pass over memory, with what is computed on the way in and out (a bias is the library's,
// too, if the sums are not rounded before it is added), where the library cannot be told how the matrices lie, and for
// products that take the chip less than so many nanoseconds at its peak, without tf32. `allowsTf32` is the user's word
// (GpuTargetOptions).
std::optional<program::DeviceProduct> libraryProduct(const KernelPlan &plan, const GpuChip &chip,
                                                     double leastNanoseconds, bool allowsTf32);

// Whether a library that may round operands of f32 to tf32 computes a dot_general or convolution in so much less time
// than our kernels that another pass over the results, for what becomes of them, counts for little.
bool gainsByTf32(mlir::Operation *contraction, const GpuChip &chip, double leastNanoseconds, bool allowsTf32);

// The multiplications and additions of the chip in a nanosecond, of types that both sides have in the same precision;
// 0 for others.
double operationsOf(ElementType factor, ElementType out, const GpuChip &chip);

} // namespace tenon::codegen
