// Packing: operands into the order the register tile reads them, converted to units. The rhs becomes panels of
// panelColumns columns, k unit by k unit; the lhs becomes rows along k, or, when its rows lie next to each other in
// memory, panels of plan.mr rows. k is padded with zeros to whole units. Unused columns are computed but never stored;
// of floats they are zeros, since what is left in scratch memory may be subnormal, which takes long to multiply.
#include "tenon/codegen/kernel/matmul/shuffles.h"
#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

constexpr int64_t kLineBytes = 64;

// Whether columns of the rhs are read as vectors: neighbours in memory, or every other element of it.
bool hasRowsOfColumns(const Problem &p) { return p.nRhs.hasContiguousRuns() || p.nRhs.inner().stride == 2; }

class PackWriter {
protected:
  PackWriter(const TiledKernel &kernel, bool isLhs, StringRef name, ArrayRef<llvm::Type *> parameters)
      : kernel(kernel), p(kernel.p), layout(kernel.layout), isLhs(isLhs), parts(p.components()), group(layout.groupK),
        e(kernel.module, name, parameters, true), sizes(e, kernel.sizes, e.arg(unsigned(parameters.size()) - 1)) {}

  TiledRoutine finish(StringRef name) {
    e.ret();
    sizes.finish();
    markRoutine(*e.function, name, 4.0 * double(kernel.plan.kc) * double(isLhs ? kernel.plan.mc : kernel.plan.nc));
    return {e.function, sizes.first()};
  }

  // Whether a pass may end inside a unit.
  bool padded() const { return p.k % group != 0 || (layout.runPasses && p.runLength() % group != 0); }
  int64_t innerStride() const { return isLhs ? p.innerK().lhsStride : p.innerK().rhsStride; }
  // The offset of a k inside its run.
  Value *alongRun(Value *k) { return sizes.times(k, innerStride()); }

  // For each k element of a pass, [kFrom, kTo): fn(offset in elements of the operand, position from kFrom). With `step`
  // the inner loop takes that many at a time (runs, or their parts, must be multiples of it).
  void forEachK(Value *kFrom, Value *kTo, int64_t step, function_ref<void(Value *, Value *)> fn) {
    auto simpleLoop = [&](Value *hi, function_ref<void(Value *)> body) { e.loop(e.i64(0), hi, step, body); };
    if (p.runs() == 1)
      return simpleLoop(e.sub(kTo, kFrom), [&](Value *i) { fn(alongRun(e.add(kFrom, i)), i); });
    int64_t length = p.runLength();
    StridedDims outer;
    for (const Problem::KDim &dim : ArrayRef(p.kDims).drop_back())
      outer.dims.push_back({dim.size, isLhs ? dim.lhsStride : dim.rhsStride});
    outer = collapse(outer.dims);
    Value *first = e.b.CreateUDiv(kFrom, sizes(length));
    if (layout.runPasses) {
      Value *start = e.add(sizes.offset(outer, first), alongRun(e.b.CreateURem(kFrom, sizes(length))));
      return simpleLoop(e.sub(kTo, kFrom), [&](Value *i) { fn(e.add(start, alongRun(i)), i); });
    }
    Value *last = e.b.CreateUDiv(kTo, sizes(length));
    // The offsets of many runs would be a large table.
    constexpr int64_t kMostInTable = 4096;
    Value *table = !outer.isAffine() && p.runs() <= kMostInTable ? sizes.addressOf(p.runOffsets(isLhs)) : nullptr;
    e.loop(first, last, 1, [&](Value *run) {
      Value *start = table ? e.load(e.b.getInt64Ty(), e.gep(e.b.getInt64Ty(), table, run)) : sizes.offset(outer, run);
      Value *number = e.sub(run, first);
      if (length > 4 * step) {
        Value *position = sizes.times(number, length);
        return simpleLoop(sizes(length), [&](Value *i) { fn(e.add(start, alongRun(i)), e.add(position, i)); });
      }
      for (int64_t i = 0; i < length; i += step) // short runs unrolled
        fn(e.add(start, i ? sizes(i * innerStride()) : e.i64(0)), e.add(e.mul(number, length), i));
    });
  }

