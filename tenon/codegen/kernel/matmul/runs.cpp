// Few rows times columns that are runs along k, which need not lie side by side, as the windows of an image whose
// channels do: a convolution to few channels. Windows overlap, so to pack them takes many times as long as to read
// them; here they are read in place, by vectors along k. The sums of several columns and all rows are in registers, and
// the lanes of all columns' sums are added up together.
//
// The rows are first copied to scratch as units, with zeros up to whole vectors behind each run. The rhs is read by
// mask there: what lies behind a run may be no number.
#include "tenon/codegen/kernel/matmul/runs.h"

#include "tenon/codegen/kernel/matmul/kernels.h"
#include "tenon/codegen/kernel/matmul/register_tile.h"
#include "tenon/codegen/kernel/matmul/tree.h"
#include "tenon/codegen/llvm/sizes.h"
#include "tenon/support/insertion_sort.h"
#include "tenon/support/rounding.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tenon::codegen::matmul {

RunLayout::RunLayout(const Problem &p, const MatmulPlan &plan) {
  for (const ContractionDim &dim : p.spec.k)
    if (dim.size != 1)
      dims.push_back({dim.size, dim.lhsStride, dim.rhsStride, 1});
  if (dims.empty())
    dims.push_back({1, 1, 1, 1});
  insertionSort(dims, [](const Dim &x, const Dim &y) { return std::abs(x.rhsStride) > std::abs(y.rhsStride); });
  outerDims = dims.size() - 1;
  run = dims.back().size;
  while (outerDims > 0 && dims[outerDims - 1].rhsStride == dims[outerDims].rhsStride * dims[outerDims].size)
    run *= dims[--outerDims].size;
  steps = ceilDiv(run, plan.lanes);
  paddedRun = steps * plan.lanes;
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > outerDims; stride *= dims[i].size)
    dims[i].unitStride = stride;
  for (size_t i = outerDims; i-- > 0; runs *= dims[i].size)
    dims[i].unitStride = runs * paddedRun;
}

SmallVector<int64_t> RunLayout::runOffsets() const {
  SmallVector<int64_t> offsets{0};
  for (const Dim &dim : ArrayRef(dims).take_front(outerDims)) {
    SmallVector<int64_t> next;
    for (int64_t outer : offsets)
      for (int64_t i = 0; i < dim.size; ++i)
        next.push_back(outer + i * dim.rhsStride);
    offsets = std::move(next);
  }
  return offsets;
}

namespace {

// The most columns whose sums are in registers, with a vector of each and one of a row.
int64_t mostColumns(const Problem &p) {
  constexpr int64_t kMost = 8;
  bool isWide = p.target.vectorBits == 512;
  return std::min<int64_t>(kMost, (isWide ? 28 : 12) / p.m);
}

// So many columns at a time that the last ones of a row of columns are few that were there before.
int64_t columnsTogether(const Problem &p) {
  int64_t most = mostColumns(p), row = p.nRhs.inner().size, best = std::min(most, row);
  for (int64_t columns = best - 1; 2 * columns > most; --columns)
    if (roundUp(row, columns) < roundUp(row, best))
      best = columns;
  return best;
}

int64_t unitBytes(const Problem &p, const RunLayout &layout) {
  return roundUp(p.m * layout.units() * p.arithmetic.unitBytes, 64);
}

class RunWriter {
public:
  RunWriter(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan)
      : module_(module), symbol_(symbol), p_(p), plan_(plan), layout_(p, plan), lanes_(unsigned(plan.lanes)) {}

