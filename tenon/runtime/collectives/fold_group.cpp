#include "tenon/runtime/collectives/fold_group.h"

#include "tenon/program/attributes.h"
#include "tenon/program/meetings.h"
#include "tenon/runtime/collectives/groups.h"
#include "tenon/runtime/collectives/stack_memory.h"
#include "tenon/runtime/core/call_memory.h"
#include "tenon/runtime/core/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory_resource>
#include <vector>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;
using program::Shape;

// Arrays of at least this size are divided among the members; of smaller ones, each computes all.
constexpr auto kDividedBytes = size_t(program::kDividedSumBytes);
// Where arrays are smaller than this, members of an OS process send what they have, and reduce nothing before that.
constexpr size_t kNodeBytes = 32 << 10;
// What is worth a worker.
constexpr size_t kGrainBytes = 256 << 10;
constexpr int kMaxLevels = 48;
// Results that no cache keeps until somebody reads them: to bring them there first is a third more of traffic.
constexpr size_t kStreamedBytes = 16 << 20;
// What is read of one array that comes from memory before the next: so much that the processor reads ahead, and so
// little that the pieces of all levels of the tree stay in a cache.
constexpr size_t kPieceBytes = 64 << 10;

// Copies past the caches, where there are instructions for that. finishStreaming() goes before others read it.
void copyStreaming(char *to, const char *from, size_t bytes) {
#if defined(__clang__)
  using Line [[gnu::vector_size(16), gnu::may_alias]] = int32_t;
  if (bytes % sizeof(Line) == 0 && reinterpret_cast<uintptr_t>(to) % sizeof(Line) == 0) {
    for (size_t at = 0; at < bytes; at += sizeof(Line)) {
      Line line;
      std::memcpy(&line, from + at, sizeof line);
      __builtin_nontemporal_store(line, reinterpret_cast<Line *>(to + at));
    }
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

void finishStreaming() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

// Reduces one piece of some blocks after the other.
class BlockFold {
public:
  BlockFold(std::span<const char *const> arrays, const FoldedRows &where, const BlockKernel &computation,
            size_t blockBytes, size_t blocks, std::span<const FoldedNode> nodes)
      : arrays_(arrays), nodes_(nodes), where_(where), computation_(computation), blockBytes_(blockBytes),
        pieceBytes_(blockBytes * blocks),
        members_(nodes.empty() ? arrays.size() : nodes.back().first + (size_t(1) << nodes.back().level)),
        memory_(pieces() * pieceBytes_) {
    for (size_t i = 0; hasMemory() && i < pieces(); ++i)
      free_[freeCount_++] = reinterpret_cast<char *>(memory_.data()) + i * pieceBytes_;
  }

  bool hasMemory() const { return bool(memory_); }

  // The bytes from `at` on, `size` of them, at most a piece. They are valid until the next call.
  const char *fold(size_t at, size_t size) {
    if (result_.isOwn)
      release(result_);
    ownBytes_ = (size + blockBytes_ - 1) / blockBytes_ * blockBytes_;
    std::array<Block, kMaxLevels> unfinished; // of those that the bits of the number of members so far say
    for (size_t i = 0; i < arrays_.size(); ++i) {
      Block block = load(arrays_[i], at, size);
      auto [member, level] = nodes_.empty() ? FoldedNode{i, 0} : nodes_[i];
      for (; member >> level & 1; ++level)
        block = combine(unfinished[level], block);
      unfinished[level] = block;
    }
    size_t count = members_;
    int level = std::countr_zero(count);
    result_ = unfinished[level];
    while (count >> ++level)
      if (count >> level & 1)
        result_ = combine(unfinished[level], result_);
    return result_.data;
  }

private:
  struct Block {
    const char *data = nullptr;
    bool isOwn = false; // and not a member's
  };

  // An unfinished one a level, the one that is made, and the two that it is made of.
  size_t pieces() const { return std::bit_width(members_) + 3; }

  char *take() { return free_[--freeCount_]; }
  void release(Block block) { free_[freeCount_++] = const_cast<char *>(block.data); }

  // Where a member has the bytes; they are copied where they are no whole block in one piece.
  Block load(const char *array, size_t at, size_t size) {
    size_t row = at / where_.rowBytes, column = at % where_.rowBytes;
    auto place = [&] { return array + where_.offset + row * where_.stride + column; };
    if (size == ownBytes_ && column + size <= where_.rowBytes)
      return {place(), false};
    char *copy = take();
    for (size_t done = 0; done < size; ++row, column = 0) {
      size_t piece = std::min(size - done, where_.rowBytes - column);
      std::memcpy(copy + done, place(), piece);
      done += piece;
    }
    std::memset(copy + size, 0, ownBytes_ - size);
    return {copy, true};
  }

  Block combine(Block left, Block right) {
    char *result = take();
    for (size_t at = 0; at < ownBytes_; at += blockBytes_)
      computation_(left.data + at, right.data + at, result + at);
    for (Block block : {left, right})
      if (block.isOwn)
        release(block);
    return {result, true};
  }

  std::span<const char *const> arrays_;
  std::span<const FoldedNode> nodes_;
  const FoldedRows &where_;
  const BlockKernel &computation_;
  size_t blockBytes_, pieceBytes_, members_;
  size_t ownBytes_ = 0; // of the blocks that are reduced now
  CallMemory<4096> memory_;
  std::array<char *, kMaxLevels + 4> free_;
  int freeCount_ = 0;
  Block result_;
};

class FoldGroup : public RuntimeCallInstance {
public:
  FoldGroup(Groups groups, Meeting meeting) : groups_(std::move(groups)), meeting_(std::move(meeting)) {}

  static StatusOr<std::unique_ptr<RuntimeCallInstance>> make(const RuntimeCall &runtimeCall) {
    TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
    TENON_ASSIGN_OR_RETURN(Meeting meeting, Meeting::of(runtimeCall));
    auto fold = std::make_unique<FoldGroup>(std::move(groups), std::move(meeting));
    if (runtimeCall.results.size() != runtimeCall.operands.size())
      return invalidArgument("fold_group takes arrays and gives as many");
    TENON_ASSIGN_OR_RETURN(int64_t block, program::integerAttribute(runtimeCall.attributes, "block"));
    StatusOr<int64_t> dimension = program::integerAttribute(runtimeCall.attributes, "dimension");
    fold->isScattered_ = dimension.ok();
    fold->isShared_ = mayShareResults(runtimeCall);
    for (size_t i = 0; i < runtimeCall.operands.size(); ++i) {
      const Shape &operand = runtimeCall.operands[i];
      if (block < 1 || operand.type != runtimeCall.operands[0].type)
        return invalidArgument("fold_group takes arrays of one type, in blocks of some elements");
      if (fold->isScattered_)
        TENON_RETURN_IF_ERROR(fold->addScattered(operand, *dimension, runtimeCall.results[i]));
      else if (operand == runtimeCall.results[i])
        fold->arrays_.push_back({1, size_t(operand.byteSize()), size_t(operand.byteSize()), 0});
      else
        return invalidArgument("fold_group gives arrays of the types that it takes");
    }
    fold->blockBytes_ = size_t(block * program::byteSize(runtimeCall.operands[0].type));
    return std::unique_ptr<RuntimeCallInstance>(std::move(fold));
  }

  Status call(const CallBuffers &call) override {
    if (!call.computation.kernel)
      return invalidArgument("fold_group is given no computation");
    int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> group, groups_.ofProcess(self));
    size_t place = placeIn(group, self);
    bool areDivided = !isScattered_ && (isShared_ || bytes() >= kDividedBytes);
    if (isWorthNodes(call, group)) {
      std::vector<FoldedNode> nodes;
      return foldNodes(call, group, place, nodes, [&](std::span<const Rendezvous::Part> parts) {
        return foldAll(call, parts, place, areDivided, nodes);
      });
    }
    auto read = [this, place, areDivided](const CallBuffers &call, std::span<const Rendezvous::Part> parts) {
      return foldAll(call, parts, place, areDivided, {});
    };
    if (!areDivided)
      return meeting_.meet(call, group, read);
    return meeting_.meetWithResults(call, group, read);
  }

private:
  static Status outOfMemory() {
    return {StatusCode::kResourceExhausted, "out of memory: no blocks for a reduction over processes"};
  }

  // Whether the members of each OS process reduce what they have before they send it.
  bool isWorthNodes(const CallBuffers &call, const std::vector<int64_t> &group) const {
    const Rendezvous *rendezvous = call.options.rendezvous;
    return rendezvous && bytes() >= kNodeBytes &&
           !std::ranges::all_of(group, [&](int64_t member) { return rendezvous->isHere(member); });
  }

  // Which members of a group are where.
  struct Spread {
    std::vector<int32_t> where;  // the OS process of each member
    std::vector<int64_t> here;   // the members in this one
    std::vector<size_t> leaders; // the places of the first members of each OS process
    size_t own = 0;              // of these, that of this one
    std::vector<FoldedNode> nodes;

    Spread(const Rendezvous &rendezvous, const std::vector<int64_t> &group) {
      for (size_t place = 0; place < group.size(); ++place) {
        where.push_back(rendezvous.where(group[place]));
        if (std::ranges::count(where, where.back()) == 1)
          leaders.push_back(place);
        if (!rendezvous.isHere(group[place]))
          continue;
        here.push_back(group[place]);
        if (here.size() == 1)
          own = leaders.size() - 1;
      }
      nodes = nodesOf(where);
    }

    size_t leader() const { return leaders[own]; }
    bool isLeader(size_t place) const { return std::ranges::binary_search(leaders, place); }
    size_t rankOf(size_t leader) const { return size_t(std::ranges::lower_bound(leaders, leader) - leaders.begin()); }
  };

  // Reduces each node by its members first, in memory of the first one; of the nodes, one array each goes to the other
  // OS processes.
  Status foldNodes(const CallBuffers &call, const std::vector<int64_t> &group, size_t place,
                   std::vector<FoldedNode> &nodes, const Rendezvous::Read &read) const {
    Spread spread(*call.options.rendezvous, group);
    std::vector<void *> shown(call.operands.begin(), call.operands.end());
    std::vector<Buffer> memory; // of the node that begins here
    Meeting::Sent sent;
    sent.isSent.resize(group.size());
    for (const FoldedNode &node : spread.nodes) {
      sent.isSent[node.first] = true;
      if (node.first == place && node.level)
        for (size_t array = 0; array < arrays_.size(); ++array)
          shown[array] = memory.emplace_back(meeting_.bytes(array)).data();
    }
    for (size_t array = 0; array < arrays_.size(); ++array)
      sent.bytes.push_back(meeting_.bytes(array));
    std::vector<void *> own(call.operands.begin(), call.operands.end());
    own.insert(own.end(), shown.begin(), shown.end());
    auto readNodes = [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (const FoldedNode &node : spread.nodes)
        if (node.level && spread.where[node.first] == spread.where[place])
          for (size_t array = 0; array < arrays_.size(); ++array)
            if (meeting_.bytes(array) && !foldNode(call, parts, placeIn(spread.here, group[node.first]), node, array,
                                                   placeIn(spread.here, group[place])))
              return outOfMemory();
      return {};
    };
    if (spread.here.size() > 1)
      TENON_RETURN_IF_ERROR(meeting_.meet(call, spread.here, own, readNodes));
    shown.insert(shown.end(), call.results.begin(), call.results.end());
    if (arePartsContiguous())
      sent.range = [&](size_t array, size_t, size_t to) {
        return Meeting::Sent::Range{to * arrays_[array].rowBytes, arrays_[array].rowBytes};
      };
    if (!isScattered_ && spread.leaders.size() > 2)
      return foldSlices(call, group, place, spread, shown, std::move(sent));
    nodes = spread.nodes;
    return meeting_.meet(call, group, shown, read, &sent);
  }

  // The blocks of an array that the OS process of a rank reduces.
  Meeting::Sent::Range sliceOf(size_t array, size_t rank, const Spread &spread) const {
    size_t bytes = meeting_.bytes(array), blocks = (bytes + blockBytes_ - 1) / blockBytes_;
    auto begin = [&](size_t i) { return std::min(blocks * i / spread.leaders.size() * blockBytes_, bytes); };
    return {begin(rank), begin(rank + 1) - begin(rank)};
  }

  // Each OS process reduces a slice of the arrays, and sends it to the others: with more than two that is less than
  // what whole nodes are. The first member of each receives for all.
  Status foldSlices(const CallBuffers &call, const std::vector<int64_t> &group, size_t place, const Spread &spread,
                    std::span<void *const> shown, Meeting::Sent sent) const {
    sent.range = [&](size_t array, size_t, size_t to) {
      return spread.isLeader(to) ? sliceOf(array, spread.rankOf(to), spread) : Meeting::Sent::Range{};
    };
    auto fold = [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t array = 0; array < arrays_.size(); ++array)
        if (meeting_.bytes(array) && !foldSlice(call, parts, place, array, spread))
          return outOfMemory();
      return {};
    };
    TENON_RETURN_IF_ERROR(meeting_.meet(call, group, shown, fold, &sent));
    for (size_t i = 0; i < sent.isSent.size(); ++i)
      sent.isSent[i] = spread.isLeader(i);
    sent.range = [&](size_t array, size_t from, size_t to) {
      return spread.isLeader(to) ? sliceOf(array, spread.rankOf(from), spread) : Meeting::Sent::Range{};
    };
    auto gather = [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t array = 0; array < arrays_.size(); ++array) {
        Sharers sharers = Sharers::of(parts, place, array);
        for (size_t rank = sharers.place; rank < spread.leaders.size(); rank += sharers.count)
          if (auto [offset, bytes] = sliceOf(array, rank, spread); bytes && rank != spread.own)
            std::memcpy(static_cast<char *>(call.results[array]) + offset,
                        shownOf(parts[spread.leaders[rank]])[spread.leader() * arrays_.size() + array], bytes);
      }
      return {};
    };
    return meeting_.meet(call, group, call.results, gather, &sent);
  }

  // One member's share of the slice of its OS process, which goes into the results of all members there.
  bool foldSlice(const CallBuffers &call, std::span<const Rendezvous::Part> parts, size_t place, size_t array,
                 const Spread &spread) const {
    auto [offset, bytes] = sliceOf(array, spread.own, spread);
    std::vector<const char *> operands;
    std::vector<char *> results;
    for (const FoldedNode &node : spread.nodes)
      if (const Rendezvous::Part &part = parts[node.first]; part.isElsewhere)
        operands.push_back(shownOf(part)[spread.leader() * arrays_.size() + array]);
      else
        operands.push_back(shownOf(part)[array] + offset);
    for (const Rendezvous::Part &part : parts)
      if (!part.isElsewhere)
        addOnce(results, shownOf(part)[arrays_.size() + array] + offset);
    size_t blocks = (bytes + blockBytes_ - 1) / blockBytes_;
    size_t before = countHere(parts.first(place)), count = countHere(parts);
    return foldBlocks(call, operands, {1, bytes, bytes, 0}, blocks * before / count, blocks * (before + 1) / count,
                      results, spread.nodes);
  }

  static char *const *shownOf(const Rendezvous::Part &part) { return static_cast<char *const *>(part.content); }

  // One member's share of a node, whose first member is at place `first` of those here.
  bool foldNode(const CallBuffers &call, std::span<const Rendezvous::Part> parts, size_t first, const FoldedNode &node,
                size_t array, size_t place) const {
    std::vector<const char *> operands;
    for (const Rendezvous::Part &part : parts.subspan(first, size_t(1) << node.level))
      operands.push_back(shownOf(part)[array]);
    char *result = shownOf(parts[first])[arrays_.size() + array];
    size_t bytes = meeting_.bytes(array), blocks = (bytes + blockBytes_ - 1) / blockBytes_;
    return result && foldBlocks(call, operands, {1, bytes, bytes, 0}, blocks * place / parts.size(),
                                blocks * (place + 1) / parts.size(), {&result, 1}, {});
  }

  // The parts of an array along a dimension, of which each process has one.
  Status addScattered(const Shape &operand, int64_t dimension, const Shape &result) {
    if (dimension < 0 || dimension >= int64_t(operand.dims.size()))
      return invalidArgument("fold_group has no dimension " + std::to_string(dimension) + " of " + operand.toString());
    auto count = int64_t(groups_.largest());
    if (groups_.smallest() != groups_.largest())
      return invalidArgument("fold_group needs groups of one size to give each process a part");
    Shape part = operand;
    int64_t &size = part.dims[size_t(dimension)];
    if (size % count)
      return invalidArgument("fold_group cannot cut " + operand.toString() + " into " + std::to_string(count));
    size /= count;
    if (part != result)
      return invalidArgument("the result of fold_group must be " + part.toString());
    FoldedRows rows;
    rows.rowBytes = size_t(size * program::byteSize(operand.type));
    for (int64_t i = 0; i < int64_t(operand.dims.size()); ++i)
      if (i != dimension)
        (i < dimension ? rows.rows : rows.rowBytes) *= size_t(operand.dims[size_t(i)]);
    rows.stride = rows.rowBytes * size_t(count);
    arrays_.push_back(rows);
    return {};
  }

  // The memory of results that members have in common is written once.
  template <typename Results> static void addOnce(Results &results, char *result) {
    if (std::ranges::find(results, result) == results.end())
      results.push_back(result);
  }

  static size_t countHere(std::span<const Rendezvous::Part> parts) {
    return size_t(std::ranges::count(parts, false, &Rendezvous::Part::isElsewhere));
  }

  // Whether what a member gets of each array is one piece of it.
  bool arePartsContiguous() const {
    return isScattered_ && std::ranges::all_of(arrays_, [](const FoldedRows &rows) { return rows.rows == 1; });
  }

  size_t bytes() const {
    size_t bytes = 0;
    for (const FoldedRows &array : arrays_)
      bytes += array.bytes();
    return bytes;
  }

  // `nodes`: none are the members.
  Status foldAll(const CallBuffers &call, std::span<const Rendezvous::Part> parts, size_t place, bool areDivided,
                 std::span<const FoldedNode> nodes) const {
    for (size_t array = 0; array < arrays_.size(); ++array)
      if (arrays_[array].bytes() && !fold(call, parts, place, array, areDivided, nodes))
        return outOfMemory();
    return {};
  }

  bool fold(const CallBuffers &call, std::span<const Rendezvous::Part> parts, size_t place, size_t array,
            bool isDivided, std::span<const FoldedNode> nodes) const {
    StackMemory<512> memory;
    std::pmr::vector<const char *> operands(&memory.resource);
    std::pmr::vector<char *> results(&memory.resource);
    operands.reserve(parts.size());
    results.reserve(parts.size());
    for (const Rendezvous::Part &part : parts)
      if (nodes.empty())
        operands.push_back(shownOf(part)[array]);
    FoldedRows where = arrays_[array];
    bool areParts = !nodes.empty() && arePartsContiguous(); // all that those elsewhere send is this member's part
    if (isScattered_ && !areParts)
      where.offset = place * where.rowBytes;
    for (const FoldedNode &node : nodes)
      if (const Rendezvous::Part &part = parts[node.first]; !areParts)
        operands.push_back(shownOf(part)[array]);
      else if (part.isElsewhere)
        operands.push_back(shownOf(part)[place * arrays_.size() + array]);
      else
        operands.push_back(shownOf(part)[array] + place * where.rowBytes);
    for (const Rendezvous::Part &part : parts)
      if (isDivided && !part.isElsewhere)
        addOnce(results, shownOf(part)[arrays_.size() + array]);
    if (!isDivided)
      results.push_back(static_cast<char *>(call.results[array]));
    size_t blocks = (where.bytes() + blockBytes_ - 1) / blockBytes_, first = 0, last = blocks;
    if (isDivided) { // among those here, who cannot write into the results of others
      size_t before = countHere(parts.first(place)), count = countHere(parts);
      first = blocks * before / count;
      last = blocks * (before + 1) / count;
    }
    return foldBlocks(call, operands, where, first, last, results, nodes);
  }

  // Blocks [first, last), by all workers if there are enough.
  bool foldBlocks(const CallBuffers &call, std::span<const char *const> operands, const FoldedRows &where, size_t first,
                  size_t last, std::span<char *const> results, std::span<const FoldedNode> nodes) const {
    std::atomic<bool> hasMemory = true;
    auto body = [&](int64_t begin, int64_t end, int) {
      size_t from = (first + size_t(begin)) * blockBytes_;
      size_t to = std::min((first + size_t(end)) * blockBytes_, where.bytes());
      if (!foldRange(operands, where, from, to, call.computation, blockBytes_, results, nodes))
        hasMemory = false;
    };
    auto grain = std::max<int64_t>(1, int64_t(kGrainBytes / (blockBytes_ * operands.size())));
    if (int64_t(last - first) <= grain)
      body(0, int64_t(last - first), 0);
    else
      call.pool.parallelFor(int64_t(last - first), body, grain);
    return hasMemory;
  }

  Groups groups_;
  Meeting meeting_;
  std::vector<FoldedRows> arrays_;
  size_t blockBytes_ = 0;
  bool isScattered_ = false;
  bool isShared_ = false; // members here may have one memory for a result
};

} // namespace

