// What one task of a register-tiled kernel does: the passes over k, and in each the packing and the tiles. As a routine
// the code is the same for every product, of whatever types, sizes and register tile: those it is given as functions
// and numbers.
#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/codegen/kernel/matmul/tree.h"
#include "tenon/codegen/llvm/prefetch.h"
#include "tenon/codegen/llvm/routines.h"
#include "tenon/codegen/llvm/stop_checks.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

// Instructions of a task from which on it asks in between whether to stop: a millisecond or so.
constexpr double kLongTask = 1e7;

class BlockWriter {
public:
  BlockWriter(Emitter &e, Sizes &sizes, const TiledKernel &kernel, DirectTiles direct, ArrayRef<Value *> slots,
              bool asksWhetherToStop)
      : kernel_(kernel), p_(kernel.p), plan_(kernel.plan), layout_(kernel.layout), direct_(direct),
        asksWhetherToStop_(asksWhetherToStop), e_(e), sizes_(sizes), slots_(slots) {
    e_.opaqueLoops = true;
  }

  void write() {
    readSizes();
    rowTable_ = inScratch(layout_.rowTable);
    Value *count = sizes_.product(tiles_, plan_.mr);
    if (sizes_.areConstants() && p_.mLhs.isAffine())
      emitRows(e_, sizes_, kernel_, rowTable_, at(kFirstRow), count);
    else
      call(kRowTable, {rowTable_, at(kFirstRow), count});
    if (layout_.passesTogether)
      passesInTree();
    else
      passes(at(kFirstPass), at(kPasses));
  }

private:
  Value *at(unsigned slot) const { return slots_[slot]; }
  Value *bytesFrom(Value *pointer, Value *bytes) { return e_.gep(e_.b.getInt8Ty(), pointer, bytes); }
  Value *inScratch(int64_t offset) { return bytesFrom(at(kScratch), sizes_(offset)); }
  Value *isGiven(unsigned slot) { return e_.b.CreateIsNotNull(at(slot)); }

  void readSizes() {
    tiles_ = at(kRowTiles);
    columns_ = at(kColumns);
    width_ = sizes_(layout_.panelColumns);
    mr_ = sizes_(plan_.mr);
    int64_t tileBytes = layout_.tileElements * p_.arithmetic.unitBytes;
    sums_ = inScratch(layout_.accumulators);
    sumsTileStep_ = sizes_(layout_.keepsBlock ? tileBytes : 0);
    sumsPanelStep_ = sizes_(layout_.keepsBlock ? tileBytes * layout_.rowTiles : 0);
  }

  // Calls the function of a slot with its sizes.
  void call(unsigned slot, Values arguments) {
    arguments.push_back(at(slot + 1));
    SmallVector<llvm::Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    e_.b.CreateCall(FunctionType::get(e_.b.getVoidTy(), types, false), at(slot), arguments);
  }

  // A loop, but for one that is known to have one iteration.
  Values loop(Value *lo, Value *hi, Value *step, ArrayRef<Value *> init,
              function_ref<Values(Value *, ArrayRef<Value *>)> body) {
    auto *first = dyn_cast<ConstantInt>(lo), *end = dyn_cast<ConstantInt>(hi), *by = dyn_cast<ConstantInt>(step);
    if (first && end && by && first->getSExtValue() < end->getSExtValue() &&
        first->getSExtValue() + by->getSExtValue() >= end->getSExtValue())
      return body(lo, init);
    return e_.loop(lo, hi, step, init, body);
  }

  void passesInTree() {
    BlockTree tree(e_, kernel_.accumulator(), sizes_(layout_.blockAccumulators), unsigned(plan_.lanes),
                   sizes_(BlockTree::levels(layout_.passGroups())), sums_, inScratch(layout_.tree));
    int64_t size = layout_.passesTogether;
    Value *end = at(kPasses);
    Values count = e_.loop(e_.i64(0), end, e_.i64(size), {e_.i64(0)}, [&](Value *from, ArrayRef<Value *> before) {
      passes(from, e_.min(e_.add(from, size), end));
      tree.add(before[0], /*clear=*/false);
      return Values{e_.add(before[0], 1)};
    });
    tree.total(count[0]);
    forEachPanel({sums_}, {sumsPanelStep_}, [&](const Panel &panel, ArrayRef<Value *> sums) {
      forEachTile({e_.i64(0), tiles_, {e_.i64(0)}}, {sums[0]}, {sumsTileStep_},
                  [&](Value *i, ArrayRef<Value *> tile) { finishTile(i, panel, tile[0]); });
    });
  }

