// Reads what jax.export writes (`Exported.serialize()`): a portable artifact in a flatbuffer of JAX's.
#pragma once

#include "tenon/status.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::frontend {

struct ExportedProgram {
  llvm::StringRef artifact;
  llvm::SmallVector<llvm::StringRef> platforms; // that it was lowered for, in the order of its platform index
};

// Whether the bytes begin as such a file does. One that has been cut off or damaged further on is still one.
bool looksExported(llvm::StringRef bytes);

// Survives any bytes. What it returns points into them. Fails on what breaks flatbuffers' rules, or holds no artifact.
StatusOr<ExportedProgram> readExported(llvm::StringRef bytes);

// A function that was lowered for several platforms takes the platform's number as its first argument. Puts that of the
// CPU in its place. Of a verified module. Fails, with a diagnostic, where the CPU is none of them.
llvm::LogicalResult bindPlatform(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> platforms);

} // namespace tenon::frontend
