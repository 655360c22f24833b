#include "tenon/passes/partition/local/indices.h"

#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/forms.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {

// The largest integer that is of the type and not above the limit.
static int64_t withinType(Type element, int64_t limit) {
  auto integers = cast<IntegerType>(element);
  unsigned bits = integers.getWidth() - (integers.isUnsigned() ? 0 : 1);
  return bits >= 63 ? limit : std::min(limit, (int64_t{1} << bits) - 1);
}

static Value toI32(ArrayBuilder &builder, Value value) {
  RankedTensorType type = ir::typeOf(value).clone(builder.builder.getI32Type());
  return value.getType() == type ? value : sh::ConvertOp::create(builder.builder, builder.loc, type, value).getResult();
}

bool isCut(const ir::Sharding &sharding, int64_t dimension) { return !sharding.dims[dimension].axes.empty(); }

Value filled(ArrayBuilder &builder, RankedTensorType type, int64_t value) {
  return builder.fill(type.getElementType(), type.getShape(), static_cast<double>(value));
}

Value clamped(ArrayBuilder &builder, Value indices, int64_t limit) {
  RankedTensorType type = ir::typeOf(indices);
  Value high = filled(builder, type, withinType(type.getElementType(), limit));
  Value positive = builder.binary<sh::MaximumOp>(indices, filled(builder, type, 0));
  return toI32(builder, builder.binary<sh::MinimumOp>(positive, high));
}

Value orNone(ArrayBuilder &builder, Value indices, int64_t size) {
  RankedTensorType type = ir::typeOf(indices);
  Value near = clamped(builder, indices, size - 1);
  Value isIn = builder.compare(indices, sh::ComparisonDirection::GE, filled(builder, type, 0));
  if (withinType(type.getElementType(), size) == size)
    isIn = builder.logicalAnd(isIn, builder.compare(indices, sh::ComparisonDirection::LT, filled(builder, type, size)));
  return builder.select(isIn, near, filled(builder, ir::typeOf(near), -1));
}

Value isBetween(ArrayBuilder &builder, Value indices, int64_t low, int64_t limit) {
  RankedTensorType type = ir::typeOf(indices);
  return builder.logicalAnd(builder.compare(indices, sh::ComparisonDirection::GE, filled(builder, type, low)),
                            builder.compare(indices, sh::ComparisonDirection::LT, filled(builder, type, limit)));
}

Value fromPart(LocalOp &op, size_t operand, int64_t dimension, Value indices) {
  Value start = partStart(op.builder, op.operandType(operand), op.operandSharding(operand), dimension);
  return op.builder.subtract(indices, op.builder.broadcast(start, ir::shapeOf(indices), {}));
}

std::optional<SumKind> sumOfMoved(Operation *op) {
  Type element = ir::typeOf(op->getResult(0)).getElementType();
  return isSummable(element, SumKind::kAdd) ? std::optional(SumKind::kAdd) : std::nullopt;
}

ir::Factors withOwnResults(Operation *op, ir::Factors factors, llvm::function_ref<bool(size_t)> isParted) {
  size_t count = factors.factors.size();
  for (size_t number = 0; number < count; ++number) {
    if (!isParted(number))
      continue;
    auto own = static_cast<int64_t>(factors.factors.size());
    std::optional<int64_t> size;
    for (auto [result, dims] : llvm::zip_equal(op->getResults(), factors.results))
      for (auto [dimension, numbers] : llvm::enumerate(dims))
        if (llvm::is_contained(numbers, static_cast<int64_t>(number))) {
          numbers = {own};
          size = ir::typeOf(result).getDimSize(static_cast<int64_t>(dimension));
        }
    if (!size)
      continue;
    factors.factors[number].type = ir::FactorType::kReduction;
    factors.factors.push_back({*size, ir::FactorType::kReplicated, /*isBlocked=*/true});
  }
  return factors;
}

} // namespace tenon::passes::partition
