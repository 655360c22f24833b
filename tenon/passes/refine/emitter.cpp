#include "tenon/passes/refine/emitter.h"
#include "tenon/passes/simplify/constant_fold.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {

BoundedTensor::BoundedTensor(Value value) : value(value) {
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    sizes.assign(tensor.getRank(), Value());
}

bool BoundedTensor::isBounded() const {
  return llvm::any_of(sizes, [](Value size) { return size != nullptr; });
}

std::optional<SmallVector<int64_t>> constantIntegers(Value value) {
  if (auto type = cast<ShapedType>(value.getType()); type.hasStaticShape() && type.getNumElements() == 0)
    return SmallVector<int64_t>();
  DenseIntElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  bool isSigned = !constant.getElementType().isUnsignedInteger() && !constant.getElementType().isInteger(1);
  return llvm::map_to_vector(constant.getValues<APInt>(), [&](const APInt &number) {
    return isSigned ? number.getSExtValue() : static_cast<int64_t>(number.getLimitedValue(INT64_MAX));
  });
}

std::optional<int64_t> constantInteger(Value value) {
  auto elements = constantIntegers(value);
  return elements && elements->size() == 1 ? std::optional(elements->front()) : std::nullopt;
}

static bool isSame(Value a, Value b, int depth) {
  auto result = dyn_cast<OpResult>(a), other = dyn_cast<OpResult>(b);
  if (a == b || depth == 0 || !result || !other || result.getResultNumber() != other.getResultNumber())
    return a == b;
  auto sameOperands = [&](Value x, Value y) { return success(isSame(x, y, depth - 1)); };
  return isPure(result.getOwner()) &&
         OperationEquivalence::isEquivalentTo(result.getOwner(), other.getOwner(), sameOperands,
                                              /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

bool isSame(Value a, Value b) { return isSame(a, b, /*depth=*/8); }

SmallVector<Value> Emitter::folded(Operation *op) {
  std::optional<SmallVector<ElementsAttr>> constants = evaluateOnConstants(op);
  if (!constants)
    return SmallVector<Value>(op->getResults());
  SmallVector<Value> values;
  for (auto [type, constant] : llvm::zip(op->getResultTypes(), *constants))
    values.push_back(sh::ConstantOp::create(builder, loc, type, constant));
  op->erase();
  return values;
}

Value Emitter::i32(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return sh::ConstantOp::create(builder, loc, DenseIntElementsAttr::get(type, static_cast<int32_t>(value)));
}

Value Emitter::boolean(bool value) {
  auto type = RankedTensorType::get({}, builder.getI1Type());
  return sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
}

namespace {
struct Range {
  int64_t least, greatest;
};
} // namespace

static std::optional<Range> rangeOf(Value size, int depth = 8);

// The range of a sum, difference or product from the operands' ranges. None if it may not fit into i32.
static std::optional<Range> combinedRange(Operation *op, Range a, Range b) {
  auto fits = [](int64_t least, int64_t greatest) {
    return INT32_MIN <= least && greatest <= INT32_MAX ? std::optional(Range{least, greatest}) : std::nullopt;
  };
  if (isa<sh::AddOp>(op))
    return fits(a.least + b.least, a.greatest + b.greatest);
  if (isa<sh::SubtractOp>(op))
    return fits(a.least - b.greatest, a.greatest - b.least);
  if (isa<sh::MultiplyOp>(op) && a.least >= 0 && b.least >= 0)
    return fits(a.least * b.least, a.greatest * b.greatest);
  if (isa<sh::DivideOp>(op) && a.least >= 0 && b.least > 0)
    return fits(a.least / b.greatest, a.greatest / b.least);
  if (isa<sh::MaximumOp>(op))
    return fits(std::max(a.least, b.least), std::max(a.greatest, b.greatest));
  if (isa<sh::MinimumOp>(op))
    return fits(std::min(a.least, b.least), std::min(a.greatest, b.greatest));
  if (isa<sh::SelectOp>(op))
    return fits(std::min(a.least, b.least), std::max(a.greatest, b.greatest));
  return std::nullopt;
}

// The least and greatest number that a size can be: a constant, or computed from one that the program clamps by
// constants.
static std::optional<Range> rangeOf(Value size, int depth) {
  if (std::optional<int64_t> constant = constantInteger(size))
    return Range{*constant, *constant};
  Operation *op = size.getDefiningOp();
  if (!op || depth == 0 || !getElementTypeOrSelf(size).isInteger(32))
    return std::nullopt;
  if (auto clamp = dyn_cast<sh::ClampOp>(op)) {
    std::optional<int64_t> least = constantInteger(clamp.getMin()), greatest = constantInteger(clamp.getMax());
    if (!least || !greatest) // clamp is min(max(x, least), greatest), so the greatest wins
      return std::nullopt;
    return Range{std::min(*least, *greatest), *greatest};
  }
  unsigned count = op->getNumOperands();
  if (count != 2 && !isa<sh::SelectOp>(op))
    return std::nullopt;
  std::optional<Range> a = rangeOf(op->getOperand(count - 2), depth - 1);
  std::optional<Range> b = rangeOf(op->getOperand(count - 1), depth - 1);
  return a && b ? combinedRange(op, *a, *b) : std::nullopt;
}

// The outcome of a comparison if it is the same for all numbers of both ranges.
static std::optional<bool> decided(sh::ComparisonDirection direction, Value a, Value b) {
  if (direction == sh::ComparisonDirection::GE)
    std::swap(a, b);
  else if (direction != sh::ComparisonDirection::LE)
    return std::nullopt;
  auto left = rangeOf(a), right = rangeOf(b);
  if (!left || !right || cast<RankedTensorType>(a.getType()).getRank() != 0)
    return std::nullopt;
  if (left->greatest <= right->least)
    return true;
  return left->least > right->greatest ? std::optional(false) : std::nullopt;
}

Value Emitter::compare(sh::ComparisonDirection direction, Value a, Value b) {
  if (std::optional<bool> known = decided(direction, a, b))
    return boolean(*known);
  auto type = cast<RankedTensorType>(a.getType()).clone(builder.getI1Type());
  return make<sh::CompareOp>(type, a, b, direction,
                             sh::ComparisonTypeAttr::get(builder.getContext(), sh::ComparisonType::SIGNED));
}

// A shape is mostly put together of its sizes, of which only some are unknown.
Value Emitter::scalarAt(Value vector, int64_t position) {
  auto type = cast<RankedTensorType>(vector.getType());
  auto scalarType = RankedTensorType::get({}, type.getElementType());
  Operation *op = vector.getDefiningOp();
  if (type.getRank() == 0)
    return vector;
  if (auto concatenate = dyn_cast_or_null<sh::ConcatenateOp>(op))
    for (Value piece : concatenate.getInputs()) {
      int64_t length = cast<RankedTensorType>(piece.getType()).getNumElements();
      if (position < length)
        return scalarAt(piece, position);
      position -= length;
    }
  if (op && op->hasTrait<ir::Elementwise>() && op->getNumRegions() == 0) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(scalarAt(operand, position));
    OperationState state(loc, op->getName().getStringRef(), operands, scalarType, op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return folded(builder.create(state)).front();
  }
  if (type.getNumElements() > 1) {
    int64_t start[] = {position}, limit[] = {position + 1}, stride[] = {1};
    vector = make<sh::SliceOp>(RankedTensorType::get({1}, type.getElementType()), vector, start, limit, stride);
  }
  while (auto reshaped = vector.getDefiningOp<sh::ReshapeOp>())
    vector = reshaped.getOperand();
  return reshape(vector, {});
}

static int64_t nearestOfI32(int64_t value) { return std::clamp<int64_t>(value, INT32_MIN, INT32_MAX); }

Value Emitter::element(Value vector, int64_t position) {
  if (auto constant = constantIntegers(vector))
    return i32(nearestOfI32((*constant)[position]));
  return toSize(scalarAt(vector, position));
}

Value Emitter::toSize(Value numbers) {
  auto type = cast<RankedTensorType>(numbers.getType());
  Type element = type.getElementType();
  if (std::optional<int64_t> constant = constantInteger(numbers)) {
    Value number = i32(nearestOfI32(*constant));
    return type.getRank() == 0 ? number : fill(number, type.getShape());
  }
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (width > 32 || (width == 32 && element.isUnsignedInteger())) {
    auto limit = [&](int64_t value) {
      return sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getIntegerAttr(element, value)));
    };
    numbers = make<sh::ClampOp>(type, limit(element.isUnsignedInteger() ? 0 : INT32_MIN), numbers, limit(INT32_MAX));
  }
  return convert(numbers, builder.getI32Type());
}

