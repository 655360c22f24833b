// Blocked matrix product over register tiles.
//
// A task owns a block of rows and columns of the result and all of k, so any split of the tasks gives the same bits.
// It walks k in passes (kc); in each it packs what needs packing into the worker's scratch (sized to stay in L2), then
// runs the register tile over the block, column panel by column panel. Between passes partial sums wait in the result
// itself when it holds plain accumulators, else in scratch. After the last pass tiles that are not stored directly
// (epilogue, conversion, edges) go through one small `finish` loop while they are still in L1: the epilogue is
// emitted once there, not once for every register of the tile.
//
// Tasks that follow each other share their columns; a packed rhs that is complete in one pass is kept from one to the
// next.
#include "tenon/codegen/cpu/matmul/tiled.h"
#include "tenon/codegen/cpu/matmul/tree.h"
#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

LLVMContext &TiledKernel::context() const { return module.getContext(); }
llvm::Type *TiledKernel::i64() const { return llvm::Type::getInt64Ty(context()); }
llvm::Type *TiledKernel::pointer() const { return PointerType::get(context(), 0); }

bool TiledKernel::padsSteps() const {
  int64_t step = layout.unitStep * layout.groupK;
  return layout.unitStep > 1 && (p.k % step != 0 || (layout.kBlocks > 1 && plan.kc % step != 0) ||
                                 (layout.runPasses && p.runLength() % step != 0));
}

TiledLayout::TiledLayout(const Problem &p, const MatmulPlan &plan) {
  groupK = plan.groupK;
  unitParts = p.components();
  unitStep = p.arithmetic.inTiles() ? kAmxUnits : 1;
  blockUnits = int64_t(alignTo(divideCeil(uint64_t(plan.kc), uint64_t(groupK)), uint64_t(unitStep)));
  panelColumns = int64_t(plan.nv) * plan.lanes;
  bool hasParts = p.runs() > 1 && plan.kc < p.runLength();
  runPasses = hasParts ? int64_t(divideCeil(uint64_t(p.runLength()), uint64_t(plan.kc))) : 0;
  kBlocks = hasParts ? p.runs() * runPasses : int64_t(divideCeil(uint64_t(p.k), uint64_t(plan.kc)));
  lhsPanels =
      plan.packLhs && unitParts == 1 && unitStep == 1 && p.mLhs.hasContiguousRuns() && p.innerK().lhsStride != 1;
  lhsRowStride = lhsPanels ? 1 : blockUnits;
  lhsKStride = lhsPanels ? plan.mr : 1;
  int64_t unitBytes = p.arithmetic.unitBytes;
  if (!lhsPanels && lhsRowStride * unitBytes * unitParts % 2048 == 0)
    lhsRowStride += 64 / unitBytes; // rows a power of two apart would fight for the same cache sets
  lhsTileStride = plan.mr * (lhsPanels ? blockUnits : lhsRowStride);
  if (lhsPanels && lhsTileStride * unitBytes % 2048 == 0)
    lhsTileStride += 64 / unitBytes; // as rows, which are written side by side
  columnSums = p.arithmetic.flipLhs ? panelColumns : 0;
  rhsPanelUnits = columnSums + blockUnits * panelColumns * unitParts;
  if (unitStep > 1 && rhsPanelUnits * p.arithmetic.unitBytes % 4096 == 0)
    rhsPanelUnits += panelColumns; // as the rows of the lhs
  tileElements = plan.mr * panelColumns * unitParts;
  rowTiles = int64_t(divideCeil(uint64_t(plan.mc), uint64_t(plan.mr)));
  keepsBlock = kBlocks > 1;

  int64_t panels = int64_t(divideCeil(uint64_t(plan.nc), uint64_t(panelColumns)));
  int64_t offset = 0;
  auto reserve = [&](int64_t bytes) {
    int64_t start = offset;
    offset = int64_t(alignTo(uint64_t(offset + bytes), 64));
    return start;
  };
  rowTable = reserve(rowTiles * plan.mr * 8);
  lhsBlock = reserve(plan.packLhs ? rowTiles * lhsTileStride * unitBytes * unitParts : 0);
  sharedPanels = int64_t(divideCeil(uint64_t(p.n), uint64_t(panelColumns)));
  rhsBlock = reserve(plan.packRhs && !plan.sharesRhs ? panels * rhsPanelUnits * unitBytes : 0);
  blockAccumulators = tileElements * rowTiles * panels;
  accumulators = reserve(unitBytes * (keepsBlock ? blockAccumulators : tileElements));
  constexpr int64_t kPassesTogether = 32;
  passesTogether = kBlocks > 2 * kPassesTogether && accumulatorIsFloat(p.arithmetic) ? kPassesTogether : 0;
  tree = reserve(passesTogether ? unitBytes * blockAccumulators * BlockTree::levels(passGroups()) : 0);
  scratchBytes = offset;
}

