// The gradient of a depthwise convolution with regard to its weights, where channels lie next to each other: each
// channel is a batch group of its own, whose window is a whole image and whose few results are the weights. As a
// product it would have a batch for each channel, one row, and columns that are read a channel apart. Here vectors of
// channels go once along the rows of the window, and a row adds its products to the sums of all results.
//
// Parts of the rows, and of the channels, are tasks, which leave their sums in the temporary block. A second phase adds
// up those of the parts in their order. The sums of floats are trees of blocks of rows.
#include "tenon/codegen/kernel/conv/depthwise_gradient.h"

#include "tenon/codegen/kernel/conv/depthwise_taps.h"
#include "tenon/codegen/kernel/matmul/kernels.h"
#include "tenon/codegen/kernel/matmul/tree.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

// Products that are added up one after the other, and results of a row of the window that have registers at a time.
constexpr int64_t kSumBlock = 512, kTapsTogether = 12;
// Results beside each other in the last dimension: each is code.
constexpr int64_t kMostTaps = 48;

static int64_t resultCount(const ConvolutionSpec &spec) {
  int64_t count = 1;
  for (const ConvolutionWindow &window : spec.spatial)
    count *= window.outputSize;
  return count;
}

bool isDepthwiseGradient(const ConvolutionSpec &spec) {
  auto isPlain = [](mlir::Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8; };
  if (spec.batchGroups < 2 || spec.batch != spec.batchGroups || spec.outputFeatures != spec.batchGroups ||
      spec.spatial.empty() || !isPlain(spec.lhsType()) || !isPlain(spec.rhsType()) || !isPlain(spec.out) ||
      (spec.sum && !isPlain(spec.sum)))
    return false;
  for (const ConvolutionWindow &window : spec.spatial)
    if (window.inputDilation != 1 || window.kernelSize == 0 || window.inputSize == 0)
      return false;
  return spec.inputFeatures > 0 && spec.lhsBatchStride == 1 && spec.rhsOutputFeatureStride == 1 &&
         spec.outFeatureStride == 1 && spec.spatial.back().outputSize <= kMostTaps;
}

namespace {

// Results are addressed as [1] x [spatial...] x [channel], in the order mapIndices expects.
StatusOr<Problem> resultProblem(const ConvolutionSpec &spec, const MatmulTarget &target, bool hasEpilogue) {
  ContractionSpec c;
  c.lhs = spec.lhs, c.rhs = spec.rhs, c.out = spec.out, c.sum = spec.sum;
  c.lhsAs = spec.lhsAs, c.rhsAs = spec.rhsAs;
  c.batch = {{1, 0, 0, spec.outBatchStride}};
  for (const ConvolutionWindow &window : spec.spatial)
    c.m.push_back({window.outputSize, 0, 0, window.outStride});
  c.n = {{spec.outputFeatures, 0, 0, spec.outFeatureStride}};
  ContractionBuffers buffers;
  buffers.out = 2 + spec.extraOperands;
  TENON_ASSIGN_OR_RETURN(Problem p, makeProblem(c, target, hasEpilogue, /*swap=*/false, buffers));
  p.arithmetic = widenedArithmetic(spec.lhsType(), spec.rhsType(), p.sumType());
  return p;
}

class GradientEmitter {
public:
  GradientEmitter(Emitter &e, const ConvolutionSpec &spec, const DepthwiseGradientPlan &plan, const Problem &problem,
                  Value *table)
      : e_(e), spec_(spec), plan_(plan), p_(problem), windows_(spec.spatial), last_(spec.spatial.back()), table_(table),
        type_(accumulatorType(e.b.getContext(), problem.arithmetic)), temp_(e.buffer(table, problem.buffers.out + 1)) {}

  void part(Value *task, Value *scratch);
  void combine(Value *task);

private:
  Value *sumsOf(Value *task) { return e_.gep(type_, temp_, e_.mul(task, plan_.sliceSums)); }
  void overChannels(Value *slice, unsigned lanes, function_ref<void(Value *, unsigned)> body);
  void unit(Value *number, Value *slice);
  void outerResult(Value *result, ArrayRef<Value *> outer, Value *pixel, Value *gradient, Value *channel, Value *place,
                   unsigned width);
  void results(int64_t first, int64_t count, Value *lhsAt, Value *rhsAt, Value *sums, unsigned width);
  Values products(int64_t first, Value *t, Value *lhsAt, Value *rhsAt, unsigned width, bool cut, ArrayRef<Value *> acc);
  void clear(Value *sums);

