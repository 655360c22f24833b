// See scatter.cpp for the method.
#include "tenon/codegen/llvm/loop/scatter.h"

#include "tenon/codegen/llvm/loop/scatter_sums.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

bool ScatterPlan::isWindowDim(int64_t dim) const { return llvm::is_contained(numbers.getUpdateWindowDims(), dim); }

bool ScatterPlan::isRowDim(int64_t dim) const {
  return llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim) ||
         llvm::is_contained(numbers.getInputBatchingDims(), dim);
}

llvm::SmallVector<int64_t> ScatterPlan::windowShape() const {
  llvm::SmallVector<int64_t> shape;
  for (unsigned d : windowDims)
    shape.push_back(updateShape[d]);
  return shape;
}

bool ScatterPlan::updatesRows() const {
  return llvm::all_of(llvm::zip(windowDims, resultDims), [&](auto dims) {
    auto [dim, resultDim] = dims;
    return updateShape[dim] == 1 || !llvm::is_contained(numbers.getScatterDimsToOperandDims(), resultDim);
  });
}

// Along which dimension of the results tasks are cut, and the least extent of a task there: whole vectors, on cache
// lines of its own, and enough of each window to pay for finding it.
static void chooseSplit(ScatterPlan &plan, int64_t elementBytes) {
  constexpr int64_t kLeastBytes = 128; // lines are fetched in pairs
  llvm::ArrayRef<int64_t> scattered = plan.numbers.getScatterDimsToOperandDims();
  for (auto [dim, resultDim] : llvm::zip(plan.windowDims, plan.resultDims)) {
    int64_t least = llvm::divideCeil(kLeastBytes, std::max<int64_t>(1, plan.resultStride(resultDim) * elementBytes));
    if (static_cast<int>(dim) == plan.vectorDim)
      least = std::max<int64_t>(least, plan.lanes);
    if (llvm::is_contained(scattered, resultDim) || plan.updateShape[dim] != plan.shape[resultDim] ||
        plan.shape[resultDim] <= least)
      continue;
    plan.splitDim = resultDim;
    plan.splitSize = least;
    plan.splitsWindow = true;
    return;
  }
  if (!scattered.empty())
    plan.splitDim = scattered[0];
}

static bool isLarge(const ScatterPlan &plan, int64_t elementBytes, const CostModel &costs) {
  return elementCount(plan.shape) * elementBytes > 2 * costs.largeArrayBytes;
}

// Small results with many updates are updated in copies, if their elements get enough updates for it not to matter that
// copies begin empty and are combined. A histogram of 1,000,000 integers in 1000 elements takes half of the time on two
// cores.
static void chooseCopies(ScatterPlan &plan, int64_t elementBytes, const CostModel &costs) {
  // The bytes of an array of a copy, which are in a core's own cache with all else; updates of each element of a copy,
  // on average; the least elements of a task that combines copies.
  constexpr int64_t kMostBytes = 256 << 10, kMostCopies = 16, kLeastUpdates = 4, kLeastCombined = 4096;
  int64_t elements = elementCount(plan.shape), updated = plan.updates * elementCount(plan.windowShape());
  int64_t combined = std::max(kLeastCombined, elements / kMostCopies);
  if (plan.order == ir::ScatterOrder::kWide) {
    if (int64_t parts = ir::scatterParts(plan.op, plan.shape, plan.updateShape); parts > 1)
      plan.copies = CopyPlan{parts, elements, plan.updates, combined, {}};
    return;
  }
  if (elements == 0 || elements * elementBytes > kMostBytes || plan.order != ir::ScatterOrder::kStepwise)
    return;
  int64_t count = std::min(
      {kMostCopies, updated / (kLeastUpdates * elements), static_cast<int64_t>(plan.nanoseconds / costs.task)});
  if (count < 2)
    return;
  std::optional<llvm::SmallVector<Combiner, 2>> combiners = anyOrderCombiners(plan.op);
  if (!combiners)
    return;
  plan.copies = CopyPlan{count, elements, plan.updates, combined, *combiners};
  plan.kernel.tempBytes = plan.copies->bytes();
}

