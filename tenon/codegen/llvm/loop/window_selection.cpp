#include "tenon/codegen/llvm/loop/window_selection.h"

#include "llvm/IR/Constants.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

WindowSelection::Selected WindowSelection::select(llvm::ArrayRef<AffineExpr> index) {
  index_ = index;
  llvm::IRBuilder<> &b = evaluator_.builder();
  unsigned lanes = evaluator_.lanes();
  llvm::Value *position = evaluator_.indexValue(
      evaluator_.space().linearize(IndexVector(index_.size(), evaluator_.space().constant(0)), shape_));
  llvm::Type *lane = lanes > 1 ? llvm::FixedVectorType::get(evaluator_.laneIndexType(), lanes) : position->getType();
  LLVMValues carried = {b.getFalse(), llvm::Constant::getNullValue(lane)};
  carried.append(LoopEvaluator::pack({zeroElement(b.getContext(), type_, lanes)}));
  carried = overWindow(0, {}, carried);
  return {carried[0], carried[1]};
}

// Carried: whether anything is selected, its position in the operand, and the element.
LLVMValues WindowSelection::overWindow(unsigned dim, IndexVector window, const LLVMValues &carried) {
  if (dim == plan_.window.size())
    return consider(window, carried);
  if (plan_.window[dim] == 1) {
    window.push_back(evaluator_.space().constant(0));
    return overWindow(dim + 1, window, carried);
  }
  window.push_back(evaluator_.space().addDim(plan_.window[dim]));
  unsigned number = evaluator_.space().numDims() - 1;
  return evaluator_.forLoop(evaluator_.constant(0), evaluator_.constant(plan_.window[dim]), 1, carried,
                            [&](llvm::Value *iv, auto values) {
                              evaluator_.bindDim(number, iv, 0);
                              return overWindow(dim + 1, window, LLVMValues(values));
                            });
}

LLVMValues WindowSelection::consider(llvm::ArrayRef<AffineExpr> window, LLVMValues carried) {
  std::optional<Source> from = evaluator_.indexer().windowSource(op_, index_, window);
  if (!from)
    return carried;
  llvm::IRBuilder<> &b = evaluator_.builder();
  auto inside = [&] {
    Element selected = LoopEvaluator::unpack(llvm::ArrayRef(carried).drop_front(2), {type_}).front();
    Element candidate = evaluator_.evalVector(op_.getOperand(), from->index);
    llvm::Value *position = evaluator_.indexValue(evaluator_.space().linearize(from->index, shape_));
    if (evaluator_.lanes() > 1 && !position->getType()->isVectorTy())
      position = b.CreateVectorSplat(evaluator_.lanes(), position);
    llvm::Value *keep = evaluator_.emitBody(op_.getSelect(), {selected, candidate})[0].re;
    llvm::Value *any = carried[0];
    if (keep->getType()->isVectorTy())
      any = b.CreateVectorSplat(evaluator_.lanes(), any);
    keep = b.CreateAnd(keep, any);
    LLVMValues next = {b.getTrue(), b.CreateSelect(keep, carried[1], position)};
    next.append(LoopEvaluator::pack({selectElement(b, keep, selected, candidate)}));
    return next;
  };
  llvm::Value *condition = evaluator_.conditionValues(*from).first;
  return condition ? evaluator_.ifElse(condition, inside, [&] { return carried; }) : inside();
}

} // namespace tenon::codegen::loop
