// The CHLO dialect: op `chlo.some_name` is class tenon::chlo::SomeNameOp.
#pragma once

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
