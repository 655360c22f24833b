#include "tenon/codegen/gpu/tile_product.h"

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
    Values sums(size_t(tiles_.rows * tiles_.columns), Constant::getNullValue(type));
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

  // The elements of each of the steps, one step after the other.
  Values read(const Operand &operand, Value *k, int64_t steps) {
    int64_t count = int64_t(operand.offsets.size());
    int64_t stride = operand.isLhs ? p_.innerK().lhsStride : p_.innerK().rhsStride;
    Values elements(size_t(steps * count));
    auto load = [&](Value *offset, int64_t lanes) {
      return matmul::loadElements(e_, p_, operand.isLhs, operand.base, e_.add(offset, k), unsigned(lanes))[0];
    };
    auto lane = [&](Value *vector, int64_t number) {
      return vector->getType()->isVectorTy() ? e_.b.CreateExtractElement(vector, uint64_t(number)) : vector;
    };
    bool isAlongK = stride == 1 && steps > 1;
    for (int64_t i = 0; isAlongK && i < count; ++i) {
      Value *vector = load(operand.offsets[size_t(i)], steps);
      for (int64_t step = 0; step < steps; ++step)
        elements[size_t(step * count + i)] = lane(vector, step);
    }
    for (int64_t step = 0; !isAlongK && step < steps; ++step) {
      Value *ofStep = e_.i64(step * stride);
      Value *vector = operand.isDense ? load(e_.add(operand.offsets[0], ofStep), count) : nullptr;
      for (int64_t i = 0; i < count; ++i)
        elements[size_t(step * count + i)] =
            vector ? lane(vector, i) : load(e_.add(operand.offsets[size_t(i)], ofStep), 1);
    }
    return elements;
  }

  Values multiply(const Values &lhs, const Values &rhs, int64_t steps, ArrayRef<Value *> before) {
    Values sums(before);
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t row = 0; row < tiles_.rows; ++row)
        for (int64_t column = 0; column < tiles_.columns; ++column) {
          Value *&sum = sums[size_t(row * tiles_.columns + column)];
          sum = matmul::multiplyAdd(e_, lhs[size_t(step * tiles_.rows + row)],
                                    rhs[size_t(step * tiles_.columns + column)], sum, false, p_.target);
        }
    return sums;
  }

  void store(Value *batch, Value *m, Value *n, ArrayRef<Value *> sums) {
    int64_t run = p_.laneRun(), columns = tiles_.columns;
    bool inVectors = run > 0 && run % columns == 0 && p_.n % columns == 0;
    for (int64_t i = 0; i < tiles_.rows; ++i) {
      Value *row = e_.add(m, i);
      ifInside(row, p_.m, tiles_.rows, [&] {
        storeRow({e_.arg(0), batch, row, n}, sums.slice(size_t(i * columns), size_t(columns)), inVectors);
      });
    }
  }

  void storeRow(const matmul::OutputPlace &first, ArrayRef<Value *> sums, bool inVectors) {
    if (inVectors)
      return matmul::storeOutput(e_, p_, first, unsigned(sums.size()), vectorOf(sums));
    for (auto [i, sum] : enumerate(sums)) {
      matmul::OutputPlace place = first;
      place.n = e_.add(first.n, int64_t(i));
      ifInside(place.n, p_.n, tiles_.columns, [&, sum = sum] { matmul::storeOutput(e_, p_, place, 1, sum); });
    }
  }

  Value *vectorOf(ArrayRef<Value *> elements) {
    if (elements.size() == 1)
      return elements[0];
    Value *vector = PoisonValue::get(e_.vec(elements[0]->getType(), unsigned(elements.size())));
    for (auto [i, element] : enumerate(elements))
      vector = e_.b.CreateInsertElement(vector, element, uint64_t(i));
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

std::optional<TileProductPlan> planTileProduct(const matmul::ContractionPlan &plan, int64_t threads) {
  const Problem &p = plan.problem;
  if (p.k == 0 || p.batch * p.m * p.n == 0 || p.arithmetic.complex || p.arithmetic.groupK > 1)
    return std::nullopt;
  double products = double(p.batch) * double(p.m) * double(p.n) * double(p.k);
  auto planOf = [&](TileShape shape, int64_t tasks) {
    double bytesOfStep = double(shape.rows + shape.columns) * storageBytes(p.arithmetic.factor);
    return TileProductPlan{shape.rows, shape.columns, tasks, products, double(tasks) * double(p.k) * bytesOfStep};
  };
  for (TileShape shape : kShapes) {
    int64_t tasks = p.batch * tilesOf(p.m, shape.rows) * tilesOf(p.n, shape.columns);
    bool isWhole = p.m >= shape.rows && p.n % shape.columns == 0;
    if (isWhole && tasks >= threads)
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
