// Cumulative reductions: a reduce_window whose window reaches from an element back to the first one of a dimension (or
// on to the last one). Computed as running values instead of windows: each row keeps the value so far. Along contiguous
// rows, whole vectors are scanned in registers in log2(lanes) steps and the value so far is added; otherwise every lane
// runs down a row of its own. So it does for computations that are not recognised, from the first element on: elements
// are then combined from left to right, as in windows.
//
// A running sum of floats would round as often as there are steps before. Long rows are therefore cut into blocks: a
// step adds the value so far of its block to that of all blocks before, which comes from a balanced tree.
#include "tenon/codegen/cpu/loop_scan.h"
#include "tenon/codegen/cpu/loop_rows.h"
#include "tenon/codegen/cpu/loop_tree.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen {

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
  if (found->reverse && analyzeReductionBody(op).form != ReductionBody::Form::kIndependent)
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

namespace {

class Scan {
public:
  Scan(const KernelSource &source, mlir::Operation *op, const CpuTarget &target)
      : source_(source), op_(op), target_(target), window_(*cumulativeWindow(op)), body_(analyzeReductionBody(op)) {
    plan();
  }

  llvm::FailureOr<Kernel> emit(llvm::Module &module, llvm::StringRef symbol) {
    llvm::Function *function = createKernelFunction(module, symbol);
    LoopEvaluator evaluator(source_, *plan_.indexer, function, target_);
    evaluator_ = &evaluator;
    Kernel kernel;
    kernel.kind = "scan";
    kernel.bytes = trafficBytes(source_);
    kernel.flops = plan_.elements();
    kernel.resultInit.assign(source_.outputs.size(), -1);
    if (plan_.elements() > 0)
      LoopNest(evaluator, plan_).overTasks(plan_.keptDims, [&] { emitRow(); });
    evaluator.builder().CreateRetVoid();
    if (evaluator.failed()) {
      function->eraseFromParent();
      return llvm::failure();
    }
    kernel.phases.push_back({symbol.str(), std::max<int64_t>(plan_.tasks, 1), plan_.nanoseconds});
    findAliases(evaluator, plan_, kernel);
    return kernel;
  }

private:
  void plan() {
    llvm::ArrayRef<int64_t> shape = shapeOf(op_->getOperand(0));
    llvm::SmallVector<int64_t> outer(shape.take_front(window_.dim)), inner(shape.drop_front(window_.dim + 1)),
        scanned = {shape[window_.dim]};
    auto walk = [&](RegionIndexer &indexer, llvm::ArrayRef<IndexVector> groups) {
      index_ = groups[0];
      AffineExpr along = groups[2][0];
      if (window_.reverse)
        along = indexer.space().addConstant(indexer.space().scale(along, -1), scanned[0] - 1);
      index_.push_back(along);
      llvm::append_range(index_, groups[1]);
      llvm::SmallVector<IndexedValue> values;
      for (unsigned i = 0; i < op_->getNumResults(); ++i)
        values.push_back({op_->getOperand(i), index_});
      plan_.outputs.clear();
      for (mlir::Value output : source_.outputs)
        plan_.outputs.push_back({output, index_, indexer.space().linearize(index_, shape), -1});
      RegionUse use = collectUse(values, source_, indexer);
      use.accesses.push_back({source_.outputs[0], index_, plan_.outputs[0].store, true});
      return use;
    };
    IterationSpace iteration = findIterationSpace(op_->getContext(), {outer, inner, scanned}, walk);
    for (auto [group, extents] : llvm::enumerate(iteration.extents))
      for (int64_t extent : extents)
        plan_.dims.push_back({extent, group == 2});
    plan_.keptDims = iteration.extents[0].size() + iteration.extents[1].size();
    plan_.space = std::move(iteration.space);
    plan_.indexer = std::move(iteration.indexer);
    plan_.use = std::move(iteration.use);
    plan_.nanoseconds = plan_.elements() * (plan_.use.nanoseconds + combineNanoseconds()) + 50;
    along_ = isRecognized() && iteration.extents[1].empty() && plan_.dims.size() > plan_.keptDims;
    plan_.vectorDim = along_ ? plan_.dims.size() - 1 : static_cast<int>(plan_.keptDims) - 1;
    int64_t lanes = std::max(1, target_.vectorBits() / 8 / std::max(plan_.use.widestBytes, 2));
    int64_t extent = plan_.vectorDim >= 0 ? plan_.dims[plan_.vectorDim].extent : 1;
    plan_.lanes = std::max<int64_t>(1, std::min<int64_t>(lanes, llvm::bit_floor(static_cast<uint64_t>(extent))));
    planTasks(plan_, plan_.keptDims, plan_.lanes, plan_.nanoseconds);
  }

