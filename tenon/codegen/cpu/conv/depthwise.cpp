// Depthwise convolutions: every channel has its own window, so there is nothing to contract over but a few taps and the
// work is bound by memory. Two forms:
// - channels lie next to each other (NHWC): vectors of channels; a task is a row of the result. Windows that leave the
//   input have their tap ranges cut, so the input is read in place, once.
// - rows of pixels lie next to each other (NCHW): vectors of pixels; a task is one channel of one image, copied into
//   the worker's scratch with its padding, where unaligned vectors may be loaded anywhere.
// The sums of floats over long windows are trees of blocks, as those of products are.
#include "tenon/codegen/cpu/conv/lowering.h"
#include "tenon/codegen/cpu/matmul/kernels.h"
#include "tenon/codegen/cpu/matmul/tree.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

static bool channelsInside(const ConvolutionSpec &spec) {
  return spec.lhsFeatureStride == 1 && spec.outFeatureStride == 1 && spec.rhsOutputFeatureStride == 1;
}

static bool pixelsInside(const ConvolutionSpec &spec) {
  return !spec.spatial.empty() && spec.spatial.back().lhsStride == 1 && spec.spatial.back().outStride == 1 &&
         spec.spatial.back().stride <= 4;
}

bool isDepthwise(const ConvolutionSpec &spec) {
  if (spec.featureGroups < 2 || spec.inputFeatures != spec.featureGroups || spec.outputFeatures != spec.featureGroups ||
      spec.spatial.empty() || isa<mlir::ComplexType>(spec.out))
    return false;
  for (const ConvolutionWindow &window : spec.spatial)
    if (window.inputDilation != 1 || window.kernelSize == 0 || window.inputSize == 0)
      return false;
  return channelsInside(spec) || pixelsInside(spec);
}

namespace {

// Results are addressed as [batch] x [spatial...] x [channel], in the order mapIndices expects.
StatusOr<Problem> outputProblem(const ConvolutionSpec &spec, const MatmulTarget &target, bool hasEpilogue,
                                bool planar) {
  ContractionSpec c;
  c.lhs = spec.lhs, c.rhs = spec.rhs, c.out = spec.out, c.sum = spec.sum;
  c.lhsAs = spec.lhsAs, c.rhsAs = spec.rhsAs;
  c.epilogueLanesAlongM = spec.epilogueLanesAlongSpatial;
  c.batch = {{spec.batch, 0, 0, spec.outBatchStride}};
  for (const ConvolutionWindow &window : spec.spatial)
    c.m.push_back({window.outputSize, 0, 0, window.outStride});
  c.n = {{spec.outputFeatures, 0, 0, spec.outFeatureStride}};
  ContractionBuffers buffers;
  buffers.out = 2 + spec.extraOperands;
  TENON_ASSIGN_OR_RETURN(Problem p, makeProblem(c, target, hasEpilogue, planar, buffers));
  p.buffers.lhs = 0;
  p.buffers.rhs = 1;
  p.spec.lhs = spec.lhs;
  p.spec.rhs = spec.rhs;
  p.spec.lhsAs = spec.lhsAs;
  p.spec.rhsAs = spec.rhsAs;
  p.arithmetic = widenedArithmetic(spec.lhsType(), spec.rhsType(), p.sumType());
  return p;
}

// Calls body(start, width) for vectors of `lanes`, then ever smaller ones, covering [0, count).
void forEachWidth(Emitter &e, int64_t count, unsigned lanes, function_ref<void(Value *, unsigned)> body) {
  int64_t full = count / lanes * lanes;
  if (full)
    e.loop(e.i64(0), e.i64(full), lanes, [&](Value *i) { body(i, lanes); });
  for (unsigned width = lanes / 2; width >= 1; width /= 2)
    if ((count - full) & width) {
      body(e.i64(full), width);
      full += width;
    }
}

class DepthwiseEmitter {
public:
  DepthwiseEmitter(Module &module, StringRef symbol, const ConvolutionSpec &spec, const DepthwisePlan &plan,
                   const Problem &problem)
      : module_(module), symbol_(symbol), spec_(spec), p_(problem), windows_(spec.spatial),
        tapStrides_(plan.tapStrides), planeStrides_(plan.planeStrides), tapBase_(plan.tapBase),
        outerOutputs_(plan.outerOutputs), lanes_(plan.lanes) {}

