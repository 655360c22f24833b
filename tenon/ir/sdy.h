// The sdy dialect: sharding of tensors over a mesh of devices.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include <optional>

#include "tenon/ops/sdy_dialect.h.inc"
#include "tenon/ops/sdy_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/sdy_attributes.h.inc"

#define GET_OP_CLASSES
#include "tenon/ops/sdy_ops.h.inc"

namespace tenon::sdy {

/// The mesh of a sharding in `op`, which may name one of the module; null if there is none of that name.
MeshAttr meshOf(mlir::Operation *op, TensorShardingAttr sharding);

} // namespace tenon::sdy
