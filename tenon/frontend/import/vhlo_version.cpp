#include "tenon/frontend/import/vhlo_version.h"

#include "llvm/ADT/SmallVector.h"

namespace tenon::frontend {

std::string VhloVersion::str() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::optional<VhloVersion> parseVhloVersion(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '.');
  VhloVersion version;
  if (parts.size() < 2 || parts.size() > 3 || parts[0].getAsInteger(10, version.major) ||
      parts[1].getAsInteger(10, version.minor) || (parts.size() == 3 && parts[2].getAsInteger(10, version.patch)))
    return std::nullopt;
  return version;
}

std::optional<std::string> whyUnsupported(VhloVersion version) {
  if (version < kOldestVhloVersion)
    return "artifacts before " + kOldestVhloVersion.str() + " have no stable meaning";
  if (VhloVersion{version.major, version.minor} > kNewestVhloVersion)
    return "it is newer than " + kNewestVhloVersion.str() + ", the newest that this version of Tenon knows";
  return std::nullopt;
}

} // namespace tenon::frontend