  void emitChannels();
  void emitPlanes();

private:
  llvm::Type *accumulator() { return accumulatorType(module_.getContext(), p_.arithmetic); }

  // The taps of dimension d that stay inside the input when the window starts at `start`.
  std::pair<Value *, Value *> tapRange(Emitter &e, const ConvolutionWindow &w, Value *start) {
    Value *zero = e.i64(0);
    Value *before = e.b.CreateBinaryIntrinsic(Intrinsic::smax, e.b.CreateNeg(start), zero);
    Value *lo = e.udiv(e.add(before, w.kernelDilation - 1), w.kernelDilation);
    Value *room =
        e.b.CreateBinaryIntrinsic(Intrinsic::smax, e.sub(e.i64(w.inputSize - 1 + w.kernelDilation), start), zero);
    return {lo, e.min(e.udiv(room, w.kernelDilation), w.kernelSize)};
  }

  // Adds tap(t, sums) for all t in [lo, hi), taps of dimension d, to `acc`.
  using Tap = function_ref<Values(Value *t, ArrayRef<Value *> sums)>;
  Values overTaps(Emitter &e, size_t d, Value *lo, Value *hi, ArrayRef<Value *> acc, Tap tap);
  // Sums over the taps of dimension d and those inside it for `tile` neighbouring outputs.
  Values channelTaps(Emitter &e, size_t d, ArrayRef<Value *> starts, Value *x, Value *lhsAt, Value *w, Value *rhsAt,
                     unsigned width, bool cutLast, ArrayRef<Value *> acc);
  void channelOutputs(Emitter &e, Value *table, Value *batch, Value *row, Value *x, Value *w, Value *c, unsigned width);

  // Copies a padded plane to scratch as accumulator elements.
  void copyPlane(Emitter &e, size_t d, Value *source, Value *sourceAt, Value *plane, Value *planeAt, Value *inside);
  Values planeTaps(Emitter &e, size_t d, Value *plane, Value *planeAt, Value *w, Value *rhsAt, unsigned width,
                   ArrayRef<Value *> acc);
  Value *strided(Emitter &e, Value *plane, Value *at, int64_t stride, unsigned width);