  bool isRecognized() const { return body_.form == ReductionBody::Form::kIndependent; }

  double combineNanoseconds() const {
    if (isRecognized())
      return 0.3;
    constexpr double kScalar = 8; // one row at a time, where there are no others for the lanes
    double nanoseconds = 1;
    for (mlir::Operation &op : op_->getRegion(0).front().without_terminator())
      nanoseconds += kScalar * elementwiseNanoseconds(&op);
    return nanoseconds;
  }

  llvm::SmallVector<mlir::Type, 2> types() const { return accumulatorTypes(op_, body_); }

  LLVMValues start(unsigned lanes) {
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

  Elements combine(llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b) {
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

  Elements inputs() {
    Elements elements;
    for (unsigned i = 0; i < op_->getNumResults(); ++i) {
      Element element = evaluator_->evalVector(op_->getOperand(i), index_);
      if (isRecognized())
        element = emitConvert(evaluator_->builder(), body_.combiners[i].type, body_.combiners[i].accumulator, element);
      elements.push_back(element);
    }
    return elements;
  }

  void store(llvm::ArrayRef<Element> values) {
    for (auto [number, output] : llvm::enumerate(source_.outputs)) {
      unsigned result = llvm::cast<mlir::OpResult>(output).getResultNumber();
      mlir::Type type = elementTypeOf(output);
      Element element = values[result];
      if (isRecognized())
        element = emitConvert(evaluator_->builder(), body_.combiners[result].accumulator, type, element);
      evaluator_->storeAt(type, evaluator_->outputPointer(number), plan_.outputs[number].store, element);
    }
  }

  // Inclusive scan of the lanes.
  Elements scanLanes(Elements values) {
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

  // The next elements after those that `carried` stands for, and after those of earlier blocks that `base` stands for
  // (empty: there are none); one accumulator each where lanes run along the row, a vector of them elsewhere.
  LLVMValues step(llvm::ArrayRef<llvm::Value *> carried, llvm::ArrayRef<llvm::Value *> base) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    Elements before = LoopEvaluator::unpack(carried, types());
    Elements elements = inputs();
    unsigned lanes = evaluator_->lanes();
    bool inLanes = along_ && lanes > 1;
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
    if (along_)
      return LoopNest(*evaluator_, plan_)
          .overVector(dim, plan_.lanes, begin, end, plan_.dims[dim].extent % plan_.lanes == 0, carried,
                      [&](auto values) { return step(values, base); });
    return evaluator_->forLoop(begin, end, 1, carried, [&](llvm::Value *iv, auto values) {
      evaluator_->bindDim(dim, iv, 0);
      return step(values, base);
    });
  }

  void emitRow() {
    LLVMValues first = start(along_ ? 1 : evaluator_->lanes());
    if (plan_.dims.size() == plan_.keptDims) { // a single element
      step(first, {});
      return;
    }
    int64_t extent = plan_.dims[plan_.keptDims].extent, block = kSumBlock * (along_ ? plan_.lanes : 1);
    llvm::Value *begin = evaluator_->constant(0), *end = evaluator_->constant(extent);
    if (extent > 2 * block && gainsFromTree(body_))
      emitBlocks(begin, end, block, first);
    else
      steps(begin, end, first, {});
  }

  void emitBlocks(llvm::Value *begin, llvm::Value *end, int64_t block, const LLVMValues &first) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    LLVMValues neutral;
    for (const Combiner &combiner : body_.combiners)
      llvm::append_range(
          neutral, LoopEvaluator::pack({combinerIdentity(b.getContext(), combiner, along_ ? 1 : evaluator_->lanes())}));
    auto merge = [&](llvm::ArrayRef<llvm::Value *> left, llvm::ArrayRef<llvm::Value *> right) {
      return LoopEvaluator::pack(combine(LoopEvaluator::unpack(left, types()), LoopEvaluator::unpack(right, types())));
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

  const KernelSource &source_;
  mlir::Operation *op_;
  const CpuTarget &target_;
  CumulativeWindow window_;
  ReductionBody body_;
  LoopPlan plan_;
  IndexVector index_;
  bool along_ = false;
  LoopEvaluator *evaluator_ = nullptr;
};

} // namespace

llvm::FailureOr<Kernel> emitScanKernel(const KernelSource &source, llvm::Module &module, llvm::StringRef symbol,
                                       const CpuTarget &target) {
  return Scan(source, scanOf(source), target).emit(module, symbol);
}

} // namespace tenon::codegen