  // Has the lines fetched that hold what is packed some units later: pieces of memory a step of k apart are too short
  // for the processor to foresee where the next one begins.
  void fetchAhead(Value *base, Value *offset) {
    constexpr int64_t kUnits = 8;
    for (int64_t q = 0; q < group; ++q)
      fetchElement(e, p, isLhs, base, e.add(offset, sizes((kUnits * group + q) * innerStride())));
  }

  // The rows of the lhs or the columns of the rhs from one on. Columns two elements apart are every other one of two
  // vectors, which end with the last of them.
  Values loadNeighbours(Value *base, Value *offset, unsigned lanes) {
    Values first = loadElements(e, p, isLhs, base, offset, lanes);
    if (isLhs || lanes == 1 || p.nRhs.inner().stride != 2)
      return first;
    Values second = loadElements(e, p, isLhs, base, e.add(offset, int64_t(lanes - 1)), lanes), result;
    SmallVector<int, 16> mask;
    for (unsigned i = 0; i < lanes; ++i)
      mask.push_back(int(i < lanes / 2 ? 2 * i : 2 * i + 1));
    for (auto [low, high] : llvm::zip(first, second))
      result.push_back(e.b.CreateShuffleVector(low, high, mask));
    return result;
  }

  // Loads `group` consecutive k of `lanes` neighbours, as units, one value a part. `count` limits k when not null.
  Values loadUnits(Value *base, Value *offset, unsigned lanes, Value *count) {
    SmallVector<Values, 2> rows(parts);
    for (int64_t q = 0; q < group; ++q) {
      auto load = [&] {
        Value *step = q == 0 || innerStride() == 1 ? e.i64(q) : sizes(q * innerStride());
        return loadNeighbours(base, e.add(offset, step), lanes);
      };
      Values parts_;
      if (!count || q == 0)
        parts_ = load();
      else
        parts_ = e.ifElse(e.b.CreateICmpSLT(e.i64(q), count), load,
                          [&] { return Values(parts, Constant::getNullValue(e.vec(kernel.unitElement(), lanes))); });
      for (unsigned part = 0; part < parts; ++part)
        rows[part].push_back(parts_[part]);
    }
    Values units;
    for (Values &row : rows)
      units.push_back(interleave(e, row, lanes, kernel.unit()));
    return units;
  }

  // The units of [kFrom, kTo) one after the other: fn(offset in elements of the operand, unit index, how many k of the
  // unit there are, null for all).
  void forEachUnit(Value *kFrom, Value *kTo, function_ref<void(Value *, Value *, Value *)> fn) {
    Value *whole = padded() ? e.add(kFrom, e.b.CreateAnd(e.sub(kTo, kFrom), e.i64(-group))) : kTo;
    forEachK(kFrom, whole, group, [&](Value *at, Value *position) { fn(at, e.udiv(position, group), nullptr); });
    if (!padded())
      return;
    e.ifThen(e.b.CreateICmpSLT(whole, kTo), [&] { // padded k is a single run
      fn(alongRun(whole), e.udiv(e.sub(whole, kFrom), group), e.sub(kTo, whole));
    });
  }

  // All units of [kFrom, kTo) for `lanes` neighbours at `offset`: store(unit index, units).
  void copyUnits(Value *base, Value *offset, unsigned lanes, Value *kFrom, Value *kTo,
                 function_ref<void(Value *, ArrayRef<Value *>)> store) {
    forEachUnit(kFrom, kTo, [&](Value *at, Value *unit, Value *count) {
      store(unit, loadUnits(base, e.add(offset, at), lanes, count));
    });
  }

