// Which element of a window select_and_scatter selects.
#pragma once

#include "tenon/codegen/llvm/loop/select_and_scatter.h"

namespace tenon::codegen::loop {

class WindowSelection {
public:
  struct Selected {
    llvm::Value *any;      // whether the window has an element, on all lanes the same
    llvm::Value *position; // in the operand, one a lane
  };

  WindowSelection(const SelectAndScatterPlan &plan, LoopEvaluator &evaluator)
      : plan_(plan), op_(plan.op), shape_(shapeOf(op_.getOperand())), type_(elementTypeOf(op_.getOperand())),
        evaluator_(evaluator) {}

  // Selects in the window of the source's element at `index`.
  Selected select(llvm::ArrayRef<mlir::AffineExpr> index);

private:
  LLVMValues overWindow(unsigned dim, IndexVector window, const LLVMValues &carried);
  LLVMValues consider(llvm::ArrayRef<mlir::AffineExpr> window, LLVMValues carried);

  const SelectAndScatterPlan &plan_;
  stablehlo::SelectAndScatterOp op_;
  llvm::ArrayRef<int64_t> shape_;
  mlir::Type type_;
  llvm::ArrayRef<mlir::AffineExpr> index_;
  LoopEvaluator &evaluator_;
};

} // namespace tenon::codegen::loop
