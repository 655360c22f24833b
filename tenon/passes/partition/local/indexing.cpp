// Ops that read or write at computed indices. Where the indexed dimension is cut, indices are counted from the device's
// part: what is not in there, another device reads or writes.
//
//   gather (x : [8, 3] cut in 2 along dimension 0, i : [5])     =>  s = i - start;  g = gather (x : [4, 3], s)
//                                                                   select (s in [0, 4), g, neutral), unreduced
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/forms.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

constexpr auto kLess = sh::ComparisonDirection::LT;
constexpr auto kNotLess = sh::ComparisonDirection::GE;

bool isCut(const ir::Sharding &sharding, int64_t dimension) { return !sharding.dims[dimension].axes.empty(); }

Value filled(ArrayBuilder &builder, RankedTensorType type, int64_t value) {
  return builder.fill(type.getElementType(), type.getShape(), static_cast<double>(value));
}

// The largest integer that is of the type and not above the limit.
int64_t withinType(Type element, int64_t limit) {
  auto integers = cast<IntegerType>(element);
  unsigned bits = integers.getWidth() - (integers.isUnsigned() ? 0 : 1);
  return bits >= 63 ? limit : std::min(limit, (int64_t{1} << bits) - 1);
}

Value toI32(ArrayBuilder &builder, Value value) {
  RankedTensorType type = ir::typeOf(value).clone(builder.builder.getI32Type());
  return value.getType() == type ? value : sh::ConvertOp::create(builder.builder, builder.loc, type, value).getResult();
}

// Indices, of any integer type, brought to [0, limit], as i32.
Value clamped(ArrayBuilder &builder, Value indices, int64_t limit) {
  RankedTensorType type = ir::typeOf(indices);
  Value high = filled(builder, type, withinType(type.getElementType(), limit));
  Value positive = builder.binary<sh::MaximumOp>(indices, filled(builder, type, 0));
  return toI32(builder, builder.binary<sh::MinimumOp>(positive, high));
}

// Indices that are in [0, size), as i32; -1 for others.
Value orNone(ArrayBuilder &builder, Value indices, int64_t size) {
  RankedTensorType type = ir::typeOf(indices);
  Value near = clamped(builder, indices, size - 1);
  Value isIn = builder.compare(indices, kNotLess, filled(builder, type, 0));
  if (withinType(type.getElementType(), size) == size)
    isIn = builder.logicalAnd(isIn, builder.compare(indices, kLess, filled(builder, type, size)));
  return builder.select(isIn, near, filled(builder, ir::typeOf(near), -1));
}

Value isBetween(ArrayBuilder &builder, Value indices, int64_t low, int64_t limit) {
  RankedTensorType type = ir::typeOf(indices);
  return builder.logicalAnd(builder.compare(indices, kNotLess, filled(builder, type, low)),
                            builder.compare(indices, kLess, filled(builder, type, limit)));
}

// Index vectors taken apart and put together. Scalar indices are vectors of one.
class IndexVectors {
public:
  IndexVectors(ArrayBuilder &builder, Value indices, int64_t vectorDim)
      : builder_(builder), indices_(indices), vectorDim_(vectorDim) {
    SmallVector<int64_t> sizes(ir::shapeOf(indices));
    if (vectorDim == static_cast<int64_t>(sizes.size())) {
      sizes.push_back(1);
      indices_ = builder.reshape(indices, sizes);
    }
  }

  // With a 1 in place of the vector.
  Value component(int64_t number) {
    SmallVector<int64_t> start(ir::shapeOf(indices_).size(), 0), limit(ir::shapeOf(indices_));
    start[vectorDim_] = number;
    limit[vectorDim_] = number + 1;
    return builder_.slice(indices_, start, limit);
  }
  Value join(ValueRange components) {
    SmallVector<int64_t> sizes(ir::shapeOf(components[0]));
    sizes[vectorDim_] = static_cast<int64_t>(components.size());
    return sh::ConcatenateOp::create(builder_.builder, builder_.loc, ir::typeOf(components[0]).clone(sizes), components,
                                     static_cast<uint64_t>(vectorDim_));
  }
  // Without the vector.
  Value flat(Value component) {
    SmallVector<int64_t> sizes(ir::shapeOf(component));
    sizes.erase(sizes.begin() + vectorDim_);
    return builder_.reshape(component, sizes);
  }

private:
  ArrayBuilder &builder_;
  Value indices_;
  int64_t vectorDim_;
};

Value fromPart(LocalOp &op, size_t operand, int64_t dimension, Value indices) {
  Value start = partStart(op.builder, op.operandType(operand), op.operandSharding(operand), dimension);
  return op.builder.subtract(indices, op.builder.broadcast(start, ir::shapeOf(indices), {}));
}

//===- gather ----------------------------------------------------------------------------------------------------===//

std::optional<SumKind> sumOfGather(Operation *op) {
  Type element = ir::typeOf(op->getResult(0)).getElementType();
  return isSummable(element, SumKind::kAdd) ? std::optional(SumKind::kAdd) : std::nullopt;
}