  // Zeros behind the units of [kFrom, kTo), to a multiple of those that the register tile takes together.
  void padSteps(Value *kFrom, Value *kTo, function_ref<void(Value *unit)> storeZeros) {
    int64_t step = layout.unitStep;
    Value *units = e.udiv(e.add(e.sub(kTo, kFrom), group - 1), group);
    Value *whole = e.b.CreateAnd(e.add(units, step - 1), e.i64(-step));
    e.loop(units, whole, 1, storeZeros);
  }

  // Groups may only be made of k that follow each other in a run.
  bool groupsStayInRuns() const { return p.runs() == 1 || p.runLength() % group == 0; }

  // Element by element, whatever the layout: place(k position, part) is an index in unit elements.
  void copyElements(Value *base, Value *offset, Value *kFrom, Value *kTo, Value *block,
                    function_ref<Value *(Value *, unsigned)> place) {
    auto store = [&](Value *value, Value *position, unsigned part) {
      e.store(value, e.gep(kernel.unitElement(), block, place(position, part)));
    };
    forEachK(kFrom, kTo, 1, [&](Value *at, Value *position) {
      Values element = loadElements(e, p, isLhs, base, e.add(offset, at), 1);
      for (unsigned part = 0; part < parts; ++part)
        store(element[part], position, part);
    });
    if (!padded())
      return;
    Value *length = e.sub(kTo, kFrom);
    Value *whole = e.b.CreateAnd(e.add(length, group - 1), e.i64(-group));
    e.loop(length, whole, 1,
           [&](Value *position) { store(Constant::getNullValue(kernel.unitElement()), position, 0); });
  }

  // Index in unit elements of k position `position` when a unit's elements are together and units are `stride` apart.
  Value *elementIndex(Value *position, Value *unitOffset, int64_t stride) {
    Value *unit = e.add(unitOffset, e.mul(e.udiv(position, group), stride));
    return e.add(e.mul(unit, group), e.urem(position, group));
  }

  const TiledKernel &kernel;
  const Problem &p;
  const TiledLayout &layout;
  bool isLhs;
  unsigned parts;
  int64_t group;
  Emitter e;
  Sizes sizes;
};

class RhsWriter : PackWriter {
public:
  explicit RhsWriter(const TiledKernel &kernel)
      : PackWriter(kernel, false, kernel.symbol + ".pack_rhs",
                   {kernel.pointer(), kernel.pointer(), kernel.i64(), kernel.i64(), kernel.i64(), kernel.i64(),
                    kernel.pointer()}),
        rhs_(e.arg(0)), panel_(e.arg(1)), n0_(e.arg(2)), columns_(e.arg(3)), kFrom_(e.arg(4)), kTo_(e.arg(5)),
        lanes_(unsigned(kernel.plan.lanes)) {}

  TiledRoutine write() {
    Value *block = panel_, *blockStart = n0_, *blockColumns = columns_, *done = e.i64(0);
    int64_t width = layout.panelColumns;
    bool rows = hasRowsOfColumns(p) && groupsStayInRuns() && lanes_ > 1;
    if (rows && p.nRhs.isContiguous()) {
      done = e.mul(e.udiv(columns_, width), width);
      wholePanels(done);
    }
    e.loop(done, blockColumns, width, [&](Value *j) {
      panel_ = panelAt(block, j);
      n0_ = e.add(blockStart, j);
      columns_ = e.min(e.sub(blockColumns, j), width);
      if (accumulatorIsFloat(p.arithmetic) && !p.arithmetic.inTiles() && !(rows && masksRest()))
        clearRest();
      if (rows)
        byRows();
      else if (canTranspose())
        byTransposing();
      else
        e.loop(e.i64(0), columns_, 1, [&](Value *i) { oneColumn(i, kFrom_, kTo_, e.i64(0)); });
    });
    if (layout.columnSums)
      e.loop(e.i64(0), blockColumns, width, [&](Value *j) {
        panel_ = panelAt(block, j);
        addColumnSums();
      });
    if (layout.unitStep > 1)
      e.loop(e.i64(0), blockColumns, width, [&](Value *j) {
        panel_ = panelAt(block, j);
        padSteps(kFrom_, kTo_, [&](Value *unit) {
          for (int64_t column = 0; column < width; column += lanes_)
            e.store(Constant::getNullValue(e.vec(kernel.unit(), lanes_)), unitAt(unit, e.i64(column), 0), 4);
        });
      });
    return finish("pack_rhs");
  }

private:
  int64_t rowUnits() const { return layout.panelColumns * parts; }

