// How much of the stack a function and all that it calls take, by the frames that code generation has made. Private to
// the folder.
#pragma once

#include "tenon/status.h"

#include "llvm/IR/Module.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tenon::aot {

using FrameSizes = std::map<const llvm::Function *, int64_t>; // in bytes; a function without a frame has no entry

class StackBound {
public:
  // `vectorBits`: of the widest register that a frame may have to keep.
  StackBound(const llvm::Module &module, const FrameSizes &frames, int vectorBits);

  // An error where the code takes memory of the stack in an amount that only a run knows.
  StatusOr<int64_t> of(const llvm::Function &function);

private:
  StatusOr<int64_t> frameOf(const llvm::Function &function) const;
  std::vector<const llvm::Function *> calleesOf(const llvm::Function &function) const;

  const llvm::Module &module_;
  const FrameSizes &frames_;
  int vectorBits_;
  std::vector<const llvm::Function *> addressed_;   // that may be called through pointers
  std::map<const llvm::Function *, int64_t> known_; // and, as 0, the functions on the way
};

} // namespace tenon::aot