  Emitter &e_;
  const ConvolutionSpec &spec_;
  const DepthwiseGradientPlan &plan_;
  const Problem &p_;
  ArrayRef<ConvolutionWindow> windows_;
  const ConvolutionWindow &last_;
  Value *table_;
  llvm::Type *type_;
  Value *temp_, *sums_ = nullptr, *from_ = nullptr, *to_ = nullptr;
};

// Calls body(channel, width) for the channels of a slice, in vectors of `lanes`, then ever smaller ones at the end of
// all.
void GradientEmitter::overChannels(Value *slice, unsigned lanes, function_ref<void(Value *, unsigned)> body) {
  int64_t channels = spec_.outputFeatures, full = channels / lanes * lanes;
  Value *isLast = e_.b.CreateICmpEQ(slice, e_.i64(plan_.slices - 1)), *first = e_.mul(slice, plan_.sliceChannels);
  Value *end = e_.b.CreateSelect(isLast, e_.i64(full), e_.add(first, plan_.sliceChannels));
  if (full > 0)
    e_.loop(first, end, lanes, [&](Value *c) { body(c, lanes); });
  if (full == channels)
    return;
  e_.ifThen(isLast, [&] {
    int64_t at = full;
    for (unsigned width = lanes / 2; width >= 1; width /= 2)
      if ((channels - full) & width) {
        body(e_.i64(at), width);
        at += width;
      }
  });
}

void GradientEmitter::clear(Value *sums) {
  llvm::Type *vector = e_.vec(type_, plan_.lanes);
  e_.loop(e_.i64(0), e_.i64(plan_.sliceSums), plan_.lanes,
          [&](Value *i) { e_.store(Constant::getNullValue(vector), e_.gep(type_, sums, i)); });
}

// The sums of the task's units of rows and channels.
void GradientEmitter::part(Value *task, Value *scratch) {
  Value *number = e_.udiv(task, plan_.slices), *slice = e_.urem(task, plan_.slices);
  sums_ = sumsOf(task);
  clear(sums_);
  Value *begin = e_.mul(number, plan_.unitsPerPart), *end = e_.min(e_.add(begin, plan_.unitsPerPart), plan_.units);
  auto over = [&](Value *from, Value *to) { e_.loop(from, to, 1, [&](Value *u) { unit(u, slice); }); };
  if (plan_.treeLevels == 0)
    return over(begin, end);
  BlockTree tree(e_, type_, e_.i64(plan_.sliceSums), plan_.lanes, e_.i64(plan_.treeLevels), sums_, scratch);
  Values count =
      e_.loop(begin, end, e_.i64(plan_.unitsPerBlock), {e_.i64(0)}, [&](Value *from, ArrayRef<Value *> done) {
        over(from, e_.min(e_.add(from, plan_.unitsPerBlock), end));
        tree.add(done[0], /*clear=*/true);
        return Values{e_.add(done[0], 1)};
      });
  tree.total(count[0]);
}

// A row of the window in one image, or a piece of it, for all results that it has products for.
void GradientEmitter::unit(Value *number, Value *slice) {
  Value *row = e_.udiv(number, plan_.pieces), *piece = e_.urem(number, plan_.pieces);
  from_ = e_.mul(piece, plan_.pieceSize);
  to_ = e_.min(e_.add(from_, plan_.pieceSize), last_.kernelSize);
  size_t outer = windows_.size() - 1;
  SmallVector<Value *, 3> starts(outer);
  Value *rest = row, *gradient = e_.i64(plan_.taps.base), *pixel = e_.i64(0);
  for (size_t d = outer; d-- > 0;) {
    const ConvolutionWindow &w = windows_[d];
    Value *t = e_.urem(rest, w.kernelSize);
    rest = e_.udiv(rest, w.kernelSize);
    gradient = e_.add(gradient, e_.mul(t, plan_.taps.strides[d]));
    starts[d] = e_.add(e_.mul(t, w.kernelDilation), -w.padLow);
  }
  gradient = e_.add(gradient, e_.mul(rest, spec_.rhsInputFeatureStride));
  pixel = e_.mul(rest, spec_.lhsFeatureStride);
  int64_t outerResults = resultCount(spec_) / last_.outputSize;
  overChannels(slice, plan_.width, [&](Value *c, unsigned width) {
    Value *place = e_.sub(c, e_.mul(slice, plan_.sliceChannels));
    e_.loop(e_.i64(0), e_.i64(outerResults), 1,
            [&](Value *result) { outerResult(result, starts, pixel, gradient, c, place, width); });
  });
}

// The results of one index of the outer dimensions, if the row's pixels are inside of the input for it.
void GradientEmitter::outerResult(Value *result, ArrayRef<Value *> outer, Value *pixel, Value *gradient, Value *channel,
                                  Value *place, unsigned width) {
  Value *rest = result, *inside = e_.b.getTrue(), *lhsAt = e_.add(pixel, channel);
  for (size_t d = outer.size(); d-- > 0;) {
    const ConvolutionWindow &w = windows_[d];
    Value *o = d == 0 ? rest : e_.urem(rest, w.outputSize);
    rest = d == 0 ? rest : e_.udiv(rest, w.outputSize);
    Value *position = e_.add(outer[d], e_.mul(o, w.stride));
    inside = e_.b.CreateAnd(inside, e_.b.CreateICmpULT(position, e_.i64(w.inputSize)));
    lhsAt = e_.add(lhsAt, e_.mul(position, w.lhsStride));
  }
  Value *rhsAt = e_.add(gradient, channel);
  Value *sums = e_.gep(type_, sums_, e_.add(e_.mul(result, last_.outputSize * plan_.sliceWidth), place));
  e_.ifThen(inside, [&] {
    for (int64_t first = 0; first < last_.outputSize; first += kTapsTogether)
      results(first, std::min(kTapsTogether, last_.outputSize - first), lhsAt, rhsAt, sums, width);
  });
}

// The pixels [from_, to_) of the row for the results [first, first + count) of the last dimension: those that all of
// these have inside of the input, then the others.
void GradientEmitter::results(int64_t first, int64_t count, Value *lhsAt, Value *rhsAt, Value *sums, unsigned width) {
  llvm::Type *vector = e_.vec(type_, width);
  auto sum = [&](int64_t i) { return e_.gep(type_, sums, (first + i) * plan_.sliceWidth); };
  Values acc;
  for (int64_t i = 0; i < count; ++i)
    acc.push_back(e_.load(vector, sum(i)));
  int64_t low = last_.padLow - first * last_.stride;
  int64_t high = last_.inputSize - 1 + last_.padLow - (first + count - 1) * last_.stride;
  int64_t lo = low <= 0 ? 0 : int64_t(divideCeil(uint64_t(low), uint64_t(last_.kernelDilation)));
  int64_t hi = high < 0 ? 0 : high / last_.kernelDilation + 1;
  lo = std::min(lo, last_.kernelSize), hi = std::clamp(hi, lo, last_.kernelSize);
  auto clamped = [&](int64_t x) { return e_.b.CreateBinaryIntrinsic(Intrinsic::smax, e_.min(to_, x), from_); };
  Value *begin = clamped(lo), *end = clamped(hi);
  acc = e_.loop(begin, end, e_.i64(1), acc,
                [&](Value *t, ArrayRef<Value *> now) { return products(first, t, lhsAt, rhsAt, width, false, now); });
  if (lo > 0 || hi < last_.kernelSize) {
    Value *before = e_.sub(begin, from_), *whole = e_.sub(end, begin);
    acc = e_.loop(e_.i64(0), e_.sub(e_.sub(to_, from_), whole), e_.i64(1), acc, [&](Value *i, ArrayRef<Value *> now) {
      Value *skipped = e_.b.CreateSelect(e_.b.CreateICmpSGE(i, before), whole, e_.i64(0));
      return products(first, e_.add(e_.add(from_, i), skipped), lhsAt, rhsAt, width, true, now);
    });
  }
  for (int64_t i = 0; i < count; ++i)
    e_.store(acc[size_t(i)], sum(i));
}

// What pixel t of the window adds to the results from `first` on. `cut`: where the input ends, both factors are zero.
Values GradientEmitter::products(int64_t first, Value *t, Value *lhsAt, Value *rhsAt, unsigned width, bool cut,
                                 ArrayRef<Value *> acc) {
  Value *x = e_.buffer(table_, 0), *g = e_.buffer(table_, 1);
  auto at = [&](mlir::Type type, Value *base, Value *offset) {
    return e_.gep(storageType(e_.b.getContext(), type), base, offset);
  };
  Value *gradient =
      loadElements(e_, p_, false, at(spec_.rhs, g, rhsAt), e_.mul(t, plan_.taps.strides.back()), width)[0];
  Value *zero = Constant::getNullValue(gradient->getType());
  Value *start = e_.add(e_.mul(t, last_.kernelDilation), -last_.padLow);
  Value *pixels = at(spec_.lhs, x, e_.add(lhsAt, e_.mul(start, last_.lhsStride)));
  Values next;
  for (size_t i = 0; i < acc.size(); ++i) {
    int64_t step = (first + int64_t(i)) * last_.stride;
    Value *offset = e_.i64(step * last_.lhsStride), *factor = gradient, *isInside = nullptr;
    if (cut) {
      Value *position = e_.add(start, step);
      isInside = e_.b.CreateICmpULT(position, e_.i64(last_.inputSize));
      // The first pixel is read in place of one outside.
      Value *there = e_.b.CreateSub(e_.i64(0), e_.mul(start, last_.lhsStride));
      offset = e_.b.CreateSelect(isInside, offset, there);
      factor = e_.b.CreateSelect(isInside, gradient, zero);
    }
    Value *pixel = loadElements(e_, p_, true, pixels, offset, width)[0];
    if (cut)
      pixel = e_.b.CreateSelect(isInside, pixel, Constant::getNullValue(pixel->getType()));
    next.push_back(multiplyAdd(e_, pixel, factor, acc[i], false, p_.target));
  }
  return next;
}

// A result of all channels of a slice.
void GradientEmitter::combine(Value *task) {
  Value *result = e_.udiv(task, plan_.slices), *slice = e_.urem(task, plan_.slices);
  overChannels(slice, p_.laneRun() ? plan_.lanes : 1, [&](Value *c, unsigned width) {
    Value *place = e_.add(e_.mul(result, plan_.sliceWidth), e_.sub(c, e_.mul(slice, plan_.sliceChannels)));
    llvm::Type *vector = e_.vec(type_, width);
    auto sumOf = [&](Value *part) {
      return e_.load(vector, e_.gep(type_, sumsOf(e_.add(e_.mul(part, plan_.slices), slice)), place));
    };
    Values sum = e_.loop(e_.i64(1), e_.i64(plan_.parts), e_.i64(1), {sumOf(e_.i64(0))},
                         [&](Value *part, ArrayRef<Value *> before) {
                           Value *more = sumOf(part);
                           return Values{type_->isFloatingPointTy() ? e_.b.CreateFAdd(before[0], more)
                                                                    : e_.b.CreateAdd(before[0], more)};
                         });
    storeOutput(e_, p_, {table_, e_.i64(0), result, c}, width, sum);
  });
}

} // namespace

