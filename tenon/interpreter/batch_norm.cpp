// Batch normalisation over all dimensions but that of the features, in long double, with sums in two passes.
#include "tenon/interpreter/ops.h"

#include <cmath>

namespace tenon::interpreter {
namespace {

using Real = long double;

// The elements of one operand by feature.
class Features {
public:
  Features(const Tensor &operand, int64_t index) : count(operand.dim(index)) {
    for (int64_t d = index + 1; d < operand.rank(); ++d)
      inner_ *= operand.dim(d);
    perFeature = count ? operand.size() / count : 0;
  }
  int64_t featureOf(int64_t position) const { return position / inner_ % count; }

  // Per feature, the sum of fn(position).
  template <typename Fn> std::vector<Real> sums(const Tensor &operand, Fn fn) const {
    std::vector<Real> result(count);
    for (int64_t i = 0; i < operand.size(); ++i)
      result[featureOf(i)] += fn(i);
    return result;
  }

  int64_t count, perFeature;

private:
  int64_t inner_ = 1;
};

Real at(const Tensor &tensor, int64_t position) { return tensor.get(position).f; }

std::vector<Real> valuesOf(const Tensor &tensor) {
  std::vector<Real> values(tensor.size());
  for (int64_t i = 0; i < tensor.size(); ++i)
    values[i] = at(tensor, i);
  return values;
}

llvm::FailureOr<Tensor> filled(Invocation &call, llvm::ArrayRef<int64_t> shape, unsigned result,
                               llvm::function_ref<Real(int64_t)> fn) {
  llvm::FailureOr<Tensor> tensor = call.make(shape, call.elementOf(result));
  if (llvm::succeeded(tensor))
    for (int64_t i = 0; i < tensor->size(); ++i)
      tensor->set(i, Scalar::ofFloat(static_cast<double>(fn(i))));
  return tensor;
}

LogicalResult check(Invocation &call, int64_t feature, llvm::ArrayRef<unsigned> vectors) {
  const Tensor &operand = call.tensor(0);
  if (feature < 0 || feature >= operand.rank())
    return call.fail("the operand has no such feature dimension");
  for (unsigned i : vectors)
    if (call.tensor(i).size() != operand.dim(feature))
      return call.fail("a per-feature operand does not have one element a feature");
  return llvm::success();
}

LogicalResult yieldNormalized(Invocation &call, const Features &features, const std::vector<Real> &mean,
                              const std::vector<Real> &variance, Real epsilon) {
  const Tensor &operand = call.tensor(0), &scale = call.tensor(1), &offset = call.tensor(2);
  llvm::FailureOr<Tensor> result = filled(call, operand.shape(), 0, [&](int64_t i) {
    int64_t f = features.featureOf(i);
    return at(scale, f) * ((at(operand, i) - mean[f]) / std::sqrt(variance[f] + epsilon)) + at(offset, f);
  });
  return llvm::failed(result) ? llvm::failure() : call.yield(*result);
}

} // namespace

LogicalResult evaluate(stablehlo::BatchNormInferenceOp op, Invocation &call) {
  auto feature = static_cast<int64_t>(op.getFeatureIndex());
  if (llvm::failed(check(call, feature, {1, 2, 3, 4})))
    return llvm::failure();
  return yieldNormalized(call, Features(call.tensor(0), feature), valuesOf(call.tensor(3)), valuesOf(call.tensor(4)),
                         op.getEpsilon().convertToFloat());
}

LogicalResult evaluate(stablehlo::BatchNormTrainingOp op, Invocation &call) {
  auto feature = static_cast<int64_t>(op.getFeatureIndex());
  if (llvm::failed(check(call, feature, {1, 2})))
    return llvm::failure();
  const Tensor &operand = call.tensor(0);
  Features features(operand, feature);
  auto perElement = [&](std::vector<Real> sums) {
    for (Real &sum : sums)
      sum /= static_cast<Real>(features.perFeature);
    return sums;
  };
  std::vector<Real> mean = perElement(features.sums(operand, [&](int64_t i) { return at(operand, i); }));
  std::vector<Real> variance = perElement(features.sums(operand, [&](int64_t i) {
    Real centered = at(operand, i) - mean[features.featureOf(i)];
    return centered * centered;
  }));
  if (llvm::failed(yieldNormalized(call, features, mean, variance, op.getEpsilon().convertToFloat())))
    return llvm::failure();
  const std::vector<Real> *statistics[] = {&mean, &variance};
  for (unsigned k = 0; k < 2; ++k) {
    llvm::FailureOr<Tensor> result =
        filled(call, features.count, k + 1, [&](int64_t i) { return (*statistics[k])[i]; });
    if (llvm::failed(result))
      return llvm::failure();
    (void)call.yield(*result);
  }
  return llvm::success();
}

LogicalResult evaluate(stablehlo::BatchNormGradOp op, Invocation &call) {
  auto feature = static_cast<int64_t>(op.getFeatureIndex());
  if (llvm::failed(check(call, feature, {1, 2, 3})))
    return llvm::failure();
  const Tensor &operand = call.tensor(0), &scale = call.tensor(1), &mean = call.tensor(2), &variance = call.tensor(3),
               &grad = call.tensor(4);
  if (grad.shape() != operand.shape())
    return call.fail("grad_output differs from the operand in shape");
  Features features(operand, feature);
  Real epsilon = op.getEpsilon().convertToFloat(), n = static_cast<Real>(features.perFeature);
  auto centered = [&](int64_t i) { return at(operand, i) - at(mean, features.featureOf(i)); };
  std::vector<Real> gradSum = features.sums(operand, [&](int64_t i) { return at(grad, i); });
  std::vector<Real> gradCentered = features.sums(operand, [&](int64_t i) { return at(grad, i) * centered(i); });
  auto deviation = [&](int64_t f) { return std::sqrt(at(variance, f) + epsilon); };
  llvm::FailureOr<Tensor> gradOperand = filled(call, operand.shape(), 0, [&](int64_t i) {
    int64_t f = features.featureOf(i);
    Real correction = gradCentered[f] * centered(i) / (at(variance, f) + epsilon);
    return at(scale, f) / deviation(f) / n * (at(grad, i) * n - gradSum[f] - correction);
  });
  llvm::FailureOr<Tensor> gradScale =
      filled(call, features.count, 1, [&](int64_t f) { return gradCentered[f] / deviation(f); });
  llvm::FailureOr<Tensor> gradOffset = filled(call, features.count, 2, [&](int64_t f) { return gradSum[f]; });
  if (llvm::failed(gradOperand) || llvm::failed(gradScale) || llvm::failed(gradOffset))
    return llvm::failure();
  (void)call.yield(*gradOperand);
  (void)call.yield(*gradScale);
  return call.yield(*gradOffset);
}

} // namespace tenon::interpreter
