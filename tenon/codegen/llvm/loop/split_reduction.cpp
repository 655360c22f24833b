// Reductions in parts: few long rows, or many strided ones, leave too little parallel work or read memory out of order.
// The outermost reduced dimension is cut into parts of fixed size. The first phase reduces each part on its own, in
// memory order, into a temporary array [part][row], and writes what is as large as the operand and needs no sum; the
// second combines the parts of each row, always in the same order, and computes what depends on the result. The parts
// depend on shapes only, so any number of workers gives the same bits.
#include "tenon/codegen/llvm/loop/split_reduction.h"
#include "tenon/codegen/llvm/loop/row_routine.h"
#include "tenon/codegen/llvm/loop/row_stream.h"
#include "tenon/codegen/llvm/loop/tree.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

// Elements of each row that are added up in memory one after the other before their sum goes to the row's tree.
constexpr int64_t kStreamBlock = 128;

// The trees of block sums that rows need where they advance together.
static void planBlockSums(SplitReductionPlan &plan) {
  const RowReductionPlan &parts = plan.parts;
  int64_t inner = parts.reducedElements() / parts.dims[parts.keptDims].extent;
  if (!parts.stages[0].sumsInTrees || parts.splitSize * inner <= 2 * kStreamBlock)
    return;
  plan.blocks = 1;
  unsigned dim = parts.keptDims;
  for (; inner > kStreamBlock; ++dim) {
    plan.blocks *= parts.extentOf(dim);
    inner /= parts.dims[dim + 1].extent;
  }
  plan.blockDim = dim;
  plan.blockSize = llvm::alignTo(std::max<int64_t>(1, kStreamBlock / inner), inner == 1 ? 8 : 1);
  plan.blocks *= llvm::divideCeil(parts.extentOf(dim), plan.blockSize);
  int64_t levels = BlockSums::levels(plan.blocks);
  for (mlir::Type type : plan.types) {
    plan.sumOffsets.push_back(plan.kernel.scratchBytes);
    plan.sumSizes.push_back(llvm::alignTo(parts.keptElements() * storageBytes(type), 64));
    plan.kernel.scratchBytes += plan.sumSizes.back() * levels;
  }
}

// The leading kept dimensions along which no array is nearer than along the reduced ones. Maxima over two images of
// 224x224x128 floats, read in turns a few lines at a time, took twice as long.
static unsigned countApartDims(const RowReductionPlan &parts) {
  auto step = [&](const PlanAccess &access, unsigned dim) {
    return std::abs(IndexSpace::linearForm(access.position).coefficient(parts.space().dim(dim)));
  };
  unsigned count = 0;
  while (count + 1 < parts.keptDims && llvm::all_of(parts.use.accesses, [&](const PlanAccess &access) {
           return access.isOutput || step(access, count) == 0 || step(access, count) > step(access, parts.keptDims);
         }))
    ++count;
  return count;
}

// Few rows advance by fewer registers where nothing of them is left then: each of the many loops over them has code of
// its own for what is.
static void narrowToWhole(RowReductionPlan &parts, const PlanTarget &target) {
  constexpr int64_t kFewVectors = 4;
  int64_t rows = parts.dims[parts.keptDims - 1].extent;
  if (target.masks || rows >= kFewVectors * parts.lanes)
    return;
  unsigned lanes = parts.lanes, least = unsigned(std::max(1, target.vectorBytes / std::max(parts.use.widestBytes, 1)));
  while (lanes > least && rows % lanes != 0)
    lanes /= 2;
  if (rows % lanes == 0)
    parts.lanes = lanes;
}

static void planStreaming(SplitReductionPlan &plan, const PlanTarget &target) {
  const RowReductionPlan &parts = plan.parts;
  // Rows that fit one vector keep their partial results in registers.
  plan.streams = !parts.vectorAlongRow && parts.keptElements() > parts.lanes;
  if (!plan.streams)
    return;
  narrowStream(plan.parts);
  narrowToWhole(plan.parts, target);
  double nanoseconds = parts.stages[0].nanoseconds;
  plan.streamStep = nanoseconds < target.costs.lightLoop ? 8 : nanoseconds < target.costs.mediumLoop ? 4 : 1;
  while (plan.streamStep > 1 && plan.streamStep > parts.extentOf(parts.dims.size() - 1))
    plan.streamStep /= 2;
  plan.apartDims = countApartDims(parts);
  planBlockSums(plan);
}

