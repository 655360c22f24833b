// Each vector of results is computed on its own: depthwise.cpp has what there is in larger tasks.
#include "tenon/codegen/kernel/conv/depthwise_vectors.h"

#include "tenon/codegen/kernel/conv/depthwise_taps.h"
#include "tenon/codegen/llvm/task_routine.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {
namespace {

// Channels of a vector; pixels are taken one by one, neighbours by neighbouring tasks.
int64_t vectorLanes(const DepthwisePlan &plan, const ConvolutionSpec &spec) {
  bool isWhole = !plan.planar && plan.problem.laneRun() && spec.outputFeatures % int64_t(plan.lanes) == 0;
  return isWhole ? plan.lanes : 1;
}

int64_t pixelCount(const ConvolutionSpec &spec) {
  int64_t count = 1;
  for (const ConvolutionWindow &window : spec.spatial)
    count *= window.outputSize;
  return count;
}

class VectorCode {
public:
  VectorCode(Emitter &e, const ConvolutionSpec &spec, const DepthwisePlan &plan, const Problem &problem, Value *table)
      : e_(e), spec_(spec), plan_(plan), p_(problem), windows_(spec.spatial), lanes_(vectorLanes(plan, spec)),
        table_(table) {}

  void write(Value *task) {
    int64_t pixels = pixelCount(spec_), vectors = spec_.outputFeatures / lanes_;
    Value *outer = e_.udiv(task, plan_.planar ? pixels : vectors);
    Value *pixel = plan_.planar ? e_.urem(task, pixels) : e_.urem(outer, pixels);
    Value *channel = e_.mul(plan_.planar ? e_.urem(outer, vectors) : e_.urem(task, vectors), lanes_);
    Value *batch = e_.udiv(outer, plan_.planar ? vectors : pixels);
    findStarts(pixel);
    Value *lhsAt = e_.add(e_.mul(batch, spec_.lhsBatchStride), e_.mul(channel, spec_.lhsFeatureStride));
    Value *rhsAt = e_.add(e_.mul(channel, spec_.rhsOutputFeatureStride), plan_.taps.base);
    llvm::Type *type = e_.vec(accumulatorType(e_.b.getContext(), p_.arithmetic), unsigned(lanes_));
    Values sum = sums(0, lhsAt, rhsAt, {Constant::getNullValue(type)});
    Value *row = plan_.planar ? channel : pixel, *column = plan_.planar ? pixel : channel;
    storeOutput(e_, p_, {table_, batch, row, column}, unsigned(lanes_), sum);
  }

private:
  void findStarts(Value *pixel) {
    starts_.resize(windows_.size());
    for (size_t d = windows_.size(); d-- > 0;) {
      const ConvolutionWindow &w = windows_[d];
      Value *at = d == 0 ? pixel : e_.urem(pixel, w.outputSize);
      pixel = e_.udiv(pixel, w.outputSize);
      starts_[d] = e_.add(e_.mul(at, w.stride), -w.padLow);
    }
  }

  // The taps of dimension d that are inside the input.
  std::pair<Value *, Value *> tapRange(size_t d) {
    const ConvolutionWindow &w = windows_[d];
    int64_t reach = (w.outputSize - 1) * w.stride - w.padLow + (w.kernelSize - 1) * w.kernelDilation;
    if (w.padLow <= 0 && reach < w.inputSize)
      return {e_.i64(0), e_.i64(w.kernelSize)};
    auto positive = [&](Value *x) { return e_.b.CreateBinaryIntrinsic(Intrinsic::smax, x, e_.i64(0)); };
    Value *low = e_.udiv(e_.add(positive(e_.b.CreateNeg(starts_[d])), w.kernelDilation - 1), w.kernelDilation);
    Value *room = positive(e_.sub(e_.i64(w.inputSize - 1 + w.kernelDilation), starts_[d]));
    return {low, e_.min(e_.udiv(room, w.kernelDilation), w.kernelSize)};
  }

  Values sums(size_t d, Value *lhsAt, Value *rhsAt, ArrayRef<Value *> acc) {
    const ConvolutionWindow &w = windows_[d];
    auto [low, high] = tapRange(d);
    return overTaps(e_, spec_, p_, d, low, high, acc, [&](Value *t, ArrayRef<Value *> carried) -> Values {
      Value *at = e_.add(lhsAt, e_.mul(e_.add(starts_[d], e_.mul(t, w.kernelDilation)), w.lhsStride));
      Value *weightAt = e_.add(rhsAt, e_.mul(t, plan_.taps.strides[d]));
      if (d + 1 < windows_.size())
        return sums(d + 1, at, weightAt, carried);
      Value *pixel = loadElements(e_, p_, true, e_.buffer(table_, 0), at, unsigned(lanes_))[0];
      Value *weight = loadElements(e_, p_, false, e_.buffer(table_, 1), weightAt, unsigned(lanes_))[0];
      return {multiplyAdd(e_, pixel, weight, carried[0], false, p_.target)};
    });
  }

  Emitter &e_;
  const ConvolutionSpec &spec_;
  const DepthwisePlan &plan_;
  const Problem &p_;
  ArrayRef<ConvolutionWindow> windows_;
  int64_t lanes_;
  Value *table_;
  Values starts_; // of the window in each dimension of the input
};

} // namespace

int64_t depthwiseVectors(const DepthwisePlan &plan, const ConvolutionSpec &spec) {
  return spec.batch * pixelCount(spec) * (spec.outputFeatures / vectorLanes(plan, spec));
}

void emitDepthwiseVectors(const DepthwisePlan &plan, const ConvolutionSpec &spec, Module &module, StringRef symbol,
                          const Epilogue &epilogue) {
  Epilogue mapped = mapIndices(spec, plan.part, epilogue);
  Problem problem = plan.problem;
  problem.epilogue = mapped ? &mapped : nullptr;
  emitOwnTasks(module, symbol,
               [&](const TaskCode &code) { VectorCode(code.e, spec, plan, problem, code.buffers).write(code.task); });
}

} // namespace tenon::codegen::matmul
