// Plans of kernels around reductions. See RowReductionPlan.
#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/common/plan/row_stages.h"

#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using mlir::AffineExpr;

namespace tenon::codegen {

// The reduction that says what a row is: one that the outputs depend on, whose shapes account for all outputs.
static mlir::Operation *rowReduction(const KernelSource &source) {
  llvm::SmallVector<mlir::Operation *> candidates;
  if (llvm::isa<stablehlo::ReduceOp>(source.op)) {
    candidates.push_back(source.op);
  } else if (llvm::isa<ir::FusionOp>(source.op)) {
    // Those that the outputs depend on, in order.
    llvm::DenseSet<mlir::Operation *> needed;
    for (mlir::Value output : source.outputs)
      if (mlir::Operation *op = output.getDefiningOp())
        needed.insert(op);
    for (mlir::Operation &op : llvm::reverse(source.op->getRegion(0).front())) {
      if (!needed.contains(&op))
        continue;
      for (mlir::Value operand : op.getOperands())
        if (mlir::Operation *defining = operand.getDefiningOp(); defining && source.inputNumber(operand) < 0)
          needed.insert(defining);
      if (llvm::isa<stablehlo::ReduceOp>(op))
        candidates.push_back(&op);
    }
    std::reverse(candidates.begin(), candidates.end());
  }
  for (mlir::Operation *op : candidates) {
    int64_t kept = elementCount(shapeOf(op->getResult(0))), reduced = elementCount(RegionIndexer::reducedExtents(op));
    bool fits = reduced > 0 && llvm::all_of(source.outputs, [&](mlir::Value output) {
                  int64_t count = elementCount(shapeOf(output));
                  return count == kept || count == kept * reduced;
                });
    if (fits)
      return op;
  }
  return nullptr;
}

// Lanes that are read across rows, as far apart as this, are shuffled where that saves folding the lanes of a row of
// pairs, as argmax has them.
constexpr int64_t kMaxPairedStride = 12;

// Whether rows of pairs are folded, by lanes of vectors: hardware's threads fold together what they have.
static bool hasPairs(const RowReductionPlan &plan, const CostModel &costs) {
  return costs.hasCores() && llvm::any_of(plan.stages, [](const RowStage &stage) {
           return llvm::any_of(stage.reduces, [](mlir::Operation *reduce) { return reduce->getNumResults() > 1; });
         });
}

// The lanes of a whole vector of the widest elements.
static int64_t wholeLanes(const RowReductionPlan &plan, const PlanTarget &target) {
  return std::max(1, target.vectorBytes / std::max(plan.use.widestBytes, plan.use.arithmetic ? 2 : 1));
}

// The vectors that a row takes along it, and their lanes.
static std::pair<int64_t, int64_t> vectorsAlongRow(int64_t length, int64_t lanes, bool masks) {
  if (masks) {
    lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(length));
    return {llvm::divideCeil(length, lanes), lanes};
  }
  lanes = std::min<int64_t>(lanes, llvm::bit_floor(uint64_t(length)));
  return {length / lanes + llvm::popcount(uint64_t(length % lanes)), lanes};
}

