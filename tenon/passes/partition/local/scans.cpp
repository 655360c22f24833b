// Sums, maxima and the like of all that is before, or behind, along a dimension that is cut:
//
//   x: [1 2 | 3 4 | 5 6]   each device's own: [1 3 | 3 7 | 5 11]   of the devices before: 0 | 3 | 3 + 7
//
// and other computations that carry something from each element to the next, by one device after the other.
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/halo.h"

#include "tenon/ir/chlo.h"
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

// Sums of shorter floats are made in f32, and rounded once.
static Type typeOfSums(Type element, SumKind kind) {
  bool isRounded = kind == SumKind::kAdd || kind == SumKind::kMultiply;
  return isRounded && isAddedInF32(element) ? Float32Type::get(element.getContext()) : element;
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

namespace {

// What each device has by itself, and, from all of them, what each has in all: one element of the dimension each. In
// the type in which sums are made.
struct Parts {
  Value own, totals;
};

Parts scanParts(LocalOp &op, const Scan &scan, Value neutral) {
  ArrayBuilder &builder = op.builder;
  RankedTensorType whole = op.operandType(0);
  ir::Sharding sharding = op.operandSharding(0);
  Type element = typeOfSums(whole.getElementType(), scan.kind);
  Value input = withoutPadding(builder, op.operands[0], whole, sharding, scan.dimension, neutral);
  Value own = scanned(builder, converted(builder, input, element), converted(builder, neutral, element), scan);
  int64_t size = ir::typeOf(own).getDimSize(scan.dimension);
  SmallVector<int64_t> start(whole.getRank(), 0), limit(ir::typeOf(own).getShape());
  start[scan.dimension] = scan.isFromBehind ? 0 : size - 1;
  limit[scan.dimension] = start[scan.dimension] + 1;
  Value total = builder.slice(own, start, limit);
  return {own, allGather(builder, total, scan.dimension, op.mesh, sharding.dims[scan.dimension].axes)};
}

// The sum of all devices' totals, without the dimension.
Value sumOf(ArrayBuilder &builder, Value totals, Value neutral, const Scan &scan) {
  SmallVector<int64_t> sizes(ir::typeOf(totals).getShape());
  sizes.erase(sizes.begin() + scan.dimension);
  Type element = ir::typeOf(totals).getElementType();
  auto sum =
      sh::ReduceOp::create(builder.builder, builder.loc, TypeRange{ir::typeOf(totals).clone(sizes)}, ValueRange{totals},
                           ValueRange{converted(builder, neutral, element)}, ArrayRef<int64_t>{scan.dimension});
  addComputation(builder, sum.getBody(), element, scan.kind);
  return sum->getResult(0);
}

// The totals of the devices on one side of this one, and for the others nothing.
Value ofThoseBefore(LocalOp &op, Value totals, Value neutral, const Scan &scan) {
  ArrayBuilder &builder = op.builder;
  ArrayRef<int64_t> sizes = ir::typeOf(totals).getShape();
  ir::Axes axes = op.operandSharding(0).dims[scan.dimension].axes;
  Value number = builder.broadcast(partNumber(builder, op.mesh, axes), sizes, {});
  Value counts = builder.compare(builder.iota(sizes, scan.dimension),
                                 scan.isFromBehind ? sh::ComparisonDirection::GT : sh::ComparisonDirection::LT, number);
  Value filler = converted(builder, neutral, ir::typeOf(totals).getElementType());
  return builder.select(counts, totals, builder.broadcast(filler, sizes, {}));
}

// Each element of `own` with what comes before all of them.
Value after(ArrayBuilder &builder, Value before, Value own, const Scan &scan) {
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < ir::typeOf(own).getRank(); ++i)
    if (i != scan.dimension)
      kept.push_back(i);
  return combine(builder, builder.broadcast(before, ir::typeOf(own).getShape(), kept), own, scan.kind);
}

} // namespace

SmallVector<Value> buildScan(LocalOp &op, const Scan &scan) {
  Value initial = op.operands[1];
  Parts parts = scanParts(op, scan, initial);
  Value before = sumOf(op.builder, ofThoseBefore(op, parts.totals, initial, scan), initial, scan);
  return {converted(op.builder, after(op.builder, before, parts.own, scan), op.operandType(0).getElementType())};
}

// A chlo.scan that says that it may be computed in any order, of one array and by one op.
static std::optional<Scan> scanOf(chlo::ScanOp op) {
  if (!op.getIsAssociative().value_or(false) || op.getInputs().size() != 1 || op->getNumResults() != 2)
    return std::nullopt;
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  if (end->getNumOperands() != 2 || end->getOperand(0) != end->getOperand(1))
    return std::nullopt;
  std::optional<SumKind> kind = sumKindOf(body, end->getOperand(0));
  Type element = ir::typeOf(op.getInputs()[0]).getElementType();
  auto isOfThat = [&](Type type) { return cast<RankedTensorType>(type).getElementType() == element; };
  if (!kind || !isSummableInF32(element, *kind) ||
      !llvm::all_of(
          llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())),
          isOfThat))
    return std::nullopt;
  return Scan{static_cast<int64_t>(op.getDimension()), op.getIsReverse(), *kind};
}

