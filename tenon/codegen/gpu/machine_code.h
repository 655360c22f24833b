// Machine code for GPUs, which takes longer to make than all else: it is kept on disk as kernels of the CPU are
// (codegen/llvm/object_cache.h).
#pragma once

#include "tenon/codegen/llvm/object_cache.h"
#include "tenon/status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::codegen {

// What makes machine code of PTX for the target's chip.
struct PtxAssembler {
  // The same text stands for an assembler that makes the same of the same PTX for the same chip.
  std::string version;
  // From any thread, many at a time.
  std::function<StatusOr<std::string>(std::string_view ptx)> assemble;
  // The code of a program is the same whatever the cache has, and for any number of threads.
  bool isReproducible = false;
};

// What modules of PTX become. One may have the kernels of several, and others besides.
struct MachineCode {
  std::vector<std::string> codes;
  std::vector<size_t> codeOf; // of each module, in which of `codes` its kernels are
};

// What is not in the cache is made, on up to `threads` threads (0: as many as the process may use), and kept there:
// small modules together, as far as there is work for all threads, since to start the assembler takes as long as a
// kernel or two. Each module can be found by itself: its key leads to the code that has its kernels. `cache` may be
// null.
StatusOr<MachineCode> machineCodeOf(llvm::ArrayRef<llvm::StringRef> modules, llvm::StringRef chip,
                                    const PtxAssembler &assembler, ObjectCache *cache, int threads);

} // namespace tenon::codegen
