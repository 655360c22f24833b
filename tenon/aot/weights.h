// Constants of programs as one block of memory. Private to the folder.
#pragma once

#include "tenon/program/program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::aot {

// The constants, one after the other and each once, behind a block that says by a digest of them which they are: code
// for any processor takes the weights that it was compiled with, whatever else was compiled with them.
struct Weights {
  std::vector<std::vector<int64_t>> offsets; // of each program's constants, from the beginning of `bytes`
  std::string digest;                        // 32 digits
  std::string bytes;                         // a file, or what is embedded
};
inline constexpr int64_t kWeightsHeaderBytes = 64;
Weights layOutWeights(const std::vector<const program::Program *> &programs);

// The block that the bytes begin with.
std::string weightsHeader(const std::string &digest);

// A file of weights, as the code that checks it and the header know it.
struct WeightsFacts {
  std::string fileName, digest;
  std::string head;   // its first bytes, at most kWeightsHeaderBytes
  int64_t bytes = 0;  // of all
  uint64_t check = 0; // XXH64 of all
  bool isSafetensors = false;
};
WeightsFacts describeWeights(std::string fileName, std::string_view bytes);

// What an object may have inside: the reach of the small code model, less room for the rest of the binary.
inline constexpr size_t kEmbeddedLimit = size_t(1) << 30;

} // namespace tenon::aot
