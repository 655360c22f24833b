#include "tenon/codegen/llvm/entry/concurrent_calls.h"

namespace tenon::codegen::entry {
namespace {

using Storage = BufferClass::Storage;

// Whether the two may lie on the same bytes: where their places in the arena or in a result's memory meet, or one is an
// argument that is donated to the result that the other is, or is in the memory of.
bool mayOverlap(const BufferPlan &plan, const BufferClass &a, const BufferClass &b) {
  bool isPlaced = a.storage == Storage::kArena || a.storage == Storage::kResult;
  if (isPlaced && a.storage == b.storage)
    return a.index == b.index && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  if (a.storage == Storage::kArgument && b.storage == Storage::kResult)
    return plan.donatedTo(a.index) == b.index;
  if (a.storage == Storage::kResult && b.storage == Storage::kArgument)
    return mayOverlap(plan, b, a);
  return a.storage == b.storage && a.index == b.index;
}

// Whether something may be computed into the buffer's memory.
bool mayBeWritten(const BufferPlan &plan, const BufferClass &buffer) {
  return buffer.storage == Storage::kArena || buffer.storage == Storage::kResult ||
         (buffer.storage == Storage::kArgument && plan.donatedTo(buffer.index) >= 0);
}

} // namespace

bool ConcurrentCalls::isIndependent(llvm::ArrayRef<Access> accesses) const {
  return llvm::none_of(accesses, [&](const Access &own) {
    return llvm::any_of(accesses_, [&](const Access &other) {
      return (own.isWritten || other.isWritten) && mayOverlap(plan_, *own.buffer, *other.buffer);
    });
  });
}

void ConcurrentCalls::add(llvm::ArrayRef<Access> accesses, double nanoseconds) {
  for (const Access &access : accesses)
    if (access.isWritten || mayBeWritten(plan_, *access.buffer))
      accesses_.push_back(access);
  nanoseconds_ += nanoseconds;
  buffers_ += int64_t(accesses.size());
}

void ConcurrentCalls::clear() {
  accesses_.clear();
  nanoseconds_ = 0;
  buffers_ = 0;
}

} // namespace tenon::codegen::entry
