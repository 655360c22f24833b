#include "tenon/codegen/gpu/rows.h"

#include "tenon/codegen/llvm/loop/tree.h"
#include "tenon/ir/types.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator, tenon::codegen::loop::StageAccumulators;

namespace tenon::codegen {
namespace {

constexpr int kWarp = 32, kLeastBlock = 128, kMostThreads = 512;
// What one thread keeps of each array that it reads: 32 registers.
constexpr int64_t kKeptBytes = 128;
// An accumulator in shared memory.
constexpr int64_t kSlotBytes = 8;

int64_t accumulatorSlots(const RowStage &stage) {
  int64_t slots = 0;
  for (mlir::Operation *reduce : stage.reduces)
    for (mlir::Value result : reduce->getResults())
      slots += isa<mlir::ComplexType>(elementTypeOf(result)) ? 2 : 1;
  return slots;
}

bool variesAlong(ArrayRef<mlir::AffineExpr> index, unsigned dim) {
  return any_of(index, [&](mlir::AffineExpr expr) { return expr.isFunctionOfDim(dim); });
}

// Vectors that fill a register in memory, where the rows are made of whole ones.
unsigned chooseLanes(const loop::RowKernelPlan &plan) {
  constexpr int64_t kVectorBytes = 16, kMostLanes = 8;
  int64_t bytes = kVectorBytes;
  for (const PlanAccess &access : plan.use.accesses)
    if (variesAlong(access.index, unsigned(plan.dims.size()) - 1))
      bytes = std::min(bytes, storageBytes(elementTypeOf(access.value)));
  int64_t lanes = std::min(kVectorBytes / bytes, kMostLanes);
  return plan.mayWiden && plan.dims.back().extent % lanes == 0 ? unsigned(lanes) : 1;
}

} // namespace

std::optional<RowTeamPlan> planRowTeam(const loop::RowKernelPlan &plan) {
  unsigned reducedDims = unsigned(plan.dims.size()) - plan.keptDims;
  if (!plan.vectorAlongRow || plan.elements() == 0 || reducedDims == 0)
    return std::nullopt;
  RowTeamPlan team;
  int64_t length = plan.dims.back().extent;
  team.lanes = chooseLanes(plan);
  team.vectors = length / team.lanes;
  constexpr int64_t kFewVectors = 4;
  if (team.vectors < kFewVectors || (reducedDims > 1 && team.vectors < kWarp))
    return std::nullopt;
  int64_t most = std::max<int64_t>(1, kKeptBytes / (int64_t(team.lanes) * std::max(plan.use.widestBytes, 4)));
  team.threads = int(std::min<uint64_t>(PowerOf2Ceil(uint64_t(team.vectors)), kWarp));
  while (team.vectorsOfThread() > most && team.threads < kMostThreads)
    team.threads *= 2;
  team.inRegisters = reducedDims == 1 && team.vectorsOfThread() <= most;
  team.rows = std::max(1, kLeastBlock / team.threads);
  team.tasks = int64_t(divideCeil(uint64_t(plan.keptElements()), uint64_t(team.rows)));
  bool gains = any_of(plan.stages, [](const RowStage &stage) { return stage.sumsInTrees; });
  team.readsInTree = !team.inRegisters && gains && team.vectorsOfThread() > 2 * kSumBlock;
  if (team.threads > kWarp)
    for (const RowStage &stage : plan.stages)
      team.sharedBytes += accumulatorSlots(stage) * kSlotBytes * team.blockThreads() / kWarp;
  return team;
}

void RowTeamPlan::print(raw_ostream &os) const {
  os << "a row by " << threads << " threads, " << rows << " in a block, in vectors of " << lanes << ", "
     << vectorsOfThread() << " a thread";
  if (inRegisters)
    os << " in registers";
  if (readsInTree)
    os << ", summed in trees";
  os << ", " << sharedBytes << " bytes shared, " << tasks << " blocks\n";
}

namespace {

// An element of the row, or a value computed for it, that a later stage takes from where it was kept.
struct KeptValue {
  IndexedValue value;
  SmallVector<Element> vectors; // of this thread; none as long as no stage has evaluated it
};

class RowTeamEmitter {
public:
  RowTeamEmitter(const RowTeamPlan &team, const loop::RowKernelPlan &plan, LoopEvaluator &evaluator, GpuBuilder &gpu)
      : team_(team), plan_(plan), evaluator_(evaluator), b_(evaluator.builder()), gpu_(gpu),
        rows_(evaluator, plan, nullptr), last_(unsigned(plan.dims.size()) - 1) {
    if (team.inRegisters)
      listKept();
  }

