// Reading StableHLO programs, whatever form they come in.
#pragma once

#include "tenon/ir/process_groups.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon::frontend {

enum class ProgramFormat {
  kText,             // MLIR's syntax, pretty or generic, and the older one of the StableHLO specification
  kBytecode,         // MLIR bytecode of the StableHLO dialect
  kPortableArtifact, // MLIR bytecode of the VHLO dialect, as JAX sends it
  kExported,         // a portable artifact in what jax.export writes
};

// Decides by the first bytes; anything that does not announce itself is text.
ProgramFormat sniffFormat(llvm::StringRef bytes);

struct ImportOptions {
  // How diagnostics name the program.
  std::string fileName = "<program>";
  // Whether there must be a function to be the program. It gets the name `main`.
  bool requireMain = true;
  // Which one; empty: that named `main`, otherwise the only public one, otherwise the only one.
  std::string entry;
  // How the user names one, for the message where that is needed: "--entry".
  std::string entryOption;
  // Whether main shall take and give arrays and tokens only: parts of tuples and futures one by one (flattenMain).
  bool flattenMain = false;
  // The grid of processes that the program will be one of. Absent: what the module says, which otherwise must not say
  // another one.
  std::optional<ir::ProcessGrid> grid;
  // Whether that counts even where the module says another.
  bool replaceGrid = false;
};

// Loads the dialects, parses, verifies. Null after an error, which went to the context's diagnostic handlers: with
// file, line and column for text, with the rule that the bytes break for the binary forms. Any bytes are safe to give;
// models and data in the forms of others are named.
mlir::OwningOpRef<mlir::ModuleOp> importModule(llvm::StringRef bytes, mlir::MLIRContext &context,
                                               const ImportOptions &options = {});

} // namespace tenon::frontend
