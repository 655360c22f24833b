// Reductions in parts: few long rows, or many strided ones, leave too little parallel work or read memory out of order.
// The outermost reduced dimension is cut into parts of fixed size. The first phase reduces each part on its own, in
// memory order, into a temporary array [part][row]; the second combines the parts of each row, always in the same
// order, and computes what depends on the result. The parts depend on shapes only, so any number of workers gives the
// same bits.
#include "tenon/codegen/cpu/loop_rows.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen {

namespace {

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
    kernel.scratchBytes = rows.scratchBytes();
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
    overKept(evaluator, 0,
             [&] { storePartials(evaluator, accumulators, accumulators.start(evaluator.lanes(), false)); });
    streamDim(evaluator, rows, accumulators, plan_.keptDims, begin, end);
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
      LLVMValues carried = accumulators.start(evaluator.lanes(), true);
      carried = evaluator.forLoop(evaluator.constant(0), evaluator.constant(parts_), 1, carried,
                                  [&](llvm::Value *part, auto values) {
                                    evaluator.bindDim(partDim_, part, 0);
                                    return accumulators.merge(values, loadPartials(evaluator, accumulators));
                                  });
      rows.bindResults(accumulators, accumulators.finish(carried));
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
};

} // namespace

llvm::FailureOr<Kernel> emitPartedReduction(const KernelSource &source, RowsPlan &plan, llvm::Module &module,
                                            llvm::StringRef symbol, const CpuTarget &target) {
  return PartedReduction(source, plan, module, symbol, target).emit();
}

} // namespace tenon::codegen
