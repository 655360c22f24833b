// Products in which each warp has a tile of sums, of parts that one instruction multiplies and adds
// (GpuBuilder::multiplyMatrices).
//
// In shared memory, rows of the lhs and columns of the rhs have k side by side, so that what a lane needs of them are
// words, whatever the type.
#include "tenon/codegen/gpu/product_emitter.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// The warps of a block: rows and columns of tiles.
constexpr int64_t kWarpLanes = 32, kWarpRows = 2, kWarpColumns = 4;
static_assert(kWarpLanes * kWarpRows * kWarpColumns == kProductThreads);
// What one instruction takes: rows of the lhs, columns of the rhs, and words of each.
constexpr int64_t kRows = 16, kColumns = 8, kWords = 8, kWordBytes = 4;
// A lane's number is that of a row, or column, and of a word there.
constexpr int64_t kLanesOfRow = 4, kHalf = 8;
constexpr size_t kSums = 4; // of a lane

class WarpProduct final : public ProductEmitter {
public:
  using ProductEmitter::ProductEmitter;

private:
  int64_t rowsOfWarp() const { return product_.blockRows() / kWarpRows; }
  int64_t columnsOfWarp() const { return product_.blockColumns() / kWarpColumns; }
  size_t down() const { return size_t(rowsOfWarp() / kRows); }
  size_t across() const { return size_t(columnsOfWarp() / kColumns); }

  Value *lane() { return e_.urem(thread_, kWarpLanes); }
  Value *laneRow() { return e_.udiv(lane(), kLanesOfRow); }
  Value *laneWord() { return e_.urem(lane(), kLanesOfRow); }
  Value *warpRow() { return e_.mul(e_.udiv(thread_, kWarpLanes * kWarpColumns), rowsOfWarp()); }
  Value *warpColumn() { return e_.mul(e_.urem(e_.udiv(thread_, kWarpLanes), kWarpColumns), columnsOfWarp()); }

  llvm::Type *sumType() { return matmul::accumulatorType(e_.b.getContext(), p_.arithmetic); }

  Values start() override { return Values(down() * across() * kSums, Constant::getNullValue(sumType())); }

  // The word of a row of the tile, or of a column.
  Value *word(Value *tile, Value *first, int64_t row, int64_t number) {
    llvm::Type *i32 = e_.b.getInt32Ty();
    int64_t pitch = product_.rowPitch() * product_.elementBytes / kWordBytes;
    Value *at = e_.add(e_.add(e_.mul(e_.add(first, laneRow()), pitch), laneWord()), e_.i64(row * pitch + number));
    return e_.load(i32, e_.gep(i32, tile, at), kWordBytes);
  }

  Values multiply(Value *lhsTile, Value *rhsTile, ArrayRef<Value *> sums) override {
    Values results(sums);
    Value *row = warpRow(), *column = warpColumn();
    int64_t words = product_.steps * product_.elementBytes / kWordBytes;
    for (int64_t k = 0; k < words; k += kWords) {
      std::vector<Values> right;
      for (size_t j = 0; j < across(); ++j)
        right.push_back({word(rhsTile, column, int64_t(j) * kColumns, k),
                         word(rhsTile, column, int64_t(j) * kColumns, k + kWords / 2)});
      for (size_t i = 0; i < down(); ++i) {
        int64_t first = int64_t(i) * kRows;
        Values left = {word(lhsTile, row, first, k), word(lhsTile, row, first + kHalf, k),
                       word(lhsTile, row, first, k + kWords / 2), word(lhsTile, row, first + kHalf, k + kWords / 2)};
        for (size_t j = 0; j < across(); ++j)
          add(left, right[j], &results[(i * across() + j) * kSums]);
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
    Value *row = e_.add(firstRow_, e_.add(warpRow(), laneRow()));
    Value *column = e_.add(firstColumn_, e_.add(warpColumn(), e_.mul(laneWord(), 2)));
    for (size_t i = 0; i < 2 * down(); ++i) {
      Value *m = e_.add(row, e_.i64(int64_t(i) * kHalf));
      ifInside(m, p_.m, product_.blockRows(), [&] {
        for (size_t j = 0; j < across(); ++j) {
          size_t first = (i / 2 * across() + j) * kSums + i % 2 * 2;
          storePair(m, e_.add(column, e_.i64(int64_t(j) * kColumns)), sums[first], sums[first + 1]);
        }
      });
    }
  }

  void storePair(Value *m, Value *n, Value *first, Value *second) {
    if (!storesVectors(2)) {
      storeAt(m, n, 1, first);
      return storeAt(m, e_.add(n, e_.i64(1)), 1, second);
    }
    Value *pair = PoisonValue::get(e_.vec(sumType(), 2));
    pair = e_.b.CreateInsertElement(pair, first, uint64_t(0));
    storeAt(m, n, 2, e_.b.CreateInsertElement(pair, second, uint64_t(1)));
  }
};

} // namespace

std::unique_ptr<ProductEmitter> makeWarpProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                Module &module, StringRef symbol, GpuBuilder &gpu) {
  return std::make_unique<WarpProduct>(product, problem, module, symbol, gpu);
}

} // namespace tenon::codegen
