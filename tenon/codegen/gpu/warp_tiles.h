// Products whose blocks give each warp a tile of the result: where this thread's warp has its tile.
#pragma once

#include "tenon/codegen/gpu/product_emitter.h"

namespace tenon::codegen {

// Reads what its warp multiplies (GpuBuilder::multiplyMatrices) from tiles in shared memory. `lane`: the thread's
// number in its warp.
struct WarpReader {
  Emitter &e;
  GpuBuilder &gpu;
  const ProductPlan &product;
  llvm::Type *unit;
  llvm::Value *lane;
};
// Words of sixteen rows of the lhs, or columns of the rhs, from `first` on: four matrices, of each eight of these four
// words from step `k` on and the next four. Of the lhs rows come first, in the order of the instruction's words.
Values loadWords(const WarpReader &reader, llvm::Value *tile, bool isLhs, llvm::Value *first, int64_t k);

class WarpTiles : public ProductEmitter {
public:
  using ProductEmitter::ProductEmitter;

protected:
  int64_t rowsOfWarp() const { return product_.blockRows() / kWarpRows; }
  int64_t columnsOfWarp() const { return product_.blockColumns() / kWarpColumns; }

  llvm::Value *lane() { return e_.urem(thread_, kWarpThreads); }
  // The first row and column of the warp's part of the block's tile.
  llvm::Value *warpRow() { return e_.mul(e_.udiv(thread_, kWarpThreads * kWarpColumns), rowsOfWarp()); }
  llvm::Value *warpColumn() { return e_.mul(e_.urem(e_.udiv(thread_, kWarpThreads), kWarpColumns), columnsOfWarp()); }

private:
  // The warps of a block.
  static constexpr int64_t kWarpRows = 2, kWarpColumns = 4;
  static_assert(kWarpThreads * kWarpRows * kWarpColumns == kProductThreads);
};

} // namespace tenon::codegen