std::vector<FoldedNode> nodesOf(std::span<const int32_t> where) {
  std::vector<FoldedNode> nodes;
  for (size_t first = 0; first < where.size(); first += size_t(1) << nodes.back().level) {
    int level = 0;
    auto isNode = [&](int larger) {
      size_t size = size_t(1) << larger;
      return first % size == 0 && size <= where.size() - first &&
             std::ranges::count(where.subspan(first, size), where[first]) == std::ptrdiff_t(size);
    };
    while (isNode(level + 1))
      ++level;
    nodes.push_back({first, level});
  }
  return nodes;
}

bool foldRange(std::span<const char *const> arrays, const FoldedRows &where, size_t begin, size_t end,
               const BlockKernel &computation, size_t blockBytes, std::span<char *const> results,
               std::span<const FoldedNode> nodes) {
  if (begin >= end)
    return true;
  bool isStreamed = where.bytes() >= kStreamedBytes;
  const size_t blocks = isStreamed ? std::max<size_t>(1, kPieceBytes / blockBytes) : 1;
  BlockFold fold(arrays, where, computation, blockBytes, blocks, nodes);
  if (!fold.hasMemory())
    return false;
  for (size_t at = begin; at < end; at += blockBytes * blocks) {
    size_t size = std::min(blockBytes * blocks, end - at);
    const char *block = fold.fold(at, size);
    for (char *result : results)
      if (isStreamed)
        copyStreaming(result + at, block, size);
      else
        std::memcpy(result + at, block, size);
  }
  if (isStreamed)
    finishStreaming();
  return true;
}

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeFoldGroup(const RuntimeCall &runtimeCall) {
  return FoldGroup::make(runtimeCall);
}

} // namespace tenon::runtime
