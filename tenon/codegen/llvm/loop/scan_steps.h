// What the steps of a scan (scan.h) do with elements, wherever they are taken.
#pragma once

#include "tenon/codegen/llvm/loop/scan.h"

namespace tenon::codegen::loop {

class ScanSteps {
public:
  ScanSteps(const ScanPlan &plan, const KernelSource &source, LoopEvaluator &evaluator)
      : plan_(plan), source_(source), op_(plan.op), body_(plan.body), evaluator_(&evaluator) {}

  // The types of the accumulators.
  llvm::SmallVector<mlir::Type, 2> types() const { return accumulatorTypes(op_, body_); }
  // The values before the first element, and, of recognised computations, those that change no others.
  LLVMValues start(unsigned lanes);
  LLVMValues neutral(unsigned lanes);
  Elements combine(llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b);
  LLVMValues merge(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b);
  // The elements where the evaluator stands.
  Elements inputs();
  void store(llvm::ArrayRef<Element> values);
  // Inclusive scan of the lanes.
  Elements scanLanes(Elements values);

protected:
  bool isRecognized() const { return body_.form == ReductionBody::Form::kIndependent; }

  const ScanPlan &plan_;
  const KernelSource &source_;
  mlir::Operation *op_;
  const ReductionBody &body_;
  LoopEvaluator *evaluator_;
};

} // namespace tenon::codegen::loop
