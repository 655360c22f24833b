// Pieces of LLVM IR as text. Private to the folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::aot {

// The text with each of the names replaced by its value, one name after the other.
std::string fillIn(std::string text, const std::vector<std::pair<std::string, std::string>> &values);

// A string in LLVM's form, without the quotes.
std::string escaped(std::string_view bytes);

} // namespace tenon::aot
