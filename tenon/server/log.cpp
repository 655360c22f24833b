#include "tenon/server/log.h"

#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace tenon::server {

static spdlog::logger &logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("tenon", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})", spdlog::pattern_time_type::utc));
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *instance;
}

Status setLogLevel(const std::string &name) {
  auto level = spdlog::level::from_str(name);
  if (level == spdlog::level::off && name != "off")
    return invalidArgument("there is no log level '" + name + "'");
  logger().set_level(level);
  return {};
}

static spdlog::level::level_enum levelOf(Level level) {
  switch (level) {
  case Level::kDebug:
    return spdlog::level::debug;
  case Level::kInfo:
    return spdlog::level::info;
  case Level::kWarning:
    return spdlog::level::warn;
  case Level::kError:
    break;
  }
  return spdlog::level::err;
}

void log(Level level, const char *event,
         std::initializer_list<std::pair<const char *, std::variant<int64_t, double, std::string>>> fields) {
  if (!logger().should_log(levelOf(level)))
    return;
  nlohmann::ordered_json line{{"event", event}};
  for (const auto &[name, value] : fields)
    std::visit([&, key = name](const auto &known) { line[key] = known; }, value);
  // Names and messages of clients may be any bytes.
  std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  logger().log(levelOf(level), "{}", std::string_view(text).substr(1, text.size() - 2));
}

} // namespace tenon::server
