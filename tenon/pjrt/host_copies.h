// Copies of the host's arrays that several devices have in common.
//
// A framework gives an array that is to be whole on each device of a mesh to one device after the other. Devices whose
// memory is the host's need one copy between them, which caches then have for all of their programs. It is one value
// that all of their buffers hold, so that no program computes in place there before only one of them is left.
#pragma once

#include "tenon/pjrt/buffer.h"

#include <mutex>
#include <vector>

namespace tenon::pjrt {

// Knows the last copy that was made, without holding it.
class HostCopies {
public:
  // Arrays of less are copied sooner than looked for.
  static constexpr int64_t kLeastBytes = 4096;

  static HostCopies &ofProcess();

  // The known copy, if it has what is at `data` and no buffer has it in `memory` yet; it counts as one of these then.
  // Null: there is no such copy.
  Ref<Value> find(const void *data, const BufferType &type, PJRT_Memory *memory);
  // Makes a dense copy of what is at `data`, which is in `memory`, the known one. Called before others have the copy.
  void list(const Ref<Value> &copy, const void *data, BufferTypeRef type, PJRT_Memory *memory);
  // Makes sure that the value is not found any more. Whoever has it alone afterwards goes on having it alone.
  void unlist(const Value &value);

private:
  std::mutex mutex_;
  Value *copy_ = nullptr; // unlists itself before it ends
  const void *data_ = nullptr;
  BufferTypeRef type_;
  std::vector<PJRT_Memory *> memories_;
};

} // namespace tenon::pjrt
