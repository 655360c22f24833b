// Sums, maxima and the like of all that is before, or behind, along a dimension that is cut:
//
//   x: [1 2 | 3 4 | 5 6]   each device's own: [1 3 | 3 7 | 5 11]   of the devices before: 0 | 3 | 3 + 7
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/local/forms.h"

#include "tenon/ir/types.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

bool areOnes(std::optional<ArrayRef<int64_t>> values) {
  return !values || llvm::all_of(*values, [](int64_t value) { return value == 1; });
}

// Padding consists of initial values too, each of which counts.
bool isRepeatable(Value initial, SumKind kind) {
  switch (kind) {
  case SumKind::kMaximum:
  case SumKind::kMinimum:
  case SumKind::kAnd:
  case SumKind::kOr:
    return true;
  case SumKind::kAdd:
    return matchPattern(initial, m_AnyZeroFloat()) || matchPattern(initial, m_Zero());
  case SumKind::kMultiply:
    return matchPattern(initial, m_OneFloat()) || matchPattern(initial, m_One());
  }
  return false;
}

} // namespace

std::optional<Scan> scanOf(sh::ReduceWindowOp op) {
  std::optional<SumKind> kind = sumKindOf(op.getBody());
  if (op.getInputs().size() != 1 || !kind || !areOnes(op.getWindowStrides()) || !areOnes(op.getBaseDilations()) ||
      !areOnes(op.getWindowDilations()) || !op.getPadding() ||
      ir::typeOf(op.getInputs()[0]).getElementType() != ir::typeOf(op.getInitValues()[0]).getElementType() ||
      !isRepeatable(op.getInitValues()[0], *kind))
    return std::nullopt;
  std::optional<Scan> scan;
  SmallVector<int64_t> padding = llvm::to_vector(op.getPadding()->getValues<int64_t>());
  for (auto [i, width] : llvm::enumerate(op.getWindowDimensions())) {
    int64_t size = ir::typeOf(op.getInputs()[0]).getDimSize(static_cast<int64_t>(i)), low = padding[2 * i],
            high = padding[2 * i + 1];
    if (width == 1 && low == 0 && high == 0)
      continue;
    bool isScan = width == size && low + high == size - 1 && (low == 0 || high == 0);
    if (!isScan || scan)
      return std::nullopt;
    scan = Scan{static_cast<int64_t>(i), low == 0, *kind};
  }
  return scan;
}

SmallVector<Value> buildScan(LocalOp &op, const Scan &scan) {
  ArrayBuilder &builder = op.builder;
  Value initial = op.operands[1];
  ir::Axes axes = op.operandSharding(0).dims[scan.dimension].axes;
  Value input =
      withoutPadding(builder, op.operands[0], op.operandType(0), op.operandSharding(0), scan.dimension, initial);
  int64_t size = ir::typeOf(input).getDimSize(scan.dimension);
  SmallVector<int64_t> widths(ir::typeOf(input).getRank(), 1), padding(2 * widths.size(), 0);
  widths[scan.dimension] = size;
  padding[2 * scan.dimension + (scan.isFromBehind ? 1 : 0)] = size - 1;
  auto paddingType = RankedTensorType::get({static_cast<int64_t>(widths.size()), 2}, builder.builder.getI64Type());
  Value own =
      op.cloneWith({input, initial},
                   {builder.builder.getNamedAttr("window_dimensions", builder.builder.getDenseI64ArrayAttr(widths)),
                    builder.builder.getNamedAttr("padding",
                                                 DenseIntElementsAttr::get(paddingType, ArrayRef<int64_t>(padding)))})
          .front();
  // What the devices on that side have in all, and others nothing.
  SmallVector<int64_t> start(widths.size(), 0), limit(ir::typeOf(own).getShape());
  start[scan.dimension] = scan.isFromBehind ? 0 : size - 1;
  limit[scan.dimension] = start[scan.dimension] + 1;
  Value totals = allGather(builder, builder.slice(own, start, limit), scan.dimension, op.mesh, axes);
  ArrayRef<int64_t> sizes = ir::typeOf(totals).getShape();
  Value number = builder.broadcast(partNumber(builder, op.mesh, axes), sizes, {});
  Value counts = builder.compare(builder.iota(sizes, scan.dimension),
                                 scan.isFromBehind ? sh::ComparisonDirection::GT : sh::ComparisonDirection::LT, number);
  totals = builder.select(counts, totals, builder.broadcast(initial, sizes, {}));
  SmallVector<int64_t> kept, keptSizes;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i)
    if (i != scan.dimension) {
      kept.push_back(i);
      keptSizes.push_back(sizes[i]);
    }
  auto sum = sh::ReduceOp::create(builder.builder, builder.loc, TypeRange{ir::typeOf(totals).clone(keptSizes)},
                                  ValueRange{totals}, ValueRange{initial}, ArrayRef<int64_t>{scan.dimension});
  addComputation(builder, sum.getBody(), ir::typeOf(totals).getElementType(), scan.kind);
  return {combine(builder, builder.broadcast(sum->getResult(0), ir::typeOf(own).getShape(), kept), own, scan.kind)};
}

} // namespace tenon::passes::partition
