// Register-tiled kernels: the parts of tiled.cpp, which explains the method.
#pragma once

#include "tenon/codegen/kernel/matmul/kernels.h"
#include "tenon/codegen/llvm/sizes.h"

namespace tenon::codegen::matmul {

// Layout of packed operands and of the worker's scratch memory; everything known when the kernel is emitted.
struct TiledLayout {
  TiledLayout(const Problem &problem, const MatmulPlan &plan);

  int64_t passGroups() const { return (kBlocks + passesTogether - 1) / passesTogether; }

  int64_t groupK;
  int64_t blockUnits;   // k units of a full block
  int64_t unitStep;     // k units that a register tile takes together: a pass is padded with zeros to a multiple
  int64_t panelColumns; // nv * lanes
  int64_t unitParts;    // 2 for complex
  // Strides in units of a packed lhs, rows first: row layout (k runs) or panel layout (rows of a tile together).
  bool lhsPanels;
  int64_t lhsRowStride, lhsKStride, lhsTileStride;
  // Units of one packed rhs panel, column sums included.
  int64_t rhsPanelUnits;
  int64_t columnSums;   // units at the head of a panel
  int64_t aheadStep;    // bytes of the next panel that a tile fetches beside each k unit
  int64_t tileElements; // accumulators of one register tile
  int64_t rowTiles;     // in a block
  int64_t kBlocks;      // passes
  int64_t runPasses;    // in each run of k, where passes are parts of a run; zero elsewhere
  bool keepsBlock;      // accumulators of the whole block live in scratch between passes
  // Not zero: there are so many passes that their sums go to a tree, this many passes together.
  int64_t passesTogether;
  int64_t blockAccumulators; // of the whole block
  int64_t sharedPanels;      // of the whole rhs in one pass, where tasks share it
  // Byte offsets in scratch.
  int64_t rowTable, lhsBlock, rhsBlock, accumulators, tree, scratchBytes;
};

// A function, whose last parameter points to its section of the table.
struct TiledRoutine {
  llvm::Function *function = nullptr;
  int64_t section = 0;

  explicit operator bool() const { return function; }
};

struct TiledKernel {
  llvm::Module &module;
  std::string symbol;
  const Problem &p;
  const MatmulPlan &plan;
  TiledLayout layout;
  SizeTable &sizes;

  llvm::LLVMContext &context() const;
  llvm::Type *unit() const { return unitType(context(), p.arithmetic); }
  llvm::Type *unitElement() const { return unitElementType(context(), p.arithmetic); }
  llvm::Type *accumulator() const { return accumulatorType(context(), p.arithmetic); }
  llvm::Type *i64() const;
  llvm::Type *pointer() const;
  // The tile has to look up where runs of k start.
  bool multiRun() const { return p.runs() > 1 && ((!plan.packLhs && !p.lhsIsLinear()) || !plan.packRhs); }
};

// The parts of the kernel. Except where it is said, their code is that of all products of a kind, whatever their sizes.

// void(ptr a, ptr rows, ptr b, i64 kFrom, i64 kTo, ptr c, i64 rowStride, i1 accumulate, ptr sizes): one tile of plan.mr
// rows and `vectors` vectors. `a` is the packed tile, or the lhs of the batch with `rows` its rows' element offsets. k
// positions are units (from the start of the operand in place) or, where a pass has whole runs, runs. c is rowStride
// accumulators wide.
TiledRoutine emitTile(const TiledKernel &kernel, unsigned vectors, bool packedRhs);

// The tile of the same form made of AMX's tile registers, which stores whole ones of kAmxRows by kAmxColumns
// accumulators. The rhs is packed; rows of an lhs in place are a constant step apart.
constexpr int64_t kAmxRows = 16, kAmxColumns = 16, kAmxUnits = 16;
TiledRoutine emitAmxTile(const TiledKernel &kernel, unsigned vectors);
// Around what calls it: the shapes of the tile registers are loaded, and the registers given up.
void emitAmxBegin(Emitter &e, llvm::Module &module);
void emitAmxEnd(Emitter &e);

// void(ptr rhs, ptr block, i64 n0, i64 columns, i64 kFrom, i64 kTo, ptr sizes): all panels of a block, k in elements.
TiledRoutine emitPackRhs(const TiledKernel &kernel);

// void(ptr lhs, ptr block, ptr rows, i64 count, i64 kFrom, i64 kTo, ptr sizes), k in elements.
TiledRoutine emitPackLhs(const TiledKernel &kernel);

// void(ptr table, ptr tile, i64 batch, i64 m, i64 rows, i64 n, i64 columns, ptr out, ptr sizes): stores a tile of
// accumulators; `out` is the batch's result. With an epilogue, or where rows of the result are not dense, the kernel's
// own.
TiledRoutine emitFinish(const TiledKernel &kernel);

// void(ptr table, i64 batch, i64 m, i64 rows, i64 n, i64 columns, ptr sizes): has the places fetched that a tile is
// stored at, and those of full operands. The kernel's own.
TiledRoutine emitFetchOfResults(const TiledKernel &kernel);

// void(ptr rows, i64 m0, i64 count, ptr sizes): the element offsets of rows in the lhs. Rows past the end repeat the
// last one, so that tiles are always whole.
TiledRoutine emitRowTable(const TiledKernel &kernel);
// What it does, in another function.
void emitRows(Emitter &e, Sizes &sizes, const TiledKernel &kernel, llvm::Value *rows, llvm::Value *m0,
              llvm::Value *count);

// What the walk over a block is given: pointers and numbers of a task, then the kernel's routines.
enum BlockSlot : uint8_t {
  kTable,
  kScratch,
  kLhs,    // of the batch
  kRhs,    // of the batch
  kOut,    // of the batch
  kTiles,  // of the lhs in the first pass: packed, or all of it in place
  kPanels, // of the rhs in the first pass: packed, or the block's columns in place
  kDirect, // the block's first element, where tiles are stored as they are computed
  kNumbers,
  kBatch = kNumbers,
  kFirstRow,
  kRows,
  kRowTiles,
  kFirstColumn,
  kColumns,
  kPacked,    // columns of the packed rhs that are there already
  kDepth,     // of k
  kRunDepth,  // of the runs of k that passes are parts of; otherwise kDepth
  kFirstPass, // not zero where those before it were another call's
  kPasses,    // where they end
  kRoutines,  // from here pairs: the function, or null, and its sizes
  kFullTile = kRoutines,
  kTailTile = kFullTile + 2,
  kPackRhs = kTailTile + 2, // null where other tasks have packed it
  kPackLhs = kPackRhs + 2,
  kFinish = kPackLhs + 2,
  kFetch = kFinish + 2, // null where none are fetched
  kRowTable = kFetch + 2,
  kBlockSlots = kRowTable + 2,
};
constexpr bool isPointer(BlockSlot slot) { return slot < kNumbers || slot >= kRoutines; }

// Which tiles are stored as they are computed, but for those past the last row.
struct DirectTiles {
  bool full = false, tail = false;
};

// void(ptr block, ptr sizes): all that one task computes. `block` is an array of the slots.
TiledRoutine emitBlock(const TiledKernel &kernel, DirectTiles direct, double cost);
// The same as a part of the kernel's own function, with its sizes as constants: for tiles so short that the way to them
// counts.
void emitBlockInside(Emitter &e, const TiledKernel &kernel, DirectTiles direct, llvm::ArrayRef<llvm::Value *> slots);

} // namespace tenon::codegen::matmul
