// Depthwise convolutions: every channel has its own window, so there is nothing to contract over but a few taps and the
// work is bound by memory. Two forms:
// - channels lie next to each other (NHWC): vectors of channels; a task is a row of the result. Windows that leave the
//   input have their tap ranges cut, so the input is read in place, once. But for epilogues, a task is a routine.
// - rows of pixels lie next to each other (NCHW): vectors of pixels; a task is one channel of one image, copied into
//   the worker's scratch with its padding, where unaligned vectors may be loaded anywhere.
// The sums of floats over long windows are trees of blocks, as those of products are.
#include "tenon/codegen/kernel/conv/depthwise_taps.h"
#include "tenon/codegen/llvm/task_routine.h"

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

// The code of a task over channels: a row of the result. It may be a routine's: the number of dimensions, dilations and
// the window along the last dimension are parts of it, other sizes are not.
class ChannelCode {
public:
  ChannelCode(const TaskCode &code, const ConvolutionSpec &spec, const DepthwisePlan &plan, const Problem &problem)
      : e_(code.e), sizes_(code.sizes), table_(code.buffers), spec_(spec), p_(problem), plan_(plan),
        windows_(spec.spatial), lanes_(p_.laneRun() ? plan.lanes : 1),
        batch_(sizes_.quotient(code.task, plan.outerOutputs)), row_(sizes_.remainder(code.task, plan.outerOutputs)) {}

  void write() {
    llvm::Type *element = storageType(e_.b.getContext(), spec_.lhs);
    x_ = e_.gep(element, e_.buffer(table_, 0), sizes_.product(batch_, spec_.lhsBatchStride));
    w_ = e_.buffer(table_, 1);
    pixel_ = sizes_(windows_.back().lhsStride);
    findOuterTaps();
    if (!p_.hasEpilogue && p_.mOut.isAffine()) {
      int64_t step = p_.mOut.inner().stride;
      Value *first = e_.add(e_.add(sizes_.product(batch_, spec_.outBatchStride), sizes_(p_.spec.outOffset)),
                            sizes_.product(row_, windows_.back().outputSize * step));
      out_ = e_.gep(storageType(e_.b.getContext(), spec_.out), outBase(e_, p_, table_), first);
      outStep_ = sizes_(step);
    }
    forEachVector([&](Value *c, unsigned width) { outputs(c, width); });
  }

private:
  llvm::Type *accumulator() { return accumulatorType(e_.b.getContext(), p_.arithmetic); }

  // Calls body(start, width) for vectors of `lanes_` channels, then ever smaller ones.
  void forEachVector(function_ref<void(Value *, unsigned)> body) {
    if (sizes_.areConstants())
      return forEachWidth(e_, spec_.outputFeatures, lanes_, body);
    int64_t full = spec_.outputFeatures / lanes_ * lanes_;
    Value *at = sizes_(full), *rest = sizes_(spec_.outputFeatures - full);
    e_.loop(e_.i64(0), at, lanes_, [&](Value *c) { body(c, lanes_); });
    for (unsigned width = lanes_ / 2; width >= 1; width /= 2) {
      Value *taken = e_.b.CreateAnd(rest, width);
      e_.ifThen(e_.b.CreateIsNotNull(taken), [&] { body(at, width); });
      at = e_.add(at, taken);
    }
  }

  // The taps of dimension d that stay inside the input when the window starts at `start`.
  std::pair<Value *, Value *> tapRange(size_t d, Value *start) {
    const ConvolutionWindow &w = windows_[d];
    auto positive = [&](Value *x) { return e_.b.CreateBinaryIntrinsic(Intrinsic::smax, x, e_.i64(0)); };
    Value *lo = e_.udiv(e_.add(positive(e_.b.CreateNeg(start)), w.kernelDilation - 1), w.kernelDilation);
    Value *room = positive(e_.sub(sizes_(w.inputSize - 1 + w.kernelDilation), start));
    return {lo, e_.min(e_.udiv(room, w.kernelDilation), sizes_(w.kernelSize))};
  }

