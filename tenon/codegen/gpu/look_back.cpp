#include "tenon/codegen/gpu/look_back.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::loop::Elements, tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator;

namespace tenon::codegen {
namespace {

constexpr int64_t kGroup = kWarpThreads; // tiles
constexpr int64_t kWordBytes = sizeof(uint32_t);

} // namespace

LookBackPlan planLookBack(int64_t rows, int64_t tiles, int64_t values, ArrayRef<mlir::Type> types, int64_t tempBase,
                          int64_t &tempBytes) {
  LookBackPlan plan;
  plan.rows = rows;
  plan.tiles = tiles;
  plan.groups = divideCeilSigned(tiles, kGroup);
  plan.values = values;
  auto take = [&](int64_t bytes) {
    int64_t offset = tempBase + tempBytes;
    tempBytes += int64_t(alignTo(uint64_t(bytes), 64));
    return offset;
  };
  plan.words = take(plan.wordCount() * kWordBytes);
  for (mlir::Type type : types) {
    plan.tileSums.push_back(take(rows * tiles * storageBytes(type)));
    plan.groupSums.push_back(take(rows * plan.groups * storageBytes(type)));
    plan.groupEnds.push_back(take(rows * plan.groups * storageBytes(type)));
  }
  return plan;
}

// --- Memory ---

Value *LookBack::sharedSlot(int64_t slot) {
  Value *shared = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shared, uint64_t(sharedBegin_ + slot * kSlotBytes));
}

Value *LookBack::wordAt(Value *number) {
  Value *words = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), evaluator_->tempPointer(), uint64_t(tiles_.words));
  return b_.CreateInBoundsGEP(b_.getInt32Ty(), words, number);
}

// The first word counts the tiles that have been taken.
Value *LookBack::tileWord(Value *tile) {
  return wordAt(b_.CreateNSWAdd(b_.CreateNSWAdd(b_.CreateNSWMul(row_, number(tiles_.tiles)), tile), number(1)));
}

Value *LookBack::groupWord(Value *group) {
  Value *place = b_.CreateNSWAdd(b_.CreateNSWMul(row_, number(tiles_.groups)), group);
  return wordAt(b_.CreateNSWAdd(place, number(1 + tiles_.rows * tiles_.tiles)));
}

void LookBack::publish(Value *word, Word state) {
  gpu_.at(b_, [&]() -> Value * { return gpu_.storeRelease(b_.getInt32(state), word), nullptr; });
}

// What the word says, once it says something.
Value *LookBack::awaited(Value *word) {
  Function *function = b_.GetInsertBlock()->getParent();
  auto block = [&](const char *label) { return BasicBlock::Create(b_.getContext(), label, function); };
  BasicBlock *look = block("look"), *pause = block("pause"), *after = block("seen");
  b_.CreateBr(look);
  b_.SetInsertPoint(look);
  Value *state = gpu_.at(b_, [&] { return gpu_.loadAcquire(word); });
  b_.CreateCondBr(b_.CreateICmpNE(state, b_.getInt32(kNothing)), after, pause);
  b_.SetInsertPoint(pause);
  gpu_.at(b_, [&]() -> Value * { return gpu_.emitPause(), nullptr; });
  b_.CreateBr(look);
  b_.SetInsertPoint(after);
  return state;
}

Value *LookBack::valueAt(ArrayRef<int64_t> offsets, size_t result, Value *place) {
  Value *base = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), evaluator_->tempPointer(), uint64_t(offsets[result]));
  return elementAddress(b_, types()[result], base, place);
}

void LookBack::write(ArrayRef<int64_t> offsets, Value *place, const LLVMValues &values) {
  for (auto [i, element] : enumerate(LoopEvaluator::unpack(values, types())))
    storeElements(b_, types()[i], element, valueAt(offsets, i, place), 1);
}

