// Reductions in parts: few long rows, or many strided ones, leave too little parallel work or read memory out of order.
// The outermost reduced dimension is cut into parts of fixed size. The first phase reduces each part on its own, in
// memory order, into a temporary array [part][row]; the second combines the parts of each row, always in the same
// order, and computes what depends on the result. The parts depend on shapes only, so any number of workers gives the
// same bits.
#include "tenon/codegen/cpu/loop_rows.h"
#include "tenon/codegen/cpu/loop_tree.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen {

namespace {

// Elements of each row that are added up in memory one after the other before their sum goes to the row's tree.
constexpr int64_t kStreamBlock = 128;

class PartedReduction {
public:
  PartedReduction(const KernelSource &source, RowsPlan &plan, llvm::Module &module, llvm::StringRef symbol,
                  const CpuTarget &target)
      : source_(source), plan_(plan), module_(module), symbol_(symbol.str()), target_(target) {
    parts_ = llvm::divideCeil(plan.dims[plan.keptDims].extent, plan.partSize);
    kept_ = plan.keptElements();
  }

  llvm::FailureOr<Kernel> emit() {
    Kernel kernel;
    kernel.kind = "reduce";
    kernel.bytes = trafficBytes(source_);
    kernel.flops = plan_.elements() * static_cast<double>(plan_.use.evaluations);
    kernel.resultInit.assign(source_.outputs.size(), -1);
    if (!emitParts(kernel) || !emitCombination(kernel))
      return llvm::failure();
    return kernel;
  }

private:
  // Address of the partial result `number` at part and row `position`.
  llvm::Value *partial(LoopEvaluator &evaluator, unsigned number) {
    llvm::IRBuilder<> &b = evaluator.builder();
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), evaluator.tempPointer(), offsets_[number]);
  }

  bool emitParts(Kernel &kernel) {
    llvm::Function *function = createKernelFunction(module_, symbol_);
    LoopEvaluator evaluator(source_, *plan_.indexer, function, target_);
    StageAccumulators accumulators(evaluator, plan_.stages[0].reduces);
    for (mlir::Type type : accumulators.types()) {
      offsets_.push_back(source_.tempBase + kernel.tempBytes);
      kernel.tempBytes += llvm::alignTo(parts_ * kept_ * storageBytes(type), 64);
    }
    partDim_ = plan_.space->numDims();
    part_ = plan_.space->addDim(parts_);
    position_ = plan_.space->add(plan_.space->scale(part_, kept_), plan_.rows.keptPosition);
    RowEmitter rows(evaluator, plan_, function->getArg(3));
    llvm::IRBuilder<> &b = evaluator.builder();
    evaluator.forLoop(function->getArg(1), function->getArg(2), 1, [&](llvm::Value *part) {
      evaluator.bindDim(partDim_, part, 0);
      llvm::Value *begin = b.CreateNSWMul(part, evaluator.constant(plan_.partSize));
      llvm::Value *end = b.CreateNSWAdd(begin, evaluator.constant(plan_.partSize));
      int64_t extent = plan_.dims[plan_.keptDims].extent;
      if (extent % plan_.partSize != 0)
        end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, evaluator.constant(extent));
      // Rows that fit one vector keep their partial results in registers.
      if (plan_.vectorAlongRow || kept_ <= plan_.lanes)
        reduceRows(evaluator, rows, accumulators, begin, end);
      else
        streamRows(evaluator, rows, accumulators, begin, end);
    });
    b.CreateRetVoid();
    kernel.scratchBytes = rows.scratchBytes() + blockSumBytes_;
    kernel.phases.push_back({symbol_, parts_, plan_.nanoseconds});
    return !evaluator.failed();
  }

  void overKept(LoopEvaluator &evaluator, unsigned dim, llvm::function_ref<void()> body) {
    if (dim == plan_.keptDims)
      return body();
    LoopNest(evaluator, plan_).overDim(dim, evaluator.constant(0), evaluator.constant(plan_.dims[dim].extent), [&] {
      overKept(evaluator, dim + 1, body);
    });
  }

  void storePartials(LoopEvaluator &evaluator, const StageAccumulators &accumulators,
                     llvm::ArrayRef<llvm::Value *> values) {
    Elements elements = LoopEvaluator::unpack(values, accumulators.types());
    for (auto [i, element] : llvm::enumerate(elements))
      evaluator.storeAt(accumulators.types()[i], partial(evaluator, i), position_, element);
  }

  LLVMValues loadPartials(LoopEvaluator &evaluator, const StageAccumulators &accumulators) {
    Elements elements;
    for (auto [i, type] : llvm::enumerate(accumulators.types()))
      elements.push_back(evaluator.toVector(evaluator.loadAt(type, partial(evaluator, i), position_)));
    return LoopEvaluator::pack(elements);
  }

  // Vectors along the rows: one row after the other.
  void reduceRows(LoopEvaluator &evaluator, RowEmitter &rows, StageAccumulators &accumulators, llvm::Value *begin,
                  llvm::Value *end) {
    overKept(evaluator, 0, [&] {
      storePartials(evaluator, accumulators, rows.reduceRange(plan_.stages[0], accumulators, begin, end));
    });
  }

  // Vectors across the rows: all rows advance together, a few elements at a time, their partial results in memory.
  void streamRows(LoopEvaluator &evaluator, RowEmitter &rows, StageAccumulators &accumulators, llvm::Value *begin,
                  llvm::Value *end) {
    auto clear = [&] {
      overKept(evaluator, 0,
               [&] { storePartials(evaluator, accumulators, accumulators.start(evaluator.lanes(), false)); });
    };
    clear();
    int64_t inner = plan_.reducedElements() / plan_.dims[plan_.keptDims].extent;
    if (!accumulators.gainFromTree() || plan_.partSize * inner <= 2 * kStreamBlock) {
      streamDim(evaluator, rows, accumulators, plan_.keptDims, begin, end);
      return;
    }
    // Sums of blocks wait in the worker's memory, as a tree for each row.
    int64_t blocks = 1;
    unsigned dim = plan_.keptDims;
    for (; inner > kStreamBlock; ++dim) {
      blocks *= dim == plan_.keptDims ? plan_.partSize : plan_.dims[dim].extent;
      inner /= plan_.dims[dim + 1].extent;
    }
    blockDim_ = dim;
    int64_t extent = dim == plan_.keptDims ? plan_.partSize : plan_.dims[dim].extent;
    blockSize_ = llvm::alignTo(std::max<int64_t>(1, kStreamBlock / inner), inner == 1 ? 8 : 1);
    blocks *= llvm::divideCeil(extent, blockSize_);
    BlockSums sums = blockSums(evaluator, rows, accumulators, blocks);
    auto merge = [&](llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
      return accumulators.merge(a, b);
    };
    auto finishBlock = [&](llvm::Value *count) {
      overKept(evaluator, 0, [&] { sums.add(count, loadPartials(evaluator, accumulators), merge); });
      clear();
    };
    llvm::Value *count =
        streamInBlocks(evaluator, rows, accumulators, plan_.keptDims, begin, end, evaluator.constant(0), finishBlock);
    overKept(evaluator, 0, [&] {
      LLVMValues neutral = accumulators.start(evaluator.lanes(), false);
      storePartials(evaluator, accumulators, sums.total(count, neutral, merge));
    });
  }

  // Space for a tree of block sums for each row.
  BlockSums blockSums(LoopEvaluator &evaluator, RowEmitter &rows, const StageAccumulators &accumulators,
                      int64_t blocks) {
    int64_t offset = rows.scratchBytes(), levels = BlockSums::levels(blocks);
    llvm::SmallVector<int64_t, 4> offsets, sizes;
    for (mlir::Type type : accumulators.types()) {
      offsets.push_back(offset);
      sizes.push_back(llvm::alignTo(kept_ * storageBytes(type), 64));
      offset += sizes.back() * levels;
    }
    blockSumBytes_ = offset - rows.scratchBytes();
    llvm::Value *scratch = evaluator.builder().GetInsertBlock()->getParent()->getArg(3);
    auto address = [=, &evaluator](size_t i, llvm::Value *level) {
      llvm::IRBuilder<> &b = evaluator.builder();
      llvm::Value *at = b.CreateNSWAdd(b.CreateNSWMul(level, b.getInt64(sizes[i])), b.getInt64(offsets[i]));
      return b.CreateInBoundsGEP(b.getInt8Ty(), scratch, at);
    };
    auto load = [=, this, &evaluator, &accumulators](llvm::Value *level) {
      Elements elements;
      for (auto [i, type] : llvm::enumerate(accumulators.types()))
        elements.push_back(evaluator.toVector(evaluator.loadAt(type, address(i, level), plan_.rows.keptPosition)));
      return LoopEvaluator::pack(elements);
    };
    auto store = [=, this, &evaluator, &accumulators](llvm::Value *level, llvm::ArrayRef<llvm::Value *> values) {
      for (auto [i, element] : llvm::enumerate(LoopEvaluator::unpack(values, accumulators.types())))
        evaluator.storeAt(accumulators.types()[i], address(i, level), plan_.rows.keptPosition, element);
    };
    return {evaluator, blocks, load, store};
  }

  // Calls `finishBlock` with the number of blocks before it after each; returns their number.
  llvm::Value *streamInBlocks(LoopEvaluator &evaluator, RowEmitter &rows, StageAccumulators &accumulators, unsigned dim,
                              llvm::Value *begin, llvm::Value *end, llvm::Value *count,
                              llvm::function_ref<void(llvm::Value *)> finishBlock) {
    llvm::IRBuilder<> &b = evaluator.builder();
    int64_t step = dim == blockDim_ ? blockSize_ : 1;
    auto body = [&](llvm::Value *from, llvm::ArrayRef<llvm::Value *> carried) -> LLVMValues {
      llvm::Value *before = carried.front();
      if (dim < blockDim_) {
        evaluator.bindDim(dim, from, 0);
        return {streamInBlocks(evaluator, rows, accumulators, dim + 1, evaluator.constant(0),
                               evaluator.constant(plan_.dims[dim + 1].extent), before, finishBlock)};
      }
      llvm::Value *to = b.CreateNSWAdd(from, evaluator.constant(step));
      streamDim(evaluator, rows, accumulators, dim, from, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, end));
      finishBlock(before);
      return {b.CreateNSWAdd(before, evaluator.constant(1))};
    };
    return evaluator.forLoop(begin, end, step, {count}, body).front();
  }

  void streamDim(LoopEvaluator &evaluator, RowEmitter &rows, StageAccumulators &accumulators, unsigned dim,
                 llvm::Value *begin, llvm::Value *end) {
    if (dim + 1 < plan_.dims.size()) {
      evaluator.forLoop(begin, end, 1, [&](llvm::Value *iv) {
        evaluator.bindDim(dim, iv, 0);
        streamDim(evaluator, rows, accumulators, dim + 1, evaluator.constant(0),
                  evaluator.constant(plan_.dims[dim + 1].extent));
      });
      return;
    }
    llvm::IRBuilder<> &b = evaluator.builder();
    int64_t extent = dim == plan_.keptDims ? plan_.partSize : plan_.dims[dim].extent;
    int64_t block = plan_.stages[0].nanoseconds < 0.1 ? 8 : plan_.stages[0].nanoseconds < 0.3 ? 4 : 1;
    while (block > 1 && block > extent)
      block /= 2;
    llvm::Value *whole = b.CreateAnd(b.CreateSub(end, begin), evaluator.constant(-block));
    llvm::Value *middle = b.CreateAdd(begin, whole);
    streamBlocks(evaluator, rows, accumulators, dim, begin, middle, block);
    if (block > 1)
      streamBlocks(evaluator, rows, accumulators, dim, middle, end, 1);
  }

  void streamBlocks(LoopEvaluator &evaluator, RowEmitter &rows, StageAccumulators &accumulators, unsigned dim,
                    llvm::Value *begin, llvm::Value *end, int64_t block) {
    evaluator.forLoop(begin, end, block, [&](llvm::Value *iv) {
      evaluator.bindDim(dim, iv, 0);
      overKept(evaluator, 0, [&] {
        LLVMValues carried = loadPartials(evaluator, accumulators);
        for (int64_t i = 0; i < block; ++i) {
          llvm::SmallVector<IndexVector> indices;
          for (mlir::Operation *reduce : accumulators.reduces()) {
            llvm::append_range(indices, rows.inputIndices(reduce));
            for (AffineExpr &expr : indices.back())
              expr = shift(expr, dim, i);
          }
          // The masked lanes of a remainder are not stored.
          carried = accumulators.step(carried, indices);
        }
        storePartials(evaluator, accumulators, carried);
      });
    });
  }

  // The expression with dimension `dim` replaced by dim + offset.
  AffineExpr shift(AffineExpr expr, unsigned dim, int64_t offset) {
    if (offset == 0)
      return expr;
    AffineExpr moved = mlir::getAffineDimExpr(dim, expr.getContext()) + offset;
    llvm::DenseMap<AffineExpr, AffineExpr> map;
    map[mlir::getAffineDimExpr(dim, expr.getContext())] = moved;
    return plan_.space->fromLinear(IndexSpace::linearForm(expr.replace(map)));
  }

  // The sum of the parts of the rows at this position, after the initial values.
  LLVMValues combineParts(LoopEvaluator &evaluator, StageAccumulators &accumulators) {
    constexpr int64_t kTogether = 8;
    auto merge = [&](llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
      return accumulators.merge(a, b);
    };
    auto range = [&](llvm::Value *from, llvm::Value *to, const LLVMValues &start) {
      return evaluator.forLoop(from, to, 1, start, [&](llvm::Value *part, auto values) {
        evaluator.bindDim(partDim_, part, 0);
        return accumulators.merge(values, loadPartials(evaluator, accumulators));
      });
    };
    LLVMValues start = accumulators.start(evaluator.lanes(), true);
    llvm::Value *begin = evaluator.constant(0), *end = evaluator.constant(parts_);
    if (!accumulators.gainFromTree() || parts_ <= kTogether)
      return range(begin, end, start);
    LLVMValues neutral = accumulators.start(evaluator.lanes(), false);
    auto sumBlock = [&](llvm::Value *from, llvm::Value *to) { return range(from, to, neutral); };
    return merge(start, emitTreeSum(evaluator, {begin, end, kTogether, parts_, neutral, sumBlock, merge}));
  }

  bool emitCombination(Kernel &kernel) {
    std::string name = symbol_ + "_combine";
    llvm::Function *function = createKernelFunction(module_, name);
    plan_.partSize = 0;
    plan_.vectorAlongRow = false;
    plan_.vectorDim = plan_.keptDims > 0 ? static_cast<int>(plan_.keptDims) - 1 : -1;
    int64_t lanes = std::max(1, planTarget(target_).vectorBytes / std::max(plan_.use.widestBytes, 4));
    int64_t extent = plan_.vectorDim >= 0 ? plan_.dims[plan_.vectorDim].extent : 1;
    plan_.lanes = std::min<int64_t>(lanes, llvm::bit_floor(static_cast<uint64_t>(extent)));
    double nanoseconds = 100 + 0.1 * kept_ * parts_;
    planTasks(plan_, plan_.keptDims, plan_.lanes, nanoseconds);
    LoopEvaluator evaluator(source_, *plan_.indexer, function, target_);
    StageAccumulators accumulators(evaluator, plan_.stages[0].reduces);
    RowEmitter rows(evaluator, plan_, function->getArg(3));
    LoopNest(evaluator, plan_).overTasks(plan_.keptDims, [&] {
      LLVMValues sum = combineParts(evaluator, accumulators);
      rows.bindResults(accumulators, accumulators.finish(sum));
      rows.writeRowOutputs();
    });
    evaluator.builder().CreateRetVoid();
    kernel.phases.push_back({name, std::max<int64_t>(plan_.tasks, 1), nanoseconds});
    return !evaluator.failed();
  }

  const KernelSource &source_;
  RowsPlan &plan_;
  llvm::Module &module_;
  std::string symbol_;
  const CpuTarget &target_;
  int64_t parts_, kept_;
  unsigned partDim_ = 0;
  AffineExpr part_, position_;
  llvm::SmallVector<int64_t> offsets_;
  // Where the rows advance together: the dimension that is cut into blocks, and their size.
  unsigned blockDim_ = 0;
  int64_t blockSize_ = 1, blockSumBytes_ = 0;
};

} // namespace

llvm::FailureOr<Kernel> emitPartedReduction(const KernelSource &source, RowsPlan &plan, llvm::Module &module,
                                            llvm::StringRef symbol, const CpuTarget &target) {
  return PartedReduction(source, plan, module, symbol, target).emit();
}

} // namespace tenon::codegen
