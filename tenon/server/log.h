// The log of the server: one JSON object a line, to stderr.
//
//   log(Level::kInfo, "connected", {{"client", peer}, {"sessions", 3}});
//   {"time":"2025-01-31T12:00:00.123456Z","level":"info","event":"connected","client":"ipv4:127.0.0.1:4711",...}
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>

namespace tenon::server {

enum class Level { kDebug, kInfo, kWarning, kError };

// "debug", "info", "warning", "error" or "off": what is less important is not written. INVALID_ARGUMENT for others.
Status setLogLevel(const std::string &name);

void log(Level level, const char *event,
         std::initializer_list<std::pair<const char *, std::variant<int64_t, double, std::string>>> fields = {});

} // namespace tenon::server