namespace {

// void(ptr table, ptr tile, i64 batch, i64 m0, i64 rows, i64 n0, i64 columns): stores a tile of accumulators.
Function *emitFinish(const TiledKernel &kernel) {
  const Problem &p = kernel.p;
  llvm::Type *i64 = kernel.i64();
  Emitter e(kernel.module, kernel.symbol + ".finish", {kernel.pointer(), kernel.pointer(), i64, i64, i64, i64, i64},
            true);
  e.opaqueLoops = true;
  int64_t width = kernel.layout.panelColumns, parts = p.components();
  Value *tile = e.arg(1), *n0 = e.arg(5);
  e.loop(e.i64(0), e.arg(4), e.i64(1), {}, [&](Value *i, ArrayRef<Value *>) {
    Value *row = e.mul(i, width * parts), *m = e.add(e.arg(3), i);
    forEachOutputPiece(e, p, n0, e.arg(6), unsigned(kernel.plan.lanes), [&](Value *j, unsigned lanes) {
      Values acc;
      for (int64_t part = 0; part < parts; ++part) {
        Value *at = e.add(e.add(row, j), part * width);
        acc.push_back(e.load(e.vec(kernel.accumulator(), lanes), e.gep(kernel.accumulator(), tile, at)));
      }
      storeOutput(e, p, {e.arg(0), e.arg(2), m, e.add(n0, j)}, lanes, acc);
    });
    return Values();
  });
  e.ret();
  return e.function;
}

// Vector multiply-adds of a tile beside which the loops around it, and packing, do not count. (What `finish` does for
// tiles that are not stored directly does.)
constexpr int64_t kLongTile = 1024;

class TiledWriter {
public:
  TiledWriter(const TiledKernel &kernel) : kernel_(kernel), p_(kernel.p), plan_(kernel.plan), layout_(kernel.layout) {
    int64_t width = layout_.panelColumns;
    direct_ = p_.storesAccumulator() && p_.nOut.isContiguous() && p_.mOut.isAffine() && !layout_.passesTogether;
    fullPanels_ = p_.n >= width;
    tailColumns_ = p_.n % width;
    if (fullPanels_)
      fullTile_ = emitTile(kernel, unsigned(plan_.nv), plan_.packRhs);
    if (tailColumns_) {
      unsigned vectors = unsigned(divideCeil(uint64_t(tailColumns_), uint64_t(plan_.lanes)));
      bool same = fullPanels_ && vectors == unsigned(plan_.nv);
      tailTile_ = same ? fullTile_ : emitTile(kernel, vectors, plan_.packRhs);
      tailWidth_ = int64_t(vectors) * plan_.lanes;
    }
    if (plan_.packRhs)
      packRhs_ = emitPackRhs(kernel);
    if (plan_.packLhs)
      packLhs_ = emitPackLhs(kernel);
    bool allDirect = direct_ && p_.m % plan_.mr == 0 && tailColumns_ % storedColumns() == 0;
    if (!allDirect)
      finish_ = emitFinish(kernel);
  }

  void write() {
    emitTasks(kernel_.module, kernel_.symbol, p_.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
      Block block = blockOf(e, table, task, scratch);
      if (layout_.kBlocks == 1 && p_.m > plan_.mc) {
        Value *follows = e.b.CreateAnd(e.b.CreateICmpNE(block.m0, e.i64(0)), e.b.CreateICmpNE(task, e.arg(1)));
        block.packed = e.b.CreateSelect(follows, block.columns, e.i64(0));
      }
      compute(e, block, scratch);
    });
    if (plan_.sharesRhs)
      emitTasks(kernel_.module, kernel_.symbol + ".pack", p_.target,
                [&](Emitter &e, Value *table, Value *task, Value *) { packShared(e, table, task); });
    compileAroundTiles();
  }