  Module &module_;
  StringRef symbol_;
  const ConvolutionSpec &spec_;
  const Problem &p_;
  ArrayRef<ConvolutionWindow> windows_;
  ArrayRef<int64_t> tapStrides_, planeStrides_;
  int64_t tapBase_, outerOutputs_;
  unsigned lanes_;
};

// Taps of a block, and of windows that are no longer than two of them.
constexpr int64_t kTapBlock = 256;

Values DepthwiseEmitter::overTaps(Emitter &e, size_t d, Value *lo, Value *hi, ArrayRef<Value *> acc, Tap tap) {
  int64_t taps = windows_[d].kernelSize, inside = 1;
  for (const ConvolutionWindow &window : ArrayRef(windows_).drop_front(d + 1))
    inside *= window.kernelSize;
  if (accumulatorIsFloat(p_.arithmetic) && taps > 1 && taps * inside > 2 * kTapBlock) {
    Values zeros;
    for (Value *value : acc)
      zeros.push_back(Constant::getNullValue(value->getType()));
    auto block = [&](Value *from, Value *to) {
      return e.loop(e.b.CreateBinaryIntrinsic(Intrinsic::smax, from, lo),
                    e.b.CreateBinaryIntrinsic(Intrinsic::smin, to, hi), e.i64(1), zeros, tap);
    };
    Values sums = sumInTree(e, taps, std::max<int64_t>(1, kTapBlock / inside), zeros, block);
    for (auto [sum, before] : zip_equal(sums, acc))
      sum = e.b.CreateFAdd(before, sum);
    return sums;
  }
  bool all = isa<ConstantInt>(lo) && isa<ConstantInt>(hi);
  if (!all || taps > 8)
    return e.loop(lo, hi, e.i64(1), acc, tap);
  Values sums(acc.begin(), acc.end());
  for (int64_t t = 0; t < taps; ++t)
    sums = tap(e.i64(t), sums);
  return sums;
}

Values DepthwiseEmitter::channelTaps(Emitter &e, size_t d, ArrayRef<Value *> starts, Value *x, Value *lhsAt, Value *w,
                                     Value *rhsAt, unsigned width, bool cutLast, ArrayRef<Value *> acc) {
  const ConvolutionWindow &window = windows_[d];
  bool last = d + 1 == windows_.size();
  auto tap = [&](Value *t, ArrayRef<Value *> carried) -> Values {
    Value *at = e.add(lhsAt, e.mul(e.add(starts[d], e.mul(t, window.kernelDilation)), window.lhsStride));
    Value *weightAt = e.add(rhsAt, e.mul(t, tapStrides_[d]));
    if (!last)
      return channelTaps(e, d + 1, starts, x, at, w, weightAt, width, cutLast, carried);
    Value *weight = loadElements(e, p_, false, w, weightAt, width)[0];
    Values next;
    for (size_t i = 0; i < carried.size(); ++i) {
      Value *offset = e.add(at, int64_t(i) * window.stride * window.lhsStride);
      Value *pixel = loadElements(e, p_, true, x, offset, width)[0];
      next.push_back(multiplyAdd(e, pixel, weight, carried[i], false, p_.target));
    }
    return next;
  };
  if (last && !cutLast)
    return overTaps(e, d, e.i64(0), e.i64(window.kernelSize), acc, tap);
  auto [lo, hi] = tapRange(e, window, starts[d]);
  return overTaps(e, d, lo, hi, acc, tap);
}

void DepthwiseEmitter::channelOutputs(Emitter &e, Value *table, Value *batch, Value *row, Value *x, Value *w, Value *c,
                                      unsigned width) {
  const ConvolutionWindow &last = windows_.back();
  Values starts(windows_.size(), nullptr);
  Value *rest = row;
  for (size_t d = windows_.size() - 1; d-- > 0;) {
    Value *o = d == 0 ? rest : e.urem(rest, windows_[d].outputSize);
    rest = d == 0 ? rest : e.udiv(rest, windows_[d].outputSize);
    starts[d] = e.add(e.mul(o, windows_[d].stride), -windows_[d].padLow);
  }
  auto outputs = [&](Value *o, unsigned tile, bool cut) {
    starts.back() = e.add(e.mul(o, last.stride), -last.padLow);
    Values acc(tile, Constant::getNullValue(e.vec(accumulator(), width)));
    acc = channelTaps(e, 0, starts, x, c, w, e.add(c, tapBase_), width, cut, acc);
    for (unsigned i = 0; i < tile; ++i) {
      Value *m = e.add(e.mul(row, last.outputSize), e.add(o, int64_t(i)));
      storeOutput(e, p_, {table, batch, m, c}, width, acc[i]);
    }
  };
  // Outputs whose whole window is inside.
  int64_t reach = (last.kernelSize - 1) * last.kernelDilation;
  int64_t from =
      std::clamp<int64_t>((std::max<int64_t>(last.padLow, 0) + last.stride - 1) / last.stride, 0, last.outputSize);
  int64_t room = last.inputSize - 1 - reach + last.padLow;
  int64_t to = std::clamp<int64_t>(room < 0 ? 0 : room / last.stride + 1, from, last.outputSize);
  int64_t tile = width == lanes_ ? 4 : 1, tiled = from + (to - from) / tile * tile;
  e.loop(e.i64(from), e.i64(tiled), tile, [&](Value *o) { outputs(o, unsigned(tile), false); });
  if (tiled < to || from > 0 || to < last.outputSize)
    for (auto [lo, hi] : {std::pair(int64_t(0), from), std::pair(tiled, last.outputSize)})
      e.loop(e.i64(lo), e.i64(hi), 1, [&](Value *o) { outputs(o, 1, true); });
}

void DepthwiseEmitter::emitChannels() {
  unsigned width = p_.laneRun() ? lanes_ : 1;
  emitTasks(module_, symbol_, p_.target, [&](Emitter &e, Value *table, Value *task, Value *) {
    Value *batch = e.udiv(task, outerOutputs_), *row = e.urem(task, outerOutputs_);
    if (outerOutputs_ == 1)
      row = e.i64(0);
    Value *x = e.gep(storageType(e.b.getContext(), spec_.lhs), e.buffer(table, 0), e.mul(batch, spec_.lhsBatchStride));
    Value *w = e.buffer(table, 1);
    forEachWidth(e, spec_.outputFeatures, width,
                 [&](Value *c, unsigned pieceWidth) { channelOutputs(e, table, batch, row, x, w, c, pieceWidth); });
  });
}

void DepthwiseEmitter::copyPlane(Emitter &e, size_t d, Value *source, Value *sourceAt, Value *plane, Value *planeAt,
                                 Value *inside) {
  const ConvolutionWindow &w = windows_[d];
  int64_t low = std::max<int64_t>(w.padLow, 0), crop = std::max<int64_t>(-w.padLow, 0);
  int64_t size = (w.outputSize - 1) * w.stride + (w.kernelSize - 1) * w.kernelDilation + 1;
  low = std::min(low, size);
  int64_t count = std::clamp<int64_t>(w.inputSize - crop, 0, size - low);
  if (d + 1 < windows_.size()) {
    e.loop(e.i64(0), e.i64(size), e.i64(1), {}, [&](Value *i, ArrayRef<Value *>) {
      Value *input = e.add(i, crop - low);
      Value *in = e.b.CreateICmpULT(e.add(i, -low), e.i64(count));
      copyPlane(e, d + 1, source, e.add(sourceAt, e.mul(input, w.lhsStride)), plane,
                e.add(planeAt, e.mul(i, planeStrides_[d])), e.b.CreateAnd(inside, in));
      return Values();
    });
    return;
  }
  auto zeros = [&](int64_t from, int64_t to) {
    forEachWidth(e, to - from, lanes_, [&](Value *i, unsigned width) {
      e.store(Constant::getNullValue(e.vec(accumulator(), width)),
              e.gep(accumulator(), plane, e.add(e.add(planeAt, from), i)));
    });
  };
  e.ifElse(
      inside,
      [&] {
        zeros(0, low);
        forEachWidth(e, count, lanes_, [&](Value *i, unsigned width) {
          Value *value = loadElements(e, p_, true, source, e.add(sourceAt, e.add(i, crop)), width)[0];
          e.store(value, e.gep(accumulator(), plane, e.add(e.add(planeAt, low), i)));
        });
        zeros(low + count, size);
        return Values();
      },
      [&] {
        zeros(0, size);
        return Values();
      });
}

// Every stride-th element.
Value *DepthwiseEmitter::strided(Emitter &e, Value *plane, Value *at, int64_t stride, unsigned width) {
  Value *pointer = e.gep(accumulator(), plane, at);
  if (stride == 1 || width == 1)
    return e.load(e.vec(accumulator(), width), pointer);
  Value *wide = e.load(e.vec(accumulator(), unsigned(stride) * width), pointer);
  SmallVector<int, 16> mask;
  for (unsigned i = 0; i < width; ++i)
    mask.push_back(int(i * unsigned(stride)));
  return e.b.CreateShuffleVector(wide, mask);
}

Values DepthwiseEmitter::planeTaps(Emitter &e, size_t d, Value *plane, Value *planeAt, Value *w, Value *rhsAt,
                                   unsigned width, ArrayRef<Value *> acc) {
  const ConvolutionWindow &window = windows_[d];
  bool last = d + 1 == windows_.size();
  auto tap = [&](Value *t, ArrayRef<Value *> carried) -> Values {
    Value *at = e.add(planeAt, e.mul(t, window.kernelDilation * planeStrides_[d]));
    Value *weightAt = e.add(rhsAt, e.mul(t, tapStrides_[d]));
    if (!last)
      return planeTaps(e, d + 1, plane, at, w, weightAt, width, carried);
    Value *weight = e.splat(loadElements(e, p_, false, w, weightAt, 1)[0], width);
    return {multiplyAdd(e, strided(e, plane, at, window.stride, width), weight, carried[0], false, p_.target)};
  };
  return overTaps(e, d, e.i64(0), e.i64(window.kernelSize), acc, tap);
}

void DepthwiseEmitter::emitPlanes() {
  const ConvolutionWindow &last = windows_.back();
  unsigned width = p_.laneRun() ? lanes_ : 1;
  emitTasks(module_, symbol_, p_.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
    Value *batch = e.udiv(task, spec_.outputFeatures), *c = e.urem(task, spec_.outputFeatures);
    Value *source = e.buffer(table, 0), *w = e.buffer(table, 1);
    Value *sourceAt = e.add(e.mul(batch, spec_.lhsBatchStride), e.mul(c, spec_.lhsFeatureStride));
    copyPlane(e, 0, source, sourceAt, scratch, e.i64(0), e.b.getTrue());
    Value *rhsAt = e.add(e.mul(c, spec_.rhsOutputFeatureStride), tapBase_);
    e.loop(e.i64(0), e.i64(outerOutputs_), e.i64(1), {}, [&](Value *row, ArrayRef<Value *>) {
      Value *planeAt = e.i64(0), *rest = row;
      for (size_t d = windows_.size() - 1; d-- > 0;) {
        Value *o = d == 0 ? rest : e.urem(rest, windows_[d].outputSize);
        rest = d == 0 ? rest : e.udiv(rest, windows_[d].outputSize);
        planeAt = e.add(planeAt, e.mul(o, windows_[d].stride * planeStrides_[d]));
      }
      forEachWidth(e, last.outputSize, width, [&](Value *o, unsigned pieceWidth) {
        Values acc = {Constant::getNullValue(e.vec(accumulator(), pieceWidth))};
        acc = planeTaps(e, 0, scratch, e.add(planeAt, e.mul(o, last.stride)), w, rhsAt, pieceWidth, acc);
        storeOutput(e, p_, {table, batch, c, e.add(e.mul(row, last.outputSize), o)}, pieceWidth, acc);
      });
      return Values();
    });
  });
}

} // namespace

