// ApproxTopK (jax.lax.approx_max_k): the best k along a dimension by a comparator. Exact here: top_k where it orders
// floats, otherwise a sort and a slice. The comparator is that of the call, but for GT and LT of floats, which order no
// array with a NaN: they become orders that agree with them on numbers.

#include "tenon/ir/chlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/legalize/decompose/patterns.h"

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

// The elements with zeros of one sign, and one NaN, which is above the numbers in the total order.
Value canonicalFloats(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  auto constant = [&](const APFloat &value) -> Value {
    return sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
  };
  auto test = [&](sh::ComparisonDirection direction, Value other) -> Value {
    return sh::CompareOp::create(builder, loc, type.clone(builder.getI1Type()), x, other, direction,
                                 sh::ComparisonTypeAttr());
  };
  Value zero = constant(APFloat::getZero(semantics)), nan = constant(APFloat::getNaN(semantics));
  Value number = sh::SelectOp::create(builder, loc, test(sh::ComparisonDirection::EQ, zero), zero, x);
  return sh::SelectOp::create(builder, loc, test(sh::ComparisonDirection::NE, x), nan, number);
}

// Replaces `compare` by a comparison in the total order. Unless that must also distinguish zeros, and NaNs, of
// different signs apart, -0 equals +0, and all NaNs are above the numbers and equal.
void compareTotally(sh::CompareOp compare, bool distinguishesSigns) {
  OpBuilder builder(compare);
  Location loc = compare.getLoc();
  auto canonical = [&](Value x) { return distinguishesSigns ? x : canonicalFloats(builder, loc, x); };
  Value lhs = canonical(compare.getLhs()), rhs = canonical(compare.getRhs());
  auto totalOrder = sh::ComparisonTypeAttr::get(builder.getContext(), sh::ComparisonType::TOTALORDER);
  Value total =
      sh::CompareOp::create(builder, loc, compare.getType(), lhs, rhs, compare.getComparisonDirection(), totalOrder);
  compare.replaceAllUsesWith(total);
  compare.erase();
}

// Whether XLA uses the total order, as top_k does: where it selects some of the elements, the greatest of f32.
bool ordersAsTopK(sh::CustomCallOp call, sh::CompareOp compare) {
  auto from = cast<RankedTensorType>(call->getOperand(0).getType());
  auto to = cast<RankedTensorType>(call->getResult(0).getType());
  return from.getElementType().isF32() && compare.getComparisonDirection() == sh::ComparisonDirection::GT &&
         from.getShape() != to.getShape();
}

// ApproxTopK of static shapes by top_k, which looks at each element once.
class Selection {
public:
  Selection(OpBuilder &builder, sh::CustomCallOp call, int64_t dimension, int64_t k)
      : arrays_(builder, call.getLoc()), call_(call), dimension_(dimension), k_(k) {
    int64_t rank = ir::typeOf(call->getOperand(0)).getRank();
    for (int64_t d = 0; d < rank; ++d)
      if (d != dimension)
        lastly_.push_back(d);
    lastly_.push_back(dimension);
    back_.resize(lastly_.size());
    for (auto [i, d] : llvm::enumerate(lastly_))
      back_[d] = int64_t(i);
  }

  // Whether top_k has a kernel for them, and does less than a sort.
  static bool isFaster(RankedTensorType type, int64_t dimension, int64_t k) {
    unsigned bits = type.getElementTypeBitWidth();
    return bits > 8 && bits <= 32 && 4 * k <= type.getDimSize(dimension);
  }

  SmallVector<Value> run(sh::CompareOp compare) {
    bool isTotal = ordersAsTopK(call_, compare);
    Value values = arrays_.transpose(call_->getOperand(0), lastly_), key = values;
    if (!isTotal)
      key = canonicalFloats(arrays_.builder, arrays_.loc, key);
    if (compare.getComparisonDirection() == sh::ComparisonDirection::LT)
      key = arrays_.unary<sh::NegateOp>(key);
    SmallVector<int64_t> shape(ir::typeOf(key).getShape());
    shape.back() = k_;
    auto type = ir::typeOf(key).clone(shape);
    auto top = chlo::TopKOp::create(arrays_.builder, arrays_.loc, type, type.clone(arrays_.builder.getI32Type()), key,
                                    k_, /*is_stable=*/true);
    SmallVector<Value> results;
    for (unsigned i = 0; i < call_->getNumResults(); ++i) {
      Value best = i == 0 && isTotal ? top.getValues() : at(call_->getOperand(i), top.getIndices());
      results.push_back(arrays_.transpose(best, back_));
    }
    return results;
  }

private:
  // The elements of an operand at these positions of the dimension.
  Value at(Value operand, Value indices) {
    RankedTensorType type = ir::typeOf(operand);
    auto result = ir::typeOf(indices).clone(type.getElementType());
    if (auto iota = operand.getDefiningOp<sh::IotaOp>(); iota && int64_t(iota.getIotaDimension()) == dimension_)
      return sh::ConvertOp::create(arrays_.builder, arrays_.loc, result, indices);
    SmallVector<int64_t> batching = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
    SmallVector<int64_t> starts(result.getShape()), slice(type.getRank(), 1);
    starts.push_back(1);
    int64_t last = type.getRank() - 1;
    auto numbers = sh::GatherDimensionNumbersAttr::get(operand.getContext(), {}, {last}, batching, batching, {last},
                                                       type.getRank());
    return sh::GatherOp::create(arrays_.builder, arrays_.loc, result, arrays_.transpose(operand, lastly_),
                                arrays_.reshape(indices, starts), numbers, slice);
  }

  ArrayBuilder arrays_;
  sh::CustomCallOp call_;
  int64_t dimension_, k_;
  SmallVector<int64_t> lastly_, back_; // permutations: the dimension to the end, and back
};

} // namespace

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
  auto from = cast<RankedTensorType>(call->getOperand(0).getType());
  auto to = cast<RankedTensorType>(call->getResult(0).getType());
  sh::CompareOp order = floatComparison(comparator.getBody().front());
  int64_t along = dimension.getInt() + (dimension.getInt() < 0 ? from.getRank() : 0);
  if (order && !isDynamic && from.hasStaticShape() && to.hasStaticShape() && along >= 0 && along < from.getRank() &&
      Selection::isFaster(from, along, to.getDimSize(along))) {
    call->replaceAllUsesWith(Selection(builder, call, along, to.getDimSize(along)).run(order));
    call.erase();
    return success();
  }
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
  // NaNs go to where XLA has them.
  if (sh::CompareOp compare = floatComparison(sort.getComparator().front()))
    compareTotally(compare, ordersAsTopK(call, compare));
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

} // namespace tenon::passes
