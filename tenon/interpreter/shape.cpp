// Constants, iota and the ops that move or reinterpret whole tensors.
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"

#include <cstring>

namespace tenon::interpreter {

static LogicalResult yieldConstant(Invocation &call, mlir::ElementsAttr attr) {
  StatusOr<Tensor> value = Tensor::fromAttr(attr, call.maxTensorBytes());
  if (!value.ok())
    return call.fail(value.status().message(), value.status().code());
  // A quantized constant is written in its storage type.
  return call.yield(value->retyped(call.elementOf(0)));
}

LogicalResult evaluate(stablehlo::ConstantOp op, Invocation &call) { return yieldConstant(call, op.getValue()); }
LogicalResult evaluate(chlo::ConstantOp op, Invocation &call) { return yieldConstant(call, op.getValue()); }
LogicalResult evaluate(sdy::ConstantOp op, Invocation &call) { return yieldConstant(call, op.getValue()); }

LogicalResult evaluate(chlo::ConstantLikeOp op, Invocation &call) {
  ElementType type = call.elementTypeOf(0);
  mlir::Attribute attr = op.getValue();
  Scalar value{};
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attr))
    value = fromBits(type, number.getValue().bitcastToAPInt().getZExtValue());
  else if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attr))
    value = normalize(type, Scalar::ofUnsigned(number.getValue().getZExtValue()));
  else if (auto elements = llvm::dyn_cast<mlir::ElementsAttr>(attr))
    value = Tensor::fromAttr(elements)->get(0);
  else
    return call.fail("has a value of a kind without an interpretation");
  llvm::FailureOr<Tensor> result = call.make(call.tensor(0).shape(), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  fill(*result, Tensor::scalar(call.elementOf(0), value));
  return call.yield(*result);
}

static LogicalResult yieldIota(Invocation &call, llvm::ArrayRef<int64_t> shape, int64_t dimension) {
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size()))
    return call.fail("counts along a dimension that the result does not have");
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  if (result->size() == 0)
    return call.yield(*result);
  // One row along the dimension, then broadcast.
  Tensor row({shape[dimension]}, call.elementOf(0));
  for (int64_t i = 0; i < shape[dimension]; ++i)
    row.set(i, scalarOf(row.elementType(), i));
  Dims strides(shape.size(), 0);
  strides[dimension] = 1;
  copyStrided(*result, row, 0, strides);
  return call.yield(*result);
}

LogicalResult evaluate(stablehlo::IotaOp op, Invocation &call) {
  return yieldIota(call, llvm::cast<mlir::ShapedType>(op.getType()).getShape(), op.getIotaDimension());
}
LogicalResult evaluate(stablehlo::DynamicIotaOp op, Invocation &call) {
  return yieldIota(call, integersOf(call.tensor(0)), op.getIotaDimension());
}

// The operand under another shape, which the result's type gives where it is static.
static LogicalResult yieldReshaped(Invocation &call, llvm::ArrayRef<int64_t> shape) {
  const Tensor &operand = call.tensor(0);
  std::optional<int64_t> count = countElements(shape);
  if (!count || *count != operand.size())
    return call.fail("reshapes to another number of elements");
  return call.yield(operand.reshaped(shape).retyped(call.elementOf(0)));
}

LogicalResult evaluate(stablehlo::ReshapeOp op, Invocation &call) {
  Dims shape(llvm::cast<mlir::ShapedType>(op.getType()).getShape());
  // One unknown size follows from the number of elements.
  int64_t known = 1, *unknown = nullptr;
  for (int64_t &size : shape) {
    if (!mlir::ShapedType::isDynamic(size))
      known *= size;
    else if (unknown)
      return call.fail("has a result type with more than one unknown size", StatusCode::kUnimplemented);
    else
      unknown = &size;
  }
  if (unknown)
    *unknown = known ? call.tensor(0).size() / known : 0;
  return yieldReshaped(call, shape);
}
LogicalResult evaluate(stablehlo::DynamicReshapeOp op, Invocation &call) {
  return yieldReshaped(call, integersOf(call.tensor(1)));
}

LogicalResult evaluate(stablehlo::TransposeOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0);
  Dims shape, strides, operandStrides = stridesOf(operand.shape());
  for (int64_t d : op.getPermutation()) {
    shape.push_back(operand.dim(d));
    strides.push_back(operandStrides[d]);
  }
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  copyStrided(*result, operand, 0, strides);
  return call.yield(*result);
}

static LogicalResult yieldBroadcast(Invocation &call, llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<int64_t> dimensions) {
  llvm::FailureOr<Tensor> result = broadcastTensor(call, call.tensor(0), shape, dimensions, call.elementOf(0));
  return llvm::failed(result) ? llvm::failure() : call.yield(*result);
}

