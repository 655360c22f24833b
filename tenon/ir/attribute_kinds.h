// Predicates of the StableHLO records about the kinds of attributes, and of what is inside them.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace tenon::ir {

/// Whether a future is of tensors, which are all that an operation that was begun can give.
bool isFutureOfTensors(mlir::Type type);
/// Whether the axes of replica groups are axes of a mesh that is named or spelled out.
bool areMeshAxes(mlir::Attribute replicaGroups);
/// Whether a result accuracy's tolerances are >= 0, and 0 unless its mode is to obey them.
bool isAccuracy(mlir::Attribute accuracy);
/// Whether an attribute is an integer that may number a dimension, of any width up to 64 bits.
bool isDimensionNumber(mlir::Attribute attribute);

} // namespace tenon::ir
