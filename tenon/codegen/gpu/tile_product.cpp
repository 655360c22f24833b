#include "tenon/codegen/gpu/tile_product.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/kernel/matmul/problem.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::matmul::Problem;

namespace tenon::codegen {
namespace {

// Tiles, those that read least for each product first. Vectors are of at most 16 bytes of most types.
struct TileShape {
  int64_t rows, columns;
};
constexpr TileShape kShapes[] = {{8, 4}, {4, 4}, {8, 2}, {4, 2}, {2, 4}, {2, 2}, {1, 4}, {1, 2}, {1, 1}};
// Steps of k that are computed together, so that what lies side by side along k is read in vectors.
constexpr int64_t kSteps = 4;
// What the sums of complex numbers, whose factors take two registers each, may take of a thread's.
constexpr int64_t kComplexSumBytes = 128;

int64_t tilesOf(int64_t extent, int64_t tile) { return int64_t(divideCeil(uint64_t(extent), uint64_t(tile))); }

class TileEmitter {
public:
  TileEmitter(const TileProductPlan &tiles, const Problem &problem, Module &module, StringRef symbol)
      : tiles_(tiles), p_(problem), e_(module, symbol, kernelParameters(module.getContext()), false) {}

  void emit() {
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](Value *task) { emitTask(task); });
    e_.ret();
  }

private:
  // One of the operands, and the offsets of the tile's rows in it, or columns.
  struct Operand {
    bool isLhs;
    Value *base;
    Values offsets;
    bool isDense = false; // the offsets are one after the other
  };

  void emitTask(Value *task) {
    int64_t across = tilesOf(p_.n, tiles_.columns), down = tilesOf(p_.m, tiles_.rows);
    Value *batch = p_.batch == 1 ? e_.i64(0) : e_.udiv(task, across * down);
    Value *rest = p_.batch == 1 ? task : e_.urem(task, across * down);
    Value *m = e_.mul(e_.udiv(rest, across), tiles_.rows), *n = e_.mul(e_.urem(rest, across), tiles_.columns);
    Operand lhs{true, matmul::lhsBase(e_, p_, e_.arg(0), batch), {}};
    Operand rhs{false, matmul::rhsBase(e_, p_, e_.arg(0), batch), {}};
    findOffsets(lhs, p_.mLhs, m, p_.m, tiles_.rows);
    findOffsets(rhs, p_.nRhs, n, p_.n, tiles_.columns);
    llvm::Type *type = matmul::accumulatorType(e_.b.getContext(), p_.arithmetic);
    Values sums(size_t(tiles_.rows * tiles_.columns) * p_.components(), Constant::getNullValue(type));
    store(batch, m, n, sumOverK(0, lhs, rhs, e_.i64(0), e_.i64(0), sums));
  }

  // Rows beyond the last one are read as the last one.
  void findOffsets(Operand &operand, const StridedDims &dims, Value *first, int64_t extent, int64_t count) {
    bool isWhole = extent % count == 0;
    operand.isDense = dims.isContiguous() && isWhole;
    for (int64_t i = 0; i < count; ++i) {
      Value *index = e_.add(first, i);
      operand.offsets.push_back(offsetOf(e_, dims, isWhole ? index : e_.min(index, extent - 1)));
    }
  }

  // The products over dimension `depth` of k, and those inside it, are added.
  Values sumOverK(size_t depth, const Operand &lhs, const Operand &rhs, Value *lhsK, Value *rhsK,
                  ArrayRef<Value *> sums) {
    const Problem::KDim &dim = p_.kDims[depth];
    bool isInner = depth + 1 == p_.kDims.size();
    int64_t steps = isInner && dim.size % kSteps == 0 ? kSteps : 1;
    return e_.loop(e_.i64(0), e_.i64(dim.size), e_.i64(steps), sums, [&](Value *k, ArrayRef<Value *> before) {
      Value *nextLhs = e_.add(lhsK, e_.mul(k, dim.lhsStride)), *nextRhs = e_.add(rhsK, e_.mul(k, dim.rhsStride));
      return isInner ? multiply(read(lhs, nextLhs, steps), read(rhs, nextRhs, steps), steps, before)
                     : sumOverK(depth + 1, lhs, rhs, nextLhs, nextRhs, before);
    });
  }

  // An operand's elements, as their components: those of each of the steps, one step after the other.
  using Elements = SmallVector<Values, 32>;

  Elements read(const Operand &operand, Value *k, int64_t steps) {
    int64_t count = int64_t(operand.offsets.size());
    int64_t stride = operand.isLhs ? p_.innerK().lhsStride : p_.innerK().rhsStride;
    Elements elements(size_t(steps * count));
    auto load = [&](Value *offset, int64_t lanes) {
      return matmul::loadElements(e_, p_, operand.isLhs, operand.base, e_.add(offset, k), unsigned(lanes));
    };
    auto lane = [&](const Values &vectors, int64_t number) {
      Values parts;
      for (Value *vector : vectors)
        parts.push_back(vector->getType()->isVectorTy() ? e_.b.CreateExtractElement(vector, uint64_t(number)) : vector);
      return parts;
    };
    bool isAlongK = stride == 1 && steps > 1;
    for (int64_t i = 0; isAlongK && i < count; ++i) {
      Values vectors = load(operand.offsets[size_t(i)], steps);
      for (int64_t step = 0; step < steps; ++step)
        elements[size_t(step * count + i)] = lane(vectors, step);
    }
    for (int64_t step = 0; !isAlongK && step < steps; ++step) {
      Value *ofStep = e_.i64(step * stride);
      Values vectors = operand.isDense ? load(e_.add(operand.offsets[0], ofStep), count) : Values();
      for (int64_t i = 0; i < count; ++i)
        elements[size_t(step * count + i)] =
            operand.isDense ? lane(vectors, i) : load(e_.add(operand.offsets[size_t(i)], ofStep), 1);
    }
    return elements;
  }

