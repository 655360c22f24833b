// Tenon's own dialect: what the passes add to a program (tenon.fusion, tenon.yield).
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tenon/ops/tenon_dialect.h.inc"
#include "tenon/ops/tenon_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/tenon_attributes.h.inc"

#define GET_OP_CLASSES
#include "tenon/ops/tenon_ops.h.inc"
