// The kernels by which a device decides for itself: what a graph of a program has beside the program's own
// (runtime/cuda/graph.h).
#pragma once

#include "tenon/codegen/gpu/target.h"

namespace tenon::codegen {

// The module of those that the steps need, for the target: program::ControlKernel says what they do. Steps that are
// kernels alone need the first, others all of them. Made once in a process for each target.
StatusOr<program::DeviceModule> controlModule(const GpuTarget &target, const program::DeviceSteps &steps);

} // namespace tenon::codegen
