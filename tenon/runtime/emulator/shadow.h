// What threads of a kernel have done to each byte, to find those that do not wait for each other.
//
// Between two barriers the threads of a block work in any order, and blocks do all the time, but for those of a cluster
// between two barriers of it. So two accesses to a byte, one of them at least a write, are a race if they are of two
// blocks, or of two threads of a block, without a barrier of both between them; but atomic operations are none with
// each other.
#pragma once

#include "tenon/program/emulation.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace tenon::runtime::emulator {

class Shadow {
public:
  struct Accessor {
    uint32_t block, thread;
    uint32_t epoch;      // barriers that the block has had
    uint32_t fences = 0; // for what is asynchronous, that the thread has had; kNone of what needs none
    uint32_t cluster = 0, clusterEpoch = 0; // of the block, and barriers that all of its blocks have had
  };
  static constexpr uint32_t kNobody = ~uint32_t{0}, kSeveral = kNobody - 1, kNone = kNobody; // in place of numbers

  using Access = program::MemoryAccess;

  // Empty, or what is wrong with the access. `isFresh`: nobody may read what nobody has written.
  std::string access(uintptr_t address, size_t bytes, Access access, bool isFresh, Accessor who);
  // An asynchronous copy, which the thread has been given the right to write: it may write at any time until its end,
  // so that nobody may access the bytes.
  void startCopy(uintptr_t address, size_t bytes);
  void endCopy(uintptr_t address, size_t bytes, Accessor writer);
  // A product of a warp group, which is given the right to read: it may read at any time until its end, so that nobody
  // may write the bytes. `isFenced`: whether what the writer has written is there for what is asynchronous.
  std::string startProduct(uintptr_t address, size_t bytes, Accessor group,
                           const std::function<bool(const Accessor &writer)> &isFenced);
  void endProduct(uintptr_t address, size_t bytes, Accessor group);
  // Nobody has had the bytes yet.
  void forget(uintptr_t address, size_t bytes);

private:
  struct Byte {
    Accessor writer{kNobody, kNobody, 0}, reader{kNobody, kNobody, 0};
    bool isAtomic = false; // what the writer has done
    bool isCopied = false; // by an asynchronous copy that has not ended
    uint16_t products = 0; // that have not ended, and may read it
  };
  static constexpr size_t kPageBytes = 1024;
  using Page = std::array<Byte, kPageBytes>;

  static bool isOrdered(const Accessor &earlier, const Accessor &later);
  static std::string describe(const Accessor &who);
  std::string accessByte(Byte &byte, Access access, bool isFresh, const Accessor &who);
  Byte &byteAt(uintptr_t address);

  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
};

} // namespace tenon::runtime::emulator