// Rows of results that are in no core's own cache are updated bucket by bucket if they get enough updates for it to
// matter that a row is in the cache for all of its own. A scatter of 100,000 rows of 64 floats into 50,000 takes 0.6 of
// the time.
static void chooseBuckets(ScatterPlan &plan, int64_t elementBytes, const CostModel &costs) {
  constexpr int64_t kMostNumber = 1LL << 30;
  const CostModel::Buckets &buckets = costs.buckets;
  if (plan.order == ir::ScatterOrder::kWide || !isLarge(plan, elementBytes, costs) || !plan.updatesRows() ||
      plan.updates < std::max(buckets.leastUpdates, plan.rows / 2) || std::max(plan.updates, plan.rows) > kMostNumber ||
      elementCount(plan.windowShape()) * elementBytes < buckets.leastWindow)
    return;
  int64_t rowBytes = elementCount(plan.shape) / plan.rows * elementBytes * plan.op.getInputs().size();
  int64_t ofTask = static_cast<int64_t>(static_cast<double>(plan.rows) * costs.task / plan.nanoseconds);
  int64_t bucketRows = llvm::bit_floor(static_cast<uint64_t>(std::min(buckets.bytes / rowBytes, ofTask)));
  if (bucketRows < buckets.leastRows)
    return;
  bucketRows = std::max<int64_t>(bucketRows, llvm::PowerOf2Ceil(llvm::divideCeil(plan.rows, buckets.most)));
  int64_t chunks = std::clamp<int64_t>(plan.updates / buckets.chunk, 2, buckets.mostChunks);
  // With fewer updates than rows a thread alone gains by sorting, since it copies rows just before they are updated. A
  // phase that is too short to be shared says nothing about how many threads there are.
  bool isShared = costs.countedElement * static_cast<double>(plan.updates) >= costs.sharedPhase;
  plan.buckets = BucketPlan{plan.rows, plan.updates, bucketRows, chunks, isShared && plan.updates >= plan.rows};
  // Rows that lie one behind the other are in the cache when they have been copied.
  int64_t rank = static_cast<int64_t>(plan.shape.size()), leading = 0;
  while (leading < rank && plan.isRowDim(leading))
    ++leading;
  plan.kernel.copiesInit = elementCount(plan.shape.take_front(leading)) == plan.rows;
}

static void chooseTasks(ScatterPlan &plan, int64_t elementBytes, const CostModel &costs) {
  chooseSplit(plan, elementBytes);
  double each = plan.nanoseconds / static_cast<double>(std::max<int64_t>(plan.updates, 1));
  double least = plan.splitsWindow ? costs.dividedWindow : costs.sharedWindow;
  bool worth = plan.splitDim >= 0 && plan.nanoseconds > 2 * costs.scatterTask && each > least;
  if (!worth || plan.shape[plan.splitDim] == 0)
    return;
  int64_t units = llvm::divideCeil(plan.shape[plan.splitDim], plan.splitSize);
  plan.splitSize *= llvm::divideCeil(units, costs.mostScatterTasks);
  plan.tasks = llvm::divideCeil(plan.shape[plan.splitDim], plan.splitSize);
}

// Every task counts for itself, and has places of its own unless all have the same, for parts of the windows. Buckets
// have all counters and places in common, each its own of them.
static void chooseSums(ScatterPlan &plan) {
  mlir::Type type = elementTypeOf(plan.op.getInputs()[0]);
  if (plan.order == ir::ScatterOrder::kWide)
    plan.kernel.tempBytes = plan.sumCopies() * WideSums::bytes(type, elementCount(plan.shape));
  if (plan.order != ir::ScatterOrder::kBlocks)
    return;
  plan.countedRows = plan.buckets ? plan.buckets->nowhere() : plan.rows;
  plan.block = ir::scatterBlock(type);
  plan.places = plan.updates / plan.block * elementCount(plan.windowShape());
  plan.counterBytes = RowCounters::bytes(plan.countedRows, plan.updates, plan.block);
  plan.sumBytes = WideSums::bytes(type, plan.places);
  plan.sharesSums = plan.tasks == 1 || plan.splitsWindow;
  plan.kernel.tempBytes = plan.tasks * plan.counterBytes + (plan.sharesSums ? 1 : plan.tasks) * plan.sumBytes;
}

// Windows of results that are in no core's own cache are fetched in time: the processor's window holds a few updates
// only. A scatter of 100,000 rows of 64 floats into 50,000 takes a quarter less. Updates that are sorted lie apart, and
// are what comes from memory: four times as many ahead, into the second cache, take a quarter less.
static void chooseFetches(ScatterPlan &plan, int64_t elementBytes, const CostModel &costs) {
  if (plan.order == ir::ScatterOrder::kWide || !isLarge(plan, elementBytes, costs) || plan.scatterDims.empty())
    return;
  int64_t updates = plan.updateShape[plan.scatterDims.back()];
  if (updates > costs.updatesAhead && (!plan.buckets || plan.buckets->leavesWhole))
    plan.fetchesAhead = costs.updatesAhead;
  if (plan.buckets && updates > 4 * costs.updatesAhead)
    plan.sortedAhead = 4 * costs.updatesAhead;
}

// The dimensions of the updates and those of the results that windows run along.
static void planDimensions(ScatterPlan &plan) {
  stablehlo::ScatterDimensionNumbersAttr numbers = plan.numbers;
  IndexSpace &space = plan.indexer.emplace(IndexSpace(plan.op.getContext())).space();
  for (auto [d, extent] : llvm::enumerate(plan.updateShape)) {
    plan.updateIndex.push_back(space.addDim(extent));
    (plan.isWindowDim(d) ? plan.windowDims : plan.scatterDims).push_back(d);
    plan.updates *= plan.isWindowDim(d) ? 1 : extent;
  }
  plan.windowExtent.assign(plan.shape.size(), 1);
  for (int64_t d = 0; d < static_cast<int64_t>(plan.shape.size()); ++d) {
    plan.rows *= plan.isRowDim(d) ? plan.shape[d] : 1;
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), d) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), d))
      plan.resultDims.push_back(d);
  }
  for (auto [dim, resultDim] : llvm::zip(plan.windowDims, plan.resultDims))
    plan.windowExtent[resultDim] = plan.updateShape[dim];
}