  void write() {
    if (layout_.runs > 1)
      offsets_ = SizeTable{layout_.runOffsets()}.write(module_, (symbol_ + ".runs").str());
    emitTasks(module_, symbol_, p_.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
      int64_t blocks = ceilDiv(p_.n, plan_.nc);
      Value *batch = e.udiv(task, blocks);
      n0_ = e.mul(e.urem(task, blocks), plan_.nc);
      columns_ = blocks == 1 ? e.i64(p_.n) : e.min(e.sub(e.i64(p_.n), n0_), plan_.nc);
      rhs_ = rhsBase(e, p_, table, batch);
      units_ = scratch;
      sums_ = e.gep(e.b.getInt8Ty(), scratch, unitBytes(p_, layout_));
      copyRows(e, lhsBase(e, p_, table, batch));
      allColumns(e);
      output(e, table, batch);
    });
  }

private:
  llvm::Type *element() { return accumulatorType(module_.getContext(), p_.arithmetic); }
  llvm::Type *vector() { return FixedVectorType::get(element(), lanes_); }

  // --- rows ---

  void copyRows(Emitter &e, Value *lhs) {
    if (layout_.paddedRun != layout_.run)
      e.loop(e.i64(0), e.i64(p_.m * layout_.units()), lanes_,
             [&](Value *i) { e.store(Constant::getNullValue(vector()), e.gep(element(), units_, i)); });
    copyDim(e, lhs, 0, e.i64(0), e.i64(0));
  }

  void copyDim(Emitter &e, Value *lhs, size_t number, Value *from, Value *to) {
    const RunLayout::Dim &dim = layout_.dims[number];
    if (number + 1 == layout_.dims.size())
      return copyRun(e, lhs, from, to);
    e.loop(e.i64(0), e.i64(dim.size), 1, [&](Value *i) {
      copyDim(e, lhs, number + 1, e.add(from, e.mul(i, dim.lhsStride)), e.add(to, e.mul(i, dim.unitStride)));
    });
  }

  // The innermost dimension, of all rows. Where these lie side by side, vectors of all of them are taken apart.
  void copyRun(Emitter &e, Value *lhs, Value *from, Value *to) {
    const RunLayout::Dim &dim = layout_.dims.back();
    bool areBeside = dim.lhsStride == p_.m && (p_.m == 1 || p_.mLhs.isContiguous());
    int64_t whole = areBeside || dim.lhsStride == 1 ? dim.size / lanes_ * lanes_ : 0;
    auto unitAt = [&](Value *k, Value *row) {
      return e.gep(element(), units_, e.add(e.add(to, k), e.mul(row, layout_.units())));
    };
    auto load = [&](Value *k, Value *row, unsigned width) {
      Value *offset = e.add(from, e.add(e.mul(k, dim.lhsStride), offsetOf(e, p_.mLhs, row)));
      return loadElements(e, p_, true, lhs, offset, width)[0];
    };
    e.loop(e.i64(0), e.i64(whole), lanes_, [&](Value *k) {
      if (!areBeside)
        return e.loop(e.i64(0), e.i64(p_.m), 1, [&](Value *row) { e.store(load(k, row, lanes_), unitAt(k, row)); });
      Value *all = load(k, e.i64(0), unsigned(p_.m) * lanes_);
      for (int64_t row = 0; row < p_.m; ++row) {
        SmallVector<int, 16> mask;
        for (int64_t i = 0; i < int64_t(lanes_); ++i)
          mask.push_back(int(i * p_.m + row));
        e.store(e.b.CreateShuffleVector(all, mask), unitAt(k, e.i64(row)));
      }
    });
    e.loop(e.i64(whole), e.i64(dim.size), 1, [&](Value *k) {
      e.loop(e.i64(0), e.i64(p_.m), 1, [&](Value *row) { e.store(load(k, row, 1), unitAt(k, row)); });
    });
  }

  // --- columns ---

