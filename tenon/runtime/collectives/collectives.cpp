#include "tenon/runtime/collectives/collectives.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/runtime_call.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;
using program::Shape;
using Factory = StatusOr<std::unique_ptr<RuntimeCallInstance>>;

StatusOr<std::vector<int64_t>> listOf(const RuntimeCall &runtimeCall, std::string_view name) {
  return integerArrayAttribute(runtimeCall.attributes, name);
}

// Describes, for messages, what a process is about to do.
StatusOr<std::string> describe(const RuntimeCall &runtimeCall) {
  if (runtimeCall.operands.size() != 1 || runtimeCall.results.size() != 1)
    return invalidArgument("takes one array and gives one");
  TENON_ASSIGN_OR_RETURN(std::string op, program::stringAttribute(runtimeCall.attributes, "op"));
  return op + " of " + runtimeCall.operands[0].toString();
}

// The process groups of a runtime call.
struct Groups {
  std::vector<std::vector<int64_t>> groups;

  static StatusOr<Groups> of(const RuntimeCall &runtimeCall) {
    StatusOr<std::vector<int64_t>> ids = listOf(runtimeCall, "groups"), sizes = listOf(runtimeCall, "sizes");
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
Status meet(const CallBuffers &call, const std::vector<int64_t> &members, const std::string &what, const void *data,
            const Rendezvous::Read &read) {
  if (members.size() == 1) {
    Rendezvous::Part part{what, data};
    return read({&part, 1});
  }
  if (!call.options.rendezvous)
    return failedPrecondition("the program communicates with other processes, but is run as one alone");
  return call.options.rendezvous->meet(members, call.options.process(), {what, data}, read, call.options.wait);
}

Factory makeId(const RuntimeCall &runtimeCall, int32_t RunOptions::*id) {
  if (!runtimeCall.operands.empty() || runtimeCall.results != std::vector{Shape{program::ElementType::kUI32, {}}})
    return invalidArgument("the place in the grid is a ui32");
  return makeRuntimeCall([id](const CallBuffers &call) -> Status {
    auto value = static_cast<uint32_t>(call.options.*id);
    std::memcpy(call.results[0], &value, sizeof value);
    return {};
  });
}

// Makes a runtime call that gives the i32 which `answer` computes from the groups and the number of the process.
Factory makeGroupQuestion(const RuntimeCall &runtimeCall,
                          StatusOr<int32_t> (*answer)(const Groups &, int64_t process)) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  if (!runtimeCall.operands.empty() || runtimeCall.results != std::vector{Shape{program::ElementType::kI32, {}}})
    return invalidArgument(runtimeCall.target + " gives an i32, and takes nothing");
  return makeRuntimeCall([groups, answer](const CallBuffers &call) -> Status {
    TENON_ASSIGN_OR_RETURN(int32_t value, answer(groups, call.options.process()));
    std::memcpy(call.results[0], &value, sizeof value);
    return {};
  });
}

StatusOr<int32_t> groupSize(const Groups &groups, int64_t process) {
  TENON_ASSIGN_OR_RETURN(auto group, groups.ofProcess(process));
  return int32_t(group->size());
}

StatusOr<int32_t> groupPlace(const Groups &groups, int64_t process) {
  auto group = groups.ofProcess(process);
  return group.ok() ? int32_t(std::find((*group)->begin(), (*group)->end(), process) - (*group)->begin()) : -1;
}

Factory makeGather(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  TENON_ASSIGN_OR_RETURN(std::string what, describe(runtimeCall));
  Shape stacked = runtimeCall.operands[0];
  stacked.dims.insert(stacked.dims.begin(), int64_t(groups.largest()));
  if (runtimeCall.results[0] != stacked)
    return invalidArgument("the result of gather_group must be " + stacked.toString());
  return makeRuntimeCall([groups, bytes = size_t(runtimeCall.operands[0].byteSize()), count = groups.largest(),
                          what](const CallBuffers &call) -> Status {
    TENON_ASSIGN_OR_RETURN(auto group, groups.ofProcess(call.options.process()));
    return meet(call, *group, what, call.operands[0], [&](std::span<const Rendezvous::Part> parts) -> Status {
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

Factory makeExchange(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  TENON_ASSIGN_OR_RETURN(std::string what, describe(runtimeCall));
  const Shape &shape = runtimeCall.operands[0];
  auto hasPartForEach = [&](const auto &group) {
    return !shape.dims.empty() && int64_t(group.size()) == shape.dims[0];
  };
  if (runtimeCall.results[0] != shape || !std::all_of(groups.groups.begin(), groups.groups.end(), hasPartForEach))
    return invalidArgument("exchange_group needs one part for each process of a group, got " + shape.toString());
  size_t bytes = shape.dims[0] ? size_t(shape.byteSize() / shape.dims[0]) : 0;
  return makeRuntimeCall([groups, bytes, what](const CallBuffers &call) -> Status {
    int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(auto group, groups.ofProcess(self));
    size_t place = size_t(std::find(group->begin(), group->end(), self) - group->begin());
    return meet(call, *group, what, call.operands[0], [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t i = 0; bytes && i < parts.size(); ++i)
        std::memcpy(static_cast<char *>(call.results[0]) + i * bytes,
                    static_cast<const char *>(parts[i].content) + place * bytes, bytes);
      return {};
    });
  });
}

int64_t integerAt(const void *list, program::ElementType type, size_t place) {
  return type == program::ElementType::kI64 ? static_cast<const int64_t *>(list)[place]
                                            : static_cast<const int32_t *>(list)[place];
}

Status checkRows(const RuntimeCall &runtimeCall, const Groups &groups) {
  if (runtimeCall.operands.size() != 6 || runtimeCall.results.size() != 1)
    return invalidArgument("takes six arrays and gives one");
  const Shape &rows = runtimeCall.operands[0], &result = runtimeCall.operands[1];
  bool fits = !rows.dims.empty() && rows.dims.size() == result.dims.size() && rows.type == result.type &&
              std::equal(rows.dims.begin() + 1, rows.dims.end(), result.dims.begin() + 1) &&
              runtimeCall.results[0] == result;
  for (size_t i = 2; i < 6; ++i)
    fits = fits && runtimeCall.operands[i] == runtimeCall.operands[2] &&
           runtimeCall.operands[i].dims == std::vector{int64_t(groups.largest())};
  program::ElementType type = runtimeCall.operands[2].type;
  fits = fits && (type == program::ElementType::kI32 || type == program::ElementType::kI64);
  return fits ? Status()
              : invalidArgument("takes rows, a result of such rows, and four lists of i32 or i64, of a "
                                "number for each process of a group");
}

// Copies the rows that another process sends to this one (number `place` of the group) into the result.
Status takeRows(const CallBuffers &call, const RuntimeCall &runtimeCall, void *const *theirs, size_t place) {
  const Shape &rows = runtimeCall.operands[0], &result = runtimeCall.operands[1];
  auto number = [&](size_t operand) { return integerAt(theirs[operand], runtimeCall.operands[operand].type, place); };
  int64_t first = number(2), count = number(3), at = number(4);
  auto isOutside = [&](int64_t start, int64_t size) { return start < 0 || start > size || count > size - start; };
  if (count < 0 || isOutside(first, rows.dims[0]) || isOutside(at, result.dims[0]))
    return invalidArgument("rows " + std::to_string(first) + " to " + std::to_string(first + count) + " of " +
                           rows.toString() + " cannot go to row " + std::to_string(at) + " of " + result.toString());
  int64_t rowBytes = rows.dims[0] ? rows.byteSize() / rows.dims[0] : 0;
  if (count && rowBytes)
    std::memcpy(static_cast<char *>(call.results[0]) + at * rowBytes,
                static_cast<const char *>(theirs[0]) + first * rowBytes, size_t(count * rowBytes));
  return {};
}

Factory makeExchangeRows(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  TENON_RETURN_IF_ERROR(checkRows(runtimeCall, groups));
  std::string what = "ragged_all_to_all of";
  for (const Shape &operand : runtimeCall.operands)
    what += " " + operand.toString();
  return makeRuntimeCall([groups, runtimeCall, what](const CallBuffers &call) -> Status {
    int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(auto group, groups.ofProcess(self));
    auto place = size_t(std::find(group->begin(), group->end(), self) - group->begin());
    if (auto bytes = size_t(runtimeCall.operands[1].byteSize()))
      std::memmove(call.results[0], call.operands[1], bytes);
    return meet(call, *group, what, static_cast<const void *>(call.operands.data()),
                [&](std::span<const Rendezvous::Part> parts) -> Status {
                  for (const Rendezvous::Part &part : parts)
                    if (Status status = takeRows(call, runtimeCall, static_cast<void *const *>(part.content), place);
                        !status.ok())
                      return status;
                  return {};
                });
  });
}

// All processes that send or receive meet, whoever sends to whom, so that no cycle of waits can arise.
Factory makePermute(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> pairs, listOf(runtimeCall, "pairs"));
  TENON_ASSIGN_OR_RETURN(std::string what, describe(runtimeCall));
  if (pairs.size() % 2 || runtimeCall.results[0] != runtimeCall.operands[0])
    return invalidArgument("permute takes pairs, and gives an array of the same type");
  std::set<int64_t> distinct(pairs.begin(), pairs.end());
  std::vector<int64_t> members(distinct.begin(), distinct.end());
  return makeRuntimeCall(
      [pairs, members, bytes = size_t(runtimeCall.operands[0].byteSize()), what](const CallBuffers &call) -> Status {
        int64_t self = call.options.process(), source = -1;
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

bool isCollective(const RuntimeCall &runtimeCall) {
  return runtimeCall.kind == RuntimeCall::Kind::kLibrary &&
         (runtimeCall.target == "gather_group" || runtimeCall.target == "exchange_group" ||
          runtimeCall.target == "exchange_rows" || runtimeCall.target == "permute" ||
          runtimeCall.target == "manual_computation");
}

void registerCollectives() {
  registerLibrary("replica_id",
                  [](const RuntimeCall &runtimeCall) { return makeId(runtimeCall, &RunOptions::replicaId); });
  registerLibrary("partition_id",
                  [](const RuntimeCall &runtimeCall) { return makeId(runtimeCall, &RunOptions::partitionId); });
  registerLibrary("group_size",
                  [](const RuntimeCall &runtimeCall) { return makeGroupQuestion(runtimeCall, groupSize); });
  registerLibrary("group_place",
                  [](const RuntimeCall &runtimeCall) { return makeGroupQuestion(runtimeCall, groupPlace); });
  registerLibrary("gather_group", makeGather);
  registerLibrary("exchange_group", makeExchange);
  registerLibrary("exchange_rows", makeExchangeRows);
  registerLibrary("permute", makePermute);
}

} // namespace tenon::runtime
