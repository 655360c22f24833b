// Reductions over the processes of a group (all_reduce, reduce_scatter): the routine fold_group.
//
// The arrays of all members are combined block by block where they lie, by the program's kernel for the computation,
// as a balanced tree over the group's order whose left part is the largest power of two below its size:
//
//   ((x0 + x1) + (x2 + x3)) + (x4 + x5)
//
// One pass over the members suffices, with one unfinished block a level of the tree, as a binary counter has digits.
// Neither code nor memory grows with the group, but for these blocks. Of large arrays each member computes a part, and
// writes it into the results of all.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tenon::runtime {

// The bytes of an array that are reduced: `rows` rows of `rowBytes`, the first of which begins at `offset`, and each at
// `stride` from the one before.
struct FoldedRows {
  size_t rows = 1, rowBytes = 0, stride = 0, offset = 0;

  size_t bytes() const { return rows * rowBytes; }
};

// A node of the tree that is there already: the reduction of 2^level members from place `first` on, which is a multiple
// of that.
struct FoldedNode {
  size_t first = 0;
  int level = 0;

  bool operator==(const FoldedNode &) const = default;
};

// The largest nodes whose members are all of one OS process, in their order; `where`: of each member, that process.
std::vector<FoldedNode> nodesOf(std::span<const int32_t> where);

// Reduces the bytes [begin, end) of those that `where` says of each of `arrays`, one a member or, with `nodes`, a node,
// and writes them to the same place of all of `results`, which have nothing else. `computation` takes blocks of
// `blockBytes`; `begin` is a multiple of that. False where there is no memory.
bool foldRange(std::span<const char *const> arrays, const FoldedRows &where, size_t begin, size_t end,
               const BlockKernel &computation, size_t blockBytes, std::span<char *const> results,
               std::span<const FoldedNode> nodes = {});

// The routine of the library (collectives.h).
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeFoldGroup(const program::RuntimeCall &runtimeCall);

} // namespace tenon::runtime
