// Cumulative reductions: a reduce_window whose window reaches from an element back to the first one of a dimension (or
// on to the last one). Computed as running values instead of windows: each row keeps the value so far. Along contiguous
// rows, whole vectors are scanned in registers in log2(lanes) steps and the value so far is added; otherwise every lane
// runs down a row of its own. So it does for computations that are not recognised, from the first element on: elements
// are then combined from left to right, as in windows. Logarithms of sums, which are associative, are also combined
// from the last element on to the first.
//
// A running sum of floats would round as often as there are steps before. Long rows are therefore cut into blocks: a
// step adds the value so far of its block to that of all blocks before, which comes from a balanced tree.
#include "tenon/codegen/llvm/loop/scan.h"
#include "tenon/codegen/llvm/loop/row_reduction.h"
#include "tenon/codegen/llvm/loop/scan_steps.h"
#include "tenon/codegen/llvm/loop/tree.h"

#include "tenon/ir/element_time.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

std::optional<CumulativeWindow> cumulativeWindow(mlir::Operation *op) {
  if (!llvm::isa<stablehlo::ReduceWindowOp>(op))
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  size_t rank = shape.size();
  auto window = windowDims(op, "window_dimensions", rank, 1);
  auto padding = windowPadding(op, rank);
  for (llvm::StringRef name : {"window_strides", "base_dilations", "window_dilations"})
    if (llvm::any_of(windowDims(op, name, rank, 1), [](int64_t n) { return n != 1; }))
      return std::nullopt;
  std::optional<CumulativeWindow> found;
  for (size_t d = 0; d < rank; ++d) {
    if (window[d] == 1 && padding[d] == std::pair<int64_t, int64_t>(0, 0))
      continue;
    bool prefix = padding[d] == std::pair<int64_t, int64_t>(window[d] - 1, 0);
    bool suffix = padding[d] == std::pair<int64_t, int64_t>(0, window[d] - 1);
    if (found || window[d] != shape[d] || (!prefix && !suffix))
      return std::nullopt;
    found = CumulativeWindow{static_cast<unsigned>(d), suffix};
  }
  if (!found)
    return std::nullopt;
  if (found->reverse && analyzeReductionBody(op).form != ReductionBody::Form::kIndependent && !addsLogarithms(op))
    return std::nullopt;
  return found;
}

mlir::Operation *scanOf(const KernelSource &source) {
  mlir::Operation *op = source.op;
  if (source.outputs.empty())
    return nullptr;
  if (llvm::isa<ir::FusionOp>(op))
    op = source.outputs.front().getDefiningOp();
  if (!op || !cumulativeWindow(op))
    return nullptr;
  bool all = llvm::all_of(source.outputs, [&](mlir::Value output) { return output.getDefiningOp() == op; });
  return all ? op : nullptr;
}

static bool isRecognized(const ReductionBody &body) { return body.form == ReductionBody::Form::kIndependent; }

static double combineNanoseconds(const ScanPlan &plan, const CostModel &costs) {
  if (isRecognized(plan.body))
    return costs.recognizedStep;
  double nanoseconds = costs.scanStep;
  for (mlir::Operation &op : plan.op->getRegion(0).front().without_terminator())
    nanoseconds += costs.scalarFactor * ir::elementwiseNanoseconds(&op, costs);
  return nanoseconds;
}

// Whether vectors run along the row, their lanes, and the blocks of long sums.
static void chooseVectors(ScanPlan &plan, bool isContiguous, const KernelTarget &target) {
  plan.along = isRecognized(plan.body) && isContiguous && plan.dims.size() > plan.keptDims;
  plan.vectorDim = plan.along ? plan.dims.size() - 1 : static_cast<int>(plan.keptDims) - 1;
  int64_t lanes = std::max(1, target.vectorBits() / 8 / std::max(plan.use.widestBytes, 2));
  int64_t extent = plan.vectorDim >= 0 ? plan.dims[plan.vectorDim].extent : 1;
  plan.lanes = std::max<int64_t>(1, std::min<int64_t>(lanes, llvm::bit_floor(static_cast<uint64_t>(extent))));
  if (plan.dims.size() == plan.keptDims || !gainsFromTree(plan.body))
    return;
  int64_t block = kSumBlock * (plan.along ? plan.lanes : 1);
  plan.block = plan.dims[plan.keptDims].extent > 2 * block ? block : 0;
}