  // Columns of the block that a register tile computes.
  struct Panel {
    Value *first, *columns;
    bool isTail;
  };

  // The whole panels and the rest, with pointers that take steps from one to the next.
  void forEachPanel(ArrayRef<Value *> start, ArrayRef<Value *> steps,
                    function_ref<void(const Panel &, ArrayRef<Value *>)> body) {
    int64_t width = layout_.panelColumns;
    Values carried{e_.i64(0)};
    carried.append(start.begin(), start.end());
    if (!sizes_.areConstants() || p_.n >= width) {
      Value *end = e_.sub(columns_, e_.add(width_, -1));
      carried = loop(e_.i64(0), end, width_, carried, [&](Value *column, ArrayRef<Value *> before) {
        Values here(before.drop_front());
        body({column, width_, false}, here);
        Values next{e_.add(column, width_)};
        next.append(stepped(here, steps));
        return next;
      });
    }
    if (sizes_.areConstants() && p_.n % width == 0)
      return;
    e_.ifThen(e_.b.CreateICmpSLT(carried[0], columns_),
              [&] { body({carried[0], e_.sub(columns_, carried[0]), true}, ArrayRef<Value *>(carried).drop_front()); });
  }

  // Tiles that stay in L2 while all panels pass by.
  struct RowGroup {
    Value *row, *tiles; // the first row of the block's, and how many tiles
    Values offsets;     // in bytes, of the first tile
  };

  // `steps`: bytes from one tile to the next.
  void forEachRowGroup(ArrayRef<Value *> steps, function_ref<void(const RowGroup &)> body) {
    int64_t size = plan_.tilesTogether ? plan_.tilesTogether : layout_.rowTiles;
    if (sizes_.areConstants() && size >= layout_.rowTiles)
      return body({e_.i64(0), tiles_, Values(steps.size(), e_.i64(0))});
    Value *together = sizes_(size);
    e_.loop(e_.i64(0), tiles_, together, Values{}, [&](Value *tile, ArrayRef<Value *>) {
      RowGroup group{e_.b.CreateMul(tile, mr_), e_.min(together, e_.sub(tiles_, tile)), {}};
      for (Value *step : steps)
        group.offsets.push_back(e_.b.CreateMul(tile, step));
      body(group);
      return Values{};
    });
  }

  void forEachTile(const RowGroup &group, Values start, ArrayRef<Value *> steps,
                   function_ref<void(Value *, ArrayRef<Value *>)> body) {
    for (auto [pointer, offset] : zip_equal(start, group.offsets))
      pointer = bytesFrom(pointer, offset);
    start.push_back(group.row);
    loop(e_.i64(0), group.tiles, e_.i64(1), start, [&](Value *, ArrayRef<Value *> carried) {
      Values here(carried.begin(), carried.end());
      Value *i = here.pop_back_val();
      body(i, here);
      Values next = stepped(here, steps);
      next.push_back(e_.add(i, mr_));
      return next;
    });
  }

  Values stepped(ArrayRef<Value *> pointers, ArrayRef<Value *> steps) {
    Values next;
    for (auto [pointer, step] : zip_equal(pointers, steps))
      next.push_back(bytesFrom(pointer, step));
    return next;
  }

  // Calls a function that is told which tile of the result is meant, after the arguments before.
  void callForTile(unsigned slot, Values arguments, Value *i, const Panel &panel, ArrayRef<Value *> last = {}) {
    arguments.append({at(kBatch), e_.add(at(kFirstRow), i), e_.min(e_.sub(at(kRows), i), mr_),
                      e_.add(at(kFirstColumn), panel.first), panel.columns});
    arguments.append(last.begin(), last.end());
    call(slot, arguments);
  }

