// Ops that make or move elements at positions known at compile time.
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "tenon/ir/infer.h"

namespace tenon::stablehlo {

//===- Constants -------------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &, ConstantOp::Adaptor op, SmallVectorImpl<Type> &types) {
  types.push_back(op.getValue().getType());
  return success();
}

LogicalResult ConstantOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

LogicalResult ConstantOp::verify() {
  auto value = llvm::cast<ShapedType>(getValue().getType());
  // A quantized constant's value is written in the storage type.
  Type element = getType().getElementType();
  if (auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element))
    if (value.getElementType() == quantized.getStorageType())
      element = quantized.getStorageType();
  if (getType().hasStaticShape() && value.getShape() == getType().getShape() && value.getElementType() == element)
    return success();
  return Rules(*this).broken("constant_c1")
         << "value and output must have the same type, got " << value << " and " << getType();
}

LogicalResult IotaOp::verify() {
  int64_t dimension = getIotaDimension(), rank = getType().getRank();
  if (dimension < 0 || dimension >= rank)
    return Rules(*this).broken("iota_c1") << "iota_dimension must be in [0, " << rank << "), got " << dimension;
  return success();
}

//===- Reinterpretation ------------------------------------------------------------------------------------------===//

int64_t bitWidth(Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    return 2 * bitWidth(complex.getElementType());
  if (auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  Rules r(*this);
  RankedTensorType from = tensor(getOperand()), to = getType();
  if (ir::isComplex(from.getElementType()) != ir::isComplex(to.getElementType()))
    return r.broken("bitcast_convert_c2")
           << "cannot convert between complex and non-complex types, got " << from << " and " << to;
  int64_t fromBits = bitWidth(from.getElementType()), toBits = bitWidth(to.getElementType());
  // The type with the wider elements, and the one that has one more dimension in turn.
  auto [wide, narrow] = fromBits >= toBits ? std::pair(from, to) : std::pair(to, from);
  int64_t ratio = std::max(fromBits, toBits) / std::min(fromBits, toBits);
  SmallVector<int64_t> expected(wide.getShape());
  if (fromBits != toBits)
    expected.push_back(ratio);
  bool divides = std::max(fromBits, toBits) % std::min(fromBits, toBits) == 0;
  if (divides && compatibleShapes(expected, narrow.getShape()))
    return success();
  return r.broken("bitcast_convert_c1") << "shapes of operand and result must be equal but for a last dimension of "
                                        << ratio << " in the type of narrower elements, got " << from << " and " << to;
}

/// StableHLO 1.20's C3 of reshape: the slices that have a scale each stay whole.
static LogicalResult checkReshapedAxis(const Rules &r, RankedTensorType from, RankedTensorType to) {
  auto axisFrom = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(from.getElementType());
  auto axisTo = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(to.getElementType());
  if (!axisFrom || !axisTo || !from.hasStaticShape() || !to.hasStaticShape())
    return success();
  // Sizes before the axis, of it, and behind it; of a type whose axis it does not have, nothing is said.
  auto parts = [](RankedTensorType type, int64_t axis) -> SmallVector<int64_t> {
    if (axis < 0 || axis >= type.getRank())
      return {};
    return {ShapedType::getNumElements(type.getShape().take_front(axis)), type.getDimSize(axis),
            ShapedType::getNumElements(type.getShape().drop_front(axis + 1))};
  };
  SmallVector<int64_t> before = parts(from, axisFrom.getQuantizedDimension());
  SmallVector<int64_t> after = parts(to, axisTo.getQuantizedDimension());
  if (before == after)
    return success();
  return r.broken("reshape") << "the quantized dimension must have the same size, and as many elements before and "
                                "behind it, got "
                             << from << " and " << to;
}

LogicalResult ReshapeOp::verify() {
  Rules r(*this);
  RankedTensorType from = tensor(getOperand()), to = getType();
  if (!isQuantizedAlike(from.getElementType(), to.getElementType()))
    return r.broken("reshape_c1") << "operand and result must have the same element type, got " << from << " and "
                                  << to;
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return r.broken("reshape_c2") << "operand and result must have the same number of elements, got "
                                  << from.getNumElements() << " and " << to.getNumElements();
  return checkReshapedAxis(r, from, to);
}

//===- Broadcasts ------------------------------------------------------------------------------------------------===//

LogicalResult BroadcastInDimOp::verify() {
  Rules r(*this);
  RankedTensorType from = tensor(getOperand()), to = getType();
  ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (!isBroadcastAlike(from.getElementType(), to.getElementType()))
    return r.broken("broadcast_in_dim_c1")
           << "operand and result must have the same element type, got " << from << " and " << to;
  if (failed(checkSize(r, 2, "broadcast_dimensions", dimensions, from.getRank())) ||
      failed(checkInRange(r, 3, "broadcast_dimensions", dimensions, to.getRank())) ||
      failed(checkUnique(r, 4, "broadcast_dimensions", dimensions)))
    return failure();
  for (auto [j, dimension] : llvm::enumerate(dimensions)) {
    int64_t size = from.getDimSize(j), resultSize = to.getDimSize(dimension);
    if (size != 1 && !compatible(size, resultSize))
      return r.broken("broadcast_in_dim_c5") << "operand dimension " << j << " must have size 1 or the size "
                                             << resultSize << " of result dimension " << dimension << ", got " << size;
  }
  return checkBroadcastAxis(r, from, to, dimensions);
}

static LogicalResult infer(const Rules &r, BroadcastOp::Adaptor op, SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape(op.getBroadcastSizes());
  for (int64_t size : shape)
    if (size < 0)
      return r.broken("broadcast_c1") << "broadcast_sizes must be >= 0, got " << shape;
  llvm::append_range(shape, tensor(op.getOperand()).getShape());
  types.push_back(makeTensor(shape, tensor(op.getOperand()).getElementType()));
  return success();
}
TENON_INFERRED_MOVE(BroadcastOp, 2, 2)

//===- Moves -----------------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, ConcatenateOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (op.getInputs().empty())
    return r.broken("concatenate_c3") << "inputs must have at least one tensor, got none";
  RankedTensorType first = tensor(op.getInputs().front());
  int64_t dimension = op.getDimension();
  if (dimension < 0 || dimension >= first.getRank())
    return r.broken("concatenate_c4") << "dimension must be in [0, " << first.getRank() << "), got " << dimension;
  SmallVector<RankedTensorType> others;
  int64_t sum = 0;
  for (Value input : op.getInputs()) {
    RankedTensorType type = tensor(input);
    if (!compatibleElements(first.getElementType(), type.getElementType()))
      return r.broken("concatenate_c1") << "inputs must have the same element type, got " << first << " and " << type;
    SmallVector<int64_t> shape(type.getShape());
    if (type.getRank() == first.getRank())
      shape[dimension] = first.getDimSize(dimension);
    if (!compatibleShapes(shape, first.getShape()))
      return r.broken("concatenate_c2") << "inputs must have the same shape except in dimension " << dimension
                                        << ", got " << first << " and " << type;
    sum = addSizes(sum, type.getDimSize(dimension));
    others.push_back(makeTensor(shape, type.getElementType()));
  }
  SmallVector<int64_t> shape(mostSpecific(others).getShape());
  shape[dimension] = sum;
  types.push_back(makeTensor(shape, first.getElementType()));
  return success();
}
TENON_INFERRED_MOVE(ConcatenateOp, 5, 6)