LLVMValues LookBack::read(ArrayRef<int64_t> offsets, Value *place) {
  Elements elements;
  for (auto [i, type] : enumerate(types()))
    elements.push_back(loadElements(b_, type, valueAt(offsets, i, place), 1));
  return LoopEvaluator::pack(elements);
}

LLVMValues LookBack::shuffled(const LLVMValues &values, Value *lane) {
  LLVMValues others;
  for (Value *value : values)
    others.push_back(gpu_.at(b_, [&] { return gpu_.shuffleFrom(value, lane); }));
  return others;
}

// --- Steps ---

void LookBack::emitClear(Value *word) { b_.CreateStore(b_.getInt32(kNothing), wordAt(word)); }

Value *LookBack::takeTile(Value *thread) {
  auto take = [&] {
    Value *taken = gpu_.at(b_, [&] { return gpu_.emitAtomic(AtomicRMWInst::Add, wordAt(number(0)), b_.getInt32(1)); });
    b_.CreateStore(taken, sharedSlot(0));
    return LLVMValues();
  };
  evaluator_->ifElse(b_.CreateICmpEQ(thread, number(0)), take, nullptr);
  gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
  return b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), sharedSlot(0)), b_.getInt64Ty());
}

LLVMValues LookBack::before(Value *thread, Value *row, Value *tile, const LLVMValues &sum) {
  lane_ = thread;
  row_ = row;
  auto byWarp = [&] {
    emitByWarp(tile, sum);
    return LLVMValues();
  };
  evaluator_->ifElse(b_.CreateICmpSLT(thread, number(kWarpThreads)), byWarp, nullptr);
  gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
  LLVMValues values;
  for (auto [i, value] : enumerate(sum))
    values.push_back(b_.CreateLoad(value->getType(), sharedSlot(1 + int64_t(i))));
  return values;
}

// The first warp, to shared memory.
void LookBack::emitByWarp(Value *tile, const LLVMValues &sum) {
  Value *isFirst = b_.CreateICmpEQ(lane_, number(0));
  auto byFirst = [&](Value *condition, function_ref<void()> body) {
    auto then = [&] {
      body();
      return LLVMValues();
    };
    evaluator_->ifElse(b_.CreateAnd(isFirst, condition), then, nullptr);
  };
  Value *group = b_.CreateUDiv(tile, number(kGroup)), *inGroup = b_.CreateAnd(tile, number(kGroup - 1));
  Value *isLast = b_.CreateICmpEQ(inGroup, number(kGroup - 1));
  Value *tilePlace = b_.CreateNSWAdd(b_.CreateNSWMul(row_, number(tiles_.tiles)), tile);
  Value *groupPlace = b_.CreateNSWAdd(b_.CreateNSWMul(row_, number(tiles_.groups)), group);
  byFirst(b_.getTrue(), [&] {
    write(tiles_.tileSums, tilePlace, sum);
    publish(tileWord(tile), kSum);
  });
  LLVMValues earlier = earlierTiles(group, inGroup), whole = merge(earlier, sum);
  byFirst(isLast, [&] {
    write(tiles_.groupSums, groupPlace, whole);
    publish(groupWord(group), kSum);
  });
  LLVMValues base = earlierGroups(group);
  byFirst(isLast, [&] {
    write(tiles_.groupEnds, groupPlace, merge(base, whole));
    publish(groupWord(group), kEnd);
  });
  byFirst(b_.getTrue(), [&] {
    for (auto [i, value] : enumerate(merge(base, earlier)))
      b_.CreateStore(value, sharedSlot(1 + int64_t(i)));
  });
}

