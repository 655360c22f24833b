#include "tenon/codegen/gpu/control_code.h"

#include "tenon/program/device_program.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

constexpr uint64_t kNanosecondsOfLook = 100'000; // between two looks at the host's word

} // namespace

void ControlCode::forEach(Value *count, function_ref<void(Value *)> body) {
  Value *first = gpu_.threadInGrid(), *step = gpu_.threadsInGrid();
  BasicBlock *before = b_.GetInsertBlock(), *head = block("head"), *inside = block("body"), *after = block("after");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  PHINode *number = b_.CreatePHI(i64_, 2);
  number->addIncoming(first, before);
  b_.CreateCondBr(b_.CreateICmpSLT(number, count), inside, after);
  b_.SetInsertPoint(inside);
  body(number);
  number->addIncoming(b_.CreateNSWAdd(number, step), b_.GetInsertBlock());
  b_.CreateBr(head);
  b_.SetInsertPoint(after);
}

void ControlCode::onlyIf(Value *condition, function_ref<void()> body) {
  BasicBlock *inside = block("then"), *after = block("after");
  b_.CreateCondBr(condition, inside, after);
  b_.SetInsertPoint(inside);
  body();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

void ControlCode::refresh(Value *places, Value *rows, Value *slotPlaces, Value *list) {
  forEach(load(list, b_.getInt64(0)), [&](Value *number) {
    Value *slot = load(list, b_.CreateNSWAdd(number, b_.getInt64(1)));
    Value *place = load(slotPlaces, slot);
    Value *isNothing = b_.CreateICmpSLT(place, b_.getInt64(0));
    Value *address = load(places, b_.CreateSelect(isNothing, b_.getInt64(0), place));
    store(b_.CreateSelect(isNothing, b_.getInt64(0), address), rows, slot);
  });
}

void ControlCode::advance(const Advance &tables) {
  forEach(load(tables.exchanges, b_.getInt64(0)), [&](Value *number) {
    Value *first = b_.CreateNSWAdd(b_.CreateNSWMul(number, b_.getInt64(2)), b_.getInt64(1));
    Value *home = load(tables.exchanges, first);
    Value *other = load(tables.exchanges, b_.CreateNSWAdd(first, b_.getInt64(1)));
    Value *atHome = load(tables.saved, home), *atOther = load(tables.saved, other);
    store(atOther, tables.saved, home);
    store(atHome, tables.saved, other);
  });
  gpu_.emitBarrier();
  forEach(tables.numPlaces, [&](Value *place) { store(load(tables.saved, place), tables.places, place); });
  gpu_.emitBarrier();
  refresh(tables.places, tables.rows, tables.slotPlaces, tables.list);
}

// Once the run is to end, every look is due: loops around this one learn it, too.
Value *ControlCode::isStopped(Value *stop, Value *looked) {
  Value *now = gpu_.nanoseconds(), *last = b_.CreateLoad(i64_, looked);
  BasicBlock *before = b_.GetInsertBlock(), *look = block("look"), *after = block("looked");
  b_.CreateCondBr(b_.CreateICmpUGE(b_.CreateSub(now, last), b_.getInt64(kNanosecondsOfLook)), look, after);
  b_.SetInsertPoint(look);
  Value *word = b_.CreateLoad(b_.getInt32Ty(), stop, /*isVolatile=*/true);
  Value *isTold = b_.CreateICmpEQ(word, b_.getInt32(program::kStopGraph));
  b_.CreateStore(b_.CreateSelect(isTold, b_.getInt64(0), now), looked);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  PHINode *result = b_.CreatePHI(b_.getInt1Ty(), 2);
  result->addIncoming(b_.getFalse(), before);
  result->addIncoming(isTold, look);
  return result;
}

void ControlCode::continueIf(Value *predicate, Value *handle, Value *stop, Value *looked) {
  Value *continues = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), predicate), b_.getInt8(0));
  continues = b_.CreateAnd(continues, b_.CreateNot(isStopped(stop, looked)));
  gpu_.emitSetConditional(handle, b_.CreateZExt(continues, b_.getInt32Ty()));
}

} // namespace tenon::codegen
