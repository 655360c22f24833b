#include "tenon/codegen/routines/usual_sorts.h"

#include "tenon/codegen/llvm/sort/sort.h"

#include "mlir/IR/Builders.h"

namespace tenon::codegen {
namespace {

using sort::SortedResult, sort::SortedRows;
using Source = SortedResult::Source;
using Add = llvm::function_ref<void(llvm::function_ref<void(llvm::Module &)>)>;

// Rows that are ranked, those that are sorted by narrow and by wide digits, and one that is sorted in chunks.
struct Shape {
  int64_t rows, count;
};
constexpr Shape kShapes[] = {{100, 100}, {100, 1000}, {100, 30000}, {1, 100000}};

void addSort(const SortedRows &rows, const KernelTarget &target, Add add) {
  Kernel kernel;
  if (std::optional<sort::RankPlan> ranks = sort::planRanks(rows, target)) {
    kernel.phases.push_back({"kernel", rows.rows, 0});
    return add([&](llvm::Module &module) { sort::emitRanks(*ranks, kernel, module); });
  }
  sort::RadixPlan radix = sort::planRadix(rows, target.costs());
  sort::addRadixPhases(radix, "kernel", target.costs(), kernel);
  add([&](llvm::Module &module) { sort::emitRadix(radix, kernel, module); });
}

// Sorts of rows that lie in one piece: alone, with their positions, or with other arrays. Others alone.
void addSorts(mlir::Type key, bool merges, const KernelTarget &target, Add add) {
  int64_t bytes = sort::keyBits(key) / 8;
  SortedRows rows;
  rows.key = key;
  rows.order.mergeZeros = rows.order.mergeNans = merges;
  SortedResult ofKey{merges ? Source::kElement : Source::kKey, bytes};
  for (Shape shape : kShapes) {
    rows.rows = shape.rows;
    rows.count = shape.count;
    rows.results = {ofKey};
    for (int64_t stride : {1, 3}) {
      rows.stride = stride;
      addSort(rows, target, add);
    }
    rows.stride = 1;
    for (SortedResult other : {SortedResult{Source::kPosition, 4}, {Source::kElement, 4}, {Source::kElement, 8}}) {
      rows.results = {ofKey, other};
      addSort(rows, target, add);
    }
  }
}

void addTopK(mlir::Type element, const KernelTarget &target, Add add) {
  // Candidates that are inserted, those that are ranked or sorted in batches, and rows so long that there may be many.
  for (auto [count, k] :
       {std::pair<int64_t, int64_t>{1000, 10}, {1000, 100}, {10000, 5000}, {10000000, 10}, {10000000, 5000}}) {
    sort::TopKPlan plan = sort::planTopK(sort::TopKRows{element, 32, 10, count, k}, "kernel", target);
    add([&](llvm::Module &module) { sort::emitTopK(plan, module); });
  }
}

} // namespace

void forEachUsualSort(mlir::MLIRContext &context, const KernelTarget &target, Add add) {
  mlir::Builder b(&context);
  for (unsigned bits : {8, 16, 32, 64})
    addSorts(b.getIntegerType(bits), false, target, add);
  for (mlir::Type type : {mlir::Type(b.getF16Type()), mlir::Type(b.getF32Type()), mlir::Type(b.getF64Type())})
    for (bool merges : {false, true}) // as JAX does, or not
      addSorts(type, merges, target, add);
  for (mlir::Type type : {mlir::Type(b.getIntegerType(8)), mlir::Type(b.getIntegerType(16)),
                          mlir::Type(b.getIntegerType(32)), mlir::Type(b.getF16Type()), mlir::Type(b.getF32Type())})
    addTopK(type, target, add);
}

} // namespace tenon::codegen
