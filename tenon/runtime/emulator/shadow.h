// What threads of a kernel have done to each byte, to find those that do not wait for each other.
//
// Between two barriers the threads of a block work in any order, and blocks do all the time. So two accesses to a byte,
// one of them at least a write, are a race if they are of two blocks, or of two threads of a block without a barrier
// between them; but atomic operations are none with each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace tenon::runtime::emulator {

class Shadow {
public:
  struct Accessor {
    uint32_t block, thread;
    uint32_t epoch; // barriers that the block has had
  };

  enum class Access : uint8_t { kRead, kWrite, kAtomic };

  // Empty, or what is wrong with the access. `isFresh`: nobody may read what nobody has written.
  std::string access(uintptr_t address, size_t bytes, Access access, bool isFresh, Accessor who);
  // An asynchronous copy, which the thread has been given the right to write: it may write at any time until its end,
  // so that nobody may access the bytes.
  void startCopy(uintptr_t address, size_t bytes);
  void endCopy(uintptr_t address, size_t bytes, Accessor writer);
  // Nobody has had the bytes yet.
  void forget(uintptr_t address, size_t bytes);

private:
  static constexpr uint32_t kNobody = ~uint32_t{0}, kSeveral = kNobody - 1;
  struct Byte {
    Accessor writer{kNobody, kNobody, 0}, reader{kNobody, kNobody, 0};
    bool isAtomic = false; // what the writer has done
    bool isCopied = false; // by an asynchronous copy that has not ended
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
