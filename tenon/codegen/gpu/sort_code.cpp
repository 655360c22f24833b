#include "tenon/codegen/gpu/sort_code.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// Arrays in a temporary block begin at lines of so many bytes.
constexpr uint64_t kLine = 64;

int64_t lines(int64_t bytes) { return int64_t(alignTo(uint64_t(bytes), kLine)); }

} // namespace

int64_t KeySets::setBytes() const {
  return lines(elements * keyBytes) + (hasPositions ? lines(elements * kPositionBytes) : 0);
}

int64_t KeySets::positionsOffset(int64_t set) const { return keysOffset(set) + lines(elements * keyBytes); }

SortCode::SortCode(KeySets sets, int64_t count, Emitter &e, GpuBuilder &gpu, Value *temp)
    : e_(e), gpu_(gpu), key_(e.b.getIntNTy(unsigned(sets.keyBytes) * 8)), i32_(e.b.getInt32Ty()), sets_(sets),
      count_(count), temp_(temp) {}

void SortCode::barrier() {
  gpu_.at(e_.b, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
}

Value *SortCode::numberOfThread() {
  return wide(gpu_.at(e_.b, [&] { return gpu_.number(GpuBuilder::Number::kThread); }));
}

Value *SortCode::sharedMemory() {
  return gpu_.at(e_.b, [&] { return gpu_.sharedMemory(); });
}

Value *SortCode::inTemp(int64_t offset, Type *type, Value *i) {
  return e_.gep(type, e_.gep(e_.b.getInt8Ty(), temp_, offset), i);
}

Value *SortCode::inSet(Value *set, int64_t offset, Type *type, Value *row, Value *i) {
  Value *first = e_.add(e_.mul(e_.b.CreateAnd(set, 1), sets_.setBytes()), offset);
  return e_.gep(type, e_.gep(e_.b.getInt8Ty(), temp_, first), e_.add(e_.mul(row, count_), i));
}

Value *SortCode::keyAt(Value *set, Value *row, Value *i) { return inSet(set, sets_.keysOffset(0), key_, row, i); }

Value *SortCode::positionAt(Value *set, Value *row, Value *i) {
  return inSet(set, sets_.positionsOffset(0), i32_, row, i);
}

} // namespace tenon::codegen
