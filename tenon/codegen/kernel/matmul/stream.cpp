// A few rows times a large matrix: bound by reading the rhs, so it is read in place, once, in the order it lies in
// memory, by any element type (a bf16 or int8 matrix costs its own bytes, not those of a widened copy).
//
// stream: rhs rows run along n. Several rows (k) are read side by side; sums of all the task's columns wait in scratch
// (in L1) between them. But for products over few k, this is a routine for each number of lhs rows.
// dot: rhs columns run along k. Vectors along k of several columns are multiplied with the lhs row and added up at the
// end.
//
// Either way the lhs rows are first copied to scratch as units, and results leave through one output loop.
#include "tenon/codegen/kernel/matmul/kernels.h"
#include "tenon/codegen/kernel/matmul/tree.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/routines.h"
#include "tenon/codegen/llvm/sizes.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

// How the stream kernel's scratch is laid out, so that constants lead from one element to those that are needed beside
// it: units as [group of kDepth k][part][row][k], sums as [vector of columns][part][row][column].
struct StreamLayout {
  static constexpr int64_t kDepth = 8;   // rows of the rhs read side by side
  static constexpr int64_t kBlock = 512; // rows whose sums go to a tree, a multiple of kDepth

  StreamLayout(const Problem &p, const MatmulPlan &plan)
      : perK(p.m * int64_t(p.components())), rest(p.k % kDepth), skipped((kDepth - rest) % kDepth),
        units((p.k + skipped) * perK), sums(perK * plan.nc) {
    if (accumulatorIsFloat(p.arithmetic) && p.k > 2 * kBlock)
      blocks = int64_t(divideCeil(uint64_t(p.k), uint64_t(kBlock)));
  }

  int64_t levels() const { return blocks > 1 ? BlockTree::levels(blocks) : 0; }

  int64_t perK;    // units of one k, and sums of one column
  int64_t rest;    // odd rows of the rhs, which go first
  int64_t skipped; // k that the first group lacks: its last ones are the odd rows
  int64_t units, sums;
  int64_t blocks = 1;
};

// The sums of a task of the stream kernel: its code, with sizes as data or as constants.
class StreamSums {
public:
  struct Task {
    Value *rhs, *firstColumn, *columns, *units, *sums;
  };

  StreamSums(Emitter &e, Sizes &sizes, const Problem &p, const MatmulPlan &plan, const Task &task)
      : e_(e), sizes_(sizes), p_(p), layout_(p, plan), task_(task), lanes_(unsigned(plan.lanes)),
        parts_(p.components()), stride_(sizes(p.innerK().rhsStride)),
        full_(mayHaveOddColumns() ? e.b.CreateAnd(task.columns, e.i64(-int64_t(lanes_))) : task.columns) {}

  // For few k: the odd rows start the sums.
  void writeShort() {
    int64_t start = layout_.rest ? layout_.rest : StreamLayout::kDepth;
    allColumns(e_.i64(0), start, e_.i64(layout_.skipped), true);
    groups(e_.i64(start), e_.i64(p_.k), e_.i64(layout_.skipped));
  }

