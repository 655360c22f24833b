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
#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/codegen/kernel/matmul/tree.h"
#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

LLVMContext &TiledKernel::context() const { return module.getContext(); }
llvm::Type *TiledKernel::i64() const { return llvm::Type::getInt64Ty(context()); }
llvm::Type *TiledKernel::pointer() const { return PointerType::get(context(), 0); }

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
  aheadStep = plan.panelParts ? panelColumns * unitBytes / plan.panelParts : 0;
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
  bool isInTree = kBlocks > 2 * kPassesTogether && accumulatorIsFloat(p.arithmetic) && !p.spec.inDepthBlocks;
  passesTogether = isInTree ? kPassesTogether : 0;
  tree = reserve(passesTogether ? unitBytes * blockAccumulators * BlockTree::levels(passGroups()) : 0);
  scratchBytes = offset;
}

namespace {

class TiledWriter {
public:
  explicit TiledWriter(const TiledKernel &kernel)
      : kernel_(kernel), p_(kernel.p), plan_(kernel.plan), layout_(kernel.layout) {
    emitTiles();
    if (plan_.packRhs)
      packRhs_ = emitPackRhs(kernel);
    if (plan_.packLhs)
      routines_[kPackLhs] = emitPackLhs(kernel);
    if (!plan_.sharesRhs)
      routines_[kPackRhs] = packRhs_;
    bool canBeDirect =
        p_.storesAccumulator() && p_.nOut.isContiguous() && p_.mOut.isAffine() && !layout_.passesTogether;
    direct_ = {canBeDirect, canBeDirect && p_.n % layout_.panelColumns % storedColumns() == 0};
    if (!direct_.full || !direct_.tail || p_.m % plan_.mr)
      routines_[kFinish] = emitFinish(kernel);
    if (plan_.fetchesResults)
      routines_[kFetch] = emitFetchOfResults(kernel);
    if (!isInside() || !p_.mLhs.isAffine())
      routines_[kRowTable] = emitRowTable(kernel);
    if (!isInside())
      block_ = emitBlock(kernel, direct_, blockCost());
    sizes_ = kernel.sizes.write(kernel.module, kernel.symbol + ".sizes");
  }

  void write() {
    emitTasks(kernel_.module, kernel_.symbol, p_.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
      Task described = describe(e, task);
      if (layout_.kBlocks == 1 && p_.m > plan_.mc) {
        Value *follows = e.b.CreateAnd(e.b.CreateICmpNE(described.m0, e.i64(0)), e.b.CreateICmpNE(task, e.arg(1)));
        described.packed = e.b.CreateSelect(follows, described.columns, e.i64(0));
      }
      IRBuilder<> before(e.function->getEntryBlock().getTerminator());
      compute(e, before, described, table, scratch);
    });
    if (plan_.sharesRhs) {
      emitTasks(kernel_.module, kernel_.symbol + ".pack", p_.target,
                [&](Emitter &e, Value *table, Value *task, Value *) { packShared(e, table, task); });
      compileQuickly(*kernel_.module.getFunction(kernel_.symbol + ".pack"));
    }
    compileAroundRoutines();
  }

  void writePart() {
    if (p_.spec.inRowBlocks)
      writeRowBlocks();
    else
      writeDepthBlocks();
    compileAroundRoutines();
  }

private:
  void writeRowBlocks() {
    llvm::Type *i64 = kernel_.i64(), *pointer = kernel_.pointer();
    Emitter e(kernel_.module, kernel_.symbol, {pointer, i64, pointer, i64, i64, i64}, true);
    Task described = describe(e, e.arg(1));
    described.packed = e.arg(3);
    described.columns = e.arg(4);
    described.depth = e.arg(5);
    described.passes = passCount(e, described.depth);
    compute(e, e.b, described, e.arg(0), e.arg(2));
    e.ret();
  }

  void writeDepthBlocks() {
    llvm::Type *i64 = kernel_.i64(), *pointer = kernel_.pointer();
    Emitter e(kernel_.module, kernel_.symbol, {pointer, i64, pointer, i64, i64, i64}, true);
    Value *zero = e.i64(0), *pass = e.arg(3);
    Task described{e.arg(1), zero, e.arg(4), zero, e.i64(p_.n), zero, e.arg(5), pass, e.add(pass, 1)};
    compute(e, e.b, described, e.arg(0), e.arg(2));
    e.ret();
  }

  bool isInside() const { return isWalkedInside(plan_, p_.target.costs); }

  void compileAroundRoutines() {
    if (!isInside() && !p_.arithmetic.inTiles())
      compileQuickly(*kernel_.module.getFunction(kernel_.symbol));
  }

  // Columns that a register tile stores together.
  int64_t storedColumns() const { return p_.arithmetic.inTiles() ? kAmxColumns : plan_.lanes; }

