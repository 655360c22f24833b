#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tenon::frontend {

// Rewrites the spellings of older StableHLO texts and of the specification's grammar that MLIR's parser does not
// know (text.cpp lists them). Nothing when the text has none of them. Lines keep their numbers, and columns wherever
// the new spelling is not longer than the old one.
std::optional<std::string> modernizeText(llvm::StringRef text);

// Whether brackets or terms nest so deep that MLIR's recursive parser would run out of stack.
bool nestsTooDeep(llvm::StringRef text);

} // namespace tenon::frontend
