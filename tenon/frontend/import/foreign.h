#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tenon::frontend {

// What the bytes are, where they are a program, a model or data in a form that is known and that is not StableHLO, and
// what would help: "an ONNX model; ...". Nothing where they may be StableHLO's text. Looks at no more than a form's
// marks.
std::optional<std::string> nameForeignForm(llvm::StringRef bytes);

} // namespace tenon::frontend
