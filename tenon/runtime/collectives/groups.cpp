#include "tenon/runtime/collectives/groups.h"

#include "tenon/program/attributes.h"
#include "tenon/program/group_memory.h"
#include "tenon/program/meetings.h"
#include "tenon/runtime/collectives/stack_memory.h"

#include <algorithm>
#include <memory_resource>
#include <set>

namespace tenon::runtime {

using program::RuntimeCall;

static constexpr int64_t kMostMembers = int64_t(1) << 20; // of a group, as of a grid

StatusOr<Groups> Groups::of(const RuntimeCall &runtimeCall) {
  Groups result;
  result.areLists_ = !program::findAttribute(runtimeCall.attributes, "axes");
  if (result.areLists_) {
    TENON_RETURN_IF_ERROR(result.readLists(runtimeCall));
  } else {
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> axes, program::integerArrayAttribute(runtimeCall.attributes, "axes"));
    TENON_RETURN_IF_ERROR(result.readAxes(axes));
  }
  return result;
}

Status Groups::readAxes(const std::vector<int64_t> &numbers) {
  if (numbers.size() % 2)
    return invalidArgument("axes of process groups have a size and a stride each");
  int64_t members = 1;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    Axis axis{numbers[i], numbers[i + 1]};
    if (axis.size < 1 || axis.stride < 1 || axis.size > kMostMembers / members || axis.stride > kMostMembers)
      return invalidArgument("the axes of process groups are of impossible sizes");
    members *= axis.size;
    axes_.push_back(axis);
  }
  smallest_ = largest_ = size_t(members);
  std::vector<Axis> ascending = axes_;
  std::sort(ascending.begin(), ascending.end(), [](const Axis &a, const Axis &b) { return a.stride < b.stride; });
  int64_t end = 1; // what numbers the axes before have
  for (const Axis &axis : ascending) {
    if (axis.stride % end)
      return invalidArgument("the axes of process groups overlap");
    end = axis.stride * axis.size;
  }
  return {};
}

Status Groups::readLists(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> ids, program::integerArrayAttribute(runtimeCall.attributes, "groups"));
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, program::integerArrayAttribute(runtimeCall.attributes, "sizes"));
  size_t at = 0;
  for (int64_t size : sizes) {
    if (size < 1 || size > int64_t(ids.size() - at))
      return invalidArgument("the sizes of process groups do not fit their processes");
    lists_.emplace_back(ids.begin() + at, ids.begin() + at + size);
    at += size_t(size);
  }
  if (at != ids.size() || std::set(ids.begin(), ids.end()).size() != ids.size())
    return invalidArgument("process groups must have each process once");
  if (!sizes.empty()) {
    smallest_ = size_t(*std::min_element(sizes.begin(), sizes.end()));
    largest_ = size_t(*std::max_element(sizes.begin(), sizes.end()));
  }
  return {};
}

StatusOr<std::vector<int64_t>> Groups::ofProcess(int64_t process) const {
  for (const std::vector<int64_t> &group : lists_)
    if (std::find(group.begin(), group.end(), process) != group.end())
      return group;
  if (areLists_)
    return failedPrecondition("process " + std::to_string(process) + " is in no group of the collective");
  std::vector<int64_t> group;
  group.reserve(largest_);
  group.push_back(process);
  for (const Axis &axis : axes_)
    group[0] -= process / axis.stride % axis.size * axis.stride;
  for (const Axis &axis : axes_) {
    size_t count = group.size();
    group.resize(count * size_t(axis.size));
    for (size_t i = group.size(); i-- > 0;)
      group[i] = group[i / size_t(axis.size)] + int64_t(i % size_t(axis.size)) * axis.stride;
  }
  return group;
}

size_t placeIn(const std::vector<int64_t> &group, int64_t process) {
  return size_t(std::find(group.begin(), group.end(), process) - group.begin());
}

bool mayShareResults(const RuntimeCall &runtimeCall) {
  return program::findAttribute(runtimeCall.attributes, program::kProgramResults) ||
         program::findAttribute(runtimeCall.attributes, program::kGroupMemory);
}

