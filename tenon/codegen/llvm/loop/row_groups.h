// Short rows in groups. Each stage goes over the rows of a group before the next one does and leaves vectors of
// accumulators, whose lanes are then folded for as many rows together as a vector has lanes: of 8 vectors in 14
// shuffles, where each alone takes 3 and ends in a scalar. What is computed once for a row, like the logarithm of a
// sum, is then computed in vectors of which each lane has a row.
//
// The lanes of each row are combined in the same order, wherever in a group it is and however many rows that has.
#pragma once

#include "tenon/codegen/llvm/loop/row_reduction.h"

namespace tenon::codegen::loop {

// The loops of a kernel of rows with `groupedRows`.
void emitRowGroups(LoopEvaluator &evaluator, const RowReductionPlan &plan, RowEmitter &rows, llvm::Value *scratch);

} // namespace tenon::codegen::loop