static LogicalResult infer(const Rules &r, ReverseOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand());
  if (failed(checkUnique(r, 2, "dimensions", op.getDimensions())) ||
      failed(checkInRange(r, 3, "dimensions", op.getDimensions(), type.getRank())))
    return failure();
  types.push_back(type);
  return success();
}
TENON_INFERRED_MOVE(ReverseOp, 1, 1)

static LogicalResult infer(const Rules &r, TransposeOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand());
  if (!isPermutation(op.getPermutation(), type.getRank()))
    return r.broken("transpose_c2") << "permutation must be one of [0, " << type.getRank() << "), got "
                                    << op.getPermutation();
  SmallVector<int64_t> shape, bounds;
  for (int64_t dimension : op.getPermutation()) {
    shape.push_back(type.getDimSize(dimension));
    if (ArrayRef<int64_t> operandBounds = ir::dimensionBounds(type); !operandBounds.empty())
      bounds.push_back(operandBounds[dimension]);
  }
  types.push_back(makeTensor(shape, type.getElementType(), bounds));
  return success();
}
LogicalResult TransposeOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

LogicalResult TransposeOp::verify() {
  Rules r(*this);
  SmallVector<Type> types;
  if (failed(infer(r, Adaptor(*this), types)) || failed(checkResults(r, *this, types, 1, 3)))
    return failure();
  Type from = tensor(getOperand()).getElementType(), to = getType().getElementType();
  if (!isQuantizedAlike(from, to))
    return r.broken("transpose_c1") << "operand and result must have the same element type, got " << from << " and "
                                    << to;
  auto axisFrom = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(from);
  auto axisTo = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(to);
  if (!axisFrom || !axisTo)
    return success();
  // StableHLO 1.20's C4.
  int64_t axis = axisTo.getQuantizedDimension();
  if (axis < 0 || axis >= getType().getRank() || getPermutation()[axis] != axisFrom.getQuantizedDimension())
    return r.broken("transpose") << "the result must be quantized along the dimension that the operand's "
                                 << axisFrom.getQuantizedDimension() << " moves to, got " << axis;
  return success();
}

