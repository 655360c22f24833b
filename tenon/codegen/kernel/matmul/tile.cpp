// The register tile: plan.mr rows by a few vectors of accumulators, one broadcast of lhs and one vector of rhs at a
// time.
#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/codegen/llvm/prefetch.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

std::string tileName(const TiledKernel &kernel, unsigned vectors) {
  return "tile." + std::to_string(kernel.plan.mr) + "x" + std::to_string(vectors) + "x" +
         std::to_string(kernel.plan.lanes);
}

class TileWriter {
public:
  TileWriter(const TiledKernel &kernel, unsigned vectors, bool packedRhs)
      : kernel_(kernel), p_(kernel.p), layout_(kernel.layout), vectors_(vectors), packedRhs_(packedRhs),
        rows_(unsigned(kernel.plan.mr)), lanes_(unsigned(kernel.plan.lanes)), parts_(p_.components()),
        e_(kernel.module, "tenon." + tileName(kernel, vectors),
           {kernel.pointer(), kernel.pointer(), kernel.pointer(), kernel.i64(), kernel.i64(), kernel.pointer(),
            kernel.i64(), Type::getInt1Ty(kernel.context()), kernel.pointer(), kernel.pointer()},
           true),
        sizes_(e_, kernel.sizes, e_.arg(9)) {
    accVector_ = e_.vec(kernel.accumulator(), lanes_);
    unitVector_ = e_.vec(kernel.unit(), lanes_);
  }

  TiledRoutine write() {
    findRows();
    findSteps();
    Values acc = sum(Values(size_t(rows_) * vectors_ * parts_, Constant::getNullValue(accVector_)));
    finish(acc);
    e_.ret();
    sizes_.finish();
    double products = double(rows_ * vectors_) * parts_ * parts_;
    markRoutine(*e_.function, tileName(kernel_, vectors_), 2 * products * double(layout_.blockUnits));
    return {e_.function, sizes_.first()};
  }

private:
  using Type = llvm::Type;