  void writeRowBlocks() {
    llvm::Type *i64 = kernel_.i64(), *pointer = kernel_.pointer();
    Emitter e(kernel_.module, kernel_.symbol, {pointer, i64, pointer, i64, i64, i64}, true);
    Block block = blockOf(e, e.arg(0), e.arg(1), e.arg(2));
    block.packed = e.arg(3);
    block.columns = e.arg(4);
    block.depth = e.arg(5);
    compute(e, block, e.arg(2));
    e.ret();
    compileAroundTiles();
  }

private:
  void compileAroundTiles() {
    if (p_.arithmetic.inTiles() || plan_.mr * plan_.nv * std::min(plan_.kc, p_.k) < kLongTile)
      return;
    compileQuickly(*kernel_.module.getFunction(kernel_.symbol));
    // Packing into panels of the lhs moves a few elements at a time: its loops count.
    for (Function *function : {packRhs_, layout_.lhsPanels ? nullptr : packLhs_, direct_ ? finish_ : nullptr})
      if (function)
        compileQuickly(*function);
  }

  // What one task works on.
  struct Block {
    Value *table, *batch, *m0, *rows, *n0, *columns;
    Value *lhs, *rhs, *out, *rowTable, *lhsBlock, *rhsBlock, *accumulators;
    Value *packed; // columns of the packed rhs that are there already
    Value *depth;  // of k
  };

  // Columns that a register tile stores together.
  int64_t storedColumns() const { return p_.arithmetic.inTiles() ? kAmxColumns : plan_.lanes; }

  static Value *scratchPart(Emitter &e, Value *scratch, int64_t offset) {
    return e.gep(e.b.getInt8Ty(), scratch, offset);
  }

  Block blockOf(Emitter &e, Value *table, Value *task, Value *scratch) {
    int64_t rowBlocks = int64_t(divideCeil(uint64_t(p_.m), uint64_t(plan_.mc)));
    int64_t columnBlocks = int64_t(divideCeil(uint64_t(p_.n), uint64_t(plan_.nc)));
    Block block;
    e.opaqueLoops = true;
    block.table = table;
    Value *rowBlock = e.urem(task, rowBlocks), *rest = e.udiv(task, rowBlocks);
    block.m0 = e.mul(rowBlock, plan_.mc);
    block.n0 = e.mul(e.urem(rest, columnBlocks), plan_.nc);
    block.batch = p_.batch == 1 ? e.i64(0) : e.udiv(rest, columnBlocks);
    block.rows = rowBlocks == 1 ? e.i64(p_.m) : e.min(e.sub(e.i64(p_.m), block.m0), plan_.mc);
    block.columns = columnBlocks == 1 ? e.i64(p_.n) : e.min(e.sub(e.i64(p_.n), block.n0), plan_.nc);
    block.lhs = lhsBase(e, p_, table, block.batch);
    block.rhs = rhsBase(e, p_, table, block.batch);
    if (direct_) {
      Value *at = e.add(e.add(offsetOf(e, p_.batchOut, block.batch), p_.spec.outOffset),
                        e.add(offsetOf(e, p_.mOut, block.m0), offsetOf(e, p_.nOut, block.n0)));
      block.out = e.gep(kernel_.accumulator(), outBase(e, p_, table), at);
    }
    block.rowTable = scratchPart(e, scratch, layout_.rowTable);
    block.lhsBlock = scratchPart(e, scratch, layout_.lhsBlock);
    block.rhsBlock = scratchPart(e, scratch, layout_.rhsBlock);
    block.accumulators = scratchPart(e, scratch, layout_.accumulators);
    block.packed = e.i64(0);
    block.depth = e.i64(p_.k);
    return block;
  }

  void compute(Emitter &e, const Block &block, Value *scratch) {
    if (p_.arithmetic.inTiles())
      emitAmxBegin(e, kernel_.module);
    fillRowTable(e, block);
    if (layout_.passesTogether)
      passesInTree(e, block, scratchPart(e, scratch, layout_.tree));
    else
      passes(e, block, e.i64(0), passCount(e, block));
    if (p_.arithmetic.inTiles())
      emitAmxEnd(e);
  }

