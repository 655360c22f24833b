// Elementwise ops as functions of single elements. A kernel is chosen once for an op and element type, then applied to
// every element of tensors (elementwise.cpp) or inside scalar regions (element_function.cpp).
#pragma once

#include "tenon/interpreter/element_type.h"

#include <optional>

namespace tenon::interpreter {

struct ScalarKernel {
  // `self` gives access to the types and parameters. The result is not yet rounded to `result`.
  using Fn = Scalar (*)(const ScalarKernel &self, const Scalar *operands);
  Fn fn = nullptr;
  ElementType operand = ElementType::kI1; // of the operand that decides the semantics
  ElementType result = ElementType::kI1;
  int64_t parameters[2] = {0, 0};

  Scalar operator()(const Scalar *operands) const { return normalize(result, fn(*this, operands)); }
};

// nullopt: the op is not defined for the type.
using MaybeKernel = std::optional<ScalarKernel>;

enum class Direction { EQ, NE, GE, GT, LE, LT };

namespace kernels {

#define TENON_KERNEL(DIALECT, OP, KERNEL) MaybeKernel KERNEL(ElementType type);
#include "tenon/interpreter/kernels.def"

// Kernels of ops that depend on more than the first operand's type.
MaybeKernel compare(ElementType type, Direction direction, bool totalOrder); // to i1
MaybeKernel select(ElementType type);                                        // (i1, type, type)
MaybeKernel clamp(ElementType type);                                         // (min, operand, max)
MaybeKernel convert(ElementType from, ElementType to);
MaybeKernel reducePrecision(ElementType type, int64_t exponentBits, int64_t mantissaBits);

// The part of power that is of floats and complex values.
MaybeKernel floatPower(ElementType type);

} // namespace kernels
} // namespace tenon::interpreter
