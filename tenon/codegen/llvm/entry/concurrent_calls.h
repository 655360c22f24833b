// Which calls of kernels that follow each other may run at the same time.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon::codegen::entry {

// Calls that neither read nor write what another of them writes, by where the buffer plan has put it.
class ConcurrentCalls {
public:
  struct Access {
    const BufferClass *buffer;
    bool isWritten;
  };

  explicit ConcurrentCalls(const BufferPlan &plan) : plan_(plan) {}

  // Whether a call that makes these accesses may run beside all that were added.
  bool isIndependent(llvm::ArrayRef<Access> accesses) const;
  void add(llvm::ArrayRef<Access> accesses, double nanoseconds);
  void clear();

  // What they take on one core, roughly.
  double nanoseconds() const { return nanoseconds_; }
  int64_t buffers() const { return buffers_; }

private:
  const BufferPlan &plan_;
  llvm::SmallVector<Access> accesses_; // but for those of memory that no kernel writes
  double nanoseconds_ = 0;
  int64_t buffers_ = 0;
};

} // namespace tenon::codegen::entry