  // Of the passes that a block's depth takes.
  Value *passCount(Emitter &e, const Block &block) {
    if (isa<ConstantInt>(block.depth) || layout_.kBlocks == 1)
      return e.i64(layout_.kBlocks);
    assert(!layout_.runPasses && "a part of k is one of a single run");
    return e.udiv(e.add(block.depth, plan_.kc - 1), plan_.kc);
  }

  // One of the tasks that pack the rhs for all others.
  void packShared(Emitter &e, Value *table, Value *task) {
    e.opaqueLoops = true;
    int64_t groups = int64_t(divideCeil(uint64_t(p_.n), uint64_t(plan_.packColumns)));
    int64_t parts = int64_t(divideCeil(uint64_t(plan_.kc), uint64_t(plan_.packSteps)));
    Value *n0 = e.mul(e.urem(task, groups), plan_.packColumns), *rest = e.udiv(task, groups);
    Value *step = e.mul(e.urem(rest, parts), plan_.packSteps);
    rest = e.udiv(rest, parts);
    Value *number = e.urem(rest, layout_.kBlocks), *batch = e.udiv(rest, layout_.kBlocks);
    Block whole{};
    whole.depth = e.i64(p_.k);
    Pass pass = passOf(e, whole, number, number);
    Value *kFrom = e.add(pass.kFrom, step), *kTo = e.min(e.add(kFrom, plan_.packSteps), pass.kTo);
    e.ifThen(e.b.CreateICmpSLT(kFrom, kTo), [&] { // the last pass may be shorter
      Value *columns = e.min(e.sub(e.i64(p_.n), n0), plan_.packColumns);
      Value *panel = e.gep(kernel_.unit(), sharedPanel(e, table, batch, number, n0),
                           e.mul(e.udiv(step, layout_.groupK), layout_.panelColumns));
      e.b.CreateCall(packRhs_, {rhsBase(e, p_, table, batch), panel, n0, columns, kFrom, kTo});
    });
  }

  Value *sharedPanel(Emitter &e, Value *table, Value *batch, Value *pass, Value *column) {
    Value *index = e.add(e.mul(batch, layout_.kBlocks), pass);
    index = e.add(e.mul(index, layout_.sharedPanels), e.udiv(column, layout_.panelColumns));
    return e.gep(kernel_.unit(), e.buffer(table, *p_.buffers.temp), e.mul(index, layout_.rhsPanelUnits));
  }

  void passesInTree(Emitter &e, const Block &block, Value *levels) {
    BlockTree tree(e, kernel_.accumulator(), layout_.blockAccumulators, unsigned(plan_.lanes), layout_.passGroups(),
                   block.accumulators, levels);
    int64_t size = layout_.passesTogether;
    Value *all = passCount(e, block);
    auto add = [&](Value *from, ArrayRef<Value *> before) {
      passes(e, block, from, e.min(e.add(from, size), all));
      tree.add(before[0], /*clear=*/false);
      return Values{e.add(before[0], 1)};
    };
    Values count = e.loop(e.i64(0), all, e.i64(size), {e.i64(0)}, add);
    tree.total(count[0]);
    finishAll(e, block);
  }

  // Stores the accumulators of all tiles of the block.
  void finishAll(Emitter &e, const Block &block) {
    e.loop(e.i64(0), block.columns, layout_.panelColumns, [&](Value *column) {
      e.loop(e.i64(0), tilesOf(e, block.rows), 1, [&](Value *tile) {
        Value *columns = e.min(e.sub(block.columns, column), layout_.panelColumns);
        finishTile(e, block, e.mul(tile, plan_.mr), column, columns, keptTile(e, block, tile, column));
      });
    });
  }

  Value *tilesOf(Emitter &e, Value *rows) { return e.udiv(e.add(rows, plan_.mr - 1), plan_.mr); }

  // The accumulators of the tile of this number among those of the block's rows, where they are kept.
  Value *keptTile(Emitter &e, const Block &block, Value *tile, Value *column) {
    Value *index = e.add(e.mul(e.udiv(column, layout_.panelColumns), layout_.rowTiles), tile);
    return e.gep(kernel_.accumulator(), block.accumulators, e.mul(index, layout_.tileElements));
  }