static void planCombination(SplitReductionPlan &plan, llvm::StringRef symbol, const KernelTarget &target) {
  plan.combination = plan.parts;
  RowReductionPlan &rows = plan.combination;
  rows.splitSize = 0;
  rows.vectorAlongRow = false;
  rows.vectorDim = rows.keptDims > 0 ? static_cast<int>(rows.keptDims) - 1 : -1;
  int64_t lanes = std::max(1, planTarget(target).vectorBytes / std::max(rows.use.widestBytes, 4));
  int64_t extent = rows.vectorDim >= 0 ? rows.dims[rows.vectorDim].extent : 1;
  rows.lanes = std::min<int64_t>(lanes, llvm::bit_floor(static_cast<uint64_t>(extent)));
  double nanoseconds = 2 * target.costs().kernel + target.costs().access * rows.keptElements() * plan.count;
  planTasks(rows, rows.keptDims, rows.lanes, nanoseconds, target.costs());
  plan.kernel.phases.push_back({(symbol + "_combine").str(), std::max<int64_t>(rows.tasks, 1), nanoseconds});
}

SplitReductionPlan planSplitReduction(const KernelSource &source, RowReductionPlan rows, llvm::StringRef symbol,
                                      const KernelTarget &target) {
  SplitReductionPlan plan;
  plan.parts = std::move(rows);
  RowReductionPlan &parts = plan.parts;
  int64_t kept = parts.keptElements();
  plan.count = llvm::divideCeil(parts.dims[parts.keptDims].extent, parts.splitSize);
  plan.kernel.kind = "reduce";
  plan.kernel.bytes = trafficBytes(source);
  plan.kernel.resultInit.assign(source.outputs.size(), -1);
  plan.kernel.scratchBytes = parts.scratchBytes;
  for (mlir::Operation *reduce : parts.stages[0].reduces)
    llvm::append_range(plan.types, accumulatorTypes(reduce, analyzeReductionBody(reduce)));
  for (mlir::Type type : plan.types) {
    plan.offsets.push_back(source.tempBase + plan.kernel.tempBytes);
    plan.kernel.tempBytes += llvm::alignTo(plan.count * kept * storageBytes(type), 64);
  }
  IndexSpace &space = parts.indexer->space();
  plan.partDim = space.numDims();
  AffineExpr part = space.addDim(plan.count);
  plan.position = space.add(space.scale(part, kept), parts.rows.keptPosition);
  plan.kernel.phases.push_back({symbol.str(), plan.count, parts.nanoseconds});
  planStreaming(plan, planTarget(target));
  planCombination(plan, symbol, target);
  findAliases(source, parts, plan.kernel);
  // What rows give is written while other tasks may still read operands of that size.
  llvm::erase_if(plan.kernel.mayAlias,
                 [&](auto &pair) { return llvm::is_contained(parts.rowOutputs, unsigned(pair.second)); });
  return plan;
}

void SplitReductionPlan::print(llvm::raw_ostream &os) const {
  parts.print(os);
  os << count << " parts";
  if (streams)
    os << ", rows together, " << streamStep << " elements at a time";
  if (apartDims > 0)
    os << ", but for those of " << apartDims << " outer dims";
  if (blocks > 0)
    os << ", trees of up to " << blocks << " blocks of " << blockSize << " of dim " << blockDim;
  os << "\ncombination: lanes " << combination.lanes << " tasks " << combination.tasks << '\n';
}

namespace {

class SplitReduction {
public:
  SplitReduction(const SplitReductionPlan &plan, const KernelSource &source, llvm::Module &module,
                 const EmissionTarget &target)
      : plan_(plan), parts_(plan.parts), source_(source), module_(module), target_(target) {}

  llvm::LogicalResult emit() { return llvm::success(succeeded(emitParts()) && succeeded(emitCombination())); }

private:
  // Address of the partial result `number` at part and row `position`.
  llvm::Value *partial(LoopEvaluator &evaluator, unsigned number) {
    llvm::IRBuilder<> &b = evaluator.builder();
    int64_t offset = plan_.offsets[number];
    llvm::Value *temp = evaluator.tempPointer();
    return offset == 0 ? temp : b.CreateInBoundsGEP(b.getInt8Ty(), temp, evaluator.size(offset));
  }

  llvm::LogicalResult emitParts() {
    auto body = [&](LoopEvaluator &evaluator, llvm::Function *function) {
      StageAccumulators accumulators(evaluator, parts_.stages[0].reduces);
      RowEmitter rows(evaluator, parts_, function->getArg(3));
      llvm::IRBuilder<> &b = evaluator.builder();
      evaluator.forLoop(function->getArg(1), function->getArg(2), 1, [&](llvm::Value *part) {
        evaluator.bindDim(plan_.partDim, part, 0);
        llvm::Value *size = evaluator.size(parts_.splitSize);
        llvm::Value *begin = b.CreateNSWMul(part, size), *end = b.CreateNSWAdd(begin, size);
        int64_t extent = parts_.dims[parts_.keptDims].extent;
        if (evaluator.readsSizes() || extent % parts_.splitSize != 0)
          end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, evaluator.size(extent));
        if (plan_.streams)
          overKept(evaluator, 0, plan_.apartDims, [&] { streamRows(evaluator, accumulators, begin, end); });
        else
          reduceRows(evaluator, rows, accumulators, begin, end);
      });
    };
    return emitPhase(plan_.kernel.phases[0], RowPhase::kParts, parts_, body);
  }

