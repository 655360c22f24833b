// A program in its written forms.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace tenon::fuzz {

// importModule, with the errors as text.
mlir::OwningOpRef<mlir::ModuleOp> readProgram(llvm::StringRef bytes, mlir::MLIRContext &context, std::string &errors);

// What is wrong with a module's text, generic text or bytecode, each of which has to read back as the same module.
std::optional<std::string> brokenRoundTrip(mlir::ModuleOp module);

// The same of its portable artifact, if it has one: what that reads back as, which is without attributes that have
// their default values, has to read back as itself.
std::optional<std::string> brokenArtifact(mlir::ModuleOp module);

} // namespace tenon::fuzz