// The same for rows so short that folding the lanes of one alone would take longest, but which are folded in groups.
// What counts then is how much of the vectors along a row is empty, and how far apart lanes across rows are in each
// stage. In times of a vector's simple operation.
static bool groupsAlongRow(const RowReductionPlan &plan, const PlanTarget &target, FoldOrderOf orderOf,
                           llvm::function_ref<double(const PlanAccess &, AffineExpr)> cost) {
  constexpr double kPerNanosecond = 5;         // vectors' simple operations
  constexpr double kSum = 1.25, kExtremum = 5; // folding what one row has, which of extrema is three vectors
  constexpr double kStore = 4;                 // storing lanes that are apart, over loading them
  constexpr int64_t kLeastBytes = 32;          // narrower vectors take as long
  AffineExpr alongDim = plan.space().dim(plan.dims.size() - 1), acrossDim = plan.space().dim(plan.keptDims - 1);
  int64_t length = plan.dims.back().extent, whole = wholeLanes(plan, target);
  auto [vectors, lanes] = vectorsAlongRow(length, whole, target.masks);
  lanes = std::min(whole, std::max(lanes, kLeastBytes / plan.use.widestBytes));
  // A stage's time is that of elements of 32 bits, of which bytes are four in the same time.
  double perNanosecond = plan.use.widestBytes == 1 ? kPerNanosecond / 4 : kPerNanosecond;
  double along = 0, across = 0, folds = 0;
  for (const RowStage &stage : plan.stages) {
    along += target.costs.vectorOp + perNanosecond * stage.nanoseconds * double(lanes);
    across += target.costs.vectorOp + perNanosecond * stage.nanoseconds * double(whole);
    for (mlir::Operation *reduce : stage.reduces)
      folds += orderOf(reduce) == FoldOrder::kTree ? kSum : kExtremum;
    bool isLast = &stage == &plan.stages.back();
    for (const PlanAccess &access : plan.use.accesses) {
      bool isOfRow = IndexSpace::linearForm(access.position).coefficient(alongDim) == 0; // and is written in vectors
      if (access.isOutput ? !isLast || isOfRow : !stage.loaded.empty())
        continue;
      double apart = cost(access, acrossDim);
      along += cost(access, alongDim);
      across += access.isOutput && apart > 1 ? kStore * apart : apart;
    }
  }
  return double(vectors) * along + folds <= double(length) * across / double(whole);
}

// Whether rows are folded in groups if vectors run along them.
static bool mayGroup(const RowReductionPlan &plan, const PlanTarget &target, int64_t lanes) {
  int64_t whole = wholeLanes(plan, target);
  return target.costs.hasCores() && plan.keptDims > 0 && whole > 1 && plan.dims[plan.keptDims - 1].extent >= whole &&
         plan.reducedElements() <= target.costs.rowVectors * lanes;
}

// Whether vectors should run along the rows.
static bool chooseVectorAlongRow(const RowReductionPlan &plan, const PlanTarget &target, bool needsOrder,
                                 FoldOrderOf orderOf) {
  unsigned dims = plan.dims.size(), kept = plan.keptDims;
  if (dims == kept)
    return false;
  if (kept == 0)
    return !needsOrder;
  if (needsOrder)
    return false;
  AffineExpr along = plan.space().dim(dims - 1), across = plan.space().dim(kept - 1);
  // For one vector of elements.
  double alongCost = target.costs.vectorOp, acrossCost = target.costs.vectorOp;
  bool unrolled = plan.reducedElements() <= kUnrolledRow, foldsPairs = hasPairs(plan, target.costs);
  auto cost = [&](const PlanAccess &access, AffineExpr dim, int64_t shuffled) {
    LinearForm form = IndexSpace::linearForm(access.position);
    // Few machines shuffle bytes across a whole vector in one instruction; LLVM takes seconds over hundreds of those.
    int64_t bytes = llvm::divideCeil(ir::partWidth(elementTypeOf(access.value)), 8);
    double shuffle = bytes == 1 ? target.costs.shuffledBytes : bytes == 2 ? target.costs.shuffled16 : 1;
    auto stride = static_cast<double>(std::abs(form.coefficient(dim)));
    return stride <= 1                               ? stride
           : stride <= static_cast<double>(shuffled) ? stride * shuffle
                                                     : target.costs.gather * shuffle;
  };
  int64_t shuffled = foldsPairs ? kMaxPairedStride : unrolled ? kMaxShuffledStride : 4;
  if (!foldsPairs && mayGroup(plan, target, wholeLanes(plan, target)))
    return groupsAlongRow(plan, target, orderOf, [&](const PlanAccess &access, AffineExpr dim) {
      return cost(access, dim, dim == across ? shuffled : 4);
    });
  for (const PlanAccess &access : plan.use.accesses) {
    alongCost += cost(access, along, 4);
    acrossCost += cost(access, across, shuffled);
  }
  double lanes = std::max(1, target.vectorBytes / std::max(plan.use.widestBytes, 1));
  double length = plan.dims.back().extent, rows = std::max<int64_t>(plan.dims[kept - 1].extent, 1);
  // A row also pays for folding the lanes.
  double fold = foldsPairs ? 4 * target.costs.foldedRow : target.costs.foldedRow;
  alongCost = (std::ceil(length / lanes) * alongCost + fold * std::log2(std::min(length, lanes)) + fold) / length;
  acrossCost = std::ceil(rows / lanes) * acrossCost / rows;
  return alongCost <= acrossCost;
}

