// The VHLO dialect as far as MLIR's bytecode writer needs it: an operation for each row of the table, one attribute and
// one type that stand for those of StableHLO. Nothing but the writer can do anything with them.
#pragma once

#include "tenon/frontend/import/vhlo_encoding.h"
#include "tenon/frontend/import/vhlo_table.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

namespace tenon::frontend {

// `attribute` for a portable artifact. What VHLO has no form for stays as it is.
mlir::Attribute wrapForVhlo(mlir::Attribute attribute);
// Under a number that its kind does not tell.
mlir::Attribute wrapForVhlo(VhloAttributeCode code, mlir::Attribute attribute);
// `type` must have a form in VHLO.
mlir::Type wrapForVhlo(mlir::Type type);

// Loads the dialect into the context; idempotent.
void loadVhloDialect(mlir::MLIRContext &context);

// An operation of `row`: `inherent` has the attributes of the row, wrapped. The dialect is loaded.
mlir::OperationState vhloState(const VhloOp &row, mlir::Location location, mlir::DictionaryAttr inherent);

} // namespace tenon::frontend
