// select_and_scatter along a dimension that is cut: each device has the windows that reach its part of the operand, all
// of their elements and their sources, and keeps its part of what comes out.
//
//   x: [a b c d | e f g h], windows of 3 by steps of 2    the second device: windows [c d e], [e f g], [g h -]
//
// The last one of these is none of the program's, and adds what changes nothing. Where parts are no whole number of
// steps, larger ones are computed, and what belongs to neighbours is given to them.
//
// Where windows reach outside of the operand, as padding lets them, the elements there must never be selected: along
// with each element windows then select its place, which is none outside, and a scatter adds to these places.
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/indices.h"
#include "tenon/passes/partition/local/window_ops.h"

#include "tenon/ir/types.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// The windows that reach the parts of a dimension. Those that are computed are a whole number of steps, so that the
// windows are as many for each.
struct Reach {
  Window ofSources, ofElements; // the device's own part among them; for a result of one element on each device
  int64_t before;               // elements before the device's own
  int64_t part;                 // what is computed
};

std::optional<Reach> reachOf(sh::SelectAndScatterOp op, int64_t dimension, int64_t parts) {
  int64_t size = ir::typeOf(op.getOperand()).getDimSize(dimension), step = at(op.getWindowStrides(), dimension),
          width = at(op.getWindowDimensions(), dimension), own = llvm::divideCeil(size, parts),
          part = llvm::alignTo(own, step);
  int64_t low = paddingOf(op.getPadding(), ir::typeOf(op.getOperand()).getRank())[2 * dimension];
  if (part == 0 || (part != own && !haloOf(part * parts, size, parts, Window{})))
    return std::nullopt;
  // The first of the first part's windows that reaches it, or one that begins no later than the part, and how many
  // there are from then on.
  int64_t first = std::min(llvm::divideCeilSigned(low - width + 1, step), llvm::divideFloorSigned(low, step)),
          count = llvm::divideFloorSigned(part - 1 + low, step) - first + 1;
  int64_t before = low - first * step, reached = std::max((count - 1) * step + width, before + part);
  Reach reach{{part / step, -first, count}, {part, before, reached}, before, part};
  int64_t sources = ir::typeOf(op.getSource()).getDimSize(dimension);
  return haloOf(size, parts, parts, reach.ofElements) && haloOf(sources, parts, parts, reach.ofSources)
             ? std::optional(reach)
             : std::nullopt;
}

bool canCutSelectAndScatter(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  auto select = cast<sh::SelectAndScatterOp>(op);
  if (factors.factors[factor].type == ir::FactorType::kPassThrough)
    return hasFactor(factors.results[0], factor);
  std::optional<SumKind> kind = sumKindOf(select.getScatter());
  Type element = ir::typeOf(select.getSource()).getElementType();
  return factors.factors[factor].type == ir::FactorType::kMoves && kind && isSummable(element, *kind) &&
         reachOf(select, dimensionOf(factors.operands[0], factor), parts);
}

bool isPadded(sh::SelectAndScatterOp op, int64_t dimension) {
  SmallVector<int64_t> padding = paddingOf(op.getPadding(), ir::typeOf(op.getOperand()).getRank());
  return padding[2 * dimension] != 0 || padding[2 * dimension + 1] != 0;
}

// A dimension of what a device has of the operand with its halo, part of which may be outside.
struct Reached {
  int64_t dimension, size; // of the whole operand
  Value start;             // where this begins in it (i32)
};

// The number of each element of an array of these sizes, and of those outside none.
Value placesIn(ArrayBuilder &builder, Sizes sizes, ArrayRef<Reached> reached) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  Value places = builder.reshape(builder.iota({count}, 0), sizes);
  for (const Reached &along : reached) {
    Value at = builder.add(builder.iota(sizes, along.dimension), builder.broadcast(along.start, sizes, {}));
    places = builder.select(isBetween(builder, at, 0, along.size), places,
                            builder.fill(builder.builder.getI32Type(), sizes, -1));
  }
  return places;
}

// The places that windows select, of which there are as many as of `sizes`. Where they find none, there is none.
Value selectedPlaces(LocalOp &op, Value operand, Value places, Sizes sizes, ArrayRef<int64_t> padding) {
  ArrayBuilder &builder = op.builder;
  auto select = cast<sh::SelectAndScatterOp>(op.op);
  RankedTensorType type = ir::typeOf(operand), numbers = ir::typeOf(places);
  Type number = RankedTensorType::get({}, numbers.getElementType());
  OperationState state(builder.loc, sh::ReduceWindowOp::getOperationName(),
                       {operand, places, builder.fill(type.getElementType(), {}, 0), builder.i32(-1)},
                       {type.clone(sizes), numbers.clone(sizes)});
  for (StringRef name : {"window_dimensions", "window_strides"})
    if (Attribute given = select->getAttr(name))
      state.addAttribute(name, given);
  if (!select.getWindowDimensions())
    state.addAttribute("window_dimensions",
                       builder.builder.getDenseI64ArrayAttr(SmallVector<int64_t>(type.getRank(), 1)));
  state.attributes.push_back(partition::padding(op, padding));
  IRMapping mapping = op.captures;
  Region *region = state.addRegion();
  select.getSelect().cloneInto(region, mapping);
  // (a, b) becomes (a, its place, b, its place).
  Block &body = region->front();
  body.insertArgument(1u, number, builder.loc);
  body.insertArgument(3u, number, builder.loc);
  Operation *end = body.getTerminator();
  OpBuilder inner(end);
  ArrayBuilder scalars(inner, builder.loc);
  using enum sh::ComparisonDirection;
  Value isThere = scalars.compare(body.getArgument(1), GE, scalars.i32(0)),
        isAlone = scalars.compare(body.getArgument(3), LT, scalars.i32(0));
  Value isFirst = scalars.binary<sh::OrOp>(isAlone, scalars.logicalAnd(isThere, end->getOperand(0)));
  end->setOperands({scalars.select(isFirst, body.getArgument(0), body.getArgument(2)),
                    scalars.select(isFirst, body.getArgument(1), body.getArgument(3))});
  return builder.builder.create(state)->getResult(1);
}

