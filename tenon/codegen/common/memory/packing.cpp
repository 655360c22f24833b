// Both are packed in the same way, first fit, largest first. Only lifetimes as a whole are compared: a class is busy
// from its first to its last use.
//
// A gradient's results are made one after the other, the first layer's last. Until then their memory lies idle, while
// the arena has what layers have computed: as much again, which ends when the gradient is there that is made of it. So
// arrays of the arena go where a result will be. Of the results that are not there yet, the one is taken that is made
// first, so that the others remain for what lives longer.

#include "tenon/codegen/common/memory/packing.h"

#include "tenon/codegen/common/memory/schedule.h"
#include "tenon/ir/types.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tenon::codegen {
namespace {

constexpr int64_t kAlignment = 64;
// Smaller arrays and results stay apart: they add nothing to a clearly smaller arena but time to find a place.
constexpr int64_t kLeastBytes = 64 << 10;

using Interval = BufferClass::Interval;

// Memory from offset 0 on.
class Region {
public:
  // The first place that is free meanwhile.
  int64_t find(Interval live, int64_t bytes) const {
    int64_t offset = 0;
    for (const Placed &other : placed_) {
      if (!live.overlaps(other.live))
        continue;
      if (offset + bytes <= other.offset)
        break;
      offset = std::max(offset, other.end);
    }
    return offset;
  }

  void put(Interval live, int64_t offset, int64_t bytes) {
    Placed entry{live, offset, offset + bytes};
    placed_.insert(llvm::upper_bound(placed_, entry, [](auto &a, auto &b) { return a.offset < b.offset; }), entry);
    bytes_ = std::max(bytes_, entry.end);
  }

  int64_t bytes() const { return bytes_; }

private:
  struct Placed {
    Interval live;
    int64_t offset, end;
  };
  std::vector<Placed> placed_; // by offset
  int64_t bytes_ = 0;
};

struct Place {
  const ResultMemory *result = nullptr; // null: the arena
  int64_t offset = 0;
};

// The classes of a storage that need a place, the largest first.
std::vector<int> largestFirst(const std::vector<BufferClass> &classes, BufferClass::Storage storage) {
  std::vector<int> order;
  for (int i = 0; i < int(classes.size()); ++i)
    if (classes[i].mergedInto < 0 && classes[i].storage == storage && classes[i].bytes > 0)
      order.push_back(i);
  llvm::stable_sort(order, [&](int a, int b) { return classes[a].bytes > classes[b].bytes; });
  return order;
}

class Packer {
public:
  Packer(const std::vector<BufferClass> &classes, ArrayRef<int64_t> alignments, ArrayRef<ResultMemory> results)
      : classes_(classes), alignments_(alignments), results_(results),
        order_(largestFirst(classes, BufferClass::Storage::kArena)), inResults_(results.size()) {}

  void run() {
    for (int index : order_) {
      Interval live = classes_[index].hull;
      int64_t bytes = llvm::alignTo(classes_[index].bytes, kAlignment);
      if (std::optional<Place> place = findInResults(index, live)) {
        inResults_[size_t(place->result - results_.data())].put(live, place->offset, bytes);
        places_.push_back(*place);
        continue;
      }
      places_.push_back({nullptr, arena_.find(live, bytes)});
      arena_.put(live, places_.back().offset, bytes);
    }
  }

  int64_t arenaBytes() const { return arena_.bytes(); }

  void apply(std::vector<BufferClass> &classes) const {
    for (auto [index, place] : llvm::zip(order_, places_)) {
      BufferClass &buffer = classes[index];
      buffer.offset = place.offset;
      if (!place.result)
        continue;
      buffer.storage = BufferClass::Storage::kResult;
      buffer.index = place.result->index;
    }
  }

private:
  std::optional<Place> findInResults(int index, Interval live) const {
    int64_t bytes = classes_[index].bytes;
    if (bytes < kLeastBytes || alignments_[index] == 0)
      return std::nullopt;
    for (auto [result, region] : llvm::zip(results_, inResults_)) {
      if (bytes > result.bytes || alignments_[index] > result.alignment || live.begin <= result.lentUntil ||
          live.end >= result.computedFrom)
        continue;
      if (int64_t offset = region.find(live, bytes); offset + bytes <= result.bytes)
        return Place{&result, offset};
    }
    return std::nullopt;
  }

  const std::vector<BufferClass> &classes_;
  ArrayRef<int64_t> alignments_;
  ArrayRef<ResultMemory> results_;
  std::vector<int> order_;
  Region arena_;
  std::vector<Region> inResults_;
  std::vector<Place> places_; // by place in order_
};

// When the memory of a group's array must be free: of one that is written early, when all have come to the one before.
int64_t writtenFrom(const std::vector<BufferClass> &classes, const BufferClass &buffer) {
  int64_t begin = buffer.hull.begin, before = 0;
  for (const BufferClass &other : classes)
    if (other.isEarly && !other.isMetLater && other.hull.begin < begin)
      before = std::max(before, other.hull.begin);
  return buffer.isEarly ? before : begin;
}

void packGroupMemory(std::vector<BufferClass> &classes) {
  Region memory;
  for (int index : largestFirst(classes, BufferClass::Storage::kGroup)) {
    Interval live{writtenFrom(classes, classes[index]), classes[index].hull.end};
    int64_t bytes = llvm::alignTo(classes[index].bytes, kAlignment);
    classes[index].offset = memory.find(live, bytes);
    memory.put(live, classes[index].offset, bytes);
  }
}

} // namespace

int64_t callersAlignment(Type type) {
  unsigned bits = ir::partWidth(cast<RankedTensorType>(type).getElementType());
  return int64_t(llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8)));
}

int64_t packClasses(std::vector<BufferClass> &classes, ArrayRef<int64_t> alignments,
                    std::vector<ResultMemory> results) {
  packGroupMemory(classes);
  Packer apart(classes, alignments, {});
  apart.run();
  llvm::erase_if(results, [](const ResultMemory &result) { return result.bytes < kLeastBytes; });
  llvm::sort(results,
             [](auto &a, auto &b) { return std::tie(a.computedFrom, a.index) < std::tie(b.computedFrom, b.index); });
  if (!results.empty() && isClearlyLess(0, apart.arenaBytes())) { // else nothing that is clearly less could come out
    Packer together(classes, alignments, results);
    together.run();
    if (isClearlyLess(together.arenaBytes(), apart.arenaBytes())) {
      together.apply(classes);
      return together.arenaBytes();
    }
  }
  apart.apply(classes);
  return apart.arenaBytes();
}

} // namespace tenon::codegen
