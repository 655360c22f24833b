// Matrix products by blocks of threads: each computes a tile of the result.
//
// k is taken in steps. Of a step, the block copies a tile of each operand from global to shared memory, in vectors
// along whatever dimension is dense there; while it computes with one pair of tiles, it reads the next one, or, where
// tiles are as they are in memory, those of some steps to come are copied. The sums of
// a tile are in registers, and go through the epilogue when k is done. Either each thread has a small tile of its own,
// whose sums are added up in the order of k, one element after the other; or the warps have tiles, and multiply them by
// the instructions that there are for that, where these take the operands as they are. Those of warp groups work while
// the threads go on: of the stages one is theirs.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/chip.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/kernel/contraction/contraction.h"

namespace tenon::codegen {

// How a tile of an operand is read.
enum class TileRead : uint8_t {
  kAlongK,    // vectors along k
  kAlongRows, // vectors along the rows of the lhs, the columns of the rhs
  kElementsK, // single elements, neighbours along k
  kElementsRows
};

// The threads of a block.
constexpr int kProductThreads = 256;

struct ProductPlan {
  int threads = kProductThreads; // that copy tiles
  int rows = 0, columns = 0;     // of a thread's tile, if all were alike
  int64_t steps = 0;             // of k, in the tiles in shared memory
  int64_t elementBytes = 4;      // there
  TileRead lhs = TileRead::kElementsK, rhs = TileRead::kElementsK;
  int stages = 2;          // pairs of tiles
  bool isAsync = false;    // tiles are copied by the hardware, ahead of their use; otherwise through registers
  bool hasDoubles = false; // warps multiply f64
  bool isByGroups = false; // warp groups multiply
  bool isByMaps = false;   // tiles are copied as boxes: maps of the operands are in the temporary block
  std::optional<GpuBuilder::Matrix> matrix; // the instructions of warps that multiply
  int64_t tasks = 1;
  int64_t sharedBytes = 0;
  // k is parted where there are fewer blocks than multiprocessors: sums of parts are in the temporary block, and a
  // second phase adds them up in their order, a thread each vector of `combined`.
  int64_t parts = 1, partSteps = 0;
  int64_t combined = 0;
  unsigned combinedLanes = 1;
  int64_t tempBytes = 0;
  // The block's sums go through shared memory, when its tiles are not needed any more: threads then go through vectors
  // of the result of 16 bytes, in a loop with the epilogue's code once, and not for each of the sums in their
  // registers.
  bool isStaged = false;

  int64_t blockRows() const;
  int64_t blockColumns() const;
  TileRead read(bool isLhs) const { return isLhs ? lhs : rhs; }
  int64_t blockExtent(bool isLhs) const { return isLhs ? blockRows() : blockColumns(); }
  // Whether k is dense in an operand's tile in shared memory.
  bool hasDenseK(bool isLhs) const;
  // Tiles of which warp groups have no results yet while others are filled.
  int heldStages() const { return isByGroups ? 1 : 0; }
  // Elements there from one row of the tile, or column, to the next, and from one step of k to the next.
  int64_t rowPitch(bool isLhs) const;
  int64_t stepPitch(bool isLhs) const;
  int64_t tileElements(bool isLhs) const;
  // Sums there from one row of the staged tile to the next.
  int64_t stagedPitch() const;
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// How the operands' elements are read and multiplied, before there are tiles.
ProductPlan planOperands(const matmul::Problem &problem);
// Whether tiles of an operand are copied as they are in memory.
bool isCopied(const ProductPlan &product, const matmul::Problem &problem, bool isLhs);

// None for products of few rows or columns (skinny_product.h), and of complex numbers. k has parts only where the
// contraction may have a temporary block. `mayHaveMaps`: nothing else is in that block.
std::optional<ProductPlan> planProduct(const matmul::ContractionPlan &plan, bool mayHaveMaps,
                                       const CostModel::Blocks &costs, const GpuChip &chip);

// The functions have the names of the plan's last phases. `epilogue`: what the plan was made for, or none.
void emitProduct(const ProductPlan &product, const matmul::ContractionPlan &plan, const matmul::Epilogue &epilogue,
                 llvm::Module &module, GpuBuilder &gpu);

} // namespace tenon::codegen
