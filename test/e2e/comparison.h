// A compiled program beside the interpreter: the same inputs, and results that have to agree.
#pragma once

#include "test/execution.h"

#include "tenon/tools/array.h"

namespace tenon::testing {

// The same numbers for the same program in every run.
std::vector<tools::Array> randomInputs(const program::Program &program);

StatusOr<std::vector<tools::Array>> runNative(runtime::LoadedProgram &program, const std::vector<tools::Array> &inputs);

// In the interpreter; `program` is what `source` was compiled to.
StatusOr<std::vector<tools::Array>> runReference(const std::string &source, const std::vector<tools::Array> &inputs,
                                                 const program::Program &program);

// Expects equal integers, and floats that differ by a few rounding errors of the largest: sums may associate
// differently. `what` says in a failure what was compared.
void compareArrays(const tools::Array &actual, const tools::Array &expected, const std::string &what);

} // namespace tenon::testing
