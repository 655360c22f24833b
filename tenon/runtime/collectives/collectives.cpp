#include "tenon/runtime/collectives/collectives.h"

#include "tenon/program/attributes.h"
#include "tenon/program/group_memory.h"
#include "tenon/runtime/collectives/device_moves.h"
#include "tenon/runtime/collectives/exchange_rows.h"
#include "tenon/runtime/collectives/fold_group.h"
#include "tenon/runtime/collectives/groups.h"
#include "tenon/runtime/collectives/senders.h"
#include "tenon/runtime/core/background_calls.h"
#include "tenon/runtime/core/group_memory.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/thread_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;
using program::Shape;
using Factory = StatusOr<std::unique_ptr<RuntimeCallInstance>>;

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
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> group, groups.ofProcess(process));
  return int32_t(group.size());
}

StatusOr<int32_t> groupPlace(const Groups &groups, int64_t process) {
  auto group = groups.ofProcess(process);
  return group.ok() ? int32_t(placeIn(*group, process)) : -1;
}

// Arrays of all members of a group, put together: of each, a row after the other ones'.
struct GatheredRows {
  size_t count = 0;    // of the arrays
  size_t rowBytes = 0; // of one array's part of a row of the result

  // The bytes of a result that one of those copies who have one memory for it, in whole lines of caches.
  static std::pair<size_t, size_t> partOf(size_t bytes, Sharers sharers) {
    auto begin = [&](size_t i) { return i == sharers.count ? bytes : bytes * i / sharers.count / 64 * 64; };
    return {begin(sharers.place), begin(sharers.place + 1)};
  }

  // Copies the array of one member to its place in the result.
  void put(char *result, size_t member, const char *array, size_t bytes) const {
    for (size_t at = 0; at < bytes; at += rowBytes)
      std::memcpy(result + at * count + member * rowBytes, array + at, rowBytes);
  }

  // Copies the bytes [begin, end) of the result.
  template <typename Shown> void copy(char *result, size_t begin, size_t end, const Shown &shown) const {
    size_t row = begin / rowBytes / count, member = begin / rowBytes % count, column = begin % rowBytes;
    for (size_t bytes = 0; begin < end; begin += bytes, column = 0) {
      bytes = std::min(rowBytes - column, end - begin);
      std::memcpy(result + begin, shown(member) + row * rowBytes + column, bytes);
      if (++member == count) {
        member = 0;
        ++row;
      }
    }
  }
};

// Gathering along a dimension of arrays.
Factory makeJoiningGather(const RuntimeCall &runtimeCall, int64_t dimension) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  TENON_ASSIGN_OR_RETURN(Meeting meeting, Meeting::of(runtimeCall));
  if (groups.smallest() != groups.largest())
    return invalidArgument("gather_group needs groups of one size to put arrays together");
  std::vector<GatheredRows> arrays;
  for (size_t i = 0; i < runtimeCall.operands.size(); ++i) {
    Shape joined = runtimeCall.operands[i];
    if (dimension < 0 || dimension >= int64_t(joined.dims.size()))
      return invalidArgument("gather_group has no dimension " + std::to_string(dimension) + " of " + joined.toString());
    int64_t rows = 1;
    for (int64_t d = 0; d < dimension; ++d)
      rows *= joined.dims[size_t(d)];
    auto bytes = size_t(joined.byteSize());
    joined.dims[size_t(dimension)] *= int64_t(groups.largest());
    if (runtimeCall.results[i] != joined)
      return invalidArgument("the result of gather_group must be " + joined.toString());
    arrays.push_back({groups.largest(), bytes ? bytes / size_t(rows) : 0});
  }
  const bool isShared = mayShareResults(runtimeCall);
  const bool isEarly = program::findAttribute(runtimeCall.attributes, program::kWritesEarly);
  auto ofProgram = program::integerArrayAttribute(runtimeCall.attributes, program::kProgramResults);
  const bool areOfProgram = ofProgram.ok() && ofProgram->size() == runtimeCall.results.size() &&
                            std::ranges::none_of(*ofProgram, [](int64_t result) { return result < 0; });
  return makeRuntimeCall([groups, arrays, meeting, isShared, isEarly, areOfProgram](const CallBuffers &call) -> Status {
    constexpr int64_t kGrainBytes = 1 << 20; // what is worth a worker
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> group, groups.ofProcess(call.options.process()));
    size_t place = placeIn(group, call.options.process());
    if ((isEarly || (areOfProgram && call.options.sharedResultsAreFree)) && call.options.rendezvous &&
        !call.options.rendezvous->elsewhere()) {
      for (size_t array = 0; array < meeting.arrays(); ++array)
        arrays[array].put(static_cast<char *>(call.results[array]), place,
                          static_cast<const char *>(call.operands[array]), meeting.bytes(array));
      return meeting.come(call, group);
    }
    auto read = [&meeting, &arrays, isShared, place](const CallBuffers &call,
                                                     std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t array = 0; array < meeting.arrays(); ++array) {
        Sharers sharers = isShared ? Sharers::of(parts, place, meeting.arrays() + array) : Sharers{1, 0};
        auto [first, last] = GatheredRows::partOf(meeting.bytes(array) * arrays[array].count, sharers);
        auto body = [&, first = first](int64_t begin, int64_t end, int) {
          arrays[array].copy(
              static_cast<char *>(call.results[array]), first + size_t(begin), first + size_t(end),
              [&](size_t member) { return static_cast<const char *>(meeting.shown(parts, array, member, 0)); });
        };
        auto bytes = int64_t(last - first);
        if (bytes > kGrainBytes)
          call.pool.parallelFor(bytes, body, kGrainBytes);
        else if (bytes)
          body(0, bytes, 0);
      }
      return {};
    };
    return isShared ? meeting.meetWithResults(call, group, read) : meeting.meet(call, group, read);
  });
}

