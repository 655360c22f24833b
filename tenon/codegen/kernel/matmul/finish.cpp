// What lies on either side of a block's tiles: where its rows are in the lhs, and how accumulators become results.
#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/codegen/llvm/prefetch.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/ADT/bit.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

class FinishWriter {
public:
  explicit FinishWriter(const TiledKernel &kernel)
      : kernel_(kernel), p_(kernel.p), parts_(p_.components()), width_(kernel.layout.panelColumns),
        e_(kernel.module, kernel.symbol + ".finish",
           {kernel.pointer(), kernel.pointer(), kernel.i64(), kernel.i64(), kernel.i64(), kernel.i64(), kernel.i64(),
            kernel.pointer(), kernel.pointer()},
           true),
        sizes_(e_, kernel.sizes, e_.arg(8)) {
    e_.opaqueLoops = true;
  }

  TiledRoutine write() {
    Value *m0 = e_.arg(3), *count = e_.arg(4);
    if (!p_.hasEpilogue && p_.nOut.isContiguous()) {
      sizes_.forEachOffset(p_.mOut, m0, count, [&](Value *i, Value *offset) { storeDense(rowOf(i), offset); });
      sizes_.finish();
      markRoutine(*e_.function, "finish", 4.0 * double(kernel_.layout.tileElements));
    } else {
      e_.loop(e_.i64(0), count, e_.i64(1), {}, [&](Value *i, ArrayRef<Value *>) {
        storeAny(rowOf(i), e_.add(m0, i));
        return Values();
      });
    }
    e_.ret();
    return {e_.function, sizes_.first()};
  }

private:
  Value *rowOf(Value *i) { return e_.mul(i, width_ * parts_); }

  Values sums(Value *row, Value *column, unsigned lanes) {
    Values acc;
    for (int64_t part = 0; part < parts_; ++part) {
      Value *at = e_.add(e_.add(row, column), part * width_);
      acc.push_back(e_.load(e_.vec(kernel_.accumulator(), lanes), e_.gep(kernel_.accumulator(), e_.arg(1), at)));
    }
    return acc;
  }

  // `offset`: of the row in the result.
  void storeDense(Value *row, Value *offset) {
    Value *start = e_.add(offset, e_.arg(5)), *count = e_.arg(6);
    auto store = [&](Value *column, unsigned lanes) {
      storeSum(e_, p_, e_.arg(7), e_.add(start, column), lanes, sums(row, column, lanes));
    };
    auto lanes = unsigned(std::min<int64_t>(kernel_.plan.lanes, int64_t(llvm::bit_floor(uint64_t(p_.n)))));
    Value *full = e_.b.CreateAnd(count, e_.i64(-int64_t(lanes)));
    e_.loop(e_.i64(0), full, lanes, [&](Value *column) { store(column, lanes); });
    if (lanes > 1)
      e_.loop(full, count, 1, [&](Value *column) { store(column, 1); });
  }

  void storeAny(Value *row, Value *m) {
    Value *n0 = e_.arg(5);
    forEachOutputPiece(e_, p_, n0, e_.arg(6), unsigned(kernel_.plan.lanes), [&](Value *column, unsigned lanes) {
      storeOutput(e_, p_, {e_.arg(0), e_.arg(2), m, e_.add(n0, column)}, lanes, sums(row, column, lanes));
    });
  }

  const TiledKernel &kernel_;
  const Problem &p_;
  int64_t parts_, width_;
  Emitter e_;
  Sizes sizes_;
};

} // namespace

TiledRoutine emitFinish(const TiledKernel &kernel) { return FinishWriter(kernel).write(); }