ScanPlan planScan(const KernelSource &source, mlir::Operation *op, llvm::StringRef symbol, const KernelTarget &target) {
  ScanPlan plan;
  plan.op = op;
  plan.window = *cumulativeWindow(op);
  plan.body = analyzeReductionBody(op);
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  llvm::SmallVector<int64_t> outer(shape.take_front(plan.window.dim)), inner(shape.drop_front(plan.window.dim + 1)),
      scanned = {shape[plan.window.dim]};
  auto walk = [&](RegionIndexer &indexer, llvm::ArrayRef<IndexVector> groups) {
    plan.index = groups[0];
    AffineExpr along = groups[2][0];
    if (plan.window.reverse)
      along = indexer.space().addConstant(indexer.space().scale(along, -1), scanned[0] - 1);
    plan.index.push_back(along);
    llvm::append_range(plan.index, groups[1]);
    llvm::SmallVector<IndexedValue> values;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      values.push_back({op->getOperand(i), plan.index});
    plan.outputs.clear();
    for (mlir::Value output : source.outputs)
      plan.outputs.push_back({output, plan.index, indexer.space().linearize(plan.index, shape), -1});
    RegionUse use = collectUse(values, source, indexer, target.costs());
    use.accesses.push_back({source.outputs[0], plan.index, plan.outputs[0].store, true});
    return use;
  };
  IterationSpace iteration = findIterationSpace(op->getContext(), {outer, inner, scanned}, walk);
  for (auto [group, extents] : llvm::enumerate(iteration.extents))
    for (int64_t extent : extents)
      plan.dims.push_back({extent, group == 2});
  plan.keptDims = iteration.extents[0].size() + iteration.extents[1].size();
  plan.indexer = std::move(iteration.indexer);
  plan.use = std::move(iteration.use);
  plan.nanoseconds =
      plan.elements() * (plan.use.nanoseconds + combineNanoseconds(plan, target.costs())) + target.costs().kernel;
  chooseVectors(plan, iteration.extents[1].empty(), target);
  planTasks(plan, plan.keptDims, plan.lanes, plan.nanoseconds, target.costs());
  plan.kernel.kind = "scan";
  plan.kernel.bytes = trafficBytes(source);
  plan.kernel.resultInit.assign(source.outputs.size(), -1);
  plan.kernel.phases.push_back({symbol.str(), std::max<int64_t>(plan.tasks, 1), plan.nanoseconds});
  findAliases(source, plan, plan.kernel);
  return plan;
}

void ScanPlan::print(llvm::raw_ostream &os) const {
  LoopPlan::print(os);
  os << (window.reverse ? "last to first" : "first to last") << ", vectors " << (along ? "along" : "across") << " rows";
  if (block > 0)
    os << ", tree of blocks of " << block;
  os << '\n';
}

LLVMValues ScanSteps::start(unsigned lanes) {
  llvm::IRBuilder<> &b = evaluator_->builder();
  Elements elements;
  for (unsigned i = 0; i < op_->getNumResults(); ++i) {
    Element init = evaluator_->eval(op_->getOperand(op_->getNumResults() + i), {});
    if (isRecognized())
      init = emitConvert(b, body_.combiners[i].type, body_.combiners[i].accumulator, init);
    elements.push_back(lanes > 1 ? splat(b, init, lanes) : init);
  }
  return LoopEvaluator::pack(elements);
}

