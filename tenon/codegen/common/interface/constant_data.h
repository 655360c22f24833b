#pragma once

#include "tenon/program/program.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/Support/LLVM.h"

namespace tenon::codegen {

// The bytes of a constant array in the program's storage format, row-major. Fails on attributes without known data.
llvm::FailureOr<program::Constant> constantData(mlir::ElementsAttr attribute);

} // namespace tenon::codegen
