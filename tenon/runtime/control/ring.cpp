#include "tenon/runtime/control/ring.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

// In front of each frame is its length; what is behind it is filled up.
constexpr size_t kLengthBytes = 8;
size_t takenBy(size_t bytes) { return kLengthBytes + (bytes + kLengthBytes - 1) / kLengthBytes * kLengthBytes; }

} // namespace

Status systemError(const char *what) {
  return {StatusCode::kUnavailable, std::string(what) + ": " + std::strerror(errno)};
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0)
    close(number_);
}

StatusOr<std::unique_ptr<Ring>> Ring::create(FileDescriptor &file) {
  file = FileDescriptor(memfd_create("tenon", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.number(), sizeof(Shared)) != 0)
    return systemError("no memory to share with other processes");
  // Else the other could make it smaller, and whoever reads it would be ended.
  if (fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return systemError("memory to share cannot be sealed");
  return map(file);
}

StatusOr<std::unique_ptr<Ring>> Ring::open(const FileDescriptor &file) {
  struct stat description{};
  int seals = fcntl(file.number(), F_GET_SEALS);
  if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(file.number(), &description) != 0 ||
      description.st_size != sizeof(Shared))
    return Status(StatusCode::kDataLoss, "another process shares memory that is none of a ring");
  return map(file);
}

StatusOr<std::unique_ptr<Ring>> Ring::map(const FileDescriptor &file) {
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED)
    return systemError("shared memory cannot be mapped");
  return std::unique_ptr<Ring>(new Ring(static_cast<Shared *>(memory)));
}

Ring::~Ring() { munmap(shared_, sizeof(Shared)); }

void Ring::put(uint64_t at, std::span<const std::byte> bytes) {
  size_t begin = at % kCapacity, first = std::min(bytes.size(), kCapacity - begin);
  std::memcpy(shared_->bytes + begin, bytes.data(), first);
  std::memcpy(shared_->bytes, bytes.data() + first, bytes.size() - first);
}

bool Ring::write(std::span<const std::span<const std::byte>> frame) {
  size_t bytes = 0;
  for (std::span<const std::byte> piece : frame)
    bytes += piece.size();
  // A reader that says it has read more than there was gets what it deserves: frames that it has not read.
  uint64_t used = own_ - shared_->read.load(std::memory_order_seq_cst);
  if (used > kCapacity || takenBy(bytes) > kCapacity - used)
    return false;
  uint64_t length = bytes, at = own_;
  put(at, std::as_bytes(std::span(&length, 1)));
  at += kLengthBytes;
  for (std::span<const std::byte> piece : frame) {
    if (!piece.empty())
      put(at, piece);
    at += piece.size();
  }
  own_ += takenBy(bytes);
  shared_->written.store(own_, std::memory_order_seq_cst);
  return true;
}

StatusOr<std::optional<Ring::Frame>> Ring::next(size_t most) {
  Status damaged(StatusCode::kDataLoss, "what another process shares is no frame");
  uint64_t there = shared_->written.load(std::memory_order_seq_cst) - own_;
  if (there == 0)
    return std::optional<Frame>();
  uint64_t length = 0;
  if (there > kCapacity || there < kLengthBytes)
    return damaged;
  // Lengths lie in one piece. Read once: it may change while it is looked at.
  std::memcpy(&length, shared_->bytes + own_ % kCapacity, kLengthBytes);
  if (length > most || takenBy(length) > there)
    return damaged;
  size_t begin = (own_ + kLengthBytes) % kCapacity, first = std::min<size_t>(length, kCapacity - begin);
  Frame frame;
  frame.bytes = length;
  frame.pieces = {std::span<const std::byte>(shared_->bytes + begin, first),
                  std::span<const std::byte>(shared_->bytes, length - first)};
  return std::optional(frame);
}

void Ring::drop(const Frame &frame) {
  own_ += takenBy(frame.bytes);
  shared_->read.store(own_, std::memory_order_seq_cst);
}

bool Ring::mustWakeReader() { return shared_->isReaderAsleep.exchange(0, std::memory_order_seq_cst) != 0; }
bool Ring::mustWakeWriter() { return shared_->isWriterAsleep.exchange(0, std::memory_order_seq_cst) != 0; }

} // namespace tenon::runtime