Value Emitter::zero(Type element) {
  auto type = RankedTensorType::get({}, element);
  if (isa<quant::QuantizedType>(element))
    return zeros(type);
  if (isa<ComplexType>(element)) {
    Value part = zero(cast<ComplexType>(element).getElementType());
    return make<sh::ComplexOp>(type, part, part);
  }
  return sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getZeroAttr(element)));
}

Value Emitter::zeros(RankedTensorType type) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType()))
    return make<sh::UniformQuantizeOp>(type, zeros(type.clone(quantized.getExpressedType())));
  return fill(zero(type.getElementType()), type.getShape());
}

Value Emitter::convert(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType() == element ? value : make<sh::ConvertOp>(type.clone(element), value);
}

Value Emitter::fill(Value scalar, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, cast<RankedTensorType>(scalar.getType()).getElementType());
  return make<sh::BroadcastInDimOp>(type, scalar, ArrayRef<int64_t>{});
}

Value Emitter::iota(ArrayRef<int64_t> shape, int64_t dimension) {
  return sh::IotaOp::create(builder, loc, RankedTensorType::get(shape, builder.getI32Type()), dimension);
}

Value Emitter::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getShape() == shape ? value : make<sh::ReshapeOp>(type.clone(shape), value);
}

Value Emitter::resize(Value value, int64_t dimension, int64_t length) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank(), now = type.getDimSize(dimension);
  if (now == length)
    return value;
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = length;
  if (now > length)
    return make<sh::SliceOp>(type.clone(shape), value, SmallVector<int64_t>(rank, 0), shape,
                             SmallVector<int64_t>(rank, 1));
  SmallVector<int64_t> more(shape);
  more[dimension] = length - now;
  if (isa<quant::QuantizedType>(type.getElementType())) // of which there may be no scalar to pad with
    return make<sh::ConcatenateOp>(type.clone(shape), ValueRange{value, zeros(type.clone(more))}, dimension);
  SmallVector<int64_t> none(rank, 0), high(none);
  high[dimension] = length - now;
  return make<sh::PadOp>(type.clone(shape), value, zero(type.getElementType()), none, high, none);
}

