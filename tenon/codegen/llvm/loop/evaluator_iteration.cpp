// LoopEvaluator: loops of elementwise ops (ir::isElementwiseLoop), all of whose iterations are done for the elements at
// hand before the next ones. Carried values stay in registers, and what is the same for all lanes is a scalar.
#include "tenon/codegen/llvm/loop/evaluator.h"

#include "mlir/IR/Matchers.h"

namespace tenon::codegen::loop {
namespace {

// Elements of the values in a block.
class BlockEvaluator {
public:
  BlockEvaluator(LoopEvaluator &evaluator, mlir::Block &block, llvm::ArrayRef<Element> arguments)
      : evaluator_(evaluator), block_(block) {
    for (auto [argument, element] : llvm::zip(block.getArguments(), arguments))
      elements_[argument] = element;
  }

  // Those of the terminator's operands.
  llvm::FailureOr<Elements> run() {
    for (mlir::Operation &op : block_.without_terminator()) {
      llvm::FailureOr<Element> element = evaluate(&op);
      if (llvm::failed(element))
        return llvm::failure();
      elements_[op.getResult(0)] = *element;
    }
    Elements results;
    for (mlir::Value operand : block_.getTerminator()->getOperands())
      results.push_back(elements_.at(operand));
    return results;
  }

private:
  llvm::FailureOr<Element> evaluate(mlir::Operation *op) {
    mlir::DenseElementsAttr constant;
    if (mlir::matchPattern(op, mlir::m_Constant(&constant)))
      return constantElement(evaluator_.builder().getContext(), constant, 0, 1);
    if (llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op)) // of a scalar
      return elements_.at(op->getOperand(0));
    Elements operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(elements_.at(operand));
    bool vector = llvm::any_of(operands, [](const Element &operand) { return operand.re->getType()->isVectorTy(); });
    if (vector)
      for (Element &operand : operands)
        operand = evaluator_.toVector(operand);
    return emitElementwise(evaluator_.builder(), op, operands, vector ? evaluator_.lanes() : 1);
  }

  LoopEvaluator &evaluator_;
  mlir::Block &block_;
  llvm::DenseMap<mlir::Value, Element> elements_;
};

} // namespace

llvm::FailureOr<Elements> LoopEvaluator::iterate(stablehlo::WhileOp loop, Elements carried) {
  mlir::Block &condition = loop.getCond().front(), &body = loop.getBody().front();
  bool vector = llvm::any_of(carried, [](const Element &element) { return element.re->getType()->isVectorTy(); });
  auto spread = [&](Elements &elements) {
    for (auto [element, type] : llvm::zip(elements, loop->getResultTypes()))
      if (vector && llvm::cast<mlir::RankedTensorType>(type).getRank() > 0)
        element = toVector(element);
  };
  spread(carried);
  bool failed = false;
  auto goesOn = [&](llvm::ArrayRef<Element> values) -> llvm::Value * {
    llvm::FailureOr<Elements> result = BlockEvaluator(*this, condition, values).run();
    failed |= llvm::failed(result);
    return failed ? builder_.getFalse() : result->front().re;
  };

  // One test before the loop, and one behind each iteration.
  llvm::Function *function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock *block = llvm::BasicBlock::Create(builder_.getContext(), "iteration", function);
  llvm::BasicBlock *exit = llvm::BasicBlock::Create(builder_.getContext(), "iterated");
  llvm::Value *enter = goesOn(carried);
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  builder_.CreateCondBr(enter, block, exit);
  builder_.SetInsertPoint(block);
  LLVMValues first = pack(carried), current;
  for (llvm::Value *value : first) {
    llvm::PHINode *phi = builder_.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    current.push_back(phi);
  }
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : loop->getResultTypes())
    types.push_back(llvm::cast<mlir::RankedTensorType>(type).getElementType());
  Elements values = unpack(current, types);
  for (auto [i, yielded] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (yielded == body.getArgument(i)) // the same in all iterations
      values[i] = carried[i];
  llvm::FailureOr<Elements> next = BlockEvaluator(*this, body, values).run();
  failed |= llvm::failed(next);
  if (failed)
    return llvm::failure();
  spread(*next);
  llvm::Value *again = goesOn(*next);
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  builder_.CreateCondBr(again, block, exit);
  LLVMValues last = pack(*next), results;
  for (auto [phi, value] : llvm::zip(current, last))
    llvm::cast<llvm::PHINode>(phi)->addIncoming(value, latch);

  function->insert(function->end(), exit);
  builder_.SetInsertPoint(exit);
  for (auto [start, end] : llvm::zip(first, last)) {
    llvm::PHINode *phi = builder_.CreatePHI(start->getType(), 2);
    phi->addIncoming(start, before);
    phi->addIncoming(end, latch);
    results.push_back(phi);
  }
  if (failed)
    return llvm::failure();
  return unpack(results, types);
}

} // namespace tenon::codegen::loop
