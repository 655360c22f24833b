// Writing programs out.
#pragma once

#include "tenon/frontend/import/vhlo_version.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tenon::frontend {

struct TextOptions {
  bool generic = false;   // every operation in the form that needs no knowledge of it
  bool locations = false; // loc(...) behind each operation
};

// MLIR's syntax. What importModule makes of it prints the same.
std::string exportText(mlir::ModuleOp module, const TextOptions &options = {});

// MLIR bytecode of the dialects that the module is in. It has no promise to outlive a version of StableHLO, unlike a
// portable artifact, but keeps everything, locations included. Empty when MLIR cannot encode the module.
std::string exportBytecode(mlir::ModuleOp module);

// A portable artifact, which all readers of StableHLO from `version` on understand. Empty after an error, which went to
// the context's diagnostic handlers: with the operation that `version` does not have, and the first that has it.
std::string exportArtifact(mlir::ModuleOp module, VhloVersion version);

} // namespace tenon::frontend