Sharers Sharers::of(std::span<const Rendezvous::Part> parts, size_t place, size_t entry) {
  auto memory = [&](size_t i) { return static_cast<const void *const *>(parts[i].content)[entry]; };
  Sharers sharers;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == place)
      sharers.place = sharers.count;
    sharers.count += !parts[i].isElsewhere && memory(i) == memory(place);
  }
  return sharers;
}

StatusOr<Meeting> Meeting::of(const RuntimeCall &runtimeCall, decltype(Sent::range) range) {
  if (runtimeCall.operands.empty())
    return invalidArgument("a collective takes arrays");
  TENON_ASSIGN_OR_RETURN(std::string what, program::stringAttribute(runtimeCall.attributes, "op"));
  what += " of";
  for (const program::Shape &operand : runtimeCall.operands)
    what += " " + operand.toString();
  Meeting meeting{Purpose(what, runtimeCall.location)};
  for (const program::Shape &operand : runtimeCall.operands) {
    meeting.sent_.bytes.push_back(size_t(operand.byteSize()));
    meeting.total_ += meeting.sent_.bytes.back();
  }
  meeting.sent_.range = std::move(range);
  auto isSaid = [&](std::string_view name) { return program::findAttribute(runtimeCall.attributes, name) != nullptr; };
  meeting.meetsWithNext_ = isSaid(program::kMeetsWithNext);
  meeting.operandsStay_ = isSaid(program::kOperandsStay);
  return meeting;
}

const void *Meeting::shown(std::span<const Rendezvous::Part> parts, size_t array, size_t from, size_t to) const {
  const auto *table = static_cast<const void *const *>(parts[from].content);
  if (!sent_.range)
    return table[array];
  // Small ones are sent whole.
  if (parts[from].isElsewhere && !parts[from].copied)
    return table[to * arrays() + array];
  size_t offset = sent_.range(array, from, to).offset;
  return offset ? static_cast<const char *>(table[array]) + offset : table[array];
}

Status Meeting::meet(const CallBuffers &call, const std::vector<int64_t> &members, const Rendezvous::Part &part,
                     const Rendezvous::Read &read) {
  if (members.size() == 1)
    return read({&part, 1});
  if (!call.options.rendezvous)
    return failedPrecondition("the program communicates with other processes, but is run as one alone");
  return call.options.rendezvous->meet(members, call.options.process(), part, read, call.options.wait);
}

Status Meeting::meet(const CallBuffers &call, const std::vector<int64_t> &members, std::span<void *const> content,
                     const Rendezvous::Read &read, const Sent *sent) const {
  Rendezvous::Part part{.purpose = &purpose_, .content = static_cast<const void *>(content.data()), .copied = 0};
  part.sent = sent ? sent : &sent_;
  return meet(call, members, part, read);
}

Status Meeting::meet(const CallBuffers &call, const std::vector<int64_t> &members, Read read) const {
  if (areOthersHere(call, members) &&
      (meetsWithNext_ || operandsStay_ || !call.options.rendezvous->joinedBy(call.options.process()).empty()))
    return meetTogether(call, members, {call.operands.begin(), call.operands.end()}, std::move(read));
  auto readNow = [&](std::span<const Rendezvous::Part> parts) { return read(call, parts); };
  if (members.size() > 1 && total_ > 0 && call.options.rendezvous && total_ <= call.options.rendezvous->mostCopied())
    return meetWithCopies(call, members, readNow);
  return meet(call, members, call.operands, readNow);
}

bool Meeting::areOthersHere(const CallBuffers &call, const std::vector<int64_t> &members) {
  return members.size() > 1 && call.options.rendezvous && !call.options.rendezvous->elsewhere();
}

namespace {

// A runtime call of which a part is done later, with lists of its own.
struct LaterCall {
  explicit LaterCall(const CallBuffers &call)
      : operands(call.operands.begin(), call.operands.end()), results(call.results.begin(), call.results.end()),
        buffers{operands, results, call.options, call.pool, call.computation} {}

