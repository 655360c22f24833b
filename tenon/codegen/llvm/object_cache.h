// Compiled objects on disk, for all processes of a user: what one of them compiled, none compiles again.
//
// An object is found by a digest of all that its code depends on: what the caller says determines it, the target, and
// the build of the compiler (build_id.h), so that nothing has to be invalidated. Any number of processes may use one
// folder: a file appears whole, under its final name, or not at all, and carries a digest of its contents. One that is
// damaged counts as missing, and goes.
//
// Code from the folder runs in the process, so only what belongs to the user alone is taken from it.
#pragma once

#include "tenon/status.h"

#include "llvm/ADT/StringRef.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tenon::codegen {

class ObjectCache {
public:
  using Key = std::array<uint8_t, 32>;

  // The cache of the process: TENON_KERNEL_CACHE names its folder or is "off"; otherwise it is tenon/kernels in
  // $XDG_CACHE_HOME or ~/.cache. TENON_KERNEL_CACHE_MB bounds its size (1024). Null where there is none: it is off,
  // there is no home or none that can be written to, the compiler has no build ID, or the folder is refused, which is
  // said on stderr.
  static ObjectCache *ofProcess();

  // Creates the folder if it is missing. kPermissionDenied if others than the user may write to it.
  static StatusOr<std::unique_ptr<ObjectCache>> open(std::string folder, int64_t maxBytes);

  // The digest of the parts, in order, and of the compiler's build.
  static Key keyOf(llvm::ArrayRef<llvm::StringRef> parts);

  // None if it is not there, or cannot be trusted.
  std::optional<std::string> find(const Key &key);
  // Best effort: a full disk or a folder that has gone is no error.
  void store(const Key &key, llvm::StringRef object);

private:
  ObjectCache(std::string folder, int64_t maxBytes) : folder_(std::move(folder)), maxBytes_(maxBytes) {}
  std::string pathOf(const Key &key) const;
  // Deletes what was used longest ago while the folder is too large. Looks only now and then: after a share of the
  // limit was stored, or when no process has looked for some minutes.
  void prune(int64_t storedBytes);

  std::string folder_;
  int64_t maxBytes_;
  std::atomic<int64_t> unprunedBytes_{-1}; // stored by this process since it pruned; -1: it has not
};

} // namespace tenon::codegen