  Value *panelAt(Value *block, Value *column) {
    return e.gep(kernel.unit(), block, sizes.times(e.udiv(column, layout.panelColumns), layout.rhsPanelUnits));
  }

  // Whole panels of a rhs whose rows are contiguous: k by k across all panels, so that memory is read in long pieces.
  void wholePanels(Value *count) {
    Value *block = panel_;
    int64_t width = layout.panelColumns;
    forEachUnit(kFrom_, kTo_, [&](Value *at, Value *unit, Value *limit) {
      e.loop(e.i64(0), count, width, [&](Value *j) {
        panel_ = panelAt(block, j);
        Value *start = e.add(e.add(at, n0_), j);
        for (int64_t column = 0; column < width; column += lanes_) {
          if (column * storageBytes(p.spec.rhs) % kLineBytes == 0)
            fetchAhead(rhs_, e.add(start, column));
          Values units = loadUnits(rhs_, e.add(start, column), lanes_, limit);
          for (unsigned part = 0; part < parts; ++part)
            e.store(units[part], unitAt(unit, e.i64(column), part), 4);
        }
      });
    });
    panel_ = block;
  }

  Value *unitAt(Value *unit, Value *column, unsigned part) {
    Value *index = e.add(e.add(e.mul(unit, rowUnits()), column), layout.columnSums + part * layout.panelColumns);
    return e.gep(kernel.unit(), panel_, index);
  }

  // Columns [j, j + width) lie next to each other in the rhs, or every other one does.
  void piece(Value *j, unsigned width) {
    copyUnits(rhs_, sizes.offset(p.nRhs, e.add(n0_, j)), width, kFrom_, kTo_,
              [&](Value *unit, ArrayRef<Value *> units) {
                for (unsigned part = 0; part < parts; ++part)
                  e.store(units[part], unitAt(unit, j, part), 4);
              });
  }

  // Packs as many columns at j as fit in `left`, trying ever smaller vectors; returns the next column.
  Value *takePiece(Value *j, Value *left, unsigned width) {
    auto take = [&] {
      piece(j, width);
      return Values{e.add(j, int64_t(width))};
    };
    if (width == 1)
      return take()[0];
    return e.ifElse(e.b.CreateICmpSGE(left, e.i64(width)), take,
                    [&] { return Values{takePiece(j, left, width / 2)}; })[0];
  }

  // One panel, in as wide pieces as the rhs allows.
  void byRows() {
    if (p.nRhs.isAffine()) {
      Value *full = e.b.CreateAnd(columns_, e.i64(-int64_t(lanes_)));
      e.loop(e.i64(0), full, lanes_, [&](Value *j) { piece(j, lanes_); });
      if (masksRest())
        return e.ifThen(e.b.CreateICmpSLT(full, columns_), [&] { maskedRest(full); });
      return e.loop(full, columns_, 1, [&](Value *j) { piece(j, 1); });
    }
    e.whileLess(e.i64(0), columns_, [&](Value *j) {
      // The next columns that are neighbours in memory.
      Value *run = sizes(p.nRhs.inner().size), *within = e.b.CreateURem(e.add(n0_, j), run);
      return takePiece(j, e.min(e.sub(run, within), e.sub(columns_, j)), lanes_);
    });
  }