  llvm::LogicalResult emitPhase(const KernelPhase &phase, RowPhase part, const RowReductionPlan &plan,
                                llvm::function_ref<void(LoopEvaluator &, llvm::Function *)> body) {
    std::optional<TaskRoutine> routine = rowRoutine(part, plan, source_, phase, *target_);
    return emitLoopFunction(phase, plan, source_, module_, target_, body, routine ? &*routine : nullptr);
  }

  // The kept dimensions [dim, end).
  void overKept(LoopEvaluator &evaluator, unsigned dim, unsigned end, llvm::function_ref<void()> body) {
    if (dim == end)
      return body();
    LoopNest(evaluator, parts_).overDim(dim, evaluator.constant(0), evaluator.size(parts_.dims[dim].extent), [&] {
      overKept(evaluator, dim + 1, end, body);
    });
  }

  // Rows that advance together.
  void overTogether(LoopEvaluator &evaluator, llvm::function_ref<void()> body) {
    overKept(evaluator, plan_.apartDims, parts_.keptDims, body);
  }

  void storePartials(LoopEvaluator &evaluator, const StageAccumulators &accumulators,
                     llvm::ArrayRef<llvm::Value *> values) {
    Elements elements = LoopEvaluator::unpack(values, accumulators.types());
    for (auto [i, element] : llvm::enumerate(elements))
      evaluator.storeAt(accumulators.types()[i], partial(evaluator, i), plan_.position, element);
  }

  LLVMValues loadPartials(LoopEvaluator &evaluator, const StageAccumulators &accumulators) {
    Elements elements;
    for (auto [i, type] : llvm::enumerate(accumulators.types()))
      elements.push_back(evaluator.toVector(evaluator.loadAt(type, partial(evaluator, i), plan_.position)));
    return LoopEvaluator::pack(elements);
  }

  // Vectors along the rows: one row after the other.
  void reduceRows(LoopEvaluator &evaluator, RowEmitter &rows, StageAccumulators &accumulators, llvm::Value *begin,
                  llvm::Value *end) {
    overKept(evaluator, 0, parts_.keptDims, [&] {
      storePartials(evaluator, accumulators, rows.reduceRange(parts_.stages[0], accumulators, begin, end));
    });
  }

  // Vectors across the rows: these advance together, a few elements at a time, their partial results in memory.
  void streamRows(LoopEvaluator &evaluator, StageAccumulators &accumulators, llvm::Value *begin, llvm::Value *end) {
    auto clear = [&] {
      overTogether(evaluator,
                   [&] { storePartials(evaluator, accumulators, accumulators.start(evaluator.lanes(), false)); });
    };
    clear();
    if (plan_.blocks == 0) {
      streamDim(evaluator, accumulators, parts_.keptDims, begin, end);
      return;
    }
    // Sums of blocks wait in the worker's memory, as a tree for each row.
    BlockSums sums = blockSums(evaluator, accumulators);
    auto merge = [&](llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
      return accumulators.merge(a, b);
    };
    auto finishBlock = [&](llvm::Value *count) {
      overTogether(evaluator, [&] { sums.add(count, loadPartials(evaluator, accumulators), merge); });
      clear();
    };
    llvm::Value *count =
        streamInBlocks(evaluator, accumulators, parts_.keptDims, begin, end, evaluator.constant(0), finishBlock);
    overTogether(evaluator, [&] {
      LLVMValues neutral = accumulators.start(evaluator.lanes(), false);
      storePartials(evaluator, accumulators, sums.total(count, neutral, merge));
    });
  }

  // Space for a tree of block sums for each row.
  BlockSums blockSums(LoopEvaluator &evaluator, const StageAccumulators &accumulators) {
    llvm::Value *scratch = evaluator.builder().GetInsertBlock()->getParent()->getArg(3);
    LLVMValues sizes, offsets;
    for (auto [size, offset] : llvm::zip(plan_.sumSizes, plan_.sumOffsets)) {
      sizes.push_back(evaluator.size(size));
      offsets.push_back(evaluator.size(offset));
    }
    auto address = [=, &evaluator](size_t i, llvm::Value *level) {
      llvm::IRBuilder<> &b = evaluator.builder();
      llvm::Value *at = b.CreateNSWAdd(b.CreateNSWMul(level, sizes[i]), offsets[i]);
      return b.CreateInBoundsGEP(b.getInt8Ty(), scratch, at);
    };
    auto load = [=, this, &evaluator, &accumulators](llvm::Value *level) {
      Elements elements;
      for (auto [i, type] : llvm::enumerate(accumulators.types()))
        elements.push_back(evaluator.toVector(evaluator.loadAt(type, address(i, level), parts_.rows.keptPosition)));
      return LoopEvaluator::pack(elements);
    };
    auto store = [=, this, &evaluator, &accumulators](llvm::Value *level, llvm::ArrayRef<llvm::Value *> values) {
      for (auto [i, element] : llvm::enumerate(LoopEvaluator::unpack(values, accumulators.types())))
        evaluator.storeAt(accumulators.types()[i], address(i, level), parts_.rows.keptPosition, element);
    };
    return {evaluator, plan_.blocks, load, store};
  }

