// Quantized values: (storage - zero point) * scale, per tensor or along one dimension.
#include "tenon/interpreter/ops.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

#include <cmath>

namespace tenon::interpreter {
namespace {

using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;

// Parameters of each element of one tensor.
class Parameters {
public:
  static std::optional<Parameters> of(mlir::Type type, llvm::ArrayRef<int64_t> shape) {
    Parameters p;
    if (auto perTensor = llvm::dyn_cast<UniformQuantizedType>(type)) {
      p.scales_ = {perTensor.getScale()};
      p.zeroPoints_ = {perTensor.getZeroPoint()};
      p.fill(perTensor);
    } else if (auto perAxis = llvm::dyn_cast<UniformQuantizedPerAxisType>(type)) {
      p.scales_.assign(perAxis.getScales().begin(), perAxis.getScales().end());
      p.zeroPoints_.assign(perAxis.getZeroPoints().begin(), perAxis.getZeroPoints().end());
      p.fill(perAxis);
      auto axis = static_cast<size_t>(perAxis.getQuantizedDimension());
      if (axis >= shape.size() || static_cast<int64_t>(p.scales_.size()) != shape[axis])
        return std::nullopt;
      for (size_t d = axis + 1; d < shape.size(); ++d)
        p.inner_ *= shape[d];
    } else {
      return std::nullopt;
    }
    if (!elementTypeOf(p.expressed))
      return std::nullopt;
    p.type_ = *elementTypeOf(p.expressed);
    p.hasZeroPoint_ = llvm::any_of(p.zeroPoints_, [](int64_t zeroPoint) { return zeroPoint != 0; });
    return p;
  }

  Scalar dequantize(int64_t position, Scalar storage) const {
    auto difference = static_cast<double>(storage.i - zeroPoints_[slice(position)]);
    return product(normalize(type_, Scalar::ofFloat(difference)), position, kernels::multiply(type_));
  }
  // Quantizes in the expressed type, step by step as the specification has it.
  Scalar quantize(int64_t position, Scalar value) const {
    Scalar scaled = product(value, position, kernels::divide(type_));
    auto rounded = [&](double x) { return normalize(type_, Scalar::ofFloat(x)).f; };
    // Without a zero point nothing is added, as the expressed type may have no zero.
    double shifted = scaled.f;
    if (hasZeroPoint_)
      shifted = rounded(shifted + rounded(static_cast<double>(zeroPoints_[slice(position)])));
    double low = rounded(static_cast<double>(min_)), high = rounded(static_cast<double>(max_));
    // A bound beyond the expressed type clips nothing here, and NaN stays until it is converted.
    Scalar clipped = Scalar::ofFloat(shifted);
    if (std::isfinite(low) && shifted < low)
      clipped.f = low;
    if (std::isfinite(high) && shifted > high)
      clipped.f = high;
    Scalar integer = convertScalar(type_, ElementType::kI64, (*kernels::roundNearestEven(type_))(&clipped));
    return Scalar::ofInt(std::clamp(integer.i, min_, max_));
  }

  mlir::Type expressed;

private:
  void fill(QuantizedType type) {
    expressed = type.getExpressedType();
    min_ = type.getStorageTypeMin();
    max_ = type.getStorageTypeMax();
  }
  size_t slice(int64_t position) const {
    return scales_.size() == 1 ? 0 : static_cast<size_t>(position / inner_) % scales_.size();
  }
  Scalar product(Scalar value, int64_t position, MaybeKernel kernel) const {
    Scalar pair[] = {value, normalize(type_, Scalar::ofFloat(scales_[slice(position)]))};
    return (*kernel)(pair);
  }

