// Control flow, calls, tuples and tokens.
#include "tenon/interpreter/ops.h"

namespace tenon::interpreter {

static LogicalResult yieldAll(Invocation &call, llvm::ArrayRef<Value> values) {
  call.results().append(values.begin(), values.end());
  return llvm::success();
}

// A terminator's results are what its block evaluates to.
LogicalResult evaluate(stablehlo::ReturnOp, Invocation &call) { return yieldAll(call, call.operands()); }
LogicalResult evaluate(ir::YieldOp, Invocation &call) { return yieldAll(call, call.operands()); }
LogicalResult evaluate(mlir::func::ReturnOp, Invocation &call) { return yieldAll(call, call.operands()); }

static LogicalResult runBranch(Invocation &call, mlir::Region &region) {
  return call.evaluator().runRegion(region, {}, call.frame(), call.results());
}

LogicalResult evaluate(stablehlo::IfOp op, Invocation &call) {
  return runBranch(call, call.tensor(0).intAt(0) ? op.getTrueBranch() : op.getFalseBranch());
}

// An index out of range selects the last branch.
LogicalResult evaluate(stablehlo::CaseOp op, Invocation &call) {
  int64_t index = call.tensor(0).intAt(0);
  auto count = static_cast<int64_t>(op.getBranches().size());
  return runBranch(call, op.getBranches()[index >= 0 && index < count ? index : count - 1]);
}

LogicalResult evaluate(stablehlo::WhileOp op, Invocation &call) {
  Values carried(call.operands().begin(), call.operands().end());
  // The operands are not needed any more: the body may write to the carried values in place.
  for (Value &operand : call.operands())
    operand = Token{};
  while (true) {
    Values proceed;
    if (llvm::failed(call.evaluator().runRegion(op.getCond(), carried, call.frame(), proceed)))
      return llvm::failure();
    if (proceed.size() != 1 || !proceed[0].isTensor() || proceed[0].tensor().size() != 1)
      return call.fail("the condition must give one i1");
    if (!proceed[0].tensor().intAt(0))
      break;
    Values next;
    if (llvm::failed(call.evaluator().runRegion(op.getBody(), std::move(carried), call.frame(), next)))
      return llvm::failure();
    carried = std::move(next);
  }
  return yieldAll(call, carried);
}

static Values ownedOperands(Invocation &call) {
  Values values;
  for (Value &operand : call.operands())
    values.push_back(std::move(operand));
  return values;
}

LogicalResult evaluate(ir::FusionOp op, Invocation &call) {
  return call.evaluator().runRegion(op.getBody(), ownedOperands(call), nullptr, call.results());
}
LogicalResult evaluate(mlir::func::CallOp op, Invocation &call) {
  return call.evaluator().callSymbol(op, op.getCalleeAttr(), ownedOperands(call), call.results());
}
LogicalResult evaluate(stablehlo::CompositeOp op, Invocation &call) {
  return call.evaluator().callSymbol(op, op.getDecompositionAttr(), ownedOperands(call), call.results());
}

// A future holds results that are already there.
LogicalResult evaluate(stablehlo::AsyncStartOp op, Invocation &call) {
  Values results;
  if (llvm::failed(call.evaluator().runRegion(op.getBody(), ownedOperands(call), nullptr, results)))
    return llvm::failure();
  return call.yield(Tuple(results.begin(), results.end()));
}
LogicalResult evaluate(stablehlo::AsyncDoneOp, Invocation &call) { return yieldAll(call, call.operands()[0].tuple()); }

LogicalResult evaluate(stablehlo::OptimizationBarrierOp, Invocation &call) { return yieldAll(call, call.operands()); }
LogicalResult evaluate(stablehlo::CreateTokenOp, Invocation &call) { return call.yield(Token{}); }
LogicalResult evaluate(stablehlo::AfterAllOp, Invocation &call) { return call.yield(Token{}); }
LogicalResult evaluate(stablehlo::TupleOp, Invocation &call) {
  return call.yield(Tuple(call.operands().begin(), call.operands().end()));
}
LogicalResult evaluate(stablehlo::GetTupleElementOp op, Invocation &call) {
  return call.yield(call.operands()[0].tuple()[op.getIndex()]);
}

} // namespace tenon::interpreter
