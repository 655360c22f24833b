// Where the arrays of a program lie that are no argument, result or constant: in the arena, and in the memory of
// results that are not there yet.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"

#include <vector>

namespace tenon::codegen {

// The caller's memory of a result, of use for other arrays when it holds neither the result nor the argument that may
// have lent it.
struct ResultMemory {
  int32_t index = -1; // of the result
  int64_t bytes = 0;
  int64_t alignment = 1;    // that every caller gives it
  int64_t lentUntil = -1;   // half steps: when the argument that is donated to it has been read; -1: there is none
  int64_t computedFrom = 0; // when the result may come there
};

// What every caller aligns arrays of the type to: numbers, or the parts of complex ones.
int64_t callersAlignment(mlir::Type type);

// Gives each class of the arena and of a group's memory its place, and returns the arena's bytes. Where that makes the
// arena clearly smaller (isClearlyLess), arrays lie in the memory of results. `alignments`: by class, what its values
// need, 0 of classes that have to be in the arena.
int64_t packClasses(std::vector<BufferClass> &classes, llvm::ArrayRef<int64_t> alignments,
                    std::vector<ResultMemory> results);

} // namespace tenon::codegen
