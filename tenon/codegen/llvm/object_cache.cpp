#include "tenon/codegen/llvm/object_cache.h"

#include "tenon/codegen/llvm/build_id.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::codegen {
namespace {

namespace fs = llvm::sys::fs;

// What a file begins with; the object follows.
struct Header {
  std::array<char, 8> magic;
  ObjectCache::Key key;
  uint64_t bytes;
  ObjectCache::Key digest; // of the object
};
constexpr std::array<char, 8> kMagic = {'T', 'E', 'N', 'O', 'N', 'O', 'B', '1'};

ObjectCache::Key digestOf(llvm::StringRef bytes) { return llvm::BLAKE3::hash<32>(llvm::arrayRefFromStringRef(bytes)); }

Status denied(const std::string &folder, const char *why) {
  return {StatusCode::kPermissionDenied, "'" + folder + "' " + why};
}

// Whether nobody but the user, and the administrator, can have put it there.
bool isOwn(const struct stat &info) { return info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

// A file of the user's own, whole; none for anything else.
std::optional<std::string> readOwnFile(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return std::nullopt;
  struct stat info;
  std::string bytes;
  bool isRead = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && isOwn(info);
  if (isRead) {
    bytes.resize(size_t(info.st_size));
    isRead = ::read(file, bytes.data(), bytes.size()) == ssize_t(bytes.size());
    // So that what is used often is kept, also where the file system does not note reads.
    const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    if (isRead && std::time(nullptr) - info.st_atime > 3600)
      (void)futimens(file, now);
  }
  ::close(file);
  return isRead ? std::optional(std::move(bytes)) : std::nullopt;
}

std::string folderOfProcess() {
  const char *set = std::getenv("TENON_KERNEL_CACHE");
  if (set && *set)
    return llvm::StringRef(set) == "off" ? "" : set;
  llvm::SmallString<128> path;
  if (const char *caches = std::getenv("XDG_CACHE_HOME"); caches && *caches)
    path = caches;
  else if (const char *home = std::getenv("HOME"); home && *home)
    llvm::sys::path::append(path, home, ".cache");
  if (!llvm::sys::path::is_absolute(path))
    return "";
  llvm::sys::path::append(path, "tenon", "kernels");
  return path.str().str();
}

int64_t maxBytesOfProcess() {
  int64_t megabytes = 1024;
  const char *set = std::getenv("TENON_KERNEL_CACHE_MB");
  if (set && *set && (llvm::StringRef(set).getAsInteger(10, megabytes) || megabytes <= 0 || megabytes > (1 << 30))) {
    std::fprintf(stderr, "tenon: TENON_KERNEL_CACHE_MB is '%s', not a number of megabytes; it counts as 1024\n", set);
    megabytes = 1024;
  }
  return megabytes << 20;
}

} // namespace

ObjectCache *ObjectCache::ofProcess() {
  static ObjectCache *cache = []() -> ObjectCache * {
    std::string folder = folderOfProcess();
    if (folder.empty() || buildId().empty())
      return nullptr;
    StatusOr<std::unique_ptr<ObjectCache>> opened = open(folder, maxBytesOfProcess());
    if (opened.ok())
      return opened->release();
    // A home that cannot be written to is common (in containers, of services), and nobody has asked for a cache there.
    if (std::getenv("TENON_KERNEL_CACHE") || fs::exists(folder))
      std::fprintf(stderr, "tenon: compiled kernels are not kept: %s\n", opened.status().message().c_str());
    return nullptr;
  }();
  return cache;
}

StatusOr<std::unique_ptr<ObjectCache>> ObjectCache::open(std::string folder, int64_t maxBytes) {
  if (std::error_code error = fs::create_directories(folder, /*IgnoreExisting=*/true, fs::owner_all))
    return denied(folder, ("cannot be made: " + error.message()).c_str());
  struct stat info;
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return denied(folder, "is no folder");
  if (!isOwn(info))
    return denied(folder, "belongs to another user, or others may write to it");
  return std::unique_ptr<ObjectCache>(new ObjectCache(std::move(folder), maxBytes));
}

ObjectCache::Key ObjectCache::keyOf(llvm::ArrayRef<llvm::StringRef> parts) {
  llvm::BLAKE3 hash;
  auto add = [&](llvm::StringRef part) {
    uint64_t size = part.size();
    hash.update(llvm::StringRef(reinterpret_cast<const char *>(&size), sizeof(size)));
    hash.update(part);
  };
  add(buildId());
  llvm::for_each(parts, add);
  return hash.final<32>();
}

// The prefix is the one that pruneCache looks for, in unfinished files, too.
std::string ObjectCache::pathOf(const Key &key) const {
  llvm::SmallString<128> path(folder_);
  llvm::sys::path::append(path, "llvmcache-" + llvm::toHex(key, /*LowerCase=*/true));
  return path.str().str();
}

std::optional<std::string> ObjectCache::find(const Key &key) {
  std::string path = pathOf(key);
  std::optional<std::string> file = readOwnFile(path);
  if (!file)
    return std::nullopt;
  Header header;
  if (file->size() >= sizeof(header)) {
    std::memcpy(&header, file->data(), sizeof(header));
    file->erase(0, sizeof(header));
    if (header.magic == kMagic && header.key == key && header.bytes == file->size() && header.digest == digestOf(*file))
      return file;
  }
  (void)::unlink(path.c_str());
  return std::nullopt;
}

void ObjectCache::store(const Key &key, llvm::StringRef object) {
  llvm::SmallString<128> model(folder_);
  llvm::sys::path::append(model, "llvmcache-unfinished-%%%%%%%%%%%%");
  llvm::Expected<fs::TempFile> file = fs::TempFile::create(model, fs::owner_read | fs::owner_write);
  if (!file)
    return llvm::consumeError(file.takeError());
  Header header = {kMagic, key, object.size(), digestOf(object)};
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof(header));
  bytes += object;
  bool isWritten = ::write(file->FD, bytes.data(), bytes.size()) == ssize_t(bytes.size());
  llvm::consumeError(isWritten ? file->keep(pathOf(key)) : file->discard());
  prune(int64_t(bytes.size()));
}

void ObjectCache::prune(int64_t storedBytes) {
  bool isFirst = unprunedBytes_.load() < 0 && unprunedBytes_.exchange(0) < 0;
  int64_t unpruned = unprunedBytes_ += storedBytes;
  if (!isFirst && unpruned < maxBytes_ / 8)
    return;
  llvm::CachePruningPolicy policy;
  if (!isFirst) {
    unprunedBytes_ = 0;
    policy.Interval = std::chrono::seconds(0);
  }
  policy.Expiration = std::chrono::seconds(0); // never by age alone
  policy.MaxSizeBytes = uint64_t(maxBytes_);
  (void)llvm::pruneCache(folder_, policy);
}

} // namespace tenon::codegen
