#include "tenon/codegen/llvm/loop/row_groups.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

namespace tenon::codegen::loop {
namespace {

// Memory of the function for something of each row of a group.
llvm::Value *reserve(LoopEvaluator &evaluator, uint64_t bytes) {
  llvm::BasicBlock &entry = evaluator.builder().GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  auto *memory = atEntry.CreateAlloca(llvm::ArrayType::get(atEntry.getInt8Ty(), bytes));
  memory->setAlignment(llvm::Align(64));
  return memory;
}

// Values of a type, one for each row.
struct RowValues {
  IndexedValue value;
  llvm::Value *memory;
};

// The accumulators of the rows, and where they are: a vector of each LLVM value for each row.
struct StoredLanes {
  unsigned lanes = 0;
  llvm::SmallVector<llvm::Type *, 4> types; // of one lane
  LLVMValues memory;
};

class RowGroup {
public:
  RowGroup(LoopEvaluator &evaluator, const RowReductionPlan &plan, RowEmitter &rows, llvm::Value *scratch)
      : evaluator_(evaluator), plan_(plan), rows_(rows), scratch_(scratch), dim_(plan.keptDims - 1),
        lanes_(plan.groupLanes) {}

  // The rows from `first` to before `last`.
  void emit(llvm::Value *first, llvm::Value *last) {
    first_ = first;
    last_ = last;
    for (unsigned number = 0; number < plan_.stages.size(); ++number) {
      const RowStage &stage = plan_.stages[number];
      // Short rows are little else than shuffles across them, of which one array takes a third of what three do, and
      // which take more instructions the narrower lanes are.
      StageAccumulators accumulators(evaluator_, stage.reduces, /*asKeys=*/hasKeys(stage));
      StoredLanes stored = overRows(stage, accumulators);
      if (!accumulators.empty())
        fold(accumulators, stored);
      if (number + 1 < plan_.stages.size())
        computeAcross(plan_.stages[number + 1].rowValues);
    }
    write();
  }

private:
  llvm::Value *slot() {
    return evaluator_.builder().CreateSub(evaluator_.uniformIndex(evaluator_.space().dim(dim_)), first_);
  }

  // Binds what is known of the rows that the evaluator stands at.
  void bindKnown() {
    llvm::IRBuilder<> &b = evaluator_.builder();
    for (const auto &[value, memory] : known_) {
      mlir::Type type = elementTypeOf(value.first);
      evaluator_.bind(value.first, value.second,
                      loadElements(b, type, elementAddress(b, type, memory, slot()), evaluator_.lanes(), nullptr));
    }
  }

  // Memory for the value at each row's index, which is known from here on.
  llvm::Value *addKnown(const IndexedValue &value) {
    llvm::Value *memory = reserve(evaluator_, uint64_t(plan_.groupedRows) * storageBytes(elementTypeOf(value.first)));
    known_.push_back({value, memory});
    return memory;
  }

  bool isKnown(const IndexedValue &value) const {
    return llvm::any_of(known_, [&](const RowValues &known) { return known.value == value; });
  }

  // Whether extrema of rows are keys: not of longer rows, of which each register takes more instructions then. Narrow
  // floats fill fewer registers before they are widened.
  bool hasKeys(const RowStage &stage) const {
    constexpr int64_t kMostElements = 47, kMostRegisters = 5;
    int64_t elements = plan_.extentOf(plan_.dims.size() - 1);
    if (stage.reduces.empty() || elements > kMostElements)
      return false;
    bool isNarrow = !elementTypeOf(stage.reduces.front()->getOperand(0)).isF32();
    return isNarrow || elements * 32 <= kMostRegisters * evaluator_.target()->vectorBits();
  }

  StoredLanes overRows(const RowStage &stage, StageAccumulators &accumulators) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    StoredLanes stored;
    int64_t scratchOfRow = plan_.scratchBytes / plan_.groupedRows;
    evaluator_.forLoop(first_, last_, 1, [&](llvm::Value *row) {
      evaluator_.bindDim(dim_, row, 0);
      bindKnown();
      if (scratchOfRow > 0) {
        llvm::Value *offset = b.CreateMul(slot(), evaluator_.constant(scratchOfRow));
        rows_.setScratch(b.CreateInBoundsGEP(b.getInt8Ty(), scratch_, offset));
      }
      LaneSet set = rows_.reduceLanes(stage, accumulators, lanes_);
      // One array across whose rows shuffles go instead of three compiles in less time, and longer rows take no more.
      set.values = accumulators.settleNarrow(set.values);
      if (!accumulators.empty())
        stored = store(set);
    });
    return stored;
  }

