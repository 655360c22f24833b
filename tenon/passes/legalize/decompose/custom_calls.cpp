// Custom calls that name a computation of the module become ordinary ops, before inlining drops the functions.
//
// ApproxTopK (jax.lax.approx_max_k): the best k along a dimension by a comparator. Exact here: a sort and a slice. The
// comparator is that of the call, but for GT and LT of floats, which order no array with a NaN: they become orders that
// agree with them on numbers.
//
// Operands and results that are tuples become their parts: targets see no tuples, or only as arrays of pointers to the
// parts.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// The first k of a dimension, k being the operand behind the initial values or, if it is constant, an attribute.
Value firstOf(sh::CustomCallOp call, OpBuilder &builder, Value sorted, RankedTensorType type, int64_t dimension,
              DictionaryAttr config) {
  Location loc = call.getLoc();
  auto scalar = RankedTensorType::get({}, builder.getI32Type()), vector = scalar.clone({1});
  auto fill = [&](int32_t value) {
    auto all = RankedTensorType::get({type.getRank()}, builder.getI32Type());
    return sh::ConstantOp::create(builder, loc, DenseIntElementsAttr::get(all, value));
  };
  SmallVector<Value> limits;
  dimension += dimension < 0 ? type.getRank() : 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value size;
    auto top = config.getAs<IntegerAttr>("top_k");
    if (d != dimension)
      size = sh::GetDimensionSizeOp::create(builder, loc, scalar, sorted, d);
    else if (call.getCallTargetName() != "ApproxTopK" && call->getNumOperands() > 2 * call->getNumResults())
      size = sh::ConvertOp::create(builder, loc, scalar, call->getOperand(2 * call->getNumResults()));
    else if (top)
      size =
          sh::ConstantOp::create(builder, loc, DenseIntElementsAttr::get(scalar, static_cast<int32_t>(top.getInt())));
    else
      return call.emitError("ApproxTopK of a dynamic shape needs k, as an operand or as top_k"), Value();
    limits.push_back(sh::ReshapeOp::create(builder, loc, vector, size));
  }
  Value limit = sh::ConcatenateOp::create(builder, loc, vector.clone({type.getRank()}), limits, 0);
  return sh::RealDynamicSliceOp::create(builder, loc, type, sorted, fill(0), limit, fill(1));
}

// The comparison that the block returns, if it is GT or LT of floats, of the first argument and the second.
sh::CompareOp floatComparison(Block &block) {
  auto compare = block.getTerminator()->getOperand(0).getDefiningOp<sh::CompareOp>();
  if (!compare || compare.getLhs() != block.getArgument(0) || compare.getRhs() != block.getArgument(1) ||
      !isa<FloatType>(getElementTypeOrSelf(compare.getLhs())))
    return {};
  const llvm::fltSemantics &semantics = cast<FloatType>(getElementTypeOrSelf(compare.getLhs())).getFloatSemantics();
  if (!APFloat::semanticsHasNaN(semantics) || !APFloat::semanticsHasZero(semantics))
    return {};
  auto direction = compare.getComparisonDirection();
  bool strict = direction == sh::ComparisonDirection::GT || direction == sh::ComparisonDirection::LT;
  return strict && compare.getCompareType() != sh::ComparisonType::TOTALORDER ? compare : sh::CompareOp();
}

// Replaces `compare` by a comparison in the total order. Unless that must also distinguish zeros, and NaNs, of
// different signs apart, -0 equals +0, and all NaNs are above the numbers and equal.
void compareTotally(sh::CompareOp compare, bool distinguishesSigns) {
  OpBuilder builder(compare);
  Location loc = compare.getLoc();
  auto type = cast<RankedTensorType>(compare.getLhs().getType());
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  auto constant = [&](const APFloat &value) -> Value {
    return sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
  };
  auto test = [&](Value a, sh::ComparisonDirection direction, Value b) -> Value {
    return sh::CompareOp::create(builder, loc, compare.getType(), a, b, direction, sh::ComparisonTypeAttr());
  };
  auto canonical = [&](Value x) -> Value {
    if (distinguishesSigns)
      return x;
    Value zero = constant(APFloat::getZero(semantics)), nan = constant(APFloat::getNaN(semantics));
    Value number = sh::SelectOp::create(builder, loc, test(x, sh::ComparisonDirection::EQ, zero), zero, x);
    return sh::SelectOp::create(builder, loc, test(x, sh::ComparisonDirection::NE, x), nan, number);
  };
  Value lhs = canonical(compare.getLhs()), rhs = canonical(compare.getRhs());
  auto totalOrder = sh::ComparisonTypeAttr::get(builder.getContext(), sh::ComparisonType::TOTALORDER);
  Value total =
      sh::CompareOp::create(builder, loc, compare.getType(), lhs, rhs, compare.getComparisonDirection(), totalOrder);
  compare.replaceAllUsesWith(total);
  compare.erase();
}

