#include "tenon/ir/infer.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/SmallSet.h"

namespace tenon::stablehlo {

LogicalResult checkResults(const Rules &r, mlir::Operation *op, ArrayRef<Type> inferred, int elementRule,
                           int shapeRule) {
  if (op->getNumResults() != inferred.size())
    return r.broken(shapeRule) << "op must have " << inferred.size() << " results, got " << op->getNumResults();
  for (auto [i, expected, actual] : llvm::enumerate(inferred, op->getResultTypes())) {
    if (compatibleTypes(expected, actual))
      continue;
    auto expectedTensor = llvm::dyn_cast<RankedTensorType>(expected);
    auto actualTensor = llvm::dyn_cast<RankedTensorType>(actual);
    bool elements = expectedTensor && actualTensor &&
                    !compatibleElements(expectedTensor.getElementType(), actualTensor.getElementType());
    return r.broken(elements ? elementRule : shapeRule)
           << "result " << i << " must have type " << expected << ", got " << actual;
  }
  return success();
}

LogicalResult checkSameScale(const Rules &r, mlir::Operation *op, int rule) {
  mlir::quant::UniformQuantizedType first;
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    Type element = mlir::getElementTypeOrSelf(type);
    if (llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(element))
      return r.broken(rule) << "elements that are quantized per axis cannot be moved along it, got " << element;
    auto quantized = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element);
    if (quantized && first && quantized != first)
      return r.broken(rule) << "operands and results must be quantized with the same scale and zero point, got "
                            << first << " and " << quantized;
    first = first ? first : quantized;
  }
  return success();
}

bool isQuantizedAlike(Type a, Type b) {
  auto axisA = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(a);
  auto axisB = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(b);
  if (!axisA || !axisB)
    return a == b;
  return compatibleElements(a, b) && axisA.getStorageTypeMin() == axisB.getStorageTypeMin() &&
         axisA.getStorageTypeMax() == axisB.getStorageTypeMax() && axisA.getScales() == axisB.getScales() &&
         axisA.getZeroPoints() == axisB.getZeroPoints();
}

bool isBroadcastAlike(Type from, Type to) {
  auto axisFrom = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(from);
  auto axisTo = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(to);
  if (!axisFrom || !axisTo)
    return from == to;
  return compatibleElements(from, to) && axisFrom.getStorageTypeMin() == axisTo.getStorageTypeMin() &&
         axisFrom.getStorageTypeMax() == axisTo.getStorageTypeMax();
}

LogicalResult checkBroadcastAxis(const Rules &r, RankedTensorType from, RankedTensorType to,
                                 ArrayRef<int64_t> dimensions) {
  auto axisFrom = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(from.getElementType());
  auto axisTo = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(to.getElementType());
  if (!axisFrom || !axisTo)
    return success();
  int64_t axis = axisFrom.getQuantizedDimension();
  if (axis < 0 || axis >= static_cast<int64_t>(dimensions.size()) || dimensions[axis] != axisTo.getQuantizedDimension())
    return r.broken(r.mnemonic()) << "the result must be quantized along the dimension that the operand's " << axis
                                  << " becomes, got " << axisTo.getQuantizedDimension();
  bool repeats = axisFrom.getScales().size() == 1;
  auto isKept = [&](auto values, auto others) {
    return repeats ? llvm::all_of(others, [&](auto other) { return other == values.front(); }) : values == others;
  };
  if (!isKept(axisFrom.getScales(), axisTo.getScales()) || !isKept(axisFrom.getZeroPoints(), axisTo.getZeroPoints()))
    return r.broken(r.mnemonic()) << "the result must have the operand's scales and zero points, got " << from
                                  << " and " << to;
  return success();
}

LogicalResult checkSize(const Rules &r, int rule, Name name, ArrayRef<int64_t> values, int64_t size) {
  if (static_cast<int64_t>(values.size()) == size)
    return success();
  return r.broken(rule) << name << " must have " << size << " elements, got " << values;
}

LogicalResult checkUnique(const Rules &r, int rule, Name name, ArrayRef<int64_t> values) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t value : values)
    if (!seen.insert(value).second)
      return r.broken(rule) << name << " must be unique, got " << value << " twice in " << values;
  return success();
}

LogicalResult checkUniqueAndSorted(const Rules &r, int rule, Name name, ArrayRef<int64_t> values) {
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i - 1] >= values[i])
      return r.broken(rule) << name << " must be unique and in ascending order, got " << values;
  return success();
}

LogicalResult checkInRange(const Rules &r, int rule, Name name, ArrayRef<int64_t> values, int64_t end) {
  for (int64_t value : values)
    if (value < 0 || value >= end)
      return r.broken(rule) << name << " must be in [0, " << end << "), got " << value;
  return success();
}

LogicalResult checkPositive(const Rules &r, int rule, Name name, ArrayRef<int64_t> values) {
  for (auto [i, value] : llvm::enumerate(values))
    if (value <= 0)
      return r.broken(rule) << name << " must be > 0, got " << value << " in dimension " << i;
  return success();
}

LogicalResult checkSameShapes(const Rules &r, int rule, Name name, ValueRange values) {
  for (Value value : values)
    if (!compatibleShapes(tensor(values.front()).getShape(), tensor(value).getShape()))
      return r.broken(rule) << name << " must have the same shape, got " << values.front().getType() << " and "
                            << value.getType();
  return success();
}