  void emit(Value *task) {
    bindRow(task);
    for (const RowStage &stage : plan_.stages)
      runStage(stage);
    if (plan_.rowOutputs.empty())
      return;
    Value *isFirst = b_.CreateICmpEQ(member_, number(0));
    evaluator_.ifElse(
        isRow_ ? b_.CreateAnd(isFirst, isRow_) : isFirst,
        [&] {
          rows_.writeRowOutputs();
          return LLVMValues();
        },
        nullptr);
  }

private:
  Value *number(int64_t value) { return evaluator_.constant(value); }
  Value *threadNumber() {
    Value *thread = gpu_.at(b_, [&] { return gpu_.number(GpuBuilder::Number::kThread); });
    return b_.CreateZExt(thread, b_.getInt64Ty());
  }

  // What several stages may need: what is in memory, and what the plan thinks worth keeping.
  void listKept() {
    auto add = [&](mlir::Value value, const IndexVector &index) {
      IndexedValue kept{value, index};
      if (none_of(kept_, [&](const KeptValue &known) { return known.value == kept; }))
        kept_.push_back({kept, {}});
    };
    for (const RowStage &stage : plan_.stages)
      for (const IndexedValue &saved : stage.saved)
        add(saved.first, saved.second);
    for (const PlanAccess &access : plan_.use.accesses)
      if (!access.isOutput && !access.conditional && variesAlong(access.index, last_))
        add(access.value, access.index);
  }

  // The row of this thread, and the number of the thread in it.
  void bindRow(Value *task) {
    Value *thread = threadNumber();
    member_ = b_.CreateAnd(thread, number(team_.threads - 1));
    Value *row = task;
    if (team_.rows > 1)
      row = b_.CreateAdd(b_.CreateNSWMul(task, number(team_.rows)), b_.CreateUDiv(thread, number(team_.threads)));
    if (plan_.keptElements() % team_.rows != 0)
      isRow_ = b_.CreateICmpSLT(row, number(plan_.keptElements()));
    for (unsigned d = plan_.keptDims; d-- > 0;) {
      Value *extent = number(plan_.dims[d].extent);
      Value *outer = d == 0 ? nullptr : b_.CreateUDiv(row, extent);
      evaluator_.bindDim(d, d == 0 ? row : b_.CreateSub(row, b_.CreateNSWMul(outer, extent)), 0);
      row = outer;
    }
  }

  void runStage(const RowStage &stage) {
    StageAccumulators accumulators(evaluator_, stage.reduces);
    stage_ = &stage;
    accumulators_ = &accumulators;
    LLVMValues values = overReduced(plan_.keptDims, accumulators.start(team_.lanes, false));
    if (accumulators.empty())
      return;
    values = exchange(accumulators.fold(values, team_.lanes));
    values = accumulators.merge(accumulators.start(1, true), values);
    rows_.bindResults(accumulators, accumulators.finish(values));
  }

  // --- The thread's own vectors ---

  LLVMValues overReduced(unsigned dim, const LLVMValues &carried) {
    if (dim == last_)
      return alongRow(carried);
    return evaluator_.forLoop(number(0), number(plan_.dims[dim].extent), 1, carried, [&](Value *iv, auto values) {
      evaluator_.bindDim(dim, iv, 0);
      return overReduced(dim + 1, LLVMValues(values));
    });
  }

