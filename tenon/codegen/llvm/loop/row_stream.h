// Rows that advance together, with vectors across them: each reads a few elements, and its partial results wait in
// memory until all others have. Arrays whose rows lie apart are so read in order, where one block of vectors after the
// other would take a part of every row from another page.
//
// Each row's elements are combined in the same order as where rows are reduced one after the other.
#pragma once

#include "tenon/codegen/llvm/loop/row_reduction.h"

#include <functional>

namespace tenon::codegen::loop {

class RowStream {
public:
  struct Rows {
    std::function<void(llvm::function_ref<void()>)> each; // places the evaluator at one vector of them after the other
    // The partial results of the rows that the evaluator stands at.
    std::function<LLVMValues()> load;
    std::function<void(llvm::ArrayRef<llvm::Value *>)> store;
  };
  // `step`: how many elements of a row are read at a time.
  RowStream(LoopEvaluator &evaluator, const RowReductionPlan &plan, StageAccumulators &accumulators, int64_t step,
            Rows rows);

  // Goes over [begin, end) of a reduced dimension, and all of those inside of it.
  void over(unsigned dim, llvm::Value *begin, llvm::Value *end);

private:
  void steps(unsigned dim, llvm::Value *begin, llvm::Value *end, int64_t step);
  void writeOutputs(unsigned dim, int64_t offset);
  mlir::AffineExpr shift(mlir::AffineExpr expr, unsigned dim, int64_t offset);

  LoopEvaluator &evaluator_;
  const RowReductionPlan &plan_;
  StageAccumulators &accumulators_;
  int64_t step_;
  Rows rows_;
};

// Fewer lanes for rows that advance together where each lane carries an extremum as several of its bits, which would
// not fit registers.
void narrowStream(RowReductionPlan &plan);
// Where partial results of a kernel of rows with `streamStep` lie in scratch memory, which gets larger by them.
void placePartials(RowKernelPlan &plan);
// The loops of such a kernel.
void emitStreamedRows(LoopEvaluator &evaluator, const RowKernelPlan &plan, RowEmitter &rows, llvm::Value *scratch);

} // namespace tenon::codegen::loop
