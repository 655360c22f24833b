#include "tenon/passes/simplify/unroll.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf;
using ir::typeOf;
using Elements = SmallVector<Value>;

// The most products of one dot_general, so that code stays small.
constexpr int64_t kMostProducts = 64;

RankedTensorType scalarLike(Value value) { return RankedTensorType::get({}, ir::elementTypeOf(value)); }

// The index of an element, from its position in row-major order and back.
SmallVector<int64_t> indexAt(ArrayRef<int64_t> shape, int64_t position) {
  SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; position /= shape[dim])
    index[dim] = position % shape[dim];
  return index;
}

int64_t positionOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [size, at] : llvm::zip_equal(shape, index))
    position = position * size + at;
  return position;
}

// Which element of the op's operand an element of its result is.
int64_t sourceOf(Operation *op, int64_t position) {
  ArrayRef<int64_t> to = shapeOf(op->getResult(0)), from = shapeOf(op->getOperand(0));
  SmallVector<int64_t> index = indexAt(to, position), source(from.size());
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](sh::ReshapeOp) { return position; })
      .Case([&](sh::SliceOp slice) {
        for (size_t dim = 0; dim < from.size(); ++dim)
          source[dim] = slice.getStartIndices()[dim] + index[dim] * slice.getStrides()[dim];
        return positionOf(from, source);
      })
      .Case([&](sh::BroadcastInDimOp broadcast) {
        for (auto [dim, into] : llvm::enumerate(broadcast.getBroadcastDimensions()))
          source[dim] = from[dim] == 1 ? 0 : index[into];
        return positionOf(from, source);
      })
      .Case([&](sh::TransposeOp transpose) {
        for (auto [into, dim] : llvm::enumerate(transpose.getPermutation()))
          source[dim] = index[into];
        return positionOf(from, source);
      })
      .Case([&](sh::ReverseOp reverse) {
        for (int64_t dim : reverse.getDimensions())
          index[dim] = to[dim] - 1 - index[dim];
        return positionOf(from, index);
      });
}

Elements unrollConcatenation(sh::ConcatenateOp op, ElementsOf elementsOf) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  int64_t dimension = op.getDimension(), offset = 0;
  Elements result(typeOf(op.getResult()).getNumElements());
  for (Value input : op.getInputs()) {
    for (auto [position, element] : llvm::enumerate(elementsOf(input))) {
      SmallVector<int64_t> index = indexAt(shapeOf(input), position);
      index[dimension] += offset;
      result[positionOf(shape, index)] = element;
    }
    offset += shapeOf(input)[dimension];
  }
  return result;
}

Elements unrollElementwise(Operation *op, ElementsOf elementsOf, OpBuilder &builder) {
  SmallVector<Elements> operands = llvm::map_to_vector(op->getOperands(), elementsOf);
  Elements result;
  for (int64_t i = 0; i < typeOf(op->getResult(0)).getNumElements(); ++i) {
    // select's predicate and clamp's bounds may be scalars.
    Elements own =
        llvm::map_to_vector(operands, [&](const Elements &all) { return all.size() == 1 ? all[0] : all[i]; });
    OperationState state(op->getLoc(), op->getName(), own, {scalarLike(op->getResult(0))}, op->getAttrs());
    result.push_back(builder.create(state)->getResult(0));
  }
  return result;
}

Elements unrollConstant(DenseElementsAttr values, Location loc, OpBuilder &builder) {
  Elements result;
  RankedTensorType type = RankedTensorType::get({}, values.getElementType());
  for (Attribute value : values.getValues<Attribute>())
    result.push_back(sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value)));
  return result;
}

// Nothing for complex numbers.
Elements unrollIota(sh::IotaOp op, OpBuilder &builder) {
  RankedTensorType type = typeOf(op.getResult());
  Type element = type.getElementType();
  Elements result;
  if (ir::isComplex(element))
    return result;
  for (int64_t position = 0; position < type.getNumElements(); ++position) {
    int64_t value = indexAt(type.getShape(), position)[op.getIotaDimension()];
    Attribute number = ir::isFloat(element) ? Attribute(FloatAttr::get(element, double(value)))
                                            : Attribute(IntegerAttr::get(element, value));
    auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, element), number);
    result.push_back(sh::ConstantOp::create(builder, op.getLoc(), scalar));
  }
  return result;
}

