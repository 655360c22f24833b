// Tiles in shared memory as warp groups multiply them.
#pragma once

#include "tenon/codegen/gpu/product.h"
#include "tenon/codegen/llvm/emitter.h"

namespace tenon::codegen {

// What one instruction takes: rows of the lhs, and bytes of k.
constexpr int64_t kGroupRows = 64, kGroupStepBytes = 32;
constexpr int64_t kGroupThreads = 4 * kWarpThreads;

// What one instruction takes of a tile, from step k on; of an lhs the rows of the group of this number.
GpuBuilder::GroupTile groupFactor(Emitter &e, const ProductPlan &product, llvm::Value *tile, bool isLhs,
                                  llvm::Value *group, int64_t k);

} // namespace tenon::codegen