// The sources at these places of an array of the initial value.
Value scattered(LocalOp &op, Sizes sizes, Value places, Value source) {
  ArrayBuilder &builder = op.builder;
  auto select = cast<sh::SelectAndScatterOp>(op.op);
  int64_t count = 1, windows = ir::typeOf(places).getNumElements();
  for (int64_t size : sizes)
    count *= size;
  auto numbers = sh::ScatterDimensionNumbersAttr::get(source.getContext(), {}, {0}, {}, {}, {0}, /*indexVectorDim=*/1);
  Value initial = builder.broadcast(op.operands[2], {count}, {});
  auto scatter = sh::ScatterOp::create(builder.builder, builder.loc, TypeRange{initial.getType()}, ValueRange{initial},
                                       builder.reshape(places, {windows, 1}),
                                       ValueRange{builder.reshape(source, {windows})}, numbers, false, false);
  IRMapping mapping = op.captures;
  select.getScatter().cloneInto(&scatter.getUpdateComputation(), mapping);
  return builder.reshape(scatter->getResult(0), sizes);
}

// The op on an operand with its halo.
Value selectedAndScattered(LocalOp &op, Value operand, Value source, ArrayRef<Reached> reached) {
  ArrayBuilder &builder = op.builder;
  auto select = cast<sh::SelectAndScatterOp>(op.op);
  SmallVector<int64_t> padding = paddingOf(select.getPadding(), ir::typeOf(operand).getRank());
  for (const Reached &along : reached)
    padding[2 * along.dimension] = padding[2 * along.dimension + 1] = 0;
  Sizes sizes = ir::shapeOf(operand);
  if (llvm::any_of(reached, [&](const Reached &along) { return isPadded(select, along.dimension); }))
    return scattered(op, sizes,
                     selectedPlaces(op, operand, placesIn(builder, sizes, reached), ir::shapeOf(source), padding),
                     source);
  OperationState state(builder.loc, select->getName(), {operand, source, op.operands[2]},
                       op.localResultType(0).clone(sizes), select->getAttrs());
  for (Region &region : select->getRegions()) {
    IRMapping mapping = op.captures;
    region.cloneInto(state.addRegion(), mapping);
  }
  Operation *local = builder.builder.create(state);
  local->removeAttr("sdy.sharding");
  return local->getResult(0);
}

SmallVector<Value> buildSelectAndScatter(LocalOp &op) {
  ArrayBuilder &builder = op.builder;
  auto select = cast<sh::SelectAndScatterOp>(op.op);
  Value operand = op.operands[0], source = op.operands[1];
  SmallVector<int64_t> start, limit;
  SmallVector<CutDimension> moved; // of the result
  SmallVector<Reached> reached;
  for (int64_t i = 0; i < op.operandType(0).getRank(); ++i) {
    int64_t parts = partsOf(op, i), own = op.localOperandType(0).getDimSize(i);
    bool isMoved = op.factors.factors[op.factors.operands[0][i].front()].type == ir::FactorType::kMoves;
    int64_t before = 0;
    if (parts > 1 && isMoved) {
      Reach reach = *reachOf(select, i, parts);
      ir::Axes axes = op.operandSharding(0).dims[i].axes;
      Value neutral = neutralElement(builder, op.operandType(1).getElementType(), *sumKindOf(select.getScatter()));
      operand =
          withHalo(builder, operand, {i, op.operandType(0).getDimSize(i), parts, op.mesh, axes}, reach.ofElements, {});
      source = withHalo(builder, source, {i, op.operandType(1).getDimSize(i), parts, op.mesh, axes}, reach.ofSources,
                        neutral);
      before = reach.before;
      Value start = builder.multiply(partNumber(builder, op.mesh, axes), builder.i32(reach.part));
      reached.push_back({i, op.operandType(0).getDimSize(i), builder.subtract(start, builder.i32(before))});
      if (reach.part != own)
        moved.push_back({i, reach.part * parts, op.operandType(0).getDimSize(i), op.mesh, axes});
      own = reach.part;
    }
    start.push_back(before);
    limit.push_back(before + own);
  }
  Value result = selectedAndScattered(op, operand, source, reached);
  if (result.getType() != op.localResultType(0))
    result = builder.slice(result, start, limit);
  for (const CutDimension &cut : moved)
    result = withHalo(builder, result, cut, Window{}, {});
  return {result};
}

// A source is where its window is.
ir::Factors factorsOfSelectAndScatter(Operation *op, const ir::Factors &spread) {
  ir::Factors factors = spread;
  for (auto [i, numbers] : llvm::enumerate(factors.operands[0]))
    if (factors.factors[numbers.front()].type == ir::FactorType::kMoves)
      factors.operands[1][i] = numbers;
  return factors;
}

} // namespace

LocalForm selectAndScatterForm() {
  return {.factors = factorsOfSelectAndScatter, .canCut = canCutSelectAndScatter, .build = buildSelectAndScatter};
}

} // namespace tenon::passes::partition
