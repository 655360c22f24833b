#pragma once

#include <string>
#include <string_view>

namespace tenon::aot {

// A digest of bytes, as 32 hexadecimal digits.
std::string digestOf(std::string_view bytes);

} // namespace tenon::aot
