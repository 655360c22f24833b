// Shardings of arrays: XLA's notation as text and as xla.OpSharding, and the devices that they name.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::program {

// Whether every field is as its kind has it, and the tiles are as many as the devices: so are shardings of programs.
bool isConsistent(const Sharding &sharding);

// The devices of a sharding by tiles, in row-major order of the tiles.
std::vector<int64_t> devicesOfTiles(const Sharding &sharding);

// XLA's notation: "{replicated}", or "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}" with the number of tiles
// along each dimension, then the devices in row-major order of the tiles: as a list, or as an iota reshaped, transposed
// and flattened. Not for tuples, since a sharding is that of one array.
std::string toString(const Sharding &sharding);
StatusOr<Sharding> parseSharding(std::string_view text);

// What an annotation of a program says of one value.
struct AnnotatedSharding {
  Sharding sharding;
  std::optional<int64_t> group; // of values that are to get the same sharding: "shard_as 3"
  bool operator==(const AnnotatedSharding &) const = default;
};
// An annotation, of one value or of several, "{{replicated}, {devices=[2]<=[2]}}": as text or as a serialized
// xla.OpSharding, which JAX writes where devices are many.
StatusOr<std::vector<AnnotatedSharding>> parseAnnotation(std::string_view bytes);

// The serialized xla.OpSharding.
std::string toProto(const Sharding &sharding);
// The same of a tuple of arrays.
std::string toProto(const std::vector<Sharding> &parts);
StatusOr<std::vector<AnnotatedSharding>> parseShardingProto(std::string_view bytes);

} // namespace tenon::program
