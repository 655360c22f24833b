#include "tenon/runtime/collectives/device_moves.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/collectives/groups.h"
#include "tenon/runtime/collectives/senders.h"
#include "tenon/runtime/core/device_call.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;
using Factory = StatusOr<std::unique_ptr<DeviceCallInstance>>;

// A part of a result, which is of an operand of a member, or, of nobody's, zeros. It may be of so many rows, each some
// bytes behind the one before.
struct Piece {
  size_t array = 0;
  std::optional<size_t> member;
  int64_t from = 0, to = 0, bytes = 0; // of the first row
  int64_t rows = 1, fromStride = 0, toStride = 0;
};

// What a call moves: who meets, and what comes to the one at a place among so many.
struct Moves {
  std::function<StatusOr<std::vector<int64_t>>(int64_t process)> membersOf;
  std::function<std::vector<Piece>(size_t place, size_t members)> piecesOf;
};

// What a member shows behind its operands.
struct Shown {
  void *device = nullptr;
  std::shared_ptr<StreamPoint> ready, done; // its operands are there; it has copied what it gets
  std::vector<size_t> sources;              // places of the members whose operands it copies, in order
};

class DeviceMoves final : public DeviceCallInstance {
public:
  DeviceMoves(Meeting meeting, Moves moves) : meeting_(std::move(meeting)), moves_(std::move(moves)) {}

  bool meets() const override { return true; }
  bool isFor(const RunOptions &options) const override {
    return !options.rendezvous || !options.rendezvous->elsewhere();
  }

  Status call(const DeviceCallBuffers &call) override {
    const int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> members, moves_.membersOf(self));
    const size_t place = placeIn(members, self);
    const std::vector<Piece> pieces = moves_.piecesOf(place, members.size());
    if (members.size() <= 1)
      return bringAll(pieces, {}, call);
    auto own = std::make_shared<Shown>();
    own->device = call.copies->device();
    TENON_ASSIGN_OR_RETURN(own->ready, call.copies->mark());
    own->sources = sourcesOf(pieces, place);
    std::vector<void *> table(call.operands.begin(), call.operands.end());
    table.push_back(&own);
    std::vector<std::shared_ptr<Shown>> all; // which stays when others have left the meeting
    auto read = [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t member = 0; member < parts.size(); ++member)
        all.push_back(*static_cast<const std::shared_ptr<Shown> *>(tableOf(parts, member)[meeting_.arrays()]));
      Status status = copyFromOthers(pieces, parts, all, *own, call);
      if (!status.ok())
        (void)call.copies->wait(); // for those that are enqueued: others do not wait for them now
      return status;
    };
    TENON_RETURN_IF_ERROR(meeting_.meet({call.operands, call.results, call.options, call.pool}, members, table, read));
    return followReaders(place, all, call);
  }

private:
  static std::vector<size_t> sourcesOf(const std::vector<Piece> &pieces, size_t self) {
    std::vector<size_t> sources;
    for (const Piece &piece : pieces)
      if (piece.bytes > 0 && piece.member && *piece.member != self)
        sources.push_back(*piece.member);
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    return sources;
  }

  static void *const *tableOf(std::span<const Rendezvous::Part> parts, size_t member) {
    return static_cast<void *const *>(parts[member].content);
  }

  Status copyFromOthers(const std::vector<Piece> &pieces, std::span<const Rendezvous::Part> parts,
                        const std::vector<std::shared_ptr<Shown>> &all, Shown &own,
                        const DeviceCallBuffers &call) const {
    for (size_t source : own.sources)
      TENON_RETURN_IF_ERROR(call.copies->follow(*all[source]->ready));
    TENON_RETURN_IF_ERROR(bringAll(pieces, parts, call));
    TENON_ASSIGN_OR_RETURN(own.done, call.copies->mark());
    return {};
  }

  // Nothing that comes later in the stream writes the operands while others copy them. Who has failed has waited.
  static Status followReaders(size_t self, const std::vector<std::shared_ptr<Shown>> &all,
                              const DeviceCallBuffers &call) {
    for (const std::shared_ptr<Shown> &other : all)
      if (other->done && std::binary_search(other->sources.begin(), other->sources.end(), self))
        TENON_RETURN_IF_ERROR(call.copies->follow(*other->done));
    return {};
  }

  // Without `parts`, of the device itself: it is alone.
  Status bringAll(const std::vector<Piece> &pieces, std::span<const Rendezvous::Part> parts,
                  const DeviceCallBuffers &call) const {
    for (const Piece &piece : pieces)
      if (piece.bytes > 0)
        TENON_RETURN_IF_ERROR(bring(piece, parts, call));
    return {};
  }

  Status bring(const Piece &piece, std::span<const Rendezvous::Part> parts, const DeviceCallBuffers &call) const {
    void *to = static_cast<char *>(call.results[piece.array]) + piece.to;
    if (!piece.member)
      return call.copies->clear(to, piece.bytes);
    void *const *shown = parts.empty() ? call.operands.data() : tableOf(parts, *piece.member);
    void *device = call.copies->device();
    if (!parts.empty())
      device = (*static_cast<const std::shared_ptr<Shown> *>(shown[meeting_.arrays()]))->device;
    const char *from = static_cast<const char *>(shown[piece.array]) + piece.from;
    if (piece.rows == 1)
      return call.copies->copy(to, from, device, piece.bytes);
    return call.copies->copyRows({to, piece.toStride, from, piece.fromStride, piece.bytes, piece.rows}, device);
  }

  Meeting meeting_;
  Moves moves_;
};

