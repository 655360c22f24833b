// The largest elements of a dimension that is cut are among the largest of each part:
//
//   top_k (x : [8], k = 2), x cut in 4   =>   v, i = top_k (x : [2], k = 2);  V, I = all_gather v, i + start : [8]
//                                             top_k (V, k = 2), and those of I at the same places
//
// Among equal ones the first counts, which is so of a part, and then of the parts in their order.
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/indices.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

int64_t lastOf(const ir::TensorFactors &dims) { return dims.back().front(); }

// What no element is below in the order of top_k: of floats, the negative NaN that has all bits.
std::optional<TypedAttr> lowestOf(Type element) {
  if (auto integers = dyn_cast<IntegerType>(element)) {
    unsigned width = integers.getWidth();
    bool isSigned = !integers.isUnsigned() && width > 1;
    return IntegerAttr::get(integers, isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width));
  }
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return std::nullopt;
  auto floats = cast<FloatType>(element);
  return FloatAttr::get(floats, APFloat(floats.getFloatSemantics(), APInt::getAllOnes(floats.getWidth())));
}

bool canCutTopK(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  if (static_cast<int64_t>(factor) != lastOf(factors.operands[0]))
    return factors.factors[factor].type == ir::FactorType::kPassThrough;
  RankedTensorType type = ir::typeOf(op->getOperand(0));
  return type.getShape().back() > 0 && (type.getShape().back() % parts == 0 || lowestOf(type.getElementType()));
}

chlo::TopKOp topK(ArrayBuilder &builder, Value operand, int64_t k) {
  RankedTensorType type = ir::typeOf(operand);
  SmallVector<int64_t> sizes(type.getShape());
  sizes.back() = k;
  return chlo::TopKOp::create(builder.builder, builder.loc, type.clone(sizes),
                              RankedTensorType::get(sizes, builder.builder.getI32Type()), operand,
                              static_cast<uint64_t>(k));
}

// The elements of each row at these places of the last dimension.
Value takeAlongLast(ArrayBuilder &builder, Value rows, Value places) {
  SmallVector<int64_t> sizes(ir::shapeOf(places)), batch, ones(sizes.size(), 1);
  for (int64_t i = 0; i + 1 < static_cast<int64_t>(sizes.size()); ++i)
    batch.push_back(i);
  auto last = static_cast<int64_t>(batch.size());
  sizes.push_back(1);
  auto numbers = sh::GatherDimensionNumbersAttr::get(rows.getContext(), {}, {last}, batch, batch, {last}, last + 1);
  return sh::GatherOp::create(builder.builder, builder.loc, ir::typeOf(rows).clone(ir::shapeOf(places)), rows,
                              builder.reshape(places, sizes), numbers, builder.builder.getDenseI64ArrayAttr(ones),
                              builder.builder.getBoolAttr(false));
}

SmallVector<Value> buildTopK(LocalOp &op) {
  ArrayBuilder &builder = op.builder;
  RankedTensorType whole = op.operandType(0), local = op.localOperandType(0);
  int64_t last = whole.getRank() - 1, k = op.resultType(0).getDimSize(last);
  ir::Sharding sharding = op.operandSharding(0);
  if (!isCut(sharding, last) || k == 0)
    return op.cloneWith(op.operands);
  Value operand = op.operands[0];
  if (isUneven(whole, sharding, last)) {
    auto filler = DenseElementsAttr::get(RankedTensorType::get({}, whole.getElementType()),
                                         Attribute(*lowestOf(whole.getElementType())));
    Value constant = sh::ConstantOp::create(builder.builder, builder.loc, filler);
    operand = withoutPadding(builder, operand, whole, sharding, last, constant);
  }
  chlo::TopKOp own = topK(builder, operand, std::min(k, local.getDimSize(last)));
  Value start = partStart(builder, whole, sharding, last);
  Value places = builder.add(own.getIndices(), builder.broadcast(start, ir::shapeOf(own.getIndices()), {}));
  const ir::Axes &axes = sharding.dims[last].axes;
  Value values = allGather(builder, own.getValues(), last, op.mesh, axes);
  places = allGather(builder, places, last, op.mesh, axes);
  chlo::TopKOp all = topK(builder, values, k);
  return {all.getValues(), takeAlongLast(builder, places, all.getIndices())};
}

ir::Factors factorsOfTopK(Operation *op, const ir::Factors &factors) {
  return withOwnResults(op, factors,
                        [&](size_t number) { return static_cast<int64_t>(number) == lastOf(factors.operands[0]); });
}

} // namespace

LocalForm topKForm() {
  return {.factors = factorsOfTopK, .canCut = canCutTopK, .finishesSums = true, .build = buildTopK};
}

} // namespace tenon::passes::partition
