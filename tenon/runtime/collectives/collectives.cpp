#include "tenon/runtime/collectives/collectives.h"

#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/attributes.h"
#include "tenon/runtime/core/service.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace tenon::runtime {
namespace {

using program::Service;
using program::Shape;
using Factory = StatusOr<std::unique_ptr<ServiceInstance>>;

int64_t processOf(const RunOptions &options) {
  return int64_t(options.replicaId) * options.numPartitions + options.partitionId;
}

StatusOr<AttributeDict> configOf(const Service &service) {
  StatusOr<AttributeDict> attributes = parseAttributes(service.payload);
  if (!attributes.ok())
    return attributes.status();
  const Attribute *config = findAttribute(*attributes, "backend_config");
  const auto *entries = config ? std::get_if<AttributeDict>(&config->value) : nullptr;
  if (!entries)
    return invalidArgument("the call has no dictionary as its backend_config");
  return *entries;
}

StatusOr<std::vector<int64_t>> listOf(const Service &service, std::string_view name) {
  StatusOr<AttributeDict> config = configOf(service);
  return config.ok() ? integerArrayAttribute(*config, name) : config.status();
}

// What a process is about to do, in words.
StatusOr<std::string> describe(const Service &service) {
  if (service.operands.size() != 1 || service.results.size() != 1)
    return invalidArgument("takes one array and gives one");
  StatusOr<AttributeDict> config = configOf(service);
  if (!config.ok())
    return config.status();
  StatusOr<std::string> op = stringAttribute(*config, "op");
  if (!op.ok())
    return op.status();
  return *op + " of " + service.operands[0].toString();
}

// The process groups of a service.
struct Groups {
  std::vector<std::vector<int64_t>> groups;

  static StatusOr<Groups> of(const Service &service) {
    StatusOr<std::vector<int64_t>> ids = listOf(service, "groups"), sizes = listOf(service, "sizes");
    if (!ids.ok() || !sizes.ok())
      return ids.ok() ? sizes.status() : ids.status();
    Groups result;
    size_t at = 0;
    for (int64_t size : *sizes) {
      if (size < 1 || size > int64_t(ids->size() - at))
        return invalidArgument("the sizes of process groups do not fit their processes");
      result.groups.emplace_back(ids->begin() + at, ids->begin() + at + size);
      at += size_t(size);
    }
    if (at != ids->size() || std::set(ids->begin(), ids->end()).size() != ids->size())
      return invalidArgument("process groups must have each process once");
    return result;
  }

  StatusOr<const std::vector<int64_t> *> ofProcess(int64_t process) const {
    for (const std::vector<int64_t> &group : groups)
      if (std::find(group.begin(), group.end(), process) != group.end())
        return &group;
    return failedPrecondition("process " + std::to_string(process) + " is in no group of the collective");
  }

