#include "tenon/codegen/gpu/row_team.h"

#include "tenon/codegen/llvm/loop/tree.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator, tenon::codegen::loop::StageAccumulators;

namespace tenon::codegen {

RowTeam::RowTeam(const RowTeamPlan &team, const RowReductionPlan &plan, LoopEvaluator &evaluator, GpuBuilder &gpu)
    : team_(team), plan_(plan), evaluator_(evaluator), b_(evaluator.builder()), gpu_(gpu),
      last_(unsigned(plan.dims.size()) - 1) {
  if (team.inRegisters)
    listKept();
}

Value *RowTeam::threadNumber() {
  Value *thread = gpu_.at(b_, [&] { return gpu_.number(GpuBuilder::Number::kThread); });
  return b_.CreateZExt(thread, b_.getInt64Ty());
}

// What several stages may need: what is in memory, and what the plan thinks worth keeping.
void RowTeam::listKept() {
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

// The rows of a block are a task's vectors of the innermost kept dimension, or single rows.
void RowTeam::bindRow(Value *task) {
  Value *thread = threadNumber();
  Value *inBlock = nullptr, *row = task;
  if (team_.isAlong) {
    member_ = b_.CreateAnd(thread, number(team_.threads - 1));
    inBlock = b_.CreateUDiv(thread, number(team_.threads));
    if (team_.blocks > 1) {
      row = b_.CreateUDiv(task, number(team_.blocks));
      blockOfTeam_ = b_.CreateAnd(task, number(team_.blocks - 1));
      member_ = b_.CreateAdd(b_.CreateNSWMul(blockOfTeam_, number(team_.threads)), member_);
      emitClusterBarrier(); // all have begun
    }
    if (team_.rows > 1)
      row = b_.CreateAdd(b_.CreateNSWMul(task, number(team_.rows)), inBlock);
    if (plan_.keptElements() % team_.rows != 0)
      isRow_ = b_.CreateICmpSLT(row, number(plan_.keptElements()));
  } else {
    member_ = b_.CreateUDiv(thread, number(team_.rows));
    inBlock = b_.CreateAnd(thread, number(team_.rows - 1));
    evaluator_.setLanes(team_.lanes);
  }
  for (unsigned d = plan_.keptDims; d-- > 0;) {
    bool isVector = !team_.isAlong && d + 1 == plan_.keptDims;
    int64_t extent = isVector ? (team_.vectors + team_.rows - 1) / team_.rows : plan_.dims[d].extent;
    Value *outer = d == 0 ? nullptr : b_.CreateUDiv(row, number(extent));
    Value *index = d == 0 ? row : b_.CreateSub(row, b_.CreateNSWMul(outer, number(extent)));
    row = outer;
    if (isVector) {
      Value *vector = b_.CreateAdd(b_.CreateNSWMul(index, number(team_.rows)), inBlock);
      if (team_.vectors % team_.rows != 0)
        isRow_ = b_.CreateICmpSLT(vector, number(team_.vectors));
      index = b_.CreateNSWMul(vector, number(team_.lanes));
    }
    evaluator_.bindDim(d, index, isVector ? 1 : 0);
  }
}

void RowTeam::onFirst(function_ref<void()> body) {
  Value *isFirst = b_.CreateICmpEQ(member_, number(0));
  auto then = [&] {
    body();
    return LLVMValues();
  };
  evaluator_.ifElse(isRow_ ? b_.CreateAnd(isFirst, isRow_) : isFirst, then, nullptr);
}

LLVMValues RowTeam::ifRow(function_ref<LLVMValues()> body, const LLVMValues &otherwise) {
  return isRow_ ? evaluator_.ifElse(isRow_, body, [&] { return otherwise; }) : body();
}

void RowTeam::runStage(const RowStage &stage) {
  StageAccumulators accumulators(evaluator_, stage.reduces);
  LLVMValues values = reduce(stage, accumulators, number(0), number(plan_.dims[plan_.keptDims].extent));
  if (!accumulators.empty())
    finish(accumulators, values);
}

LLVMValues RowTeam::reduce(const RowStage &stage, StageAccumulators &accumulators, Value *begin, Value *end) {
  stage_ = &stage;
  accumulators_ = &accumulators;
  LLVMValues values = accumulators.start(lanesAlone(), false);
  if (team_.inRegisters)
    values = inRegisters(values);
  else
    values = ifRow([&] { return overReduced(plan_.keptDims, begin, end, values); }, values);
  return accumulators.empty() ? LLVMValues() : exchange(accumulators, values);
}

void RowTeam::finish(StageAccumulators &accumulators, ArrayRef<Value *> values) {
  LLVMValues all = accumulators.merge(accumulators.start(lanesTogether(), true), values);
  loop::RowEmitter(evaluator_, plan_, nullptr).bindResults(accumulators, accumulators.finish(all));
}

// --- The thread's own elements ---

LLVMValues RowTeam::overReduced(unsigned dim, Value *begin, Value *end, const LLVMValues &carried) {
  if (dim == last_ || !team_.isAlong)
    return distribute(dim, begin, end, carried);
  return evaluator_.forLoop(begin, end, 1, carried, [&](Value *iv, auto values) {
    evaluator_.bindDim(dim, iv, 0);
    return overReduced(dim + 1, number(0), number(plan_.dims[dim + 1].extent), LLVMValues(values));
  });
}

// The dimension, of which every thread takes its share.
LLVMValues RowTeam::distribute(unsigned dim, Value *begin, Value *end, const LLVMValues &carried) {
  if (!team_.sumsInTrees || !stage_->sumsInTrees)
    return inLoop(dim, begin, end, carried);
  auto merge = [&](ArrayRef<Value *> a, ArrayRef<Value *> b) { return accumulators_->merge(a, b); };
  LLVMValues start = accumulators_->start(lanesAlone(), false);
  auto sumBlock = [&](Value *from, Value *to) { return inLoop(dim, from, to, start); };
  int64_t inner = 1; // elements of a thread for each of its indices of the dimension
  for (unsigned d = dim + 1; d < plan_.dims.size(); ++d)
    inner *= plan_.dims[d].extent;
  int64_t block = std::max<int64_t>(1, kSumBlock / inner) * team_.threads * (team_.isAlong ? team_.lanes : 1);
  return merge(carried,
               loop::emitTreeSum(evaluator_, {begin, end, block, plan_.extentOf(dim), start, sumBlock, merge}));
}

LLVMValues RowTeam::inLoop(unsigned dim, Value *begin, Value *end, const LLVMValues &carried) {
  int64_t width = team_.isAlong ? team_.lanes : 1;
  Value *first = b_.CreateAdd(begin, b_.CreateNSWMul(member_, number(width)));
  return evaluator_.forLoop(first, end, team_.threads * width, carried, [&](Value *iv, auto values) {
    evaluator_.bindDim(dim, iv, team_.isAlong ? 1 : 0);
    return overInner(dim + 1, LLVMValues(values));
  });
}

LLVMValues RowTeam::overInner(unsigned dim, const LLVMValues &carried) {
  if (dim == plan_.dims.size())
    return point(carried);
  return evaluator_.forLoop(number(0), number(plan_.dims[dim].extent), 1, carried, [&](Value *iv, auto values) {
    evaluator_.bindDim(dim, iv, 0);
    return overInner(dim + 1, LLVMValues(values));
  });
}

LLVMValues RowTeam::inRegisters(LLVMValues carried) {
  for (int64_t i = 0; i < team_.vectorsOfThread(); ++i) {
    Value *vector = b_.CreateAdd(number(i * team_.members()), member_);
    Value *position = b_.CreateNSWMul(vector, number(team_.lanes));
    Value *isThere = isRow_;
    if ((i + 1) * team_.members() > team_.vectors) {
      Value *isInRow = b_.CreateICmpSLT(vector, number(team_.vectors));
      isThere = isThere ? b_.CreateAnd(isThere, isInRow) : isInRow;
    }
    carried = keptPoint(size_t(i), position, isThere, carried);
  }
  return carried;
}

// One vector of the row, if it is there, with what is kept of it from stage to stage.
LLVMValues RowTeam::keptPoint(size_t vector, Value *position, Value *isThere, const LLVMValues &carried) {
  SmallVector<KeptValue *> fresh;
  LLVMValues values;
  auto then = [&] {
    evaluator_.bindDim(last_, position, 1);
    for (KeptValue &kept : kept_)
      if (vector < kept.vectors.size())
        evaluator_.bind(kept.value.first, kept.value.second, kept.vectors[vector]);
    values = point(carried, [&](LLVMValues &results) {
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

// What the stage does with the elements where the dimensions are bound. `more` may add to the values that are the
// result.
LLVMValues RowTeam::point(ArrayRef<Value *> carried, function_ref<void(LLVMValues &)> more) {
  evaluator_.setLanes(lanesAlone());
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
  evaluator_.setLanes(lanesTogether());
  return results;
}

// --- All threads of a team ---

LLVMValues RowTeam::exchange(StageAccumulators &accumulators, LLVMValues values) {
  accumulators_ = &accumulators;
  if (!team_.isAlong)
    return exchangeShared(values);
  values = accumulators.fold(values, lanesAlone());
  for (unsigned lanes = unsigned(std::min(team_.threads, kWarpThreads)) / 2; lanes > 0; lanes /= 2) {
    LLVMValues others;
    for (Value *value : values)
      others.push_back(gpu_.at(b_, [&] { return gpu_.shuffleXor(value, lanes); }));
    values = accumulators.merge(values, others);
  }
  if (team_.threads > kWarpThreads)
    values = exchangeShared(values);
  return team_.blocks > 1 ? exchangeInCluster(values) : values;
}

int64_t RowTeam::placesOfBlock() const {
  return team_.isAlong ? team_.blockThreads() / kWarpThreads : team_.blockThreads();
}

// Where the accumulator of a place is, of so many: along rows a warp has one, across rows a thread.
Value *RowTeam::slot(size_t value, Value *place, int64_t places) {
  Value *shared = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
  int64_t bytes = kSlotBytes * lanesTogether(), first = sharedBegin_ + int64_t(value) * bytes * places;
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), shared,
                              b_.CreateNSWAdd(b_.CreateNSWMul(place, number(bytes)), number(first)));
}

// Each stage has a part of shared memory: of the one before, others may not have read all yet.
LLVMValues RowTeam::exchangeShared(const LLVMValues &values) {
  Value *thread = threadNumber();
  Value *place = team_.isAlong ? b_.CreateUDiv(thread, number(kWarpThreads)) : thread;
  auto write = [&] {
    for (auto [i, value] : enumerate(values))
      b_.CreateStore(value, slot(i, place, placesOfBlock()));
    return LLVMValues();
  };
  if (team_.isAlong) // every lane of a warp has its sum
    evaluator_.ifElse(b_.CreateICmpEQ(b_.CreateAnd(thread, number(kWarpThreads - 1)), number(0)), write, nullptr);
  else
    write();
  gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
  int64_t count = team_.isAlong ? team_.threads / kWarpThreads : team_.threads, step = team_.isAlong ? 1 : team_.rows;
  // The team's first place: along rows its first warp, across rows the thread of the first warp.
  Value *first = b_.CreateAnd(place, number(team_.isAlong ? -count : step - 1));
  LLVMValues all = mergePlaces(values, first, count, step, placesOfBlock());
  sharedBegin_ += int64_t(values.size()) * kSlotBytes * lanesTogether() * placesOfBlock();
  return all;
}

void RowTeam::emitClusterBarrier() {
  gpu_.at(b_, [&]() -> Value * { return gpu_.emitClusterBarrier(), nullptr; });
}

// A thread for each block of the cluster writes there what its own has. After the barrier each block reads its own
// memory alone, so that others may end.
LLVMValues RowTeam::exchangeInCluster(const LLVMValues &values) {
  Value *thread = threadNumber();
  auto write = [&] {
    Value *to = b_.CreateTrunc(thread, b_.getInt32Ty());
    for (auto [i, value] : enumerate(values)) {
      Value *own = slot(i, blockOfTeam_, team_.blocks);
      b_.CreateStore(value, gpu_.at(b_, [&] { return gpu_.sharedOf(own, to); }));
    }
    return LLVMValues();
  };
  evaluator_.ifElse(b_.CreateICmpULT(thread, number(team_.blocks)), write, nullptr);
  emitClusterBarrier();
  LLVMValues all = mergePlaces(values, number(0), team_.blocks, 1, team_.blocks);
  sharedBegin_ += int64_t(values.size()) * kSlotBytes * team_.blocks;
  return all;
}

// The accumulators at so many places, a power of two, as a balanced tree; `like`: values of the same types. One half
// after the other, so that few of them are in registers at a time.
LLVMValues RowTeam::mergePlaces(ArrayRef<Value *> like, Value *first, int64_t count, int64_t step, int64_t places) {
  if (count > 1) {
    LLVMValues left = mergePlaces(like, first, count / 2, step, places);
    Value *middle = b_.CreateNSWAdd(first, number(count / 2 * step));
    return accumulators_->merge(left, mergePlaces(like, middle, count / 2, step, places));
  }
  LLVMValues values;
  for (auto [i, value] : enumerate(like))
    values.push_back(b_.CreateLoad(value->getType(), slot(i, first, places)));
  return values;
}

} // namespace tenon::codegen
