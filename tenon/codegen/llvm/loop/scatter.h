// Scatter, in place: the results' buffers start as the inputs'.
#pragma once

#include "tenon/codegen/llvm/loop/map.h"
#include "tenon/codegen/llvm/loop/scatter_buckets.h"
#include "tenon/codegen/llvm/loop/scatter_copies.h"
#include "tenon/ir/scatter_sums.h"
#include "tenon/ir/stablehlo.h"

#include <optional>

namespace tenon::codegen::loop {

struct ScatterPlan : LoopPlan { // the dimensions of its space are the updates'
  Kernel kernel;
  stablehlo::ScatterOp op;
  stablehlo::ScatterDimensionNumbersAttr numbers;
  llvm::ArrayRef<int64_t> shape, updateShape; // of the results, of the updates
  IndexVector updateIndex;
  llvm::SmallVector<unsigned> scatterDims, windowDims; // of the updates
  llvm::SmallVector<int64_t> resultDims, windowExtent; // the latter of each dimension of the results
  int64_t splitDim = -1, splitSize = 1;                // of the results; negative: one task
  bool splitsWindow = false;                           // every window spans the split dimension
  // How many updates before its own turn a window is fetched, and an update that has been sorted.
  int64_t fetchesAhead = 0, sortedAhead = 0;
  // Where updates are sorted into buckets of rows, which are tasks: `tasks` is one then.
  std::optional<BucketPlan> buckets;
  int64_t bucketOffset = 0; // of what they take of the temporary block
  // Where parts of the updates, which are tasks, go to copies of the results, or, for kWide, to sums of their own:
  // `tasks` is one then, too.
  std::optional<CopyPlan> copies;
  int64_t rows = 1, updates = 1; // how many windows the results have along the dimensions of rows, how many are updates
  // Where floats are summed with an error that does not grow with the number of updates (tenon/ir/scatter_sums.h): for
  // kBlocks how many rows are counted, how many updates make a block, and the temporary bytes of a task's counters and
  // sums.
  ir::ScatterOrder order = ir::ScatterOrder::kStepwise;
  int64_t countedRows = 1, block = 1, places = 0, counterBytes = 0, sumBytes = 0;
  bool sharesSums = true; // all tasks have the same sums, for parts of the windows

  bool isWindowDim(int64_t dim) const;
  // Whether the dimension of the results has rows: windows start anywhere along it.
  bool isRowDim(int64_t dim) const;
  // Elements of the results between neighbours along the dimension.
  int64_t resultStride(int64_t dim) const { return elementCount(shape.drop_front(dim + 1)); }
  llvm::SmallVector<int64_t> windowShape() const;
  // Whether no window has elements of another that starts elsewhere.
  bool updatesRows() const;
  // How often all elements have a sum in the temporary block, of kWide.
  int64_t sumCopies() const { return copies ? copies->count : 1; }
  void print(llvm::raw_ostream &os) const;
};
ScatterPlan planScatter(const KernelSource &source, llvm::StringRef symbol, const KernelTarget &target);
llvm::LogicalResult emitScatter(const ScatterPlan &plan, const KernelSource &source, llvm::Module &module,
                                const EmissionTarget &target);

} // namespace tenon::codegen::loop
