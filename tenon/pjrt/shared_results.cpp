#include "tenon/pjrt/shared_results.h"

namespace tenon::pjrt {

StatusOr<Block> SharedResults::blockOf(size_t result, int64_t group, int64_t bytes) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<const Block> &block = blocks_[{result, group}];
  if (!block) {
    TENON_ASSIGN_OR_RETURN(Block fresh, Block::allocate(bytes));
    block = std::make_shared<const Block>(std::move(fresh));
  }
  return Block::share(block);
}

} // namespace tenon::pjrt
