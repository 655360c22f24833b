// Transforms, factorisations and normalisations of values with bounded dimensions. A matrix is filled up with the
// identity, which factorisations and solves keep apart from the rest.

#include "tenon/passes/legalize/decompose/batch_norm.h"
#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class AlgebraRefiner {
public:
  explicit AlgebraRefiner(Refiner &refiner) : refiner_(refiner), emit_(refiner.emit) {}

  // The lengths are attributes: transformed dimensions must have them.
  LogicalResult refine(sh::FftOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    ArrayRef<int64_t> lengths = op.getFftLength();
    int64_t rank = operand.sizes.size(), first = rank - static_cast<int64_t>(lengths.size());
    for (int64_t d = std::max<int64_t>(first, 0); d < rank; ++d) {
      if (!operand.isBounded(d))
        continue;
      int64_t length = lengths[d - first];
      bool isSpectrum = op.getFftType() == sh::FftType::IRFFT && d + 1 == rank;
      if (failed(isSpectrum && length == 0 ? dropSpectrum(op, operand, d)
                                           : refiner_.fix(op, operand, d, isSpectrum ? length / 2 + 1 : length)))
        return failure();
    }
    return refiner_.rebuild(op, operand.value, operand.sizes);
  }

  LogicalResult refine(sh::CholeskyOp op) {
    BoundedTensor a = refiner_.get(op.getA());
    if (failed(makeSquare(op, a)))
      return failure();
    return refiner_.rebuild(op, withIdentity(a), a.sizes);
  }

  LogicalResult refine(sh::TriangularSolveOp op) {
    BoundedTensor a = refiner_.get(op.getA()), b = refiner_.get(op.getB());
    int64_t rank = a.sizes.size(), solved = op.getLeftSide() ? rank - 2 : rank - 1;
    for (int round = 0; round < 2; ++round) {
      for (int64_t d = 0; d + 2 < rank; ++d)
        if (failed(refiner_.unify(op, a, d, b, d)))
          return failure();
      if (failed(makeSquare(op, a)) || failed(refiner_.unify(op, a, rank - 1, b, solved)))
        return failure();
    }
    b.value = emit_.zeroPadding(b, {solved});
    return refiner_.rebuild(op, {withIdentity(a), b.value}, b.sizes);
  }

  LogicalResult refine(sh::BatchNormInferenceOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    SmallVector<Value> operands;
    if (failed(unifyFeatures(op, operand, op->getOperands().drop_front(), operands)))
      return failure();
    operands.insert(operands.begin(), operand.value);
    return refiner_.rebuild(op, operands, operand.sizes);
  }

  LogicalResult refine(sh::BatchNormTrainingOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand());
    SmallVector<Value> perFeature;
    if (failed(unifyFeatures(op, operand, op->getOperands().drop_front(), perFeature)))
      return failure();
    Values operands{operand.value, perFeature[0], perFeature[1]};
    return normalize(op, operand, operands, [&](const BatchNorm &formula, Value x, Type wide) {
      return formula.training(x, emit_.convert(perFeature[0], wide), emit_.convert(perFeature[1], wide),
                              op.getEpsilon().convertToFloat());
    });
  }

  LogicalResult refine(sh::BatchNormGradOp op) {
    BoundedTensor operand = refiner_.get(op.getOperand()), gradient = refiner_.get(op.getGradOutput());
    for (int round = 0; round < 2; ++round)
      for (size_t d = 0; d < operand.sizes.size(); ++d)
        if (failed(refiner_.unify(op, operand, d, gradient, d)))
          return failure();
    SmallVector<Value> perFeature;
    if (failed(unifyFeatures(op, operand, {op.getScale(), op.getMean(), op.getVariance()}, perFeature)))
      return failure();
    Values operands{operand.value, perFeature[0], perFeature[1], perFeature[2], gradient.value};
    return normalize(op, operand, operands, [&](const BatchNorm &formula, Value x, Type wide) {
      return formula.gradients(x, emit_.convert(perFeature[0], wide), emit_.convert(perFeature[1], wide),
                               emit_.convert(perFeature[2], wide), emit_.convert(gradient.value, wide),
                               op.getEpsilon().convertToFloat());
    });
  }