FailureOr<SmallVector<std::pair<int64_t, int64_t>>>
paddingPairs(const Rules &r, int rule, std::optional<mlir::DenseIntElementsAttr> padding, int64_t rank) {
  SmallVector<std::pair<int64_t, int64_t>> pairs(rank, {0, 0});
  if (!padding)
    return pairs;
  ShapedType type = padding->getType();
  if (type.getRank() != 2 || type.getDimSize(0) != rank || type.getDimSize(1) != 2)
    return r.broken(rule) << "padding must have shape " << ArrayRef<int64_t>({rank, 2}) << ", got " << type.getShape();
  auto values = padding->getValues<int64_t>();
  for (int64_t i = 0; i < rank; ++i)
    pairs[i] = {values[2 * i], values[2 * i + 1]};
  return pairs;
}

bool isPermutation(ArrayRef<int64_t> dimensions, int64_t rank) {
  SmallVector<int64_t> sorted(dimensions);
  llvm::sort(sorted);
  return llvm::equal(sorted, llvm::seq<int64_t>(0, rank));
}

int64_t WindowDimension::count(int64_t dimension) const {
  if (ShapedType::isDynamic(dimension))
    return dimension;
  WideSize dilated = dimension == 0 ? 0 : WideSize(dimension - 1) * baseDilation + 1;
  WideSize padded = padLow + dilated + padHigh;
  WideSize window = size == 0 ? 0 : WideSize(size - 1) * windowDilation + 1;
  return padded <= 0 || window > padded ? 0 : narrow((padded - window) / stride + 1);
}

static ReturnOp terminatorOf(mlir::Region &region) {
  mlir::Block *block = region.empty() ? nullptr : &region.front();
  return block && !block->empty() ? llvm::dyn_cast<ReturnOp>(block->back()) : ReturnOp();
}

mlir::TypeRange returnedTypes(mlir::Region &region) {
  ReturnOp terminator = terminatorOf(region);
  return terminator ? mlir::TypeRange(terminator->getOperandTypes()) : mlir::TypeRange();
}

LogicalResult checkBody(const Rules &r, int rule, Name name, mlir::Region &region, ArrayRef<Type> arguments,
                        ArrayRef<Type> results) {
  if (region.empty())
    return success();
  if (!terminatorOf(region))
    return r.broken(rule) << name << " must end in stablehlo.return";
  auto same = [](mlir::TypeRange actual, ArrayRef<Type> expected) {
    return actual.size() == expected.size() && llvm::all_of(llvm::zip_equal(actual, expected), [](auto pair) {
             return compatibleTypes(std::get<0>(pair), std::get<1>(pair));
           });
  };
  mlir::TypeRange actualArguments = region.front().getArgumentTypes();
  mlir::TypeRange actualResults = returnedTypes(region);
  if (same(actualArguments, arguments) && same(actualResults, results))
    return success();
  mlir::MLIRContext *context = region.getContext();
  return r.broken(rule) << name << " must have type " << mlir::FunctionType::get(context, arguments, results)
                        << ", got " << mlir::FunctionType::get(context, actualArguments, actualResults);
}

bool isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(from),
       other = llvm::dyn_cast<mlir::quant::QuantizedType>(to);
  if (quantized && other)
    return quantized.getExpressedType() == other.getExpressedType() &&
           quantized.getStorageTypeIntegralWidth() <= other.getStorageTypeIntegralWidth();
  auto isNumber = [](Type type) { return llvm::isa<mlir::IntegerType>(type) && !type.isInteger(1); };
  bool sameKind = (isNumber(from) && isNumber(to)) ||
                  (llvm::isa<mlir::FloatType>(from) && llvm::isa<mlir::FloatType>(to)) ||
                  (llvm::isa<mlir::ComplexType>(from) && llvm::isa<mlir::ComplexType>(to));
  return sameKind && ir::partWidth(from) <= ir::partWidth(to);
}

SmallVector<Type> computationElements(mlir::Region &region, ValueRange values) {
  SmallVector<Type> elements;
  for (auto [i, value] : llvm::enumerate(values)) {
    Type element = tensor(value).getElementType();
    bool hasArgument = !region.empty() && i < region.getNumArguments();
    auto argument =
        hasArgument ? llvm::dyn_cast<RankedTensorType>(region.getArgument(i).getType()) : RankedTensorType();
    elements.push_back(argument && isPromotable(element, argument.getElementType()) ? argument.getElementType()
                                                                                    : element);
  }
  return elements;
}

FailureOr<SmallVector<Type>> checkReducer(const Rules &r, int rule, Name name, mlir::Region &region,
                                          ValueRange values) {
  SmallVector<Type> elements = computationElements(region, values);
  SmallVector<Type> scalars = llvm::map_to_vector(elements, scalarOf), arguments = scalars;
  llvm::append_range(arguments, scalars);
  if (failed(checkBody(r, rule, name, region, arguments, scalars)))
    return failure();
  return elements;
}

SmallVector<Type> scalarsOf(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) { return scalarOf(tensor(value).getElementType()); });
}

Type boolScalar(mlir::MLIRContext *context) { return scalarOf(mlir::IntegerType::get(context, 1)); }

Type realElement(Type element) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

} // namespace tenon::stablehlo
