// Constants are found by one pass over the source: at every position, the eight bytes there are looked up among those
// that stand at a chosen place in each large constant; where they agree, the whole constant is compared. The place is
// one where the constant's contents change, so that runs of equal bytes do not make every position a candidate.

#include "tenon/backend/source_module.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace tenon::backend {
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

// A bit for each hash of a word, as a Bloom filter has it: most positions are dismissed by it.
class Filter {
public:
  explicit Filter(const Candidates &words) : bits_(kBits / 64) {
    for (const auto &[word, candidate] : words)
      bits_[bitOf(word) / 64] |= uint64_t(1) << (bitOf(word) % 64);
  }
  bool mayHave(uint64_t word) const { return bits_[bitOf(word) / 64] >> (bitOf(word) % 64) & 1; }

private:
  static constexpr size_t kBits = 1 << 16;
  static size_t bitOf(uint64_t word) { return (word * 0x9e3779b97f4a7c15U) >> 48; }
  std::vector<uint64_t> bits_;
};

// Finds the large constants of a program in its source.
class ConstantFinder {
public:
  ConstantFinder(std::string_view source, const program::Program &program)
      : source_(source), program_(program), words_(distinctiveWords(program)), filter_(words_),
        budget_(kComparisonsPerByte * source.size()) {}

  struct Found {
    size_t start = 0;
    int64_t constant = -1; // none
    size_t size = 0;
  };

  // The next one that starts at `begin` or later.
  Found next(size_t begin) {
    for (size_t at = begin; !words_.empty() && at + 8 <= source_.size() && budget_ > 0; ++at)
      if (uint64_t word = wordAt(&source_[at]); filter_.mayHave(word))
        if (Found found = find(begin, at, word); found.constant >= 0)
          return found;
    return {};
  }

private:
  // One that has the word, which stands at `at`, at its place.
  Found find(size_t begin, size_t at, uint64_t word) {
    auto [first, last] = words_.equal_range(word);
    for (auto it = first; it != last; ++it) {
      const program::AlignedBytes &bytes = program_.constants[size_t(it->second.constant)].bytes;
      if (at < begin + it->second.offset)
        continue;
      size_t start = at - it->second.offset;
      if (bytes.size() > source_.size() - start)
        continue;
      if (std::memcmp(&source_[start], bytes.data(), bytes.size()) == 0)
        return {start, it->second.constant, bytes.size()};
      budget_ -= std::min(budget_, bytes.size());
    }
    return {};
  }

  std::string_view source_;
  const program::Program &program_;
  Candidates words_;
  Filter filter_;
  size_t budget_;
};

} // namespace

SourceModule::SourceModule(std::string_view bytes, const program::Program &program) {
  ConstantFinder finder(bytes, program);
  size_t begin = 0; // of what no piece has yet
  for (auto found = finder.next(0); found.constant >= 0; found = finder.next(begin)) {
    pieces_.push_back({std::string(bytes.substr(begin, found.start - begin)), found.constant});
    begin = found.start + found.size;
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

} // namespace tenon::backend