  // Calls `finishBlock` with the number of blocks before it after each; returns their number.
  llvm::Value *streamInBlocks(LoopEvaluator &evaluator, StageAccumulators &accumulators, unsigned dim,
                              llvm::Value *begin, llvm::Value *end, llvm::Value *count,
                              llvm::function_ref<void(llvm::Value *)> finishBlock) {
    llvm::IRBuilder<> &b = evaluator.builder();
    int64_t step = dim == plan_.blockDim ? plan_.blockSize : 1;
    auto body = [&](llvm::Value *from, llvm::ArrayRef<llvm::Value *> carried) -> LLVMValues {
      llvm::Value *before = carried.front();
      if (dim < plan_.blockDim) {
        evaluator.bindDim(dim, from, 0);
        return {streamInBlocks(evaluator, accumulators, dim + 1, evaluator.constant(0),
                               evaluator.size(parts_.dims[dim + 1].extent), before, finishBlock)};
      }
      llvm::Value *to = b.CreateNSWAdd(from, evaluator.constant(step));
      streamDim(evaluator, accumulators, dim, from, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, end));
      finishBlock(before);
      return {b.CreateNSWAdd(before, evaluator.constant(1))};
    };
    return evaluator.forLoop(begin, end, step, {count}, body).front();
  }

  void streamDim(LoopEvaluator &evaluator, StageAccumulators &accumulators, unsigned dim, llvm::Value *begin,
                 llvm::Value *end) {
    RowStream(evaluator, parts_, accumulators, plan_.streamStep,
              {[&](auto body) { overTogether(evaluator, body); }, [&] { return loadPartials(evaluator, accumulators); },
               [&](auto values) { storePartials(evaluator, accumulators, values); }})
        .over(dim, begin, end);
  }

  // The sum of the parts of the rows at this position, after the initial values.
  LLVMValues combineParts(LoopEvaluator &evaluator, StageAccumulators &accumulators) {
    constexpr int64_t kTogether = 8;
    auto merge = [&](llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
      return accumulators.merge(a, b);
    };
    auto range = [&](llvm::Value *from, llvm::Value *to, const LLVMValues &start) {
      return evaluator.forLoop(from, to, 1, start, [&](llvm::Value *part, auto values) {
        evaluator.bindDim(plan_.partDim, part, 0);
        return accumulators.merge(values, loadPartials(evaluator, accumulators));
      });
    };
    LLVMValues start = accumulators.start(evaluator.lanes(), true);
    llvm::Value *begin = evaluator.constant(0), *end = evaluator.size(plan_.count);
    if (!parts_.stages[0].sumsInTrees || plan_.count <= kTogether)
      return range(begin, end, start);
    LLVMValues neutral = accumulators.start(evaluator.lanes(), false);
    auto sumBlock = [&](llvm::Value *from, llvm::Value *to) { return range(from, to, neutral); };
    return merge(start, emitTreeSum(evaluator, {begin, end, kTogether, plan_.count, neutral, sumBlock, merge}));
  }

  llvm::LogicalResult emitCombination() {
    const RowReductionPlan &plan = plan_.combination;
    auto body = [&](LoopEvaluator &evaluator, llvm::Function *function) {
      StageAccumulators accumulators(evaluator, plan.stages[0].reduces);
      RowEmitter rows(evaluator, plan, function->getArg(3));
      LoopNest(evaluator, plan).overTasks(plan.keptDims, [&] {
        LLVMValues sum = combineParts(evaluator, accumulators);
        rows.bindResults(accumulators, accumulators.finish(sum));
        rows.writeRowOutputs();
      });
    };
    return emitPhase(plan_.kernel.phases[1], RowPhase::kCombination, plan, body);
  }

  const SplitReductionPlan &plan_;
  const RowReductionPlan &parts_;
  const KernelSource &source_;
  llvm::Module &module_;
  const EmissionTarget &target_;
};

} // namespace

llvm::LogicalResult emitSplitReduction(const SplitReductionPlan &plan, const KernelSource &source, llvm::Module &module,
                                       const EmissionTarget &target) {
  return SplitReduction(plan, source, module, target).emit();
}

} // namespace tenon::codegen::loop
