// A compiled program beside the interpreter: the same inputs, and results that have to agree.
#pragma once

#include "test/execution.h"

#include "tenon/tools/array.h"

namespace tenon::testing {

// The same numbers for the same program in every run.
std::vector<xla::Literal> randomInputs(const program::Program &program);

StatusOr<std::vector<xla::Literal>> runNative(runtime::LoadedProgram &program, const std::vector<xla::Literal> &inputs);

// In the interpreter; `program` is what `source` was compiled to.
StatusOr<std::vector<xla::Literal>> runReference(const std::string &source, const std::vector<xla::Literal> &inputs,
                                                 const program::Program &program);

// Expects equal integers, and floats that differ by a few rounding errors of the largest: sums may associate
// differently. `what` says in a failure what was compared.
void compareArrays(const xla::Literal &actual, const xla::Literal &expected, const std::string &what);

} // namespace tenon::testing
