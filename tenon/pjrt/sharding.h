// Shardings as frameworks see them, and as runs need them.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::pjrt {

// Which part of an array each partition holds. The array is cut into a grid of equal tiles, the last along a dimension
// possibly padded.
struct Tiling {
  std::vector<int64_t> tiles;  // along each dimension
  std::vector<int64_t> tileOf; // by partition: number of its tile, in row-major order of the grid

  bool isReplicated() const; // every partition holds everything
};

// The tiling of a sharding; an error unless it gives each partition a part.
StatusOr<Tiling> shardingTiling(const program::Sharding &sharding, size_t rank, int32_t partitions);

} // namespace tenon::pjrt
