#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenon {

// The text with each {N} replaced by value number N, as messages of shape assertions are written. What names no value
// stays as it is.
std::string formatMessage(std::string_view format, std::span<const int64_t> values);

} // namespace tenon