  void finishTile(Value *i, const Panel &panel, Value *tile) {
    callForTile(kFinish, {at(kTable), tile}, i, panel, {at(kOut)});
  }

  // One pass, over [kFrom, kTo); all but the first add to the sums.
  struct Pass {
    Value *number, *kFrom, *kTo, *accumulates, *isLast;
  };

  // The passes of these numbers. The first one starts the sums, which in a tree is that of each call. Each pass is a
  // part of a run: of all of k, where passes are not parts of its runs. Only such ones begin with another one than the
  // first.
  void passes(Value *from, Value *to) {
    if (sizes_.areConstants() && layout_.kBlocks == 1)
      return pass({e_.i64(0), e_.i64(0), at(kDepth), e_.b.getFalse(), e_.b.getTrue()});
    int64_t parts = layout_.runPasses ? layout_.runPasses : layout_.kBlocks;
    Value *length = at(kRunDepth), *kc = sizes_(plan_.kc);
    Value *starting = layout_.passesTogether ? from : e_.i64(0);
    Values start{e_.i64(0), e_.b.CreateMul(from, kc)};
    if (layout_.passesTogether)
      start = {e_.b.CreateMul(sizes_.quotient(from, parts), length),
               sizes_.product(sizes_.remainder(from, parts), plan_.kc)};
    loop(from, to, e_.i64(1), start, [&](Value *number, ArrayRef<Value *> carried) {
      Value *run = carried[0], *part = carried[1], *next = e_.add(part, kc);
      Value *kTo = e_.add(run, e_.min(next, length));
      pass({number, e_.add(run, part), kTo, e_.b.CreateICmpNE(number, starting), e_.b.CreateICmpEQ(kTo, at(kDepth))});
      Value *isDone = e_.b.CreateICmpSGE(next, length);
      return Values{e_.b.CreateSelect(isDone, e_.add(run, length), run), e_.b.CreateSelect(isDone, e_.i64(0), next)};
    });
  }

  void pass(const Pass &pass) {
    e_.ifThen(isGiven(kPackRhs), [&] {
      Value *packed = at(kPacked);
      e_.ifThen(e_.b.CreateICmpSLT(packed, columns_), [&] {
        Value *panel = sizes_.quotient(packed, layout_.panelColumns);
        Value *panels = bytesFrom(at(kPanels), sizes_.product(panel, layout_.rhsPanelUnits * p_.arithmetic.unitBytes));
        call(kPackRhs,
             {at(kRhs), panels, e_.add(at(kFirstColumn), packed), e_.sub(columns_, packed), pass.kFrom, pass.kTo});
      });
    });
    e_.ifThen(isGiven(kPackLhs), [&] {
      call(kPackLhs, {at(kLhs), at(kTiles), rowTable_, sizes_.product(tiles_, plan_.mr), pass.kFrom, pass.kTo});
    });
    panels(pass);
  }

  // The tile's k range: units of this pass, or runs.
  std::pair<Value *, Value *> kRange(const Pass &pass) {
    bool inRuns = kernel_.multiRun() && !layout_.runPasses;
    Values range = e_.ifElse(
        e_.b.CreateIsNotNull(sizes_(inRuns)),
        [&] { return Values{sizes_.quotient(pass.kFrom, p_.runLength()), sizes_.quotient(pass.kTo, p_.runLength())}; },
        [&] {
          Value *shift = sizes_(Log2_64(uint64_t(layout_.groupK)));
          Value *from = e_.b.CreateLShr(pass.kFrom, shift);
          Value *length = e_.add(e_.sub(pass.kTo, pass.kFrom), sizes_(layout_.groupK - 1));
          return Values{from, e_.add(from, e_.b.CreateLShr(length, shift))};
        });
    return {range[0], range[1]};
  }

  Value *select(Value *condition, Value *yes, Value *no) {
    if (auto *constant = dyn_cast<ConstantInt>(condition))
      return constant->isOne() ? yes : no;
    return e_.b.CreateSelect(condition, yes, no);
  }