  // Row by row of the columns' innermost dimension. The last columns of a row are computed with those before them.
  void allColumns(Emitter &e) {
    int64_t row = p_.nRhs.inner().size, together = plan_.nv;
    e.whileLess(e.i64(0), columns_, [&](Value *j) {
      Value *column = e.add(n0_, j), *left = e.sub(columns_, j);
      if (!p_.nRhs.isAffine())
        left = e.min(left, e.sub(e.i64(row), e.urem(column, row)));
      Value *first = offsetOf(e, p_.nRhs, column);
      auto at = [&](Value *c, int64_t count) {
        addUp(e, e.add(first, e.mul(c, p_.nRhs.inner().stride)), e.add(j, c), count);
      };
      e.ifElse(
          e.b.CreateICmpSGE(left, e.i64(together)),
          [&] {
            Value *last = e.sub(left, e.i64(together));
            e.loop(e.i64(0), e.add(last, 1), together, [&](Value *c) { at(c, together); });
            e.ifThen(e.b.CreateICmpNE(e.urem(left, together), e.i64(0)), [&] { at(last, together); });
            return Values();
          },
          [&] {
            e.loop(e.i64(0), left, 1, [&](Value *c) { at(c, 1); });
            return Values();
          });
      return e.add(j, left);
    });
  }

  // `count` columns, from the one that starts at `first` and is number `j` of the task's.
  void addUp(Emitter &e, Value *first, Value *j, int64_t count) {
    Values zeros(size_t(count * p_.m), Constant::getNullValue(vector()));
    Values sums = allRuns(e, first, zeros);
    for (int64_t row = 0; row < p_.m; ++row) {
      for (int64_t c = 0; c < count; c += lanes_) {
        ArrayRef<Value *> some =
            ArrayRef(sums).slice(size_t(row * count + c), size_t(std::min<int64_t>(lanes_, count - c)));
        e.store(foldLanes(e, Values(some)), e.gep(element(), sums_, e.add(j, row * plan_.nc + c)));
      }
    }
  }

  static constexpr int64_t kBlock = 64; // steps whose sums are added one after the other

  Values allRuns(Emitter &e, Value *first, ArrayRef<Value *> zeros) {
    if (layout_.runs == 1)
      return addRun(e, first, e.i64(0), zeros, zeros);
    auto range = [&](Value *from, Value *to) {
      return e.loop(from, to, e.i64(1), zeros, [&](Value *run, ArrayRef<Value *> before) {
        Value *offset = e.load(e.b.getInt64Ty(), e.gep(e.b.getInt64Ty(), offsets_, run));
        return addRun(e, e.add(first, offset), e.mul(run, layout_.paddedRun), before, zeros);
      });
    };
    if (layout_.runs * layout_.steps <= 2 * kBlock)
      return range(e.i64(0), e.i64(layout_.runs));
    return sumInTree(e, layout_.runs, std::max<int64_t>(1, kBlock / layout_.steps), zeros, range);
  }

  // The sums with the products of a run added: units from `unit` on, and columns from the one at `first` on.
  Values addRun(Emitter &e, Value *first, Value *unit, ArrayRef<Value *> before, ArrayRef<Value *> zeros) {
    constexpr int64_t kFewSteps = 8;
    int64_t whole = layout_.run / lanes_;
    Values sums(before.begin(), before.end());
    auto range = [&](ArrayRef<Value *> start) {
      return [&, start](Value *from, Value *to) {
        return e.loop(from, to, e.i64(1), start, [&](Value *step, ArrayRef<Value *> carried) {
          return addStep(e, first, unit, e.mul(step, lanes_), lanes_, carried);
        });
      };
    };
    if (whole > 2 * kBlock) {
      Values run = sumInTree(e, whole, kBlock, zeros, range(zeros));
      for (auto [sum, more] : zip_equal(sums, run))
        sum = e.b.CreateFAdd(sum, more);
    } else if (whole > kFewSteps) {
      sums = range(sums)(e.i64(0), e.i64(whole));
    } else {
      for (int64_t step = 0; step < whole; ++step)
        sums = addStep(e, first, unit, e.i64(step * lanes_), lanes_, sums);
    }
    if (int64_t rest = layout_.run % lanes_)
      sums = addStep(e, first, unit, e.i64(whole * lanes_), unsigned(rest), sums);
    return sums;
  }

