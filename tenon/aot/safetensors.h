// Weights in a safetensors file: an 8-byte length, a JSON object that says of each tensor its type, shape and place,
// and the tensors' bytes. https://huggingface.co/docs/safetensors. Private to the folder.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::aot {

struct StoredTensor {
  program::Shape shape;
  std::string typeName; // as the file says it
  int64_t offset = 0;   // from the beginning of the file
};

// By name. INVALID_ARGUMENT, with the file's name, for what is no such file, is truncated or does not add up.
StatusOr<std::map<std::string, StoredTensor>> readSafetensors(const std::string &name, std::string_view bytes);

// For each argument of the program where in the file of that name it is, or -1: the caller gives it. An argument is the
// tensor that the bindings name; otherwise that of its own name, or of the keys behind its name joined by dots, as
// JAX's "params['layer']['w']" is "layer.w". INVALID_ARGUMENT where types or shapes differ, a tensor is not aligned as
// its elements are, names are not there, or no argument is in the file.
StatusOr<std::vector<int64_t>> bindArguments(const program::Program &program, const std::string &name,
                                             const std::map<std::string, StoredTensor> &tensors,
                                             const std::map<std::string, std::string> &bindings);

} // namespace tenon::aot