  // Those of the dimensions outside of the last one, which are the same for all of the row.
  void findOuterTaps() {
    outer_.resize(windows_.size() - 1);
    Value *rest = row_;
    for (size_t d = outer_.size(); d-- > 0;) {
      const ConvolutionWindow &w = windows_[d];
      Value *o = d == 0 ? rest : sizes_.remainder(rest, w.outputSize);
      rest = d == 0 ? rest : sizes_.quotient(rest, w.outputSize);
      Value *start = e_.sub(sizes_.product(o, w.stride), sizes_(w.padLow));
      OuterTaps &taps = outer_[d];
      std::tie(taps.lo, taps.hi) = tapRange(d, start);
      taps.step = sizes_(w.kernelDilation * w.lhsStride);
      taps.weightStep = sizes_(plan_.taps.strides[d]);
      taps.first = e_.add(sizes_.product(start, w.lhsStride), e_.b.CreateMul(taps.lo, taps.step));
      taps.firstWeight = e_.b.CreateMul(taps.lo, taps.weightStep);
    }
    weightStep_ = sizes_(plan_.taps.strides.back());
    weightBase_ = sizes_(plan_.taps.base);
  }

  // Sums over the taps of dimension d and those inside it, for neighbouring outputs. Of the first one's window, `start`
  // says where it starts in the last dimension, and `lhsAt` where that is in the input.
  Values sums(size_t d, Value *start, Value *lhsAt, Value *rhsAt, unsigned width, bool cut, ArrayRef<Value *> acc) {
    if (d + 1 == windows_.size())
      return innerSums(start, lhsAt, rhsAt, width, cut, acc);
    const OuterTaps &taps = outer_[d];
    Value *at = e_.add(lhsAt, taps.first), *weightAt = e_.add(rhsAt, taps.firstWeight);
    if (isTapTree(spec_, p_, d))
      return overTaps(e_, spec_, p_, d, taps.lo, taps.hi, acc, [&](Value *t, ArrayRef<Value *> carried) {
        Value *passed = e_.sub(t, taps.lo);
        return sums(d + 1, start, e_.add(at, e_.b.CreateMul(passed, taps.step)),
                    e_.add(weightAt, e_.b.CreateMul(passed, taps.weightStep)), width, cut, carried);
      });
    Values carried(acc);
    carried.append({at, weightAt});
    carried = e_.loop(taps.lo, taps.hi, e_.i64(1), carried, [&](Value *, ArrayRef<Value *> now) {
      Value *here = now[now.size() - 2], *weight = now.back();
      Values next = sums(d + 1, start, here, weight, width, cut, now.drop_back(2));
      next.append({e_.add(here, taps.step), e_.add(weight, taps.weightStep)});
      return next;
    });
    carried.pop_back_n(2);
    return carried;
  }

  Values innerSums(Value *start, Value *lhsAt, Value *rhsAt, unsigned width, bool cut, ArrayRef<Value *> acc) {
    const ConvolutionWindow &window = windows_.back();
    // From one address, so that the distances to the pixels and weights are the same for all windows.
    auto at = [&](mlir::Type type, Value *base, Value *offset) {
      return e_.gep(storageType(e_.b.getContext(), type), base, offset);
    };
    Value *pixels = at(spec_.lhs, x_, lhsAt);
    Value *weights = at(spec_.rhs, w_, rhsAt);
    auto tap = [&](Value *t, ArrayRef<Value *> carried) -> Values {
      Value *weight = loadElements(e_, p_, false, weights, e_.b.CreateMul(t, weightStep_), width)[0];
      Values next;
      for (size_t i = 0; i < carried.size(); ++i) {
        Value *number = e_.add(e_.mul(t, window.kernelDilation), int64_t(i) * window.stride);
        Value *pixel = loadElements(e_, p_, true, pixels, e_.b.CreateMul(number, pixel_), width)[0];
        next.push_back(multiplyAdd(e_, pixel, weight, carried[i], false, p_.target));
      }
      return next;
    };
    size_t d = windows_.size() - 1;
    if (!cut)
      return overTaps(e_, spec_, p_, d, e_.i64(0), e_.i64(window.kernelSize), acc, tap);
    auto [lo, hi] = tapRange(d, start);
    return overTaps(e_, spec_, p_, d, lo, hi, acc, tap);
  }

