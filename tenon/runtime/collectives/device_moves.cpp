#include "tenon/runtime/collectives/device_moves.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/collectives/groups.h"
#include "tenon/runtime/collectives/senders.h"
#include "tenon/runtime/core/device_call.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;
using Factory = StatusOr<std::unique_ptr<DeviceCallInstance>>;

// A part of a result, which is of an operand of a member, or, of nobody's, zeros.
struct Piece {
  size_t array = 0;
  std::optional<size_t> member;
  int64_t from = 0, to = 0, bytes = 0;
};

// What a call moves: who meets, and what comes to the one at a place among so many.
struct Moves {
  std::function<StatusOr<std::vector<int64_t>>(int64_t process)> membersOf;
  std::function<std::vector<Piece>(size_t place, size_t members)> piecesOf;
};

class DeviceMoves final : public DeviceCallInstance {
public:
  DeviceMoves(Meeting meeting, Moves moves) : meeting_(std::move(meeting)), moves_(std::move(moves)) {}

  bool waits() const override { return true; }
  bool isFor(const RunOptions &options) const override {
    return !options.rendezvous || !options.rendezvous->elsewhere();
  }

  // The operands are there when the others read them, and stay until they have: all wait for their copies.
  Status call(const DeviceCallBuffers &call) override {
    const int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> members, moves_.membersOf(self));
    std::vector<void *> shown(call.operands.begin(), call.operands.end());
    shown.push_back(call.copies->device());
    auto read = [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (const Piece &piece : moves_.piecesOf(placeIn(members, self), members.size()))
        TENON_RETURN_IF_ERROR(bring(piece, parts, call));
      return call.copies->wait();
    };
    TENON_RETURN_IF_ERROR(call.copies->wait());
    if (members.empty())
      return read({});
    return meeting_.meet({call.operands, call.results, call.options, call.pool}, members, shown, read);
  }

private:
  Status bring(const Piece &piece, std::span<const Rendezvous::Part> parts, const DeviceCallBuffers &call) const {
    if (piece.bytes == 0)
      return {};
    void *to = static_cast<char *>(call.results[piece.array]) + piece.to;
    if (!piece.member)
      return call.copies->clear(to, piece.bytes);
    const auto *shown = static_cast<void *const *>(parts[*piece.member].content);
    return call.copies->copy(to, static_cast<const char *>(shown[piece.array]) + piece.from, shown[meeting_.arrays()],
                             piece.bytes);
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

// How many rows of a result have a part of each member: what is before the dimension along which arrays are joined.
int64_t rowsOf(const RuntimeCall &runtimeCall) {
  StatusOr<int64_t> dimension = program::integerAttribute(runtimeCall.attributes, "dimension");
  int64_t rows = 1;
  for (const program::Shape &operand : runtimeCall.operands) {
    int64_t before = 1;
    for (int64_t i = 0; dimension.ok() && i < *dimension && i < int64_t(operand.dims.size()); ++i)
      before *= operand.dims[size_t(i)];
    rows = std::max(rows, before);
  }
  return rows;
}

// Each copy is a call of the driver: of many rows the host makes the call.
Factory makeGather(const RuntimeCall &runtimeCall) {
  if (rowsOf(runtimeCall) > 1)
    return std::unique_ptr<DeviceCallInstance>();
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  auto pieces = [most = groups.largest(), bytes = bytesOf(runtimeCall.operands)](size_t, size_t members) {
    std::vector<Piece> pieces;
    for (size_t array = 0; array < bytes.size(); ++array) {
      for (size_t member = 0; member < members; ++member)
        pieces.push_back({array, member, 0, int64_t(member) * bytes[array], bytes[array]});
      pieces.push_back(
          {array, std::nullopt, 0, int64_t(members) * bytes[array], int64_t(most - members) * bytes[array]});
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
