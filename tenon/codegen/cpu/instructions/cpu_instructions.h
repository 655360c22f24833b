// Instructions of CPUs that LLVM IR has no operation for: SSE2, AVX2, AVX-512, AVX-VNNI and NEON.
#pragma once

#include "tenon/codegen/llvm/math/instruction_set.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

namespace tenon::codegen {

// The set of a CPU of the architecture with the features, of which "avx512f", "avx512bf16", "avx2" and "f16c" are
// asked for.
const math::InstructionSet &cpuInstructions(const llvm::Triple &triple,
                                            llvm::function_ref<bool(llvm::StringRef)> hasFeature);

} // namespace tenon::codegen
