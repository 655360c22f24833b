// The op under measurement, compiled as for a program, for every level of x86-64 that this machine runs, or for its
// architecture's generic processor.
#pragma once

#include "tenon/codegen/llvm/element/test/element_testing.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::accuracy {

struct Level {
  std::string cpu; // "x86-64-v4"
  unsigned vectorBits;
};

// The best first.
const std::vector<Level> &supportedLevels();

// Kernels of one op, in the order of supportedLevels(), or of the first alone.
using Kernels = std::vector<std::unique_ptr<codegen::testing::ElementKernel>>;

// `type` is that of the operands and the result.
Kernels compileKernels(const std::string &op, const std::string &type, unsigned typeBits, int operands, bool allLevels);

} // namespace tenon::accuracy
