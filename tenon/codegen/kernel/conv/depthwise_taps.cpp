#include "tenon/codegen/kernel/conv/depthwise_taps.h"

#include "tenon/codegen/kernel/matmul/tree.h"

using namespace llvm;

namespace tenon::codegen::matmul {

// Taps of a block, and of windows that are no longer than two of them.
constexpr int64_t kTapBlock = 256;

ConvolutionPart wholePart(const ConvolutionSpec &spec) {
  ConvolutionPart part;
  part.batch = 0;
  part.feature = 1 + int(spec.spatial.size());
  for (size_t d = 0; d < spec.spatial.size(); ++d) {
    part.spatial.push_back(1 + int(d));
    part.phases.push_back({});
  }
  return part;
}

TapPlaces tapPlaces(const ConvolutionSpec &spec) {
  TapPlaces places;
  for (const ConvolutionWindow &window : spec.spatial) {
    places.strides.push_back(window.reversed ? -window.rhsStride : window.rhsStride);
    if (window.reversed)
      places.base += (window.kernelSize - 1) * window.rhsStride;
  }
  return places;
}

bool isTapTree(const ConvolutionSpec &spec, const Problem &p, size_t d) {
  int64_t all = 1;
  for (const ConvolutionWindow &window : ArrayRef(spec.spatial).drop_front(d))
    all *= window.kernelSize;
  return accumulatorIsFloat(p.arithmetic) && spec.spatial[d].kernelSize > 1 && all > 2 * kTapBlock;
}

Values overTaps(Emitter &e, const ConvolutionSpec &spec, const Problem &p, size_t d, Value *lo, Value *hi,
                ArrayRef<Value *> acc, Tap tap) {
  int64_t taps = spec.spatial[d].kernelSize;
  if (isTapTree(spec, p, d)) {
    int64_t inside = 1;
    for (const ConvolutionWindow &window : ArrayRef(spec.spatial).drop_front(d + 1))
      inside *= window.kernelSize;
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

} // namespace tenon::codegen::matmul
