// Shardings as xla.OpSharding, a message of protocol buffers.
#include "tenon/program/sharding.h"

#include "tenon/support/proto.h"

#include <algorithm>

namespace tenon::program {
namespace {

using Kind = Sharding::Kind;

// The numbers of the fields.
enum Field : uint8_t {
  kType = 1,
  kTiles = 3,
  kDevices = 4,
  kTuple = 5,
  kReplicatesLast = 6,
  kSubgroups = 8,
  kIotaDims = 9,
  kIotaPermutation = 10,
  kIsGroup = 11,
  kGroup = 12,
  kNamed = 14,
};

// By kind, xla.OpSharding.Type.
constexpr std::pair<Kind, int64_t> kTypes[] = {{Kind::kReplicated, 0}, {Kind::kMaximal, 1}, {Kind::kTiled, 3},
                                               {Kind::kManual, 4},     {Kind::kUnknown, 5}, {Kind::kUnreduced, 6}};
constexpr int64_t kTupleType = 2;

int64_t typeOf(Kind kind) {
  return std::find_if(std::begin(kTypes), std::end(kTypes), [&](auto &entry) { return entry.first == kind; })->second;
}

bool readType(int64_t type, Kind &kind) {
  for (auto [known, number] : kTypes)
    if (number == type) {
      kind = known;
      return true;
    }
  return false;
}

class Reader {
public:
  explicit Reader(std::string_view bytes) : fields_(bytes) {}

  // False if the message is malformed, or says what there is no word for.
  bool read(std::vector<AnnotatedSharding> &all, bool isPart) {
    ProtoField field;
    while (fields_.next(field))
      if (!take(field))
        return false;
    if (!fields_.ok())
      return false;
    if (type_ == kTupleType)
      return !isPart && readParts(all);
    AnnotatedSharding one;
    if (!parts_.empty() || !readType(type_, tiled_.kind) || !readSubgroups())
      return false;
    one.sharding = std::move(tiled_);
    // The one device of a maximal sharding is a tile as well.
    if (one.sharding.kind == Kind::kMaximal)
      one.sharding.tiles.clear();
    // A transposition that is none may be left out.
    if (one.sharding.iotaPermutation.empty())
      for (size_t i = 0; i < one.sharding.iotaDims.size(); ++i)
        one.sharding.iotaPermutation.push_back(int64_t(i));
    if (isGroup_)
      one.group = group_;
    if (!isConsistent(one.sharding))
      return false;
    all.push_back(std::move(one));
    return true;
  }

private:
  bool take(const ProtoField &field) {
    switch (field.number) {
    case kType:
      type_ = field.asInt();
      return field.wire == ProtoField::kVarint;
    case kTiles:
      return appendInts(field, tiled_.tiles);
    case kDevices:
      return appendInts(field, tiled_.devices);
    case kTuple:
      parts_.push_back(field.bytes);
      return field.wire == ProtoField::kBytes;
    case kReplicatesLast:
      replicatesLast_ = field.asInt() != 0;
      return field.wire == ProtoField::kVarint;
    case kSubgroups:
      return appendInts(field, subgroups_);
    case kIotaDims:
      return appendInts(field, tiled_.iotaDims);
    case kIotaPermutation:
      return appendInts(field, tiled_.iotaPermutation);
    case kIsGroup:
      isGroup_ = field.asInt() != 0;
      return field.wire == ProtoField::kVarint;
    case kGroup:
      group_ = field.asInt();
      return field.wire == ProtoField::kVarint;
    case kNamed:
      return false; // axes with names, instead of tiles
    default:
      return true; // says nothing of how the array lies
    }
  }

  bool readParts(std::vector<AnnotatedSharding> &all) const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [&](std::string_view part) { return Reader(part).read(all, /*isPart=*/true); });
  }

  bool readSubgroups() {
    if (replicatesLast_)
      tiled_.subgroups.push_back(Kind::kReplicated);
    return std::all_of(subgroups_.begin(), subgroups_.end(),
                       [&](int64_t type) { return readType(type, tiled_.subgroups.emplace_back()); });
  }

  ProtoReader fields_;
  int64_t type_ = 0, group_ = 0;
  bool isGroup_ = false, replicatesLast_ = false;
  Sharding tiled_;
  std::vector<int64_t> subgroups_;
  std::vector<std::string_view> parts_;
};

} // namespace

std::string toProto(const Sharding &sharding) {
  ProtoWriter writer;
  writer.integer(kType, typeOf(sharding.kind));
  writer.packed(kTiles, sharding.tiles);
  writer.packed(kDevices, sharding.devices);
  if (sharding.subgroups == std::vector{Kind::kReplicated}) {
    writer.integer(kReplicatesLast, 1);
  } else {
    std::vector<int64_t> subgroups;
    for (Kind subgroup : sharding.subgroups)
      subgroups.push_back(typeOf(subgroup));
    writer.packed(kSubgroups, subgroups);
  }
  writer.packed(kIotaDims, sharding.iotaDims);
  writer.packed(kIotaPermutation, sharding.iotaPermutation);
  return writer.take();
}

std::string toProto(const std::vector<Sharding> &parts) {
  ProtoWriter writer;
  writer.integer(kType, kTupleType);
  for (const Sharding &part : parts)
    writer.bytes(kTuple, toProto(part));
  return writer.take();
}

StatusOr<std::vector<AnnotatedSharding>> parseShardingProto(std::string_view bytes) {
  std::vector<AnnotatedSharding> all;
  if (!Reader(bytes).read(all, /*isPart=*/false))
    return invalidArgument("cannot read a sharding that is a serialized xla.OpSharding");
  return all;
}

} // namespace tenon::program
