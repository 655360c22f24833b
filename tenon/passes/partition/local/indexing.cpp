// Ops that read or write at computed indices. Where the indexed dimension is cut, indices are counted from the device's
// part: what is not in there, another device reads or writes.
//
//   gather (x : [8, 3] cut in 2 along dimension 0, i : [5])     =>  s = i - start;  g = gather (x : [4, 3], s)
//                                                                   select (s in [0, 4), g, neutral), unreduced
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/indices.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

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
  Value zeros() {
    SmallVector<int64_t> sizes(ir::shapeOf(indices_));
    sizes[vectorDim_] = 1;
    return builder_.fill(builder_.builder.getI32Type(), sizes, 0);
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

//===- gather ----------------------------------------------------------------------------------------------------===//

// The same number of elements on both sides of each dimension.
Value padded(ArrayBuilder &builder, Value value, ArrayRef<int64_t> around, Value filler) {
  if (llvm::all_of(around, [](int64_t size) { return size == 0; }))
    return value;
  RankedTensorType type = ir::typeOf(value);
  SmallVector<int64_t> sizes(type.getShape()), none(type.getRank(), 0);
  for (auto [size, added] : llvm::zip_equal(sizes, around))
    size += 2 * added;
  return sh::PadOp::create(builder.builder, builder.loc, type.clone(sizes), value, filler, around, around, none);
}

// The filler in place of all slices for which the mask, of the indices' shape, is false.
Value maskedBatches(ArrayBuilder &builder, Value found, Value mask, ArrayRef<int64_t> offsetDims, Value filler) {
  SmallVector<int64_t> batch;
  for (int64_t i = 0; i < ir::typeOf(found).getRank(); ++i)
    if (!llvm::is_contained(offsetDims, i))
      batch.push_back(i);
  ArrayRef<int64_t> shape = ir::shapeOf(found);
  return builder.select(builder.broadcast(mask, shape, batch), found, builder.broadcast(filler, shape, {}));
}

// Windows of several elements may be on several devices: each has its part's share, and what is neutral in place of the
// rest, of which its part is given some on both sides.
SmallVector<Value> buildGather(LocalOp &op) {
  ArrayBuilder &builder = op.builder;
  auto gather = cast<sh::GatherOp>(op.op);
  sh::GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
  ir::Sharding sharding = op.operandSharding(0);
  RankedTensorType whole = op.operandType(0), local = op.localOperandType(0);
  SmallVector<int64_t> sizes(gather.getSliceSizes()), indexed(numbers.getStartIndexMap());
  auto isMoved = [&](int64_t i) {
    return isCut(sharding, i) && gather.getSliceSizes()[i] != whole.getDimSize(i) &&
           !llvm::is_contained(numbers.getOperandBatchingDims(), i);
  };
  for (int64_t i = 0; i < whole.getRank(); ++i)
    if (isCut(sharding, i) && gather.getSliceSizes()[i] == whole.getDimSize(i))
      sizes[i] = local.getDimSize(i);
    else if (isMoved(i) && !llvm::is_contained(indexed, i))
      indexed.push_back(i);
  NamedAttribute sliceSizes = builder.builder.getNamedAttr("slice_sizes", builder.builder.getDenseI64ArrayAttr(sizes));
  if (llvm::none_of(indexed, isMoved))
    return op.cloneWith(op.operands, sliceSizes);

  IndexVectors vectors(builder, op.operands[1], numbers.getIndexVectorDim());
  SmallVector<int64_t> around(whole.getRank(), 0);
  SmallVector<Value> components;
  Value isHere;
  for (auto [i, dimension] : llvm::enumerate(indexed)) {
    int64_t size = gather.getSliceSizes()[dimension];
    bool isGiven = i < numbers.getStartIndexMap().size();
    Value component =
        isGiven ? clamped(builder, vectors.component(static_cast<int64_t>(i)), whole.getDimSize(dimension) - size)
                : vectors.zeros();
    if (isMoved(dimension))
      component = fromPart(op, 0, dimension, component);
    if (isMoved(dimension) && size == 1) {
      Value isIn = isBetween(builder, component, 0, local.getDimSize(dimension));
      isHere = isHere ? builder.logicalAnd(isHere, isIn) : isIn;
    } else if (isMoved(dimension)) {
      around[dimension] = size;
      component = builder.add(component, filled(builder, ir::typeOf(component), size));
    }
    components.push_back(component);
  }
  Value neutral = neutralElement(builder, whole.getElementType(), SumKind::kAdd);
  auto ownNumbers = sh::GatherDimensionNumbersAttr::get(
      numbers.getContext(), numbers.getOffsetDims(), numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims(),
      numbers.getStartIndicesBatchingDims(), indexed, numbers.getIndexVectorDim());
  // Indices that were sorted are so no longer where they are brought to the part's edges.
  Value found = op.cloneWith({padded(builder, op.operands[0], around, neutral), vectors.join(components)},
                             {sliceSizes, builder.builder.getNamedAttr("dimension_numbers", ownNumbers),
                              builder.builder.getNamedAttr("indices_are_sorted", builder.builder.getBoolAttr(false))})
                    .front();
  return {isHere ? maskedBatches(builder, found, vectors.flat(isHere), numbers.getOffsetDims(), neutral) : found};
}

ir::Factors factorsOfGather(Operation *op, const ir::Factors &factors) {
  return withOwnResults(op, factors, [&](size_t number) {
    return factors.factors[number].type == ir::FactorType::kReplicated && hasFactor(factors.operands[0], number);
  });
}

//===- scatter ---------------------------------------------------------------------------------------------------===//

std::optional<SumKind> sumOfScatter(Operation *op) {
  std::optional<SumKind> kind = sumKindOf(cast<sh::ScatterOp>(op).getUpdateComputation());
  if (!kind || op->getNumResults() != 1)
    return std::nullopt;
  Type element = ir::typeOf(op->getResult(0)).getElementType();
  return isSummableInF32(element, *kind) ? kind : std::nullopt;
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

// The same, of another element type: a sum of shorter floats in f32.
Value scatteredIn(LocalOp &op, RankedTensorType type, ArrayRef<Value> operands) {
  auto scatter = cast<sh::ScatterOp>(op.op);
  auto in = [&](Value value) -> Value {
    return sh::ConvertOp::create(op.builder.builder, op.builder.loc, ir::typeOf(value).clone(type.getElementType()),
                                 value);
  };
  auto wide = sh::ScatterOp::create(op.builder.builder, op.builder.loc, TypeRange{type}, ValueRange{in(operands[0])},
                                    operands[1], ValueRange{in(operands[2])}, scatter.getScatterDimensionNumbers(),
                                    op.builder.builder.getBoolAttr(false),
                                    op.builder.builder.getBoolAttr(scatter.getUniqueIndices()));
  addComputation(op.builder, wide.getUpdateComputation(), type.getElementType(), *sumOfScatter(op.op));
  return wide->getResult(0);
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
        Value isNone =
            op.builder.compare(component, sh::ComparisonDirection::LT, filled(op.builder, ir::typeOf(component), 0));
        component = op.builder.select(isNone, component, fromPart(op, 0, dimension, component));
      }
      components.push_back(component);
    }
    operands[inputs] = vectors.join(components);
  }
  ir::Axes axes = op.resultSharding(0).unreduced;
  if (!axes.empty()) { // one input
    SumKind kind = *sumOfScatter(op.op);
    RankedTensorType type = op.localOperandType(0);
    Value neutral = neutralElement(op.builder, type.getElementType(), kind);
    operands[2] = op.maskedOperand(2, neutral);
    if (kind == SumKind::kAdd || kind == SumKind::kMultiply) {
      Value number = partNumber(op.builder, op.mesh, axes);
      Value isFirst = op.builder.compare(number, sh::ComparisonDirection::EQ, op.builder.i32(0));
      operands[0] = op.builder.select(op.builder.broadcast(isFirst, type.getShape(), {}), operands[0],
                                      op.builder.broadcast(neutral, type.getShape(), {}));
    }
  }
  if (op.localResultType(0).getElementType() != op.resultType(0).getElementType())
    return {scatteredIn(op, op.localResultType(0), operands)};
  // Indices that were sorted may no longer be: those of other devices are -1.
  return op.cloneWith(operands,
                      op.builder.builder.getNamedAttr("indices_are_sorted", op.builder.builder.getBoolAttr(false)));
}

} // namespace

LocalForm gatherForm() { return {.factors = factorsOfGather, .sum = sumOfMoved, .build = buildGather}; }
LocalForm scatterForm(Operation *op) {
  std::optional<SumKind> kind = sumOfScatter(op);
  bool isRounded = kind == SumKind::kAdd || kind == SumKind::kMultiply;
  return {.canCut = canCutScatter, .sum = sumOfScatter, .addsInF32 = isRounded, .build = buildScatter};
}

} // namespace tenon::passes::partition
