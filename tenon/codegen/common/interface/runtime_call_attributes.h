// Attributes of MLIR as the plain data that compiled programs hold.
#pragma once

#include "tenon/program/program.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace tenon::codegen {

// Enumerations of StableHLO (its FFT types and transpositions) become their names. Fails, with an error at `location`,
// for attributes that nest too deeply and for splats of more elements than a list of them should have.
mlir::FailureOr<program::AttributeDict> runtimeCallAttributes(mlir::DictionaryAttr attributes, mlir::Location location);

} // namespace tenon::codegen
