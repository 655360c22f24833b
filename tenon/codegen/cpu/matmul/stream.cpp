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
      : module(module), symbol(symbol), p(p), plan(plan), lanes(unsigned(plan.lanes)), parts(p.components()) {}

  void write() {
    emitTasks(module, symbol, p.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
      int64_t blocks = int64_t(divideCeil(uint64_t(p.n), uint64_t(plan.nc)));
      batch = e.udiv(task, blocks);
      n0 = e.mul(e.urem(task, blocks), plan.nc);
      columns = blocks == 1 ? e.i64(p.n) : e.min(e.sub(e.i64(p.n), n0), plan.nc);
      rhs = rhsBase(e, p, table, batch);
      units = scratch;
      sums = e.gep(e.b.getInt8Ty(), scratch, unitBytes(p, plan));
      copyLhs(e, lhsBase(e, p, table, batch));
      if (plan.kind == MatmulPlan::Kind::kStream)
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

  llvm::Type *accumulator() { return accumulatorType(module.getContext(), p.arithmetic); }
  llvm::Type *element() { return unitElementType(module.getContext(), p.arithmetic); }

  // Lhs rows as unit elements, [part][row][k].
  Value *unitElementAt(Emitter &e, int64_t row, Value *k, unsigned part) {
    return e.gep(element(), units, e.add(k, (int64_t(part) * p.m + row) * paddedK(p, plan)));
  }

  void copyLhs(Emitter &e, Value *lhs) {
    int64_t stride = p.innerK().lhsStride;
    unsigned width = stride == 1 && parts == 1 && convertsAsVector(p.spec.lhs) ? lanes : 1;
    int64_t full = p.k / width * width;
    e.loop(e.i64(0), e.i64(p.m), 1, [&](Value *m) {
      Value *offset = offsetOf(e, p.mLhs, m), *row = e.mul(m, paddedK(p, plan));
      auto copy = [&](Value *k, unsigned count) {
        Values value = loadElements(e, p, true, lhs, e.add(offset, e.mul(k, stride)), count);
        for (unsigned part = 0; part < parts; ++part)
          e.store(value[part], e.gep(element(), unitElementAt(e, 0, k, part), row));
      };
      e.loop(e.i64(0), e.i64(full), width, [&](Value *k) { copy(k, width); });
      e.loop(e.i64(full), e.i64(p.k), 1, [&](Value *k) { copy(k, 1); });
    });
  }

  Value *sumAt(Emitter &e, int64_t row, Value *column, unsigned part) {
    return e.gep(accumulator(), sums, e.add(column, (int64_t(part) * p.m + row) * plan.nc));
  }

  // --- stream ---

  // sums[.., j..] += lhs[.., k..] * rhs[k.., j..] for `depth` consecutive k.
  void addRows(Emitter &e, Value *k, int64_t depth, Value *j, unsigned width, bool first) {
    SmallVector<Values, 8> b;
    Value *column = e.add(n0, j);
    for (int64_t u = 0; u < depth; ++u)
      b.push_back(loadElements(e, p, false, rhs, e.add(e.mul(e.add(k, u), p.innerK().rhsStride), column), width));
    for (int64_t m = 0; m < p.m; ++m) {
      llvm::Type *type = e.vec(accumulator(), width);
      Values acc;
      for (unsigned part = 0; part < parts; ++part)
        acc.push_back(first ? static_cast<Value *>(Constant::getNullValue(type)) : e.load(type, sumAt(e, m, j, part)));
      for (int64_t u = 0; u < depth; ++u) {
        Values a;
        for (unsigned part = 0; part < parts; ++part)
          a.push_back(e.splat(e.load(element(), unitElementAt(e, m, e.add(k, u), part)), width));
        acc[0] = multiplyAdd(e, a[0], b[u][0], acc[0], false, p.target);
        if (parts == 1)
          continue;
        acc[0] = multiplyAdd(e, a[1], b[u][1], acc[0], true, p.target);
        acc[1] = multiplyAdd(e, a[0], b[u][1], acc[1], false, p.target);
        acc[1] = multiplyAdd(e, a[1], b[u][0], acc[1], false, p.target);
      }
      for (unsigned part = 0; part < parts; ++part)
        e.store(acc[part], sumAt(e, m, j, part));
    }
  }

  void allColumns(Emitter &e, Value *k, int64_t depth, bool first) {
    Value *full = p.n % lanes ? e.b.CreateAnd(columns, e.i64(-int64_t(lanes))) : columns;
    auto loop = [&](Value *lo, Value *hi, unsigned width) {
      e.loop(lo, hi, e.i64(width), {}, [&](Value *j, ArrayRef<Value *>) {
        addRows(e, k, depth, j, width, first);
        return Values();
      });
    };
    loop(e.i64(0), full, lanes);
    if (p.n % lanes)
      loop(full, columns, 1);
  }

  void byRows(Emitter &e) {
    int64_t depth = std::min<int64_t>(plan.kc, p.k);
    int64_t rest = p.k % depth;
    // The odd rows go first, and start the sums.
    int64_t start = rest ? rest : depth;
    allColumns(e, e.i64(0), start, true);
    auto range = [&](Value *from, Value *to) {
      e.loop(from, to, e.i64(depth), {}, [&](Value *k, ArrayRef<Value *>) {
        allColumns(e, k, depth, false);
        return Values();
      });
    };
    if (blocks(p, plan) <= 1)
      return range(e.i64(start), e.i64(p.k));
    // The sums of each block of rows go to a tree.
    BlockTree tree(e, accumulator(), sumCount(p, plan), lanes, blocks(p, plan), sums,
                   e.gep(accumulator(), sums, sumCount(p, plan)));
    Values count = e.loop(e.i64(start), e.i64(p.k), e.i64(kBlock), {e.i64(0)}, [&](Value *from, ArrayRef<Value *> n) {
      range(from, e.min(e.add(from, kBlock), p.k));
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
    int64_t step = int64_t(lanes) * plan.groupK, m = p.m;
    int64_t chains = std::max<int64_t>(1, 8 / (m * count)), whole = p.k / (step * chains) * (step * chains);
    llvm::Type *type = e.vec(accumulator(), lanes), *unit = e.vec(unitType(module.getContext(), p.arithmetic), lanes);
    int64_t columnStride = p.nRhs.inner().stride;
    Value *first = e.mul(e.add(n0, j), columnStride);
    Values acc(size_t(chains * m * count), Constant::getNullValue(type));
    auto add = [&](Value *k, int64_t chain, Values &into) {
      Values b;
      for (int64_t c = 0; c < count; ++c) {
        Value *offset = e.add(first, e.add(k, c * columnStride));
        Value *elements = loadElements(e, p, false, rhs, offset, unsigned(step))[0];
        b.push_back(e.b.CreateBitCast(elements, unit));
      }
      for (int64_t row = 0; row < m; ++row) {
        Value *a = e.load(unit, unitElementAt(e, row, k, 0), program::byteSize(Type::kI32) / plan.groupK);
        for (int64_t c = 0; c < count; ++c) {
          Value *&sum = into[size_t((chain * m + row) * count + c)];
          sum = dotStep(e, p.arithmetic, a, b[size_t(c)], sum, p.target);
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
    int64_t single = p.k / step * step;
    if (whole < single)
      acc = e.loop(e.i64(whole), e.i64(single), e.i64(step), acc, steps(1));
    if (single < p.k)
      tailLoop(e, single, first, count, columnStride, acc, chains);
    else
      storeDots(e, j, count, chains, acc, {});
  }

  void storeDots(Emitter &e, Value *j, int64_t count, int64_t chains, ArrayRef<Value *> acc, ArrayRef<Value *> extra) {
    for (int64_t row = 0; row < p.m; ++row)
      for (int64_t c = 0; c < count; ++c) {
        Value *sum = acc[size_t(row * count + c)];
        for (int64_t chain = 1; chain < chains; ++chain) {
          Value *other = acc[size_t((chain * p.m + row) * count + c)];
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
    if (p.arithmetic.compute == Compute::kBf16Pairs) {
      Value *wide = e.b.CreateShl(e.b.CreateZExt(value, e.b.getInt32Ty()), 16);
      return e.b.CreateBitCast(wide, e.b.getFloatTy());
    }
    return e.b.CreateSExt(value, accumulator());
  }

  // The last elements of k one by one.
  void tailLoop(Emitter &e, int64_t from, Value *first, int64_t count, int64_t columnStride, ArrayRef<Value *> acc,
                int64_t chains) {
    Values sums(size_t(p.m * count), Constant::getNullValue(accumulator()));
    sums = e.loop(e.i64(from), e.i64(p.k), e.i64(1), sums, [&](Value *k, ArrayRef<Value *> before) {
      Values after(before.begin(), before.end());
      for (int64_t c = 0; c < count; ++c) {
        Value *b = loadElements(e, p, false, rhs, e.add(first, e.add(k, c * columnStride)), 1)[0];
        for (int64_t row = 0; row < p.m; ++row) {
          Value *a = e.load(element(), unitElementAt(e, row, k, 0));
          Value *&sum = after[size_t(row * count + c)];
          sum = multiplyAdd(e, widened(e, a), widened(e, b), sum, false, p.target);
        }
      }
      return after;
    });
    storeDots(e, currentColumn, count, chains, acc, sums);
  }

  void byColumns(Emitter &e) {
    int64_t together = plan.nv;
    auto loop = [&](Value *lo, Value *hi, int64_t count) {
      e.loop(lo, hi, e.i64(count), {}, [&](Value *j, ArrayRef<Value *>) {
        currentColumn = j;
        dots(e, j, count);
        return Values();
      });
    };
    Value *full = e.mul(e.udiv(columns, together), together);
    loop(e.i64(0), full, together);
    if (p.n % together)
      loop(full, columns, 1);
  }

  void output(Emitter &e, Value *table) {
    unsigned outputLanes = unsigned(plan.mc); // of the output loop
    e.loop(e.i64(0), e.i64(p.m), 1, [&](Value *m) {
      Value *row = e.mul(m, plan.nc);
      forEachOutputPiece(e, p, n0, columns, outputLanes, [&](Value *j, unsigned width) {
        Values acc;
        for (unsigned part = 0; part < parts; ++part)
          acc.push_back(e.load(e.vec(accumulator(), width), e.gep(accumulator(), sumAt(e, 0, j, part), row)));
        storeOutput(e, p, {table, batch, m, e.add(n0, j)}, width, acc);
      });
    });
  }

  Module &module;
  StringRef symbol;
  const Problem &p;
  const MatmulPlan &plan;
  unsigned lanes, parts;
  Value *batch = nullptr, *n0 = nullptr, *columns = nullptr, *rhs = nullptr, *units = nullptr, *sums = nullptr;
  Value *currentColumn = nullptr;
};

} // namespace

int64_t streamScratchBytes(const Problem &p, const MatmulPlan &plan) {
  return StreamWriter::unitBytes(p, plan) + StreamWriter::allSums(p, plan) * int64_t(p.arithmetic.accumulatorBytes());
}

void emitStream(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  StreamWriter(module, symbol, p, plan).write();
}

void emitDot(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  StreamWriter(module, symbol, p, plan).write();
}

} // namespace tenon::codegen::matmul
