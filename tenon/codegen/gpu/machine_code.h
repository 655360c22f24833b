// Machine code for GPUs, which takes longer to make than all else: it is kept on disk as kernels of the CPU are
// (codegen/llvm/object_cache.h).
#pragma once

#include "tenon/codegen/llvm/object_cache.h"
#include "tenon/status.h"

#include <functional>
#include <string>
#include <string_view>

namespace tenon::codegen {

// What makes machine code of PTX for the target's chip.
struct PtxAssembler {
  // The same text stands for an assembler that makes the same of the same PTX for the same chip.
  std::string version;
  // From any thread, many at a time.
  std::function<StatusOr<std::string>(std::string_view ptx)> assemble;
};

// From the cache, if it is there, or made and kept there. `cache` may be null.
StatusOr<std::string> machineCodeOf(std::string_view ptx, std::string_view chip, const PtxAssembler &assembler,
                                    ObjectCache *cache);

} // namespace tenon::codegen
