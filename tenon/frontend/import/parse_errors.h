#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::frontend {

// Says of an error of MLIR's parser or verifier what it leaves out: the name of a value or block that is not there, and
// the operation that may have been meant instead of one that no dialect has. Other diagnostics stay as they are. `text`
// is what was parsed.
void clarifyParseError(mlir::Diagnostic &diagnostic, llvm::StringRef text);

} // namespace tenon::frontend
