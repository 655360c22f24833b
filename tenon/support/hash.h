// A hash that is the same in every process and version: for fingerprints and keys of caches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

// FNV-1a. Not cryptographic.
inline uint64_t stableHash(std::string_view bytes, uint64_t hash = 0xcbf29ce484222325) {
  for (char c : bytes)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

// 16 digits.
inline std::string hexDigits(uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

} // namespace tenon
