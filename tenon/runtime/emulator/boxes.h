// Copies of boxes of arrays to shared memory, and the barriers there that say when they have come, as the hardware of
// sm_90 makes them (codegen/gpu/builder.h). They come as late as they may: when a thread waits for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tenon::runtime::emulator {

constexpr size_t kMapBytes = 128, kMapAlignment = 64, kMapDims = 3;

// What a map says of an array, the inner dimension first; strides are in bytes.
struct BoxedArray {
  uint64_t address, elementBytes;
  std::array<uint64_t, kMapDims> sizes, boxes;
  std::array<uint64_t, kMapDims - 1> strides;

  // Empty, or what the hardware does not take.
  std::string problem() const;
  uint64_t boxBytes() const { return boxes[0] * boxes[1] * boxes[2] * elementBytes; }
};

// A map lies in memory of the device.
void writeMap(void *map, const BoxedArray &array);
bool readMap(const void *map, BoxedArray &array);

struct BoxCopy {
  BoxedArray array;
  std::array<int32_t, kMapDims> place; // of its first element, in elements
  uint8_t *shared;

  // All rows of the box, in pieces of 16 bytes: where one goes, and how many bytes of it there are from where on; the
  // others are zeros.
  using Visit = std::function<void(uint8_t *to, const uint8_t *from, size_t bytes)>;
  void forEachPiece(const Visit &visit) const;
};

// Barriers in shared memory. A phase ends when a thread has said how many bytes are to come, and they have. Texts:
// empty, or what is wrong.
class PhaseBarriers {
public:
  // `epoch`: barriers that the block has had. Others may use it after the next one.
  std::string start(const void *barrier, uint32_t thread, uint32_t epoch);
  std::string expect(const void *barrier, uint64_t bytes, uint32_t thread, uint32_t epoch);
  std::string copy(const void *barrier, BoxCopy copy, uint32_t thread, uint32_t epoch);
  // Whether the last phase of this parity has ended; it does now if all is there, and its copies are made.
  std::string wait(const void *barrier, uint32_t parity, uint32_t thread, uint32_t epoch, bool &hasEnded,
                   const std::function<void(const BoxCopy &)> &make);
  // Whether nobody waits for copies that are under way.
  bool hasCopies() const;

private:
  struct Barrier {
    uint32_t thread, epoch; // who has begun it
    uint64_t phase = 0, expected = 0, started = 0;
    bool isExpecting = false;
    std::vector<BoxCopy> copies = {};
  };
  Barrier *find(const void *barrier, uint32_t thread, uint32_t epoch);

  std::map<const void *, Barrier> barriers_;
};

} // namespace tenon::runtime::emulator
