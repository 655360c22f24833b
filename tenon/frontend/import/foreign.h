#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tenon::frontend {

// Names the form of a program, a model or data that is known and is not StableHLO, and says what would help: "an ONNX
// model; ...". None where the bytes may be StableHLO's text. Looks at a form's magic numbers only.
std::optional<std::string> nameForeignForm(llvm::StringRef bytes);

} // namespace tenon::frontend
