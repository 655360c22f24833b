// Versions of portable artifacts.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <compare>
#include <optional>
#include <string>

namespace tenon::frontend {

// A version of StableHLO, as artifacts name it. Operations, types and attributes come with minor versions.
struct VhloVersion {
  unsigned major = 0, minor = 0, patch = 0;

  auto operator<=>(const VhloVersion &) const = default;
  std::string str() const;
};

// The first whose artifacts have a stable meaning, and the last that is known here, in all its patches.
inline constexpr VhloVersion kOldestVhloVersion{0, 9, 0};
inline constexpr VhloVersion kNewestVhloVersion{1, 20, 0};

// "1.17.0"; the patch may be left out.
std::optional<VhloVersion> parseVhloVersion(llvm::StringRef text);

// Why artifacts of this version are neither read nor written, or nothing.
std::optional<std::string> whyUnsupported(VhloVersion version);

} // namespace tenon::frontend
