#include "tenon/pjrt/sharding.h"

#include "tenon/program/sharding.h"

#include <functional>
#include <numeric>

namespace tenon::pjrt {
namespace {

using program::Sharding;

int64_t product(const std::vector<int64_t> &values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

} // namespace

bool Tiling::isReplicated() const { return product(tiles) == 1; }

StatusOr<Tiling> shardingTiling(const Sharding &sharding, size_t rank, int32_t partitions) {
  Tiling tiling{std::vector<int64_t>(rank, 1), std::vector<int64_t>(partitions, 0)};
  if (sharding.kind == Sharding::Kind::kReplicated)
    return tiling;
  if (sharding.kind != Sharding::Kind::kTiled || sharding.tiles.size() < rank)
    return unimplemented("arrays with the sharding '" + toString(sharding) + "' are not supported");
  tiling.tiles.assign(sharding.tiles.begin(), sharding.tiles.begin() + static_cast<int64_t>(rank));
  std::vector<int64_t> devices = devicesOfTiles(sharding);
  int64_t tiles = product(tiling.tiles);
  if (tiles < 1 || static_cast<int64_t>(devices.size()) != partitions || partitions % tiles != 0)
    return invalidArgument("the sharding '" + toString(sharding) + "' is not one of " + std::to_string(partitions) +
                           " partitions");
  // Devices that hold the same tile stand next to each other.
  int64_t copies = partitions / tiles;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] < 0 || devices[i] >= partitions)
      return invalidArgument("the sharding '" + toString(sharding) + "' names a device that does not take part");
    tiling.tileOf[devices[i]] = static_cast<int64_t>(i) / copies;
  }
  return tiling;
}

} // namespace tenon::pjrt
