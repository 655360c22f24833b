// Programs as targets from outside get them.
#pragma once

#include "tenon/status.h"
#include "tenon/target.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::backend {

// A module of one function `main`, whose types are arrays of known sizes and tokens. An error names what has no form
// there: a value of another type, an attribute without data.
StatusOr<target::Program> viewOf(mlir::ModuleOp module);

} // namespace tenon::backend
