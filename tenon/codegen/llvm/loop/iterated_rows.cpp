// Loops of elementwise ops that read or write a part of large arrays in each iteration (LoopPlan::iteratesOverRows). An
// iteration goes over all elements of a task before the next one does, so that parts are read and written from end to
// end; the arrays that the loop changes are in the temporary block, each task's elements in its own cache. Tasks do not
// wait for each other between iterations, since no element depends on others.
//
//   for elements: state = first                      carried arrays
//   while goes on:                                   carried scalars
//     for elements: state, parts of results = body(state, parts of operands)
//   for elements: results = state
#include "tenon/codegen/llvm/loop/carried_values.h"
#include "tenon/codegen/llvm/loop/map.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {
namespace {

bool isScalar(mlir::Value value) { return shapeOf(value).empty(); }

class IteratedRows {
public:
  IteratedRows(LoopEvaluator &evaluator, const MapPlan &plan)
      : evaluator_(evaluator), plan_(plan), nest_(evaluator, plan),
        loop_(plan.outputs.front().value.getDefiningOp<stablehlo::WhileOp>()), carried_(loop_, evaluator.source()),
        index_(plan.outputs.front().index) {
    for (auto [number, type] : llvm::zip(carried_.numbers, carried_.types)) {
      if (isScalar(loop_->getResult(number))) {
        scalars_.push_back(number);
        scalarTypes_.push_back(type);
      } else if (ir::isUnchanged(loop_, number)) {
        unchanged_.push_back(number);
      } else {
        changed_.push_back(number);
      }
    }
  }

  void emit() {
    if (!changed_.empty())
      overElements([&] { storeChanged(evalAll(loop_->getOperands(), changed_, index_)); });
    evaluator_.whileLoop(
        LoopEvaluator::pack(evalAll(loop_->getOperands(), scalars_, {})), [&](auto scalars) { return goesOn(scalars); },
        [&](auto scalars) { return iterate(scalars); });
    if (!llvm::all_of(plan_.outputs, [](const OutputPlan &output) { return output.isWrittenByLoop; }))
      overElements([&] { storeResults(); });
  }

private:
  using Values = llvm::ArrayRef<llvm::Value *>;

  void overElements(LoopNest::Body body) { nest_.overTasks(plan_.dims.size(), body); }

  Elements evalAll(mlir::ValueRange values, llvm::ArrayRef<unsigned> numbers, llvm::ArrayRef<mlir::AffineExpr> index) {
    Elements elements;
    for (unsigned number : numbers)
      elements.push_back(evaluator_.eval(values[number], index));
    return elements;
  }

  llvm::Value *goesOn(Values scalars) {
    mlir::Block &condition = loop_.getCond().front();
    llvm::Value *result = nullptr;
    inScope(condition, scalars, [&] { result = evaluator_.eval(condition.getTerminator()->getOperand(0), {}).re; });
    return result;
  }

  LLVMValues iterate(Values scalars) {
    mlir::Block &body = loop_.getBody().front();
    LLVMValues next;
    inScope(body, scalars, [&] {
      overElements([&] { iterateAtElement(body); });
      next = LoopEvaluator::pack(evalAll(body.getTerminator()->getOperands(), scalars_, {}));
    });
    return next;
  }

  void iterateAtElement(mlir::Block &body) {
    for (auto [at, number] : llvm::enumerate(changed_))
      evaluator_.bind(body.getArgument(number), index_, loadChanged(at));
    for (unsigned number : unchanged_)
      evaluator_.bind(body.getArgument(number), index_, evaluator_.eval(loop_->getOperand(number), index_));
    Elements next = evalAll(body.getTerminator()->getOperands(), changed_, index_);
    WrittenElements(evaluator_, loop_, index_, carried_.parts).store();
    storeChanged(next);
  }

  void storeResults() {
    for (auto [at, number] : llvm::enumerate(changed_))
      evaluator_.bind(loop_->getResult(number), index_, loadChanged(at));
    for (const OutputPlan &output : plan_.outputs)
      if (output.isWrittenByLoop)
        evaluator_.bind(output.value, index_,
                        zeroElement(evaluator_.builder().getContext(), elementTypeOf(output.value), 1));
    storeOutputs(evaluator_, plan_);
  }

  // What depends on carried scalars is computed in each iteration, in front of the loops over elements.
  void inScope(mlir::Block &block, Values scalars, llvm::function_ref<void()> emit) {
    evaluator_.withMask(evaluator_.mask(), [&] {
      for (auto [number, element] : llvm::zip(scalars_, LoopEvaluator::unpack(scalars, scalarTypes_)))
        evaluator_.bind(block.getArgument(number), {}, element);
      emit();
    });
  }

  mlir::Type changedType(size_t at) { return elementTypeOf(loop_->getResult(changed_[at])); }

  llvm::Value *changedPointer(size_t at) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), evaluator_.tempPointer(), plan_.carriedOffsets[at]);
  }

  mlir::AffineExpr position() { return evaluator_.space().linearize(index_, ir::elementShape(loop_)); }

  Element loadChanged(size_t at) { return evaluator_.loadAt(changedType(at), changedPointer(at), position()); }

  void storeChanged(llvm::ArrayRef<Element> elements) {
    for (auto [at, element] : llvm::enumerate(elements))
      evaluator_.storeAt(changedType(at), changedPointer(at), position(), element);
  }

  LoopEvaluator &evaluator_;
  const MapPlan &plan_;
  LoopNest nest_;
  stablehlo::WhileOp loop_;
  CarriedValues carried_;
  IndexVector index_;                                         // of the loop's elements
  llvm::SmallVector<unsigned> scalars_, changed_, unchanged_; // numbers of carried values
  llvm::SmallVector<mlir::Type> scalarTypes_;                 // of elements
};

} // namespace

void planIteratedRows(MapPlan &plan, const KernelSource &source) {
  auto loop = plan.outputs.front().value.getDefiningOp<stablehlo::WhileOp>();
  CarriedValues carried(loop, source);
  for (auto [number, type] : llvm::zip(carried.numbers, carried.types)) {
    if (isScalar(loop->getResult(number)) || ir::isUnchanged(loop, number))
      continue;
    plan.carriedOffsets.push_back(source.tempBase + plan.kernel.tempBytes);
    plan.kernel.tempBytes += llvm::alignTo(plan.elements() * storageBytes(type), 64);
  }
}

void emitIteratedRows(LoopEvaluator &evaluator, const MapPlan &plan) { IteratedRows(evaluator, plan).emit(); }

} // namespace tenon::codegen::loop