// The sum of the group's tiles before this one, as a tree: each lane has one of them, or what changes nothing.
LLVMValues LookBack::earlierTiles(Value *group, Value *inGroup) {
  auto load = [&] {
    Value *tile = b_.CreateNSWAdd(b_.CreateNSWMul(group, number(kGroup)), lane_);
    awaited(tileWord(tile));
    return read(tiles_.tileSums, b_.CreateNSWAdd(b_.CreateNSWMul(row_, number(tiles_.tiles)), tile));
  };
  LLVMValues sum = evaluator_->ifElse(b_.CreateICmpSLT(lane_, inGroup), load, [&] { return neutral(1); });
  for (int64_t lanes = 1; lanes < kWarpThreads; lanes *= 2) {
    LLVMValues other = shuffled(sum, b_.CreateTrunc(b_.CreateXor(lane_, number(lanes)), b_.getInt32Ty()));
    Value *isBehind = b_.CreateICmpNE(b_.CreateAnd(lane_, number(lanes)), number(0));
    LLVMValues first, second;
    for (auto [own, others] : zip(sum, other)) {
      first.push_back(b_.CreateSelect(isBehind, others, own));
      second.push_back(b_.CreateSelect(isBehind, own, others));
    }
    sum = merge(first, second);
  }
  return sum;
}

// What comes up to the end of the group before: of the nearest one that has it, and then the sums of those behind. A
// warp sees 32 of them, and looks again until one has it.
LLVMValues LookBack::earlierGroups(Value *group) {
  Function *function = b_.GetInsertBlock()->getParent();
  auto block = [&](const char *label) { return BasicBlock::Create(b_.getContext(), label, function); };
  LLVMValues start = this->start(1);
  Value *own = b_.CreateNSWSub(b_.CreateNSWSub(group, number(1)), lane_);
  BasicBlock *look = block("look"), *again = block("again"), *found = block("found");
  b_.CreateBr(look);
  b_.SetInsertPoint(look);
  Value *distance = distanceToEnd(own);
  b_.CreateCondBr(b_.CreateICmpSLT(distance, number(kWarpThreads)), found, again);
  b_.SetInsertPoint(again);
  gpu_.at(b_, [&]() -> Value * { return gpu_.emitPause(), nullptr; });
  b_.CreateBr(look);
  b_.SetInsertPoint(found);
  Value *place = b_.CreateNSWAdd(b_.CreateNSWMul(row_, number(tiles_.groups)), own);
  Value *hasEnd = b_.CreateAnd(b_.CreateICmpEQ(lane_, distance), b_.CreateICmpSGE(own, number(0)));
  LLVMValues end = evaluator_->ifElse(hasEnd, [&] { return read(tiles_.groupEnds, place); }, [&] { return start; });
  Value *isBehind = b_.CreateICmpSLT(lane_, distance);
  LLVMValues sum =
      evaluator_->ifElse(isBehind, [&] { return read(tiles_.groupSums, place); }, [&] { return neutral(1); });
  end = shuffled(end, b_.CreateTrunc(distance, b_.getInt32Ty()));
  return evaluator_->forLoop(number(0), distance, 1, end, [&](Value *step, ArrayRef<Value *> values) {
    Value *lane = b_.CreateNSWSub(b_.CreateNSWSub(distance, number(1)), step);
    return merge(values, shuffled(sum, b_.CreateTrunc(lane, b_.getInt32Ty())));
  });
}

// How far the first of the groups that the lanes look at is that knows what comes up to its end; as many as a warp has
// lanes, if it is none. Before the first group, that is the start.
Value *LookBack::distanceToEnd(Value *own) {
  auto look = [&] {
    Value *isEnd = b_.CreateICmpEQ(awaited(groupWord(own)), b_.getInt32(kEnd));
    return LLVMValues{b_.CreateSelect(isEnd, lane_, number(kWarpThreads))};
  };
  Value *isGroup = b_.CreateICmpSGE(own, number(0));
  Value *distance = evaluator_->ifElse(isGroup, look, [&] { return LLVMValues{lane_}; }).front();
  for (unsigned lanes = 1; lanes < unsigned(kWarpThreads); lanes *= 2) {
    Value *other = gpu_.at(b_, [&] { return gpu_.shuffleXor(distance, lanes); });
    distance = b_.CreateBinaryIntrinsic(Intrinsic::smin, distance, other);
  }
  return distance;
}

} // namespace tenon::codegen