  void outputs(Value *c, unsigned width) {
    const ConvolutionWindow &last = windows_.back();
    // Outputs whose whole window is inside.
    int64_t reach = (last.kernelSize - 1) * last.kernelDilation;
    int64_t from =
        std::clamp<int64_t>((std::max<int64_t>(last.padLow, 0) + last.stride - 1) / last.stride, 0, last.outputSize);
    int64_t room = last.inputSize - 1 - reach + last.padLow;
    int64_t to = std::clamp<int64_t>(room < 0 ? 0 : room / last.stride + 1, from, last.outputSize);
    int64_t tile = width == plan_.lanes ? 4 : 1, tiled = from + (to - from) / tile * tile;
    e_.loop(sizes_(from), sizes_(tiled), tile, [&](Value *o) { outputs(o, c, width, unsigned(tile), false); });
    // The few that are no tile are whole as well, for which a kernel's own code has no loop.
    int64_t whole = sizes_.areConstants() ? tiled : to;
    if (tile > 1) // otherwise they are the same
      e_.loop(sizes_(tiled), sizes_(whole), 1, [&](Value *o) { outputs(o, c, width, 1, false); });
    // Those on both sides, in one loop.
    Value *left = sizes_(from), *skipped = sizes_(whole - from);
    e_.loop(e_.i64(0), sizes_(last.outputSize - (whole - from)), 1, [&](Value *i) {
      Value *isRight = e_.b.CreateICmpSGE(i, left);
      outputs(e_.add(i, e_.b.CreateSelect(isRight, skipped, e_.i64(0))), c, width, 1, true);
    });
  }

  // `tile` of them, from o on.
  void outputs(Value *o, Value *c, unsigned width, unsigned tile, bool cut) {
    const ConvolutionWindow &last = windows_.back();
    Value *start = e_.sub(e_.mul(o, last.stride), sizes_(last.padLow));
    Values acc(tile, Constant::getNullValue(e_.vec(accumulator(), width)));
    Value *lhsAt = e_.add(c, e_.b.CreateMul(start, pixel_));
    acc = sums(0, start, lhsAt, e_.add(c, weightBase_), width, cut, acc);
    Value *first = out_ ? e_.add(e_.b.CreateMul(o, outStep_), c) : nullptr;
    for (unsigned i = 0; i < tile; ++i) {
      if (first) {
        storeSum(e_, p_, out_, e_.add(first, e_.b.CreateMul(outStep_, e_.i64(i))), width, acc[i]);
        continue;
      }
      Value *m = e_.add(e_.mul(row_, last.outputSize), e_.add(o, int64_t(i)));
      storeOutput(e_, p_, {table_, batch_, m, c}, width, acc[i]);
    }
  }

  // The taps of a dimension outside of the last one: those inside the input, where the first of them is in the input
  // and among the weights, and from one to the next.
  struct OuterTaps {
    Value *lo, *hi;
    Value *first, *firstWeight, *step, *weightStep;
  };

  Emitter &e_;
  Sizes &sizes_;
  Value *table_;
  const ConvolutionSpec &spec_;
  const Problem &p_;
  const DepthwisePlan &plan_;
  ArrayRef<ConvolutionWindow> windows_;
  unsigned lanes_;
  Value *batch_, *row_;
  Value *x_ = nullptr, *w_ = nullptr;
  SmallVector<OuterTaps, 2> outer_;
  Value *pixel_ = nullptr, *weightStep_ = nullptr, *weightBase_ = nullptr;
  Value *out_ = nullptr, *outStep_ = nullptr; // the row of the result, where sums are stored as they are
};

