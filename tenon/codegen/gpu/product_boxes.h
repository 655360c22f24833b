// Tiles of a product's operands as boxes of arrays, which one thread of a block copies (GpuBuilder::emitBoxCopy). A
// kernel before the product's writes a map of each operand to the temporary block: on the device, which alone knows
// where the operands are in a run.
#pragma once

#include "tenon/codegen/gpu/product.h"
#include "tenon/codegen/kernel/matmul/problem.h"

namespace tenon::codegen {

constexpr int64_t kPhaseBarrierBytes = 8; // in shared memory, of a stage

// The phase that writes the maps.
void emitMaps(const ProductPlan &product, const matmul::Problem &problem, llvm::Module &module, llvm::StringRef symbol,
              GpuBuilder &gpu);

// One operand.
class BoxCopier {
public:
  // `first`: the block's first row of the lhs, or column of the rhs.
  BoxCopier(Emitter &e, const matmul::Problem &p, const ProductPlan &product, bool isLhs, llvm::Value *batch,
            llvm::Value *first);

  void useMap(GpuBuilder &gpu);
  // Starts to copy the tile that begins at k.
  void copy(llvm::Value *tile, llvm::Value *k, llvm::Value *barrier, GpuBuilder &gpu);

private:
  Emitter &e_;
  const ProductPlan &product_;
  bool isLhs_;
  llvm::Value *map_, *batch_, *first_;
};

} // namespace tenon::codegen
