// JSON from anybody: values of a bounded number and depth, and the elements of tensors beside them, which would take
// many times their size as values.
#pragma once

#include "tenon/status.h"

#include <nlohmann/json.hpp>

#include <string_view>
#include <variant>
#include <vector>

namespace tenon::kserve {

// An element as it is written: 1, -1, 1.5, true.
using JsonNumber = std::variant<int64_t, uint64_t, double, bool>;

struct JsonRequest {
  nlohmann::json value;
  // The elements of each "data" of an input, flattened. In their place `value` has a binary value, which no JSON has,
  // whose subtype is their index in this list.
  std::vector<std::vector<JsonNumber>> data;
};

// INVALID_ARGUMENT for what is no JSON, with the place, or more than any request has.
StatusOr<JsonRequest> readJson(std::string_view text);

} // namespace tenon::kserve
