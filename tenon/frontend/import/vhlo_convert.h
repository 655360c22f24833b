#pragma once

#include "tenon/frontend/import/vhlo_table.h"

#include "mlir/IR/Operation.h"

namespace tenon::frontend {

// A VHLO operation converted to StableHLO, or to func.
struct ConvertedVhloOp {
  mlir::OperationName name;
  mlir::NamedAttrList inherent, discardable;
};

// Whether this is the value that StableHLO leaves out.
bool isVhloDefault(mlir::Attribute value, VhloDefault defaultValue);

using ErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

// Converts the operation of `row` with these attributes, which is about to be put into a region of `parent`. Types need
// no conversion: reading gave them their final form. Emits an error on failure.
llvm::FailureOr<ConvertedVhloOp> convertVhloOp(const VhloOp &row, const mlir::NamedAttrList &attributes,
                                               mlir::Operation *parent, ErrorFn emitError);

// Only the structured attributes that some of a row's fields stand for: the ones given.
llvm::FailureOr<mlir::NamedAttrList> convertLegacyAttributesOf(const VhloOp &row, const mlir::NamedAttrList &attributes,
                                                               ErrorFn emitError);

} // namespace tenon::frontend
