// Products in which each thread has a tile of sums of its own.
#include "tenon/codegen/gpu/product_emitter.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// The threads are a square of so many. Each has groups of neighbouring rows and columns, a side's width apart.
constexpr int64_t kSide = 16, kGroup = 4;

class ThreadProduct final : public ProductEmitter {
public:
  using ProductEmitter::ProductEmitter;

private:
  size_t groups() const { return size_t(product_.columns / kGroup); }
  Value *rowInTile() { return e_.mul(e_.udiv(thread_, kSide), kGroup); }
  Value *columnInTile() { return e_.mul(e_.urem(thread_, kSide), kGroup); }

  Values start() override {
    return Values(size_t(product_.rows) * groups(), Constant::getNullValue(e_.vec(unit_, kGroup)));
  }

  // The rows, or columns, that the thread has of one step.
  Values operand(Value *tile, int64_t step, Value *first, bool isLhs, int count) {
    constexpr int64_t kVectorBytes = 16;
    Values vectors;
    for (int64_t group = 0; group < count / kGroup; ++group) {
      int64_t at = step * product_.stepPitch(isLhs) + group * kSide * kGroup;
      vectors.push_back(e_.load(e_.vec(unit_, kGroup), e_.gep(unit_, tile, e_.add(first, e_.i64(at))), kVectorBytes));
    }
    return vectors;
  }

  Values multiply(Value *lhsTile, Value *rhsTile, ArrayRef<Value *> sums) override {
    Values results(sums);
    Value *row = rowInTile(), *column = columnInTile();
    for (int64_t step = 0; step < product_.steps; ++step) {
      Values a = operand(lhsTile, step, row, true, product_.rows);
      Values b = operand(rhsTile, step, column, false, product_.columns);
      for (int i = 0; i < product_.rows; ++i) {
        Value *factor = e_.b.CreateExtractElement(a[size_t(i / kGroup)], uint64_t(i % kGroup));
        for (size_t group = 0; group < groups(); ++group) {
          Value *&sum = results[size_t(i) * groups() + group];
          sum = matmul::multiplyAdd(e_, e_.splat(factor, kGroup), b[group], sum, false, p_.target);
        }
      }
    }
    return results;
  }

  void store(ArrayRef<Value *> sums) override {
    Value *row = e_.add(firstRow_, rowInTile()), *column = e_.add(firstColumn_, columnInTile());
    for (int i = 0; i < product_.rows; ++i) {
      Value *m = e_.add(row, e_.i64(i / kGroup * kSide * kGroup + i % kGroup));
      ifInside(m, p_.m, product_.blockRows(), [&] {
        for (size_t group = 0; group < groups(); ++group)
          storeGroup(m, e_.add(column, e_.i64(int64_t(group) * kSide * kGroup)), sums[size_t(i) * groups() + group]);
      });
    }
  }

  void storeGroup(Value *m, Value *n, Value *sum) {
    if (storesVectors(kGroup))
      return storeAt(m, n, kGroup, sum);
    for (int64_t i = 0; i < kGroup; ++i)
      storeAt(m, e_.add(n, e_.i64(i)), 1, e_.b.CreateExtractElement(sum, uint64_t(i)));
  }
};

} // namespace

std::unique_ptr<ProductEmitter> makeThreadProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                  Module &module, StringRef symbol, GpuBuilder &gpu) {
  return std::make_unique<ThreadProduct>(product, problem, module, symbol, gpu);
}

} // namespace tenon::codegen
