#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tenon::frontend {

// Rewrites the spellings of older StableHLO texts and of the specification's grammar that MLIR's parser does not
// know (text.cpp lists them). Nothing when the text has none of them. Lines keep their numbers, and columns wherever
// the new spelling is not longer than the old one.
std::optional<std::string> modernizeText(llvm::StringRef text);

// Why MLIR's parser would not survive the text, and what is left of it from there on; nothing when it would: brackets
// or terms nest so deep that the recursive parser would run out of stack, or an array<...> has index for elements.
struct Hazard {
  llvm::StringRef reason, rest;
};
std::optional<Hazard> findHazard(llvm::StringRef text);

} // namespace tenon::frontend