  llvm::SmallVector<double> scales_;
  llvm::SmallVector<int64_t> zeroPoints_;
  bool hasZeroPoint_ = false;
  int64_t min_ = 0, max_ = 0, inner_ = 1;
  ElementType type_ = ElementType::kF32;
};

llvm::FailureOr<Tensor> dequantized(Invocation &call, const Tensor &tensor) {
  std::optional<Parameters> parameters = Parameters::of(tensor.mlirElementType(), tensor.shape());
  if (!parameters)
    return (void)call.fail("a quantized type has no interpretation", StatusCode::kUnimplemented), llvm::failure();
  llvm::FailureOr<Tensor> result = call.make(tensor.shape(), parameters->expressed);
  if (llvm::succeeded(result))
    for (int64_t i = 0; i < tensor.size(); ++i)
      result->set(i, parameters->dequantize(i, tensor.get(i)));
  return result;
}

llvm::FailureOr<Tensor> quantized(Invocation &call, const Tensor &tensor, mlir::Type type) {
  std::optional<Parameters> parameters = Parameters::of(type, tensor.shape());
  if (!parameters)
    return (void)call.fail("a quantized type has no interpretation", StatusCode::kUnimplemented), llvm::failure();
  llvm::FailureOr<Tensor> result = call.make(tensor.shape(), type);
  if (llvm::succeeded(result))
    for (int64_t i = 0; i < tensor.size(); ++i)
      result->set(i, parameters->quantize(i, tensor.get(i)));
  return result;
}

bool isQuantized(mlir::Type type) { return llvm::isa_and_nonnull<QuantizedType>(type); }

} // namespace

llvm::FailureOr<Tensor> requantized(Invocation &call, const Tensor &tensor, mlir::Type type) {
  if (!isQuantized(tensor.mlirElementType()))
    return quantized(call, tensor, type);
  llvm::FailureOr<Tensor> value = dequantized(call, tensor);
  return llvm::failed(value) ? value : quantized(call, *value, type);
}

LogicalResult evaluate(stablehlo::UniformDequantizeOp, Invocation &call) {
  llvm::FailureOr<Tensor> result = dequantized(call, call.tensor(0));
  return llvm::failed(result) ? llvm::failure() : call.yield(*result);
}

LogicalResult evaluate(stablehlo::UniformQuantizeOp, Invocation &call) {
  llvm::FailureOr<Tensor> result = requantized(call, call.tensor(0), call.elementOf(0));
  return llvm::failed(result) ? llvm::failure() : call.yield(*result);
}

// Ops that only move elements work on the storage, and ops with regions leave it to the ops inside.
bool computesOnExpressedValues(mlir::Operation *op) {
  if (llvm::isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp>(op))
    return false;
  if (op->hasTrait<ir::Elementwise>() && !llvm::isa<sdy::SdyDialect>(op->getDialect()))
    return true;
  if (llvm::isa<chlo::ChloDialect>(op->getDialect()))
    return op->getName().stripDialect().starts_with("broadcast_");
  return llvm::isa<stablehlo::IotaOp, stablehlo::DynamicIotaOp, stablehlo::DotOp, stablehlo::DotGeneralOp,
                   stablehlo::ConvolutionOp, stablehlo::DynamicConvOp, stablehlo::EinsumOp, stablehlo::UnaryEinsumOp,
                   stablehlo::CholeskyOp, stablehlo::TriangularSolveOp, stablehlo::BatchNormGradOp,
                   stablehlo::BatchNormInferenceOp, stablehlo::BatchNormTrainingOp>(op);
}

LogicalResult evaluateQuantized(Invocation &call, Handler handler) {
  for (Value &operand : call.operands()) {
    if (!operand.isTensor() || !isQuantized(operand.tensor().mlirElementType()))
      continue;
    llvm::FailureOr<Tensor> value = dequantized(call, operand.tensor());
    if (llvm::failed(value))
      return llvm::failure();
    operand = *value;
  }
  llvm::SmallVector<mlir::Type> types;
  for (unsigned i = 0; i < call.op()->getNumResults(); ++i) {
    types.push_back(call.elementOf(i));
    if (auto type = llvm::dyn_cast_or_null<QuantizedType>(types.back()))
      call.setElementOf(i, type.getExpressedType());
  }
  if (llvm::isa<stablehlo::IsFiniteOp>(call.op())) // quantized values are, also where dequantizing overflows
    for (Value &operand : call.operands())
      operand = Tensor(operand.tensor().shape(), operand.tensor().mlirElementType());
  if (llvm::failed(handler(call)))
    return llvm::failure();
  for (auto [value, type] : llvm::zip(call.results(), types)) {
    if (!isQuantized(type))
      continue;
    llvm::FailureOr<Tensor> result = quantized(call, value.tensor(), type);
    if (llvm::failed(result))
      return llvm::failure();
    value = *result;
  }
  return llvm::success();
}

} // namespace tenon::interpreter