// What cannot be put together of parts is computed by one device after the other, in a number of steps.
static bool canCutScan(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  auto isMoved = [](Type type) { return !isa<ComplexType>(cast<RankedTensorType>(type).getElementType()); };
  return factors.factors[factor].type == ir::FactorType::kPassThrough || scanOf(cast<chlo::ScanOp>(op)) ||
         (factors.factors[factor].size % parts == 0 && llvm::all_of(op->getOperandTypes(), isMoved));
}

static SmallVector<Value> buildAssociativeScan(LocalOp &op, const Scan &scan) {
  ArrayBuilder &builder = op.builder;
  Type element = op.operandType(0).getElementType();
  Value neutral = neutralElement(builder, element, scan.kind);
  Parts parts = scanParts(op, scan, neutral);
  Value initial = converted(builder, op.operands[1], ir::typeOf(parts.own).getElementType());
  Value before = sumOf(builder, ofThoseBefore(op, parts.totals, neutral, scan), neutral, scan);
  before = combine(builder, initial, before, scan.kind);
  Value all = combine(builder, initial, sumOf(builder, parts.totals, neutral, scan), scan.kind);
  return {converted(builder, after(builder, before, parts.own, scan), element), converted(builder, all, element)};
}

// Any other scan: each device computes in its turn, and gives the next one what is carried on. What the last one has
// left then is with the first one, who comes behind it.
static SmallVector<Value> buildScanInTurn(LocalOp &op, const ir::Axes &axes) {
  ArrayBuilder &builder = op.builder;
  auto scan = cast<chlo::ScanOp>(op.op);
  const size_t inputs = scan.getInputs().size(), outputs = scan.getOutputs().size();
  const int64_t parts = ir::partsOf(axes);
  Value number = partNumber(builder, op.mesh, axes);
  if (scan.getIsReverse())
    number = builder.subtract(builder.i32(parts - 1), number);
  SmallVector<Value> state;
  for (size_t i = 0; i < outputs; ++i)
    state.push_back(builder.fill(op.resultType(i).getElementType(), op.localResultType(i).getShape(), 0));
  llvm::append_range(state, ArrayRef<Value>(op.operands).drop_front(inputs));
  auto compute = [&](Value turn, ValueRange carried) {
    Value isOwn = builder.compare(turn, sh::ComparisonDirection::EQ, number);
    auto branch = sh::IfOp::create(builder.builder, builder.loc, ValueRange(state).getTypes(), isOwn);
    OpBuilder::InsertionGuard guard(builder.builder);
    builder.builder.createBlock(&branch.getTrueBranch());
    SmallVector<Value> operands(ArrayRef<Value>(op.operands).take_front(inputs));
    llvm::append_range(operands, carried.drop_front(outputs));
    sh::ReturnOp::create(builder.builder, builder.loc, op.cloneWith(operands));
    builder.builder.createBlock(&branch.getFalseBranch());
    sh::ReturnOp::create(builder.builder, builder.loc, carried);
    return llvm::to_vector_of<Value>(branch->getResults());
  };
  SmallVector<Value> results = builder.loop(parts, state, [&](Value turn, ValueRange carried) {
    SmallVector<Value> next = compute(turn, carried);
    for (Value &value : MutableArrayRef<Value>(next).drop_front(outputs))
      value = fromAround(builder, value, op.mesh, axes, scan.getIsReverse() ? 1 : parts - 1);
    return next;
  });
  const int64_t first = scan.getIsReverse() ? parts - 1 : 0;
  for (auto [i, value] : llvm::enumerate(results)) {
    if (i < outputs || op.op->getResult(i).use_empty())
      continue;
    SmallVector<int64_t> sizes(ir::shapeOf(value)), start(sizes.size() + 1, 0);
    sizes.insert(sizes.begin(), 1);
    Value all = allGather(builder, builder.reshape(value, sizes), 0, op.mesh, axes);
    start[0] = first;
    sizes[0] = first + 1;
    value = builder.reshape(builder.slice(all, start, sizes), ir::shapeOf(value));
  }
  return results;
}

static SmallVector<Value> buildScanOp(LocalOp &op) {
  auto scan = cast<chlo::ScanOp>(op.op);
  const ir::Axes axes = op.operandSharding(0).dims[scan.getDimension()].axes;
  if (axes.empty())
    return op.cloneWith(op.operands);
  std::optional<Scan> associative = scanOf(scan);
  return associative ? buildAssociativeScan(op, *associative) : buildScanInTurn(op, axes);
}

LocalForm scanForm() { return {.canCut = canCutScan, .build = buildScanOp}; }

} // namespace tenon::passes::partition