// Reductions of few, long rows are cut into parts, so that there is work for all cores and memory is read in order.
static int64_t chooseSplitSize(const RowReductionPlan &plan, const CostModel &costs) {
  if (plan.stages.size() != 1 || plan.stages[0].reduces.empty() || plan.dims.size() == plan.keptDims)
    return 0;
  int64_t kept = plan.keptElements(), outer = plan.dims[plan.keptDims].extent;
  int64_t rowElements = plan.reducedElements(), total = kept * rowElements;
  if (total < costs.splitReduction || outer < 2)
    return 0;
  bool fewRows = plan.tasks < costs.splitTasks && rowElements >= costs.splitReduction / 4;
  int64_t slabs = plan.keptDims > 0 ? kept / plan.dims[plan.keptDims - 1].extent : 1;
  bool strided =
      !plan.vectorAlongRow && kept <= costs.stridedRows && outer >= costs.stridedLength && slabs < costs.stridedPieces;
  if (!fewRows && !strided)
    return 0;
  // Every part has results of its own, which a cache is to hold.
  if (kept > costs.splitResults)
    return 0;
  int64_t inner = total / outer;
  int64_t size =
      std::max<int64_t>(llvm::divideCeil(outer, costs.mostSplitParts), llvm::divideCeil(costs.splitPart, inner));
  if (plan.dims.size() == plan.keptDims + 1 && plan.vectorAlongRow)
    size = llvm::alignTo(size, 1024);
  else if (size > 8)
    size = llvm::alignTo(size, 8);
  // Results of parts that no first cache holds are written and read again.
  if (!fewRows && kept * llvm::divideCeil(outer, size) > costs.splitResultsInCache) {
    size = std::max(size, costs.leastStridedPart);
    if (outer < costs.leastStridedParts * size)
      return 0;
  }
  return size >= outer ? 0 : size;
}

bool isStrided(const LoopPlan &plan, int dim) {
  return llvm::any_of(plan.use.accesses, [&](const PlanAccess &access) {
    return std::abs(IndexSpace::linearForm(access.position).coefficient(plan.space().dim(dim))) > 1;
  });
}

// Whether what an element takes is a chain of operations so long that a processor does not look far enough ahead for
// the next vectors, as in maps that compute vectors together: their operations had better stand side by side. A sum of
// GELUs of bf16 with four vectors in place of two takes 0.8 of the time with AVX2, 0.67 with AVX-512.
static bool isLatentChain(const RowReductionPlan &plan, double nanoseconds, const PlanTarget &target) {
  return target.costs.hasCores() && !plan.use.longFunctions && nanoseconds >= target.costs.latentMap;
}

// Chooses the vectorised dimension and the number of lanes.
static void chooseVectors(RowReductionPlan &plan, const PlanTarget &target, bool needsOrder, FoldOrderOf orderOf) {
  plan.vectorAlongRow = chooseVectorAlongRow(plan, target, needsOrder, orderOf);
  int64_t lanes = wholeLanes(plan, target);
  if (plan.vectorAlongRow)
    plan.vectorDim = plan.dims.size() - 1;
  else
    plan.vectorDim = plan.keptDims > 0 ? static_cast<int>(plan.keptDims) - 1 : -1;
  int64_t extent = plan.vectorDim >= 0 ? plan.dims[plan.vectorDim].extent : 1;
  if (extent < lanes)
    lanes = target.masks ? llvm::PowerOf2Ceil(extent) : llvm::bit_floor(static_cast<uint64_t>(extent));
  lanes = std::max<int64_t>(lanes, 1);
  // Independent reductions side by side hide the latency of the combining operation, as hardware's threads do anyhow.
  plan.mayWiden = plan.vectorDim >= 0 && !isStrided(plan, plan.vectorDim);
  // What is computed once for a row does not count.
  double nanoseconds = 0;
  for (const RowStage &stage : plan.stages)
    nanoseconds += stage.nanoseconds;
  bool light = nanoseconds < target.costs.lightLoop;
  // Exponentials hide it by themselves, but take the rest of a cache line with them: rows as far apart as channels of
  // an image share so few places of the L1 cache that a line is not there any more for the columns after these.
  constexpr int64_t kLineBytes = 64;
  int64_t bytes = light || isLatentChain(plan, nanoseconds, target) ? 4 * target.vectorBytes
                  : plan.use.longFunctions                          ? 0
                                                                    : kLineBytes;
  if (!plan.vectorAlongRow && plan.mayWiden && target.costs.hasCores() && !needsOrder)
    while (lanes * 2 <= std::min<int64_t>(extent, bytes / std::max(plan.use.widestBytes, 1)))
      lanes *= 2;
  plan.lanes = lanes;
}

