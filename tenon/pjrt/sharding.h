// Shardings as text, to xla.OpSharding.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::pjrt {

// `text` is what program::Argument::sharding holds: XLA's notation ("{devices=[2,1]<=[2]}", "{replicated}"), a Shardy
// attribute with its mesh inlined ("#sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}, {}]>"), or empty for replicated.
StatusOr<std::string> shardingToProto(std::string_view text);

// Which part of an array each partition holds. The array is cut into a grid of equal tiles, the last along a dimension
// possibly padded.
struct Tiling {
  std::vector<int64_t> tiles;  // along each dimension
  std::vector<int64_t> tileOf; // by partition: number of its tile, in row-major order of the grid

  bool isWhole() const; // every partition holds everything
};

// The tiling of a sharding; an error unless it gives each partition a part.
StatusOr<Tiling> shardingTiling(std::string_view text, size_t rank, int32_t partitions);

} // namespace tenon::pjrt
