#include "tenon/codegen/gpu/loop_memory.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

using program::CopyStep, program::KernelStep;

constexpr uint64_t kSharedAlignment = 16;

} // namespace

LoopMemory::LoopMemory(const LoopKernel &kernel, int64_t privateBytes, int64_t sharedBytes) : kernel_(kernel) {
  LoopContents contents = contentsOf(kernel.loop);
  for (int32_t place : kernel.arrays())
    places_[place];
  choosePrivate(contents, privateBytes);
  findWritten(contents);
  findGroups(contents);
  if (!kernel.team.isAlone())
    placeInShared(kernel.team.hasSharedMemory() ? sharedBytes : 0);
}

// Those that it computes, and its temporary block.
ArrayRef<int32_t> LoopMemory::resultsOf(const KernelStep &step) const {
  return ArrayRef(step.row).drop_front(kernel_.planOf(step).operands);
}

bool LoopMemory::isForAll(const KernelStep &step) const {
  return all_of(resultsOf(step), [&](int32_t place) { return place < 0 || isPrivate(place); });
}

// What a step computes that is shared out cannot be private: only the thread that computes an element has it.
void LoopMemory::choosePrivate(const LoopContents &contents, int64_t mostBytes) {
  for (auto &[number, place] : places_)
    if (kernel_.bytes.at(number) <= mostBytes)
      place.where = Where::kPrivate;
  bool hasChanged = true;
  auto makePublic = [&](int32_t place) {
    if (place >= 0 && isPrivate(place)) {
      places_.at(place).where = Where::kGiven;
      hasChanged = true;
    }
  };
  while (std::exchange(hasChanged, false)) {
    for (const KernelStep *step : contents.kernels) {
      bool isShared = kernel_.planOf(*step).nanoseconds >= kernel_.sharedStep || !isForAll(*step);
      if (!kernel_.team.isAlone() && isShared)
        for_each(resultsOf(*step), makePublic);
    }
    for (auto [home, other] : contents.exchanges)
      if (isPrivate(home) != isPrivate(other)) {
        makePublic(home);
        makePublic(other);
      }
  }
}

void LoopMemory::findWritten(const LoopContents &contents) {
  for (const KernelStep *step : contents.kernels)
    for (int32_t place : resultsOf(*step))
      if (place >= 0)
        places_.at(place).isWritten = true;
  for (const CopyStep *step : contents.copies)
    places_.at(step->to).isWritten = true;
  for (int32_t place : contents.exchanged())
    places_.at(place).isWritten = true;
}

// Places that are exchanged have each other's memory.
void LoopMemory::findGroups(const LoopContents &contents) {
  EquivalenceClasses<int32_t> same;
  for (auto &[number, place] : places_)
    same.insert(number);
  for (auto [home, other] : contents.exchanges)
    same.unionSets(home, other);
  for (auto &[number, place] : places_)
    place.group = same.getLeaderValue(number);
}

// Whole groups. What is written where it was given may be in the same memory as any other such array: it is in the
// arena, whose memory has several arrays one after the other.
void LoopMemory::placeInShared(int64_t mostBytes) {
  std::map<int32_t, int64_t> groupBytes;
  auto isPublic = [](const Place &place) { return place.isWritten && place.where != Where::kPrivate; };
  auto bytesOf = [&](int32_t number) { return int64_t(alignTo(uint64_t(kernel_.bytes.at(number)), kSharedAlignment)); };
  for (auto &[number, place] : places_)
    if (isPublic(place))
      groupBytes[place.group] += bytesOf(number);
  std::map<int32_t, int64_t> offsets; // of the next place of each group
  for (auto [group, bytes] : groupBytes)
    if (sharedBytes_ + bytes <= mostBytes) {
      offsets[group] = sharedBytes_;
      sharedBytes_ += bytes;
    }
  for (auto &[number, place] : places_) {
    if (!isPublic(place))
      continue;
    auto found = offsets.find(place.group);
    if (found == offsets.end()) {
      place.group = -1;
      continue;
    }
    place.where = Where::kShared;
    place.offset = std::exchange(found->second, found->second + bytesOf(number));
  }
}

} // namespace tenon::codegen
