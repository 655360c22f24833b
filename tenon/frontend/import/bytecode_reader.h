// Reads MLIR bytecode, of StableHLO and of VHLO, into a module.
//
// Why not MLIR's own reader: it trusts the file. Counts and offsets of a damaged one make it allocate without bounds or
// write outside its tables, and programs come from anywhere (networks, caches, other processes). Also, it would need
// VHLO's operations as a dialect; this reader turns them into StableHLO's while it reads.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon::frontend {

// `bytes` starts with bytecode's magic number; `location` names the file in errors. The dialects are loaded. The module
// is not verified. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> readBytecode(llvm::StringRef bytes, mlir::Location location);

} // namespace tenon::frontend