SmallVector<Value> buildGather(LocalOp &op) {
  auto gather = cast<sh::GatherOp>(op.op);
  sh::GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
  ir::Sharding sharding = op.operandSharding(0);
  RankedTensorType whole = op.operandType(0), local = op.localOperandType(0);
  SmallVector<int64_t> sizes(gather.getSliceSizes());
  bool areIndicesCut = false;
  for (auto [dimension, size] : llvm::enumerate(sizes)) {
    bool isReduced = llvm::is_contained(numbers.getStartIndexMap(), static_cast<int64_t>(dimension)) && size == 1;
    areIndicesCut |= isReduced && isCut(sharding, static_cast<int64_t>(dimension));
    if (isCut(sharding, static_cast<int64_t>(dimension)) && size == whole.getDimSize(dimension))
      size = local.getDimSize(dimension);
  }
  NamedAttribute sliceSizes =
      op.builder.builder.getNamedAttr("slice_sizes", op.builder.builder.getDenseI64ArrayAttr(sizes));
  if (!areIndicesCut)
    return op.cloneWith(op.operands, sliceSizes);

  IndexVectors vectors(op.builder, op.operands[1], numbers.getIndexVectorDim());
  SmallVector<Value> components;
  Value isHere;
  for (auto [i, dimension] : llvm::enumerate(numbers.getStartIndexMap())) {
    int64_t last = whole.getDimSize(dimension) - gather.getSliceSizes()[dimension];
    Value component = clamped(op.builder, vectors.component(static_cast<int64_t>(i)), last);
    if (isCut(sharding, dimension) && gather.getSliceSizes()[dimension] == 1) {
      component = fromPart(op, 0, dimension, component);
      Value isIn = isBetween(op.builder, component, 0, local.getDimSize(dimension));
      isHere = isHere ? op.builder.logicalAnd(isHere, isIn) : isIn;
    }
    components.push_back(component);
  }
  Value found = op.cloneWith({op.operands[0], vectors.join(components)}, sliceSizes)[0];
  SmallVector<int64_t> batch;
  for (int64_t i = 0; i < ir::typeOf(found).getRank(); ++i)
    if (!llvm::is_contained(numbers.getOffsetDims(), i))
      batch.push_back(i);
  ArrayRef<int64_t> shape = ir::shapeOf(found);
  Value mask = op.builder.broadcast(vectors.flat(isHere), shape, batch);
  Value neutral = neutralElement(op.builder, ir::typeOf(found).getElementType(), SumKind::kAdd);
  return {op.builder.select(mask, found, op.builder.broadcast(neutral, shape, {}))};
}

//===- scatter ---------------------------------------------------------------------------------------------------===//

std::optional<SumKind> sumOfScatter(Operation *op) {
  std::optional<SumKind> kind = sumKindOf(cast<sh::ScatterOp>(op).getUpdateComputation());
  if (!kind || op->getNumResults() != 1)
    return std::nullopt;
  Type element = ir::typeOf(op->getResult(0)).getElementType();
  return isSummable(element, *kind) ? kind : std::nullopt;
}

// Whether a dimension of the input has start indices.
bool isIndexed(sh::ScatterOp op, int64_t dimension) {
  return llvm::is_contained(op.getScatterDimensionNumbers().getScatterDimsToOperandDims(), dimension);
}

bool canCutScatter(Operation *op, const ir::Factors &factors, size_t factor, int64_t) {
  auto scatter = cast<sh::ScatterOp>(op);
  if (factors.factors[factor].type == ir::FactorType::kReduction)
    return sumOfScatter(op).has_value();
  if (factors.factors[factor].type != ir::FactorType::kPassThrough || !hasFactor(factors.results[0], factor))
    return false;
  // A window that does not begin at 0 would cross the parts' edges.
  for (auto [dimension, numbers] : llvm::enumerate(factors.operands[0])) {
    auto number = static_cast<int64_t>(dimension);
    bool isInserted = llvm::is_contained(scatter.getScatterDimensionNumbers().getInsertedWindowDims(), number);
    if (llvm::is_contained(numbers, static_cast<int64_t>(factor)) && !isInserted && isIndexed(scatter, number))
      return false;
  }
  return true;
}

