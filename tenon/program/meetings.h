// Attributes of collectives that say when the processes of one OS process meet for them.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::program {

// Says of a collective (true) that its processes meet for it when they meet for the next one of the program, which is
// of the same groups. Its results are there after that, and its operands stay as they are until then. Processes that
// are in several OS processes meet for each.
inline constexpr std::string_view kMeetsWithNext = "meets_with_next";

// Says of a collective (true) that what processes read at its meeting stays as it is until they have come to the next
// one of the same groups, which the program has: so none waits until the others have read.
inline constexpr std::string_view kOperandsStay = "operands_stay";

// Sums of arrays of at least so many bytes together are divided among the processes, which write into each other's
// results: nobody goes on before all have. Of eight processes on a thread, that is sooner from 2 KiB on, of two, from
// 6 KiB.
inline constexpr int64_t kDividedSumBytes = 4 << 10;

} // namespace tenon::program
