// Both notations describe which device holds which tile of an array.
//
// XLA's: {devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate} gives the number of tiles along each dimension, then
// the devices in row-major order of the tiles: as a list, or as an iota reshaped, transposed and flattened. Extra
// trailing dimensions group devices that hold the same tile.
//
// Shardy's names the axes of a mesh: dimension i is cut along the axes listed for it, major first; devices along axes
// that no dimension uses hold copies. That is an iota over the mesh, transposed so that used axes come first.
#include "tenon/pjrt/sharding.h"

#include "tenon/pjrt/proto.h"
#include "tenon/support/strides.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>

namespace tenon::pjrt {
namespace {

// More devices than any grid has: what follows from numbers in a text stays small.
constexpr int64_t kMaxDevices = 1 << 20;

// False where there would be more than kMaxDevices, or none.
bool multiply(int64_t &product, int64_t factor) {
  if (factor < 1 || factor > kMaxDevices / product)
    return false;
  product *= factor;
  return true;
}

// xla.OpSharding.Type
enum : int64_t { kReplicated = 0, kMaximal = 1, kTuple = 2, kOther = 3, kManual = 4, kUnknown = 5, kUnreduced = 6 };

struct OpSharding {
  int64_t type = kReplicated;
  std::vector<int64_t> tileDims;
  std::vector<int64_t> devices;                   // or:
  std::vector<int64_t> iotaDims, iotaPermutation; // empty permutation: the identity
  bool replicateLastDim = false;
  std::vector<int64_t> lastTileDims;
  std::vector<std::string> tuple;

  std::string serialize() const {
    ProtoWriter writer;
    writer.integer(1, type);
    writer.packed(3, tileDims);
    writer.packed(4, devices);
    for (const std::string &element : tuple)
      writer.bytes(5, element);
    if (replicateLastDim)
      writer.integer(6, 1);
    writer.packed(8, lastTileDims);
    writer.packed(9, iotaDims);
    std::vector<int64_t> permutation = iotaPermutation;
    for (size_t i = permutation.size(); i < iotaDims.size(); ++i)
      permutation.push_back(static_cast<int64_t>(i));
    writer.packed(10, permutation);
    return writer.take();
  }
};

class Cursor {
public:
  explicit Cursor(std::string_view text) : text_(text), rest_(text) {}

  bool consume(std::string_view token) {
    skipSpace();
    if (!rest_.starts_with(token))
      return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool integer(int64_t &value) {
    skipSpace();
    size_t digits = 0;
    value = 0;
    while (digits < rest_.size() && digits < 18 && std::isdigit(static_cast<unsigned char>(rest_[digits])))
      value = value * 10 + (rest_[digits++] - '0');
    rest_.remove_prefix(digits);
    return digits != 0;
  }
  // Integers separated by commas, up to `end`.
  bool integers(std::vector<int64_t> &values, std::string_view end) {
    if (consume(end))
      return true;
    do {
      int64_t value;
      if (!integer(value))
        return false;
      values.push_back(value);
    } while (consume(","));
    return consume(end);
  }
  bool quoted(std::string &value) {
    if (!consume("\""))
      return false;
    size_t end = rest_.find('"');
    if (end == std::string_view::npos)
      return false;
    value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  // Skips a balanced {...} that was opened.
  bool skipBraces() {
    int depth = 1;
    while (depth && !rest_.empty()) {
      depth += rest_.front() == '{' ? 1 : rest_.front() == '}' ? -1 : 0;
      rest_.remove_prefix(1);
    }
    return depth == 0;
  }
  bool atEnd() {
    skipSpace();
    return rest_.empty();
  }
  char peek() {
    skipSpace();
    return rest_.empty() ? '\0' : rest_.front();
  }
  Status error() const {
    return invalidArgument("cannot read the sharding '" + std::string(text_) + "' at '" +
                           std::string(rest_.substr(0, 20)) + "'");
  }

private:
  void skipSpace() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())))
      rest_.remove_prefix(1);
  }
  std::string_view text_, rest_;
};

bool lastTileDimType(Cursor &cursor, int64_t &type) {
  if (cursor.consume("replicated"))
    type = kReplicated;
  else if (cursor.consume("manual"))
    type = kManual;
  else if (cursor.consume("unreduced"))
    type = kUnreduced;
  else
    return false;
  return true;
}