private:
  // An IRFFT of length 0 takes a dimension of 0 or 1 elements and reads none.
  LogicalResult dropSpectrum(sh::FftOp op, BoundedTensor &operand, int64_t d) {
    Value size = operand.sizes[d];
    if (operand.dim(d) > 1 &&
        failed(refiner_.require(op, emit_.compare(sh::ComparisonDirection::LE, size, emit_.i32(1)),
                                "the operand's last dimension must be 0 or 1 for a fft_length of 0, got {0}", size)))
      return failure();
    operand.value = emit_.resize(operand.value, d, 0);
    operand.sizes[d] = nullptr;
    return success();
  }

  using Values = SmallVector<Value>;

  LogicalResult makeSquare(Operation *op, BoundedTensor &a) {
    int64_t rank = a.sizes.size();
    return refiner_.unify(op, a, rank - 2, a, rank - 1);
  }

  // The matrices that count, and behind them the identity.
  Value withIdentity(const BoundedTensor &a) {
    int64_t rank = a.sizes.size();
    Value mask = emit_.validMask(a, {rank - 2, rank - 1});
    if (!mask)
      return a.value;
    ArrayRef<int64_t> shape = a.type().getShape();
    Value diagonal =
        emit_.compare(sh::ComparisonDirection::EQ, emit_.iota(shape, rank - 2), emit_.iota(shape, rank - 1));
    return emit_.select(mask, a.value, emit_.convert(diagonal, a.type().getElementType()));
  }

  // Vectors with an element for each feature.
  template <typename Op>
  LogicalResult unifyFeatures(Op op, BoundedTensor &operand, ValueRange old, SmallVectorImpl<Value> &vectors) {
    SmallVector<BoundedTensor> refined = refiner_.getAll(old);
    for (int round = 0; round < 2; ++round)
      for (BoundedTensor &vector : refined)
        if (failed(refiner_.unify(op, operand, op.getFeatureIndex(), vector, 0)))
          return failure();
    llvm::append_range(vectors, valuesOf(refined));
    return success();
  }

  // The op's formula on the elements that count. Its results: one like the operand, and vectors with an element for
  // each feature. `operands` are those of the op, all of them.
  template <typename Op>
  LogicalResult normalize(Op op, const BoundedTensor &operand, const Values &operands,
                          llvm::function_ref<SmallVector<Value>(const BatchNorm &, Value x, Type wide)> apply) {
    auto feature = static_cast<int64_t>(op.getFeatureIndex());
    auto element = dyn_cast<FloatType>(operand.type().getElementType());
    if (!element)
      return failure(failed(refiner_.refuseBounded(op, operand)) || failed(rebuildStatic(op, operands)));
    Type wide = BatchNorm::computesIn(element);
    SmallVector<int64_t> summed;
    Value count = emit_.i32(1);
    for (int64_t d = 0; d < static_cast<int64_t>(operand.sizes.size()); ++d)
      if (d != feature) {
        summed.push_back(d);
        count = emit_.multiply(count, emit_.size(operand, d));
      }
    Value x = emit_.convert(operand.value, wide);
    BatchNorm formula(emit_.builder, op.getLoc(), cast<RankedTensorType>(x.getType()), feature);
    if (Value mask = emit_.validMask(operand, summed))
      formula.restrict(mask, emit_.convert(count, wide));
    for (auto [i, result] : llvm::enumerate(apply(formula, x, wide))) {
      BoundedTensor refined(emit_.convert(result, element));
      refined.sizes = i == 0 ? operand.sizes : SmallVector<Value, 4>{operand.sizes[feature]};
      if (failed(refiner_.put(op, i, refined)))
        return failure();
    }
    return success();
  }

  LogicalResult rebuildStatic(Operation *op, const Values &operands) {
    FailureOr<SmallVector<Value>> results = refiner_.rebuild(op, operands);
    if (failed(results))
      return failure();
    for (auto [i, result] : llvm::enumerate(*results))
      if (failed(refiner_.put(op, static_cast<unsigned>(i), BoundedTensor(result))))
        return failure();
    return success();
  }

  Refiner &refiner_;
  Emitter &emit_;
};

} // namespace

FailureOr<bool> refineAlgebra(Refiner &refiner, Operation *op) {
  AlgebraRefiner algebra(refiner);
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::FftOp, sh::CholeskyOp, sh::TriangularSolveOp, sh::BatchNormInferenceOp, sh::BatchNormTrainingOp,
            sh::BatchNormGradOp>([&](auto concrete) -> FailureOr<bool> {
        if (failed(algebra.refine(concrete)))
          return failure();
        return true;
      })
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
