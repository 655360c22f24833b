// The CHLO dialect: op `chlo.some_name` is class tenon::chlo::SomeNameOp.
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "tenon/ops/chlo_dialect.h.inc"
#include "tenon/ops/chlo_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/chlo_attributes.h.inc"

#define GET_OP_CLASSES
#include "tenon/ops/chlo_ops.h.inc"

namespace tenon::chlo {

// The features that the readers of a bytecode file know, for mlir::BytecodeWriterConfig::setDialectVersion. CHLO has no
// versions, and files hold all attributes that an operation may have. Without one, readers know everything.
struct ChloVersion : mlir::DialectVersion {
  bool hasStability = true; // of top_k
};

} // namespace tenon::chlo
