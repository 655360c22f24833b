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

// Sums of floats of 16 bits are made in f32, and rounded once.
static Type typeOfSums(Type element, SumKind kind) {
  bool isRounded = kind == SumKind::kAdd || kind == SumKind::kMultiply;
  return isRounded && isa<Float16Type, BFloat16Type>(element) ? Float32Type::get(element.getContext()) : element;
}

static Value converted(ArrayBuilder &builder, Value value, Type element) {
  RankedTensorType type = ir::typeOf(value).clone(element);
  return value.getType() == type ? value : sh::ConvertOp::create(builder.builder, builder.loc, type, value).getResult();
}

Value scanned(ArrayBuilder &builder, Value input, Value initial, const Scan &scan) {
  RankedTensorType type = ir::typeOf(input);
  SmallVector<int64_t> widths(type.getRank(), 1), padding(2 * widths.size(), 0);
  widths[scan.dimension] = type.getDimSize(scan.dimension);
  padding[2 * scan.dimension + (scan.isFromBehind ? 1 : 0)] = type.getDimSize(scan.dimension) - 1;
  auto paddingType = RankedTensorType::get({type.getRank(), 2}, builder.builder.getI64Type());
  DenseI64ArrayAttr none;
  auto window =
      sh::ReduceWindowOp::create(builder.builder, builder.loc, TypeRange{type}, ValueRange{input}, ValueRange{initial},
                                 builder.builder.getDenseI64ArrayAttr(widths), none, none, none,
                                 DenseIntElementsAttr::get(paddingType, ArrayRef<int64_t>(padding)));
  addComputation(builder, window.getBody(), type.getElementType(), scan.kind);
  return window->getResult(0);
}

SmallVector<Value> buildScan(LocalOp &op, const Scan &scan) {
  ArrayBuilder &builder = op.builder;
  RankedTensorType whole = op.operandType(0);
  ir::Sharding sharding = op.operandSharding(0);
  ir::Axes axes = sharding.dims[scan.dimension].axes;
  Type element = typeOfSums(whole.getElementType(), scan.kind);
  Value initial = converted(builder, op.operands[1], element);
  Value input = withoutPadding(builder, op.operands[0], whole, sharding, scan.dimension, op.operands[1]);
  Value own = scanned(builder, converted(builder, input, element), initial, scan);
  int64_t size = ir::typeOf(own).getDimSize(scan.dimension);
  // What the devices on that side have in all, and others nothing.
  SmallVector<int64_t> start(whole.getRank(), 0), limit(ir::typeOf(own).getShape());
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
  Value all = combine(builder, builder.broadcast(sum->getResult(0), ir::typeOf(own).getShape(), kept), own, scan.kind);
  return {converted(builder, all, whole.getElementType())};
}

} // namespace tenon::passes::partition