Factory makeGather(const RuntimeCall &runtimeCall) {
  if (auto dimension = program::integerAttribute(runtimeCall.attributes, "dimension"); dimension.ok())
    return makeJoiningGather(runtimeCall, *dimension);
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  TENON_ASSIGN_OR_RETURN(Meeting meeting, Meeting::of(runtimeCall));
  for (size_t i = 0; i < runtimeCall.operands.size(); ++i) {
    Shape stacked = runtimeCall.operands[i];
    stacked.dims.insert(stacked.dims.begin(), int64_t(groups.largest()));
    if (runtimeCall.results[i] != stacked)
      return invalidArgument("the result of gather_group must be " + stacked.toString());
  }
  return makeRuntimeCall([groups, count = groups.largest(), meeting](const CallBuffers &call) -> Status {
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> group, groups.ofProcess(call.options.process()));
    auto read = [&meeting, count](const CallBuffers &call, std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t array = 0; array < meeting.arrays(); ++array) {
        auto *to = static_cast<char *>(call.results[array]);
        size_t bytes = meeting.bytes(array);
        for (size_t i = 0; bytes && i < count; ++i)
          if (i < parts.size())
            std::memcpy(to + i * bytes, meeting.shown(parts, array, i, 0), bytes);
          else
            std::memset(to + i * bytes, 0, bytes);
      }
      return {};
    };
    return meeting.meet(call, group, read);
  });
}

Factory makeExchange(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  std::vector<size_t> partBytes;
  for (const Shape &shape : runtimeCall.operands)
    partBytes.push_back(size_t(shape.byteSize()) / groups.largest());
  auto range = [partBytes](size_t array, size_t, size_t to) {
    return Rendezvous::Sent::Range{to * partBytes[array], partBytes[array]};
  };
  TENON_ASSIGN_OR_RETURN(Meeting meeting, Meeting::of(runtimeCall, range));
  for (const Shape &shape : runtimeCall.operands) {
    auto count = int64_t(groups.largest());
    if (shape.dims.empty() || shape.dims[0] != count || groups.smallest() != groups.largest())
      return invalidArgument("exchange_group needs one part for each process of a group, got " + shape.toString());
  }
  if (runtimeCall.results != runtimeCall.operands)
    return invalidArgument("exchange_group gives arrays of the types that it takes");
  return makeRuntimeCall([groups, meeting](const CallBuffers &call) -> Status {
    int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> group, groups.ofProcess(self));
    size_t place = placeIn(group, self);
    auto read = [&meeting, place](const CallBuffers &call, std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t array = 0; array < meeting.arrays(); ++array) {
        size_t bytes = meeting.bytes(array) / parts.size();
        for (size_t i = 0; bytes && i < parts.size(); ++i)
          std::memcpy(static_cast<char *>(call.results[array]) + i * bytes, meeting.shown(parts, array, i, place),
                      bytes);
      }
      return {};
    };
    return meeting.meet(call, group, read);
  });
}