// Whether one of hardware's threads has the whole row in lanes, each of one element. To such a thread lanes are
// registers of their own, so that adding them up in the order of the row takes no more instructions than a tree, and
// short sums have the interpreter's bits.
static bool isShortInThread(const RowReductionPlan &plan, const RowStage &stage, const PlanTarget &target) {
  return plan.vectorAlongRow && !target.costs.hasCores() && plan.splitSize == 0 &&
         plan.dims.size() == plan.keptDims + 1 && plan.dims.back().extent < 2 * int64_t(stage.lanes) && !target.masks;
}

// The lanes, remainders and trees of each stage.
static void chooseStageVectors(RowReductionPlan &plan, const PlanTarget &target, FoldOrderOf orderOf) {
  unsigned last = plan.dims.size() - 1;
  int64_t length = plan.dims.empty() ? 1 : plan.dims.back().extent;
  bool isSplit = plan.splitSize > 0 && last == plan.keptDims;
  for (RowStage &stage : plan.stages) {
    bool isWide = stage.nanoseconds < target.costs.lightLoop || isLatentChain(plan, stage.nanoseconds, target);
    unsigned unroll = isWide ? 4 : 2;
    if (!stage.outputs.empty())
      unroll = stage.nanoseconds < target.costs.lightLoop ? 2 : 1;
    while (unroll > 1 && (plan.lanes * unroll > length || !plan.mayWiden))
      unroll /= 2;
    stage.lanes = plan.lanes * unroll;
    stage.wholeVectors = length % stage.lanes == 0 && (!isSplit || plan.splitSize % stage.lanes == 0);
    stage.leavesHalves = plan.vectorAlongRow && stage.lanes > 1 && !target.masks && !stage.wholeVectors;

    auto along = [&](unsigned dim) { return plan.vectorAlongRow && dim == last; };
    // How many elements one accumulator takes from a dimension and those inside it.
    llvm::SmallVector<int64_t> steps(plan.dims.size() + 1, 1);
    for (unsigned d = plan.dims.size(); d-- > plan.keptDims;)
      steps[d] = steps[d + 1] *
                 (along(d) ? static_cast<int64_t>(llvm::divideCeil(plan.extentOf(d), stage.lanes)) : plan.extentOf(d));
    bool isFixed = llvm::any_of(stage.reduces, [&](auto *reduce) { return orderOf(reduce) == FoldOrder::kFixed; });
    bool gains = llvm::any_of(stage.reduces, [&](auto *reduce) { return orderOf(reduce) == FoldOrder::kTree; });
    stage.sumsInTrees = gains && !isFixed;
    stage.foldsInOrder = gains && !isFixed && isShortInThread(plan, stage, target);
    for (unsigned d = plan.keptDims; d < plan.dims.size(); ++d) {
      int64_t block = along(d) ? kSumBlock * stage.lanes : std::max<int64_t>(1, kSumBlock / steps[d + 1]);
      bool isTree = stage.sumsInTrees && steps[d] > 2 * kSumBlock && block < plan.dims[d].extent;
      stage.blocks.push_back(isTree ? block : 0);
    }
  }
}

// Places in scratch memory for what stages leave to later ones.
static void placeSaved(RowReductionPlan &plan) {
  constexpr int64_t kMaxBytes = 1 << 20;
  int64_t count = plan.reducedElements() * (plan.vectorAlongRow ? 1 : plan.lanes);
  for (const RowStage &stage : plan.stages) {
    for (const IndexedValue &value : stage.saved) {
      int64_t bytes =
          llvm::alignTo(ir::storedBytes(mlir::RankedTensorType::get({count}, elementTypeOf(value.first))), 64);
      if (bytes > kMaxBytes)
        continue;
      plan.saved.push_back({value, plan.scratchBytes});
      plan.scratchBytes += bytes;
    }
  }
}

