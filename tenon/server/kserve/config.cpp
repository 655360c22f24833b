#include "tenon/server/kserve/config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>

namespace tenon::kserve {
namespace {

using nlohmann::json;

// What reads a field's value.
using Fields = std::map<std::string, std::function<Status(const json &)>>;

Status readFields(const json &object, const std::string &what, const Fields &fields) {
  if (!object.is_object())
    return invalidArgument(what + " must be an object");
  for (const auto &[name, value] : object.items()) {
    auto field = fields.find(name);
    if (field == fields.end())
      return invalidArgument(what + " has a field that is not known: '" + name + "'");
    TENON_RETURN_IF_ERROR(field->second(value));
  }
  return {};
}

// Reads an integer that is at least `least`.
std::function<Status(const json &)> integer(const char *name, int64_t least, const std::function<void(int64_t)> &take) {
  return [=](const json &value) {
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT32_MAX) ||
        value.get<int64_t>() < least)
      return invalidArgument(std::string(name) + " must be an integer from " + std::to_string(least) + " to " +
                             std::to_string(INT32_MAX));
    take(value.get<int64_t>());
    return Status();
  };
}

std::function<Status(const json &)> integers(const char *name, const std::function<void(int64_t)> &take) {
  return [=](const json &value) {
    if (!value.is_array() || value.empty())
      return invalidArgument(std::string(name) + " must be an array of integers");
    for (const json &element : value)
      TENON_RETURN_IF_ERROR(integer(name, 1, take)(element));
    return Status();
  };
}

std::function<Status(const json &)> names(const char *name, std::vector<std::string> &list) {
  return [name, &list](const json &value) {
    bool isList = value.is_array() && std::ranges::all_of(value, [](const json &each) { return each.is_string(); });
    if (!isList)
      return invalidArgument(std::string(name) + " must be an array of names");
    list = value.get<std::vector<std::string>>();
    if (std::set(list.begin(), list.end()).size() != list.size() || std::ranges::find(list, "") != list.end())
      return invalidArgument(std::string(name) + " must be names that differ");
    return Status();
  };
}

Status readBatching(const json &value, ModelConfig &config) {
  return readFields(
      value, "dynamic_batching",
      {{"preferred_batch_size",
        integers("preferred_batch_size", [&](int64_t size) { config.batchSizes.push_back(size); })},
       {"max_queue_delay_microseconds",
        integer("max_queue_delay_microseconds", 0,
                [&](int64_t time) { config.maxQueueDelay = std::chrono::microseconds(time); })},
       {"max_queue_size", integer("max_queue_size", 1, [&](int64_t size) { config.maxQueueSize = size; })}});
}

Status readPolicy(const json &value, ModelConfig::VersionPolicy &policy) {
  if (!value.is_object() || value.size() != 1)
    return invalidArgument("version_policy must have one of latest, all and specific");
  auto latest = [&](const json &fields) {
    return readFields(fields, "latest",
                      {{"num_versions", integer("num_versions", 1, [&](int64_t n) { policy.latest = n; })}});
  };
  auto all = [&](const json &fields) {
    policy.latest = 0;
    return readFields(fields, "all", {});
  };
  auto specific = [&](const json &fields) {
    TENON_RETURN_IF_ERROR(readFields(
        fields, "specific", {{"versions", integers("versions", [&](int64_t n) { policy.specific.insert(n); })}}));
    return policy.specific.empty() ? invalidArgument("specific must name versions") : Status();
  };
  return readFields(value, "version_policy", {{"latest", latest}, {"all", all}, {"specific", specific}});
}

// The sizes are those that are preferred, and the largest.
Status completeSizes(ModelConfig &config) {
  if (config.maxBatchSize == 0 && (!config.batchSizes.empty() || config.maxQueueDelay.count() > 0))
    return invalidArgument("dynamic_batching needs a max_batch_size above 0");
  if (config.maxBatchSize > 0)
    config.batchSizes.push_back(config.maxBatchSize);
  std::ranges::sort(config.batchSizes);
  config.batchSizes.erase(std::ranges::unique(config.batchSizes).begin(), config.batchSizes.end());
  if (!config.batchSizes.empty() && config.batchSizes.back() > config.maxBatchSize)
    return invalidArgument("a preferred_batch_size is above max_batch_size");
  return {};
}

} // namespace

StatusOr<ModelConfig> readConfig(std::string_view text) {
  json value = json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded())
    return invalidArgument("config.json is no JSON");
  ModelConfig config;
  TENON_RETURN_IF_ERROR(
      readFields(value, "config.json",
                 {{"max_batch_size", integer("max_batch_size", 0, [&](int64_t size) { config.maxBatchSize = size; })},
                  {"dynamic_batching", [&](const json &fields) { return readBatching(fields, config); }},
                  {"instance_count", integer("instance_count", 1, [&](int64_t count) { config.instances = count; })},
                  {"max_shapes", integer("max_shapes", 1, [&](int64_t count) { config.maxShapes = count; })},
                  {"inputs", names("inputs", config.inputs)},
                  {"outputs", names("outputs", config.outputs)},
                  {"version_policy", [&](const json &fields) { return readPolicy(fields, config.versions); }}}));
  if (config.instances > 256)
    return invalidArgument("instance_count must be an integer from 1 to 256");
  TENON_RETURN_IF_ERROR(completeSizes(config));
  return config;
}

std::set<int64_t> chosenVersions(const ModelConfig::VersionPolicy &policy, const std::set<int64_t> &present) {
  std::set<int64_t> chosen;
  for (int64_t version : std::views::reverse(present))
    if (!policy.specific.empty() ? policy.specific.contains(version)
                                 : policy.latest == 0 || static_cast<int64_t>(chosen.size()) < policy.latest)
      chosen.insert(version);
  return chosen;
}

} // namespace tenon::kserve