Value Emitter::take(Value value, int64_t dimension, Value indices) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> offsets, sliceSizes(type.getShape()), shape(type.getShape());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dimension)
      offsets.push_back(d);
  sliceSizes[dimension] = 1;
  shape[dimension] = cast<RankedTensorType>(indices.getType()).getDimSize(0);
  auto numbers = sh::GatherDimensionNumbersAttr::get(builder.getContext(), offsets, {dimension}, {}, {}, {dimension},
                                                     /*index_vector_dim=*/1);
  return make<sh::GatherOp>(type.clone(shape), value, indices, numbers, sliceSizes, /*indices_are_sorted=*/false);
}

Value Emitter::padGroups(Value value, int64_t dimension, int64_t groups, int64_t length, Value size) {
  if (groups * length == 0)
    return resize(value, dimension, 0);
  int64_t shape[] = {groups, length};
  Value first = multiply(iota(shape, 0), fill(size, shape));
  return take(value, dimension, reshape(add(first, iota(shape, 1)), {groups * length}));
}

Value Emitter::compactGroups(Value value, int64_t dimension, int64_t groups, Value size) {
  int64_t length = cast<RankedTensorType>(value.getType()).getDimSize(dimension);
  if (length == 0)
    return value;
  int64_t shape[] = {length};
  Value position = iota(shape, 0), each = fill(maximum(size, i32(1)), shape);
  Value first = multiply(divide(position, each), fill(i32(length / groups), shape));
  return take(value, dimension, add(first, remainder(position, each)));
}

Value Emitter::validMask(const BoundedTensor &refined, ArrayRef<int64_t> dimensions) {
  Value all;
  ArrayRef<int64_t> shape = refined.type().getShape();
  for (int64_t d : dimensions) {
    if (!refined.isBounded(d))
      continue;
    Value one = compare(sh::ComparisonDirection::LT, iota(shape, d), fill(refined.sizes[d], shape));
    all = all ? logicalAnd(all, one) : one;
  }
  return all;
}

Value Emitter::masked(const BoundedTensor &refined, ArrayRef<int64_t> dimensions, Value scalar) {
  Value condition = validMask(refined, dimensions);
  return condition ? select(condition, refined.value, fill(scalar, refined.type().getShape())) : refined.value;
}

Value Emitter::zeroPadding(const BoundedTensor &refined, ArrayRef<int64_t> dimensions) {
  Value condition = validMask(refined, dimensions);
  return condition ? select(condition, refined.value, zeros(refined.type())) : refined.value;
}

} // namespace tenon::passes::refine