  // Whether the last columns of a panel, fewer than a vector, are loaded as one: where the target has masks, and
  // elements are units.
  bool masksRest() const {
    return p.nRhs.isContiguous() && isNative(p.spec.rhs, p.arithmetic, false) && group == 1 && parts == 1 &&
           p.arithmetic.unitBytes >= 4 && p.target.vectorBits >= 256;
  }

  void maskedRest(Value *full) {
    llvm::Type *vector = e.vec(kernel.unit(), lanes_);
    Value *left = e.splat(e.sub(columns_, full), lanes_);
    Value *mask = e.b.CreateICmpSLT(e.b.CreateStepVector(left->getType()), left);
    Value *zeros = Constant::getNullValue(vector), *start = e.gep(kernel.unit(), rhs_, e.add(n0_, full));
    Align align(uint64_t(p.arithmetic.unitBytes));
    forEachUnit(kFrom_, kTo_, [&](Value *at, Value *unit, Value *) {
      Value *from = e.gep(kernel.unit(), start, at);
      e.store(e.b.CreateMaskedLoad(vector, from, align, mask, zeros), unitAt(unit, full, 0), 4);
    });
  }

  // Zeros in the panel's last vector, if it has unused columns.
  void clearRest() {
    Value *full = e.b.CreateAnd(columns_, e.i64(-int64_t(lanes_)));
    e.ifThen(e.b.CreateICmpSLT(full, columns_), [&] {
      Value *units = e.udiv(e.add(e.sub(kTo_, kFrom_), group - 1), group);
      Value *zeros = Constant::getNullValue(e.vec(kernel.unit(), lanes_));
      e.loop(e.i64(0), units, 1, [&](Value *unit) {
        for (unsigned part = 0; part < parts; ++part)
          e.store(zeros, unitAt(unit, full, part), 4);
      });
    });
  }

  // Units of a 128-bit part of a vector.
  unsigned square() const { return unsigned(16 / p.arithmetic.unitBytes); }

  bool canTranspose() const {
    int64_t step = int64_t(square()) * group;
    return p.innerK().rhsStride == 1 && p.nRhs.isAffine() && parts == 1 && lanes_ >= square() &&
           (p.runs() == 1 || p.runLength() % step == 0);
  }

  // lanes columns by square() units: rows are loaded 128 bits at a time into the lanes where an in-lane transposition
  // leaves them in order.
  Values transposed(Value *at) {
    unsigned q = square();
    llvm::Type *rowType = FixedVectorType::get(kernel.unit(), q);
    Values merged;
    for (unsigned i = 0; i < q; ++i) {
      Values quarters;
      for (unsigned part = 0; part < lanes_ / q; ++part) {
        Value *offset = e.add(at, sizes(int64_t(part * q + i) * p.nRhs.inner().stride));
        Value *row = loadElements(e, p, false, rhs_, offset, unsigned(q * group))[0];
        quarters.push_back(e.b.CreateBitCast(row, rowType));
      }
      while (quarters.size() > 1) {
        Values pairs;
        for (size_t k = 0; k < quarters.size(); k += 2) {
          unsigned count = cast<FixedVectorType>(quarters[k]->getType())->getNumElements();
          SmallVector<int, 16> mask(2 * count);
          for (unsigned x = 0; x < 2 * count; ++x)
            mask[x] = int(x);
          pairs.push_back(e.b.CreateShuffleVector(quarters[k], quarters[k + 1], mask));
        }
        quarters = std::move(pairs);
      }
      merged.push_back(quarters[0]);
    }
    // Transpose q by q inside each 128-bit lane, by unpacking units, then pairs of units.
    auto unpack = [&](Value *x, Value *y, unsigned width, bool high) {
      SmallVector<int, 16> mask;
      for (unsigned base = 0; base < lanes_; base += q)
        for (unsigned i = 0; i < q / 2; i += width)
          for (unsigned source = 0; source < 2; ++source)
            for (unsigned w = 0; w < width; ++w)
              mask.push_back(int(base + (high ? q / 2 : 0) + i + w + source * lanes_));
      return e.b.CreateShuffleVector(x, y, mask);
    };
    if (q == 2)
      return {unpack(merged[0], merged[1], 1, false), unpack(merged[0], merged[1], 1, true)};
    Value *low01 = unpack(merged[0], merged[1], 1, false), *high01 = unpack(merged[0], merged[1], 1, true);
    Value *low23 = unpack(merged[2], merged[3], 1, false), *high23 = unpack(merged[2], merged[3], 1, true);
    return {unpack(low01, low23, 2, false), unpack(low01, low23, 2, true), unpack(high01, high23, 2, false),
            unpack(high01, high23, 2, true)};
  }

