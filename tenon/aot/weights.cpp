#include "tenon/aot/weights.h"

#include "tenon/aot/digest.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <map>
#include <string_view>

namespace tenon::aot {

std::string digestOf(std::string_view bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  std::string digits;
  for (uint64_t half : {hash.high64, hash.low64})
    for (int shift = 60; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[half >> shift & 15];
  return digits;
}

std::string weightsHeader(const std::string &digest) {
  std::string header = "TENONWTS" + digest;
  header.resize(kWeightsHeaderBytes, '\0');
  return header;
}

WeightsFacts describeWeights(std::string fileName, std::string_view bytes) {
  WeightsFacts facts;
  facts.fileName = std::move(fileName);
  facts.head = bytes.substr(0, kWeightsHeaderBytes);
  facts.bytes = int64_t(bytes.size());
  facts.check = llvm::xxHash64({bytes.data(), bytes.size()});
  facts.isSafetensors = !facts.head.starts_with("TENONWTS");
  facts.digest = facts.isSafetensors ? digestOf(bytes) : facts.head.substr(8, 32);
  return facts;
}

Weights layOutWeights(const std::vector<const program::Program *> &programs) {
  Weights weights;
  std::map<std::string_view, int64_t> known; // where constants of these bytes are
  size_t total = kWeightsHeaderBytes;
  std::vector<std::string_view> order;
  for (const program::Program *program : programs) {
    std::vector<int64_t> &offsets = weights.offsets.emplace_back();
    for (const program::Constant &constant : program->constants) {
      std::string_view bytes(reinterpret_cast<const char *>(constant.bytes.data()), constant.bytes.size());
      auto [place, isNew] = known.try_emplace(bytes, int64_t(total));
      offsets.push_back(place->second);
      if (isNew) {
        order.push_back(bytes);
        total += llvm::alignTo(bytes.size(), program::kArrayAlignment);
      }
    }
  }
  weights.bytes.reserve(total);
  weights.bytes.resize(kWeightsHeaderBytes, '\0');
  for (std::string_view bytes : order) {
    weights.bytes.append(bytes);
    weights.bytes.resize(llvm::alignTo(weights.bytes.size(), program::kArrayAlignment), '\0');
  }
  weights.digest = digestOf(std::string_view(weights.bytes).substr(kWeightsHeaderBytes));
  weights.bytes.replace(0, kWeightsHeaderBytes, weightsHeader(weights.digest));
  return weights;
}

} // namespace tenon::aot