static LogicalResult infer(const Rules &r, PadOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand());
  if (!compatibleElements(type.getElementType(), tensor(op.getPaddingValue()).getElementType()))
    return r.broken("pad_c1") << "operand and padding_value must have the same element type, got " << type << " and "
                              << op.getPaddingValue().getType();
  ArrayRef<int64_t> low = op.getEdgePaddingLow(), high = op.getEdgePaddingHigh(), interior = op.getInteriorPadding();
  if (failed(checkSize(r, 2, "edge_padding_low", low, type.getRank())) ||
      failed(checkSize(r, 2, "edge_padding_high", high, type.getRank())) ||
      failed(checkSize(r, 2, "interior_padding", interior, type.getRank())))
    return failure();
  SmallVector<int64_t> shape, bounds;
  auto padded = [&](int64_t size, size_t i) {
    if (ShapedType::isDynamic(size))
      return size;
    return narrow(size + WideSize(std::max<int64_t>(size - 1, 0)) * interior[i] + low[i] + high[i]);
  };
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (interior[i] < 0)
      return r.broken("pad_c3") << "interior padding must be >= 0, got " << interior[i] << " in dimension " << i;
    shape.push_back(padded(size, i));
    if (!ShapedType::isDynamic(shape.back()) && shape.back() < 0)
      return r.broken("pad_c4") << "padded size must be >= 0, got " << shape.back() << " in dimension " << i;
    if (ArrayRef<int64_t> operandBounds = ir::dimensionBounds(type); !operandBounds.empty())
      bounds.push_back(padded(operandBounds[i], i));
  }
  types.push_back(makeTensor(shape, type.getElementType(), bounds));
  return success();
}
TENON_INFERRED_MOVE(PadOp, 1, 4)

static LogicalResult infer(const Rules &r, SliceOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand());
  ArrayRef<int64_t> starts = op.getStartIndices(), limits = op.getLimitIndices(), strides = op.getStrides();
  if (failed(checkSize(r, 2, "start_indices", starts, type.getRank())) ||
      failed(checkSize(r, 2, "limit_indices", limits, type.getRank())) ||
      failed(checkSize(r, 2, "strides", strides, type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    bool ordered = 0 <= starts[i] && starts[i] <= limits[i] && (ShapedType::isDynamic(size) || limits[i] <= size);
    if (!ordered)
      return r.broken("slice_c3") << "start <= limit must lie within the dimension, got " << starts[i] << ":"
                                  << limits[i] << " in dimension " << i << " of " << type;
    if (strides[i] <= 0)
      return r.broken("slice_c4") << "strides must be > 0, got " << strides[i] << " in dimension " << i;
    shape.push_back((limits[i] - starts[i]) / strides[i] + ((limits[i] - starts[i]) % strides[i] != 0));
  }
  types.push_back(makeTensor(shape, type.getElementType()));
  return success();
}
TENON_INFERRED_MOVE(SliceOp, 1, 5)

//===- Sizes -----------------------------------------------------------------------------------------------------===//

static LogicalResult checkDimension(const Rules &r, RankedTensorType type, int64_t dimension) {
  if (dimension >= 0 && dimension < type.getRank())
    return success();
  return r.broken(1) << "dimension must be in [0, " << type.getRank() << "), got " << dimension;
}

static LogicalResult infer(const Rules &r, GetDimensionSizeOp::Adaptor op, SmallVectorImpl<Type> &types) {
  types.push_back(scalarOf(mlir::IntegerType::get(op.getOperand().getContext(), 32)));
  return checkDimension(r, tensor(op.getOperand()), op.getDimension());
}
TENON_INFERRED(GetDimensionSizeOp, 1, 1)

static LogicalResult infer(const Rules &r, SetDimensionSizeOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand());
  int64_t dimension = op.getDimension();
  if (failed(checkDimension(r, type, dimension)))
    return failure();
  if (tensor(op.getSize()).getRank() != 0)
    return r.broken("set_dimension_size_i2") << "size must be a scalar, got " << op.getSize().getType();
  SmallVector<int64_t> shape(type.getShape()), bounds(ir::dimensionBounds(type));
  bounds.resize(shape.size(), ShapedType::kDynamic);
  if (!ShapedType::isDynamic(shape[dimension]))
    bounds[dimension] = shape[dimension];
  shape[dimension] = ShapedType::kDynamic;
  types.push_back(makeTensor(shape, type.getElementType(), bounds));
  return success();
}
TENON_INFERRED_MOVE(SetDimensionSizeOp, 2, 2)

} // namespace tenon::stablehlo