TiledRoutine emitFetchOfResults(const TiledKernel &kernel) {
  constexpr int64_t kLineBytes = 64;
  const Problem &p = kernel.p;
  llvm::Type *i64 = kernel.i64(), *pointer = kernel.pointer();
  Emitter e(kernel.module, kernel.symbol + ".fetch", {pointer, i64, i64, i64, i64, i64, pointer}, true);
  Value *table = e.arg(0), *first = e.arg(2), *columns = e.arg(5);
  auto fetch = [&](mlir::Type type, Value *base, Value *offset) {
    Value *start = elementPointer(e, type, base, offset), *bytes = e.mul(columns, storageBytes(type));
    e.loop(e.i64(0), bytes, kLineBytes, [&](Value *line) { emitPrefetch(e.b, e.gep(e.b.getInt8Ty(), start, line)); });
    emitPrefetch(e.b, e.gep(e.b.getInt8Ty(), start, e.add(bytes, -1)));
  };
  e.loop(first, e.add(first, e.arg(3)), 1, [&](Value *m) {
    Value *offset = outputOffset(e, p, {table, e.arg(1), m, e.arg(4)});
    fetch(p.spec.out, outBase(e, p, table), offset);
    for (const FullOperand &operand : p.spec.fullOperands)
      fetch(operand.type, e.buffer(table, operand.buffer), offset);
  });
  e.ret();
  return {e.function};
}

Function *emitStoreOfSums(const ContractionPlan &plan, Module &module, StringRef symbol, const Epilogue &epilogue,
                          int64_t parts) {
  Problem p = plan.problem;
  p.epilogue = epilogue ? &epilogue : nullptr;
  assert(p.components() == 1);
  llvm::Type *pointer = PointerType::get(module.getContext(), 0), *i64 = llvm::Type::getInt64Ty(module.getContext());
  llvm::Type *accumulator = accumulatorType(module.getContext(), p.arithmetic);
  Emitter e(module, symbol, {pointer, i64, i64, i64, pointer}, true);
  Value *batch = e.arg(1), *first = e.arg(2);
  e.loop(first, e.add(first, e.arg(3)), 1, [&](Value *m) {
    Value *row = e.mul(e.add(e.mul(batch, p.m), m), p.n);
    forEachOutputPiece(e, p, e.i64(0), e.i64(p.n), unsigned(plan.schedule.lanes), [&](Value *column, unsigned lanes) {
      Value *sum = nullptr;
      for (int64_t part = 0; part < parts; ++part) {
        Value *at = e.add(e.add(row, column), part * p.batch * p.m * p.n);
        Value *next = e.load(e.vec(accumulator, lanes), e.gep(accumulator, e.arg(4), at));
        sum = !sum ? next : accumulatorIsFloat(p.arithmetic) ? e.b.CreateFAdd(sum, next) : e.b.CreateAdd(sum, next);
      }
      storeOutput(e, p, {e.arg(0), batch, m, column}, lanes, {sum});
    });
  });
  e.ret();
  return e.function;
}

void emitRows(Emitter &e, Sizes &sizes, const TiledKernel &kernel, Value *rows, Value *m0, Value *count) {
  const Problem &p = kernel.p;
  llvm::Type *i64 = e.b.getInt64Ty();
  bool mayEndInside = !sizes.areConstants() || p.m % kernel.plan.mr != 0;
  Value *inside = mayEndInside ? e.min(e.sub(sizes(p.m), m0), count) : count;
  sizes.forEachOffset(p.mLhs, m0, inside, [&](Value *i, Value *offset) { e.store(offset, e.gep(i64, rows, i)); });
  if (!mayEndInside)
    return;
  Value *last = e.load(i64, e.gep(i64, rows, e.add(inside, -1)));
  e.loop(inside, count, 1, [&](Value *i) { e.store(last, e.gep(i64, rows, i)); });
}

TiledRoutine emitRowTable(const TiledKernel &kernel) {
  Emitter e(kernel.module, kernel.symbol + ".rows", {kernel.pointer(), kernel.i64(), kernel.i64(), kernel.pointer()},
            true);
  e.opaqueLoops = true;
  Sizes sizes(e, kernel.sizes, e.arg(3));
  emitRows(e, sizes, kernel, e.arg(0), e.arg(1), e.arg(2));
  e.ret();
  sizes.finish();
  markRoutine(*e.function, "rows", 8.0 * double(kernel.plan.mc));
  return {e.function, sizes.first()};
}

} // namespace tenon::codegen::matmul