// The computation, once, of scalars.
Elements inlineComputation(Block &computation, ValueRange arguments, OpBuilder &builder) {
  IRMapping mapping;
  mapping.map(computation.getArguments(), arguments);
  for (Operation &op : computation.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(computation.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

// In order, from the initial values on.
SmallVector<Elements> unrollReduction(sh::ReduceOp op, ElementsOf elementsOf, OpBuilder &builder) {
  unsigned count = op.getInputs().size();
  SmallVector<Elements> inputs = llvm::map_to_vector(op.getInputs(), elementsOf);
  ArrayRef<int64_t> from = shapeOf(op.getInputs()[0]), to = shapeOf(op->getResult(0));
  SmallVector<Elements> results(count, Elements(typeOf(op->getResult(0)).getNumElements()));
  for (unsigned k = 0; k < count; ++k)
    llvm::fill(results[k], elementsOf(op.getInitValues()[k]).front());
  for (size_t position = 0; position < inputs[0].size(); ++position) {
    SmallVector<int64_t> index = indexAt(from, position), kept;
    for (auto [dim, at] : llvm::enumerate(index))
      if (!llvm::is_contained(op.getDimensions(), int64_t(dim)))
        kept.push_back(at);
    int64_t into = positionOf(to, kept);
    Elements arguments;
    for (const Elements &result : results)
      arguments.push_back(result[into]);
    for (const Elements &input : inputs)
      arguments.push_back(input[position]);
    for (auto [k, value] : llvm::enumerate(inlineComputation(op.getBody().front(), arguments, builder)))
      results[k][into] = value;
  }
  return results;
}

// The dimensions of an operand that neither count as batch nor are contracted.
SmallVector<int64_t> freeDimensions(int64_t rank, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracting, dim))
      dims.push_back(dim);
  return dims;
}

SmallVector<int64_t> contractedSizes(sh::DotGeneralOp op) {
  return llvm::map_to_vector(op.getDotDimensionNumbers().getLhsContractingDimensions(),
                             [&](int64_t dim) { return shapeOf(op.getLhs())[dim]; });
}

// Sums of products, each in the order of the contracted index.
Elements unrollProduct(sh::DotGeneralOp op, ElementsOf elementsOf, OpBuilder &builder) {
  auto numbers = op.getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions(), rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsSum = numbers.getLhsContractingDimensions(), rhsSum = numbers.getRhsContractingDimensions();
  ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs()), rhsShape = shapeOf(op.getRhs());
  SmallVector<int64_t> lhsFree = freeDimensions(lhsShape.size(), lhsBatch, lhsSum);
  SmallVector<int64_t> rhsFree = freeDimensions(rhsShape.size(), rhsBatch, rhsSum);
  SmallVector<int64_t> sums = contractedSizes(op);
  Elements lhs = elementsOf(op.getLhs()), rhs = elementsOf(op.getRhs()), result;
  for (int64_t position = 0; position < typeOf(op.getResult()).getNumElements(); ++position) {
    SmallVector<int64_t> index = indexAt(shapeOf(op.getResult()), position);
    SmallVector<int64_t> lhsIndex(lhsShape.size()), rhsIndex(rhsShape.size());
    const int64_t *at = index.begin();
    for (auto [left, right] : llvm::zip_equal(lhsBatch, rhsBatch))
      lhsIndex[left] = rhsIndex[right] = *at++;
    for (int64_t dim : lhsFree)
      lhsIndex[dim] = *at++;
    for (int64_t dim : rhsFree)
      rhsIndex[dim] = *at++;
    Value sum;
    for (int64_t step = 0; step < ShapedType::getNumElements(sums); ++step) {
      for (auto [left, right, value] : llvm::zip_equal(lhsSum, rhsSum, indexAt(sums, step)))
        lhsIndex[left] = rhsIndex[right] = value;
      Value product = sh::MultiplyOp::create(builder, op.getLoc(), lhs[positionOf(lhsShape, lhsIndex)],
                                             rhs[positionOf(rhsShape, rhsIndex)]);
      sum = sum ? sh::AddOp::create(builder, op.getLoc(), sum, product).getResult() : product;
    }
    result.push_back(sum);
  }
  return result;
}

