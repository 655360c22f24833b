// Register-tiled kernels: the parts of tiled.cpp, which explains the method.
#pragma once

#include "tenon/codegen/cpu/matmul/kernels.h"

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

struct TiledKernel {
  llvm::Module &module;
  std::string symbol;
  const Problem &p;
  const MatmulPlan &plan;
  TiledLayout layout;

  llvm::LLVMContext &context() const;
  llvm::Type *unit() const { return unitType(context(), p.arithmetic); }
  llvm::Type *unitElement() const { return unitElementType(context(), p.arithmetic); }
  llvm::Type *accumulator() const { return accumulatorType(context(), p.arithmetic); }
  llvm::Type *i64() const;
  llvm::Type *pointer() const;
  // Whether a pass may end inside of units that the register tile takes together.
  bool padsSteps() const;
  // The tile has to look up where runs of k start.
  bool multiRun() const { return p.runs() > 1 && ((!plan.packLhs && !p.lhsIsLinear()) || !plan.packRhs); }
};

// void(ptr a, ptr rows, ptr b, i64 kFrom, i64 kTo, ptr c, i64 rowStride, i1 accumulate): one tile of plan.mr rows and
// `vectors` vectors. `a` is the packed tile, or the lhs of the batch with `rows` its rows' element offsets. k positions
// are units (from the start of the operand in place) or, where a pass has whole runs, runs. c is rowStride accumulators
// wide.
llvm::Function *emitTile(const TiledKernel &kernel, unsigned vectors, bool packedRhs);

// The tile of the same form made of AMX's tile registers, which stores whole ones of kAmxRows by kAmxColumns
// accumulators. The rhs is packed; rows of an lhs in place are a constant step apart.
constexpr int64_t kAmxRows = 16, kAmxColumns = 16, kAmxUnits = 16;
llvm::Function *emitAmxTile(const TiledKernel &kernel, unsigned vectors, llvm::StringRef name);
// Around what calls it: the shapes of the tile registers are loaded, and the registers given up.
void emitAmxBegin(Emitter &e, llvm::Module &module);
void emitAmxEnd(Emitter &e);

// void(ptr rhs, ptr block, i64 n0, i64 columns, i64 kFrom, i64 kTo): all panels of a block, k in elements.
llvm::Function *emitPackRhs(const TiledKernel &kernel);

// void(ptr lhs, ptr block, ptr rows, i64 count, i64 kFrom, i64 kTo), k in elements.
llvm::Function *emitPackLhs(const TiledKernel &kernel);

} // namespace tenon::codegen::matmul
