#include "tenon/codegen/kernel/attention/attention.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Module.h"

using llvm::ArrayRef, llvm::Function, llvm::Value;

namespace tenon::codegen {
namespace {

class AttentionWriter {
public:
  AttentionWriter(const AttentionPlan &plan, llvm::Module &module)
      : plan_(plan), e_(module, plan.kernel.phases[0].symbol, kernelParameters(module.getContext()), false) {
    fusion_ = plan.scoresOp->getParentOp();
    scores_ = module.getFunction(plan.scores.kernel.phases[0].symbol);
    rows_ = module.getFunction(plan.rows.kernel.phases[0].symbol);
    product_ = module.getFunction(plan.product.kernel.phases[0].symbol);
    if (plan.skipsZeros) {
      countWeights_ = emitCountWeights(module, plan);
      isFinite_ = emitIsFinite(module, plan);
    }
  }

  void write() {
    e_.opaqueLoops = true;
    scoresTable_ = table(plan_.scoresOp);
    rowsTable_ = table(plan_.rowsOp);
    productTable_ = table(plan_.productOp);
    if (plan_.visibleOffset)
      clearScores();
    e_.loop(e_.arg(1), e_.arg(2), e_.i64(1), {}, [&](Value *number, ArrayRef<Value *>) {
      task(number);
      return Values();
    });
    e_.ret();
  }

private:
  // A part's table of buffers, with those that are the kernel's own.
  Value *table(mlir::Operation *part) {
    unsigned operands = part->getNumOperands();
    Value *table = e_.b.CreateAlloca(e_.b.getPtrTy(), e_.i64(operands + 2));
    for (auto [i, operand] : llvm::enumerate(part->getOperands()))
      if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(throughReshapes(operand)))
        place(table, i, e_.buffer(e_.arg(0), int(argument.getArgNumber())));
    if (part == plan_.productOp)
      place(table, operands, e_.buffer(e_.arg(0), int(fusion_->getNumOperands())));
    return table;
  }

  void place(Value *table, size_t i, Value *pointer) { e_.store(pointer, e_.gep(e_.b.getPtrTy(), table, int64_t(i))); }

  void placeOperand(Value *table, mlir::Operation *part, mlir::Operation *source, Value *pointer) {
    for (auto [i, operand] : llvm::enumerate(part->getOperands()))
      if (throughReshapes(operand).getDefiningOp() == source)
        place(table, i, pointer);
  }

  // The rows make nothing of scores that are not computed, but may calculate with them: with what is left in scratch
  // memory that would be slow where it is subnormal.
  void clearScores() {
    int64_t bytes = plan_.rowBlock * plan_.keys * storageBytes(elementTypeOf(plan_.scoresOp->getResult(0)));
    e_.b.CreateMemSet(scratch(plan_.scoresAt), e_.b.getInt8(0), uint64_t(bytes), llvm::Align(64));
  }

  Value *scratch(int64_t offset) { return e_.gep(e_.b.getInt8Ty(), e_.arg(3), offset); }

  // Where the array would begin whose row `row` is at `offset` in scratch.
  Value *wholeArray(int64_t offset, mlir::Operation *made, Value *row) {
    int64_t bytes = plan_.keys * storageBytes(elementTypeOf(made->getResult(0)));
    return e_.gep(e_.b.getInt8Ty(), scratch(offset), e_.b.CreateNeg(e_.mul(row, bytes)));
  }

  void task(Value *number) {
    Value *block = e_.urem(number, plan_.rowBlocks()), *batch = e_.udiv(number, plan_.rowBlocks());
    Value *first = e_.mul(block, plan_.rowBlock);
    Value *count = e_.min(e_.sub(e_.i64(plan_.rowCount), first), plan_.rowBlock);
    Value *row = e_.add(e_.mul(batch, plan_.rowCount), first);
    Value *scores = wholeArray(plan_.scoresAt, plan_.scoresOp, row);
    Value *weights = wholeArray(plan_.weightsAt, plan_.rowsOp, row);
    place(scoresTable_, plan_.scoresOp->getNumOperands(), scores);
    placeOperand(rowsTable_, plan_.rowsOp, plan_.scoresOp, scores);
    place(rowsTable_, plan_.rowsOp->getNumOperands(), weights);
    placeOperand(productTable_, plan_.productOp, plan_.rowsOp, weights);

    Value *follows = e_.b.CreateAnd(e_.b.CreateICmpNE(block, e_.i64(0)), e_.b.CreateICmpNE(number, e_.arg(1)));
    Value *packed = e_.i64(0);
    if (keepsPackedColumns(plan_.scores))
      packed = e_.b.CreateSelect(follows, visibleColumns(e_.sub(block, e_.i64(1))), packed);
    matmul::emitRowBlockCall(e_, scores_,
                             {scoresTable_, number, scratch(plan_.scoresScratch), packed, visibleColumns(block),
                              e_.i64(plan_.scores.problem.k)});
    e_.b.CreateCall(rows_, {rowsTable_, row, e_.add(row, count), scratch(plan_.partScratch)});
    matmul::emitRowBlockCall(e_, product_,
                             {productTable_, number, scratch(plan_.partScratch), e_.i64(0),
                              e_.i64(plan_.product.problem.n), depth(follows, batch, count)});
  }

