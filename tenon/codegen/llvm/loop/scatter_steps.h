// What the steps of a scatter (scatter.h) do with indices and elements, in whatever order they are taken.
#pragma once

#include "tenon/codegen/llvm/loop/scatter.h"

namespace tenon::codegen::loop {

class ScatterSteps {
public:
  ScatterSteps(const ScatterPlan &plan, LoopEvaluator &evaluator)
      : plan_(plan), op_(plan.op), numbers_(plan.numbers), shape_(plan.shape), updateShape_(plan.updateShape),
        evaluator_(&evaluator) {
    for (unsigned i = 0; i < op_.getInputs().size(); ++i)
      arrays_.push_back(evaluator.outputPointer(i));
  }

  // Finds where the window of the current update starts in the results. Before the next two.
  void findStart();
  // Whether that window lies inside the results as a whole; null where it always does.
  llvm::Value *isInside();
  // The position of its first element.
  llvm::Value *startAddress();

  // The types of the results' elements.
  llvm::SmallVector<mlir::Type, 2> types();
  // One of each result, from this position on, on the evaluator's lanes and under its mask.
  Elements loadResults(llvm::Value *position);
  void storeResults(llvm::Value *position, llvm::ArrayRef<Element> elements);
  // The elements of the updates at the evaluator's dimensions.
  Elements updates();
  // What those of the results become by them.
  Elements apply(llvm::ArrayRef<Element> before) { return apply(before, updates()); }
  Elements apply(llvm::ArrayRef<Element> before, llvm::ArrayRef<Element> updates);
  // The element of the updates there, of a scatter with one result.
  Element update() { return evaluator_->evalVector(op_.getUpdates()[0], plan_.updateIndex); }

  // The positions [begin, end), vector by vector and then one by one.
  void overPositions(llvm::Value *begin, llvm::Value *end, llvm::function_ref<void(llvm::Value *position)> body);

protected:
  const ScatterPlan &plan_;
  stablehlo::ScatterOp op_;
  stablehlo::ScatterDimensionNumbersAttr numbers_;
  llvm::ArrayRef<int64_t> shape_, updateShape_;
  llvm::SmallVector<llvm::Value *> start_; // of the window in each dimension of the results; null for zero
  LoopEvaluator *evaluator_;
  llvm::SmallVector<llvm::Value *, 2> arrays_; // what is updated: the results, or copies of them
};

} // namespace tenon::codegen::loop
