// A few rows times a large matrix: bound by reading the rhs, so it is read in place, once, in the order it lies in
// memory, by any element type (a bf16 or int8 matrix costs its own bytes, not those of a widened copy).
//
// stream: rhs rows run along n. Several rows (k) are read side by side; sums of all the task's columns wait in scratch
// (in L1) between them.
// dot: rhs columns run along k. Vectors along k of several columns are multiplied with the lhs row and added up at the
// end.
//
// Either way the lhs rows are first copied to scratch as units, and results leave through one output loop.
#include "tenon/codegen/cpu/matmul/kernels.h"
#include "tenon/codegen/cpu/matmul/tree.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

class StreamWriter {
public:
  StreamWriter(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan)
      : module_(module), symbol_(symbol), p_(p), plan_(plan), lanes_(unsigned(plan.lanes)), parts_(p.components()) {}

  void write() {
    emitTasks(module_, symbol_, p_.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
      int64_t blocks = int64_t(divideCeil(uint64_t(p_.n), uint64_t(plan_.nc)));
      batch_ = e.udiv(task, blocks);
      n0_ = e.mul(e.urem(task, blocks), plan_.nc);
      columns_ = blocks == 1 ? e.i64(p_.n) : e.min(e.sub(e.i64(p_.n), n0_), plan_.nc);
      rhs_ = rhsBase(e, p_, table, batch_);
      units_ = scratch;
      sums_ = e.gep(e.b.getInt8Ty(), scratch, unitBytes(p_, plan_));
      copyLhs(e, lhsBase(e, p_, table, batch_));
      if (plan_.kind == MatmulPlan::Kind::kStream)
        byRows(e);
      else
        byColumns(e);
      output(e, table);
    });
  }

  // Of the copied lhs.
  static int64_t unitBytes(const Problem &p, const MatmulPlan &plan) {
    return int64_t(
        alignTo(uint64_t(p.m * paddedK(p, plan) * p.components() * p.arithmetic.unitBytes / plan.groupK), 64));
  }
  static int64_t paddedK(const Problem &p, const MatmulPlan &plan) {
    int64_t step = int64_t(plan.lanes) * plan.groupK;
    return int64_t(alignTo(uint64_t(p.k), uint64_t(step)));
  }

  static int64_t sumCount(const Problem &p, const MatmulPlan &plan) { return p.m * plan.nc * int64_t(p.components()); }
  // Blocks of rows of the rhs whose sums are made apart, and added in a tree.
  static int64_t blocks(const Problem &p, const MatmulPlan &plan) {
    bool gains = accumulatorIsFloat(p.arithmetic) && plan.kind == MatmulPlan::Kind::kStream;
    return gains && p.k > 2 * kBlock ? int64_t(divideCeil(uint64_t(p.k), uint64_t(kBlock))) : 1;
  }
  // Accumulators in scratch.
  static int64_t allSums(const Problem &p, const MatmulPlan &plan) {
    int64_t arrays = blocks(p, plan) > 1 ? 1 + BlockTree::levels(blocks(p, plan)) : 1;
    return arrays * sumCount(p, plan);
  }