  void finishTile(Emitter &e, const Block &block, Value *i, Value *column, Value *columns, Value *tile) {
    Value *rows = e.min(e.sub(block.rows, i), plan_.mr);
    e.b.CreateCall(finish_,
                   {block.table, tile, block.batch, e.add(block.m0, i), rows, e.add(block.n0, column), columns});
  }

  // Element offsets of the block's rows in the lhs. Rows past the end repeat the last one, so that tiles are always
  // whole. Where an offset takes divisions, in a function of its own: LLVM makes multiplications of them there.
  void fillRowTable(Emitter &e, const Block &block) {
    Value *padded = e.mul(tilesOf(e, block.rows), plan_.mr);
    if (p_.mLhs.isAffine())
      return fillRows(e, block.rowTable, block.m0, padded);
    Emitter own(kernel_.module, kernel_.symbol + ".rows", {kernel_.pointer(), kernel_.i64(), kernel_.i64()}, true);
    own.opaqueLoops = true;
    fillRows(own, own.arg(0), own.arg(1), own.arg(2));
    own.ret();
    e.b.CreateCall(own.function, {block.rowTable, block.m0, padded});
  }

  void fillRows(Emitter &e, Value *table, Value *m0, Value *count) {
    e.loop(e.i64(0), count, 1, [&](Value *i) {
      Value *m = p_.m % plan_.mr ? e.min(e.add(m0, i), p_.m - 1) : e.add(m0, i);
      e.store(offsetOf(e, p_.mLhs, m), e.gep(e.b.getInt64Ty(), table, i));
    });
  }

  // One pass, over [kFrom, kTo); all but the first add to the sums.
  struct Pass {
    Value *number, *first, *kFrom, *kTo;
  };

  Pass passOf(Emitter &e, const Block &block, Value *number, Value *first) {
    if (layout_.kBlocks == 1)
      return {number, first, e.i64(0), block.depth};
    if (!layout_.runPasses) {
      Value *kFrom = e.mul(number, plan_.kc);
      return {number, first, kFrom, e.min(e.add(kFrom, plan_.kc), block.depth)};
    }
    Value *run = e.udiv(number, layout_.runPasses), *part = e.mul(e.urem(number, layout_.runPasses), plan_.kc);
    Value *start = e.mul(run, p_.runLength());
    return {number, first, e.add(start, part), e.add(start, e.min(e.add(part, plan_.kc), p_.runLength()))};
  }

  // The passes of these numbers, the first of which starts the sums.
  void passes(Emitter &e, const Block &block, Value *from, Value *to) {
    e.loop(from, to, 1, [&](Value *number) {
      Pass pass = passOf(e, block, number, from);
      if (packRhs_ && !plan_.sharesRhs)
        e.ifThen(e.b.CreateICmpSLT(block.packed, block.columns), [&] { packColumns(e, block, pass); });
      if (packLhs_) {
        Value *padded = e.mul(tilesOf(e, block.rows), plan_.mr);
        e.b.CreateCall(packLhs_, {block.lhs, block.lhsBlock, block.rowTable, padded, pass.kFrom, pass.kTo});
      }
      panels(e, block, pass);
    });
  }

  // Those that are not packed yet.
  void packColumns(Emitter &e, const Block &block, Pass pass) {
    Value *panels =
        e.gep(kernel_.unit(), block.rhsBlock, e.mul(e.udiv(block.packed, layout_.panelColumns), layout_.rhsPanelUnits));
    e.b.CreateCall(packRhs_, {block.rhs, panels, e.add(block.n0, block.packed), e.sub(block.columns, block.packed),
                              pass.kFrom, pass.kTo});
  }

  Value *panelStart(Emitter &e, const Block &block, const Pass &pass, Value *column) {
    if (plan_.sharesRhs)
      return sharedPanel(e, block.table, block.batch, pass.number, e.add(block.n0, column));
    if (packRhs_)
      return e.gep(kernel_.unit(), block.rhsBlock, e.mul(e.udiv(column, layout_.panelColumns), layout_.rhsPanelUnits));
    return e.gep(storageType(e.b.getContext(), p_.spec.rhs), block.rhs, offsetOf(e, p_.nRhs, e.add(block.n0, column)));
  }

