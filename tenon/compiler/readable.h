// Programs for people: what frameworks are shown of a compiled program. Private to the compiler.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon::compiler {

// Rewrites a module, on which the passes before "strip-sinks" were run, into one that XLA's importer has an HLO form
// for: frameworks that show programs read what Executable::optimizedModule returns with that importer, which knows
// neither CHLO nor Tenon's own calls. The result has the same ops and places, but is not meant to be compiled.
//
// `manualComputations` are the computations for single devices that passes::outlineManualComputations took out, after
// the same passes. They become private functions, named by the calls that run them.
void makeReadable(mlir::ModuleOp module, llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> manualComputations);

} // namespace tenon::compiler