// How many values the clamped start of a slice has, in each dimension.
SmallVector<int64_t> startCounts(ArrayRef<int64_t> whole, ArrayRef<int64_t> part) {
  SmallVector<int64_t> counts;
  for (auto [size, own] : llvm::zip_equal(whole, part))
    counts.push_back(size - own + 1);
  return counts;
}

// Whether the start is each of its values, in row-major order; null where that is certain.
Elements startConditions(ValueRange starts, ArrayRef<int64_t> counts, ElementsOf elementsOf, Location loc,
                         OpBuilder &builder) {
  auto constant = [&](Value like, int64_t value) -> Value {
    auto type = typeOf(like);
    auto number = DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value));
    return sh::ConstantOp::create(builder, loc, number);
  };
  SmallVector<Elements> equal(counts.size()); // by dimension and value
  for (auto [dim, index] : llvm::enumerate(starts)) {
    if (counts[dim] == 1)
      continue;
    Value start = elementsOf(index).front();
    Value clamped =
        sh::ClampOp::create(builder, loc, constant(start, 0), start, constant(start, counts[dim] - 1)).getResult();
    for (int64_t value = 0; value < counts[dim]; ++value)
      equal[dim].push_back(sh::CompareOp::create(builder, loc, clamped, constant(start, value),
                                                 sh::ComparisonDirection::EQ, sh::ComparisonTypeAttr()));
  }
  Elements conditions;
  for (int64_t position = 0; position < ShapedType::getNumElements(counts); ++position) {
    Value all;
    for (auto [dim, value] : llvm::enumerate(indexAt(counts, position)))
      if (counts[dim] > 1)
        all = all ? sh::AndOp::create(builder, loc, all, equal[dim][value]).getResult() : equal[dim][value];
    conditions.push_back(all);
  }
  return conditions;
}

SmallVector<int64_t> sumOf(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return llvm::map_to_vector(llvm::zip_equal(a, b), [](auto pair) { return std::get<0>(pair) + std::get<1>(pair); });
}

Value choose(Value condition, Value chosen, Value other, OpBuilder &builder) {
  return condition && other ? sh::SelectOp::create(builder, chosen.getLoc(), condition, chosen, other).getResult()
                            : chosen;
}

Elements unrollDynamicSlice(sh::DynamicSliceOp op, ElementsOf elementsOf, OpBuilder &builder) {
  ArrayRef<int64_t> whole = shapeOf(op.getOperand()), part = shapeOf(op.getResult());
  SmallVector<int64_t> counts = startCounts(whole, part);
  Elements conditions = startConditions(op.getStartIndices(), counts, elementsOf, op.getLoc(), builder);
  Elements from = elementsOf(op.getOperand()), result(typeOf(op.getResult()).getNumElements());
  for (auto [start, condition] : llvm::enumerate(conditions))
    for (auto [position, element] : llvm::enumerate(result)) {
      SmallVector<int64_t> index = sumOf(indexAt(counts, start), indexAt(part, position));
      element = choose(condition, from[positionOf(whole, index)], element, builder);
    }
  return result;
}

Elements unrollUpdate(sh::DynamicUpdateSliceOp op, ElementsOf elementsOf, OpBuilder &builder) {
  ArrayRef<int64_t> whole = shapeOf(op.getOperand()), part = shapeOf(op.getUpdate());
  SmallVector<int64_t> counts = startCounts(whole, part);
  Elements conditions = startConditions(op.getStartIndices(), counts, elementsOf, op.getLoc(), builder);
  Elements result = elementsOf(op.getOperand()), update = elementsOf(op.getUpdate());
  for (auto [start, condition] : llvm::enumerate(conditions))
    for (auto [position, element] : llvm::enumerate(update)) {
      SmallVector<int64_t> index = sumOf(indexAt(counts, start), indexAt(part, position));
      Value &into = result[positionOf(whole, index)];
      into = choose(condition, element, into, builder);
    }
  return result;
}

