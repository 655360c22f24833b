#include "tenon/codegen/llvm/sizes.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen {

GlobalVariable *SizeTable::write(Module &module, StringRef name) const {
  Constant *data = ConstantDataArray::get(module.getContext(), values);
  auto *table = new GlobalVariable(module, data->getType(), true, GlobalValue::InternalLinkage, data, name);
  table->setAlignment(Align(8));
  return table;
}

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

// `linear` is divided from the innermost dimension outwards; what is left is the index of the outermost one.
Value *Sizes::offset(const StridedDims &dims, Value *linear) {
  if (areConstants())
    return offsetOf(e_, dims, linear);
  if (dims.isAffine())
    return times(linear, dims.inner().stride);
  SmallVector<int64_t> table;
  for (const StridedDims::Dim &dim : reverse(ArrayRef(dims.dims).drop_front()))
    table.append({dim.size, dim.stride});
  Value *start = addressOf(table), *end = (*this)(int64_t(table.size()));
  Values last = e_.loop(e_.i64(0), end, e_.i64(2), {linear, e_.i64(0)}, [&](Value *i, ArrayRef<Value *> before) {
    auto at = [&](int64_t k) { return e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), start, e_.add(i, k))); };
    Value *size = at(0), *index = e_.b.CreateURem(before[0], size);
    return Values{e_.b.CreateUDiv(before[0], size), e_.add(before[1], e_.b.CreateMul(index, at(1)))};
  });
  return e_.add(last[1], product(last[0], dims.dims.front().stride));
}

void Sizes::forEachOffset(const StridedDims &dims, Value *first, Value *count,
                          function_ref<void(Value *, Value *)> body) {
  int64_t stride = dims.inner().stride;
  if (dims.isAffine())
    return e_.loop(e_.i64(0), count, 1, [&](Value *i) { body(i, times(e_.add(first, i), stride)); });
  assert(!areConstants() && "code of a kernel's own is for one dimension");
  Value *size = (*this)(dims.inner().size);
  e_.whileLess(e_.i64(0), count, [&](Value *done) {
    Value *linear = e_.add(first, done), *within = e_.b.CreateURem(linear, size);
    Value *start = e_.add(offset(dims, e_.sub(linear, within)), times(within, stride));
    Value *run = e_.min(e_.sub(size, within), e_.sub(count, done));
    e_.loop(e_.i64(0), run, 1, [&](Value *i) { body(e_.add(done, i), e_.add(start, times(i, stride))); });
    return e_.add(done, run);
  });
}

} // namespace tenon::codegen
