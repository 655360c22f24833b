#include "tenon/codegen/kernel/attention/gradient.h"

#include "llvm/IR/Module.h"

using llvm::Function, llvm::SmallVector, llvm::Value;

namespace tenon::codegen {
namespace {

class GradientWriter : PartsWriter {
public:
  GradientWriter(const AttentionGradientPlan &plan, llvm::Module &module)
      : PartsWriter(module, plan.kernel.phases[0].symbol, plan.rows.op->getParentOp(), plan.shape.keys), plan_(plan) {}

  void write() {
    e_.opaqueLoops = true;
    for (const auto &scores : plan_.scores)
      scoresTables_.push_back(table(scores.op));
    rowsTable_ = table(plan_.rows.op);
    for (const auto &product : plan_.products)
      productTables_.push_back(table(product.op, product.result));
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](Value *batch) {
      e_.loop(e_.i64(0), e_.i64(plan_.rowBlocks()), 1, [&](Value *block) { blockOfRows(batch, block); });
    });
    e_.ret();
  }

private:
  Function *function(const Kernel &part) { return module_.getFunction(part.phases[0].symbol); }

  void blockOfRows(Value *batch, Value *block) {
    Value *first = e_.mul(block, plan_.rowBlock);
    Value *count = e_.min(e_.sub(e_.i64(plan_.shape.rowCount), first), plan_.rowBlock);
    Value *row = e_.add(e_.mul(batch, plan_.shape.rowCount), first);
    Value *task = e_.add(e_.mul(batch, plan_.rowBlocks()), block);
    for (auto [scores, table] : llvm::zip(plan_.scores, scoresTables_)) {
      Value *array = wholeArray(scores.at, elementBytes(scores.op), row);
      placeResult(table, scores.op, array);
      placeOperand(rowsTable_, plan_.rows.op, scores.op->getResult(0), array);
      scoresOf(scores, table, block, task);
    }
    SmallVector<Value *, 2> made;
    for (auto [result, at] : llvm::enumerate(plan_.rowsAt)) {
      made.push_back(wholeArray(at, elementBytes(plan_.rows.op, unsigned(result)), row));
      placeResult(rowsTable_, plan_.rows.op, made.back(), unsigned(result));
    }
    e_.b.CreateCall(function(plan_.rows.plan.kernel),
                    {rowsTable_, row, e_.add(row, count), scratch(plan_.partScratch)});
    for (auto [product, table] : llvm::zip(plan_.products, productTables_)) {
      placeOperand(table, product.op, plan_.rows.op->getResult(product.source), made[product.source]);
      productOf(product, table, batch, block, task);
    }
  }

  // A block of rows, whose rhs stays packed from one block to the next.
  void scoresOf(const AttentionGradientPlan::Scores &scores, Value *table, Value *block, Value *task) {
    Value *packed = e_.i64(0), *keys = e_.i64(plan_.shape.keys);
    if (keepsPackedColumns(scores.plan))
      packed = e_.b.CreateSelect(e_.b.CreateICmpNE(block, e_.i64(0)), keys, packed);
    matmul::emitRowBlockCall(e_, function(scores.plan.kernel),
                             {table, task, scratch(scores.scratchAt), packed, keys, e_.i64(scores.plan.problem.k)});
  }

  void productOf(const AttentionGradientPlan::Product &product, Value *table, Value *batch, Value *block, Value *task) {
    const matmul::Problem &p = product.plan.problem;
    Function *callee = function(product.plan.kernel);
    Value *scratchOf = scratch(product.scratchAt);
    if (product.isOverRows)
      matmul::emitDepthBlockCall(e_, callee, {table, batch, scratchOf, block, e_.i64(p.m)});
    else
      matmul::emitRowBlockCall(e_, callee, {table, task, scratchOf, e_.i64(0), e_.i64(p.n), e_.i64(p.k)});
  }

  const AttentionGradientPlan &plan_;
  Values scoresTables_, productTables_;
  Value *rowsTable_ = nullptr;
};

} // namespace

llvm::LogicalResult emitAttentionGradient(const AttentionGradientPlan &plan, llvm::Module &module,
                                          const EmissionTarget &target) {
  for (const auto &scores : plan.scores)
    emitContractionKernel(scores.plan, module, target);
  for (const auto &product : plan.products)
    emitContractionKernel(product.plan, module, target);
  if (failed(emitRowsPart(plan.rows, module, target)))
    return llvm::failure();
  GradientWriter(plan, module).write();
  return llvm::success();
}

} // namespace tenon::codegen