  void byTransposing() {
    int64_t step = int64_t(square()) * group;
    Value *full = e.b.CreateAnd(columns_, e.i64(-int64_t(lanes_)));
    Value *whole = p.runs() == 1 ? e.add(kFrom_, e.b.CreateAnd(e.sub(kTo_, kFrom_), e.i64(-step))) : kTo_;
    e.loop(e.i64(0), full, lanes_, [&](Value *j) {
      Value *offset = sizes.offset(p.nRhs, e.add(n0_, j));
      forEachK(kFrom_, whole, step, [&](Value *at, Value *position) {
        for (auto [i, units] : llvm::enumerate(transposed(e.add(offset, at))))
          e.store(units, unitAt(e.add(e.udiv(position, group), int64_t(i)), j, 0), 4);
      });
    });
    if (p.runs() == 1)
      e.loop(e.i64(0), full, 1, [&](Value *j) { oneColumn(j, whole, kTo_, e.sub(whole, kFrom_)); });
    e.loop(full, columns_, 1, [&](Value *j) { oneColumn(j, kFrom_, kTo_, e.i64(0)); });
  }

  void oneColumn(Value *j, Value *from, Value *to, Value *firstPosition) {
    copyElements(rhs_, sizes.offset(p.nRhs, e.add(n0_, j)), from, to, panel_, [&](Value *position, unsigned part) {
      Value *column = e.add(j, layout.columnSums + part * layout.panelColumns);
      return elementIndex(e.add(position, firstPosition), column, rowUnits());
    });
  }

  void addColumnSums() {
    llvm::Type *vector = e.vec(kernel.accumulator(), lanes_);
    Value *ones = ConstantInt::get(vector, 0x01010101);
    Value *count = e.udiv(e.add(e.sub(kTo_, kFrom_), group - 1), group);
    unsigned vectors = unsigned(kernel.plan.nv);
    Values sums(vectors, Constant::getNullValue(vector));
    sums = e.loop(e.i64(0), count, e.i64(1), sums, [&](Value *unit, ArrayRef<Value *> before) {
      Values after;
      for (unsigned v = 0; v < vectors; ++v) {
        Value *units = e.load(e.vec(kernel.unit(), lanes_), unitAt(unit, e.i64(v * lanes_), 0), 4);
        after.push_back(dotStep(e, p.arithmetic, ones, units, before[v], p.target));
      }
      return after;
    });
    for (unsigned v = 0; v < vectors; ++v) {
      Value *scaled = e.b.CreateShl(sums[v], 7);
      if (!p.arithmetic.rhsUnsigned)
        scaled = e.b.CreateNeg(scaled);
      e.store(scaled, e.gep(kernel.unit(), panel_, int64_t(v * lanes_)), 4);
    }
  }

  Value *rhs_, *panel_, *n0_, *columns_, *kFrom_, *kTo_;
  unsigned lanes_;
};

class LhsWriter : PackWriter {
public:
  explicit LhsWriter(const TiledKernel &kernel)
      : PackWriter(kernel, true, kernel.symbol + ".pack_lhs",
                   {kernel.pointer(), kernel.pointer(), kernel.pointer(), kernel.i64(), kernel.i64(), kernel.i64(),
                    kernel.pointer()}),
        lhs_(e.arg(0)), block_(e.arg(1)), rows_(e.arg(2)), count_(e.arg(3)), kFrom_(e.arg(4)), kTo_(e.arg(5)) {}

