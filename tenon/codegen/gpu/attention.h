// Attention as one kernel: a product, a softmax of its rows and a product of these, of which nothing as large as the
// scores is ever in memory.
//
// A block has some rows, whose sums of the second product it keeps in registers. It goes through the keys in tiles: the
// scores of a tile are multiplied, and what the softmax has before its exponentials is computed of them where they are.
// The greatest of a row so far is what they are taken off from; where a tile has a greater one, sums so far are made
// smaller by as much. What the exponentials are divided by is only known at the end, and so the sums are divided by
// it. Tiles of keys and values are copied ahead of their use. (FlashAttention, of Dao and others, 2022 and 2023.)
#pragma once

#include "tenon/codegen/gpu/finite_values.h"
#include "tenon/codegen/gpu/product.h"
#include "tenon/codegen/kernel/attention/attention.h"

namespace tenon::codegen {

struct GpuAttentionPlan {
  // Tiles of rows and keys, and of weights, which are in registers, and values; of their operands alone.
  ProductPlan scores, product;
  IndexedValue logit; // what the softmax is of
  int64_t tasks = 1;
  int stages = 2;        // pairs of tiles of keys and values
  unsigned together = 1; // scores of a row that are computed with at once, side by side
  bool keepsRows = true; // the tile of rows is in registers

  // Keys beyond a row's number plus the offset have this logit at most, whose exponential is zero where the row has a
  // greater one: their tiles are left out then, if all values are finite, of which zeros are no other sums.
  struct Hidden {
    int64_t offset;
    float logit;
    FiniteValuesPlan values;
  };
  std::optional<Hidden> hidden;

  bool isByGroups() const { return scores.isByGroups; }

  // So many keys make a tile.
  int64_t keys() const { return scores.blockColumns(); }
  int64_t keyTiles(int64_t all) const { return (all + keys() - 1) / keys(); }
  int64_t sharedBytes() const;
  int64_t tempBytes() const { return hidden ? hidden->values.tempBytes() : 0; }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// None where warps have no instructions for the products, or the rows are no softmax.
std::optional<GpuAttentionPlan> planGpuAttention(const AttentionPlan &plan, const CostModel::Blocks &costs,
                                                 const GpuChip &chip);

llvm::LogicalResult emitGpuAttention(const GpuAttentionPlan &attention, const AttentionPlan &plan, llvm::Module &module,
                                     const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
