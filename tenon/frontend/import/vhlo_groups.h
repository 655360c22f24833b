// The attributes that VHLO spreads over several fields.
#pragma once

#include "tenon/frontend/import/vhlo_table.h"

#include "mlir/IR/Operation.h"

namespace tenon::frontend {

// The elements of a 1-D tensor of si64, or of an array of them; fails on anything else.
llvm::FailureOr<llvm::SmallVector<int64_t>> getIntegers(mlir::Attribute value);

// Adds the structured attributes that the fields of an operation of `row` stand for. Emits an error on failure.
llvm::LogicalResult convertGroup(const VhloOp &row, const mlir::NamedAttrList &fields, mlir::NamedAttrList &result,
                                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace tenon::frontend