// What each task takes of the rows and of the channels.
static void planParts(DepthwiseGradientPlan &plan, const ConvolutionSpec &spec, const CostModel &costs,
                      double nanoseconds) {
  const ConvolutionWindow &last = spec.spatial.back();
  plan.pieceSize = std::min(last.kernelSize, kSumBlock);
  plan.pieces = int64_t(divideCeil(uint64_t(last.kernelSize), uint64_t(plan.pieceSize)));
  plan.units = spec.inputFeatures * plan.pieces;
  for (const ConvolutionWindow &window : ArrayRef(spec.spatial).drop_back())
    plan.units *= window.kernelSize;
  int64_t wanted = std::max<int64_t>(1, int64_t(nanoseconds / costs.task));
  // A part writes a sum for each result and channel, which so many products are to be worth.
  constexpr int64_t kLeastProducts = 64;
  int64_t most = std::max<int64_t>(1, plan.units * plan.pieceSize / kLeastProducts);
  int64_t parts = std::min({wanted, most, plan.units, costs.mostSplitParts});
  plan.unitsPerPart = int64_t(divideCeil(uint64_t(plan.units), uint64_t(parts)));
  plan.parts = int64_t(divideCeil(uint64_t(plan.units), uint64_t(plan.unitsPerPart)));
  int64_t vectors = std::max<int64_t>(1, spec.outputFeatures / plan.width);
  int64_t slices = std::clamp<int64_t>(wanted / plan.parts, 1, std::min(vectors, costs.splitTasks));
  int64_t perSlice = int64_t(divideCeil(uint64_t(vectors), uint64_t(slices)));
  plan.slices = int64_t(divideCeil(uint64_t(vectors), uint64_t(perSlice)));
  plan.sliceChannels = perSlice * plan.width;
  // The last one also has the channels that are left behind the last whole vector.
  plan.sliceWidth = int64_t(alignTo(uint64_t(plan.sliceChannels + spec.outputFeatures % plan.width), plan.lanes));
}