// Whether the tiles are as many as the devices, each of which has its place.
bool isConsistent(const OpSharding &sharding) {
  int64_t tiles = 1, devices = 1;
  for (int64_t dim : sharding.tileDims)
    if (!multiply(tiles, dim))
      return false;
  for (int64_t dim : sharding.iotaDims)
    if (!multiply(devices, dim))
      return false;
  std::vector<int64_t> permutation = sharding.iotaPermutation;
  std::sort(permutation.begin(), permutation.end());
  for (size_t i = 0; i < permutation.size(); ++i)
    if (permutation[i] != static_cast<int64_t>(i) || permutation.size() != sharding.iotaDims.size())
      return false;
  return tiles == (sharding.devices.empty() ? devices : static_cast<int64_t>(sharding.devices.size()));
}

// Parses the tiles from behind "devices=".
bool parseTiles(Cursor &cursor, OpSharding &sharding) {
  sharding.type = kOther;
  if (!cursor.consume("[") || !cursor.integers(sharding.tileDims, "]"))
    return false;
  if (cursor.consume("<=")) {
    if (!cursor.consume("[") || !cursor.integers(sharding.iotaDims, "]"))
      return false;
    return !cursor.consume("T(") || cursor.integers(sharding.iotaPermutation, ")");
  }
  do {
    int64_t device;
    if (!cursor.integer(device))
      return false;
    sharding.devices.push_back(device);
  } while (cursor.consume(","));
  return true;
}

// One word of what stands between the braces.
bool parseXlaItem(Cursor &cursor, OpSharding &sharding) {
  if (cursor.consume("replicated"))
    sharding.type = kReplicated;
  else if (cursor.consume("maximal"))
    sharding.type = kMaximal;
  else if (cursor.consume("manual"))
    sharding.type = kManual;
  else if (cursor.consume("unknown"))
    sharding.type = kUnknown;
  else if (cursor.consume("unreduced"))
    sharding.type = kUnreduced;
  else if (cursor.consume("device=")) {
    int64_t device;
    if (!cursor.integer(device))
      return false;
    sharding.devices = {device};
  } else if (cursor.consume("devices="))
    return parseTiles(cursor, sharding);
  else if (cursor.consume("last_tile_dim_replicate"))
    sharding.replicateLastDim = true;
  else if (cursor.consume("last_tile_dims={")) {
    do {
      int64_t type;
      if (!lastTileDimType(cursor, type))
        return false;
      sharding.lastTileDims.push_back(type);
    } while (cursor.consume(","));
    return cursor.consume("}");
  } else if (cursor.consume("metadata={"))
    return cursor.skipBraces();
  else
    return false;
  return true;
}

// Parses XLA's notation from behind the opening brace.
bool parseXla(Cursor &cursor, OpSharding &sharding, int depth = 0) {
  if (cursor.peek() == '{') {
    constexpr int kMaxDepth = 16; // of tuples in tuples
    if (depth == kMaxDepth)
      return false;
    sharding.type = kTuple;
    do {
      OpSharding element;
      if (!cursor.consume("{") || !parseXla(cursor, element, depth + 1))
        return false;
      sharding.tuple.push_back(element.serialize());
    } while (cursor.consume(","));
    return cursor.consume("}");
  }
  while (!cursor.consume("}"))
    if (!parseXlaItem(cursor, sharding))
      return false;
  return sharding.type != kOther || isConsistent(sharding);
}

struct Axis {
  std::string name;
  int64_t size = 1;
};

// A mesh axis, or a part of one: "x" or "x":(preSize)size.
struct AxisUse {
  std::string name;
  int64_t preSize = 1, size = -1; // -1: all of it
};

bool parseMesh(Cursor &cursor, std::vector<Axis> &axes, std::vector<int64_t> &deviceIds) {
  if (!cursor.consume("mesh<") || !cursor.consume("["))
    return false;
  while (!cursor.consume("]")) {
    Axis axis;
    if (!cursor.quoted(axis.name) || !cursor.consume("=") || !cursor.integer(axis.size))
      return false;
    axes.push_back(axis);
    cursor.consume(",");
  }
  if (cursor.consume(",") && !(cursor.consume("device_ids=") && cursor.consume("[") && cursor.integers(deviceIds, "]")))
    return false;
  return cursor.consume(">");
}

// {"x", "y":(1)2, ?}p0
bool parseAxisUses(Cursor &cursor, std::vector<AxisUse> &uses) {
  if (!cursor.consume("{"))
    return false;
  while (!cursor.consume("}")) {
    if (!cursor.consume("?")) {
      AxisUse use;
      if (!cursor.quoted(use.name))
        return false;
      if (cursor.consume(":(") && !(cursor.integer(use.preSize) && cursor.consume(")") && cursor.integer(use.size)))
        return false;
      uses.push_back(use);
    }
    cursor.consume(",");
  }
  int64_t priority;
  return !cursor.consume("p") || cursor.integer(priority);
}