bool isElementwise(Operation *op) {
  if (!op->hasTrait<ir::Elementwise>() || op->getNumRegions() || op->getNumResults() != 1)
    return false;
  std::optional<ir::ElementCost> cost = ir::elementCost(op->getName());
  return cost && *cost != ir::ElementCost::kSpecial;
}

// Whether it computes scalars, of nothing but its own arguments and constants.
bool isComputationOfScalars(Block &computation) {
  auto isOwn = [&](Value value) {
    return ir::isScalarTensor(value.getType()) &&
           (value.getParentBlock() == &computation || matchPattern(value, m_Constant()));
  };
  return llvm::all_of(computation, [&](Operation &op) {
    bool isKnown = op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::IsTerminator>() || isElementwise(&op);
    return isKnown && llvm::all_of(op.getOperands(), isOwn);
  });
}

bool isSmallProduct(sh::DotGeneralOp op) {
  Type element = ir::elementTypeOf(op.getResult());
  return (element.isF32() || element.isF64()) && ir::elementTypeOf(op.getLhs()) == element &&
         ir::elementTypeOf(op.getRhs()) == element && !op.getAlgorithm() && !contractedSizes(op).empty() &&
         typeOf(op.getResult()).getNumElements() * ShapedType::getNumElements(contractedSizes(op)) <= kMostProducts;
}

double nanosecondsOf(ir::ElementCost cost, const CostModel &costs) {
  switch (cost) {
  case ir::ElementCost::kSimple:
    return costs.scalarOp;
  case ir::ElementCost::kDivision:
  case ir::ElementCost::kRemainder:
  case ir::ElementCost::kRoot:
    return costs.scalarDivision;
  case ir::ElementCost::kExponential:
    return costs.scalarExponential;
  case ir::ElementCost::kTrigonometric:
  case ir::ElementCost::kSpecial:
    return costs.scalarTrigonometric;
  }
  llvm_unreachable("unknown cost");
}

// How many instructions of LLVM's a scalar op of the kind becomes, roughly: no cost of a target, but the size of code.
int64_t sizeOf(ir::ElementCost cost) {
  switch (cost) {
  case ir::ElementCost::kSimple:
    return 1;
  case ir::ElementCost::kDivision:
  case ir::ElementCost::kRemainder:
  case ir::ElementCost::kRoot:
    return 7;
  case ir::ElementCost::kExponential:
    return 20;
  case ir::ElementCost::kTrigonometric:
  case ir::ElementCost::kSpecial:
    return 40;
  }
  llvm_unreachable("unknown cost");
}

} // namespace

bool canBeScalars(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() < 1 ||
      tensor.getNumElements() > kMostUnrolledElements)
    return false;
  Type element = tensor.getElementType();
  return ir::isBool(element) || ir::isComplex(element) || ir::isFloat32Or64(element) || element.isBF16() ||
         element.isF16() || (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() >= 8);
}

bool canUnroll(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), canBeScalars) || !llvm::all_of(op->getResultTypes(), canBeScalars))
    return false;
  if (auto reduce = dyn_cast<sh::ReduceOp>(op))
    return isComputationOfScalars(reduce.getBody().front());
  if (auto product = dyn_cast<sh::DotGeneralOp>(op))
    return isSmallProduct(product);
  return isa<sh::SliceOp, sh::ReshapeOp, sh::BroadcastInDimOp, sh::TransposeOp, sh::ReverseOp, sh::ConcatenateOp,
             sh::DynamicSliceOp, sh::DynamicUpdateSliceOp>(op) ||
         isElementwise(op);
}