  void emitTiles() {
    int64_t width = layout_.panelColumns, tailColumns = p_.n % width;
    auto vectors = unsigned(divideCeil(uint64_t(tailColumns), uint64_t(plan_.lanes)));
    if (p_.n >= width)
      routines_[kFullTile] = emitTile(kernel_, unsigned(plan_.nv), plan_.packRhs);
    if (!tailColumns)
      return;
    bool isSame = p_.n >= width && vectors == unsigned(plan_.nv);
    routines_[kTailTile] = isSame ? routines_[kFullTile] : emitTile(kernel_, vectors, plan_.packRhs);
  }

  // What one task works on.
  struct Task {
    Value *batch, *m0, *rows, *n0, *columns;
    Value *packed; // columns of the packed rhs that are there already
    Value *depth;  // of k
    Value *firstPass, *passes;
  };

  // Instructions of a task, roughly.
  double blockCost() const {
    double rows = double(std::min(plan_.mc, p_.m)), columns = double(std::min(plan_.nc, p_.n));
    double products = rows * columns * double(p_.k) * double(layout_.unitParts * layout_.unitParts);
    return 2 * products / double(plan_.lanes * layout_.groupK);
  }

  Value *sectionOf(IRBuilderBase &b, const TiledRoutine &routine) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), sizes_, uint64_t(routine.section));
  }

  // Passes over the first `depth` of k.
  Value *passCount(Emitter &e, Value *depth) {
    if (isa<ConstantInt>(depth) || layout_.kBlocks == 1)
      return e.i64(layout_.kBlocks);
    assert(!layout_.runPasses && "a part of k is one of a single run");
    return e.udiv(e.add(depth, plan_.kc - 1), plan_.kc);
  }

  Task describe(Emitter &e, Value *task) {
    auto rowBlocks = int64_t(divideCeil(uint64_t(p_.m), uint64_t(plan_.mc)));
    auto columnBlocks = int64_t(divideCeil(uint64_t(p_.n), uint64_t(plan_.nc)));
    Value *rest = e.udiv(task, rowBlocks);
    Task result;
    result.m0 = e.mul(e.urem(task, rowBlocks), plan_.mc);
    result.n0 = e.mul(e.urem(rest, columnBlocks), plan_.nc);
    result.batch = p_.batch == 1 ? e.i64(0) : e.udiv(rest, columnBlocks);
    result.rows = rowBlocks == 1 ? e.i64(p_.m) : e.min(e.sub(e.i64(p_.m), result.m0), plan_.mc);
    result.columns = columnBlocks == 1 ? e.i64(p_.n) : e.min(e.sub(e.i64(p_.n), result.n0), plan_.nc);
    result.packed = e.i64(0);
    result.depth = e.i64(p_.k);
    result.firstPass = e.i64(0);
    result.passes = passCount(e, result.depth);
    return result;
  }

  // `before`: where what is the same for all tasks is done.
  void compute(Emitter &e, IRBuilderBase &before, const Task &task, Value *table, Value *scratch) {
    Values slots(kBlockSlots, nullptr);
    slots[kTable] = table;
    slots[kScratch] = scratch;
    Value *none = Constant::getNullValue(e.b.getPtrTy());
    for (unsigned slot = kRoutines; slot < kBlockSlots; slot += 2) {
      const TiledRoutine &routine = routines_[slot];
      slots[slot] = routine ? routine.function : none;
      slots[slot + 1] = routine ? sectionOf(before, routine) : none;
    }
    fill(e, task, slots);
    if (p_.arithmetic.inTiles())
      emitAmxBegin(e, kernel_.module);
    if (isInside())
      emitBlockInside(e, kernel_, direct_, slots);
    else
      callBlock(e, before, slots);
    if (p_.arithmetic.inTiles())
      emitAmxEnd(e);
  }

  void fill(Emitter &e, const Task &task, Values &slots) {
    slots[kBatch] = task.batch;
    slots[kFirstRow] = task.m0;
    slots[kRows] = task.rows;
    slots[kRowTiles] = e.udiv(e.add(task.rows, plan_.mr - 1), plan_.mr);
    slots[kFirstColumn] = task.n0;
    slots[kColumns] = task.columns;
    slots[kPacked] = task.packed;
    slots[kDepth] = task.depth;
    slots[kRunDepth] = layout_.runPasses ? e.i64(p_.runLength()) : task.depth;
    slots[kFirstPass] = task.firstPass;
    slots[kPasses] = task.passes;
    slots[kLhs] = lhsBase(e, p_, slots[kTable], task.batch);
    slots[kRhs] = rhsBase(e, p_, slots[kTable], task.batch);
    slots[kOut] = slots[kDirect] = outBase(e, p_, slots[kTable], task.batch);
    if (direct_.full)
      slots[kDirect] = e.gep(kernel_.accumulator(), slots[kOut],
                             e.add(offsetOf(e, p_.mOut, task.m0), offsetOf(e, p_.nOut, task.n0)));
    auto inScratch = [&](int64_t offset) { return e.gep(e.b.getInt8Ty(), slots[kScratch], offset); };
    slots[kTiles] = plan_.packLhs ? inScratch(layout_.lhsBlock) : slots[kLhs];
    if (plan_.sharesRhs)
      slots[kPanels] = sharedPanel(e, slots[kTable], task.batch, e.i64(0), task.n0);
    else if (plan_.packRhs)
      slots[kPanels] = inScratch(layout_.rhsBlock);
    else
      slots[kPanels] = e.gep(storageType(e.b.getContext(), p_.spec.rhs), slots[kRhs], offsetOf(e, p_.nRhs, task.n0));
  }

  void callBlock(Emitter &e, IRBuilderBase &before, ArrayRef<Value *> slots) {
    AllocaInst *block = before.CreateAlloca(ArrayType::get(e.b.getInt64Ty(), kBlockSlots));
    for (auto [slot, value] : llvm::enumerate(slots)) {
      bool isSame = slot == kTable || slot == kScratch || slot >= kRoutines;
      IRBuilderBase &b = isSame ? before : e.b;
      b.CreateAlignedStore(value, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), block, slot), Align(8));
    }
    e.b.CreateCall(block_.function, {block, sectionOf(e.b, block_)});
  }

  // One of the tasks that pack the rhs for all others.
  void packShared(Emitter &e, Value *table, Value *task) {
    auto groups = int64_t(divideCeil(uint64_t(p_.n), uint64_t(plan_.packColumns)));
    auto parts = int64_t(divideCeil(uint64_t(plan_.kc), uint64_t(plan_.packSteps)));
    Value *n0 = e.mul(e.urem(task, groups), plan_.packColumns), *rest = e.udiv(task, groups);
    Value *step = e.mul(e.urem(rest, parts), plan_.packSteps);
    rest = e.udiv(rest, parts);
    Value *number = e.urem(rest, layout_.kBlocks), *batch = e.udiv(rest, layout_.kBlocks);
    auto [passFrom, passTo] = passOf(e, number);
    Value *kFrom = e.add(passFrom, step), *kTo = e.min(e.add(kFrom, plan_.packSteps), passTo);
    e.ifThen(e.b.CreateICmpSLT(kFrom, kTo), [&] { // the last pass may be shorter
      Value *columns = e.min(e.sub(e.i64(p_.n), n0), plan_.packColumns);
      Value *panel = e.gep(kernel_.unit(), sharedPanel(e, table, batch, number, n0),
                           e.mul(e.udiv(step, layout_.groupK), layout_.panelColumns));
      e.b.CreateCall(packRhs_.function,
                     {rhsBase(e, p_, table, batch), panel, n0, columns, kFrom, kTo, sectionOf(e.b, packRhs_)});
    });
  }

  // The part of k that a pass takes.
  std::pair<Value *, Value *> passOf(Emitter &e, Value *number) {
    if (!layout_.runPasses) {
      Value *kFrom = e.mul(number, plan_.kc);
      return {kFrom, e.min(e.add(kFrom, plan_.kc), p_.k)};
    }
    Value *run = e.udiv(number, layout_.runPasses), *part = e.mul(e.urem(number, layout_.runPasses), plan_.kc);
    Value *start = e.mul(run, p_.runLength());
    return {e.add(start, part), e.add(start, e.min(e.add(part, plan_.kc), p_.runLength()))};
  }

  Value *sharedPanel(Emitter &e, Value *table, Value *batch, Value *pass, Value *column) {
    Value *index = e.add(e.mul(batch, layout_.kBlocks), pass);
    index = e.add(e.mul(index, layout_.sharedPanels), e.udiv(column, layout_.panelColumns));
    Value *start = e.gep(e.b.getInt8Ty(), e.buffer(table, *p_.buffers.temp), p_.buffers.tempBytes);
    return e.gep(kernel_.unit(), start, e.mul(index, layout_.rhsPanelUnits));
  }

  const TiledKernel &kernel_;
  const Problem &p_;
  const MatmulPlan &plan_;
  const TiledLayout &layout_;
  DirectTiles direct_;
  TiledRoutine routines_[kBlockSlots]; // by their slots
  TiledRoutine packRhs_, block_;
  Value *sizes_ = nullptr;
};

} // namespace

void emitTiled(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  SizeTable sizes;
  TiledKernel kernel{module, symbol.str(), p, plan, TiledLayout(p, plan), sizes};
  TiledWriter(kernel).write();
}

void emitTiledPart(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  SizeTable sizes;
  TiledKernel kernel{module, symbol.str(), p, plan, TiledLayout(p, plan), sizes};
  TiledWriter(kernel).writePart();
}

void emitRowBlockCall(Emitter &e, Function *function, const RowBlockCall &call) {
  e.b.CreateCall(function, {call.table, call.task, call.scratch, call.packed, call.columns, call.depth});
}

void emitDepthBlockCall(Emitter &e, Function *function, const DepthBlockCall &call) {
  e.b.CreateCall(function, {call.table, call.batch, call.scratch, call.pass, call.rows, call.depth});
}

} // namespace tenon::codegen::matmul
