// Products in which each warp has a tile of sums, of parts that one instruction multiplies and adds
// (GpuBuilder::multiplyMatrices).
//
// What a lane needs of them are words of k, which it gets with those of the other lanes (GpuBuilder::loadMatrices),
// from tiles in shared memory in which k is dense, or the other dimension for elements of 16 bits.
#include "tenon/codegen/gpu/warp_tiles.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// What one instruction takes: rows of the lhs, columns of the rhs, and bytes of half of its steps of k.
constexpr int64_t kRows = 16, kColumns = 8, kHalfBytes = 16;
// A lane's number is that of a row, or column, and of a word there.
constexpr int64_t kLanesOfRow = 4, kHalf = 8;
constexpr size_t kSums = 4; // of a lane

class WarpProduct final : public WarpTiles {
public:
  using WarpTiles::WarpTiles;

private:
  size_t down() const { return size_t(rowsOfWarp() / kRows); }
  size_t across() const { return size_t(columnsOfWarp() / kColumns); }

  Value *laneRow() { return e_.udiv(lane(), kLanesOfRow); }
  Value *laneWord() { return e_.urem(lane(), kLanesOfRow); }

  int64_t halfSteps() const { return kHalfBytes / product_.elementBytes; }
  Values words(Value *tile, bool isLhs, Value *first, int64_t k) {
    return loadWords({e_, gpu_, product_, unit_, lane()}, tile, isLhs, first, k);
  }

  llvm::Type *sumType() { return matmul::accumulatorType(e_.b.getContext(), p_.arithmetic); }

  Values start() override { return Values(down() * across() * kSums, Constant::getNullValue(sumType())); }

  Values multiply(Value *lhsTile, Value *rhsTile, ArrayRef<Value *> sums) override {
    Values results(sums);
    for (int64_t k = 0; k < product_.steps; k += 2 * halfSteps()) {
      Values right; // two words of each column
      for (size_t j = 0; j < across(); j += 2)
        append_range(right, words(rhsTile, false, e_.add(warpColumn(), e_.i64(int64_t(j) * kColumns)), k));
      for (size_t i = 0; i < down(); ++i) {
        Values left = words(lhsTile, true, e_.add(warpRow(), e_.i64(int64_t(i) * kRows)), k);
        for (size_t j = 0; j < across(); ++j)
          add(left, ArrayRef(right).slice(2 * j, 2), &results[(i * across() + j) * kSums]);
      }
    }
    return results;
  }

  void add(ArrayRef<Value *> left, ArrayRef<Value *> right, Value **sums) {
    SmallVector<Value *, 4> added;
    gpu_.at(e_.b, [&]() -> Value * {
      added = gpu_.multiplyMatrices(*product_.matrix, left, right, ArrayRef(sums, kSums));
      return nullptr;
    });
    copy(added, sums);
  }

  // A lane has two sums side by side of a row, and two of the row eight below.
  void store(ArrayRef<Value *> sums) override {
    Value *first = e_.add(warpRow(), laneRow()), *column = e_.add(warpColumn(), e_.mul(laneWord(), 2));
    SmallVector<PairsOfRow> rows;
    for (size_t i = 0; i < 2 * down(); ++i) {
      PairsOfRow &row = rows.emplace_back(PairsOfRow{e_.add(first, e_.i64(int64_t(i) * kHalf))});
      for (size_t j = 0; j < across(); ++j) {
        Value *const *own = &sums[(i / 2 * across() + j) * kSums + i % 2 * 2];
        row.pairs.push_back({e_.add(column, e_.i64(int64_t(j) * kColumns)), own[0], own[1]});
      }
    }
    storePairs(rows);
  }
};

} // namespace

Values loadWords(const WarpReader &reader, Value *tile, bool isLhs, Value *first, int64_t k) {
  auto &[e, gpu, product, unit, lane] = reader;
  int64_t rowPitch = product.rowPitch(isLhs), stepPitch = product.stepPitch(isLhs);
  Value *matrix = e.udiv(lane, kHalf), *number = e.urem(lane, kHalf);
  Value *row = e.mul(isLhs ? e.urem(matrix, 2) : e.udiv(matrix, 2), kHalf);
  Value *step = e.mul(isLhs ? e.udiv(matrix, 2) : e.urem(matrix, 2), kHalfBytes / product.elementBytes);
  bool isDense = product.hasDenseK(isLhs);
  (isDense ? row : step) = e.add(isDense ? row : step, number);
  // The lane's part comes first: it is the same everywhere.
  Value *ofLane = e.add(e.mul(row, rowPitch), e.mul(step, stepPitch));
  Value *at = e.add(e.add(ofLane, e.mul(first, rowPitch)), e.i64(k * stepPitch));
  Values loaded;
  gpu.at(e.b, [&]() -> Value * {
    append_range(loaded, gpu.loadMatrices(e.gep(unit, tile, at), !isDense));
    return nullptr;
  });
  return loaded;
}

std::unique_ptr<ProductEmitter> makeWarpProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                Module &module, StringRef symbol, GpuBuilder &gpu) {
  return std::make_unique<WarpProduct>(product, problem, module, symbol, gpu);
}

} // namespace tenon::codegen
