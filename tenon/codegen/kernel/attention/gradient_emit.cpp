#include "tenon/codegen/kernel/attention/gradient.h"
#include "tenon/codegen/kernel/attention/zeros.h"

#include "llvm/IR/Module.h"

#include <functional>

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
    for (const auto &scores : plan_.scores)
      if (scores.visibleOffset)
        clearScores(scores.plan, scores.at, elementBytes(scores.op));
    prepareSkipping();
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](Value *number) {
      Value *batch = e_.udiv(number, plan_.parts()), *part = e_.urem(number, plan_.parts());
      Value *first = e_.mul(part, plan_.partBlocks);
      Value *end = e_.min(e_.add(first, plan_.partBlocks), plan_.rowBlocks());
      placePart(part, first);
      findFinite(batch);
      e_.loop(first, end, 1, [&](Value *block) { blockOfRows(batch, {first, block, e_.add(end, -1)}); });
    });
    e_.ret();
  }

private:
  // What sums over the rows of a part of a batch sees it as all of them, and has sums of its own.
  void placePart(Value *part, Value *firstBlock) {
    firstRow_ = e_.mul(firstBlock, plan_.rowBlock);
    partRows_ = e_.min(e_.sub(e_.i64(plan_.shape.rowCount), firstRow_), plan_.partBlocks * plan_.rowBlock);
    for (auto [product, table] : llvm::zip(plan_.products, productTables_)) {
      if (!product.whole)
        continue;
      const matmul::Problem &p = product.plan.problem;
      Value *sums = e_.gep(e_.b.getInt8Ty(), temporary(), product.sumsAt);
      placeResult(table, product.op,
                  e_.gep(e_.b.getInt8Ty(), sums, e_.mul(part, p.batch * p.m * p.n * p.arithmetic.unitBytes)));
      placeOtherFrom(table, product, firstRow_);
    }
  }

  // The other operand, from the row on.
  void placeOtherFrom(Value *table, const AttentionGradientPlan::Product &product, Value *row) {
    const matmul::Problem &p = product.plan.problem;
    Value *argument = throughOperand(product.op, unsigned(p.buffers.rhs));
    Value *bytes = e_.mul(offsetOf(e_, rhsSteps(p), row), storageBytes(p.spec.rhs));
    place(table, size_t(p.buffers.rhs), e_.gep(e_.b.getInt8Ty(), argument, bytes));
  }

  // What says which columns products leave out.
  void prepareSkipping() {
    isFinite_.resize(plan_.products.size());
    finiteAt_.resize(plan_.products.size());
    countZeros_.resize(plan_.rowsResults.size());
    countAt_.resize(plan_.rowsResults.size());
    for (auto [number, product] : llvm::enumerate(plan_.products)) {
      if (!product.skipsZeros)
        continue;
      const std::string &symbol = product.plan.kernel.phases[0].symbol;
      isFinite_[number] = emitIsFinite(module_, symbol + ".is_finite", product.plan.problem);
      finiteAt_[number] = e_.b.CreateAlloca(e_.b.getInt64Ty());
      unsigned source = product.source;
      if (countZeros_[source])
        continue;
      mlir::Type weight = elementTypeOf(plan_.rows.op->getResult(source));
      countZeros_[source] = emitCountWeights(module_, symbol + ".count_weights", weight, plan_.shape.keys);
      countAt_[source] = e_.b.CreateAlloca(e_.b.getInt64Ty());
    }
  }

  // Asks of which products all elements of the other operand are finite that a task reads.
  void findFinite(Value *batch) {
    for (auto [number, product] : llvm::enumerate(plan_.products)) {
      const matmul::Problem &p = product.plan.problem;
      if (product.skipsZeros)
        e_.b.CreateCall(isFinite_[number], {matmul::rhsBase(e_, p, productTables_[number], batch),
                                            product.isOverRows ? partRows_ : e_.i64(p.k), finiteAt_[number]});
    }
  }

  // How many columns of the rows' result a product multiplies.
  Value *columnsOf(size_t number) {
    const AttentionGradientPlan::Product &product = plan_.products[number];
    Value *keys = e_.i64(plan_.shape.keys);
    if (!product.skipsZeros)
      return keys;
    Value *isFinite = e_.b.CreateIsNotNull(e_.load(e_.b.getInt64Ty(), finiteAt_[number]));
    return e_.b.CreateSelect(isFinite, e_.load(e_.b.getInt64Ty(), countAt_[product.source]), keys);
  }

  Function *function(const Kernel &part) { return module_.getFunction(part.phases[0].symbol); }

  // A block of rows, and the first one and the last one of the task.
  struct RowBlock {
    Value *first, *number, *last;
  };

  void blockOfRows(Value *batch, const RowBlock &block) {
    Value *first = e_.mul(block.number, plan_.rowBlock);
    Value *count = e_.min(e_.sub(e_.i64(plan_.shape.rowCount), first), plan_.rowBlock);
    Value *row = e_.add(e_.mul(batch, plan_.shape.rowCount), first);
    Value *task = e_.add(e_.mul(batch, plan_.rowBlocks()), block.number);
    for (auto [scores, table] : llvm::zip(plan_.scores, scoresTables_)) {
      Value *array = wholeArray(scores.at, elementBytes(scores.op), row);
      placeResult(table, scores.op, array);
      placeOperand(rowsTable_, plan_.rows.op, scores.op->getResult(0), array);
      scoresOf(scores, table, block, task);
    }
    for (unsigned result = 0; result < plan_.rowsResults.size(); ++result)
      placeResult(rowsTable_, plan_.rows.op, madeOf(result, row, e_.i64(0)), result);
    e_.b.CreateCall(function(plan_.rows.plan.kernel),
                    {rowsTable_, row, e_.add(row, count), scratch(plan_.partScratch)});
    for (auto [result, countZeros] : llvm::enumerate(countZeros_))
      if (countZeros)
        e_.b.CreateCall(countZeros, {madeOf(unsigned(result), row, row), count, countAt_[result]});
    for (auto [number, product] : llvm::enumerate(plan_.products)) {
      // Sums over the rows of a part count them from its first one.
      Value *start = product.whole ? firstRow_ : e_.i64(0);
      placeOperand(productTables_[number], product.op, plan_.rows.op->getResult(product.source),
                   madeOf(product.source, row, start));
      if (product.isOverRows)
        sumOverRows(number, batch, block);
      else
        productOfRows(number, task);
    }
  }

  // The array that the rows make, from its row `start` on; `row` is the first one that is in scratch, if it is there.
  Value *madeOf(unsigned result, Value *row, Value *start) {
    int64_t bytes = elementBytes(plan_.rows.op, result);
    const AttentionGradientPlan::RowsResult &made = plan_.rowsResults[result];
    if (!made.result)
      return wholeArray(made.at, bytes, e_.sub(row, start));
    return e_.gep(e_.b.getInt8Ty(), kernelResult(*made.result), e_.mul(start, plan_.shape.keys * bytes));
  }

  // A block of rows, whose rhs stays packed from one block to the next.
  void scoresOf(const AttentionGradientPlan::Scores &scores, Value *table, const RowBlock &block, Value *task) {
    Value *packed = e_.i64(0);
    if (keepsPackedColumns(scores.plan))
      packed = e_.b.CreateSelect(e_.b.CreateICmpNE(block.number, block.first),
                                 visibleColumns(scores.plan, scores.visibleOffset, e_.add(block.number, -1)), packed);
    matmul::emitRowBlockCall(e_, function(scores.plan.kernel),
                             {table, task, scratch(scores.scratchAt), packed,
                              visibleColumns(scores.plan, scores.visibleOffset, block.number),
                              e_.i64(scores.plan.problem.k)});
  }

  void productOfRows(size_t number, Value *task) {
    const AttentionGradientPlan::Product &product = plan_.products[number];
    matmul::emitRowBlockCall(e_, function(product.plan.kernel),
                             {productTables_[number], task, scratch(product.scratchAt), e_.i64(0),
                              e_.i64(product.plan.problem.n), columnsOf(number)});
  }

  // The columns of the rows' result are rows of the product, in tiles; the first and the last block have all of them.
  void sumOverRows(size_t number, Value *batch, const RowBlock &block) {
    const AttentionGradientPlan::Product &product = plan_.products[number];
    int64_t rows = product.plan.problem.m, mr = product.plan.schedule.mr;
    Value *some = e_.min(e_.mul(e_.udiv(e_.add(columnsOf(number), mr - 1), mr), mr), rows);
    Value *isInside =
        e_.b.CreateAnd(e_.b.CreateICmpNE(block.number, block.first), e_.b.CreateICmpNE(block.number, block.last));
    matmul::emitDepthBlockCall(e_, function(product.plan.kernel),
                               {productTables_[number], batch, scratch(product.scratchAt),
                                e_.sub(block.number, block.first), e_.b.CreateSelect(isInside, some, e_.i64(rows)),
                                partRows_});
  }

  const AttentionGradientPlan &plan_;
  Values scoresTables_, productTables_;
  Value *rowsTable_ = nullptr;
  Value *firstRow_ = nullptr, *partRows_ = nullptr; // of the part that a task takes
  // By the numbers of the products, and of the rows' results; null for those that leave nothing out.
  SmallVector<Function *, 3> isFinite_, countZeros_;
  Values finiteAt_, countAt_;
};

