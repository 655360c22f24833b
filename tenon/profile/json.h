// A profile as data.
#pragma once

#include "tenon/profile.h"

#include <nlohmann/json.hpp>

#include <string>

namespace tenon::profile {

// All but the events. docs/profiling.md has the keys.
nlohmann::ordered_json profileJson(const xla::Profile &profile);

// Text of programs may be any bytes; JSON is UTF-8.
std::string dump(const nlohmann::ordered_json &json, int indent);

} // namespace tenon::profile