  // One vector of each column, with `count` elements.
  Values addStep(Emitter &e, Value *first, Value *unit, Value *k, unsigned count, ArrayRef<Value *> before) {
    int64_t columns = int64_t(before.size()) / p_.m;
    Values sums(before.begin(), before.end()), b;
    for (int64_t c = 0; c < columns; ++c)
      b.push_back(loadColumn(e, e.add(first, e.add(k, c * p_.nRhs.inner().stride)), count));
    for (int64_t row = 0; row < p_.m; ++row) {
      Value *a = e.load(vector(), e.gep(element(), units_, e.add(e.add(unit, k), row * layout_.units())));
      for (int64_t c = 0; c < columns; ++c) {
        Value *&sum = sums[size_t(row * columns + c)];
        sum = dotStep(e, p_.arithmetic, a, b[size_t(c)], sum, p_.target);
      }
    }
    return sums;
  }

  Value *loadColumn(Emitter &e, Value *offset, unsigned count) {
    if (count == lanes_)
      return loadElements(e, p_, false, rhs_, offset, lanes_)[0];
    SmallVector<Constant *, 16> mask;
    for (unsigned i = 0; i < lanes_; ++i)
      mask.push_back(e.b.getInt1(i < count));
    return e.b.CreateMaskedLoad(vector(), elementPointer(e, p_.spec.rhs, rhs_, offset),
                                Align(uint64_t(p_.arithmetic.unitBytes)), ConstantVector::get(mask),
                                Constant::getNullValue(vector()));
  }

  // The sum of each vector's lanes, in a vector. Pairs of vectors become one, of which every other block of lanes has
  // parts of the second one's sums; blocks are first put together inside of 128 bits, where that takes one instruction.
  Value *foldLanes(Emitter &e, Values vectors) {
    unsigned count = unsigned(vectors.size()), nearLanes = 16 / unsigned(p_.arithmetic.unitBytes);
    vectors.resize(PowerOf2Ceil(count), vectors.back());
    unsigned block = 1;
    for (; vectors.size() > 1; block *= 2) {
      unsigned part = block < nearLanes ? std::min(nearLanes, lanes_) : lanes_;
      Values next;
      for (size_t i = 0; i < vectors.size(); i += 2)
        next.push_back(addHalves(e, vectors[i], vectors[i + 1], block, part));
      vectors = std::move(next);
    }
    Value *folded = vectors.front();
    for (unsigned width = lanes_ / 2; width >= block; width /= 2)
      folded = e.b.CreateFAdd(lanesOf(e, folded, 0, width), lanesOf(e, folded, width, width));
    return count == 1 ? e.b.CreateExtractElement(folded, uint64_t(0)) : lanesOf(e, folded, 0, count);
  }

  // In every `part` lanes: blocks of the first half of x's and y's lanes in turns, added to those of the second half.
  Value *addHalves(Emitter &e, Value *x, Value *y, unsigned block, unsigned part) {
    SmallVector<int, 16> masks[2];
    for (unsigned start = 0; start < lanes_; start += part)
      for (unsigned half : {0U, 1U})
        for (unsigned at = 0; at < part / 2; at += block)
          for (unsigned first : {0U, lanes_})
            for (unsigned i = 0; i < block; ++i)
              masks[half].push_back(int(first + start + half * part / 2 + at + i));
    return e.b.CreateFAdd(e.b.CreateShuffleVector(x, y, masks[0]), e.b.CreateShuffleVector(x, y, masks[1]));
  }

  Value *lanesOf(Emitter &e, Value *value, unsigned first, unsigned count) {
    SmallVector<int, 16> mask;
    for (unsigned i = 0; i < count; ++i)
      mask.push_back(int(first + i));
    return e.b.CreateShuffleVector(value, mask);
  }

