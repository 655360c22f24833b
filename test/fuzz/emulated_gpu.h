// Programs on a GPU that the host plays (runtime/emulator), checked as those of processors are.
#pragma once

#include "test/fuzz/check.h"

#include "tenon/checking/expectation.h"
#include "tenon/compiler/compiler.h"

namespace tenon::fuzz {

// Compiles a program of one process for the GPU, and runs it as one graph and launch by launch, its threads taking
// turns in each order: the bits are always the same, no argument changes that is not given away, and, where there is an
// expectation, the results are as it says. `seed` chooses the chip, what loops are, and whether accesses are checked.
Finding checkOnEmulatedGpu(std::string_view source, llvm::ArrayRef<interpreter::Value> arguments,
                           checking::Expectation *expectation, const compiler::CompileOptions &options, uint64_t seed);

} // namespace tenon::fuzz
