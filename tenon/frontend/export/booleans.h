// Boolean constants in text. MLIR spells large constants as the bytes that hold them, and booleans of eight to a byte
// or of one to a byte, depending on its version; lists every version reads.
#pragma once

#include <string>

namespace tenon::frontend {

// Rewrites text that MLIR printed so that every constant of type i1 is a list of its elements.
std::string listBooleans(std::string text);

} // namespace tenon::frontend