SmallVector<Elements> unroll(Operation *op, ElementsOf elementsOf, OpBuilder &builder) {
  if (auto reduce = dyn_cast<sh::ReduceOp>(op))
    return unrollReduction(reduce, elementsOf, builder);
  if (auto product = dyn_cast<sh::DotGeneralOp>(op))
    return {unrollProduct(product, elementsOf, builder)};
  if (auto concatenation = dyn_cast<sh::ConcatenateOp>(op))
    return {unrollConcatenation(concatenation, elementsOf)};
  if (auto slice = dyn_cast<sh::DynamicSliceOp>(op))
    return {unrollDynamicSlice(slice, elementsOf, builder)};
  if (auto update = dyn_cast<sh::DynamicUpdateSliceOp>(op))
    return {unrollUpdate(update, elementsOf, builder)};
  if (isElementwise(op))
    return {unrollElementwise(op, elementsOf, builder)};
  Elements from = elementsOf(op->getOperand(0)), result;
  for (int64_t position = 0; position < typeOf(op->getResult(0)).getNumElements(); ++position)
    result.push_back(from[sourceOf(op, position)]);
  return {result};
}

UnrolledCost unrolledCost(Operation *op, const CostModel &costs) {
  double elements = double(typeOf(op->getResult(0)).getNumElements());
  UnrolledCost cost;
  auto add = [&](Operation *each, double times) {
    ir::ElementCost kind = ir::elementCost(each->getName()).value_or(ir::ElementCost::kSimple);
    cost.nanoseconds += times * nanosecondsOf(kind, costs);
    cost.ops += int64_t(times) * sizeOf(kind);
  };
  if (auto reduce = dyn_cast<sh::ReduceOp>(op)) {
    for (Operation &inner : reduce.getBody().front().without_terminator())
      add(&inner, double(typeOf(reduce.getInputs()[0]).getNumElements()));
  } else if (auto product = dyn_cast<sh::DotGeneralOp>(op)) {
    add(op, 2 * elements * double(ShapedType::getNumElements(contractedSizes(product))));
  } else if (isElementwise(op)) {
    add(op, elements);
  } else if (isa<sh::DynamicSliceOp, sh::DynamicUpdateSliceOp>(op)) {
    Value part = isa<sh::DynamicSliceOp>(op) ? op->getResult(0) : op->getOperand(1);
    int64_t starts = ShapedType::getNumElements(startCounts(shapeOf(op->getOperand(0)), shapeOf(part)));
    add(op, double(starts) * double(typeOf(part).getNumElements() + 2));
  }
  return cost;
}

Elements takeApart(Value array, OpBuilder &builder) {
  DenseElementsAttr constant;
  if (matchPattern(array, m_Constant(&constant)))
    return unrollConstant(constant, array.getLoc(), builder);
  if (auto iota = array.getDefiningOp<sh::IotaOp>())
    if (Elements numbers = unrollIota(iota, builder); !numbers.empty())
      return numbers;
  if (ir::isScalarTensor(array.getType()))
    return {array};
  ArrayRef<int64_t> shape = shapeOf(array);
  RankedTensorType one = typeOf(array).clone(SmallVector<int64_t>(shape.size(), 1));
  Elements result;
  for (int64_t position = 0; position < typeOf(array).getNumElements(); ++position) {
    SmallVector<int64_t> start = indexAt(shape, position);
    SmallVector<int64_t> limit = llvm::map_to_vector(start, [](int64_t at) { return at + 1; });
    SmallVector<int64_t> strides(shape.size(), 1);
    Value element = one == array.getType()
                        ? array
                        : sh::SliceOp::create(builder, array.getLoc(), one, array, start, limit, strides).getResult();
    result.push_back(sh::ReshapeOp::create(builder, array.getLoc(), scalarLike(array), element));
  }
  return result;
}

Value putTogether(RankedTensorType type, ValueRange elements, Location loc, OpBuilder &builder) {
  if (type.getRank() == 0)
    return elements.front();
  RankedTensorType one = type.clone(ArrayRef<int64_t>{1}), row = type.clone(ArrayRef<int64_t>{type.getNumElements()});
  Elements pieces = llvm::map_to_vector(
      elements, [&](Value element) -> Value { return sh::ReshapeOp::create(builder, loc, one, element); });
  Value array = pieces.size() == 1 ? pieces[0] : sh::ConcatenateOp::create(builder, loc, row, pieces, 0).getResult();
  return type == array.getType() ? array : sh::ReshapeOp::create(builder, loc, type, array).getResult();
}

} // namespace tenon::passes