  LLVMValues alongRow(const LLVMValues &carried) {
    if (team_.inRegisters)
      return inRegisters(carried);
    Value *end = number(plan_.dims[last_].extent);
    if (!team_.readsInTree || !stage_->sumsInTrees)
      return inLoop(number(0), end, carried);
    auto merge = [&](ArrayRef<Value *> a, ArrayRef<Value *> b) { return accumulators_->merge(a, b); };
    LLVMValues start = accumulators_->start(team_.lanes, false);
    auto sumBlock = [&](Value *from, Value *to) { return inLoop(from, to, start); };
    int64_t block = kSumBlock * team_.threads * team_.lanes;
    LLVMValues sum =
        loop::emitTreeSum(evaluator_, {number(0), end, block, plan_.dims[last_].extent, start, sumBlock, merge});
    return merge(carried, sum);
  }

  LLVMValues inLoop(Value *begin, Value *end, const LLVMValues &carried) {
    Value *first = b_.CreateAdd(begin, b_.CreateNSWMul(member_, number(team_.lanes)));
    return evaluator_.forLoop(first, end, int64_t(team_.threads) * team_.lanes, carried,
                              [&](Value *iv, auto values) { return point(iv, values); });
  }

  LLVMValues inRegisters(LLVMValues carried) {
    for (int64_t i = 0; i < team_.vectorsOfThread(); ++i) {
      Value *vector = b_.CreateAdd(number(i * team_.threads), member_);
      Value *position = b_.CreateNSWMul(vector, number(team_.lanes));
      Value *isThere = isRow_;
      if ((i + 1) * team_.threads > team_.vectors) {
        Value *isInRow = b_.CreateICmpSLT(vector, number(team_.vectors));
        isThere = isThere ? b_.CreateAnd(isThere, isInRow) : isInRow;
      }
      carried = keptPoint(size_t(i), position, isThere, carried);
    }
    return carried;
  }

  // One vector of the row, if it is there, with what is kept of it from stage to stage.
  LLVMValues keptPoint(size_t vector, Value *position, Value *isThere, const LLVMValues &carried) {
    SmallVector<KeptValue *> fresh;
    LLVMValues values;
    auto then = [&] {
      for (KeptValue &kept : kept_)
        if (vector < kept.vectors.size())
          evaluator_.bind(kept.value.first, kept.value.second, kept.vectors[vector]);
      values = point(position, carried, [&](LLVMValues &results) {
        for (KeptValue &kept : kept_) {
          std::optional<Element> known = evaluator_.known(kept.value.first, kept.value.second);
          if (!known || vector < kept.vectors.size())
            continue;
          fresh.push_back(&kept);
          append_range(results, LoopEvaluator::pack(evaluator_.toVector(*known)));
        }
      });
      return values;
    };
    auto otherwise = [&] {
      LLVMValues nothing = carried;
      for (Value *value : drop_begin(values, carried.size()))
        nothing.push_back(Constant::getNullValue(value->getType()));
      return nothing;
    };
    if (isThere)
      values = evaluator_.ifElse(isThere, then, otherwise);
    else
      evaluator_.withMask(nullptr, [&] { then(); }); // a scope of its own for the values at this vector
    size_t next = carried.size();
    for (KeptValue *kept : fresh) {
      bool isComplex = isa<mlir::ComplexType>(elementTypeOf(kept->value.first));
      kept->vectors.push_back({values[next], isComplex ? values[next + 1] : nullptr});
      next += isComplex ? 2 : 1;
    }
    values.truncate(carried.size());
    return values;
  }

