#include "tenon/codegen/llvm/loop/scatter_buckets.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

int64_t BucketPlan::tableBytes() const {
  return static_cast<int64_t>(llvm::alignTo(chunks * (buckets() + 1) * sizeof(int32_t), 64));
}

int64_t BucketPlan::entryBytes() const { return static_cast<int64_t>(llvm::alignTo(updates * sizeof(int64_t), 64)); }

int64_t BucketPlan::bytes() const { return tableBytes() + entryBytes() + (leavesWhole ? 64 : 0); }

UpdateBuckets::UpdateBuckets(LoopEvaluator &evaluator, const BucketPlan &plan, llvm::Value *memory)
    : evaluator_(evaluator), plan_(plan), table_(memory) {
  llvm::IRBuilder<> &b = evaluator.builder();
  entries_ = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, plan.tableBytes());
  isSorted_ = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, plan.tableBytes() + plan.entryBytes());
}

llvm::Value *UpdateBuckets::address(llvm::Value *chunk, llvm::Value *bucket) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *row = b.CreateNSWMul(chunk, evaluator_.constant(plan_.buckets() + 1));
  return b.CreateInBoundsGEP(b.getInt32Ty(), table_, b.CreateNSWAdd(row, bucket));
}

void UpdateBuckets::overChunks(
    llvm::Value *begin, llvm::Value *end, RowOf rowOf,
    llvm::function_ref<void(llvm::Value *update, llvm::Value *row, llvm::Value *address)> body) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *size = evaluator_.constant(plan_.chunkUpdates()), *all = evaluator_.constant(plan_.updates);
  evaluator_.forLoop(begin, end, 1, [&](llvm::Value *chunk) {
    llvm::Value *first = b.CreateNSWMul(chunk, size);
    llvm::Value *last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateNSWAdd(first, size), all);
    evaluator_.forLoop(first, last, 1, [&](llvm::Value *update) {
      llvm::Value *row = rowOf(update);
      body(update, row, address(chunk, b.CreateLShr(row, llvm::Log2_64(plan_.bucketRows))));
    });
  });
}

void UpdateBuckets::ifSorted(llvm::function_ref<void()> sorted, llvm::function_ref<void()> left) {
  if (!plan_.leavesWhole)
    return sorted();
  llvm::IRBuilder<> &b = evaluator_.builder();
  emitIf(b.CreateIsNotNull(b.CreateLoad(b.getInt8Ty(), isSorted_)), sorted, left);
}

void UpdateBuckets::emitIf(llvm::Value *condition, llvm::function_ref<void()> then, llvm::function_ref<void()> other) {
  auto without = [](llvm::function_ref<void()> body) {
    body();
    return LLVMValues();
  };
  evaluator_.ifElse(condition, [&] { return without(then); }, [&] { return without(other); });
}

// One call has the first chunk, and says it for all.
void UpdateBuckets::count(llvm::Value *begin, llvm::Value *end, RowOf rowOf) {
  if (!plan_.leavesWhole)
    return countChunks(begin, end, rowOf);
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *isFirst = b.CreateICmpEQ(begin, evaluator_.constant(0));
  llvm::Value *isPart = b.CreateNot(b.CreateAnd(isFirst, b.CreateICmpEQ(end, evaluator_.constant(plan_.chunks))));
  emitIf(isFirst, [&] { b.CreateStore(b.CreateZExt(isPart, b.getInt8Ty()), isSorted_); }, [] {});
  emitIf(isPart, [&] { countChunks(begin, end, rowOf); }, [] {});
}

void UpdateBuckets::countChunks(llvm::Value *begin, llvm::Value *end, RowOf rowOf) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  evaluator_.forLoop(begin, end, 1, [&](llvm::Value *chunk) {
    int64_t bytes = (plan_.buckets() + 1) * static_cast<int64_t>(sizeof(int32_t));
    b.CreateMemSet(address(chunk, evaluator_.constant(0)), b.getInt8(0), bytes, llvm::MaybeAlign(4));
  });
  overChunks(begin, end, rowOf, [&](llvm::Value *, llvm::Value *, llvm::Value *address) {
    b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt32Ty(), address), b.getInt32(1)), address);
  });
}

void UpdateBuckets::placeCounts() {
  ifSorted([&] { placeEach(); });
}

void UpdateBuckets::move(llvm::Value *begin, llvm::Value *end, RowOf rowOf) {
  ifSorted([&] { moveChunks(begin, end, rowOf); });
}

void UpdateBuckets::placeEach() {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *zero = evaluator_.constant(0), *buckets = evaluator_.constant(plan_.buckets() + 1);
  evaluator_.forLoop(zero, buckets, 1, {b.getInt32(0)}, [&](llvm::Value *bucket, llvm::ArrayRef<llvm::Value *> start) {
    return evaluator_.forLoop(zero, evaluator_.constant(plan_.chunks), 1, start,
                              [&](llvm::Value *chunk, llvm::ArrayRef<llvm::Value *> place) {
                                llvm::Value *at = address(chunk, bucket), *count = b.CreateLoad(b.getInt32Ty(), at);
                                b.CreateStore(place.front(), at);
                                return LLVMValues{b.CreateAdd(place.front(), count)};
                              });
  });
}

void UpdateBuckets::moveChunks(llvm::Value *begin, llvm::Value *end, RowOf rowOf) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  overChunks(begin, end, rowOf, [&](llvm::Value *update, llvm::Value *row, llvm::Value *address) {
    llvm::Value *place = b.CreateLoad(b.getInt32Ty(), address);
    b.CreateStore(b.CreateAdd(place, b.getInt32(1)), address);
    llvm::Value *entry = b.CreateOr(b.CreateShl(row, 32), update);
    b.CreateStore(entry, b.CreateInBoundsGEP(b.getInt64Ty(), entries_, b.CreateZExt(place, b.getInt64Ty())));
  });
}

// The last chunk has left its places where the buckets end.
std::pair<llvm::Value *, llvm::Value *> UpdateBuckets::entries(llvm::Value *bucket) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *last = evaluator_.constant(plan_.chunks - 1), *zero = evaluator_.constant(0);
  auto endOf = [&](llvm::Value *number) {
    return b.CreateZExt(b.CreateLoad(b.getInt32Ty(), address(last, number)), b.getInt64Ty());
  };
  llvm::Value *isFirst = b.CreateICmpEQ(bucket, zero), *before = b.CreateNSWSub(bucket, evaluator_.constant(1));
  llvm::Value *begin = endOf(b.CreateSelect(isFirst, zero, before));
  return {b.CreateSelect(isFirst, zero, begin), endOf(bucket)};
}

UpdateBuckets::Entry UpdateBuckets::entry(llvm::Value *position) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *entry = b.CreateLoad(b.getInt64Ty(), b.CreateInBoundsGEP(b.getInt64Ty(), entries_, position));
  return {b.CreateAnd(entry, evaluator_.constant(0xffffffff)), b.CreateLShr(entry, 32)};
}

} // namespace tenon::codegen::loop
