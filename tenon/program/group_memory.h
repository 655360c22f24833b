// Attributes of collectives whose results processes of one OS process have in one memory while a program runs.
#pragma once

#include <string_view>

namespace tenon::program {

// For each result of a collective that gives all processes of a group the same arrays two numbers, where a run's
// processes of one group and one OS process may have one memory for it: its entry in the table of constants, counted
// from behind the program's own, and its offset in that memory; -1 and -1 where it is elsewhere. Collectives of one
// program that have this attribute have the same groups. Nothing else writes these arrays, so each may begin where
// another one ends that nobody reads any more in the program's order.
inline constexpr std::string_view kGroupMemory = "group_memory";

// Says of a collective all of whose results are there: since all came to the last one before it that says so, or since
// the run began, nobody reads the bytes of its results. So each process may write its part before the others have come.
inline constexpr std::string_view kWritesEarly = "writes_early";

} // namespace tenon::program
