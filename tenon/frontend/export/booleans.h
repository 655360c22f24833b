// Boolean constants in text. MLIR spells large constants as the bytes that hold them, and booleans of eight to a byte
// or of one to a byte, depending on its version; lists every version reads.
#pragma once

#include <string>

namespace tenon::frontend {

// What MLIR printed, with every constant of type i1 as a list of its elements.
std::string listBooleans(std::string text);

} // namespace tenon::frontend
