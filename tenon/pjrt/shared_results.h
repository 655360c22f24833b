// Results of which the devices of one launch have one memory between them.
//
// What a collective gives to a whole group, weights at the end of a step, is the same on all of its devices. If nothing
// but the collective writes it (program::kProgramResults), those that are here get one block: each writes a part of it,
// and a next program's devices read the same memory. The block belongs to all of their buffers, so none of these is
// ever overwritten in place; a program that is given one to overwrite computes into other memory.
#pragma once

#include "tenon/pjrt/buffer.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tenon::pjrt {

class SharedResults {
public:
  // The block of a result for the group whose first process is `group`; made for the first device that asks.
  StatusOr<Block> blockOf(size_t result, int64_t group, int64_t bytes);

private:
  std::mutex mutex_;
  std::map<std::pair<size_t, int64_t>, std::shared_ptr<const Block>> blocks_;
};

} // namespace tenon::pjrt
