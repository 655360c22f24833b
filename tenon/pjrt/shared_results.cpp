#include "tenon/pjrt/shared_results.h"

#include <algorithm>
#include <utility>

namespace tenon::pjrt {
namespace {

// Arrays of more bytes have one block: a device waits for others less long than two would take to fill.
constexpr int64_t kMostTwice = int64_t(1) << 20;

// Whether the run that was given the array is the only one to use it, but for the run that computes it. The references
// are counted first: a run says that it lets go before it does.
bool isOfRunAlone(const Value &value) {
  constexpr int32_t kOfRunAndHere = 2;
  int32_t references = value.references();
  return references == kOfRunAndHere + (value.isPromised.load(std::memory_order_acquire) ? 1 : 0);
}

} // namespace

void SharedMemory::add(Ref<Value> given) {
  ++devices_;
  given_.push_back(std::move(given));
}

// The memory of what all devices have given away, if it is theirs alone, and else null.
SharedMemory *SharedMemory::memoryGiven() const {
  SharedMemory *memory = given_.front() ? given_.front()->sharedMemory.get() : nullptr;
  bool isAllOfIt =
      memory && memory->devices_ == devices_ && std::all_of(given_.begin(), given_.end(), [&](const Ref<Value> &value) {
        return value && value->sharedMemory.get() == memory && isOfRunAlone(*value);
      });
  return isAllOfIt ? memory : nullptr;
}

void SharedMemory::takeOver(SharedMemory &before) {
  std::lock_guard lock(before.mutex_);
  isFree_ = bytes_ <= kMostTwice;
  if (isFree_) {
    block_ = std::move(before.spare_);
    spare_ = before.block_;
  } else {
    block_ = before.block_;
  }
}

StatusOr<Block> SharedMemory::block() {
  std::lock_guard lock(mutex_);
  if (!given_.empty()) {
    if (SharedMemory *before = memoryGiven())
      takeOver(*before);
    given_.clear();
  }
  if (!block_) {
    TENON_ASSIGN_OR_RETURN(Block fresh, Block::allocate(bytes_));
    block_ = std::make_shared<const Block>(std::move(fresh));
  }
  return Block::share(block_);
}

bool SharedMemory::isFree() {
  std::lock_guard lock(mutex_);
  return isFree_;
}

} // namespace tenon::pjrt