  const std::vector<void *> operands, results;
  const CallBuffers buffers;
};

} // namespace

Status Meeting::meetTogether(const CallBuffers &call, const std::vector<int64_t> &members, std::vector<void *> shown,
                             Read read) const {
  std::vector<Rendezvous::Joined> &joined = call.options.rendezvous->joinedBy(call.options.process());
  if (meetsWithNext_) {
    auto readLater = [later = std::make_shared<LaterCall>(call), read = std::move(read)](
                         std::span<const Rendezvous::Part> parts) { return read(later->buffers, parts); };
    joined.push_back({purpose_.number(), std::move(shown), std::move(readLater)});
    return {};
  }
  const std::vector<Rendezvous::Joined> others = std::exchange(joined, {});
  Rendezvous::Part part{.purpose = &purpose_};
  const size_t own = shown.size();
  for (const Rendezvous::Joined &other : others) {
    shown.insert(shown.end(), other.table.begin(), other.table.end());
    part.joined = part.joined * 31 + other.number;
  }
  shown.push_back(nullptr); // so that the table is not empty
  part.content = static_cast<const void *>(shown.data());
  part.staying = operandsStay_ ? shown.size() * sizeof(void *) : 0;
  return meet(call, members, part, [&](std::span<const Rendezvous::Part> parts) -> Status {
    size_t offset = own;
    std::vector<Rendezvous::Part> theirs;
    for (const Rendezvous::Joined &other : others) {
      theirs.assign(parts.begin(), parts.end());
      for (Rendezvous::Part &their : theirs)
        their.content = static_cast<const void *>(static_cast<const void *const *>(their.content) + offset);
      TENON_RETURN_IF_ERROR(other.read(theirs));
      offset += other.table.size();
    }
    return read(call, parts);
  });
}

Status Meeting::come(const CallBuffers &call, const std::vector<int64_t> &members) const {
  if (areOthersHere(call, members) &&
      (meetsWithNext_ || !call.options.rendezvous->joinedBy(call.options.process()).empty()))
    return meetTogether(call, members, {},
                        [](const CallBuffers &, std::span<const Rendezvous::Part>) { return Status(); });
  // Nobody waits until others have read a copy.
  const std::byte nothing{};
  return meet(call, members, Rendezvous::Part{.purpose = &purpose_, .content = &nothing, .copied = sizeof nothing},
              [](std::span<const Rendezvous::Part>) { return Status(); });
}

Status Meeting::meetWithResults(const CallBuffers &call, const std::vector<int64_t> &members, Read read) const {
  std::vector<void *> shown(call.operands.begin(), call.operands.end());
  shown.insert(shown.end(), call.results.begin(), call.results.end());
  if (areOthersHere(call, members))
    return meetTogether(call, members, std::move(shown), std::move(read));
  return meet(call, members, shown, [&](std::span<const Rendezvous::Part> parts) { return read(call, parts); });
}

Status Meeting::meetWithCopies(const CallBuffers &call, const std::vector<int64_t> &members,
                               const Rendezvous::Read &read) const {
  auto readCopies = [&](std::span<const Rendezvous::Part> parts) -> Status {
    StackMemory<1024> memory; // enough for one array of eight members
    std::pmr::vector<const void *> tables(&memory.resource);
    std::pmr::vector<Rendezvous::Part> pointing(parts.begin(), parts.end(), &memory.resource);
    tables.reserve(parts.size() * arrays());
    for (Rendezvous::Part &part : pointing) {
      const auto *array = static_cast<const std::byte *>(part.content);
      part.content = static_cast<const void *>(tables.data() + tables.size());
      for (size_t size : sent_.bytes) {
        tables.push_back(array);
        array += size;
      }
    }
    return read(pointing);
  };
  Rendezvous::Part part{.purpose = &purpose_,
                        .content = static_cast<const void *>(call.operands.data()),
                        .copied = total_,
                        .sent = &sent_};
  return meet(call, members, part, readCopies);
}

} // namespace tenon::runtime