  // How many columns of the scores a block of rows needs: whole panels, or all.
  Value *visibleColumns(Value *block) {
    if (!plan_.visibleOffset)
      return e_.i64(plan_.keys);
    int64_t panel = int64_t(plan_.scores.schedule.nv) * plan_.scores.schedule.lanes;
    // The columns that the row after the block's last one sees, with what rounds up to panels.
    Value *columns = e_.add(e_.mul(block, plan_.rowBlock), plan_.rowBlock + *plan_.visibleOffset + panel - 1);
    columns = e_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, columns, e_.i64(panel));
    return e_.min(e_.mul(e_.udiv(columns, panel), panel), plan_.keys);
  }

  // How many columns of a block's weights are multiplied. Whether that may be less than all stays known from one block
  // of rows to the next.
  Value *depth(Value *follows, Value *batch, Value *count) {
    if (!plan_.skipsZeros)
      return e_.i64(plan_.keys);
    Value *isFinite = scratch(plan_.isFiniteAt), *counted = scratch(plan_.countAt);
    e_.ifThen(e_.b.CreateNot(follows), [&] {
      e_.b.CreateCall(isFinite_, {matmul::rhsBase(e_, plan_.product.problem, productTable_, batch), isFinite});
    });
    e_.store(e_.i64(plan_.keys), counted);
    e_.ifThen(e_.b.CreateICmpNE(e_.load(e_.b.getInt64Ty(), isFinite), e_.i64(0)),
              [&] { e_.b.CreateCall(countWeights_, {scratch(plan_.weightsAt), count, counted}); });
    return e_.load(e_.b.getInt64Ty(), counted);
  }

  const AttentionPlan &plan_;
  Emitter e_;
  mlir::Operation *fusion_;
  Function *scores_, *rows_, *product_;
  Function *countWeights_ = nullptr, *isFinite_ = nullptr;
  Value *scoresTable_ = nullptr, *rowsTable_ = nullptr, *productTable_ = nullptr;
};

} // namespace

// void(ptr buffers, i64 begin, i64 end, ptr scratch): rows by their numbers among the scores'.
static llvm::LogicalResult emitRows(const AttentionPlan &plan, llvm::Module &module, const EmissionTarget &target) {
  auto emit = [&](loop::LoopEvaluator &evaluator, Function *function) {
    loop::RowEmitter rows(evaluator, plan.rows, function->getArg(3));
    evaluator.forLoop(function->getArg(1), function->getArg(2), 1, [&](Value *number) {
      llvm::IRBuilder<> &b = evaluator.builder();
      for (auto [d, stride] : llvm::enumerate(plan.rowStrides)) {
        Value *outer = b.CreateUDiv(number, evaluator.constant(stride == 0 ? 1 : stride));
        evaluator.bindDim(unsigned(d), b.CreateURem(outer, evaluator.constant(plan.rows.dims[d].extent)), 0);
      }
      rows.emitRow();
    });
  };
  return loop::emitLoopFunction(plan.rows.kernel.phases[0], plan.rows, plan.rowsSource, module, target, emit);
}

llvm::LogicalResult emitAttention(const AttentionPlan &plan, llvm::Module &module, const EmissionTarget &target) {
  emitContractionKernel(plan.scores, module, target);
  emitContractionKernel(plan.product, module, target);
  if (failed(emitRows(plan, module, target)))
    return llvm::failure();
  // Inside the kernel the table changes from call to call, which the functions do not expect.
  Function *rows = module.getFunction(plan.rows.kernel.phases[0].symbol);
  rows->setLinkage(llvm::GlobalValue::InternalLinkage);
  rows->addFnAttr(llvm::Attribute::NoInline);
  AttentionWriter(plan, module).write();
  return llvm::success();
}

} // namespace tenon::codegen
