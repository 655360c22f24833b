// Comparing what somebody gives for a secret.
#pragma once

#include <cstddef>
#include <string_view>

namespace tenon {

// Whether they are equal, in a time that depends on the lengths alone, so that it tells nothing about the secret.
inline bool isSecret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < secret.size(); ++i)
    difference |= static_cast<unsigned char>(given.empty() ? 1 : given[i % given.size()] ^ secret[i]);
  return difference == 0;
}

} // namespace tenon