// The mesh with each axis cut where some use begins or ends, so that every use is a run of whole factors.
class Factors {
public:
  Factors(const std::vector<Axis> &axes, const std::vector<std::vector<AxisUse>> &dims) {
    for (const Axis &axis : axes) {
      names_.push_back(axis.name);
      std::vector<int64_t> cuts = {1, axis.size};
      for (const auto &uses : dims)
        for (const AxisUse &use : uses)
          if (use.name == axis.name && use.size != -1) {
            ok_ = ok_ && use.preSize > 0 && use.size > 0 && use.size <= axis.size / use.preSize;
            cuts.insert(cuts.end(), {use.preSize, ok_ ? use.preSize * use.size : 1});
          }
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (size_t i = 0; ok_ && i + 1 < cuts.size(); ++i) {
        ok_ = cuts[i + 1] % cuts[i] == 0 && cuts[i + 1] <= axis.size;
        factors_.push_back({axis.name, cuts[i], ok_ ? cuts[i + 1] / cuts[i] : 1});
      }
    }
  }

  bool ok() const { return ok_; }
  std::vector<int64_t> sizes() const {
    std::vector<int64_t> sizes;
    for (const Factor &factor : factors_)
      sizes.push_back(factor.size);
    return sizes;
  }
  // Appends the factors of one use; returns how many tiles they make, or 0 if there is no such axis.
  int64_t collect(const AxisUse &use, std::vector<int64_t> &permutation) const {
    int64_t tiles = 1;
    bool found = false;
    for (size_t i = 0; i < factors_.size(); ++i) {
      const Factor &factor = factors_[i];
      bool inside = use.size < 0 || (factor.preSize >= use.preSize && factor.preSize < use.preSize * use.size);
      if (factor.name != use.name || !inside)
        continue;
      permutation.push_back(static_cast<int64_t>(i));
      tiles *= factor.size;
      found = true;
    }
    // An axis of size one has no factors, and cuts nothing.
    bool known = std::find(names_.begin(), names_.end(), use.name) != names_.end();
    return found || (known && use.size < 0) ? tiles : 0;
  }

private:
  struct Factor {
    std::string name;
    int64_t preSize, size;
  };
  std::vector<std::string> names_;
  std::vector<Factor> factors_;
  bool ok_ = true;
};

// Device lists that are not an iota: pick by the mesh's own order.
void applyDeviceIds(const std::vector<int64_t> &deviceIds, OpSharding &sharding) {
  size_t rank = sharding.iotaDims.size();
  std::vector<int64_t> strides = tenon::rowMajorStrides(sharding.iotaDims), index(rank, 0);
  for (size_t count = 0; count < deviceIds.size(); ++count) {
    int64_t position = 0;
    for (size_t i = 0; i < rank; ++i)
      position += index[i] * strides[sharding.iotaPermutation[i]];
    sharding.devices.push_back(deviceIds[position]);
    for (size_t i = rank; i-- > 0;) {
      if (++index[i] < sharding.iotaDims[sharding.iotaPermutation[i]])
        break;
      index[i] = 0;
    }
  }
  sharding.iotaDims.clear();
  sharding.iotaPermutation.clear();
}

bool buildFromMesh(const std::vector<Axis> &axes, const std::vector<int64_t> &deviceIds,
                   const std::vector<std::vector<AxisUse>> &dims, OpSharding &sharding) {
  int64_t used = 1, total = 1;
  for (const Axis &axis : axes)
    if (!multiply(total, axis.size))
      return false;
  Factors factors(axes, dims);
  if (!factors.ok())
    return false;
  for (const auto &uses : dims) {
    int64_t tiles = 1;
    for (const AxisUse &use : uses)
      if (!multiply(tiles, factors.collect(use, sharding.iotaPermutation)))
        return false;
    sharding.tileDims.push_back(tiles);
    if (!multiply(used, tiles))
      return false;
  }
  sharding.iotaDims = factors.sizes();
  for (size_t i = 0; i < sharding.iotaDims.size(); ++i) {
    std::vector<int64_t> &permutation = sharding.iotaPermutation;
    if (std::find(permutation.begin(), permutation.end(), static_cast<int64_t>(i)) == permutation.end())
      permutation.push_back(static_cast<int64_t>(i));
  }
  if (sharding.iotaPermutation.size() != sharding.iotaDims.size() || total % used != 0)
    return false;
  if (used == 1) { // nothing is cut
    sharding = OpSharding();
    return true;
  }
  sharding.type = kOther;
  if (total != used) {
    sharding.tileDims.push_back(total / used);
    sharding.replicateLastDim = true;
  }
  if (!deviceIds.empty()) {
    if (static_cast<int64_t>(deviceIds.size()) != total)
      return false;
    applyDeviceIds(deviceIds, sharding);
  }
  return true;
}