// The second phase: a task adds up what the parts of a batch have for some keys, and stores it.
class SumsWriter : PartsWriter {
public:
  SumsWriter(const AttentionGradientPlan &plan, llvm::Module &module, const EmissionTarget &target)
      : PartsWriter(module, plan.kernel.phases[1].symbol, plan.rows.op->getParentOp(), plan.shape.keys), plan_(plan),
        target_(target) {}

  void write() {
    e_.opaqueLoops = true;
    SmallVector<std::function<void(Value *, Value *, Value *)>, 2> stores;
    for (const auto &product : plan_.products) {
      if (!product.whole)
        continue;
      Value *table = this->table(product.op, product.result);
      Value *sums = e_.gep(e_.b.getInt8Ty(), temporary(), product.sumsAt);
      std::string symbol = product.plan.kernel.phases[0].symbol + ".store";
      Function *store = matmul::emitStoreOfSums(*product.whole, module_, symbol,
                                                epilogueOf(product.whole->epilogue, target_), plan_.parts());
      stores.push_back([=, this](Value *batch, Value *first, Value *count) {
        e_.b.CreateCall(store, {table, batch, first, count, sums});
      });
    }
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](Value *number) {
      Value *batch = e_.udiv(number, plan_.keyBlocks());
      Value *first = e_.mul(e_.urem(number, plan_.keyBlocks()), plan_.keyBlock);
      Value *count = e_.min(e_.sub(e_.i64(plan_.shape.keys), first), plan_.keyBlock);
      for (const auto &store : stores)
        store(batch, first, count);
    });
    e_.ret();
  }

private:
  const AttentionGradientPlan &plan_;
  const EmissionTarget &target_;
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
  if (plan.parts() > 1)
    SumsWriter(plan, module, target).write();
  return llvm::success();
}

} // namespace tenon::codegen