StatusOr<DepthwiseGradientPlan> planDepthwiseGradient(const ConvolutionSpec &spec, const MatmulTarget &target,
                                                      StringRef symbol, bool hasEpilogue, Kernel &kernel) {
  DepthwiseGradientPlan plan;
  plan.part = wholePart(spec);
  plan.taps = tapPlaces(spec);
  TENON_ASSIGN_OR_RETURN(plan.problem, resultProblem(spec, target, hasEpilogue));
  plan.lanes = unsigned(target.vectorBits / 8 / plan.problem.arithmetic.unitBytes);
  plan.width = target.vectorBits >= 512 ? 2 * plan.lanes : plan.lanes; // which have twice as many registers
  double products = double(spec.outputFeatures) * double(spec.inputFeatures), inputs = products;
  for (const ConvolutionWindow &window : spec.spatial) {
    products *= double(window.kernelSize);
    inputs *= double(window.inputSize);
  }
  int64_t results = resultCount(spec);
  kernel.bytes = inputs * double(storageBytes(spec.lhs)) + products * double(storageBytes(spec.rhs));
  const CostModel &costs = target.costs;
  double nanoseconds =
      std::max(2 * products * double(results) / costs.depthwiseOperations, kernel.bytes / costs.bytesPerNanosecond);
  planParts(plan, spec, costs, nanoseconds);
  plan.sliceSums = results * plan.sliceWidth;
  plan.unitsPerBlock = std::max<int64_t>(1, kSumBlock / plan.pieceSize);
  int64_t blocks = int64_t(divideCeil(uint64_t(plan.unitsPerPart), uint64_t(plan.unitsPerBlock)));
  int64_t sumBytes = plan.sliceSums * plan.problem.arithmetic.unitBytes;
  if (accumulatorIsFloat(plan.problem.arithmetic) && blocks > 1) {
    plan.treeLevels = BlockTree::levels(blocks);
    kernel.scratchBytes = plan.treeLevels * sumBytes;
  }
  kernel.tempBytes = plan.parts * plan.slices * sumBytes;
  kernel.phases.push_back({symbol.str(), plan.parts * plan.slices, nanoseconds});
  double combination = double(kernel.tempBytes) / costs.bytesPerNanosecond;
  kernel.phases.push_back({symbol.str() + ".combine", results * plan.slices, combination});
  return plan;
}

void emitDepthwiseGradient(const DepthwiseGradientPlan &plan, const ConvolutionSpec &spec, Module &module,
                           const Kernel &kernel, const Epilogue &epilogue) {
  Epilogue mapped = mapIndices(spec, plan.part, epilogue);
  Problem problem = plan.problem;
  problem.epilogue = mapped ? &mapped : nullptr;
  emitTasks(module, kernel.phases[0].symbol, problem.target,
            [&](Emitter &e, Value *table, Value *task, Value *scratch) {
              GradientEmitter(e, spec, plan, problem, table).part(task, scratch);
            });
  emitTasks(module, kernel.phases[1].symbol, problem.target, [&](Emitter &e, Value *table, Value *task, Value *) {
    GradientEmitter(e, spec, plan, problem, table).combine(task);
  });
}

void DepthwiseGradientPlan::print(raw_ostream &os) const {
  os << "depthwise gradient: " << units << " rows in " << parts << " parts, channels in " << slices << " of "
     << sliceChannels << ", lanes " << width;
  if (treeLevels > 0)
    os << ", trees of blocks of " << unitsPerBlock;
  os << '\n';
}

} // namespace tenon::codegen::matmul