  TiledRoutine write() {
    if (layout.lhsPanels && groupsStayInRuns() && parts == 1)
      byPanels();
    else if (canTranspose())
      byTransposing();
    else
      e.loop(e.i64(0), count_, 1, [&](Value *i) { row(i); });
    if (layout.unitStep > 1)
      e.loop(e.i64(0), count_, 1, [&](Value *i) {
        Value *start = rowStart(i);
        padSteps(kFrom_, kTo_, [&](Value *unit) { e.store(e.b.getInt32(0), unitOfBlock(e.add(start, unit))); });
      });
    return finish("pack_lhs");
  }

private:
  Value *rowOffset(Value *i) { return e.load(e.b.getInt64Ty(), e.gep(e.b.getInt64Ty(), rows_, i)); }

  Value *unitOfBlock(Value *index) { return e.gep(kernel.unit(), block_, index); }

  // Unit where row i starts.
  Value *rowStart(Value *i) {
    if (!layout.lhsPanels)
      return sizes.times(i, layout.lhsRowStride);
    return e.add(sizes.times(e.udiv(i, kernel.plan.mr), layout.lhsTileStride), e.urem(i, kernel.plan.mr));
  }

  void elements(Value *i, Value *from, Value *to, Value *firstPosition) {
    Value *start = rowStart(i);
    copyElements(lhs_, rowOffset(i), from, to, block_, [&](Value *position, unsigned part) {
      Value *index = elementIndex(e.add(position, firstPosition), start, layout.lhsKStride);
      return e.add(e.mul(index, parts), part);
    });
  }

  // A row along k: vectors where it is contiguous, then single elements.
  void row(Value *i) {
    int64_t width = int64_t(kernel.plan.lanes) * group;
    while (p.runs() > 1 && width > 1 && p.runLength() % width)
      width /= 2;
    bool vectors = !layout.lhsPanels && innerStride() == 1 && parts == 1 && width > 1;
    if (!vectors)
      return elements(i, kFrom_, kTo_, e.i64(0));
    Value *start = e.mul(rowStart(i), group), *offset = rowOffset(i);
    Value *whole = p.runs() == 1 ? e.add(kFrom_, e.b.CreateAnd(e.sub(kTo_, kFrom_), e.i64(-width))) : kTo_;
    forEachK(kFrom_, whole, width, [&](Value *at, Value *position) {
      Value *vector = loadElements(e, p, true, lhs_, e.add(offset, at), unsigned(width))[0];
      e.store(vector, e.gep(kernel.unitElement(), block_, e.add(start, position)));
    });
    if (p.runs() == 1)
      elements(i, whole, kTo_, e.sub(whole, kFrom_));
  }

  // Whether the mr rows at i are neighbours. The first and the last do not tell: rows past the end of the
  // matrix repeat its last one, which may make up for a gap between the others.
  Value *areNeighbours(Value *i, Value *offset, unsigned mr) {
    if (mr == 1)
      return e.b.getTrue();
    llvm::Type *offsets = e.vec(e.b.getInt64Ty(), mr);
    Value *actual = e.load(offsets, e.gep(e.b.getInt64Ty(), rows_, i));
    Value *steps = e.b.CreateStepVector(offsets);
    return e.b.CreateAndReduce(e.b.CreateICmpEQ(actual, e.b.CreateAdd(e.splat(offset, mr), steps)));
  }

  // Rows one after the other.
  Values singly(Value *i, int64_t count) {
    e.loop(e.i64(0), e.i64(count), 1, [&](Value *r) { elements(e.add(i, r), kFrom_, kTo_, e.i64(0)); });
    return {};
  }