  // What the stage does with the vector at this position. `more` may add to the values that are the result.
  LLVMValues point(Value *position, ArrayRef<Value *> carried, function_ref<void(LLVMValues &)> more = nullptr) {
    evaluator_.bindDim(last_, position, 1);
    evaluator_.setLanes(team_.lanes);
    SmallVector<IndexVector> indices;
    for (mlir::Operation *reduce : stage_->reduces)
      indices.push_back(plan_.rows.inputIndex(reduce, evaluator_.space()));
    LLVMValues results = accumulators_->step(carried, indices);
    loop::Elements written;
    for (unsigned output : stage_->outputs)
      written.push_back(evaluator_.eval(plan_.outputs[output].value, plan_.outputs[output].index));
    for (auto [output, element] : zip(stage_->outputs, written)) {
      const OutputPlan &planned = plan_.outputs[output];
      evaluator_.storeAt(elementTypeOf(planned.value), evaluator_.outputPointer(output), planned.store, element);
    }
    if (more)
      more(results);
    evaluator_.setLanes(1);
    return results;
  }

  // --- All threads of a row ---

  LLVMValues exchange(LLVMValues values) {
    for (unsigned lanes = unsigned(std::min(team_.threads, kWarp)) / 2; lanes > 0; lanes /= 2) {
      LLVMValues others;
      for (Value *value : values)
        others.push_back(gpu_.at(b_, [&] { return gpu_.shuffleXor(value, lanes); }));
      values = accumulators_->merge(values, others);
    }
    return team_.threads > kWarp ? exchangeOfWarps(values) : values;
  }

  Value *slot(size_t value, Value *warp) {
    Value *shared = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
    int64_t first = sharedBegin_ + int64_t(value) * kSlotBytes * team_.blockThreads() / kWarp;
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), shared,
                                b_.CreateNSWAdd(b_.CreateNSWMul(warp, number(kSlotBytes)), number(first)));
  }

  // The stage's own part of shared memory: of the one before, warps may not have read all yet.
  LLVMValues exchangeOfWarps(const LLVMValues &values) {
    Value *thread = threadNumber();
    Value *warp = b_.CreateUDiv(thread, number(kWarp));
    Value *isFirst = b_.CreateICmpEQ(b_.CreateAnd(thread, number(kWarp - 1)), number(0));
    auto write = [&] {
      for (auto [i, value] : enumerate(values))
        b_.CreateStore(value, slot(i, warp));
      return LLVMValues();
    };
    evaluator_.ifElse(isFirst, write, nullptr);
    gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
    Value *firstWarp = b_.CreateAnd(warp, number(-int64_t(team_.threads / kWarp)));
    SmallVector<LLVMValues> ofWarps(size_t(team_.threads / kWarp));
    for (auto [number, ofWarp] : enumerate(ofWarps))
      for (auto [i, value] : enumerate(values))
        ofWarp.push_back(
            b_.CreateLoad(value->getType(), slot(i, b_.CreateNSWAdd(firstWarp, b_.getInt64(int64_t(number))))));
    for (size_t count = ofWarps.size() / 2; count > 0; count /= 2)
      for (size_t i = 0; i < count; ++i)
        ofWarps[i] = accumulators_->merge(ofWarps[2 * i], ofWarps[2 * i + 1]);
    sharedBegin_ += int64_t(values.size()) * kSlotBytes * team_.blockThreads() / kWarp;
    return ofWarps.front();
  }

  const RowTeamPlan &team_;
  const loop::RowKernelPlan &plan_;
  LoopEvaluator &evaluator_;
  IRBuilder<> &b_;
  GpuBuilder &gpu_;
  loop::RowEmitter rows_;
  unsigned last_; // the dimension along the row
  SmallVector<KeptValue, 4> kept_;
  Value *member_ = nullptr, *isRow_ = nullptr; // isRow_: null where every thread has a row
  const RowStage *stage_ = nullptr;
  StageAccumulators *accumulators_ = nullptr;
  int64_t sharedBegin_ = 0;
};

} // namespace

LogicalResult emitRowTeam(const RowTeamPlan &team, const loop::RowKernelPlan &plan, const KernelSource &source,
                          Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  return loop::emitLoopFunction(plan.kernel.phases[0], plan, source, module, target,
                                [&](LoopEvaluator &evaluator, Function *function) {
                                  RowTeamEmitter(team, plan, evaluator, gpu).emit(function->getArg(1));
                                });
}

} // namespace tenon::codegen
