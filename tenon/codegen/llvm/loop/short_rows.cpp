// Short rows of a thread, whose lanes are combined in the order of the row.
#include "tenon/codegen/llvm/loop/row_reduction.h"

#include <numeric>

namespace tenon::codegen::loop {

bool RowEmitter::foldsInOrder(const RowStage &stage) const {
  auto all = widths(stage); // of which the evaluations of a large computation may leave only the first and one lane
  return stage.foldsInOrder && !evaluator_.readsSizes() &&
         std::accumulate(all.begin(), all.end(), int64_t(0)) == plan_.dims.back().extent;
}

LLVMValues RowEmitter::reduceInOrder(const RowStage &stage, StageAccumulators &accumulators) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  LLVMValues carried = overReduced(stage, accumulators, plan_.keptDims, nullptr, nullptr, neutral(stage, accumulators));
  LLVMValues sum = accumulators.start(1, true);
  for (const auto &[lanes, vectors] : byWidth(stage, accumulators, carried))
    for (unsigned lane = 0; lane < lanes; ++lane) {
      LLVMValues values = accumulators.settle(vectors);
      for (llvm::Value *&value : values)
        value = lanes > 1 ? b.CreateExtractElement(value, uint64_t(lane)) : value;
      sum = accumulators.merge(sum, values, /*inOrder=*/true);
    }
  return sum;
}

} // namespace tenon::codegen::loop
