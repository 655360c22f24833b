// Loop kernels against the interpreter.
#pragma once

#include "tenon/codegen/llvm/loop/test/loop_testing.h"

namespace tenon::codegen::testing {

// How far the floats of a kernel's results may be from those that the interpreter computes from the same arguments in
// f64.
struct Tolerance {
  // In units in the last place of the result.
  double ulps = 0.51;
  // In units in the last place of what the kernel accumulates in (f32 for narrower types), for sums and whatever else
  // may cancel: relative to the result that the program has for the absolute values of its arguments where `subtract`
  // adds and `negate` gives the absolute value.
  double magnitudeUlps = 0;
};

// The kernel of `body`, the text of main's body, on two targets and several partitions of its tasks, which must all
// give the same bits.
void check(const std::string &arguments, const std::string &results, const std::string &body, Tolerance tolerance = {});

// One fusion: `types` of the inputs (named %a, %b, ...), the body and what it yields.
void checkFusion(const std::string &kind, const std::vector<std::string> &types, const std::string &body,
                 const std::string &yielded, const std::string &results, Tolerance tolerance = {});

} // namespace tenon::codegen::testing
