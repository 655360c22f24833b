// Instructions of GPUs that LLVM IR has no operation for, or calls functions for on other chips.
#pragma once

#include "tenon/codegen/llvm/math/instruction_set.h"

namespace tenon::codegen {

// What all chips have that there is code for.
const math::InstructionSet &gpuInstructions();

} // namespace tenon::codegen