private:
  static constexpr int64_t kBlock = 512; // a multiple of the rows read side by side

  llvm::Type *accumulator() { return accumulatorType(module_.getContext(), p_.arithmetic); }
  llvm::Type *element() { return unitElementType(module_.getContext(), p_.arithmetic); }

  // Lhs rows as unit elements, [part][row][k].
  Value *unitElementAt(Emitter &e, int64_t row, Value *k, unsigned part) {
    return e.gep(element(), units_, e.add(k, (int64_t(part) * p_.m + row) * paddedK(p_, plan_)));
  }

  void copyLhs(Emitter &e, Value *lhs) {
    int64_t stride = p_.innerK().lhsStride;
    unsigned width = stride == 1 && parts_ == 1 ? lanes_ : 1;
    int64_t full = p_.k / width * width;
    e.loop(e.i64(0), e.i64(p_.m), 1, [&](Value *m) {
      Value *offset = offsetOf(e, p_.mLhs, m), *row = e.mul(m, paddedK(p_, plan_));
      auto copy = [&](Value *k, unsigned count) {
        Values value = loadElements(e, p_, true, lhs, e.add(offset, e.mul(k, stride)), count);
        for (unsigned part = 0; part < parts_; ++part)
          e.store(value[part], e.gep(element(), unitElementAt(e, 0, k, part), row));
      };
      e.loop(e.i64(0), e.i64(full), width, [&](Value *k) { copy(k, width); });
      e.loop(e.i64(full), e.i64(p_.k), 1, [&](Value *k) { copy(k, 1); });
    });
  }

  Value *sumAt(Emitter &e, int64_t row, Value *column, unsigned part) {
    return e.gep(accumulator(), sums_, e.add(column, (int64_t(part) * p_.m + row) * plan_.nc));
  }

  // --- stream ---

  // sums[.., j..] += lhs[.., k..] * rhs[k.., j..] for `depth` consecutive k.
  void addRows(Emitter &e, Value *k, int64_t depth, Value *j, unsigned width, bool first) {
    SmallVector<Values, 8> b;
    Value *column = e.add(n0_, j);
    for (int64_t u = 0; u < depth; ++u)
      b.push_back(loadElements(e, p_, false, rhs_, e.add(e.mul(e.add(k, u), p_.innerK().rhsStride), column), width));
    if (width > 1 && p_.m > 2)
      fetchRows(e, e.add(k, depth), depth, column);
    for (int64_t m = 0; m < p_.m; ++m) {
      llvm::Type *type = e.vec(accumulator(), width);
      Values acc;
      for (unsigned part = 0; part < parts_; ++part)
        acc.push_back(first ? static_cast<Value *>(Constant::getNullValue(type)) : e.load(type, sumAt(e, m, j, part)));
      for (int64_t u = 0; u < depth; ++u) {
        Values a;
        for (unsigned part = 0; part < parts_; ++part)
          a.push_back(e.splat(e.load(element(), unitElementAt(e, m, e.add(k, u), part)), width));
        acc[0] = multiplyAdd(e, a[0], b[u][0], acc[0], false, p_.target);
        if (parts_ == 1)
          continue;
        acc[0] = multiplyAdd(e, a[1], b[u][1], acc[0], true, p_.target);
        acc[1] = multiplyAdd(e, a[0], b[u][1], acc[1], false, p_.target);
        acc[1] = multiplyAdd(e, a[1], b[u][0], acc[1], false, p_.target);
      }
      for (unsigned part = 0; part < parts_; ++part)
        e.store(acc[part], sumAt(e, m, j, part));
    }
  }

  // Has the rows' elements at the column fetched into the caches. Where a few rows of the lhs are multiplied, the
  // products with those elements fill the processor's window, so that it does not come to load the next ones in time.
  void fetchRows(Emitter &e, Value *k, int64_t depth, Value *column) {
    for (int64_t u = 0; u < depth; ++u) {
      Value *index = e.add(e.mul(e.add(k, u), p_.innerK().rhsStride), column);
      Value *at = e.gep(storageType(e.b.getContext(), p_.spec.rhs), rhs_, index);
      Value *read = e.b.getInt32(0), *closest = e.b.getInt32(3), *data = e.b.getInt32(1);
      e.b.CreateIntrinsic(Intrinsic::prefetch, {e.b.getPtrTy()}, {at, read, closest, data});
    }
  }

  void allColumns(Emitter &e, Value *k, int64_t depth, bool first) {
    Value *full = p_.n % lanes_ ? e.b.CreateAnd(columns_, e.i64(-int64_t(lanes_))) : columns_;
    auto loop = [&](Value *lo, Value *hi, unsigned width) {
      e.loop(lo, hi, e.i64(width), {}, [&](Value *j, ArrayRef<Value *>) {
        addRows(e, k, depth, j, width, first);
        return Values();
      });
    };
    loop(e.i64(0), full, lanes_);
    if (p_.n % lanes_)
      loop(full, columns_, 1);
  }

  void byRows(Emitter &e) {
    int64_t depth = std::min<int64_t>(plan_.kc, p_.k);
    int64_t rest = p_.k % depth;
    // The odd rows go first, and start the sums.
    int64_t start = rest ? rest : depth;
    allColumns(e, e.i64(0), start, true);
    auto range = [&](Value *from, Value *to) {
      e.loop(from, to, e.i64(depth), {}, [&](Value *k, ArrayRef<Value *>) {
        allColumns(e, k, depth, false);
        return Values();
      });
    };
    if (blocks(p_, plan_) <= 1)
      return range(e.i64(start), e.i64(p_.k));
    // The sums of each block of rows go to a tree.
    BlockTree tree(e, accumulator(), e.i64(sumCount(p_, plan_)), lanes_, e.i64(BlockTree::levels(blocks(p_, plan_))),
                   sums_, e.gep(accumulator(), sums_, sumCount(p_, plan_)));
    Values count = e.loop(e.i64(start), e.i64(p_.k), e.i64(kBlock), {e.i64(0)}, [&](Value *from, ArrayRef<Value *> n) {
      range(from, e.min(e.add(from, kBlock), p_.k));
      tree.add(n[0], /*clear=*/true);
      return Values{e.add(n[0], 1)};
    });
    tree.total(count[0]);
  }

  // --- dot ---

  Value *reduce(Emitter &e, Value *vector) {
    if (!vector->getType()->isVectorTy())
      return vector;
    if (vector->getType()->isIntOrIntVectorTy())
      return e.b.CreateAddReduce(vector);
    CallInst *sum = e.b.CreateFAddReduce(ConstantFP::getNegativeZero(accumulator()), vector);
    sum->setHasAllowReassoc(true); // a tree, always the same
    return sum;
  }

  // All rows times `count` columns from j.
  void dots(Emitter &e, Value *j, int64_t count) {
    int64_t step = int64_t(lanes_) * plan_.groupK, m = p_.m;
    int64_t chains = std::max<int64_t>(1, 8 / (m * count)), whole = p_.k / (step * chains) * (step * chains);
    llvm::Type *type = e.vec(accumulator(), lanes_),
               *unit = e.vec(unitType(module_.getContext(), p_.arithmetic), lanes_);
    int64_t columnStride = p_.nRhs.inner().stride;
    Value *first = e.mul(e.add(n0_, j), columnStride);
    Values acc(size_t(chains * m * count), Constant::getNullValue(type));
    auto add = [&](Value *k, int64_t chain, Values &into) {
      Values b;
      for (int64_t c = 0; c < count; ++c) {
        Value *offset = e.add(first, e.add(k, c * columnStride));
        Value *elements = loadElements(e, p_, false, rhs_, offset, unsigned(step))[0];
        b.push_back(e.b.CreateBitCast(elements, unit));
      }
      for (int64_t row = 0; row < m; ++row) {
        Value *a = e.load(unit, unitElementAt(e, row, k, 0), p_.arithmetic.unitBytes / plan_.groupK);
        for (int64_t c = 0; c < count; ++c) {
          Value *&sum = into[size_t((chain * m + row) * count + c)];
          sum = dotStep(e, p_.arithmetic, a, b[size_t(c)], sum, p_.target);
        }
      }
    };
    auto steps = [&](int64_t chainsNow) {
      return [&, chainsNow](Value *k, ArrayRef<Value *> before) {
        Values after(before.begin(), before.end());
        for (int64_t chain = 0; chain < chainsNow; ++chain)
          add(e.add(k, chain * step), chain, after);
        return after;
      };
    };
    constexpr int64_t kBlock = 64; // steps whose sums are added one after the other
    auto range = [&](Value *from, Value *to) { return e.loop(from, to, e.i64(step * chains), acc, steps(chains)); };
    if (whole > 2 * kBlock * step * chains && accumulator()->isFloatingPointTy())
      acc = sumInTree(e, whole, kBlock * step * chains, acc, range);
    else if (whole)
      acc = range(e.i64(0), e.i64(whole));
    int64_t single = p_.k / step * step;
    if (whole < single)
      acc = e.loop(e.i64(whole), e.i64(single), e.i64(step), acc, steps(1));
    if (single < p_.k)
      tailLoop(e, single, first, count, columnStride, acc, chains);
    else
      storeDots(e, j, count, chains, acc, {});
  }

  void storeDots(Emitter &e, Value *j, int64_t count, int64_t chains, ArrayRef<Value *> acc, ArrayRef<Value *> extra) {
    for (int64_t row = 0; row < p_.m; ++row)
      for (int64_t c = 0; c < count; ++c) {
        Value *sum = acc[size_t(row * count + c)];
        for (int64_t chain = 1; chain < chains; ++chain) {
          Value *other = acc[size_t((chain * p_.m + row) * count + c)];
          sum = sum->getType()->isIntOrIntVectorTy() ? e.b.CreateAdd(sum, other) : e.b.CreateFAdd(sum, other);
        }
        sum = reduce(e, sum);
        if (!extra.empty()) {
          Value *more = extra[size_t(row * count + c)];
          sum = sum->getType()->isIntegerTy() ? e.b.CreateAdd(sum, more) : e.b.CreateFAdd(sum, more);
        }
        e.store(sum, sumAt(e, row, e.add(j, c), 0));
      }
  }

  Value *widened(Emitter &e, Value *value) {
    if (value->getType() == accumulator())
      return value;
    if (p_.arithmetic.compute == Compute::kBf16Pairs) {
      Value *wide = e.b.CreateShl(e.b.CreateZExt(value, e.b.getInt32Ty()), 16);
      return e.b.CreateBitCast(wide, e.b.getFloatTy());
    }
    return e.b.CreateSExt(value, accumulator());
  }

  // The last elements of k one by one.
  void tailLoop(Emitter &e, int64_t from, Value *first, int64_t count, int64_t columnStride, ArrayRef<Value *> acc,
                int64_t chains) {
    Values sums(size_t(p_.m * count), Constant::getNullValue(accumulator()));
    sums = e.loop(e.i64(from), e.i64(p_.k), e.i64(1), sums, [&](Value *k, ArrayRef<Value *> before) {
      Values after(before.begin(), before.end());
      for (int64_t c = 0; c < count; ++c) {
        Value *b = loadElements(e, p_, false, rhs_, e.add(first, e.add(k, c * columnStride)), 1)[0];
        for (int64_t row = 0; row < p_.m; ++row) {
          Value *a = e.load(element(), unitElementAt(e, row, k, 0));
          Value *&sum = after[size_t(row * count + c)];
          sum = multiplyAdd(e, widened(e, a), widened(e, b), sum, false, p_.target);
        }
      }
      return after;
    });
    storeDots(e, currentColumn_, count, chains, acc, sums);
  }

  void byColumns(Emitter &e) {
    int64_t together = plan_.nv;
    auto loop = [&](Value *lo, Value *hi, int64_t count) {
      e.loop(lo, hi, e.i64(count), {}, [&](Value *j, ArrayRef<Value *>) {
        currentColumn_ = j;
        dots(e, j, count);
        return Values();
      });
    };
    Value *full = e.mul(e.udiv(columns_, together), together);
    loop(e.i64(0), full, together);
    if (p_.n % together)
      loop(full, columns_, 1);
  }

  void output(Emitter &e, Value *table) {
    unsigned outputLanes = unsigned(plan_.mc); // of the output loop
    e.loop(e.i64(0), e.i64(p_.m), 1, [&](Value *m) {
      Value *row = e.mul(m, plan_.nc);
      forEachOutputPiece(e, p_, n0_, columns_, outputLanes, [&](Value *j, unsigned width) {
        Values acc;
        for (unsigned part = 0; part < parts_; ++part)
          acc.push_back(e.load(e.vec(accumulator(), width), e.gep(accumulator(), sumAt(e, 0, j, part), row)));
        storeOutput(e, p_, {table, batch_, m, e.add(n0_, j)}, width, acc);
      });
    });
  }

  Module &module_;
  StringRef symbol_;
  const Problem &p_;
  const MatmulPlan &plan_;
  unsigned lanes_, parts_;
  Value *batch_ = nullptr, *n0_ = nullptr, *columns_ = nullptr, *rhs_ = nullptr, *units_ = nullptr, *sums_ = nullptr;
  Value *currentColumn_ = nullptr;
};

} // namespace

int64_t streamScratchBytes(const Problem &p, const MatmulPlan &plan) {
  return StreamWriter::unitBytes(p, plan) + StreamWriter::allSums(p, plan) * p.arithmetic.unitBytes;
}

void emitStream(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  StreamWriter(module, symbol, p, plan).write();
}

void emitDot(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  StreamWriter(module, symbol, p, plan).write();
}

} // namespace tenon::codegen::matmul
