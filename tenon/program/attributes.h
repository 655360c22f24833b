// Attributes of a runtime call: what MLIR's attributes of an op say, as plain data.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::program {

// Attributes nest no deeper than this, wherever they come from.
constexpr int kMaxAttributeDepth = 64;

// The name of a boolean: the runtime call goes on beside the run until it is waited for
// (runtime/core/background_calls.h).
inline constexpr std::string_view kStartsAttribute = "starts";

const Attribute *findAttribute(const AttributeDict &dict, std::string_view name);

// INVALID_ARGUMENT if missing or of another kind. Integers of any width and booleans convert to int64_t.
StatusOr<int64_t> integerAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<bool> booleanAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<std::string> stringAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<std::vector<int64_t>> integerArrayAttribute(const AttributeDict &dict, std::string_view name);

// Adds an attribute that the dictionary does not have.
void addAttribute(AttributeDict &dict, NamedAttribute attribute);

// For each result of a collective that gives all processes of a group the same arrays, the result of the program in
// whose memory it alone writes, and only once all have come to it and need no more of what was there before; -1 where
// there is none. So processes of one group and one OS process may have one memory for it.
inline constexpr std::string_view kProgramResults = "program_results";

} // namespace tenon::program