  void panels(Emitter &e, const Block &block, Pass pass) {
    int64_t width = layout_.panelColumns;
    Value *full = tailColumns_ ? e.mul(e.udiv(block.columns, width), width) : block.columns;
    if (fullPanels_)
      e.loop(e.i64(0), full, width, [&](Value *j) { rowTiles(e, block, j, e.i64(width), fullTile_, width, pass); });
    if (!tailTile_)
      return;
    e.ifThen(e.b.CreateICmpSLT(full, block.columns),
             [&] { rowTiles(e, block, full, e.i64(tailColumns_), tailTile_, tailWidth_, pass); });
  }

  void rowTiles(Emitter &e, const Block &block, Value *column, Value *columns, Function *tile, int64_t width,
                Pass pass) {
    bool directColumns = direct_ && (width == layout_.panelColumns ? tailColumns_ == 0 || tile == fullTile_ : true);
    if (auto *c = dyn_cast<ConstantInt>(columns))
      directColumns = direct_ && c->getSExtValue() % storedColumns() == 0;
    Value *panel = panelStart(e, block, pass, column);
    e.loop(e.i64(0), tilesOf(e, block.rows), 1, [&](Value *number) {
      Value *i = e.mul(number, plan_.mr);
      Value *a = packLhs_
                     ? e.gep(kernel_.unit(), block.lhsBlock, e.mul(number, layout_.lhsTileStride * layout_.unitParts))
                     : block.lhs;
      Value *left = e.sub(block.rows, i);
      auto run = [&](Value *c, Value *rowStride) {
        auto [from, to] = kRange(e, pass.kFrom, pass.kTo);
        Value *rows = e.gep(e.b.getInt64Ty(), block.rowTable, i);
        Value *accumulate =
            layout_.kBlocks == 1 ? static_cast<Value *>(e.b.getFalse()) : e.b.CreateICmpNE(pass.number, pass.first);
        e.b.CreateCall(tile, {a, rows, panel, from, to, c, rowStride, accumulate});
      };
      auto toOut = [&] {
        Value *at = e.add(offsetOf(e, p_.mOut, i), column);
        run(e.gep(kernel_.accumulator(), block.out, at), e.i64(p_.mOut.inner().stride));
        return Values();
      };
      auto toScratch = [&] {
        Value *c = layout_.keepsBlock ? keptTile(e, block, number, column) : block.accumulators;
        run(c, e.i64(layout_.panelColumns * p_.components()));
        auto store = [&] { finishTile(e, block, i, column, columns, c); };
        if (layout_.kBlocks == 1)
          store();
        else if (!layout_.passesTogether)
          e.ifThen(e.b.CreateICmpEQ(pass.kTo, block.depth), store);
        return Values();
      };
      if (!directColumns)
        toScratch();
      else if (p_.m % plan_.mr == 0)
        toOut();
      else
        e.ifElse(e.b.CreateICmpSGE(left, e.i64(plan_.mr)), toOut, toScratch);
    });
  }

  // The tile's k range: units of this pass, or runs.
  std::pair<Value *, Value *> kRange(Emitter &e, Value *kFrom, Value *kTo) {
    if (kernel_.multiRun() && !layout_.runPasses)
      return {e.udiv(kFrom, p_.runLength()), e.udiv(kTo, p_.runLength())};
    int64_t group = layout_.groupK;
    Value *from = e.udiv(kFrom, group);
    return {from, e.add(from, e.udiv(e.add(e.sub(kTo, kFrom), group - 1), group))};
  }

  const TiledKernel &kernel_;
  const Problem &p_;
  const MatmulPlan &plan_;
  const TiledLayout &layout_;
  bool direct_ = false, fullPanels_ = false;
  int64_t tailColumns_ = 0, tailWidth_ = 0;
  Function *fullTile_ = nullptr, *tailTile_ = nullptr, *packRhs_ = nullptr, *packLhs_ = nullptr, *finish_ = nullptr;
};

} // namespace

void emitTiled(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  TiledKernel kernel{module, symbol.str(), p, plan, TiledLayout(p, plan)};
  TiledWriter(kernel).write();
}

void emitTiledRowBlocks(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  TiledKernel kernel{module, symbol.str(), p, plan, TiledLayout(p, plan)};
  TiledWriter(kernel).writeRowBlocks();
}

void emitRowBlockCall(Emitter &e, Function *function, const RowBlockCall &call) {
  e.b.CreateCall(function, {call.table, call.task, call.scratch, call.packed, call.columns, call.depth});
}

} // namespace tenon::codegen::matmul