  // Whether the tile from row i on is stored as it is computed: if those of its panel are and no row of it is past the
  // end.
  Value *isStored(Value *tilesAre, Value *i) {
    auto *constant = dyn_cast<ConstantInt>(tilesAre);
    if (constant && (constant->isZero() || p_.m % plan_.mr == 0))
      return tilesAre;
    Value *isWhole = e_.b.CreateICmpSGE(e_.sub(at(kRows), i), mr_);
    return constant ? isWhole : e_.b.CreateAnd(tilesAre, isWhole);
  }

  void panels(const Pass &pass) {
    auto [from, to] = kRange(pass);
    int64_t unitBytes = p_.arithmetic.unitBytes, width = layout_.panelColumns;
    int64_t rhsPanelBytes = layout_.rhsPanelUnits * unitBytes;
    int64_t panelStride = p_.rhsPanelColumns() ? p_.nRhs.dims.front().stride : width * p_.nRhs.inner().stride;
    int64_t panelBytes = plan_.packRhs ? rhsPanelBytes : panelStride * storageBytes(p_.spec.rhs);
    int64_t outRow = direct_.full || direct_.tail ? p_.mOut.inner().stride : 0;
    Value *firstPanel =
        bytesFrom(at(kPanels), sizes_.product(pass.number, plan_.sharesRhs ? layout_.sharedPanels * rhsPanelBytes : 0));
    Value *outStride = sizes_(outRow), *sumStride = sizes_(width * int64_t(p_.components()));
    Value *part = sizes_.product(e_.sub(pass.kTo, pass.kFrom), layout_.aheadStep);
    Values tileSteps{sizes_(plan_.packLhs ? layout_.lhsTileStride * layout_.unitParts * unitBytes : 0),
                     sizes_(plan_.mr * int64_t(sizeof(int64_t))), sumsTileStep_, sizes_(plan_.mr * outRow * unitBytes),
                     part};
    Values panelSteps{sizes_(panelBytes), sumsPanelStep_, sizes_(width * unitBytes)};
    Value *fullAreStored = e_.b.CreateIsNotNull(sizes_(direct_.full));
    Value *tailIsStored = e_.b.CreateIsNotNull(sizes_(direct_.tail));
    forEachRowGroup(tileSteps, [&](const RowGroup &group) {
      forEachPanel({firstPanel, sums_, at(kDirect)}, panelSteps, [&](const Panel &panel, ArrayRef<Value *> starts) {
        if (asksWhetherToStop_)
          askWhetherToStop(e_);
        Value *rhs = starts[0], *ahead = nextPanel(pass, panel, firstPanel, rhs, panelSteps[0]);
        Values start{at(kTiles), rowTable_, starts[1], starts[2], ahead};
        Value *last = bytesFrom(ahead, sizes_.product(part, std::max<int64_t>(plan_.panelParts, 1) - 1));
        forEachTile(group, start, tileSteps, [&](Value *i, ArrayRef<Value *> tile) {
          fetchNextTile(pass, panel, i, tile[1]);
          e_.ifThen(e_.b.CreateAnd(isGiven(kFetch), pass.isLast), [&] { callForTile(kFetch, {at(kTable)}, i, panel); });
          Value *stored = isStored(panel.isTail ? tailIsStored : fullAreStored, i);
          Value *c = select(stored, tile[3], tile[2]), *stride = select(stored, outStride, sumStride);
          Value *fetched = e_.b.CreateSelect(e_.b.CreateICmpULT(tile[4], last), tile[4], last);
          call(panel.isTail ? kTailTile : kFullTile,
               {tile[0], tile[1], rhs, from, to, c, stride, pass.accumulates, fetched});
          if (!layout_.passesTogether)
            e_.ifThen(pass.isLast, [&] { e_.ifThen(negated(stored), [&] { finishTile(i, panel, tile[2]); }); });
        });
      });
    });
  }

