// What the routines of a register-tiled kernel read at run time.
#include "tenon/codegen/cpu/matmul/tiled.h"

using namespace llvm;

namespace tenon::codegen::matmul {

int64_t Sizes::append(int64_t value) {
  table_->values.push_back(value);
  return int64_t(table_->values.size()) - 1 - first_;
}

Value *Sizes::operator()(int64_t value) {
  if (areConstants())
    return e_.i64(value);
  BasicBlock &entry = e_.function->getEntryBlock();
  IRBuilder<> b(&entry, lastLoad_ ? std::next(lastLoad_->getIterator()) : entry.getFirstInsertionPt());
  Value *at = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), pointer_, uint64_t(append(value)));
  lastLoad_ = b.CreateAlignedLoad(b.getInt64Ty(), at, Align(8));
  return lastLoad_;
}

Value *Sizes::addressOf(ArrayRef<int64_t> values) {
  arrays_.push_back({int64_t(table_->values.size()), SmallVector<int64_t>(values)});
  return e_.b.CreateInBoundsGEP(e_.b.getInt64Ty(), pointer_, (*this)(0));
}

void Sizes::finish() {
  for (const Array &array : arrays_) {
    table_->values[size_t(array.place)] = int64_t(table_->values.size()) - first_;
    llvm::append_range(table_->values, array.values);
  }
}

Value *Sizes::product(Value *x, int64_t factor) {
  if (auto *constant = dyn_cast<ConstantInt>(x); constant && constant->isZero())
    return x;
  return areConstants() ? e_.mul(x, factor) : e_.b.CreateMul(x, (*this)(factor), "", false, true);
}

Value *Sizes::quotient(Value *x, int64_t divisor) {
  return areConstants() ? e_.udiv(x, divisor) : e_.b.CreateUDiv(x, (*this)(divisor));
}

Value *Sizes::remainder(Value *x, int64_t divisor) {
  return areConstants() ? e_.urem(x, divisor) : e_.b.CreateURem(x, (*this)(divisor));
}

Value *Sizes::times(Value *x, int64_t factor) {
  return factor == 0 || factor == 1 ? e_.mul(x, factor) : product(x, factor);
}

Value *Sizes::offset(const StridedDims &dims, Value *linear) {
  return dims.isAffine() ? times(linear, dims.inner().stride) : offsetOf(e_, dims, linear);
}

} // namespace tenon::codegen::matmul
