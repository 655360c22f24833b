// Ops whose result shape is an operand. The specification has no section on them; the rules are those that the static
// op of the same name has, as far as they can be checked.
#include "tenon/ir/infer.h"

namespace tenon::stablehlo {

/// The shape operand has one element for each of the result's dimensions.
static LogicalResult checkShapeOperand(const Rules &r, int rule, Name name, Value shape, RankedTensorType result) {
  if (compatible(tensor(shape).getDimSize(0), result.getRank()))
    return success();
  return r.broken(rule) << name << " must have " << result.getRank() << " elements, got " << shape.getType();
}

static LogicalResult checkElements(const Rules &r, Value operand, RankedTensorType result) {
  if (compatibleElements(tensor(operand).getElementType(), result.getElementType()))
    return success();
  return r.broken(1) << "operands and result must have the same element type, got " << operand.getType() << " and "
                     << result;
}

static LogicalResult checkSameRank(const Rules &r, Value operand, RankedTensorType result) {
  if (tensor(operand).getRank() == result.getRank())
    return success();
  return r.broken(2) << "operand and result must have the same rank, got " << operand.getType() << " and " << result;
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  Rules r(*this);
  RankedTensorType from = tensor(getOperand()), to = getType();
  ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (!isBroadcastAlike(from.getElementType(), to.getElementType()))
    return r.broken(1) << "operand and result must have the same element type, got " << from << " and " << to;
  if (failed(checkSize(r, 2, "broadcast_dimensions", dimensions, from.getRank())) ||
      failed(checkInRange(r, 3, "broadcast_dimensions", dimensions, to.getRank())) ||
      failed(checkUnique(r, 4, "broadcast_dimensions", dimensions)) ||
      failed(checkShapeOperand(r, 7, "output_dimensions", getOutputDimensions(), to)))
    return failure();
  for (auto [i, dimension] : llvm::enumerate(dimensions))
    if (from.getDimSize(i) != 1 && !compatible(from.getDimSize(i), to.getDimSize(dimension)))
      return r.broken("dynamic_broadcast_in_dim_c5")
             << "operand dimension " << i << " must have size 1 or that of result dimension " << dimension << ", got "
             << from << " and " << to;
  return checkBroadcastAxis(r, from, to, dimensions);
}

LogicalResult DynamicIotaOp::verify() {
  Rules r(*this);
  return failure(
      failed(checkInRange(r, 1, "iota_dimension", static_cast<int64_t>(getIotaDimension()), getType().getRank())) ||
      failed(checkShapeOperand(r, 2, "output_shape", getOutputShape(), getType())));
}

LogicalResult DynamicPadOp::verify() {
  Rules r(*this);
  return failure(failed(checkElements(r, getOperand(), getType())) ||
                 failed(checkElements(r, getPaddingValue(), getType())) ||
                 failed(checkSameRank(r, getOperand(), getType())) ||
                 failed(checkShapeOperand(r, 2, "edge_padding_low", getEdgePaddingLow(), getType())) ||
                 failed(checkShapeOperand(r, 2, "edge_padding_high", getEdgePaddingHigh(), getType())) ||
                 failed(checkShapeOperand(r, 2, "interior_padding", getInteriorPadding(), getType())) ||
                 failed(checkSameScale(r, *this, 1)));
}

LogicalResult DynamicReshapeOp::verify() {
  Rules r(*this);
  if (!isQuantizedAlike(tensor(getOperand()).getElementType(), getType().getElementType()))
    return r.broken(1) << "operand and result must have the same element type, got " << getOperand().getType()
                       << " and " << getType();
  return checkShapeOperand(r, 4, "output_shape", getOutputShape(), getType());
}

LogicalResult RealDynamicSliceOp::verify() {
  Rules r(*this);
  return failure(
      failed(checkElements(r, getOperand(), getType())) || failed(checkSameRank(r, getOperand(), getType())) ||
      failed(checkShapeOperand(r, 3, "start_indices", getStartIndices(), getType())) ||
      failed(checkShapeOperand(r, 3, "limit_indices", getLimitIndices(), getType())) ||
      failed(checkShapeOperand(r, 3, "strides", getStrides(), getType())) || failed(checkSameScale(r, *this, 1)));
}

} // namespace tenon::stablehlo