  void output(Emitter &e, Value *table, Value *batch) {
    e.loop(e.i64(0), e.i64(p_.m), 1, [&](Value *row) {
      forEachOutputPiece(e, p_, n0_, columns_, unsigned(plan_.mc), [&](Value *j, unsigned width) {
        Value *sum = e.load(e.vec(element(), width), e.gep(element(), sums_, e.add(j, e.mul(row, plan_.nc))));
        storeOutput(e, p_, {table, batch, row, e.add(n0_, j)}, width, {sum});
      });
    });
  }

  Module &module_;
  StringRef symbol_;
  const Problem &p_;
  const MatmulPlan &plan_;
  RunLayout layout_;
  unsigned lanes_;
  Value *offsets_ = nullptr;
  Value *n0_ = nullptr, *columns_ = nullptr, *rhs_ = nullptr, *units_ = nullptr, *sums_ = nullptr;
};

} // namespace

bool planRuns(const Problem &p, MatmulPlan &plan) {
  constexpr int64_t kLeastVectors = 4;
  const int64_t mostRows = p.target.vectorBits == 512 ? 8 : 6;
  // Columns side by side are read by vectors along them.
  bool areBeside = p.nRhs.inner().stride == 1 && p.nRhs.inner().size > 1;
  bool isPlain = accumulatorIsFloat(p.arithmetic) && p.arithmetic.groupK == 1 && p.components() == 1 &&
                 isNative(p.spec.rhs, p.arithmetic, false);
  if (!isPlain || areBeside || p.m > mostRows || !p.target.costs.hasCores())
    return false;
  plan.lanes = accumulatorLanes(p);
  int64_t run = RunLayout(p, plan).run;
  while (plan.lanes > 4 && plan.lanes / 2 >= run)
    plan.lanes /= 2;
  RunLayout layout(p, plan);
  // Vectors of which the larger part is read, and sums long enough for what is done once for each.
  bool isFilled =
      layout.run % plan.lanes == 0 || (p.target.vectorBits >= 256 && 4 * layout.run >= 3 * layout.paddedRun);
  // Columns of a matrix that were not exchanged are those of dot products or, for more rows, of register tiles.
  bool isMatrix = layout.runs == 1 && p.nRhs.isAffine() && !p.swapped;
  if (!layout.isAlongRhs() || !isFilled || isMatrix || layout.runs * layout.steps < kLeastVectors)
    return false;
  plan.kind = MatmulPlan::Kind::kRuns;
  plan.packLhs = true;
  plan.mr = int(p.m);
  plan.nv = int(columnsTogether(p));
  plan.kc = layout.run;
  // A task copies the rows, and ends where a row of columns does.
  constexpr int64_t kCopies = 64; // columns whose products take some times as long as that
  int64_t row = p.nRhs.inner().size, stored = std::min<int64_t>(accumulatorLanes(p), p.n);
  int64_t least =
      std::max(kCopies, p.target.costs.streamedTask / (p.k * std::max<int64_t>(p.arithmetic.unitBytes, p.m)));
  int64_t columns = std::max(least, ceilDiv(p.n * p.batch, 4 * int64_t(p.target.cores)));
  columns = std::min<int64_t>(columns, 4096);
  int64_t unit = row < columns ? row * stored / std::gcd(row, stored) : stored;
  plan.nc = std::min(roundUp(columns, unit), p.n);
  plan.tasks = p.batch * ceilDiv(p.n, plan.nc);
  int64_t lanes = p.laneRun();
  plan.mc = lanes > 1 ? std::min<int64_t>(accumulatorLanes(p), int64_t(llvm::bit_floor(uint64_t(lanes)))) : 1;
  plan.scratchBytes = unitBytes(p, layout) + p.m * plan.nc * p.arithmetic.unitBytes;
  return true;
}

bool readsRuns(const Problem &p) {
  MatmulPlan plan;
  return planRuns(p, plan);
}

void emitRuns(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  RunWriter(module, symbol, p, plan).write();
}

} // namespace tenon::codegen::matmul
