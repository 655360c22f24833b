// Products whose operands are rounded from f32 to tf32: floats of 8 bits of exponent and 10 of mantissa, of which
// NVIDIA's tensor cores multiply several times as many as of f32.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tenon::ir {

// On a dot_general: its operands are tf32's numbers, of f32, so that rounding them to tf32 leaves them as they are.
inline constexpr llvm::StringLiteral kTf32OperandsAttribute = "tenon.tf32_operands";

// What is said so of one product, of another on the same elements.
void copyTf32Operands(mlir::Operation *from, mlir::Operation *to);

// Whether operands of f32 of a dot_general or convolution may be rounded to tf32: they are its numbers already, or
// `allowsTf32`, the user allows it where the framework asks for HIGHEST of neither.
bool mayRoundToTf32(mlir::Operation *contraction, bool allowsTf32);
// The precision_config of products that are to be as exact as their types, whatever a user allows for others.
mlir::ArrayAttr highestPrecision(mlir::MLIRContext *context);

} // namespace tenon::ir
