#include "tenon/codegen/kernel/attention/attention.h"
#include "tenon/codegen/kernel/attention/zeros.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Module.h"

using llvm::ArrayRef, llvm::Function, llvm::Value;

namespace tenon::codegen {
namespace {

class AttentionWriter : PartsWriter {
public:
  AttentionWriter(const AttentionPlan &plan, llvm::Module &module)
      : PartsWriter(module, plan.kernel.phases[0].symbol, plan.scoresOp->getParentOp(), plan.shape.keys), plan_(plan) {
    scores_ = module.getFunction(plan.scores.kernel.phases[0].symbol);
    rows_ = module.getFunction(plan.rows.symbol());
    product_ = module.getFunction(plan.product.kernel.phases[0].symbol);
    if (plan.skipsZeros) {
      const std::string &symbol = plan.kernel.phases[0].symbol;
      mlir::Type weight = elementTypeOf(plan.rows.op->getResult(0));
      countWeights_ = emitCountWeights(module, symbol + ".count_weights", weight, plan.shape.keys);
      isFinite_ = emitIsFinite(module, symbol + ".is_finite", plan.product.problem);
    }
  }

  void write() {
    e_.opaqueLoops = true;
    scoresTable_ = table(plan_.scoresOp);
    rowsTable_ = table(plan_.rows.op);
    productTable_ = table(plan_.productOp, 0);
    if (plan_.visibleOffset)
      clearScores(plan_.scores, plan_.scoresAt, elementBytes(plan_.scoresOp));
    e_.loop(e_.arg(1), e_.arg(2), e_.i64(1), {}, [&](Value *number, ArrayRef<Value *>) {
      task(number);
      return Values();
    });
    e_.ret();
  }

private:
  void task(Value *number) {
    Value *block = e_.urem(number, plan_.rowBlocks()), *batch = e_.udiv(number, plan_.rowBlocks());
    Value *first = e_.mul(block, plan_.rowBlock);
    Value *count = e_.min(e_.sub(e_.i64(plan_.shape.rowCount), first), plan_.rowBlock);
    Value *row = e_.add(e_.mul(batch, plan_.shape.rowCount), first);
    Value *scores = wholeArray(plan_.scoresAt, elementBytes(plan_.scoresOp), row);
    Value *weights = wholeArray(plan_.weightsAt, elementBytes(plan_.rows.op), row);
    placeResult(scoresTable_, plan_.scoresOp, scores);
    placeOperand(rowsTable_, plan_.rows.op, plan_.scoresOp->getResult(0), scores);
    placeResult(rowsTable_, plan_.rows.op, weights);
    placeOperand(productTable_, plan_.productOp, plan_.rows.op->getResult(0), weights);

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

  Value *visibleColumns(Value *block) { return PartsWriter::visibleColumns(plan_.scores, plan_.visibleOffset, block); }

  // How many columns of a block's weights are multiplied. Whether that may be less than all stays known from one block
  // of rows to the next.
  Value *depth(Value *follows, Value *batch, Value *count) {
    if (!plan_.skipsZeros)
      return e_.i64(plan_.shape.keys);
    Value *isFinite = scratch(plan_.isFiniteAt), *counted = scratch(plan_.countAt);
    e_.ifThen(e_.b.CreateNot(follows), [&] {
      const matmul::Problem &product = plan_.product.problem;
      e_.b.CreateCall(isFinite_, {matmul::rhsBase(e_, product, productTable_, batch), e_.i64(product.k), isFinite});
    });
    e_.store(e_.i64(plan_.shape.keys), counted);
    e_.ifThen(e_.b.CreateICmpNE(e_.load(e_.b.getInt64Ty(), isFinite), e_.i64(0)),
              [&] { e_.b.CreateCall(countWeights_, {scratch(plan_.weightsAt), count, counted}); });
    return e_.load(e_.b.getInt64Ty(), counted);
  }

  const AttentionPlan &plan_;
  Function *scores_, *rows_, *product_;
  Function *countWeights_ = nullptr, *isFinite_ = nullptr;
  Value *scoresTable_ = nullptr, *rowsTable_ = nullptr, *productTable_ = nullptr;
};

} // namespace

llvm::LogicalResult emitAttention(const AttentionPlan &plan, llvm::Module &module, const EmissionTarget &target) {
  emitContractionKernel(plan.scores, module, target);
  emitContractionKernel(plan.product, module, target);
  if (failed(emitRowsPart(plan.rows, module, target)))
    return llvm::failure();
  AttentionWriter(plan, module).write();
  return llvm::success();
}

} // namespace tenon::codegen