// Sorts NaNs to where XLA has them: where it selects some of the elements, the greatest of f32, it uses the total
// order, as top_k does.
void orderNaNs(sh::CustomCallOp call, sh::SortOp sort) {
  sh::CompareOp compare = floatComparison(sort.getComparator().front());
  if (!compare)
    return;
  auto from = cast<RankedTensorType>(sort->getOperand(0).getType());
  auto to = cast<RankedTensorType>(call->getResult(0).getType());
  bool asTopK = from.getElementType().isF32() && compare.getComparisonDirection() == sh::ComparisonDirection::GT &&
                from.getShape() != to.getShape();
  compareTotally(compare, asTopK);
}

LogicalResult expandApproxTopK(sh::CustomCallOp call) {
  auto config = call->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  if (!config)
    config = dyn_cast_or_null<DictionaryAttr>(call.getBackendConfigAttr());
  auto dimension = config ? config.getAs<IntegerAttr>("reduction_dim") : IntegerAttr();
  ArrayAttr computations = call.getCalledComputationsAttr();
  unsigned count = call->getNumResults();
  // With dynamic shapes, k and the results' shapes follow.
  bool isDynamic = call.getCallTargetName() != "ApproxTopK" || call->hasAttr("indices_of_shape_operands");
  if (!dimension || !computations || computations.size() != 1 || call->getNumOperands() < 2 * count ||
      (!isDynamic && call->getNumOperands() != 2 * count))
    return call.emitError("ApproxTopK needs reduction_dim, one called computation, and an operand and an initial value "
                          "for each result");
  auto module = call->getParentOfType<ModuleOp>();
  auto comparator = module.lookupSymbol<func::FuncOp>(cast<FlatSymbolRefAttr>(computations[0]).getValue());
  if (!comparator || comparator.isExternal() || comparator.getNumArguments() != 2 * count)
    return call.emitError("the computation that ApproxTopK calls is missing or takes other arguments");

  OpBuilder builder(call);
  Location loc = call.getLoc();
  ValueRange inputs = call->getOperands().take_front(count);
  auto sort = sh::SortOp::create(builder, loc, inputs.getTypes(), inputs, dimension.getInt(), /*is_stable=*/true);
  Block *body = builder.createBlock(&sort.getComparator());
  IRMapping mapping;
  for (BlockArgument argument : comparator.getArguments())
    mapping.map(argument, body->addArgument(argument.getType(), loc));
  for (Operation &op : comparator.getBody().front().without_terminator())
    builder.clone(op, mapping);
  Operation *terminator = comparator.getBody().front().getTerminator();
  sh::ReturnOp::create(builder, loc, mapping.lookupOrDefault(terminator->getOperand(0)));
  orderNaNs(call, sort);
  builder.setInsertionPointAfter(sort);
  for (auto [sorted, result] : llvm::zip(sort->getResults(), call->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> start(type.getRank(), 0), strides(type.getRank(), 1), limit(type.getShape());
    Value best = type.hasStaticShape()
                     ? sh::SliceOp::create(builder, loc, type, sorted, start, limit, strides).getResult()
                     : firstOf(call, builder, sorted, type, dimension.getInt(), config);
    if (!best || failed(verify(best.getDefiningOp())))
      return failure();
    result.replaceAllUsesWith(best);
  }
  call.erase();
  return verify(sort);
}

// The parts of a value, parts of parts in place.
void addParts(OpBuilder &builder, Value value, SmallVectorImpl<Value> &parts) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple)
    return parts.push_back(value);
  for (auto [i, type] : llvm::enumerate(tuple.getTypes()))
    addParts(builder, sh::GetTupleElementOp::create(builder, value.getLoc(), type, value, i), parts);
}