// The padded planes in scratch memory; returns the bytes of one.
static int64_t planPlanes(DepthwisePlan &plan, const ConvolutionSpec &spec) {
  int64_t elements = 1;
  plan.planeStrides.resize(spec.spatial.size());
  for (size_t d = spec.spatial.size(); d-- > 0;) {
    const ConvolutionWindow &w = spec.spatial[d];
    plan.planeStrides[d] = elements;
    elements *= (w.outputSize - 1) * w.stride + (w.kernelSize - 1) * w.kernelDilation + 1;
  }
  // Strided vectors read past their last element.
  int64_t padded = elements + int64_t(plan.lanes) * spec.spatial.back().stride;
  return padded * plan.problem.arithmetic.unitBytes;
}

StatusOr<DepthwisePlan> planDepthwise(const ConvolutionSpec &spec, const MatmulTarget &target, StringRef symbol,
                                      bool hasEpilogue, Kernel &kernel) {
  DepthwisePlan plan;
  plan.planar = !channelsInside(spec);
  plan.part.batch = 0;
  plan.part.feature = 1 + int(spec.spatial.size());
  plan.part.featuresPerGroup = 1;
  for (size_t d = 0; d < spec.spatial.size(); ++d) {
    plan.part.spatial.push_back(1 + int(d));
    plan.part.phases.push_back({});
  }
  TENON_ASSIGN_OR_RETURN(plan.problem, outputProblem(spec, target, hasEpilogue, plan.planar));
  plan.lanes = unsigned(target.vectorBits / 8 / plan.problem.arithmetic.unitBytes);
  double outputs = double(spec.batch) * double(spec.outputFeatures), inputs = outputs, taps = 1;
  for (const ConvolutionWindow &window : spec.spatial) {
    plan.tapStrides.push_back(window.reversed ? -window.rhsStride : window.rhsStride);
    if (window.reversed)
      plan.tapBase += (window.kernelSize - 1) * window.rhsStride;
    outputs *= double(window.outputSize);
    inputs *= double(window.inputSize);
    taps *= double(window.kernelSize);
  }
  for (const ConvolutionWindow &window : ArrayRef(spec.spatial).drop_back())
    plan.outerOutputs *= window.outputSize;
  if (plan.planar)
    kernel.scratchBytes = planPlanes(plan, spec);
  kernel.bytes = inputs * double(storageBytes(spec.lhs)) + outputs * double(storageBytes(spec.out));
  int64_t tasks = spec.batch * (plan.planar ? spec.outputFeatures : plan.outerOutputs);
  kernel.phases.push_back({symbol.str(), tasks, std::max(2 * outputs * taps / 30, kernel.bytes / 20)});
  return plan;
}

void emitDepthwise(const DepthwisePlan &plan, const ConvolutionSpec &spec, Module &module, StringRef symbol,
                   const Epilogue &epilogue) {
  Epilogue mapped = mapIndices(spec, plan.part, epilogue);
  Problem problem = plan.problem;
  problem.epilogue = mapped ? &mapped : nullptr;
  DepthwiseEmitter emitter(module, symbol, spec, plan, problem);
  if (plan.planar)
    emitter.emitPlanes();
  else
    emitter.emitChannels();
}

} // namespace tenon::codegen::matmul