std::vector<int64_t> bytesOf(const std::vector<program::Shape> &shapes) {
  std::vector<int64_t> bytes;
  for (const program::Shape &shape : shapes)
    bytes.push_back(shape.byteSize());
  return bytes;
}

Factory make(const RuntimeCall &runtimeCall, Moves moves) {
  TENON_ASSIGN_OR_RETURN(Meeting meeting, Meeting::of(runtimeCall));
  return std::unique_ptr<DeviceCallInstance>(std::make_unique<DeviceMoves>(std::move(meeting), std::move(moves)));
}

// How many rows of each result have a part of each member: what is before the dimension along which arrays are joined.
std::vector<int64_t> rowsOf(const RuntimeCall &runtimeCall) {
  StatusOr<int64_t> dimension = program::integerAttribute(runtimeCall.attributes, "dimension");
  std::vector<int64_t> rows;
  for (const program::Shape &operand : runtimeCall.operands) {
    rows.push_back(1);
    for (int64_t i = 0; dimension.ok() && i < *dimension && i < int64_t(operand.dims.size()); ++i)
      rows.back() *= operand.dims[size_t(i)];
  }
  return rows;
}

// What is zero of rows, where a group is smaller than others, is in many pieces: the host makes the call.
Factory makeGather(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  const std::vector<int64_t> rows = rowsOf(runtimeCall);
  if (groups.smallest() < groups.largest() && std::any_of(rows.begin(), rows.end(), [](int64_t n) { return n > 1; }))
    return std::unique_ptr<DeviceCallInstance>();
  auto pieces = [most = groups.largest(), rows, all = bytesOf(runtimeCall.operands)](size_t, size_t members) {
    std::vector<Piece> pieces;
    for (size_t array = 0; array < all.size(); ++array) {
      if (all[array] == 0)
        continue;
      const int64_t row = all[array] / rows[array], others = int64_t(most - members);
      for (size_t member = 0; member < members; ++member)
        pieces.push_back({array, member, 0, int64_t(member) * row, row, rows[array], row, int64_t(most) * row});
      pieces.push_back({array, std::nullopt, 0, int64_t(members) * row, others * row});
    }
    return pieces;
  };
  return make(runtimeCall, {[groups](int64_t process) { return groups.ofProcess(process); }, pieces});
}

Factory makeExchange(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  auto pieces = [bytes = bytesOf(runtimeCall.operands)](size_t place, size_t members) {
    std::vector<Piece> pieces;
    for (size_t array = 0; array < bytes.size(); ++array)
      for (size_t member = 0; member < members; ++member) {
        const int64_t part = bytes[array] / int64_t(members);
        pieces.push_back({array, member, int64_t(place) * part, int64_t(member) * part, part});
      }
    return pieces;
  };
  return make(runtimeCall, {[groups](int64_t process) { return groups.ofProcess(process); }, pieces});
}

Factory makePermute(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Senders senders, Senders::of(runtimeCall));
  auto pieces = [senders, bytes = bytesOf(runtimeCall.operands)](size_t place, size_t members) {
    std::vector<Piece> pieces;
    for (size_t array = 0; array < bytes.size(); ++array)
      pieces.push_back({array, members ? senders.sourceOf(place) : std::nullopt, 0, 0, bytes[array]});
    return pieces;
  };
  return make(runtimeCall, {[senders](int64_t process) { return senders.members(process); }, pieces});
}

} // namespace

void registerDeviceMoves() {
  registerDeviceCall(RuntimeCall::Kind::kLibrary, "gather_group", makeGather);
  registerDeviceCall(RuntimeCall::Kind::kLibrary, "exchange_group", makeExchange);
  registerDeviceCall(RuntimeCall::Kind::kLibrary, "permute", makePermute);
}

} // namespace tenon::runtime
