// Sorting by a key of unsigned bits, a digit at a time, least significant first: stable and without comparisons.
//
// What moves from pass to pass are records. If the key's operand is all there is to sort, a record is its key, from
// which the last pass makes the element again; otherwise a record is the key and the element's position, through which
// the last pass gathers the other operands. An order may take different elements as equal (-0 and +0, NaNs), so that a
// key alone does not say which it was: if there are any such, they are put in their places afterwards, as they come.
//
// A task sorts a row. Where rows are few and long they are cut into chunks, and each pass is two phases: one counts the
// digits of each chunk, the next moves each chunk's records, for which it knows from all the counts where they go.
//
// A task is a routine: sizes, the digit of a chunk's pass, and how elements become keys are numbers that it reads.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/llvm/sort/sorted_rows.h"
#include "tenon/support/cost_model.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen::sort {

struct RadixPlan {
  SortedRows rows;
  llvm::SmallVector<unsigned, 8> digits; // the bits of each pass's digit
  int64_t chunks = 1;                    // of a row
  int64_t chunkSize = 0;

  // Where the records of one row are, in bytes from the start of its memory.
  llvm::SmallVector<int64_t, 2> recordBuffers;
  int64_t countsAt = 0; // of each digit, for each chunk, or for each pass if there is one chunk
  int64_t flagsAt = 0;  // for each chunk, whether a key does not say all of an element
  int64_t rowBytes = 0;
};

RadixPlan planRadix(const SortedRows &rows, const CostModel &costs);
void addRadixPhases(const RadixPlan &plan, llvm::StringRef symbol, const CostModel &costs, Kernel &kernel);
void emitRadix(const RadixPlan &plan, const Kernel &kernel, llvm::Module &module);

} // namespace tenon::codegen::sort