// The plan but for vectors and tasks, with so many of the kept dimensions moved from their end to their front.
static std::optional<RowReductionPlan> planRows(const KernelSource &source, mlir::Operation *reduction, unsigned moved,
                                                const PlanTarget &target) {
  RowReductionPlan plan;
  RowSpace &rows = plan.rows;
  rows.keptShape.assign(shapeOf(reduction->getResult(0)).begin(), shapeOf(reduction->getResult(0)).end());
  rows.reducedShape = RegionIndexer::reducedExtents(reduction);
  llvm::SmallVector<int64_t> fullShape(shapeOf(reduction->getOperand(0))), order(rows.keptShape);
  std::rotate(order.begin(), order.end() - moved, order.end());
  int64_t keptCount = elementCount(rows.keptShape);

  auto walk = [&](RegionIndexer &indexer, llvm::ArrayRef<IndexVector> groups) {
    IndexSpace &space = indexer.space();
    rows.kept = groups[0];
    std::rotate(rows.kept.begin(), rows.kept.begin() + moved, rows.kept.end());
    rows.reduced = groups[1];
    rows.keptPosition = space.linearize(rows.kept, rows.keptShape);
    IndexVector full = RegionIndexer::reduceInputIndex(reduction, rows.kept, rows.reduced);
    plan.outputs.clear();
    plan.rowOutputs.clear();
    llvm::SmallVector<IndexedValue> values;
    for (auto [number, output] : llvm::enumerate(source.outputs)) {
      OutputPlan planned{output, {}, {}, -1};
      bool isRow = elementCount(shapeOf(output)) == keptCount;
      planned.index = IndexVector(isRow ? space.reshape(rows.kept, rows.keptShape, shapeOf(output))
                                        : space.reshape(full, fullShape, shapeOf(output)));
      planned.store = space.linearize(planned.index, shapeOf(output));
      if (isRow)
        plan.rowOutputs.push_back(number);
      values.push_back({output, planned.index});
      plan.outputs.push_back(std::move(planned));
    }
    RegionUse use = collectUse(values, source, indexer, target.costs, &rows);
    for (auto [output, planned] : llvm::zip(source.outputs, plan.outputs))
      use.accesses.push_back({output, planned.index, planned.store, true});
    return use;
  };
  IterationSpace iteration = findIterationSpace(reduction->getContext(), {order, rows.reducedShape}, walk);
  for (auto [group, extents] : llvm::enumerate(iteration.extents))
    for (int64_t extent : extents)
      plan.dims.push_back({extent, group == 1});
  plan.keptDims = iteration.extents[0].size();
  plan.indexer = std::move(iteration.indexer);
  plan.use = std::move(iteration.use);
  plan.nanoseconds =
      plan.elements() * (plan.use.nanoseconds + target.costs.access * plan.use.accesses.size()) + target.costs.kernel;
  planRowStages(source, target.costs, plan);
  return plan.stages.empty() ? std::nullopt : std::optional(std::move(plan));
}

// How many kept dimensions had better be moved to the front, so that vectors across rows run over the one before them:
// the last are channels of an array of points or forces, fewer than lanes, whose points lie side by side.
static unsigned fewChannels(const RowReductionPlan &plan, const PlanTarget &target) {
  constexpr int64_t kMostChannels = 4;
  unsigned kept = plan.keptDims, moved = 0;
  if (plan.vectorAlongRow || kept < 2 || !target.costs.hasCores() || plan.use.widestBytes < 4)
    return 0;
  int64_t lanes = wholeLanes(plan, target), channels = plan.dims[kept - 1].extent, product = 1;
  AffineExpr points = plan.space().dim(kept - 2);
  bool areSideBySide = llvm::all_of(plan.use.accesses, [&](const PlanAccess &access) {
    return std::abs(IndexSpace::linearForm(access.position).coefficient(points)) <= channels;
  });
  if (channels > kMostChannels || channels * 2 > lanes || plan.dims[kept - 2].extent < 2 * lanes || !areSideBySide)
    return 0;
  for (int64_t extent : llvm::reverse(plan.rows.keptShape)) {
    product *= extent;
    ++moved;
    if (product >= channels)
      break;
  }
  return product == channels ? moved : 0;
}

