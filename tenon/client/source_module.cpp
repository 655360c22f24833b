// Constants are found by one pass over the source: at every position, the eight bytes there are looked up among those
// that stand at a chosen place in each large constant; where they agree, the whole constant is compared. The place is
// one where the constant's contents change, so that runs of equal bytes do not make every position a candidate.

#include "tenon/client/source_module.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace tenon::client {
namespace {

constexpr size_t kLeastBytes = 64 << 10;
// Bytes compared in vain before the search ends: contents made to deceive it must not cost more than a few passes.
constexpr size_t kComparisonsPerByte = 4;

uint64_t wordAt(const void *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

struct Candidate {
  int64_t constant;
  size_t offset; // of the word in the constant
};
using Candidates = std::unordered_multimap<uint64_t, Candidate>;

Candidates distinctiveWords(const program::Program &program) {
  Candidates words;
  for (size_t i = 0; i < program.constants.size(); ++i) {
    const program::AlignedBytes &bytes = program.constants[i].bytes;
    if (bytes.size() < kLeastBytes)
      continue;
    for (size_t offset = 8; offset + 8 <= bytes.size(); offset += 8)
      if (wordAt(&bytes[offset]) != wordAt(&bytes[offset - 8])) {
        words.emplace(wordAt(&bytes[offset]), Candidate{int64_t(i), offset});
        break;
      }
  }
  return words;
}

// A bit for each value of the lowest bits of the words: most positions are dismissed by it.
class Filter {
public:
  explicit Filter(const Candidates &words) : bits_(kBits / 64) {
    for (const auto &[word, candidate] : words)
      bits_[index(word) / 64] |= uint64_t(1) << (index(word) % 64);
  }
  bool mayHave(uint64_t word) const { return bits_[index(word) / 64] >> (index(word) % 64) & 1; }

private:
  static constexpr size_t kBits = 1 << 16;
  static size_t index(uint64_t word) { return (word * 0x9e3779b97f4a7c15U) >> 48; }
  std::vector<uint64_t> bits_;
};

} // namespace

SourceModule::SourceModule(std::string_view bytes, const program::Program &program) {
  Candidates words = distinctiveWords(program);
  size_t begin = 0; // of what no piece has yet
  size_t budget = kComparisonsPerByte * bytes.size();
  Filter filter(words);
  for (size_t at = 0; !words.empty() && at + 8 <= bytes.size() && budget > 0; ++at) {
    uint64_t word = wordAt(&bytes[at]);
    if (!filter.mayHave(word))
      continue;
    auto [first, last] = words.equal_range(word);
    for (auto it = first; it != last; ++it) {
      const program::AlignedBytes &constant = program.constants[size_t(it->second.constant)].bytes;
      size_t offset = it->second.offset;
      if (at < begin + offset || constant.size() > bytes.size() - (at - offset))
        continue;
      size_t start = at - offset;
      if (std::memcmp(&bytes[start], constant.data(), constant.size()) != 0) {
        budget -= std::min(budget, constant.size());
        continue;
      }
      pieces_.push_back({std::string(bytes.substr(begin, start - begin)), it->second.constant});
      begin = start + constant.size();
      at = begin - 1;
      break;
    }
  }
  pieces_.push_back({std::string(bytes.substr(begin)), -1});
}

std::string SourceModule::bytes(const program::Program &program) const {
  std::string whole;
  for (const Piece &piece : pieces_) {
    whole += piece.text;
    if (piece.constant >= 0) {
      const program::AlignedBytes &bytes = program.constants[size_t(piece.constant)].bytes;
      whole.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    }
  }
  return whole;
}

size_t SourceModule::ownBytes() const {
  size_t bytes = 0;
  for (const Piece &piece : pieces_)
    bytes += piece.text.size();
  return bytes;
}

} // namespace tenon::client
