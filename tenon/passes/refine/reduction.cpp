// Ops that combine elements, of values with bounded dimensions: what does not count is replaced by something that
// changes nothing, or carries a flag that says so.

#include "tenon/ir/chlo.h"
#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

TypedAttr identityAttribute(Region &body, Type element) {
  Block &block = body.front();
  Operation *terminator = block.getTerminator();
  Operation *op = terminator->getOperand(0).getDefiningOp();
  if (terminator->getNumOperands() != 1 || !op || op->getNumOperands() != 2 ||
      !std::is_permutation(op->operand_begin(), op->operand_end(), block.args_begin(), block.args_end()))
    return {};
  if (auto type = dyn_cast<FloatType>(element)) {
    if (type.getWidth() < 16)
      return {}; // the narrow ones have no infinity
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    auto value = [&](const APFloat &number) { return FloatAttr::get(type, number); };
    return TypeSwitch<Operation *, TypedAttr>(op)
        .Case([&](sh::AddOp) { return value(APFloat::getZero(semantics, /*Negative=*/true)); })
        .Case([&](sh::MultiplyOp) { return value(APFloat::getOne(semantics)); })
        .Case([&](sh::MaximumOp) { return value(APFloat::getInf(semantics, /*Negative=*/true)); })
        .Case([&](sh::MinimumOp) { return value(APFloat::getInf(semantics)); })
        .Default(TypedAttr());
  }
  auto type = dyn_cast<IntegerType>(element);
  if (!type)
    return {};
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned() || width == 1;
  auto value = [&](const APInt &number) { return IntegerAttr::get(type, number); };
  return TypeSwitch<Operation *, TypedAttr>(op)
      .Case<sh::AddOp, sh::OrOp, sh::XorOp>([&](auto concrete) {
        // The add of booleans is or.
        return value(APInt::getZero(width));
      })
      .Case([&](sh::MultiplyOp) { return value(APInt(width, 1)); })
      .Case([&](sh::AndOp) { return value(APInt::getAllOnes(width)); })
      .Case([&](sh::MaximumOp) { return value(isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width)); })
      .Case([&](sh::MinimumOp) {
        return value(isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
      })
      .Default(TypedAttr());
}

class ReductionRefiner {
public:
  explicit ReductionRefiner(Refiner &refiner) : refiner_(refiner), emit_(refiner.emit) {}

  LogicalResult refine(sh::ReduceOp op) {
    FailureOr<SmallVector<BoundedTensor>> inputs = refiner_.unified(op, op.getInputs());
    if (failed(inputs))
      return failure();
    SmallVector<BoundedTensor> inits = refiner_.getAll(op.getInitValues());
    const BoundedTensor &first = inputs->front();
    SmallVector<Value, 4> sizes;
    for (auto [d, size] : llvm::enumerate(first.sizes))
      if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d)))
        sizes.push_back(size);
    Value mask = emit_.validMask(first, op.getDimensions());
    if (mask) {
      Value identity = inputs->size() == 1 ? identityOf(emit_, op.getBody(), first.type().getElementType()) : Value();
      if (!identity)
        return reduceFlagged(op, *inputs, inits, mask, sizes);
      inputs->front().value = emit_.masked(first, op.getDimensions(), identity);
    }
    SmallVector<Value> operands = valuesOf(*inputs);
    llvm::append_range(operands, valuesOf(inits));
    return refiner_.rebuild(op, operands, sizes);
  }

  // Sorts invalid elements behind all others: a flag is sorted along, which the comparator looks at first.
  LogicalResult refine(sh::SortOp op) {
    FailureOr<SmallVector<BoundedTensor>> inputs = refiner_.unified(op, op.getInputs());
    if (failed(inputs))
      return failure();
    const BoundedTensor &first = inputs->front();
    int64_t rank = first.sizes.size(), dimension = static_cast<int64_t>(op.getDimension());
    dimension += dimension < 0 ? rank : 0;
    SmallVector<Value> operands = valuesOf(*inputs);
    Value flags = emit_.validMask(first, {dimension});
    if (!flags)
      return refiner_.rebuild(op, operands, first.sizes);
    operands.push_back(flags);
    auto sort = sh::SortOp::create(emit_.builder, op.getLoc(), ValueRange(operands).getTypes(), operands,
                                   op.getDimension(), op.getIsStable());
    OpBuilder::InsertionGuard guard(emit_.builder);
    Block *body = refiner_.copyBody(op.getComparator(), sort.getComparator(), 2);
    Value less = body->getTerminator()->getOperand(0), a = body->getArguments().end()[-2];
    Value notB = emit_.make<sh::NotOp>(a.getType(), body->getArguments().back());
    Value either = emit_.binary<sh::OrOp>(notB, less);
    body->getTerminator()->setOperand(0, emit_.logicalAnd(a, either));
    emit_.builder.setInsertionPointAfter(sort);
    for (auto [i, result] : llvm::enumerate(sort->getResults().drop_back()))
      if (failed(refiner_.put(op, i, BoundedTensor(result, first.sizes))))
        return failure();
    return success();
  }

  // The largest are the first of a sorted row.
  LogicalResult refine(chlo::TopKOp op) {
    const BoundedTensor operand = refiner_.get(op.getOperand());
    int64_t along = static_cast<int64_t>(operand.sizes.size()) - 1;
    ArrayRef<int64_t> shape = operand.type().getShape();
    SmallVector<Value, 4> sizes = operand.sizes;
    SmallVector<Value> inputs{operand.value, emit_.iota(shape, along)};
    if (!operand.isBounded(along))
      return refiner_.rebuild(op, operand.value, sizes);
    Value k = emit_.i32(static_cast<int64_t>(op.getK()));
    if (failed(refiner_.require(op, emit_.compare(sh::ComparisonDirection::LE, k, sizes[along]),
                                "takes {0} elements of a dimension of size {1}", {k, sizes[along]})))
      return failure();
    inputs.push_back(emit_.validMask(operand, {along}));
    auto sort = sh::SortOp::create(emit_.builder, op.getLoc(), ValueRange(inputs).getTypes(), inputs, along,
                                   /*is_stable=*/true);
    fillGreater(sort, operand.type().getElementType());
    sizes[along] = nullptr;
    for (unsigned i = 0; i < 2; ++i)
      if (failed(refiner_.put(op, i, BoundedTensor(emit_.resize(sort->getResult(i), along, op.getK()), sizes))))
        return failure();
    return success();
  }