  void write() {
    Value *count = sizes_(layout_.sums), *rest = sizes_(layout_.rest), *skipped = sizes_(layout_.skipped);
    e_.loop(e_.i64(0), count, lanes_, [&](Value *i) {
      e_.store(Constant::getNullValue(e_.vec(accumulator(), lanes_)), e_.gep(accumulator(), task_.sums, i));
    });
    e_.loop(e_.i64(0), rest, 1, [&](Value *k) { allColumns(k, 1, e_.add(k, skipped), false); });
    // The first block has one group more where there are no odd rows.
    int64_t start = layout_.rest ? layout_.rest : StreamLayout::kDepth;
    int64_t size = layout_.blocks > 1 ? StreamLayout::kBlock : p_.k;
    Value *from = sizes_(start), *rows = sizes_(size), *end = sizes_(p_.k), *levels = sizes_(layout_.levels());
    Value *blocks = sizes_(int64_t(divideCeil(uint64_t(p_.k - start), uint64_t(size))));
    Value *isTree = e_.b.CreateICmpNE(levels, e_.i64(0));
    BlockTree tree(e_, accumulator(), count, lanes_, levels, task_.sums, e_.gep(accumulator(), task_.sums, count));
    e_.loop(e_.i64(0), blocks, 1, [&](Value *block) {
      Value *at = e_.add(from, e_.b.CreateMul(block, rows));
      Value *lo = e_.b.CreateSelect(e_.b.CreateICmpEQ(block, e_.i64(0)), rest, at);
      groups(lo, e_.min(e_.add(at, rows), end), skipped);
      if (accumulatorIsFloat(p_.arithmetic))
        e_.ifThen(isTree, [&] { tree.add(block, /*clear=*/true); });
    });
    if (accumulatorIsFloat(p_.arithmetic))
      e_.ifThen(isTree, [&] { tree.total(blocks); });
  }

private:
  static constexpr unsigned kSharing = 4; // vectors of columns that share the loads of a row's units

  llvm::Type *accumulator() { return accumulatorType(e_.b.getContext(), p_.arithmetic); }
  llvm::Type *element() { return unitElementType(e_.b.getContext(), p_.arithmetic); }
  bool mayHaveOddColumns() const { return !sizes_.areConstants() || p_.n % lanes_ != 0; }

  Value *rhsOffset(Value *k, int64_t u, Value *column) { return e_.add(e_.b.CreateMul(e_.add(k, u), stride_), column); }

  // sums[.., j..] += lhs[.., k..] * rhs[k.., j..] for `depth` consecutive k; `units` and `sums` are those of the first
  // row and part.
  void addRows(Value *k, int64_t depth, Value *units, Value *j, Value *sums, unsigned width, bool first) {
    SmallVector<Values, 8> b;
    Value *column = e_.add(task_.firstColumn, j);
    for (int64_t u = 0; u < depth; ++u)
      b.push_back(loadElements(e_, p_, false, task_.rhs, rhsOffset(k, u, column), width));
    if (width > 1 && p_.m > 2 && depth == StreamLayout::kDepth)
      fetchRows(e_.add(k, depth), column);
    for (int64_t m = 0; m < p_.m; ++m) {
      llvm::Type *type = e_.vec(accumulator(), width);
      auto sumAt = [&](unsigned part) { return e_.gep(accumulator(), sums, (part * p_.m + m) * int64_t(lanes_)); };
      Values acc;
      for (unsigned part = 0; part < parts_; ++part)
        acc.push_back(first ? static_cast<Value *>(Constant::getNullValue(type)) : e_.load(type, sumAt(part)));
      for (int64_t u = 0; u < depth; ++u) {
        Values a;
        for (unsigned part = 0; part < parts_; ++part) {
          int64_t at = (part * p_.m + m) * StreamLayout::kDepth + u;
          a.push_back(e_.splat(e_.load(element(), e_.gep(element(), units, at)), width));
        }
        acc[0] = multiplyAdd(e_, a[0], b[u][0], acc[0], false, p_.target);
        if (parts_ == 1)
          continue;
        acc[0] = multiplyAdd(e_, a[1], b[u][1], acc[0], true, p_.target);
        acc[1] = multiplyAdd(e_, a[0], b[u][1], acc[1], false, p_.target);
        acc[1] = multiplyAdd(e_, a[1], b[u][0], acc[1], false, p_.target);
      }
      for (unsigned part = 0; part < parts_; ++part)
        e_.store(acc[part], sumAt(part));
    }
  }

  // Has the rows' elements at the column fetched into the caches. Where a few rows of the lhs are multiplied, the
  // products with those elements fill the processor's window, so that it does not come to load the next ones in time.
  void fetchRows(Value *k, Value *column) {
    for (int64_t u = 0; u < StreamLayout::kDepth; ++u)
      fetchElement(e_, p_, false, task_.rhs, rhsOffset(k, u, column));
  }

