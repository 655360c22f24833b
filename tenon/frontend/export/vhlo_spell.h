// StableHLO to VHLO: the attributes of one operation, by the row of the table that its target version has.
#pragma once

#include "tenon/frontend/import/vhlo_table.h"

#include "mlir/IR/Operation.h"

namespace tenon::frontend {

// The first version whose artifacts may have operations and attributes of other dialects.
inline constexpr VhloVersion kMixedDialects{1, 11};

// An operation in the form of VHLO.
struct SpelledOp {
  const VhloOp *row = nullptr;
  mlir::DictionaryAttr inherent, discardable;
};

// `op` belongs to StableHLO or func. Emits an error when `version` has no form for it or for what it says.
llvm::FailureOr<SpelledOp> spellVhlo(mlir::Operation *op, VhloVersion version);

// Whether `version` has a form for this type; else an error that says since when there is one.
llvm::LogicalResult checkVhloType(mlir::Type type, VhloVersion version, mlir::Operation *op);

} // namespace tenon::frontend
