// Products of f64 in which each warp has a tile of sums, of parts that one instruction multiplies and adds
// (GpuBuilder::multiplyDoubles).
#include "tenon/codegen/gpu/warp_tiles.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// What one instruction takes: rows, or columns, and steps of k. A lane's number is that of one of each.
constexpr int64_t kSide = 8, kSteps = 4;
constexpr size_t kSums = 2; // of a lane

class DoubleProduct final : public WarpTiles {
public:
  using WarpTiles::WarpTiles;

private:
  size_t down() const { return size_t(rowsOfWarp() / kSide); }
  size_t across() const { return size_t(columnsOfWarp() / kSide); }

  Value *laneRow() { return e_.udiv(lane(), kSteps); }
  Value *laneStep() { return e_.urem(lane(), kSteps); }

  Values start() override { return Values(down() * across() * kSums, Constant::getNullValue(unit_)); }

  // This lane's element of so many groups of rows, or of columns.
  Values elements(Value *tile, bool isLhs, int64_t k, size_t count) {
    Value *row = e_.add(isLhs ? warpRow() : warpColumn(), laneRow()), *step = e_.add(laneStep(), e_.i64(k));
    Value *first = e_.add(e_.mul(row, product_.rowPitch(isLhs)), e_.mul(step, product_.stepPitch(isLhs)));
    Values loaded;
    for (size_t i = 0; i < count; ++i)
      loaded.push_back(
          e_.load(unit_, e_.gep(unit_, tile, e_.add(first, e_.i64(int64_t(i) * kSide * product_.rowPitch(isLhs))))));
    return loaded;
  }

  Values multiply(Value *lhsTile, Value *rhsTile, ArrayRef<Value *> sums) override {
    Values results(sums);
    for (int64_t k = 0; k < product_.steps; k += kSteps) {
      Values left = elements(lhsTile, true, k, down()), right = elements(rhsTile, false, k, across());
      for (size_t i = 0; i < down(); ++i)
        for (size_t j = 0; j < across(); ++j)
          add(left[i], right[j], &results[(i * across() + j) * kSums]);
    }
    return results;
  }

  void add(Value *left, Value *right, Value **sums) {
    SmallVector<Value *, kSums> added;
    gpu_.at(e_.b, [&]() -> Value * {
      added = gpu_.multiplyDoubles(left, right, ArrayRef(sums, kSums));
      return nullptr;
    });
    copy(added, sums);
  }

  // A lane has two sums side by side of each row.
  void store(ArrayRef<Value *> sums) override {
    Value *row = e_.add(firstRow_, e_.add(warpRow(), laneRow()));
    Value *column = e_.add(firstColumn_, e_.add(warpColumn(), e_.mul(laneStep(), 2)));
    for (size_t i = 0; i < down(); ++i) {
      Value *m = e_.add(row, e_.i64(int64_t(i) * kSide));
      ifInside(m, p_.m, product_.blockRows(), [&] {
        for (size_t j = 0; j < across(); ++j) {
          size_t first = (i * across() + j) * kSums;
          storePair(m, e_.add(column, e_.i64(int64_t(j) * kSide)), sums[first], sums[first + 1]);
        }
      });
    }
  }
};

} // namespace

std::unique_ptr<ProductEmitter> makeDoubleProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                  Module &module, StringRef symbol, GpuBuilder &gpu) {
  return std::make_unique<DoubleProduct>(product, problem, module, symbol, gpu);
}

} // namespace tenon::codegen