  // `unit`: the number of the first one.
  void allColumns(Value *k, int64_t depth, Value *unit, bool first) {
    Value *units = e_.gep(element(), task_.units, unit);
    auto sums = [&](Value *vector, Value *lane) {
      return e_.gep(accumulator(), task_.sums, e_.add(e_.mul(vector, layout_.perK), lane));
    };
    auto vectors = [&](Value *from, Value *to, unsigned width) {
      e_.loop(from, to, width, [&](Value *j) { addRows(k, depth, units, j, sums(j, e_.i64(0)), width, first); });
    };
    // Sums of one row lie side by side, so that several vectors of them share each unit that is loaded.
    unsigned wide = layout_.perK == 1 ? kSharing * lanes_ : lanes_;
    Value *shared = e_.i64(0);
    if (wide > lanes_) {
      shared = e_.b.CreateAnd(full_, e_.i64(-int64_t(wide)));
      vectors(e_.i64(0), shared, wide);
    }
    vectors(shared, full_, lanes_);
    if (mayHaveOddColumns())
      e_.loop(full_, task_.columns, 1,
              [&](Value *j) { addRows(k, depth, units, j, sums(full_, e_.sub(j, full_)), 1, first); });
  }

  void groups(Value *from, Value *to, Value *skipped) {
    e_.loop(from, to, StreamLayout::kDepth,
            [&](Value *k) { allColumns(k, StreamLayout::kDepth, e_.mul(e_.add(k, skipped), layout_.perK), false); });
  }

  Emitter &e_;
  Sizes &sizes_;
  const Problem &p_;
  StreamLayout layout_;
  Task task_;
  unsigned lanes_, parts_;
  Value *stride_, *full_;
};

// void(ptr rhs, i64 firstColumn, i64 columns, ptr units, ptr sums, ptr sizes): StreamSums::write(). Its section of the
// table is the first.
Function *emitStreamRoutine(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan,
                            SizeTable &table) {
  llvm::Type *i64 = llvm::Type::getInt64Ty(module.getContext()), *pointer = PointerType::get(module.getContext(), 0);
  Emitter e(module, (symbol + ".stream").str(), {pointer, i64, i64, pointer, pointer, pointer}, true);
  Sizes sizes(e, table, e.arg(5));
  StreamSums(e, sizes, p, plan, {e.arg(0), e.arg(1), e.arg(2), e.arg(3), e.arg(4)}).write();
  e.ret();
  sizes.finish();
  double products = double(p.m) * double(std::min(plan.nc, p.n)) * double(p.k);
  markRoutine(*e.function, "stream", 2 * products * double(p.components() * p.components()) / double(plan.lanes));
  return e.function;
}

class StreamWriter {
public:
  StreamWriter(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan)
      : module_(module), symbol_(symbol), p_(p), plan_(plan), lanes_(unsigned(plan.lanes)), parts_(p.components()),
        layout_(p, plan) {}

