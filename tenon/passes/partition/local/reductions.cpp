// Products and reductions: where what is summed over is cut, each device has a summand of the result.
//
//   reduce add (x : [8, 6], dimension 1 cut in 2)   =>   reduce add (x : [8, 3]), unreduced
//
// Padding is neutral: zeros on both sides of a product, since a zero and what is not a number give none.
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/local/forms.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {

std::optional<SumKind> sumKindOf(Region &computation) {
  Operation *end = computation.front().getTerminator();
  return end->getNumOperands() == 1 ? sumKindOf(computation.front(), end->getOperand(0)) : std::nullopt;
}

std::optional<SumKind> sumKindOf(Block &block, Value value) {
  if (block.getNumArguments() != 2)
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  auto isOf = [&](unsigned a, unsigned b) {
    return op->getOperand(0) == block.getArgument(a) && op->getOperand(1) == block.getArgument(b);
  };
  if (!op || op->getBlock() != &block || op->getNumOperands() != 2 || !(isOf(0, 1) || isOf(1, 0)))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<SumKind>>(op)
      .Case([](sh::AddOp) { return SumKind::kAdd; })
      .Case([](sh::MultiplyOp) { return SumKind::kMultiply; })
      .Case([](sh::MaximumOp) { return SumKind::kMaximum; })
      .Case([](sh::MinimumOp) { return SumKind::kMinimum; })
      .Case([](sh::AndOp) { return SumKind::kAnd; })
      .Case([](sh::OrOp) { return SumKind::kOr; })
      .Default(std::nullopt);
}

bool isSummable(Type element, SumKind kind) {
  if (isa<ComplexType>(element))
    return kind == SumKind::kAdd || kind == SumKind::kMultiply;
  if (auto floats = dyn_cast<FloatType>(element))
    return floats.getWidth() >= 16;
  return isa<IntegerType>(element);
}

bool isSummableInF32(Type element, SumKind kind) {
  bool isRounded = kind == SumKind::kAdd || kind == SumKind::kMultiply;
  return isSummable(element, kind) || (isRounded && isAddedInF32(element));
}

std::optional<SumKind> sumOfProducts(Operation *op) {
  auto isPlain = [](Type type) {
    return isSummableInF32(cast<RankedTensorType>(type).getElementType(), SumKind::kAdd);
  };
  return llvm::all_of(op->getOperandTypes(), isPlain) && isPlain(op->getResult(0).getType())
             ? std::optional(SumKind::kAdd)
             : std::nullopt;
}

SmallVector<Value> withZerosForPadding(LocalOp &op) {
  SmallVector<Value> operands = llvm::to_vector(op.operands);
  for (auto [number, factor] : llvm::enumerate(op.factors.factors)) {
    if (factor.type != ir::FactorType::kReduction || factor.size % ir::partsOf(op.cuts[number]) == 0)
      continue;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      op.operands[i] = operand;
      operand = op.maskedOperand(i, op.builder.fill(op.operandType(i).getElementType(), {}, 0), number);
    }
  }
  return operands;
}

