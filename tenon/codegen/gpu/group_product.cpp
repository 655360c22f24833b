// Products by warp groups: each has 64 rows of the block's tile, and all its columns, which one instruction multiplies
// (GpuBuilder::multiplyInGroup). It reads both operands from shared memory, and works while the threads wait for the
// next tiles: the products of a step are done at the end of the next one.
#include "tenon/codegen/gpu/group_tiles.h"
#include "tenon/codegen/gpu/product_emitter.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

constexpr int64_t kLineBytes = 128, kWarpRows = 16;
// A lane has two of every so many columns, of a row and of the one eight below.
constexpr int64_t kColumns = 8, kLanesOfRow = 4, kHalf = 8;
constexpr size_t kSums = 4;

class GroupProduct final : public ProductEmitter {
public:
  using ProductEmitter::ProductEmitter;

private:
  size_t across() const { return size_t(product_.blockColumns() / kColumns); }
  llvm::Type *sumType() { return matmul::accumulatorType(e_.b.getContext(), p_.arithmetic); }

  Values start() override { return Values(across() * kSums, Constant::getNullValue(sumType())); }

  Values multiply(Value *lhsTile, Value *rhsTile, ArrayRef<Value *> sums) override {
    SmallVector<Value *> results(sums);
    auto emit = [&](function_ref<void()> what) { gpu_.at(e_.b, [&]() -> Value * { return what(), nullptr; }); };
    emit([&] { gpu_.emitStartOfProducts(); });
    Value *group = e_.udiv(thread_, kGroupThreads);
    for (int64_t k = 0; k < product_.steps; k += kGroupStepBytes / product_.elementBytes) {
      GpuBuilder::GroupTile lhs = groupFactor(e_, product_, lhsTile, true, group, k);
      GpuBuilder::GroupTile rhs = groupFactor(e_, product_, rhsTile, false, group, k);
      emit([&] {
        results = gpu_.multiplyInGroup(*product_.matrix, unsigned(product_.blockColumns()), lhs, rhs, results);
      });
    }
    emit([&] {
      gpu_.emitEndOfProducts();
      results = gpu_.waitForProducts(1, results);
    });
    return Values(results.begin(), results.end());
  }

  Values finish(ArrayRef<Value *> sums) override {
    Values results;
    gpu_.at(e_.b, [&]() -> Value * { return append_range(results, gpu_.waitForProducts(0, sums)), nullptr; });
    return results;
  }

  void store(ArrayRef<Value *> sums) override {
    Value *lane = e_.urem(thread_, kWarpThreads);
    Value *first = e_.add(e_.mul(e_.udiv(thread_, kWarpThreads), kWarpRows), e_.udiv(lane, kLanesOfRow));
    Value *column = e_.mul(e_.urem(lane, kLanesOfRow), 2);
    SmallVector<PairsOfRow> rows;
    for (size_t i = 0; i < 2; ++i) {
      PairsOfRow &row = rows.emplace_back(PairsOfRow{e_.add(first, e_.i64(int64_t(i) * kHalf))});
      for (size_t j = 0; j < across(); ++j)
        row.pairs.push_back(
            {e_.add(column, e_.i64(int64_t(j) * kColumns)), sums[j * kSums + 2 * i], sums[j * kSums + 2 * i + 1]});
    }
    storePairs(rows);
  }
};

} // namespace

// Where k is dense, lines are rows, and longer ones follow each other; else they are steps, of chunks of rows.
GpuBuilder::GroupTile groupFactor(Emitter &e, const ProductPlan &product, Value *tile, bool isLhs, Value *group,
                                  int64_t k) {
  bool isDense = product.hasDenseK(isLhs);
  int64_t ofLine = kLineBytes / product.elementBytes, chunkBytes = product.steps * kLineBytes;
  int64_t first = isDense ? k / ofLine * product.blockExtent(isLhs) * kLineBytes + k % ofLine * product.elementBytes
                          : k * kLineBytes;
  Value *at = e.i64(first);
  if (isLhs)
    at = e.add(e.mul(group, isDense ? kGroupRows * kLineBytes : chunkBytes), at);
  return {e.gep(e.b.getInt8Ty(), tile, at), isDense ? 0 : chunkBytes};
}

std::unique_ptr<ProductEmitter> makeGroupProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                 Module &module, StringRef symbol, GpuBuilder &gpu) {
  return std::make_unique<GroupProduct>(product, problem, module, symbol, gpu);
}

} // namespace tenon::codegen
