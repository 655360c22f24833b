// LoopEvaluator: loops of elementwise ops (ir::isElementwiseLoop), all of whose iterations are done for the elements at
// hand before the next ones. Carried values stay in registers, and what is the same for all lanes is a scalar; parts of
// arrays that an iteration takes and gives are read from memory, and stored there.
#include "tenon/codegen/llvm/loop/evaluator.h"

#include "tenon/ir/elementwise_loop.h"

namespace tenon::codegen::loop {

using mlir::AffineExpr;

namespace {

// A part of a kernel's result that each iteration stores.
struct WrittenPart {
  stablehlo::DynamicUpdateSliceOp update;
  unsigned output; // number among the kernel's
};

// What a loop carries: values in registers, and parts of results in memory. Results that nobody reads are not written.
struct CarriedValues {
  llvm::SmallVector<unsigned> numbers; // of those in registers
  llvm::SmallVector<mlir::Type> types; // of their elements
  llvm::SmallVector<WrittenPart> parts;

  CarriedValues(stablehlo::WhileOp loop, const KernelSource &source) {
    for (mlir::OpResult result : loop->getResults()) {
      unsigned number = result.getResultNumber();
      if (stablehlo::DynamicUpdateSliceOp update = ir::writtenPart(loop, number)) {
        for (auto [output, value] : llvm::enumerate(source.outputs))
          if (value == result)
            parts.push_back({update, static_cast<unsigned>(output)});
        continue;
      }
      numbers.push_back(number);
      types.push_back(elementTypeOf(result));
    }
  }
};

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

  // What is carried behind one more iteration, in which parts of results are stored after all has been read.
  Elements next(llvm::ArrayRef<Element> elements) {
    mlir::Block &body = loop_.getBody().front();
    Elements next, stored;
    inScope(body, elements, [&] {
      next = eval(body.getTerminator()->getOperands());
      for (WrittenPart &part : carried_.parts)
        stored.push_back(evaluator_.eval(part.update.getUpdate(), indexIn(part)));
      for (auto [part, element] : llvm::zip(carried_.parts, stored))
        evaluator_.storeAt(elementTypeOf(part.update.getUpdate()), evaluator_.outputPointer(part.output),
                           evaluator_.indexer().updatePosition(part.update, indexIn(part)), element);
    });
    return next;
  }

private:
  IndexVector indexOf(mlir::Value value) { return RegionIndexer::elementwiseIndex(value, index_); }

  IndexVector indexIn(WrittenPart &part) {
    return IndexVector(evaluator_.space().reshape(index_, ir::elementShape(loop_), shapeOf(part.update.getUpdate())));
  }

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

  // One test before the loop, and one behind each iteration.
  llvm::Function *function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock *block = llvm::BasicBlock::Create(builder_.getContext(), "iteration", function);
  llvm::BasicBlock *exit = llvm::BasicBlock::Create(builder_.getContext(), "iterated");
  Elements start = iteration.eval(loop->getOperands());
  llvm::Value *enter = iteration.goesOn(start);
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  builder_.CreateCondBr(enter, block, exit);
  builder_.SetInsertPoint(block);
  LLVMValues first = pack(start), current;
  for (llvm::Value *value : first) {
    llvm::PHINode *phi = builder_.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    current.push_back(phi);
  }
  Elements values = unpack(current, carried.types);
  for (auto [number, value, initial] : llvm::zip(carried.numbers, values, start))
    if (ir::isUnchanged(loop, number))
      value = initial;
  Elements next = iteration.next(values);
  llvm::Value *again = iteration.goesOn(next);
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  builder_.CreateCondBr(again, block, exit);
  LLVMValues last = pack(next), results;
  for (auto [phi, value] : llvm::zip(current, last))
    llvm::cast<llvm::PHINode>(phi)->addIncoming(value, latch);

  function->insert(function->end(), exit);
  builder_.SetInsertPoint(exit);
  for (auto [begin, end] : llvm::zip(first, last)) {
    llvm::PHINode *phi = builder_.CreatePHI(begin->getType(), 2);
    phi->addIncoming(begin, before);
    phi->addIncoming(end, latch);
    results.push_back(phi);
  }
  Elements all;
  for (mlir::Value result : loop->getResults())
    all.push_back(zeroElement(builder_.getContext(), elementTypeOf(result), 1));
  for (auto [number, element] : llvm::zip(carried.numbers, unpack(results, carried.types)))
    all[number] = element;
  return all;
}

} // namespace tenon::codegen::loop