// Parses Shardy's notation from behind "#sdy.sharding<".
bool parseShardy(Cursor &cursor, OpSharding &sharding) {
  std::vector<Axis> axes;
  std::vector<int64_t> deviceIds;
  std::vector<std::vector<AxisUse>> dims;
  if (!parseMesh(cursor, axes, deviceIds) || !cursor.consume(",") || !cursor.consume("["))
    return false;
  while (!cursor.consume("]")) {
    if (!parseAxisUses(cursor, dims.emplace_back()))
      return false;
    cursor.consume(",");
  }
  // Axes named as replicated are, like all that no dimension uses.
  while (cursor.consume(",")) {
    std::vector<AxisUse> others;
    if (!(cursor.consume("replicated=") && parseAxisUses(cursor, others)))
      return false;
  }
  if (!cursor.consume(">"))
    return false;
  if (axes.empty() && deviceIds.size() == 1) {
    sharding.type = kMaximal;
    sharding.devices = deviceIds;
    return true;
  }
  return buildFromMesh(axes, deviceIds, dims, sharding);
}

StatusOr<OpSharding> parseSharding(std::string_view text) {
  OpSharding sharding;
  if (text.empty())
    return sharding;
  Cursor cursor(text);
  bool ok = false;
  if (cursor.consume("#sdy.sharding<"))
    ok = parseShardy(cursor, sharding);
  else if (cursor.consume("{"))
    ok = parseXla(cursor, sharding);
  if (!ok || !cursor.atEnd())
    return cursor.error();
  return sharding;
}

int64_t product(const std::vector<int64_t> &values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

// The devices in the order of the tiles, written out.
std::vector<int64_t> deviceList(const OpSharding &sharding) {
  if (!sharding.devices.empty())
    return sharding.devices;
  OpSharding listed = sharding;
  for (size_t i = listed.iotaPermutation.size(); i < listed.iotaDims.size(); ++i)
    listed.iotaPermutation.push_back(static_cast<int64_t>(i));
  std::vector<int64_t> ids(product(listed.iotaDims));
  std::iota(ids.begin(), ids.end(), 0);
  applyDeviceIds(ids, listed);
  return listed.devices;
}

} // namespace

StatusOr<std::string> shardingToProto(std::string_view text) {
  TENON_ASSIGN_OR_RETURN(OpSharding sharding, parseSharding(text));
  return sharding.serialize();
}

bool Tiling::isWhole() const { return product(tiles) == 1; }

StatusOr<Tiling> shardingTiling(std::string_view text, size_t rank, int32_t partitions) {
  TENON_ASSIGN_OR_RETURN(OpSharding sharding, parseSharding(text));
  Tiling tiling{std::vector<int64_t>(rank, 1), std::vector<int64_t>(partitions, 0)};
  if (sharding.type == kReplicated)
    return tiling;
  if (sharding.type != kOther || sharding.tileDims.size() < rank)
    return unimplemented("arrays with the sharding '" + std::string(text) + "' are not supported");
  tiling.tiles.assign(sharding.tileDims.begin(), sharding.tileDims.begin() + static_cast<int64_t>(rank));
  std::vector<int64_t> devices = deviceList(sharding);
  int64_t tiles = product(tiling.tiles);
  if (tiles < 1 || static_cast<int64_t>(devices.size()) != partitions || partitions % tiles != 0)
    return invalidArgument("the sharding '" + std::string(text) + "' is not one of " + std::to_string(partitions) +
                           " partitions");
  // Devices that hold the same tile stand next to each other.
  int64_t copies = partitions / tiles;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] < 0 || devices[i] >= partitions)
      return invalidArgument("the sharding '" + std::string(text) + "' names a device that does not take part");
    tiling.tileOf[devices[i]] = static_cast<int64_t>(i) / copies;
  }
  return tiling;
}

} // namespace tenon::pjrt