  void write() {
    bool inRoutine = isStream() && isStreamRoutine(p_);
    if (inRoutine) {
      SizeTable table;
      routine_ = emitStreamRoutine(module_, symbol_, p_, plan_, table);
      sizes_ = table.write(module_, (symbol_ + ".sizes").str());
    }
    emitTasks(module_, symbol_, p_.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
      int64_t blocks = int64_t(divideCeil(uint64_t(p_.n), uint64_t(plan_.nc)));
      batch_ = e.udiv(task, blocks);
      n0_ = e.mul(e.urem(task, blocks), plan_.nc);
      columns_ = blocks == 1 ? e.i64(p_.n) : e.min(e.sub(e.i64(p_.n), n0_), plan_.nc);
      rhs_ = rhsBase(e, p_, table, batch_);
      units_ = scratch;
      sums_ = e.gep(e.b.getInt8Ty(), scratch, unitBytes(p_, plan_));
      if (isStream()) {
        copyGroups(e, lhsBase(e, p_, table, batch_));
        byRows(e);
      } else {
        copyRows(e, lhsBase(e, p_, table, batch_));
        byColumns(e);
      }
      output(e, table);
    });
    // Where rows are copied in vectors, for many columns, and stored as they are, what is left runs short.
    constexpr int64_t kManyColumns = 96;
    if (inRoutine && copiesVectors() && plan_.nc >= kManyColumns && !p_.hasEpilogue)
      compileQuickly(*module_.getFunction(symbol_));
  }

  // The bytes of the copied lhs.
  static int64_t unitBytes(const Problem &p, const MatmulPlan &plan) {
    int64_t units = plan.kind == MatmulPlan::Kind::kStream ? StreamLayout(p, plan).units
                                                           : p.m * paddedK(p, plan) * p.components() / plan.groupK;
    return int64_t(alignTo(uint64_t(units * p.arithmetic.unitBytes), 64));
  }
  static int64_t paddedK(const Problem &p, const MatmulPlan &plan) {
    int64_t step = int64_t(plan.lanes) * plan.groupK;
    return int64_t(alignTo(uint64_t(p.k), uint64_t(step)));
  }

  // Accumulators in scratch.
  static int64_t allSums(const Problem &p, const MatmulPlan &plan) {
    StreamLayout layout(p, plan);
    int64_t levels = plan.kind == MatmulPlan::Kind::kStream ? layout.levels() : 0;
    return (levels ? 1 + levels : 1) * layout.sums;
  }