std::optional<RowReductionPlan> planRowReduction(const KernelSource &source, const PlanTarget &target,
                                                 FoldOrderOf orderOf) {
  mlir::Operation *reduction = rowReduction(source);
  if (!reduction)
    return std::nullopt;
  std::optional<RowReductionPlan> plan = planRows(source, reduction, 0, target);
  if (!plan)
    return std::nullopt;
  bool needsOrder = false;
  source.op->walk([&](stablehlo::ReduceOp reduce) { needsOrder |= orderOf(reduce) == FoldOrder::kFixed; });
  chooseVectors(*plan, target, needsOrder, orderOf);
  if (unsigned moved = fewChannels(*plan, target)) {
    plan = planRows(source, reduction, moved, target);
    chooseVectors(*plan, target, needsOrder, orderOf);
  }
  planTasks(*plan, plan->keptDims, plan->lanes, plan->nanoseconds, target.costs);
  if (!needsOrder)
    plan->splitSize = chooseSplitSize(*plan, target.costs);
  chooseStageVectors(*plan, target, orderOf);
  placeSaved(*plan);
  return plan;
}

void groupRows(RowReductionPlan &plan, const PlanTarget &target) {
  constexpr int64_t kMostBytes = 8 << 10, kMostScratch = 16 << 10; // stay in L1
  constexpr int64_t kMostVectors = 8;
  int64_t across = wholeLanes(plan, target), lanes = 1;
  for (const RowStage &stage : plan.stages)
    lanes = std::max<int64_t>(lanes, stage.lanes);
  if (!plan.vectorAlongRow || plan.splitSize > 0 || lanes == 1 || !mayGroup(plan, target, lanes) ||
      plan.scratchBytes * across > kMostScratch)
    return;
  int64_t bytes = plan.reducedElements() * plan.use.widestBytes * across; // none where there are no rows
  int64_t vectors = kMostBytes / std::max<int64_t>(bytes, 1);
  if (plan.scratchBytes > 0)
    vectors = std::min(vectors, kMostScratch / (plan.scratchBytes * across));
  plan.groupLanes = unsigned(across);
  plan.groupedRows = across * std::clamp<int64_t>(vectors, 1, kMostVectors);
  plan.scratchBytes *= plan.groupedRows;
}

void RowReductionPlan::print(llvm::raw_ostream &os) const {
  LoopPlan::print(os);
  os << "vectors " << (vectorAlongRow ? "along" : "across") << " rows";
  if (splitSize > 0)
    os << ", rows split by " << splitSize;
  if (groupedRows > 0)
    os << ", " << groupedRows << " rows at a time";
  if (streamStep > 0)
    os << ", rows together, " << streamStep << " elements at a time";
  os << '\n';
  for (auto [number, stage] : llvm::enumerate(stages)) {
    os << "stage " << number << ":";
    for (mlir::Operation *reduce : stage.reduces)
      os << ' ' << reduce->getName() << " -> " << reduce->getResult(0).getType();
    for (unsigned output : stage.outputs)
      os << " write " << output;
    if (vectorAlongRow)
      os << " lanes " << stage.lanes << (stage.leavesHalves ? " and halves of them" : "")
         << (stage.foldsInOrder ? " in order" : "");
    for (auto [d, block] : llvm::enumerate(stage.blocks))
      if (block > 0)
        os << " tree over dim " << keptDims + d << " of blocks of " << block;
    if (!stage.saved.empty())
      os << " saves " << stage.saved.size();
    if (!stage.loaded.empty())
      os << " loads " << stage.loaded.size();
    for (const PlanAccess &access : stage.fetched)
      os << " fetches the next row of " << access.value.getType();
    os << '\n';
  }
  for (const SavedValue &value : saved)
    os << "saved " << value.value.first.getType() << " at byte " << value.offset << '\n';
}

} // namespace tenon::codegen