Factory makePermute(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Senders senders, Senders::of(runtimeCall));
  if (runtimeCall.results != runtimeCall.operands)
    return invalidArgument("permute gives arrays of the types that it takes");
  std::vector<size_t> bytes;
  for (const Shape &shape : runtimeCall.operands)
    bytes.push_back(size_t(shape.byteSize()));
  auto range = [senders, bytes](size_t array, size_t from, size_t to) {
    return Rendezvous::Sent::Range{0, senders.sourceOf(to) == from ? bytes[array] : 0};
  };
  TENON_ASSIGN_OR_RETURN(Meeting meeting, Meeting::of(runtimeCall, range));
  return makeRuntimeCall([senders, meeting](const CallBuffers &call) -> Status {
    int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> members, senders.members(self));
    size_t place = placeIn(members, self);
    std::optional<size_t> source = members.empty() ? std::nullopt : senders.sourceOf(place);
    auto read = [&meeting, place, source](const CallBuffers &call, std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t array = 0; array < meeting.arrays(); ++array)
        if (size_t bytes = meeting.bytes(array); bytes && source)
          std::memcpy(call.results[array], meeting.shown(parts, array, *source, place), bytes);
        else if (bytes)
          std::memset(call.results[array], 0, bytes);
      return {};
    };
    return members.empty() ? read(call, {}) : meeting.meet(call, members, read);
  });
}

// A call that meets other processes. It may go on beside the run where some are in other OS processes, and others that
// were started so have ended before one that does not.
class OrderedCall final : public RuntimeCallInstance, public HasGroupMemory {
public:
  OrderedCall(std::unique_ptr<RuntimeCallInstance> call, RuntimeCall description, bool starts)
      : call_(std::move(call)), description_(std::move(description)), starts_(starts) {}

  StatusOr<void *> groupMemory(const RunOptions &options, size_t bytes) override {
    TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(description_));
    StatusOr<std::vector<int64_t>> group = groups.ofProcess(options.process());
    if (!options.rendezvous || !group.ok()) // who is in no group never makes the call
      return nullptr;
    if (void *memory = options.rendezvous->groupMemory(group->front(), bytes))
      return memory;
    return Status(StatusCode::kResourceExhausted,
                  "out of memory: cannot allocate " + std::to_string(bytes) + " bytes for what collectives give");
  }

  Status call(const CallBuffers &call) override {
    const RunOptions &options = call.options;
    if (starts_ && options.background && options.rendezvous && options.rendezvous->elsewhere()) {
      options.background->start(*call_, description_, call);
      return {};
    }
    TENON_RETURN_IF_ERROR(awaitBackground(options));
    return call_->call(call);
  }

  void endRun(const RunOptions &options) override {
    if (options.rendezvous)
      options.rendezvous->awaitReaders(options.process());
  }

private:
  const std::unique_ptr<RuntimeCallInstance> call_;
  const RuntimeCall description_;
  const bool starts_;
};

void registerInOrder(std::string_view name, Factory (*make)(const RuntimeCall &)) {
  registerLibrary(name, [make](const RuntimeCall &runtimeCall) -> Factory {
    TENON_ASSIGN_OR_RETURN(std::unique_ptr<RuntimeCallInstance> call, make(runtimeCall));
    auto starts = program::booleanAttribute(runtimeCall.attributes, program::kStartsAttribute);
    return std::unique_ptr<RuntimeCallInstance>(
        std::make_unique<OrderedCall>(std::move(call), runtimeCall, starts.ok() && *starts));
  });
}

Factory makeAwait(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(int64_t results, program::integerAttribute(runtimeCall.attributes, "results"));
  if (results < 1 || results > int64_t(runtimeCall.operands.size()))
    return invalidArgument("await takes results, and then operands");
  return makeRuntimeCall([count = size_t(results)](const CallBuffers &call) -> Status {
    return call.options.background ? call.options.background->await(call.operands.first(count)) : Status();
  });
}

} // namespace

bool isCollective(const RuntimeCall &runtimeCall) {
  return runtimeCall.kind == RuntimeCall::Kind::kLibrary &&
         (runtimeCall.target == "fold_group" || runtimeCall.target == "gather_group" ||
          runtimeCall.target == "exchange_group" || runtimeCall.target == "exchange_rows" ||
          runtimeCall.target == "permute" || runtimeCall.target == "manual_computation");
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
  registerInOrder("fold_group", makeFoldGroup);
  registerInOrder("gather_group", makeGather);
  registerInOrder("exchange_group", makeExchange);
  registerInOrder("exchange_rows", makeExchangeRows);
  registerInOrder("permute", makePermute);
  registerLibrary("await", makeAwait);
  registerDeviceMoves();
}

} // namespace tenon::runtime
