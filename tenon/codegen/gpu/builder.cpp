#include "tenon/codegen/gpu/builder.h"

using namespace llvm;

namespace tenon::codegen {

Value *GpuBuilder::threadInGrid() {
  return b.CreateNSWAdd(b.CreateNSWMul(wide(Number::kBlock), wide(Number::kThreads)), wide(Number::kThread));
}

Value *GpuBuilder::threadsInGrid() { return b.CreateNSWMul(wide(Number::kBlocks), wide(Number::kThreads)); }

Value *GpuBuilder::shuffleXor(Value *value, unsigned lanes) {
  return shuffle(value, [&](Value *word) { return shuffleWord(word, lanes); });
}

Value *GpuBuilder::shuffleFrom(Value *value, Value *lane) {
  return shuffle(value, [&](Value *word) { return shuffleWordFrom(word, lane); });
}

Value *GpuBuilder::shuffle(Value *value, function_ref<Value *(Value *)> shuffleWord) {
  Type *type = value->getType(), *word = b.getInt32Ty();
  unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  assert(bits <= 64 && "wider values are for the caller to take apart");
  if (bits < 32) {
    Type *narrow = b.getIntNTy(bits);
    Value *packed = b.CreateZExt(b.CreateBitCast(value, narrow), word);
    return b.CreateBitCast(b.CreateTrunc(shuffleWord(packed), narrow), type);
  }
  if (bits == 32)
    return b.CreateBitCast(shuffleWord(b.CreateBitCast(value, word)), type);
  auto *words = FixedVectorType::get(word, 2);
  Value *parts = b.CreateBitCast(value, words), *result = PoisonValue::get(words);
  for (uint64_t i = 0; i < 2; ++i)
    result = b.CreateInsertElement(result, shuffleWord(b.CreateExtractElement(parts, i)), i);
  return b.CreateBitCast(result, type);
}

// Relaxed, which is all that LLVM 22 makes of any order.
Value *GpuBuilder::emitAtomic(AtomicRMWInst::BinOp op, Value *address, Value *value) {
  return b.CreateAtomicRMW(op, address, value, MaybeAlign(), AtomicOrdering::Monotonic,
                           b.getContext().getOrInsertSyncScopeID("device"));
}

Value *GpuBuilder::loadAcquire(Value *address) {
  LoadInst *load = b.CreateAlignedLoad(b.getInt32Ty(), address, Align(sizeof(uint32_t)));
  load->setAtomic(AtomicOrdering::Acquire, b.getContext().getOrInsertSyncScopeID("device"));
  return load;
}

void GpuBuilder::storeRelease(Value *value, Value *address) {
  StoreInst *store = b.CreateAlignedStore(value, address, Align(sizeof(uint32_t)));
  store->setAtomic(AtomicOrdering::Release, b.getContext().getOrInsertSyncScopeID("device"));
}

Value *GpuBuilder::at(IRBuilderBase &place, function_ref<Value *()> emit) {
  b.restoreIP(place.saveIP());
  Value *result = emit();
  place.restoreIP(b.saveIP());
  return result;
}

} // namespace tenon::codegen
