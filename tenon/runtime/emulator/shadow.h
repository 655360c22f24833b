// What threads of a kernel have done to each byte, to find those that do not wait for each other.
//
// Between two barriers the threads of a block work in any order, and so do blocks all the time, but for those of a
// cluster that have met at its barrier, and for one that has seen by a load that acquires what another has released
// (happens_before.h). So two accesses to a byte, one of them at least a write, are a race if they are of two blocks, or
// of two threads of a block, without such an order or a barrier between them; but atomic operations are none with each
// other.
#pragma once

#include "tenon/program/emulation.h"
#include "tenon/runtime/emulator/happens_before.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenon::runtime::emulator {

class Shadow {
public:
  using Accessor = emulator::Accessor;
  static constexpr uint32_t kNobody = ~uint32_t{0}, kSeveral = kNobody - 1, kNone = kNobody; // in place of numbers

  using Access = program::MemoryAccess;

  // Empty, or what is wrong with the access. `isFresh`: nobody may read what nobody has written.
  std::string access(uintptr_t address, size_t bytes, Access access, bool isFresh, Accessor who);
  // All threads of the block that have not ended are here.
  void barrier(uint32_t block) { happensBefore_.barrier(block); }
  void clusterBarrier(const std::vector<HappensBefore::BlockEpoch> &blocks) { happensBefore_.clusterBarrier(blocks); }
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
    // Those of other blocks than the reader, which do not know of each other: one of each block. Of more than a few,
    // the reader is several, whom nobody is known to be behind.
    std::unique_ptr<std::vector<Accessor>> otherReaders = nullptr;
  };
  static constexpr size_t kPageBytes = 1024;
  using Page = std::array<Byte, kPageBytes>;

  bool isOrdered(const Accessor &earlier, const Accessor &later) const;
  static std::string describe(const Accessor &who);
  void addReader(Byte &byte, const Accessor &who) const;
  // Null where a write is behind all of them.
  const Accessor *findUnordered(const Byte &byte, const Accessor &writer) const;
  std::string accessByte(Byte &byte, Access access, bool isFresh, const Accessor &who);
  Byte &byteAt(uintptr_t address);

  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
  HappensBefore happensBefore_;
};

} // namespace tenon::runtime::emulator