  void byPanels() {
    int64_t mr = kernel.plan.mr;
    Value *first = e.i64(0);
    if (p.mLhs.isContiguous()) {
      first = e.sub(count_, e.i64(mr)); // rows past the end of the matrix repeat its last one
      wholePanels(first);
    }
    e.loop(first, count_, mr, [&](Value *i) {
      Value *offset = rowOffset(i);
      e.ifElse(
          areNeighbours(i, offset, unsigned(mr)),
          [&] {
            Value *start = rowStart(i);
            copyUnits(lhs_, offset, unsigned(mr), kFrom_, kTo_, [&](Value *unit, ArrayRef<Value *> units) {
              e.store(units[0], unitOfBlock(e.add(start, e.mul(unit, layout.lhsKStride))), 4);
            });
            return Values();
          },
          [&] { return singly(i, mr); });
    });
  }

  // Panels of neighbouring rows: k by k across all panels, so that memory is read in long pieces. One panel after the
  // other would take a few bytes of a cache line for each k, and a cache that has no room for so many lines, or in
  // whose sets they collide, would have lost them until the next panel.
  void wholePanels(Value *count) {
    int64_t mr = kernel.plan.mr;
    Value *offset = rowOffset(e.i64(0)), *tile = sizes(layout.lhsTileStride);
    forEachUnit(kFrom_, kTo_, [&](Value *at, Value *unit, Value *limit) {
      Value *from = e.add(offset, at), *to = e.mul(unit, layout.lhsKStride);
      e.loop(e.i64(0), count, e.i64(mr), {to}, [&](Value *i, ArrayRef<Value *> place) {
        fetchAhead(lhs_, e.add(from, i));
        e.store(loadUnits(lhs_, e.add(from, i), unsigned(mr), limit)[0], unitOfBlock(place[0]), 4);
        return Values{e.add(place[0], tile)};
      });
    });
  }

  // For rows along k whose neighbours in memory are the next rows.
  bool canTranspose() const {
    int64_t step = int64_t(kernel.plan.lanes) * group;
    return layout.unitStep > 1 && p.mLhs.hasContiguousRuns() && innerStride() != 1 &&
           (p.runs() == 1 || (p.runLength() % step == 0 && kernel.plan.kc % step == 0));
  }

  // Squares of `lanes` rows by as many units.
  void byTransposing() {
    int64_t lanes = kernel.plan.lanes, step = lanes * group;
    Value *whole = p.runs() == 1 ? e.add(kFrom_, e.b.CreateAnd(e.sub(kTo_, kFrom_), e.i64(-step))) : kTo_;
    e.loop(e.i64(0), count_, lanes, [&](Value *i) {
      Value *offset = rowOffset(i);
      auto squares = [&] {
        forEachK(kFrom_, whole, step, [&](Value *at, Value *position) {
          Values units;
          for (int64_t u = 0; u < lanes; ++u)
            units.push_back(loadUnits(lhs_, e.add(e.add(offset, at), u ? sizes(u * group * innerStride()) : e.i64(0)),
                                      unsigned(lanes), nullptr)[0]);
          for (auto [r, row] : llvm::enumerate(transposedSquare(e, units)))
            e.store(row, unitOfBlock(e.add(rowStart(e.add(i, int64_t(r))), e.udiv(position, group))), 4);
        });
        if (p.runs() == 1)
          e.loop(e.i64(0), e.i64(lanes), 1,
                 [&](Value *r) { elements(e.add(i, r), whole, kTo_, e.sub(whole, kFrom_)); });
        return Values();
      };
      e.ifElse(areNeighbours(i, offset, unsigned(lanes)), squares, [&] { return singly(i, lanes); });
    });
  }

  Value *lhs_, *block_, *rows_, *count_, *kFrom_, *kTo_;
};

} // namespace

TiledRoutine emitPackRhs(const TiledKernel &kernel) { return RhsWriter(kernel).write(); }
TiledRoutine emitPackLhs(const TiledKernel &kernel) { return LhsWriter(kernel).write(); }

} // namespace tenon::codegen::matmul
