// select_and_scatter along a dimension that is cut: each device has the windows that reach its part of the operand, all
// of their elements and their sources, and keeps its part of what comes out.
//
//   x: [a b c d | e f g h], windows of 3 by steps of 2    the second device: windows [c d e], [e f g], [g h -]
//
// The last one of these is none of the program's, and adds what changes nothing. Where parts are no whole number of
// steps, larger ones are computed, and what belongs to neighbours is given to them.
#include "tenon/passes/partition/local/forms.h"
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
  SmallVector<int64_t> padding = paddingOf(op.getPadding(), ir::typeOf(op.getOperand()).getRank());
  // Padding is never selected, which elements of other values might be.
  if (padding[2 * dimension] != 0 || padding[2 * dimension + 1] != 0 || part == 0)
    return std::nullopt;
  if (part != own && !haloOf(part * parts, size, parts, Window{}))
    return std::nullopt;
  int64_t first = -((width - 1) / step), count = (part - 1) / step - first + 1; // of the first part's windows
  int64_t before = -first * step, reached = std::max((count - 1) * step + width, before + part);
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

SmallVector<Value> buildSelectAndScatter(LocalOp &op) {
  ArrayBuilder &builder = op.builder;
  auto select = cast<sh::SelectAndScatterOp>(op.op);
  Value operand = op.operands[0], source = op.operands[1];
  SmallVector<int64_t> start, limit;
  SmallVector<CutDimension> moved; // of the result
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
      if (reach.part != own)
        moved.push_back({i, reach.part * parts, op.operandType(0).getDimSize(i), op.mesh, axes});
      own = reach.part;
    }
    start.push_back(before);
    limit.push_back(before + own);
  }
  OperationState state(builder.loc, select->getName(), {operand, source, op.operands[2]},
                       op.localResultType(0).clone(ir::shapeOf(operand)), select->getAttrs());
  for (Region &region : select->getRegions()) {
    IRMapping mapping = op.captures;
    region.cloneInto(state.addRegion(), mapping);
  }
  Operation *local = builder.builder.create(state);
  local->removeAttr("sdy.sharding");
  Value result = local->getResult(0);
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
