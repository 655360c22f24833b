// For the tests and the benchmark: compiles a function of this folder to an array loop.
#pragma once

#include "tenon/codegen/llvm/math/fp.h"
#include "tenon/codegen/llvm/testing/jit.h"

#include <functional>
#include <string>

namespace tenon::codegen::math {

using UnaryBody = std::function<F(F)>;
using BinaryBody = std::function<F(F, F)>;

// out[i] = body(in[i]) for i in [0, n); n must be a multiple of lanes.
using UnaryLoop = void(const void *in, void *out, int64_t n);
using BinaryLoop = void(const void *a, const void *b, void *out, int64_t n);

UnaryLoop *compileUnary(testing::Jit &jit, const std::string &symbol, const UnaryBody &body, bool isDouble,
                        unsigned lanes);
BinaryLoop *compileBinary(testing::Jit &jit, const std::string &symbol, const BinaryBody &body, bool isDouble,
                          unsigned lanes);

} // namespace tenon::codegen::math
