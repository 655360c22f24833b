// Several relocatable ELF objects to one, as `ld -r` and `objcopy` would make it: references between them are bound,
// and every symbol but the chosen ones becomes local, so that merged objects never clash.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::aot {

// Read-only data under a symbol of its own.
struct DataBlob {
  std::string symbol;
  std::string_view bytes;
};
inline constexpr int64_t kBlobAlignment = 64;

struct MergedObject {
  std::string bytes;
  std::vector<std::string> undefined; // what the merged object still wants, sorted
  // The sizes of the objects' sections that a program loads; the blobs are not counted.
  int64_t codeBytes = 0, readOnlyBytes = 0, writableBytes = 0;
};

// The symbols that the objects use and none of them defines, sorted.
StatusOr<std::vector<std::string>> undefinedSymbols(const std::vector<std::string_view> &objects);

// The objects are 64-bit little-endian ELF for one machine, as LLVM writes them from modules without debug information
// and COMDATs. Other objects are an error, as are strong symbols defined twice.
StatusOr<MergedObject> mergeObjects(const std::vector<std::string_view> &objects, const std::vector<DataBlob> &blobs,
                                    const std::function<bool(std::string_view symbol)> &isPublic);

} // namespace tenon::aot
