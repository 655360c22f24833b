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

  llvm::Type *sumType() { return matmul::accumulatorType(e_.b.getContext(), p_.arithmetic); }

  Values start() override { return Values(down() * across() * kSums, Constant::getNullValue(sumType())); }

  // Words of sixteen rows of the lhs, or columns of the rhs, from `first` on: four matrices, of each eight of these
  // four words from step `k` on and the next four. Of the lhs rows come first, in the order of the instruction's words.
  Values words(Value *tile, bool isLhs, Value *first, int64_t k) {
    Value *matrix = e_.udiv(lane(), kHalf), *number = e_.urem(lane(), kHalf);
    Value *ofRows = isLhs ? e_.urem(matrix, 2) : e_.udiv(matrix, 2);
    Value *ofSteps = isLhs ? e_.udiv(matrix, 2) : e_.urem(matrix, 2);
    bool isDense = product_.hasDenseK(isLhs);
    Value *row = e_.add(first, e_.mul(ofRows, kHalf)), *step = e_.add(e_.mul(ofSteps, halfSteps()), e_.i64(k));
    (isDense ? row : step) = e_.add(isDense ? row : step, number);
    Value *at = e_.add(e_.mul(row, product_.rowPitch(isLhs)), e_.mul(step, product_.stepPitch(isLhs)));
    Values loaded;
    gpu_.at(e_.b, [&]() -> Value * {
      append_range(loaded, gpu_.loadMatrices(e_.gep(unit_, tile, at), !isDense));
      return nullptr;
    });
    return loaded;
  }

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
};

} // namespace

std::unique_ptr<ProductEmitter> makeWarpProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                Module &module, StringRef symbol, GpuBuilder &gpu) {
  return std::make_unique<WarpProduct>(product, problem, module, symbol, gpu);
}

} // namespace tenon::codegen
