// The kernels by which a device decides for itself: what a graph of a program has beside the program's own
// (runtime/cuda/graph.h).
#pragma once

#include "tenon/codegen/gpu/target.h"

namespace tenon::codegen {

// The module of them, for the target: program::ControlKernel says what they do. Made once in a process for each target.
StatusOr<program::DeviceModule> controlModule(const GpuTarget &target);

} // namespace tenon::codegen
