// Results of which the devices of one launch have one memory between them.
//
// What a collective gives to a whole group, weights at the end of a step, is the same on all of its devices. If nothing
// but the collective writes it (program::kProgramResults), those that are here get one block: each writes a part of it,
// and a next program's devices read the same memory. The block belongs to all of their buffers, so no program of one
// device ever overwrites it in place.
//
// Steps whose devices all give such an array away for the next one take turns with two blocks, which caches keep: one
// has the array, and who comes to the collective writes the other without waiting for anybody, since all have come to
// that of the step before, and so have read what was there. Of a large array there is one block: devices write there
// when all have come to the collective.
#pragma once

#include "tenon/pjrt/buffer.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tenon::pjrt {

// The memory of one result for the devices of a group.
class SharedMemory {
public:
  explicit SharedMemory(int64_t bytes) : bytes_(bytes) {}

  // Adds a device, and the array that its run holds and may overwrite with the result; null: none. All devices are
  // added before the first asks for the block.
  void add(Ref<Value> given);
  StatusOr<Block> block();
  // Whether nobody reads what is in the block, of which somebody has asked for.
  bool isFree();

private:
  using BlockRef = std::shared_ptr<const Block>;

  SharedMemory *memoryGiven() const;
  void takeOver(SharedMemory &before);

  const int64_t bytes_;
  size_t devices_ = 0;
  std::mutex mutex_;
  std::vector<Ref<Value>> given_; // by device, until the first asks
  BlockRef block_, spare_;        // spare_: what the next result may be written to
  bool isFree_ = true;
};

} // namespace tenon::pjrt