  StoredLanes store(const LaneSet &set) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    StoredLanes stored;
    stored.lanes = set.lanes;
    for (llvm::Value *value : set.values) {
      llvm::Type *lane = value->getType()->getScalarType();
      stored.types.push_back(lane);
      if (lane->isIntegerTy() && lane->getIntegerBitWidth() < 8) // a vector of these is packed in memory
        value = b.CreateZExt(value, value->getType()->getWithNewType(b.getInt8Ty()));
      uint64_t bytes = set.lanes * bytesOf(lane);
      llvm::Value *memory = reserve(evaluator_, uint64_t(plan_.groupedRows) * bytes);
      llvm::Value *offset = b.CreateMul(slot(), evaluator_.constant(int64_t(bytes)));
      b.CreateAlignedStore(value, b.CreateInBoundsGEP(b.getInt8Ty(), memory, offset), llvm::Align(1));
      stored.memory.push_back(memory);
    }
    return stored;
  }

  static uint64_t bytesOf(llvm::Type *lane) { return std::max<uint64_t>(lane->getScalarSizeInBits() / 8, 1); }

  // A vector of the lanes of these rows behind `first`.
  llvm::Value *load(llvm::Type *lane, llvm::Value *memory, unsigned lanes, llvm::Value *first,
                    llvm::ArrayRef<unsigned> rows) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    bool isNarrow = lane->isIntegerTy() && lane->getIntegerBitWidth() < 8;
    llvm::Type *stored = isNarrow ? b.getInt8Ty() : lane;
    auto bytes = int64_t(lanes * bytesOf(lane));
    memory = b.CreateInBoundsGEP(b.getInt8Ty(), memory, b.CreateMul(first, evaluator_.constant(bytes)));
    llvm::Value *all = nullptr;
    for (size_t begin = 0, end; begin < rows.size(); begin = end) {
      for (end = begin + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;)
        ++end;
      auto *type = llvm::FixedVectorType::get(stored, unsigned(end - begin) * lanes);
      llvm::Value *address = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, rows[begin] * bytes);
      llvm::Value *run = b.CreateAlignedLoad(type, address, llvm::Align(bytesOf(lane)));
      all = all ? join(all, run) : run;
    }
    return isNarrow ? b.CreateTrunc(all, all->getType()->getWithNewType(lane)) : all;
  }

  // The lanes of one vector, and behind them those of another one.
  llvm::Value *join(llvm::Value *a, llvm::Value *c) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    unsigned before = lanesOf(a), behind = lanesOf(c);
    auto widen = [&](llvm::Value *value, unsigned lanes, unsigned to) {
      llvm::SmallVector<int> mask(to, -1);
      for (unsigned lane = 0; lane < lanes; ++lane)
        mask[lane] = int(lane);
      return lanes == to ? value : b.CreateShuffleVector(value, mask);
    };
    unsigned most = std::max(before, behind);
    llvm::SmallVector<int> mask;
    for (unsigned lane = 0; lane < before; ++lane)
      mask.push_back(int(lane));
    for (unsigned lane = 0; lane < behind; ++lane)
      mask.push_back(int(most + lane));
    return b.CreateShuffleVector(widen(a, before, most), widen(c, behind, most), mask);
  }

  static unsigned lanesOf(llvm::Value *vector) {
    return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  }

  // The accumulators of these rows behind `first`, as many lanes of each as fill a vector. Rows whose lanes lie within
  // a block of a vector are halved within it, since shuffles within blocks of 128 bits take less time than those
  // between them.
  LLVMValues lanesOfRows(StageAccumulators &accumulators, const StoredLanes &stored, llvm::Value *first,
                         llvm::ArrayRef<unsigned> rows) {
    unsigned lanes = lanes_ / unsigned(rows.size()), block = blockLanes();
    if (lanes == stored.lanes) {
      LLVMValues values;
      for (auto [type, memory] : llvm::zip(stored.types, stored.memory))
        values.push_back(load(type, memory, lanes, first, rows));
      return values;
    }
    llvm::SmallVector<unsigned, 16> halves[2];
    size_t piece = lanes * 2 > block ? rows.size() : block / lanes;
    for (auto [i, row] : llvm::enumerate(rows))
      halves[i % piece >= piece / 2].push_back(row);
    return accumulators.foldRows(lanesOfRows(accumulators, stored, first, halves[0]),
                                 lanesOfRows(accumulators, stored, first, halves[1]), lanes * 2, block);
  }

  unsigned blockLanes() const {
    unsigned blocks = std::max(1U, unsigned(evaluator_.target()->vectorBits()) / 128);
    return std::max(1U, lanes_ / blocks);
  }

  // The results of a stage's reductions for all rows. Behind the last row, they are of whatever is in memory.
  void fold(StageAccumulators &accumulators, const StoredLanes &stored) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    IndexSpace &space = evaluator_.space();
    LLVMValues memory;
    for (mlir::Operation *reduce : accumulators.reduces())
      for (mlir::Value result : reduce->getResults())
        memory.push_back(
            addKnown({result, IndexVector(space.reshape(plan_.rows.kept, plan_.rows.keptShape, shapeOf(result)))}));
    auto rows = llvm::to_vector<16>(llvm::seq(lanes_));
    unsigned before = evaluator_.lanes();
    evaluator_.setLanes(lanes_);
    evaluator_.forLoop(evaluator_.constant(0), b.CreateSub(last_, first_), lanes_, [&](llvm::Value *first) {
      LLVMValues folded = accumulators.settle(lanesOfRows(accumulators, stored, first, rows));
      Elements results = accumulators.finish(accumulators.merge(accumulators.start(lanes_, true), folded));
      unsigned next = 0;
      for (mlir::Operation *reduce : accumulators.reduces())
        for (mlir::Value result : reduce->getResults()) {
          mlir::Type type = elementTypeOf(result);
          storeElements(b, type, results[next], elementAddress(b, type, memory[next], first), lanes_, nullptr);
          ++next;
        }
    });
    evaluator_.setLanes(before);
  }

  // What the next stage takes of each row, in vectors across rows.
  void computeAcross(llvm::ArrayRef<IndexedValue> values) {
    llvm::SmallVector<IndexedValue, 4> wanted;
    for (const IndexedValue &value : values)
      if (!isKnown(value))
        wanted.push_back(value);
    if (wanted.empty())
      return;
    // Whole vectors, where nothing is read that is not there behind the last row: what is left of a group would have
    // code of its own.
    llvm::IRBuilder<> &b = evaluator_.builder();
    bool isWhole = !readsRows();
    llvm::Value *end = last_;
    if (isWhole) {
      llvm::Value *count = b.CreateNSWAdd(b.CreateSub(last_, first_), evaluator_.constant(lanes_ - 1));
      end = b.CreateAdd(first_, b.CreateAnd(count, evaluator_.constant(-int64_t(lanes_))));
    }
    LLVMValues memory;
    for (const IndexedValue &value : wanted)
      memory.push_back(reserve(evaluator_, uint64_t(plan_.groupedRows) * storageBytes(elementTypeOf(value.first))));
    LoopNest(evaluator_, plan_).overVector(dim_, lanes_, first_, end, isWhole, {}, [&](auto) {
      bindKnown();
      for (auto [value, at] : llvm::zip(wanted, memory)) {
        mlir::Type type = elementTypeOf(value.first);
        storeElements(b, type, evaluator_.evalVector(value.first, value.second), elementAddress(b, type, at, slot()),
                      evaluator_.lanes(), nullptr);
      }
      return LLVMValues();
    });
    for (auto [value, at] : llvm::zip(wanted, memory))
      known_.push_back({value, at});
  }

  // Whether the kernel reads arrays that have one element for a row, or at places that a row's values say.
  bool readsRows() const {
    return llvm::any_of(plan_.use.accesses, [&](const PlanAccess &access) {
      LinearForm form = IndexSpace::linearForm(access.position);
      return !access.isOutput && llvm::none_of(llvm::seq<unsigned>(plan_.keptDims, plan_.dims.size()),
                                               [&](unsigned d) { return form.coefficient(plan_.space().dim(d)) != 0; });
    });
  }

  // The kernel's results of one element for a row.
  void write() {
    if (plan_.rowOutputs.empty())
      return;
    llvm::SmallVector<IndexedValue, 2> values;
    for (unsigned output : plan_.rowOutputs)
      values.push_back({plan_.outputs[output].value, plan_.outputs[output].index});
    computeAcross(values);
    LoopNest(evaluator_, plan_).overVector(dim_, lanes_, first_, last_, false, {}, [&](auto) {
      bindKnown();
      rows_.writeRowOutputs();
      return LLVMValues();
    });
  }

  LoopEvaluator &evaluator_;
  const RowReductionPlan &plan_;
  RowEmitter &rows_;
  llvm::Value *scratch_;
  unsigned dim_, lanes_; // along which the rows of a group lie, and of vectors across them
  llvm::Value *first_ = nullptr, *last_ = nullptr;
  llvm::SmallVector<RowValues, 4> known_;
};

} // namespace

void emitRowGroups(LoopEvaluator &evaluator, const RowReductionPlan &plan, RowEmitter &rows, llvm::Value *scratch) {
  llvm::IRBuilder<> &b = evaluator.builder();
  LoopNest(evaluator, plan).overRanges(plan.keptDims, /*ofOneTask=*/false, [&](llvm::Value *begin, llvm::Value *end) {
    evaluator.forLoop(begin, end, plan.groupedRows, [&](llvm::Value *first) {
      llvm::Value *next = b.CreateNSWAdd(first, evaluator.constant(plan.groupedRows));
      RowGroup(evaluator, plan, rows, scratch).emit(first, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, next, end));
    });
  });
}

} // namespace tenon::codegen::loop