static void addPhases(ScatterPlan &plan, llvm::StringRef symbol, const CostModel &costs) {
  auto add = [&](const llvm::Twine &name, int64_t tasks, double nanoseconds) {
    plan.kernel.phases.push_back({name.str(), tasks, nanoseconds});
  };
  if (plan.copies) {
    double each = costs.access * static_cast<double>(plan.copies->count);
    add(symbol + "_copies", plan.copies->count, plan.nanoseconds);
    return add(symbol, plan.copies->combiningTasks(), each * static_cast<double>(plan.copies->elements));
  }
  if (!plan.buckets)
    return add(symbol, plan.tasks, plan.nanoseconds);
  const BucketPlan &buckets = *plan.buckets;
  plan.bucketOffset = plan.kernel.tempBytes;
  plan.kernel.tempBytes += buckets.bytes();
  add(symbol + "_count", buckets.chunks, costs.countedElement * static_cast<double>(buckets.updates));
  add(symbol + "_place", 1, costs.scalarOp * static_cast<double>(buckets.chunks * buckets.buckets()));
  add(symbol + "_move", buckets.chunks, costs.movedElement * static_cast<double>(buckets.updates));
  add(symbol, buckets.buckets(), plan.nanoseconds);
}

ScatterPlan planScatter(const KernelSource &source, llvm::StringRef symbol, const KernelTarget &target) {
  ScatterPlan plan;
  plan.op = llvm::cast<stablehlo::ScatterOp>(source.op);
  plan.numbers = plan.op.getScatterDimensionNumbers();
  plan.shape = shapeOf(plan.op.getInputs()[0]);
  plan.updateShape = shapeOf(plan.op.getUpdates()[0]);
  planDimensions(plan);
  int widest = 1;
  for (mlir::Value input : plan.op.getInputs())
    widest = std::max<int64_t>(widest, storageBytes(elementTypeOf(input)));
  bool contiguous = !plan.windowDims.empty() && plan.resultDims.back() == static_cast<int64_t>(plan.shape.size()) - 1;
  if (contiguous) {
    uint64_t extent = plan.updateShape[plan.windowDims.back()];
    plan.vectorDim = plan.windowDims.back();
    plan.lanes = std::min<int64_t>(std::max(1, target.vectorBits() / 8 / widest), llvm::bit_floor(extent | 1));
  }
  const CostModel &costs = target.costs();
  double each = costs.scatteredWindow + costs.scatteredElement * elementCount(plan.windowShape());
  plan.nanoseconds = plan.updates * each + costs.kernel;
  plan.order = ir::scatterOrder(plan.op, plan.shape, plan.updateShape);
  chooseCopies(plan, widest, costs);
  if (!plan.copies)
    chooseBuckets(plan, widest, costs);
  if (!plan.copies && !plan.buckets)
    chooseTasks(plan, widest, costs);
  plan.kernel.kind = "scatter";
  plan.kernel.bytes = 2 * trafficBytes(source);
  for (unsigned i = 0; i < source.outputs.size(); ++i)
    plan.kernel.resultInit.push_back(i);
  if (elementCount(plan.updateShape) > 0 && elementCount(plan.shape) > 0)
    chooseSums(plan);
  chooseFetches(plan, widest, costs);
  addPhases(plan, symbol, costs);
  return plan;
}

void ScatterPlan::print(llvm::raw_ostream &os) const {
  os << "updates " << updates << " windows of " << elementCount(windowShape()) << " lanes " << lanes << " tasks "
     << tasks;
  if (tasks > 1)
    os << " = dim " << splitDim << " by " << splitSize << (splitsWindow ? " of windows" : " of indices");
  if (copies)
    os << ", in " << copies->count << " copies, combined in " << copies->combiningTasks() << " tasks";
  if (buckets)
    os << ", sorted in " << buckets->chunks << " chunks into " << buckets->buckets() << " buckets of "
       << buckets->bucketRows << " rows" << (buckets->leavesWhole ? " unless one thread has all" : "");
  if (fetchesAhead > 0)
    os << ", fetches " << fetchesAhead << " ahead";
  if (sortedAhead > 0)
    os << ", fetches " << sortedAhead << " sorted ahead";
  if (order == ir::ScatterOrder::kWide)
    os << ", sums in a wider type";
  if (order == ir::ScatterOrder::kBlocks)
    os << ", sums of blocks of " << block << " for " << rows << " rows, " << places << " places in a wider type";
  os << '\n';
}

} // namespace tenon::codegen::loop
