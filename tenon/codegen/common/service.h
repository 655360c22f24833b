#pragma once

#include "tenon/program/program.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace tenon::codegen {

// What runs an op that has no native form: a registered custom call, a routine of the runtime's library, or the
// interpreter on the op alone. Fails, with an error at the op, if it cannot be put in a service (a region that captures
// values, a type without storage).
llvm::FailureOr<program::Service> makeService(mlir::Operation *op);

// "file:line:col" of the innermost named location, or "".
std::string locationText(mlir::Location location);

} // namespace tenon::codegen