  size_t largest() const {
    size_t size = 0;
    for (const std::vector<int64_t> &group : groups)
      size = std::max(size, group.size());
    return size;
  }
};

// Shows `data` to the other members, and reads theirs. A process that is alone meets nobody.
Status meet(const ServiceCall &call, const std::vector<int64_t> &members, const std::string &what, const void *data,
            const Rendezvous::Read &read) {
  if (members.size() == 1) {
    Rendezvous::Part part{what, data};
    return read({&part, 1});
  }
  if (!call.options.rendezvous)
    return failedPrecondition("the program communicates with other processes, but is run as one alone");
  return call.options.rendezvous->meet(members, processOf(call.options), {what, data}, read, call.options.wait);
}

Factory makeId(const Service &service, int32_t RunOptions::*id) {
  if (!service.operands.empty() || service.results != std::vector{Shape{program::ElementType::kUI32, {}}})
    return invalidArgument("the place in the grid is a ui32");
  return makeService([id](const ServiceCall &call) -> Status {
    auto value = static_cast<uint32_t>(call.options.*id);
    std::memcpy(call.results[0], &value, sizeof value);
    return {};
  });
}

Factory makeGroupSize(const Service &service) {
  StatusOr<Groups> groups = Groups::of(service);
  if (!groups.ok())
    return groups.status();
  if (!service.operands.empty() || service.results != std::vector{Shape{program::ElementType::kI32, {}}})
    return invalidArgument("group_size gives an i32, and takes nothing");
  return makeService([groups = *groups](const ServiceCall &call) -> Status {
    auto group = groups.ofProcess(processOf(call.options));
    if (!group.ok())
      return group.status();
    auto size = int32_t((*group)->size());
    std::memcpy(call.results[0], &size, sizeof size);
    return {};
  });
}

Factory makeGather(const Service &service) {
  StatusOr<Groups> groups = Groups::of(service);
  if (!groups.ok())
    return groups.status();
  StatusOr<std::string> what = describe(service);
  if (!what.ok())
    return what.status();
  Shape stacked = service.operands[0];
  stacked.dims.insert(stacked.dims.begin(), int64_t(groups->largest()));
  if (service.results[0] != stacked)
    return invalidArgument("the result of gather_group must be " + stacked.toString());
  return makeService([groups = *groups, bytes = size_t(service.operands[0].byteSize()), count = groups->largest(),
                      what = *what](const ServiceCall &call) -> Status {
    auto group = groups.ofProcess(processOf(call.options));
    if (!group.ok())
      return group.status();
    return meet(call, **group, what, call.operands[0], [&](std::span<const Rendezvous::Part> parts) -> Status {
      auto *to = static_cast<char *>(call.results[0]);
      for (size_t i = 0; bytes && i < count; ++i)
        if (i < parts.size())
          std::memcpy(to + i * bytes, parts[i].content, bytes);
        else
          std::memset(to + i * bytes, 0, bytes);
      return {};
    });
  });
}

Factory makeExchange(const Service &service) {
  StatusOr<Groups> groups = Groups::of(service);
  if (!groups.ok())
    return groups.status();
  StatusOr<std::string> what = describe(service);
  if (!what.ok())
    return what.status();
  const Shape &shape = service.operands[0];
  auto hasPartForEach = [&](const auto &group) {
    return !shape.dims.empty() && int64_t(group.size()) == shape.dims[0];
  };
  if (service.results[0] != shape || !std::all_of(groups->groups.begin(), groups->groups.end(), hasPartForEach))
    return invalidArgument("exchange_group needs one part for each process of a group, got " + shape.toString());
  size_t bytes = shape.dims[0] ? size_t(shape.byteSize() / shape.dims[0]) : 0;
  return makeService([groups = *groups, bytes, what = *what](const ServiceCall &call) -> Status {
    int64_t self = processOf(call.options);
    auto group = groups.ofProcess(self);
    if (!group.ok())
      return group.status();
    size_t place = size_t(std::find((*group)->begin(), (*group)->end(), self) - (*group)->begin());
    return meet(call, **group, what, call.operands[0], [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t i = 0; bytes && i < parts.size(); ++i)
        std::memcpy(static_cast<char *>(call.results[0]) + i * bytes,
                    static_cast<const char *>(parts[i].content) + place * bytes, bytes);
      return {};
    });
  });
}

// All processes that send or receive meet, whoever sends to whom: nobody can wait in a circle.
Factory makePermute(const Service &service) {
  StatusOr<std::vector<int64_t>> pairs = listOf(service, "pairs");
  if (!pairs.ok())
    return pairs.status();
  StatusOr<std::string> what = describe(service);
  if (!what.ok())
    return what.status();
  if (pairs->size() % 2 || service.results[0] != service.operands[0])
    return invalidArgument("permute takes pairs, and gives an array of the same type");
  std::set<int64_t> distinct(pairs->begin(), pairs->end());
  std::vector<int64_t> members(distinct.begin(), distinct.end());
  return makeService([pairs = *pairs, members, bytes = size_t(service.operands[0].byteSize()),
                      what = *what](const ServiceCall &call) -> Status {
    int64_t self = processOf(call.options), source = -1;
    for (size_t i = 0; i < pairs.size(); i += 2)
      if (pairs[i + 1] == self)
        source = pairs[i];
    auto read = [&](std::span<const Rendezvous::Part> parts) -> Status {
      size_t at = size_t(std::lower_bound(members.begin(), members.end(), source) - members.begin());
      if (bytes && source >= 0)
        std::memcpy(call.results[0], parts[at].content, bytes);
      else if (bytes)
        std::memset(call.results[0], 0, bytes);
      return {};
    };
    if (!std::binary_search(members.begin(), members.end(), self))
      return read({});
    return meet(call, members, what, call.operands[0], read);
  });
}

} // namespace

bool isCollective(const Service &service) {
  return service.kind == Service::Kind::kLibrary &&
         (service.target == "gather_group" || service.target == "exchange_group" || service.target == "permute");
}

void registerCollectives() {
  registerLibrary("replica_id", [](const Service &service) { return makeId(service, &RunOptions::replicaId); });
  registerLibrary("partition_id", [](const Service &service) { return makeId(service, &RunOptions::partitionId); });
  registerLibrary("group_size", makeGroupSize);
  registerLibrary("gather_group", makeGather);
  registerLibrary("exchange_group", makeExchange);
  registerLibrary("permute", makePermute);
}

} // namespace tenon::runtime
