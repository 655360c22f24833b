// Between MLIR's element types and Tenon's own.
#pragma once

#include "tenon/support/element_type.h"

#include "mlir/IR/Types.h"

namespace tenon::ir {

/// Tenon's name for an MLIR type; for a quantized type, that of the integers that it is stored in. kInvalid for types
/// that no array in memory has, `index` among them.
ElementType toElementType(mlir::Type type);

/// The type that `toElementType` translates back. Signed integers are signless in MLIR. Null for tokens and kInvalid.
mlir::Type fromElementType(mlir::MLIRContext *context, ElementType type);

/// Whether every value of the one type (a float or an integer, `i1` among them) is one of the other, so that converting
/// it changes nothing.
bool convertsExactly(mlir::Type from, mlir::Type to);

} // namespace tenon::ir