private:
  bool isStream() const { return plan_.kind == MatmulPlan::Kind::kStream; }
  bool copiesVectors() const { return p_.innerK().lhsStride == 1 && parts_ == 1; }

  llvm::Type *accumulator() { return accumulatorType(module_.getContext(), p_.arithmetic); }
  llvm::Type *element() { return unitElementType(module_.getContext(), p_.arithmetic); }

  // Lhs rows as unit elements, [part][row][k], for the dot kernel.
  Value *unitElementAt(Emitter &e, int64_t row, Value *k, unsigned part) {
    return e.gep(element(), units_, e.add(k, (int64_t(part) * p_.m + row) * paddedK(p_, plan_)));
  }

  void copyRows(Emitter &e, Value *lhs) {
    int64_t stride = p_.innerK().lhsStride;
    unsigned width = copiesVectors() ? lanes_ : 1;
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

  // The same for the stream kernel, in its layout.
  void copyGroups(Emitter &e, Value *lhs) {
    constexpr int64_t kDepth = StreamLayout::kDepth;
    int64_t stride = p_.innerK().lhsStride, width = copiesVectors() ? kDepth : 1;
    e.loop(e.i64(0), e.i64(p_.m), 1, [&](Value *m) {
      Value *offset = offsetOf(e, p_.mLhs, m);
      auto copy = [&](Value *k, Value *unit, int64_t count) {
        Values value = loadElements(e, p_, true, lhs, e.add(offset, e.mul(k, stride)), unsigned(count));
        for (unsigned part = 0; part < parts_; ++part)
          e.store(value[part], e.gep(element(), units_, e.add(unit, e.mul(e.add(m, part * p_.m), kDepth))));
      };
      if (layout_.rest)
        e.loop(e.i64(0), e.i64(layout_.rest), 1, [&](Value *k) { copy(k, e.add(k, layout_.skipped), 1); });
      e.loop(e.i64(layout_.rest), e.i64(p_.k), kDepth, [&](Value *k) {
        Value *group = e.mul(e.add(k, layout_.skipped), layout_.perK);
        for (int64_t u = 0; u < kDepth; u += width)
          copy(e.add(k, u), e.add(group, u), width);
      });
    });
  }

  void byRows(Emitter &e) {
    if (routine_) {
      e.b.CreateCall(routine_, {rhs_, n0_, columns_, units_, sums_, sizes_});
      return;
    }
    Sizes sizes(e);
    StreamSums(e, sizes, p_, plan_, {rhs_, n0_, columns_, units_, sums_}).writeShort();
  }

  // --- dot ---

  // [part][row][column]
  Value *sumAt(Emitter &e, int64_t row, Value *column, unsigned part) {
    return e.gep(accumulator(), sums_, e.add(column, (int64_t(part) * p_.m + row) * plan_.nc));
  }

  Value *reduce(Emitter &e, Value *vector) {
    if (!vector->getType()->isVectorTy())
      return vector;
    if (vector->getType()->isIntOrIntVectorTy())
      return e.b.CreateAddReduce(vector);
    CallInst *sum = e.b.CreateFAddReduce(ConstantFP::getNegativeZero(accumulator()), vector);
    sum->setHasAllowReassoc(true); // a tree, always the same
    return sum;
  }

  // A block of rows times `count` columns from j.
  struct Dots {
    Value *firstRow, *column;
    int64_t rows, columns;
  };

  Value *unitsOf(Emitter &e, const Dots &dots, int64_t row, Value *k) {
    Value *units = e.gep(element(), units_, e.mul(dots.firstRow, paddedK(p_, plan_)));
    return e.gep(element(), units, e.add(k, row * paddedK(p_, plan_)));
  }

  void addUp(Emitter &e, const Dots &dots) {
    int64_t step = int64_t(lanes_) * plan_.groupK, m = dots.rows, count = dots.columns;
    int64_t chains = std::max<int64_t>(1, 8 / (m * count)), whole = p_.k / (step * chains) * (step * chains);
    llvm::Type *type = e.vec(accumulator(), lanes_),
               *unit = e.vec(unitType(module_.getContext(), p_.arithmetic), lanes_);
    int64_t columnStride = p_.nRhs.inner().stride;
    Value *first = e.mul(e.add(n0_, dots.column), columnStride);
    Values acc(size_t(chains * m * count), Constant::getNullValue(type));
    auto add = [&](Value *k, int64_t chain, Values &into) {
      Values b;
      for (int64_t c = 0; c < count; ++c) {
        Value *offset = e.add(first, e.add(k, c * columnStride));
        Value *elements = loadElements(e, p_, false, rhs_, offset, unsigned(step))[0];
        if (plan_.fetchesColumns)
          fetchElement(e, p_, false, rhs_, e.add(offset, count * columnStride), PrefetchTo::kSecondCache);
        b.push_back(e.b.CreateBitCast(elements, unit));
      }
      for (int64_t row = 0; row < m; ++row) {
        Value *a = e.load(unit, unitsOf(e, dots, row, k), p_.arithmetic.unitBytes / plan_.groupK);
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
    storeDots(e, dots, chains, acc, single < p_.k ? lastDots(e, dots, single, first) : Values());
  }

  void storeDots(Emitter &e, const Dots &dots, int64_t chains, ArrayRef<Value *> acc, ArrayRef<Value *> extra) {
    Value *sums = e.gep(accumulator(), sumAt(e, 0, dots.column, 0), e.mul(dots.firstRow, plan_.nc));
    for (int64_t row = 0; row < dots.rows; ++row)
      for (int64_t c = 0; c < dots.columns; ++c) {
        Value *sum = acc[size_t(row * dots.columns + c)];
        for (int64_t chain = 1; chain < chains; ++chain) {
          Value *other = acc[size_t((chain * dots.rows + row) * dots.columns + c)];
          sum = sum->getType()->isIntOrIntVectorTy() ? e.b.CreateAdd(sum, other) : e.b.CreateFAdd(sum, other);
        }
        sum = reduce(e, sum);
        if (!extra.empty()) {
          Value *more = extra[size_t(row * dots.columns + c)];
          sum = sum->getType()->isIntegerTy() ? e.b.CreateAdd(sum, more) : e.b.CreateFAdd(sum, more);
        }
        e.store(sum, e.gep(accumulator(), sums, row * plan_.nc + c));
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

  // Sums of the last elements of k, one by one.
  Values lastDots(Emitter &e, const Dots &dots, int64_t from, Value *first) {
    Values sums(size_t(dots.rows * dots.columns), Constant::getNullValue(accumulator()));
    return e.loop(e.i64(from), e.i64(p_.k), e.i64(1), sums, [&](Value *k, ArrayRef<Value *> before) {
      Values after(before.begin(), before.end());
      for (int64_t c = 0; c < dots.columns; ++c) {
        Value *b = loadElements(e, p_, false, rhs_, e.add(first, e.add(k, c * p_.nRhs.inner().stride)), 1)[0];
        for (int64_t row = 0; row < dots.rows; ++row) {
          Value *a = e.load(element(), unitsOf(e, dots, row, k));
          Value *&sum = after[size_t(row * dots.columns + c)];
          sum = multiplyAdd(e, widened(e, a), widened(e, b), sum, false, p_.target);
        }
      }
      return after;
    });
  }

  // A block of rows stays in L1 while the columns go past it.
  void byColumns(Emitter &e) {
    int64_t together = plan_.nv, rows = plan_.mr, whole = p_.m / rows * rows;
    Value *full = e.mul(e.udiv(columns_, together), together);
    auto allColumns = [&](Value *first, int64_t count) {
      e.loop(e.i64(0), full, together, [&](Value *j) { addUp(e, {first, j, count, together}); });
      if (p_.n % together || plan_.nc % together)
        e.loop(full, columns_, 1, [&](Value *j) { addUp(e, {first, j, count, 1}); });
    };
    if (whole == rows)
      allColumns(e.i64(0), rows);
    else
      e.loop(e.i64(0), e.i64(whole), rows, [&](Value *first) { allColumns(first, rows); });
    if (whole < p_.m)
      allColumns(e.i64(whole), p_.m - whole);
  }

  Value *outputAt(Emitter &e, Value *m, Value *j, unsigned part) {
    if (!isStream())
      return e.gep(accumulator(), sumAt(e, 0, j, part), e.mul(m, plan_.nc));
    Value *vector = e.b.CreateAnd(j, e.i64(-int64_t(lanes_)));
    Value *row = e.mul(e.add(m, int64_t(part) * p_.m), lanes_);
    return e.gep(accumulator(), sums_, e.add(e.add(e.mul(vector, layout_.perK), row), e.sub(j, vector)));
  }

  void output(Emitter &e, Value *table) {
    unsigned outputLanes = unsigned(plan_.mc); // of the output loop
    e.loop(e.i64(0), e.i64(p_.m), 1, [&](Value *m) {
      forEachOutputPiece(e, p_, n0_, columns_, outputLanes, [&](Value *j, unsigned width) {
        Values acc;
        for (unsigned part = 0; part < parts_; ++part)
          acc.push_back(e.load(e.vec(accumulator(), width), outputAt(e, m, j, part)));
        storeOutput(e, p_, {table, batch_, m, e.add(n0_, j)}, width, acc);
      });
    });
  }

  Module &module_;
  StringRef symbol_;
  const Problem &p_;
  const MatmulPlan &plan_;
  unsigned lanes_, parts_;
  StreamLayout layout_;
  Function *routine_ = nullptr; // of the stream kernel
  Value *sizes_ = nullptr;      // of the routine
  Value *batch_ = nullptr, *n0_ = nullptr, *columns_ = nullptr, *rhs_ = nullptr, *units_ = nullptr, *sums_ = nullptr;
};

} // namespace

// A routine starts all sums as zeros, and takes odd rows one by one, loading and storing all sums each time: this must
// not count beside the rest, which is more where numbers are complex. Of these, products that are small run within 1.06
// of the time and compile in a third to two thirds.
bool isStreamRoutine(const Problem &p) {
  constexpr int64_t kSmallColumns = 512;
  int64_t rows = p.components() > 1 && p.n <= kSmallColumns ? 16 : 64;
  return p.k >= rows * std::max<int64_t>(p.k % StreamLayout::kDepth, 1);
}

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