SmallVector<Value> buildScatter(LocalOp &op) {
  auto scatter = cast<sh::ScatterOp>(op.op);
  sh::ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
  size_t inputs = scatter.getInputs().size();
  ir::Sharding sharding = op.operandSharding(0);
  SmallVector<Value> operands = llvm::to_vector(op.operands);
  auto isHandled = [&](int64_t dimension) {
    return isCut(sharding, dimension) && llvm::is_contained(numbers.getInsertedWindowDims(), dimension);
  };
  if (llvm::any_of(numbers.getScatterDimsToOperandDims(), isHandled)) {
    IndexVectors vectors(op.builder, operands[inputs], numbers.getIndexVectorDim());
    SmallVector<Value> components;
    for (auto [i, dimension] : llvm::enumerate(numbers.getScatterDimsToOperandDims())) {
      Value component = vectors.component(static_cast<int64_t>(i));
      component = orNone(op.builder, component, op.operandType(0).getDimSize(dimension));
      if (isHandled(dimension)) {
        Value isNone = op.builder.compare(component, kLess, filled(op.builder, ir::typeOf(component), 0));
        component = op.builder.select(isNone, component, fromPart(op, 0, dimension, component));
      }
      components.push_back(component);
    }
    operands[inputs] = vectors.join(components);
  }
  ir::Axes axes = op.resultSharding(0).unreduced;
  if (!axes.empty()) { // one input
    SumKind kind = *sumOfScatter(op.op);
    RankedTensorType type = op.localResultType(0);
    Value neutral = neutralElement(op.builder, type.getElementType(), kind);
    operands[2] = op.maskedOperand(2, neutral);
    if (kind == SumKind::kAdd || kind == SumKind::kMultiply) {
      Value number = partNumber(op.builder, op.mesh, axes);
      Value isFirst = op.builder.compare(number, sh::ComparisonDirection::EQ, op.builder.i32(0));
      operands[0] = op.builder.select(op.builder.broadcast(isFirst, type.getShape(), {}), operands[0],
                                      op.builder.broadcast(neutral, type.getShape(), {}));
    }
  }
  // Indices that were sorted may no longer be: those of other devices are -1.
  return op.cloneWith(operands,
                      op.builder.builder.getNamedAttr("indices_are_sorted", op.builder.builder.getBoolAttr(false)));
}

//===- dynamic_update_slice --------------------------------------------------------------------------------------===//

bool canCutUpdate(Operation *, const ir::Factors &factors, size_t factor, int64_t) {
  return factors.factors[factor].type == ir::FactorType::kPassThrough && hasFactor(factors.results[0], factor);
}

// Where the dimension that is written to is cut, each device has the whole update, moved to where it is in its part:
//
//   old = dynamic_slice operand;  new = select (is inside, moved, old);  dynamic_update_slice operand, new
SmallVector<Value> buildUpdate(LocalOp &op) {
  ir::Sharding sharding = op.operandSharding(0);
  RankedTensorType whole = op.operandType(0), update = op.localOperandType(1), local = op.localOperandType(0);
  auto isMoved = [&](int64_t i) {
    return isCut(sharding, i) && op.operandType(1).getDimSize(i) != whole.getDimSize(i);
  };
  SmallVector<int64_t> moved, none(whole.getRank(), 0), around(whole.getRank(), 0), padded(update.getShape()),
      sizes(update.getShape());
  for (int64_t i = 0; i < whole.getRank(); ++i)
    if (isMoved(i)) {
      moved.push_back(i);
      around[i] = sizes[i] = local.getDimSize(i);
      padded[i] += 2 * sizes[i];
    }
  if (moved.empty())
    return op.cloneWith(op.operands);
  ArrayBuilder &builder = op.builder;
  Value mask;
  SmallVector<Value> places, starts;
  for (int64_t i = 0; i < whole.getRank(); ++i) {
    Value start = clamped(builder, op.operands[2 + i], whole.getDimSize(i) - op.operandType(1).getDimSize(i));
    places.push_back(isCut(sharding, i) && !isMoved(i) ? builder.i32(0) : start);
    starts.push_back(isMoved(i) ? builder.i32(0) : places.back());
    if (!isMoved(i)) {
      places.back() = builder.i32(0);
      continue;
    }
    // What the device's first place is in the update.
    Value first = builder.subtract(partStart(builder, whole, sharding, i), start);
    places.back() = builder.add(first, builder.i32(sizes[i]));
    Value positions = builder.add(builder.iota(sizes, i), builder.broadcast(first, sizes, {}));
    Value isIn = isBetween(builder, positions, 0, op.operandType(1).getDimSize(i));
    mask = mask ? builder.logicalAnd(mask, isIn) : isIn;
  }
  Value filler = sh::ConstantOp::create(
      builder.builder, builder.loc,
      cast<ElementsAttr>(builder.builder.getZeroAttr(RankedTensorType::get({}, update.getElementType()))));
  Value wide = sh::PadOp::create(builder.builder, builder.loc, update.clone(padded), op.operands[1], filler, around,
                                 around, none);
  Value shifted = sh::DynamicSliceOp::create(builder.builder, builder.loc, update.clone(sizes), wide, places, sizes);
  Value old =
      sh::DynamicSliceOp::create(builder.builder, builder.loc, update.clone(sizes), op.operands[0], starts, sizes);
  SmallVector<Value> operands = {op.operands[0], builder.select(mask, shifted, old)};
  operands.append(starts);
  return op.cloneWith(operands);
}

} // namespace

LocalForm gatherForm() { return {.sum = sumOfGather, .build = buildGather}; }
LocalForm scatterForm() { return {.canCut = canCutScatter, .sum = sumOfScatter, .build = buildScatter}; }
LocalForm updateForm() { return {.canCut = canCutUpdate, .build = buildUpdate}; }

} // namespace tenon::passes::partition
