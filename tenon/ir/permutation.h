// Who sends to whom in a collective_permute, by axes of the grid, in place of a list of pairs: that takes the same room
// whatever the number of processes.
//
//   each process gets the array of its right neighbour along the minor axis of a grid of 2 x 4
//     targets [4:1], sources [4:1], number + 1
//   arrays that were cut along two axes, the major one first, are cut by the minor one first
//     targets [4:1, 2:4], sources [2:4, 4:1]
#pragma once

#include "tenon/ir/group_axes.h"

namespace tenon::ir {

/// A process has a number along the axes `targets`. It is sent the array of the process that agrees with it in all
/// others, and whose number along `sources` is factor * number + offset, modulo the size of the group if that `wraps`.
/// Where there is no such number, nobody sends. Both are the same processes' axes, in other orders or parts.
struct GroupPermutation {
  llvm::SmallVector<ProcessAxis, 4> targets, sources; // major to minor
  int64_t factor = 1, offset = 0;
  bool wraps = false;
};

/// The process that sends to this one, if any does.
std::optional<int64_t> sourceOf(const GroupPermutation &permutation, int64_t process);

/// A list of pairs as a permutation, where it is one along a run of processes at equal distances, the same in all such
/// runs of the grid: a shift, with or without an end, a reflection, or what one process has for all.
std::optional<GroupPermutation> findPermutation(const ProcessPairs &pairs, int64_t processes);

/// How a call of the runtime's library is told of it (runtime/collectives/senders.h), and the way back.
mlir::DictionaryAttr permutationAttributes(mlir::Builder &builder, const GroupPermutation &permutation);
std::optional<GroupPermutation> readPermutation(mlir::Attribute attributes);
/// Who sends to whom of a grid.
ProcessPairs pairsOf(const GroupPermutation &permutation, int64_t processes);

} // namespace tenon::ir