// Whether a task over channels can be a routine: what is stored, and how sums are made, depends on types only.
bool isChannelRoutine(const ConvolutionSpec &spec, const Problem &p) {
  for (size_t d = 0; d < spec.spatial.size(); ++d)
    if (isTapTree(spec, p, d))
      return false;
  return !p.hasEpilogue && p.laneRun() && p.mOut.isAffine();
}

void emitChannels(Module &module, StringRef symbol, const ConvolutionSpec &spec, const DepthwisePlan &plan,
                  const Problem &problem) {
  auto body = [&](const TaskCode &code) { ChannelCode(code, spec, plan, problem).write(); };
  if (!isChannelRoutine(spec, problem))
    return emitOwnTasks(module, symbol, body);
  double cost = 2.0 * double(spec.spatial.back().outputSize) * double(spec.outputFeatures) / double(plan.lanes);
  for (const ConvolutionWindow &window : spec.spatial)
    cost *= double(window.kernelSize);
  emitTaskRoutine(module, symbol, {"depthwise", cost}, body);
}

class PlaneEmitter {
public:
  PlaneEmitter(Module &module, StringRef symbol, const ConvolutionSpec &spec, const DepthwisePlan &plan,
               const Problem &problem)
      : module_(module), symbol_(symbol), spec_(spec), p_(problem), windows_(spec.spatial),
        tapStrides_(plan.taps.strides), planeStrides_(plan.planeStrides), tapBase_(plan.taps.base),
        outerOutputs_(plan.outerOutputs), lanes_(plan.lanes) {}

  void emitPlanes();

private:
  llvm::Type *accumulator() { return accumulatorType(module_.getContext(), p_.arithmetic); }

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

void PlaneEmitter::copyPlane(Emitter &e, size_t d, Value *source, Value *sourceAt, Value *plane, Value *planeAt,
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
Value *PlaneEmitter::strided(Emitter &e, Value *plane, Value *at, int64_t stride, unsigned width) {
  Value *pointer = e.gep(accumulator(), plane, at);
  if (stride == 1 || width == 1)
    return e.load(e.vec(accumulator(), width), pointer);
  Value *wide = e.load(e.vec(accumulator(), unsigned(stride) * width), pointer);
  SmallVector<int, 16> mask;
  for (unsigned i = 0; i < width; ++i)
    mask.push_back(int(i * unsigned(stride)));
  return e.b.CreateShuffleVector(wide, mask);
}

Values PlaneEmitter::planeTaps(Emitter &e, size_t d, Value *plane, Value *planeAt, Value *w, Value *rhsAt,
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
  return overTaps(e, spec_, p_, d, e.i64(0), e.i64(window.kernelSize), acc, tap);
}

void PlaneEmitter::emitPlanes() {
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
  plan.part = wholePart(spec);
  plan.taps = tapPlaces(spec);
  TENON_ASSIGN_OR_RETURN(plan.problem, outputProblem(spec, target, hasEpilogue, plan.planar));
  plan.lanes = unsigned(target.vectorBits / 8 / plan.problem.arithmetic.unitBytes);
  double outputs = double(spec.batch) * double(spec.outputFeatures), inputs = outputs, taps = 1;
  for (const ConvolutionWindow &window : spec.spatial) {
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
  const CostModel &costs = target.costs;
  double nanoseconds =
      std::max(2 * outputs * taps / costs.depthwiseOperations, kernel.bytes / costs.bytesPerNanosecond);
  kernel.phases.push_back({symbol.str(), tasks, nanoseconds});
  return plan;
}

void emitDepthwise(const DepthwisePlan &plan, const ConvolutionSpec &spec, Module &module, StringRef symbol,
                   const Epilogue &epilogue) {
  Epilogue mapped = mapIndices(spec, plan.part, epilogue);
  Problem problem = plan.problem;
  problem.epilogue = mapped ? &mapped : nullptr;
  if (plan.planar)
    PlaneEmitter(module, symbol, spec, plan, problem).emitPlanes();
  else
    emitChannels(module, symbol, spec, plan, problem);
}

} // namespace tenon::codegen::matmul