private:
  // Sorts what counts, and there what is greater in the total order, before the rest.
  void fillGreater(sh::SortOp sort, Type element) {
    OpBuilder::InsertionGuard guard(emit_.builder);
    Block *body = emit_.builder.createBlock(&sort.getComparator());
    for (Value input : sort.getInputs())
      for (int side = 0; side < 2; ++side)
        body->addArgument(RankedTensorType::get({}, cast<RankedTensorType>(input.getType()).getElementType()),
                          emit_.loc);
    auto type = isa<FloatType>(element)                               ? sh::ComparisonType::TOTALORDER
                : isa<ComplexType>(element)                           ? sh::ComparisonType::FLOAT
                : element.isUnsignedInteger() || element.isInteger(1) ? sh::ComparisonType::UNSIGNED
                                                                      : sh::ComparisonType::SIGNED;
    Value countsA = body->getArgument(4), countsB = body->getArgument(5);
    Value greater = emit_.make<sh::CompareOp>(countsA.getType(), body->getArgument(0), body->getArgument(1),
                                              sh::ComparisonDirection::GT,
                                              sh::ComparisonTypeAttr::get(emit_.builder.getContext(), type));
    Value first =
        emit_.logicalAnd(countsA, emit_.binary<sh::OrOp>(emit_.make<sh::NotOp>(countsB.getType(), countsB), greater));
    sh::ReturnOp::create(emit_.builder, emit_.loc, first);
  }

  LogicalResult reduceFlagged(sh::ReduceOp op, ArrayRef<BoundedTensor> inputs, ArrayRef<BoundedTensor> inits,
                              Value mask, const SmallVector<Value, 4> &sizes) {
    SmallVector<Value> values = valuesOf(inputs), initValues = valuesOf(inits);
    values.push_back(mask);
    initValues.push_back(emit_.boolean(true));
    SmallVector<int64_t> shape;
    for (int64_t d = 0; d < static_cast<int64_t>(inputs[0].sizes.size()); ++d)
      if (!llvm::is_contained(op.getDimensions(), d))
        shape.push_back(inputs[0].dim(d));
    SmallVector<Type> types;
    for (Value value : values)
      types.push_back(cast<RankedTensorType>(value.getType()).clone(shape));
    auto reduce = sh::ReduceOp::create(emit_.builder, op.getLoc(), types, values, initValues, op.getDimensions());
    buildFlaggedBody(refiner_, op.getBody(), reduce.getBody(), inputs.size());
    for (auto [i, result] : llvm::enumerate(reduce->getResults().drop_back()))
      if (failed(refiner_.put(op, i, BoundedTensor(result, sizes))))
        return failure();
    return success();
  }

  Refiner &refiner_;
  Emitter &emit_;
};

} // namespace

Value identityOf(Emitter &emit, Region &body, Type element) {
  TypedAttr identity = identityAttribute(body, element);
  if (!identity)
    return Value();
  return sh::ConstantOp::create(emit.builder, emit.loc,
                                DenseElementsAttr::get(RankedTensorType::get({}, identity.getType()), identity));
}

void buildFlaggedBody(Refiner &refiner, Region &from, Region &to, unsigned count) {
  Emitter &emit = refiner.emit;
  OpBuilder::InsertionGuard guard(emit.builder);
  Block *body = refiner.copyBody(from, to, 2);
  // The arguments are a..., b..., and the flags of a and b: the flags' places are behind a and behind b.
  Value countsA = body->getArgument(2 * count), countsB = body->getArgument(2 * count + 1);
  Operation *terminator = body->getTerminator();
  Value bothCount = emit.logicalAnd(countsA, countsB);
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i) {
    Value one = emit.select(countsA, body->getArgument(i), body->getArgument(count + i));
    results.push_back(emit.select(bothCount, terminator->getOperand(i), one));
  }
  results.push_back(emit.binary<sh::OrOp>(countsA, countsB));
  terminator->setOperands(results);
  BlockArgument moved = body->insertArgument(count, countsA.getType(), emit.loc);
  countsA.replaceAllUsesWith(moved);
  body->eraseArgument(2 * count + 1);
}

FailureOr<bool> refineReduction(Refiner &refiner, Operation *op) {
  ReductionRefiner reduction(refiner);
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::ReduceOp, sh::SortOp, chlo::TopKOp>([&](auto concrete) -> FailureOr<bool> {
        if (failed(reduction.refine(concrete)))
          return failure();
        return true;
      })
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