  // Adds a product to the components of a sum.
  void add(const Values &lhs, const Values &rhs, MutableArrayRef<Value *> sum) {
    auto multiplyAdd = [&](Value *left, Value *right, Value *before, bool isNegated = false) {
      return matmul::multiplyAdd(e_, left, right, before, isNegated, p_.target);
    };
    sum[0] = multiplyAdd(lhs[0], rhs[0], sum[0]);
    if (sum.size() == 1)
      return;
    sum[0] = multiplyAdd(lhs[1], rhs[1], sum[0], /*isNegated=*/true);
    sum[1] = multiplyAdd(lhs[0], rhs[1], sum[1]);
    sum[1] = multiplyAdd(lhs[1], rhs[0], sum[1]);
  }

  Values multiply(const Elements &lhs, const Elements &rhs, int64_t steps, ArrayRef<Value *> before) {
    Values sums(before);
    size_t parts = p_.components();
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t row = 0; row < tiles_.rows; ++row)
        for (int64_t column = 0; column < tiles_.columns; ++column)
          add(lhs[size_t(step * tiles_.rows + row)], rhs[size_t(step * tiles_.columns + column)],
              MutableArrayRef(sums).slice(size_t(row * tiles_.columns + column) * parts, parts));
    return sums;
  }

  void store(Value *batch, Value *m, Value *n, ArrayRef<Value *> sums) {
    int64_t run = p_.laneRun(), columns = tiles_.columns, ofRow = columns * p_.components();
    bool inVectors = run > 0 && run % columns == 0 && p_.n % columns == 0;
    for (int64_t i = 0; i < tiles_.rows; ++i) {
      Value *row = e_.add(m, i);
      ifInside(row, p_.m, tiles_.rows,
               [&] { storeRow({e_.arg(0), batch, row, n}, sums.slice(size_t(i * ofRow), size_t(ofRow)), inVectors); });
    }
  }

  void storeRow(const matmul::OutputPlace &first, ArrayRef<Value *> sums, bool inVectors) {
    size_t parts = p_.components();
    if (inVectors) {
      Values vectors;
      for (size_t part = 0; part < parts; ++part)
        vectors.push_back(vectorOf(sums.drop_front(part)));
      return matmul::storeOutput(e_, p_, first, unsigned(tiles_.columns), vectors);
    }
    for (int64_t i = 0; i < tiles_.columns; ++i) {
      matmul::OutputPlace place = first;
      place.n = e_.add(first.n, i);
      ifInside(place.n, p_.n, tiles_.columns,
               [&] { matmul::storeOutput(e_, p_, place, 1, sums.slice(size_t(i) * parts, parts)); });
    }
  }

  // The first component of each of a row's sums, side by side.
  Value *vectorOf(ArrayRef<Value *> sums) {
    if (tiles_.columns == 1)
      return sums[0];
    Value *vector = PoisonValue::get(e_.vec(sums[0]->getType(), unsigned(tiles_.columns)));
    for (int64_t i = 0; i < tiles_.columns; ++i)
      vector = e_.b.CreateInsertElement(vector, sums[size_t(i) * p_.components()], uint64_t(i));
    return vector;
  }

  void ifInside(Value *index, int64_t extent, int64_t tile, function_ref<void()> then) {
    if (extent % tile == 0)
      then();
    else
      e_.ifThen(e_.b.CreateICmpSLT(index, e_.i64(extent)), then);
  }

  const TileProductPlan &tiles_;
  const Problem &p_;
  Emitter e_;
};

} // namespace

FormPhases TileProductPlan::phases() const { return {{tasks, kTaskBlock, 0, /*isByThreads=*/true}}; }

void TileProductPlan::print(raw_ostream &os) const {
  os << "product in tiles of " << rows << 'x' << columns << " by " << tasks << " threads\n";
}

std::optional<TileProductPlan> planTileProduct(const matmul::ContractionPlan &plan, int64_t threads) {
  const Problem &p = plan.problem;
  if (p.k == 0 || p.batch * p.m * p.n == 0 || p.arithmetic.groupK > 1)
    return std::nullopt;
  auto isTooLarge = [&](TileShape shape) {
    return p.arithmetic.complex && shape.rows * shape.columns * 2 * p.arithmetic.unitBytes > kComplexSumBytes;
  };
  double products = double(p.batch) * double(p.m) * double(p.n) * double(p.k);
  auto planOf = [&](TileShape shape, int64_t tasks) {
    double bytesOfStep = double(shape.rows + shape.columns) * storageBytes(p.arithmetic.factor);
    return TileProductPlan{shape.rows, shape.columns, tasks, products, double(tasks) * double(p.k) * bytesOfStep};
  };
  for (TileShape shape : kShapes) {
    int64_t tasks = p.batch * tilesOf(p.m, shape.rows) * tilesOf(p.n, shape.columns);
    bool isWhole = p.m >= shape.rows && p.n % shape.columns == 0;
    if (isWhole && tasks >= threads && !isTooLarge(shape))
      return planOf(shape, tasks);
  }
  return planOf({1, 1}, p.batch * p.m * p.n);
}

void emitTileProduct(const TileProductPlan &tiles, const matmul::ContractionPlan &plan,
                     const matmul::Epilogue &epilogue, Module &module) {
  Problem problem = plan.problem;
  problem.epilogue = epilogue ? &epilogue : nullptr;
  TileEmitter(tiles, problem, module, plan.kernel.phases.back().symbol).emit();
}

} // namespace tenon::codegen
