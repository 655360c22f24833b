// LoopEvaluator: loops of elementwise ops (ir::isElementwiseLoop), all of whose iterations are done for the elements at
// hand before the next ones. Carried values stay in registers, and what is the same for all lanes is a scalar; parts of
// arrays that an iteration takes and gives are read from memory, and stored there.
#include "tenon/codegen/llvm/loop/carried_values.h"
#include "tenon/codegen/llvm/loop/evaluator.h"

#include "tenon/ir/elementwise_loop.h"

namespace tenon::codegen::loop {

using mlir::AffineExpr;

WrittenElements::WrittenElements(LoopEvaluator &evaluator, stablehlo::WhileOp loop, llvm::ArrayRef<AffineExpr> index,
                                 llvm::ArrayRef<WrittenPart> parts)
    : evaluator_(evaluator), loop_(loop), index_(index), parts_(parts) {
  for (WrittenPart part : parts)
    elements_.push_back(evaluator.eval(part.update.getUpdate(), indexIn(part)));
}

void WrittenElements::store() {
  for (auto [number, element] : llvm::enumerate(elements_)) {
    WrittenPart part = parts_[number];
    evaluator_.storeAt(elementTypeOf(part.update.getUpdate()), evaluator_.outputPointer(part.output),
                       evaluator_.indexer().updatePosition(part.update, indexIn(part)), element);
  }
}

IndexVector WrittenElements::indexIn(WrittenPart part) {
  return IndexVector(evaluator_.space().reshape(index_, ir::elementShape(loop_), shapeOf(part.update.getUpdate())));
}

namespace {

// The loop's regions at one index.
class Iteration {
public:
  Iteration(LoopEvaluator &evaluator, stablehlo::WhileOp loop, llvm::ArrayRef<AffineExpr> index, CarriedValues &carried)
      : evaluator_(evaluator), loop_(loop), index_(index), carried_(carried) {}

  // Those of the values that stay in registers.
  Elements eval(mlir::ValueRange values) {
    bool vector = evaluator_.lanes() > 1 && evaluator_.varyOverLanes(index_);
    Elements elements;
    for (unsigned number : carried_.numbers) {
      mlir::Value value = values[number];
      Element element = evaluator_.eval(value, indexOf(value));
      elements.push_back(vector && !shapeOf(value).empty() ? evaluator_.toVector(element) : element);
    }
    return elements;
  }

  llvm::Value *goesOn(llvm::ArrayRef<Element> elements) {
    mlir::Block &condition = loop_.getCond().front();
    llvm::Value *result = nullptr;
    inScope(condition, elements, [&] { result = evaluator_.eval(condition.getTerminator()->getOperand(0), {}).re; });
    return result;
  }

  // What is carried behind one more iteration.
  Elements next(llvm::ArrayRef<Element> elements) {
    mlir::Block &body = loop_.getBody().front();
    Elements next;
    inScope(body, elements, [&] {
      next = eval(body.getTerminator()->getOperands());
      WrittenElements(evaluator_, loop_, index_, carried_.parts).store();
    });
    return next;
  }

private:
  IndexVector indexOf(mlir::Value value) { return RegionIndexer::elementwiseIndex(value, index_); }

  // Nothing that depends on what is carried may be computed before the loop, or known behind an iteration.
  void inScope(mlir::Block &block, llvm::ArrayRef<Element> elements, llvm::function_ref<void()> emit) {
    evaluator_.withMask(evaluator_.mask(), [&] {
      for (auto [number, element] : llvm::zip(carried_.numbers, elements))
        evaluator_.bind(block.getArgument(number), indexOf(block.getArgument(number)), element);
      emit();
    });
  }

  LoopEvaluator &evaluator_;
  stablehlo::WhileOp loop_;
  llvm::ArrayRef<AffineExpr> index_;
  CarriedValues &carried_;
};

} // namespace

Elements LoopEvaluator::iterate(stablehlo::WhileOp loop, llvm::ArrayRef<AffineExpr> index) {
  CarriedValues carried(loop, source_);
  Iteration iteration(*this, loop, index, carried);

  Elements start = iteration.eval(loop->getOperands());
  auto elements = [&](llvm::ArrayRef<llvm::Value *> values) {
    Elements current = unpack(values, carried.types);
    for (auto [number, value, initial] : llvm::zip(carried.numbers, current, start))
      if (ir::isUnchanged(loop, number))
        value = initial;
    return current;
  };
  LLVMValues results = whileLoop(
      pack(start), [&](auto values) { return iteration.goesOn(elements(values)); },
      [&](auto values) { return pack(iteration.next(elements(values))); });
  Elements all;
  for (mlir::Value result : loop->getResults())
    all.push_back(zeroElement(builder_.getContext(), elementTypeOf(result), 1));
  for (auto [number, element] : llvm::zip(carried.numbers, unpack(results, carried.types)))
    all[number] = element;
  return all;
}

} // namespace tenon::codegen::loop
