// The functions of runtime/core/abi.h as programs compiled ahead of time have them: LLVM IR, as text. Private to the
// folder.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace tenon::aot {

// What an arena begins with, and what there is behind it for a message, where the program has what may fail.
inline constexpr int64_t kContextBytes = 64, kMessageBytes = 256;

// Kernels that use AMX refer to it.
inline constexpr const char *kTileSymbol = "tenon_tile_configuration";

// The types that the functions and what calls them have in common, %Context among them.
const char *contextType();

// Those of the wanted symbols that do not depend on the program, and what they call. Beside abi.h's there are
// tenon_append and tenon_append_number, which make messages (both come with the first), tenon_request_tiles and
// tenon_weights_digest.
std::string abiFunctionsText(std::set<std::string> wanted);

} // namespace tenon::aot
