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

const Attribute *findAttribute(const AttributeDict &dict, std::string_view name);

// INVALID_ARGUMENT if missing or of another kind. Integers of any width and booleans convert to int64_t.
StatusOr<int64_t> integerAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<bool> booleanAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<std::string> stringAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<std::vector<int64_t>> integerArrayAttribute(const AttributeDict &dict, std::string_view name);

} // namespace tenon::program