namespace {

SmallVector<Value> buildDot(LocalOp &op) { return op.cloneWith(withZerosForPadding(op)); }

std::optional<SumKind> sumOfReduce(Operation *op) {
  auto reduce = cast<sh::ReduceOp>(op);
  std::optional<SumKind> kind = sumKindOf(reduce.getBody());
  if (!kind || op->getNumResults() != 1)
    return std::nullopt;
  Type element = ir::typeOf(op->getResult(0)).getElementType();
  bool isOfOneType = ir::typeOf(op->getOperand(0)).getElementType() == element &&
                     ir::typeOf(reduce.getBody().front().getArgument(0)).getElementType() == element;
  return isOfOneType && isSummableInF32(element, *kind) ? kind : std::nullopt;
}

// The same, of another element type: a sum of shorter floats in f32.
Value reducedIn(LocalOp &op, RankedTensorType type, SumKind kind, Value initial) {
  auto in = [&](Value value) -> Value {
    return sh::ConvertOp::create(op.builder.builder, op.builder.loc, ir::typeOf(value).clone(type.getElementType()),
                                 value);
  };
  auto reduce =
      sh::ReduceOp::create(op.builder.builder, op.builder.loc, TypeRange{type}, ValueRange{in(op.operands[0])},
                           ValueRange{in(initial)}, cast<sh::ReduceOp>(op.op).getDimensions());
  addComputation(op.builder, reduce.getBody(), type.getElementType(), kind);
  return reduce->getResult(0);
}

// The initial value counts once, on the first device.
SmallVector<Value> buildReduce(LocalOp &op) {
  ir::Axes axes;
  for (auto [number, factor] : llvm::enumerate(op.factors.factors))
    if (factor.type == ir::FactorType::kReduction)
      axes.append(op.cuts[number]);
  if (axes.empty())
    return op.cloneWith(op.operands);
  SumKind kind = *sumOfReduce(op.op);
  Value neutral = neutralElement(op.builder, op.resultType(0).getElementType(), kind), initial = op.operands[1];
  for (auto [number, factor] : llvm::enumerate(op.factors.factors))
    if (factor.type == ir::FactorType::kReduction)
      op.operands[0] = op.maskedOperand(0, neutral, number);
  if (kind == SumKind::kAdd || kind == SumKind::kMultiply) {
    Value number = partNumber(op.builder, op.mesh, axes);
    Value isFirst = op.builder.compare(number, sh::ComparisonDirection::EQ, op.builder.i32(0));
    initial = op.builder.select(isFirst, initial, neutral);
  }
  RankedTensorType type = op.localResultType(0);
  if (type.getElementType() != op.resultType(0).getElementType())
    return {reducedIn(op, type, kind, initial)};
  return op.cloneWith({op.operands[0], initial});
}

// Any other computation is that of a monoid, with the initial values for its neutral element, or else its result
// depends on the order. So what devices compute can be computed with once more, in the order of the array: what argmax
// finds is the first of the largest.
bool canCutAnyReduce(Operation *op, const ir::Factors &factors, size_t factor, int64_t) {
  if (factors.factors[factor].type == ir::FactorType::kPassThrough)
    return hasFactor(factors.results[0], factor);
  auto isMoved = [](Type type) { return !isa<ComplexType>(cast<RankedTensorType>(type).getElementType()); };
  return factors.factors[factor].type == ir::FactorType::kReduction && llvm::all_of(op->getOperandTypes(), isMoved);
}

SmallVector<Value> buildAnyReduce(LocalOp &op) {
  ir::Axes axes;
  for (auto [number, factor] : llvm::enumerate(op.factors.factors))
    if (factor.type == ir::FactorType::kReduction)
      axes.append(op.cuts[number]);
  size_t inputs = op.op->getNumResults();
  for (size_t i = 0; i < inputs; ++i)
    op.operands[i] = op.maskedOperand(i, op.operands[inputs + i]);
  SmallVector<Value> parts = op.cloneWith(op.operands);
  if (axes.empty())
    return parts;
  SmallVector<Value> operands;
  for (Value part : parts) {
    SmallVector<int64_t> sizes = {1};
    llvm::append_range(sizes, ir::shapeOf(part));
    operands.push_back(allGather(op.builder, op.builder.reshape(part, sizes), 0, op.mesh, axes));
  }
  llvm::append_range(operands, ArrayRef<Value>(op.operands).drop_front(inputs));
  return op.cloneWith(operands,
                      op.builder.builder.getNamedAttr("dimensions", op.builder.builder.getDenseI64ArrayAttr({0})));
}

} // namespace

LocalForm dotForm() { return {.sum = sumOfProducts, .addsInF32 = true, .build = buildDot}; }
LocalForm reduceForm(Operation *op) {
  if (std::optional<SumKind> kind = sumOfReduce(op)) {
    bool isRounded = *kind == SumKind::kAdd || *kind == SumKind::kMultiply;
    return {.sum = sumOfReduce, .addsInF32 = isRounded, .build = buildReduce};
  }
  return {.canCut = canCutAnyReduce, .finishesSums = true, .build = buildAnyReduce};
}

} // namespace tenon::passes::partition