LLVMValues ScanSteps::neutral(unsigned lanes) {
  Elements elements;
  for (const Combiner &combiner : body_.combiners)
    elements.push_back(combinerIdentity(evaluator_->builder().getContext(), combiner, lanes));
  return LoopEvaluator::pack(elements);
}

Elements ScanSteps::combine(llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b) {
  if (!isRecognized()) {
    Elements arguments(a.begin(), a.end());
    llvm::append_range(arguments, b);
    return evaluator_->emitBody(op_->getRegion(0), arguments);
  }
  Elements results;
  for (auto [i, combiner] : llvm::enumerate(body_.combiners))
    results.push_back(emitCombine(evaluator_->builder(), combiner, a[i], b[i]));
  return results;
}

LLVMValues ScanSteps::merge(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
  return LoopEvaluator::pack(combine(LoopEvaluator::unpack(a, types()), LoopEvaluator::unpack(b, types())));
}

Elements ScanSteps::inputs() {
  Elements elements;
  for (unsigned i = 0; i < op_->getNumResults(); ++i) {
    Element element = evaluator_->evalVector(op_->getOperand(i), plan_.index);
    if (isRecognized())
      element = emitConvert(evaluator_->builder(), body_.combiners[i].type, body_.combiners[i].accumulator, element);
    elements.push_back(element);
  }
  return elements;
}

void ScanSteps::store(llvm::ArrayRef<Element> values) {
  for (auto [number, output] : llvm::enumerate(source_.outputs)) {
    unsigned result = llvm::cast<mlir::OpResult>(output).getResultNumber();
    mlir::Type type = elementTypeOf(output);
    Element element = values[result];
    if (isRecognized())
      element = emitConvert(evaluator_->builder(), body_.combiners[result].accumulator, type, element);
    evaluator_->storeAt(type, evaluator_->outputPointer(number), plan_.outputs[number].store, element);
  }
}

Elements ScanSteps::scanLanes(Elements values) {
  llvm::IRBuilder<> &b = evaluator_->builder();
  unsigned lanes = evaluator_->lanes();
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    llvm::SmallVector<int> moved;
    for (unsigned lane = 0; lane < lanes; ++lane)
      moved.push_back(lane < distance ? lanes : lane - distance);
    Elements shifted;
    for (auto [value, combiner] : llvm::zip(values, body_.combiners))
      shifted.push_back(shuffleLanes(b, value, combinerIdentity(b.getContext(), combiner, lanes), moved));
    values = combine(shifted, values);
  }
  return values;
}

namespace {

class ScanEmitter : ScanSteps {
public:
  using ScanSteps::ScanSteps;

  void emit() {
    if (plan_.elements() > 0)
      LoopNest(*evaluator_, plan_).overTasks(plan_.keptDims, [&] { emitRow(); });
  }

private:
  // The next elements after those that `carried` stands for, and after those of earlier blocks that `base` stands for
  // (empty: there are none); one accumulator each where lanes run along the row, a vector of them elsewhere.
  LLVMValues step(llvm::ArrayRef<llvm::Value *> carried, llvm::ArrayRef<llvm::Value *> base) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    Elements before = LoopEvaluator::unpack(carried, types());
    Elements elements = inputs();
    unsigned lanes = evaluator_->lanes();
    bool inLanes = plan_.along && lanes > 1;
    auto spread = [&](Elements values) {
      for (Element &value : values)
        value = inLanes ? splat(b, value, lanes) : value;
      return values;
    };
    Elements after = combine(spread(before), inLanes ? scanLanes(elements) : elements);
    store(base.empty() ? after : combine(spread(LoopEvaluator::unpack(base, types())), after));
    if (inLanes)
      for (Element &value : after)
        value = extractLane(b, value, b.getInt64(lanes - 1));
    return LoopEvaluator::pack(after);
  }

