// Scatters (loop::ScatterPlan) whose updates of an element are applied in the order of the CPU's code, by one thread
// for each vector of a window. So results are the CPU's, floats' too, whatever the order of threads. There are four
// ways:
// - free: no two updates have an element in common, which they say themselves, or there is one. A thread for each
//   vector of each update.
// - atomically: integers of 32 or 64 bits that are added up or the like, for which the order does not matter.
// - in order: few updates, of windows that are the same or have nothing in common. A thread for each vector of a
//   window goes through all of them.
// - by segment: all others. An item is an update, or the part of one that is at one place of the dimensions that
//   windows slide along, so that items have all elements in common or none. Their places are sorted (key_sort.h),
//   equal ones in the order of updates, if the op does not say that its indices are. Then a thread for each vector of
//   each place goes through its items; or, of sums that have parts (ir::scatterParts), a thread for each part, and one
//   of them adds up their sums.
#pragma once

#include "tenon/codegen/gpu/key_sort.h"
#include "tenon/codegen/llvm/loop/scatter.h"

namespace tenon::codegen {

struct ScatterTeamPlan {
  enum class Way : uint8_t { kFree, kAtomically, kInOrder, kBySegment };

  Way way = Way::kFree;
  // Dimensions of the updates: those that number items, and those of an item's elements, vectors along the last one.
  llvm::SmallVector<unsigned> itemDims, elementDims;
  int64_t items = 1, vectors = 1; // vectors of an item
  unsigned lanes = 1;
  std::optional<llvm::AtomicRMWInst::BinOp> atomic; // what an update does, where the order does not matter
  // Whether nothing but the last update of a result counts.
  bool onlyLast = false;
  // By segment: the places of items are so many elements apart, or a multiple, there are so many at most, and they are
  // numbers of so many bytes.
  int64_t unit = 1, places = 1, placeBytes = 4;
  // The parts of a segment's sums. If there are several, each has a thread of a block, and shared memory has their
  // sums, so many bytes for each thread.
  int64_t parts = 1, sumBytes = 0;
  // Brings places and items into their order; none where those of one place follow each other.
  std::optional<KeySortPlan> sort;
  int64_t tempBytes = 0;

  // In the temporary block behind the sort's: places as they come, places in order, items in order, and, of segments in
  // parts, where those of each place begin and end. The ends of other segments take those places that are not needed
  // any more, or not there.
  int64_t placesOffset() const { return sort ? sort->tempBytes() : 0; }
  int64_t sortedPlacesOffset() const { return sort ? secondOffset() : placesOffset(); }
  int64_t endsOffset() const { return sort ? placesOffset() : secondOffset(); }
  int64_t sortedItemsOffset() const;
  int64_t rangesOffset() const;
  bool hasParts() const { return parts > 1; }
  int64_t threadsOfParts() const; // a power of two
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;

private:
  int64_t secondOffset() const;
};

// None where there is nothing to do.
std::optional<ScatterTeamPlan> planScatterTeam(const loop::ScatterPlan &plan, const CostModel::Blocks &costs);

// The phases' functions have the names that the plan's kernel gives them.
llvm::LogicalResult emitScatterTeam(const ScatterTeamPlan &team, const loop::ScatterPlan &plan,
                                    const KernelSource &source, llvm::Module &module, const EmissionTarget &target,
                                    GpuBuilder &gpu);

} // namespace tenon::codegen