  void findRows() {
    Value *a = e_.arg(0);
    for (unsigned i = 0; i < rows_; ++i) {
      if (kernel_.plan.packLhs) {
        rowPointers_.push_back(e_.gep(kernel_.unit(), a, sizes_.times(e_.i64(i * parts_), layout_.lhsRowStride)));
        continue;
      }
      Value *offset = e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), e_.arg(1), int64_t(i)));
      rowPointers_.push_back(e_.gep(lhsElement(), a, e_.mul(offset, parts_)));
    }
  }

  Type *lhsElement() { return storageType(e_.b.getContext(), p_.spec.lhs); }

  // Address of accumulator vector j (part of complex) of row i.
  Value *place(unsigned i, unsigned j, unsigned part) {
    Value *row = e_.mul(e_.arg(6), i);
    return e_.gep(kernel_.accumulator(), e_.arg(5), e_.add(row, part * layout_.panelColumns + int64_t(j * lanes_)));
  }

  // A pass sums on its own and then adds what was there: a sum over all of k would round as often as k is long.
  void finish(ArrayRef<Value *> acc) {
    auto store = [&](bool accumulate) {
      for (unsigned i = 0; i < rows_; ++i)
        for (unsigned part = 0; part < parts_; ++part)
          for (unsigned j = 0; j < vectors_; ++j) {
            Value *value = acc[index(i, j, part)], *at = place(i, j, part);
            if (layout_.columnSums)
              value =
                  e_.b.CreateAdd(value, e_.load(accVector_, e_.gep(kernel_.unit(), e_.arg(2), int64_t(j * lanes_))));
            if (accumulate) {
              Value *before = e_.load(accVector_, at);
              value = accVector_->isFPOrFPVectorTy() ? e_.b.CreateFAdd(before, value) : e_.b.CreateAdd(before, value);
            }
            e_.store(value, at);
          }
      return Values();
    };
    e_.ifElse(isOnlyPass() ? e_.b.getFalse() : e_.arg(7), [&] { return store(true); }, [&] { return store(false); });
  }

  // Tiles of a single pass have code of their own, which is shorter: k may be so, too.
  bool isOnlyPass() const { return layout_.kBlocks == 1; }

  unsigned index(unsigned i, unsigned j, unsigned part) { return (i * parts_ + part) * vectors_ + j; }

  // One k unit: aAt is an index of elements (in place) or units (packed), bAt where the rhs's row starts.
  Values step(Value *aAt, Value *bAt, ArrayRef<Value *> before) {
    Values acc(before.begin(), before.end());
    Values b;
    Type *bType = packedRhs_ ? kernel_.unit() : storageType(e_.b.getContext(), p_.spec.rhs);
    for (unsigned part = 0; part < parts_; ++part)
      for (unsigned j = 0; j < vectors_; ++j) {
        Value *at = e_.gep(bType, bAt, part * layout_.panelColumns + int64_t(j * lanes_));
        b.push_back(e_.load(unitVector_, at, packedRhs_ ? 4 : 0));
      }
    for (unsigned i = 0; i < rows_; ++i) {
      Values a;
      for (unsigned part = 0; part < parts_; ++part) {
        Value *at = e_.add(e_.mul(aAt, parts_), part);
        Value *pointer = e_.gep(kernel_.plan.packLhs ? kernel_.unit() : lhsElement(), rowPointers_[i], at);
        int64_t align = kernel_.plan.packLhs ? 4 : storageBytes(p_.spec.lhs) / parts_;
        a.push_back(e_.splat(e_.load(kernel_.unit(), pointer, align), lanes_));
      }
      for (unsigned j = 0; j < vectors_; ++j) {
        Value *&re = acc[index(i, j, 0)];
        re = dotStep(e_, p_.arithmetic, a[0], b[j], re, p_.target);
        if (parts_ == 1)
          continue;
        Value *&im = acc[index(i, j, 1)];
        re = multiplyAdd(e_, a[1], b[vectors_ + j], re, true, p_.target);
        im = multiplyAdd(e_, a[0], b[vectors_ + j], im, false, p_.target);
        im = multiplyAdd(e_, a[1], b[j], im, false, p_.target);
      }
    }
    return acc;
  }

  // From one unit to the next.
  void findSteps() {
    aStep_ =
        kernel_.plan.packLhs ? e_.i64(layout_.lhsKStride) : sizes_.times(e_.i64(layout_.groupK), p_.innerK().lhsStride);
    if (packedRhs_)
      bStep_ = e_.i64(layout_.panelColumns * parts_);
    else
      bStep_ = sizes_(p_.innerK().rhsStride * layout_.groupK);
  }
  Value *steps(Value *count, Value *step) { return e_.b.CreateMul(count, step, "", false, true); }

  void fetchLines(Value *from, int64_t bytes, PrefetchTo to) {
    constexpr int64_t kLineBytes = 64;
    for (int64_t line = 0; line < bytes; line += kLineBytes)
      emitPrefetch(e_.b, e_.gep(e_.b.getInt8Ty(), from, line), to);
  }

  // A step's vectors of the rhs, from `row` on.
  void fetch(Value *row) {
    int64_t bytes = int64_t(vectors_ * lanes_) * storageBytes(p_.spec.rhs);
    fetchLines(row, bytes, kernel_.plan.fetchesRowsToL1 ? PrefetchTo::kFirstCache : PrefetchTo::kSecondCache);
  }

  // Where the part of the panel that comes next begins for the units whose rhs begins at bStart, `before` units behind
  // those of the pass.
  Value *aheadOf(Value *bStart, Value *before) {
    Value *start = e_.gep(storageType(e_.b.getContext(), p_.spec.rhs), e_.arg(8), bStart);
    return e_.gep(e_.b.getInt8Ty(), start, e_.b.CreateMul(before, sizes_(layout_.aheadStep)));
  }

  // `count` units from element (or unit) aStart of each row and bStart of the rhs. `ahead`: what is fetched beside
  // them.
  Values units(Value *count, Value *aStart, Value *bStart, Value *ahead, ArrayRef<Value *> acc) {
    Type *bType = packedRhs_ ? kernel_.unit() : storageType(e_.b.getContext(), p_.spec.rhs);
    // In bytes: the address of an element takes an instruction of a port that multiply-adds need.
    auto bBytes = int64_t(bType->getPrimitiveSizeInBits() / 8);
    Value *bStep =
        isa<ConstantInt>(bStep_) ? e_.mul(bStep_, bBytes) : sizes_(p_.innerK().rhsStride * layout_.groupK * bBytes);
    Value *rowsAhead = nullptr; // in bytes
    if (int64_t rows = kernel_.plan.fetchedRows; !packedRhs_ && rows)
      rowsAhead = sizes_(p_.innerK().rhsStride * layout_.groupK * bBytes * rows);
    Values carried = {aStart, e_.gep(bType, e_.arg(2), bStart)};
    if (ahead)
      carried.push_back(ahead);
    size_t pointers = carried.size();
    carried.append(acc.begin(), acc.end());
    carried = e_.countDown(count, carried, [&](ArrayRef<Value *> before) {
      if (rowsAhead)
        fetch(e_.gep(e_.b.getInt8Ty(), before[1], rowsAhead));
      Values next = {e_.opaque(e_.add(before[0], aStep_)), e_.opaque(e_.gep(e_.b.getInt8Ty(), before[1], bStep))};
      if (ahead) {
        fetchLines(before[2], layout_.aheadStep, PrefetchTo::kSecondCache);
        next.push_back(e_.opaque(e_.gep(e_.b.getInt8Ty(), before[2], sizes_(layout_.aheadStep))));
      }
      next.append(step(before[0], before[1], before.drop_front(pointers)));
      return next;
    });
    return Values(carried.begin() + int64_t(pointers), carried.end());
  }

  Values sum(ArrayRef<Value *> acc) {
    bool aInPlace = !kernel_.plan.packLhs, bInPlace = !packedRhs_;
    Value *from = isOnlyPass() ? e_.i64(0) : e_.arg(3), *to = e_.arg(4);
    Value *head = e_.i64(packedRhs_ ? layout_.columnSums : 0);
    bool fetches = bInPlace && layout_.aheadStep > 0;
    if (!kernel_.multiRun()) {
      // Packed operands start at the block, operands in place at k = 0.
      Value *count = e_.sub(to, from);
      Value *aStart = aInPlace ? steps(from, aStep_) : e_.i64(0);
      Value *bStart = bInPlace ? steps(from, bStep_) : head;
      return units(count, aStart, bStart, fetches ? aheadOf(bStart, e_.i64(0)) : nullptr, acc);
    }
    Value *runUnits = sizes_(p_.runLength() / layout_.groupK);
    Value *tables[2] = {nullptr, nullptr};
    for (bool isLhs : {false, true})
      if (isLhs ? aInPlace : bInPlace)
        tables[isLhs] = sizes_.addressOf(p_.runOffsets(isLhs));
    auto runStart = [&](bool isLhs, Value *run) {
      return e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), tables[isLhs], run));
    };
    if (layout_.runPasses) { // a part of one run
      Value *run = e_.b.CreateUDiv(from, runUnits), *within = e_.b.CreateURem(from, runUnits);
      auto start = [&](bool isLhs, bool inPlace, Value *step, Value *first) -> Value * {
        return inPlace ? e_.add(runStart(isLhs, run), steps(within, step)) : first;
      };
      Value *bStart = start(false, bInPlace, bStep_, head);
      return units(e_.sub(to, from), start(true, aInPlace, aStep_, e_.i64(0)), bStart,
                   fetches ? aheadOf(bStart, e_.i64(0)) : nullptr, acc);
    }
    return e_.loop(from, to, e_.i64(1), acc, [&](Value *run, ArrayRef<Value *> carried) {
      Value *position = e_.b.CreateMul(e_.sub(run, from), runUnits);
      auto start = [&](bool isLhs, bool inPlace, Value *step, Value *first) {
        return inPlace ? runStart(isLhs, run) : e_.add(first, steps(position, step));
      };
      Value *aStart = start(true, aInPlace, aStep_, e_.i64(0));
      Value *bStart = start(false, bInPlace, bStep_, head);
      Value *ahead = fetches ? aheadOf(runStart(false, from), position) : nullptr;
      return units(runUnits, aStart, bStart, ahead, carried);
    });
  }

  const TiledKernel &kernel_;
  const Problem &p_;
  const TiledLayout &layout_;
  unsigned vectors_;
  bool packedRhs_;
  unsigned rows_, lanes_, parts_;
  Emitter e_;
  Sizes sizes_;
  Value *aStep_ = nullptr, *bStep_ = nullptr;
  Type *accVector_, *unitVector_;
  Values rowPointers_;
};

} // namespace

TiledRoutine emitTile(const TiledKernel &kernel, unsigned vectors, bool packedRhs) {
  if (kernel.p.arithmetic.inTiles())
    return emitAmxTile(kernel, vectors);
  return TileWriter(kernel, vectors, packedRhs).write();
}

} // namespace tenon::codegen::matmul