  // Steps over [begin, end) of the row.
  LLVMValues steps(llvm::Value *begin, llvm::Value *end, llvm::ArrayRef<llvm::Value *> carried,
                   llvm::ArrayRef<llvm::Value *> base) {
    unsigned dim = plan_.keptDims;
    if (plan_.along)
      return LoopNest(*evaluator_, plan_)
          .overVector(dim, plan_.lanes, begin, end, plan_.dims[dim].extent % plan_.lanes == 0, carried,
                      [&](auto values) { return step(values, base); });
    return evaluator_->forLoop(begin, end, 1, carried, [&](llvm::Value *iv, auto values) {
      evaluator_->bindDim(dim, iv, 0);
      return step(values, base);
    });
  }

  void emitRow() {
    LLVMValues first = start(plan_.along ? 1 : evaluator_->lanes());
    if (plan_.dims.size() == plan_.keptDims) { // a single element
      step(first, {});
      return;
    }
    llvm::Value *begin = evaluator_->constant(0), *end = evaluator_->constant(plan_.dims[plan_.keptDims].extent);
    if (plan_.window.reverse && !isRecognized())
      emitRightToLeft(end, first);
    else if (plan_.block > 0)
      emitBlocks(begin, end, plan_.block, first);
    else
      steps(begin, end, first, {});
  }

  // Each element is the left operand of what comes behind it, and the initial value that of each result.
  void emitRightToLeft(llvm::Value *end, llvm::ArrayRef<llvm::Value *> first) {
    unsigned dim = plan_.keptDims;
    Elements init = LoopEvaluator::unpack(first, types());
    auto step = [&](llvm::Value *iv, llvm::function_ref<Elements(const Elements &)> after) {
      evaluator_->bindDim(dim, iv, 0);
      Elements values = after(inputs());
      store(combine(init, values));
      return LoopEvaluator::pack(values);
    };
    // In a loop of its own, as what has been evaluated outside of a loop counts as known in it.
    llvm::Value *zero = evaluator_->constant(0), *one = evaluator_->constant(1);
    LLVMValues last = evaluator_->forLoop(zero, one, 1, {}, [&](llvm::Value *iv, auto) {
      return step(iv, [](const Elements &element) { return element; });
    });
    evaluator_->forLoop(one, end, 1, last, [&](llvm::Value *iv, auto values) {
      return step(iv,
                  [&](const Elements &element) { return combine(element, LoopEvaluator::unpack(values, types())); });
    });
  }

  void emitBlocks(llvm::Value *begin, llvm::Value *end, int64_t block, const LLVMValues &first) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    LLVMValues neutral = this->neutral(plan_.along ? 1 : evaluator_->lanes());
    auto merge = [&](llvm::ArrayRef<llvm::Value *> left, llvm::ArrayRef<llvm::Value *> right) {
      return this->merge(left, right);
    };
    auto blocks = static_cast<int64_t>(llvm::divideCeil(plan_.dims[plan_.keptDims].extent, block));
    BlockSums sums = BlockSums::onStack(*evaluator_, blocks, neutral);
    evaluator_->forLoop(begin, end, block, {evaluator_->constant(0)}, [&](llvm::Value *from, auto carried) {
      llvm::Value *count = carried.front();
      LLVMValues base = merge(first, sums.total(count, neutral, merge));
      llvm::Value *to = b.CreateNSWAdd(from, evaluator_->constant(block));
      to = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, end);
      sums.add(count, steps(from, to, neutral, base), merge);
      return LLVMValues{b.CreateNSWAdd(count, evaluator_->constant(1))};
    });
  }
};

} // namespace

llvm::LogicalResult emitScan(const ScanPlan &plan, const KernelSource &source, llvm::Module &module,
                             const EmissionTarget &target) {
  return emitLoopFunction(
      plan.kernel.phases[0], plan, source, module, target,
      [&](LoopEvaluator &evaluator, llvm::Function *) { ScanEmitter(plan, source, evaluator).emit(); });
}

} // namespace tenon::codegen::loop
