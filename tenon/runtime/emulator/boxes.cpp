#include "tenon/runtime/emulator/boxes.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime::emulator {
namespace {

constexpr uint64_t kMagic = 0x7465'6e6f'6e6d'6170; // what is no map has other bytes
constexpr uint64_t kPieceBytes = 16, kRowBytes = 128, kAtomRows = 8;
constexpr const char *kUnknown =
    "uses a barrier in shared memory that has not been begun, and a barrier of the block since";

struct StoredMap {
  uint64_t magic;
  BoxedArray array;
};
static_assert(sizeof(StoredMap) <= kMapBytes);

} // namespace

std::string BoxedArray::problem() const {
  constexpr uint64_t kMostBox = 256, kMostSize = uint64_t{1} << 32, kMostStride = uint64_t{1} << 40;
  if (address % kPieceBytes != 0)
    return "maps an array that is not aligned to 16 bytes";
  for (uint64_t stride : strides)
    if (stride % kPieceBytes != 0 || stride == 0 || stride >= kMostStride)
      return "maps an array with a stride of " + std::to_string(stride) + " bytes, which are no multiple of 16";
  for (size_t i = 0; i < kMapDims; ++i)
    if (boxes[i] == 0 || boxes[i] > kMostBox || sizes[i] == 0 || sizes[i] > kMostSize)
      return "maps an array in boxes of more than 256 elements, or of none";
  if (boxes[0] * elementBytes != kRowBytes)
    return "maps an array in boxes whose rows are not of 128 bytes";
  return {};
}

void writeMap(void *map, const BoxedArray &array) {
  StoredMap stored{kMagic, array};
  std::memset(map, 0, kMapBytes);
  std::memcpy(map, &stored, sizeof(stored));
}

bool readMap(const void *map, BoxedArray &array) {
  StoredMap stored;
  std::memcpy(&stored, map, sizeof(stored));
  array = stored.array;
  return stored.magic == kMagic;
}

void BoxCopy::forEachPiece(const Visit &visit) const {
  auto inArray = [&](size_t dim, uint64_t inBox) {
    int64_t at = place[dim] + int64_t(inBox);
    return at >= 0 && at < int64_t(array.sizes[dim]);
  };
  for (uint64_t outer = 0; outer < array.boxes[2]; ++outer)
    for (uint64_t middle = 0; middle < array.boxes[1]; ++middle)
      for (uint64_t inner = 0; inner < array.boxes[0]; inner += kPieceBytes / array.elementBytes) {
        uint64_t row = outer * array.boxes[1] + middle, piece = inner * array.elementBytes / kPieceBytes;
        uint8_t *to = shared + row * kRowBytes + (piece ^ row % kAtomRows) * kPieceBytes;
        size_t bytes = 0;
        if (inArray(2, outer) && inArray(1, middle))
          for (uint64_t i = 0; i < kPieceBytes / array.elementBytes && inArray(0, inner + i); ++i)
            bytes += array.elementBytes;
        int64_t offset = int64_t(array.strides[1]) * (place[2] + int64_t(outer)) +
                         int64_t(array.strides[0]) * (place[1] + int64_t(middle)) +
                         int64_t(array.elementBytes) * (place[0] + int64_t(inner));
        visit(to, reinterpret_cast<const uint8_t *>(array.address) + offset, bytes);
      }
}

// --- PhaseBarriers ---

PhaseBarriers::Barrier *PhaseBarriers::find(const void *barrier, uint32_t thread, uint32_t epoch) {
  auto found = barriers_.find(barrier);
  if (found == barriers_.end() || (found->second.thread != thread && found->second.epoch == epoch))
    return nullptr;
  return &found->second;
}

std::string PhaseBarriers::start(const void *barrier, uint32_t thread, uint32_t epoch) {
  if (!barriers_.try_emplace(barrier, Barrier{thread, epoch}).second)
    return "begins a barrier in shared memory a second time";
  return {};
}

std::string PhaseBarriers::expect(const void *barrier, uint64_t bytes, uint32_t thread, uint32_t epoch) {
  Barrier *own = find(barrier, thread, epoch);
  if (!own)
    return kUnknown;
  if (own->isExpecting)
    return "expects bytes twice in a phase of a barrier";
  own->isExpecting = true;
  own->expected = bytes;
  return {};
}

std::string PhaseBarriers::copy(const void *barrier, BoxCopy copy, uint32_t thread, uint32_t epoch) {
  Barrier *own = find(barrier, thread, epoch);
  if (!own)
    return kUnknown;
  own->started += copy.array.boxBytes();
  own->copies.push_back(copy);
  return {};
}

std::string PhaseBarriers::wait(const void *barrier, uint32_t parity, uint32_t thread, uint32_t epoch, bool &hasEnded,
                                const std::function<void(const BoxCopy &)> &make) {
  Barrier *own = find(barrier, thread, epoch);
  if (!own)
    return kUnknown;
  if (own->isExpecting && own->started > own->expected)
    return "waits for more bytes than are expected in a phase of a barrier";
  hasEnded = own->phase % 2 != parity;
  if (hasEnded || !own->isExpecting || own->started < own->expected)
    return {};
  for (const BoxCopy &copy : own->copies)
    make(copy);
  own->copies.clear();
  own->isExpecting = false;
  own->expected = own->started = 0;
  ++own->phase;
  hasEnded = true;
  return {};
}

bool PhaseBarriers::hasCopies() const {
  return std::any_of(barriers_.begin(), barriers_.end(),
                     [](const auto &entry) { return !entry.second.copies.empty(); });
}

} // namespace tenon::runtime::emulator
