// Memory for what a function needs while it runs: on its stack as far as that goes, and then from the heap. Collectives
// of few bytes take about as long as a few allocations.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

namespace tenon::runtime {

template <size_t Bytes> class StackMemory {
  alignas(std::max_align_t) std::array<std::byte, Bytes> bytes_;

public:
  std::pmr::monotonic_buffer_resource resource{bytes_.data(), bytes_.size()};
};

} // namespace tenon::runtime