  // The panel in place that the tiles read after this one: in the same pass or, behind its last one, in the next pass.
  // Itself where there is none.
  Value *nextPanel(const Pass &pass, const Panel &panel, Value *firstPanel, Value *rhs, Value *panelBytes) {
    Value *isThere = e_.b.CreateICmpSLT(e_.add(panel.first, width_), columns_);
    int64_t rowBytes = layout_.aheadStep * plan_.panelParts;
    Value *ofNextPass = bytesFrom(firstPanel, sizes_.product(e_.sub(pass.kTo, pass.kFrom), rowBytes));
    return e_.b.CreateSelect(isThere, bytesFrom(rhs, panelBytes), e_.b.CreateSelect(pass.isLast, rhs, ofNextPass));
  }

  // Has the first lines of the next tile's rows of an lhs in place fetched, for the panel that reads them first.
  // `rows`: where this tile's offsets are.
  void fetchNextTile(const Pass &pass, const Panel &panel, Value *i, Value *rows) {
    constexpr int64_t kLineBytes = 64;
    if (sizes_.areConstants() && plan_.fetchedLines == 0)
      return;
    Value *lines = sizes_(plan_.fetchedLines), *next = e_.add(i, mr_);
    Value *isThere = e_.b.CreateICmpSLT(next, e_.b.CreateMul(tiles_, mr_));
    Value *isFirst = e_.b.CreateICmpEQ(panel.first, e_.i64(0)), *fetches = e_.b.CreateIsNotNull(lines);
    Value *bytes = sizes_(storageBytes(p_.spec.lhs));
    e_.ifThen(e_.b.CreateAnd(e_.b.CreateAnd(fetches, isFirst), isThere), [&] {
      Value *end = e_.b.CreateMul(lines, e_.i64(kLineBytes));
      e_.loop(mr_, e_.add(mr_, mr_), 1, [&](Value *row) {
        Value *offset = e_.load(kernel_.i64(), e_.gep(kernel_.i64(), rows, row));
        Value *first = bytesFrom(at(kTiles), e_.b.CreateMul(e_.add(offset, pass.kFrom), bytes));
        e_.loop(e_.i64(0), end, kLineBytes, [&](Value *line) { emitPrefetch(e_.b, bytesFrom(first, line)); });
      });
    });
  }

  Value *negated(Value *condition) { return select(condition, e_.b.getFalse(), e_.b.getTrue()); }

  const TiledKernel &kernel_;
  const Problem &p_;
  const MatmulPlan &plan_;
  const TiledLayout &layout_;
  DirectTiles direct_;
  bool asksWhetherToStop_;
  Emitter &e_;
  Sizes &sizes_;
  ArrayRef<Value *> slots_;
  Value *tiles_ = nullptr, *columns_ = nullptr, *rowTable_ = nullptr, *width_ = nullptr, *mr_ = nullptr;
  Value *sums_ = nullptr, *sumsTileStep_ = nullptr, *sumsPanelStep_ = nullptr;
};

} // namespace

TiledRoutine emitBlock(const TiledKernel &kernel, DirectTiles direct, double cost) {
  Emitter e(kernel.module, "tenon.block", {kernel.pointer(), kernel.pointer()}, true);
  Sizes sizes(e, kernel.sizes, e.arg(1));
  Values slots;
  for (unsigned slot = 0; slot < kBlockSlots; ++slot) {
    llvm::Type *type = isPointer(BlockSlot(slot)) ? kernel.pointer() : kernel.i64();
    slots.push_back(e.load(type, e.gep(kernel.i64(), e.arg(0), int64_t(slot))));
  }
  BlockWriter(e, sizes, kernel, direct, slots, cost >= kLongTask).write();
  e.ret();
  markRoutine(*e.function, "block", cost);
  return {e.function, sizes.first()};
}

void emitBlockInside(Emitter &e, const TiledKernel &kernel, DirectTiles direct, ArrayRef<Value *> slots) {
  Sizes sizes(e);
  BlockWriter(e, sizes, kernel, direct, slots, /*asksWhetherToStop=*/false).write();
}

} // namespace tenon::codegen::matmul
