// A ring of bytes in memory that two processes share: one writes frames into it, the other reads them, without a call
// of the system as long as both are at work. What the reader finds comes from outside: nothing in it is believed.
#pragma once

#include "tenon/status.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace tenon::runtime {

// kUnavailable, with what the last call of the system says (errno).
Status systemError(const char *what);

// A file that is closed with it.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

private:
  int number_ = -1;
};

class Ring {
public:
  static constexpr size_t kCapacity = size_t{4} << 20;

  // Memory that no other process has yet, and its file, to be handed over.
  static StatusOr<std::unique_ptr<Ring>> create(FileDescriptor &file);
  // The memory of such a file of another process. kDataLoss where it is too small, or may shrink.
  static StatusOr<std::unique_ptr<Ring>> open(const FileDescriptor &file);
  ~Ring();
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;

  // The writer's side: whether there was room for the frame; and whether the reader must be woken.
  bool write(std::span<const std::span<const std::byte>> frame);
  bool mustWakeReader();
  // The reader's side: the next frame, in one or two pieces, which stay until it is dropped. kDataLoss: what is there
  // was not written by `write`, or is longer than `most`.
  struct Frame {
    std::array<std::span<const std::byte>, 2> pieces;
    size_t bytes = 0;
  };
  StatusOr<std::optional<Frame>> next(size_t most);
  void drop(const Frame &frame);
  bool mustWakeWriter();

  // Says that the caller is about to sleep until it is woken: then it must look once more.
  void readerSleeps() { shared_->isReaderAsleep.store(1, std::memory_order_seq_cst); }
  void writerSleeps() { shared_->isWriterAsleep.store(1, std::memory_order_seq_cst); }

private:
  struct Shared {
    alignas(64) std::atomic<uint64_t> written; // bytes ever, by the writer
    alignas(64) std::atomic<uint64_t> read;    // and by the reader
    alignas(64) std::atomic<uint32_t> isReaderAsleep, isWriterAsleep;
    alignas(64) std::byte bytes[kCapacity];
  };
  explicit Ring(Shared *shared) : shared_(shared) {}
  static StatusOr<std::unique_ptr<Ring>> map(const FileDescriptor &file);
  void put(uint64_t at, std::span<const std::byte> bytes);

  Shared *const shared_;
  uint64_t own_ = 0; // what the caller has written or read: what the other says of it does not count
};

} // namespace tenon::runtime