LogicalResult evaluate(stablehlo::BroadcastInDimOp op, Invocation &call) {
  auto type = llvm::cast<mlir::ShapedType>(op.getType());
  Dims shape(type.getShape());
  // An unknown size can only be the operand's.
  for (auto [d, target] : llvm::enumerate(op.getBroadcastDimensions()))
    if (mlir::ShapedType::isDynamic(shape[target]))
      shape[target] = call.tensor(0).dim(d);
  return yieldBroadcast(call, shape, op.getBroadcastDimensions());
}
LogicalResult evaluate(stablehlo::DynamicBroadcastInDimOp op, Invocation &call) {
  return yieldBroadcast(call, integersOf(call.tensor(1)), op.getBroadcastDimensions());
}
LogicalResult evaluate(stablehlo::BroadcastOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0);
  Dims shape(op.getBroadcastSizes()), dimensions;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    dimensions.push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(operand.dim(d));
  }
  return yieldBroadcast(call, shape, dimensions);
}

LogicalResult evaluate(stablehlo::ConcatenateOp op, Invocation &call) {
  auto dimension = static_cast<size_t>(op.getDimension());
  Dims shape(call.tensor(0).shape());
  shape[dimension] = 0;
  for (const Value &input : call.operands()) {
    Dims others(input.tensor().shape());
    others[dimension] = shape[dimension];
    if (others != shape)
      return call.fail("inputs differ in shape beside the dimension of concatenation");
    shape[dimension] += input.tensor().dim(dimension);
  }
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  // Rows of all dimensions from `dimension` on are contiguous in each input and in the result.
  int64_t outer = *countElements(llvm::ArrayRef<int64_t>(shape).take_front(dimension));
  uint8_t *out = result->mutableData();
  for (int64_t i = 0; i < outer; ++i)
    for (const Value &input : call.operands()) {
      int64_t row = outer ? input.tensor().byteCount() / outer : 0;
      if (row)
        std::memcpy(out, input.tensor().data() + i * row, row);
      out += row;
    }
  return call.yield(*result);
}

LogicalResult evaluate(stablehlo::ReverseOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0);
  Dims strides = stridesOf(operand.shape());
  int64_t base = 0;
  for (int64_t d : op.getDimensions()) {
    base += (operand.dim(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  llvm::FailureOr<Tensor> result = call.make(operand.shape(), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  copyStrided(*result, operand, base, strides);
  return call.yield(*result);
}

// Sub-byte types are taken as packed, low bits first; wider ones as little-endian bytes.
LogicalResult evaluate(stablehlo::BitcastConvertOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0);
  ElementType from = operand.elementType(), to = call.elementTypeOf(0);
  unsigned fromBits_ = bitWidth(from), toBits = bitWidth(to);
  Dims shape(operand.shape());
  if (toBits < fromBits_) {
    shape.push_back(fromBits_ / toBits);
  } else if (toBits > fromBits_) {
    if (shape.empty() || shape.back() != toBits / fromBits_)
      return call.fail("the last dimension must hold the parts of one wider element");
    shape.pop_back();
  }
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  if (fromBits_ % 8 == 0 && toBits % 8 == 0) {
    if (result->byteCount())
      std::memcpy(result->mutableData(), operand.data(), operand.byteCount());
    return call.yield(*result);
  }
  // Bit by bit through a packed string of bits.
  std::vector<bool> bits;
  for (int64_t i = 0; i < operand.size(); ++i) {
    uint64_t value = bitsOf(from, operand.get(i));
    for (unsigned b = 0; b < fromBits_; ++b)
      bits.push_back((value >> b) & 1);
  }
  for (int64_t i = 0; i < result->size(); ++i) {
    uint64_t value = 0;
    for (unsigned b = 0; b < toBits; ++b)
      value |= static_cast<uint64_t>(bits[i * toBits + b]) << b;
    result->set(i, fromBits(to, value));
  }
  return call.yield(*result);
}

LogicalResult evaluate(stablehlo::GetDimensionSizeOp op, Invocation &call) {
  return call.yield(
      Tensor::scalar(call.elementOf(0), scalarOf(call.elementTypeOf(0), call.tensor(0).dim(op.getDimension()))));
}

// A dimension given a smaller size keeps its first elements; it cannot grow beyond its bound.
LogicalResult evaluate(stablehlo::SetDimensionSizeOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0);
  int64_t size = call.tensor(1).intAt(0);
  auto dimension = static_cast<size_t>(op.getDimension());
  if (size < 0 || size > operand.dim(dimension))
    return call.fail("sets a dimension of size " + llvm::Twine(operand.dim(dimension)) + " to " + llvm::Twine(size));
  Dims shape(operand.shape());
  shape[dimension] = size;
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  copyStrided(*result, operand, 0, stridesOf(operand.shape()));
  return call.yield(*result);
}

} // namespace tenon::interpreter