// The value of a type, made of the next parts.
Value assemble(OpBuilder &builder, Location loc, Type type, ArrayRef<Value> &parts) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> values;
    for (Type part : tuple.getTypes())
      values.push_back(assemble(builder, loc, part, parts));
    return sh::TupleOp::create(builder, loc, type, values);
  }
  Value part = parts.front();
  parts = parts.drop_front();
  return part;
}

void addPartTypes(Type type, SmallVectorImpl<Type> &parts) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return parts.push_back(type);
  for (Type part : tuple.getTypes())
    addPartTypes(part, parts);
}

// The parts of these types before the one that the path of indices leads to, and how many that has; none where there is
// no such.
std::optional<std::pair<int64_t, int64_t>> partsAt(TypeRange types, ArrayRef<int64_t> path) {
  SmallVector<Type> parts;
  if (path.empty()) {
    for (Type type : types)
      addPartTypes(type, parts);
    return std::pair<int64_t, int64_t>(0, parts.size());
  }
  if (path[0] < 0 || path[0] >= static_cast<int64_t>(types.size()))
    return std::nullopt;
  for (Type type : types.take_front(path[0]))
    addPartTypes(type, parts);
  auto before = static_cast<int64_t>(parts.size());
  auto tuple = dyn_cast<TupleType>(types[path[0]]);
  if (!tuple && path.size() > 1)
    return std::nullopt;
  auto inner = tuple ? partsAt(tuple.getTypes(), path.drop_front()) : std::optional(std::pair<int64_t, int64_t>(0, 1));
  if (inner)
    inner->first += before;
  return inner;
}

// Which parts share memory, by their numbers among all: result i of several, or part i of the one.
ArrayAttr flatAliases(sh::CustomCallOp call, ArrayAttr aliases) {
  TypeRange results = call->getResultTypes();
  if (auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results[0]) : TupleType())
    results = tuple.getTypes();
  SmallVector<Attribute> flat;
  for (auto alias : aliases.getAsRange<sh::OutputOperandAliasAttr>()) {
    SmallVector<int64_t> operandPath{alias.getOperandIndex()};
    llvm::append_range(operandPath, alias.getOperandTupleIndices());
    auto from = partsAt(call->getOperandTypes(), operandPath), to = partsAt(results, alias.getOutputTupleIndices());
    for (int64_t i = 0; from && to && i < std::min(from->second, to->second); ++i)
      flat.push_back(sh::OutputOperandAliasAttr::get(call.getContext(), {to->first + i}, from->first + i, {}));
  }
  return ArrayAttr::get(call.getContext(), flat);
}

void flattenTuples(sh::CustomCallOp call) {
  OpBuilder builder(call);
  SmallVector<Value> operands;
  for (Value operand : call->getOperands())
    addParts(builder, operand, operands);
  SmallVector<Type> types;
  for (Type type : call->getResultTypes())
    addPartTypes(type, types);
  OperationState state(call.getLoc(), sh::CustomCallOp::getOperationName(), operands, types, call->getAttrs());
  auto flat = cast<sh::CustomCallOp>(builder.create(state));
  if (call->getNumResults() == 1 && isa<TupleType>(call->getResult(0).getType()))
    flat->setAttr(ir::kTupleResultAttribute, builder.getUnitAttr());
  if (ArrayAttr aliases = call.getOutputOperandAliasesAttr())
    flat.setOutputOperandAliasesAttr(flatAliases(call, aliases));
  SmallVector<Value> results(flat->getResults());
  ArrayRef<Value> parts = results;
  for (Value result : call->getResults())
    result.replaceAllUsesWith(assemble(builder, call.getLoc(), result.getType(), parts));
  call.erase();
}

} // namespace

LogicalResult expandCustomCalls(ModuleOp module) {
  SmallVector<sh::CustomCallOp> calls, withTuples;
  module.walk([&](sh::CustomCallOp call) {
    if (call.getCallTargetName() == "ApproxTopK" || call.getCallTargetName() == "stablehlo.dynamic_approx_top_k")
      calls.push_back(call);
    else if (llvm::any_of(call->getOperandTypes(), llvm::IsaPred<TupleType>) ||
             llvm::any_of(call->getResultTypes(), llvm::IsaPred<TupleType>))
      withTuples.push_back(call);
  });
  llvm::for_each(withTuples, flattenTuples);
  for (sh::CustomCallOp call : calls)
    if (failed(expandApproxTopK(call)))
      return failure();
  return success();
}

} // namespace tenon::passes
