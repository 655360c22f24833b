// Products of groups of rows, which follow each other along one dimension. Where that is cut, a device has the groups
// that reach into its part, and of each of them the rows that are there:
//
//   rows: [a a a b | b c c c], group_sizes [3, 2, 3]     the first device: [3, 1, 0], the second: [0, 1, 3]
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/indices.h"

#include "tenon/ir/types.h"

using namespace mlir;

namespace tenon::passes::partition {
namespace {

constexpr size_t kGroupSizes = 2; // the operand

int64_t raggedDimension(chlo::RaggedDotOp op) {
  return op.getRaggedDotDimensionNumbers().getLhsRaggedDimensions().front();
}

bool canCutRaggedDot(Operation *op, const ir::Factors &factors, size_t factor, int64_t) {
  auto dot = cast<chlo::RaggedDotOp>(op);
  if (factors.factors[factor].type == ir::FactorType::kReduction)
    return sumOfProducts(op).has_value();
  // Each batch may have sizes of its own, which no factor says.
  bool areSizesBatched = ir::typeOf(dot.getGroupSizes()).getRank() > 1;
  auto isOfBatch = [&](int64_t dimension) {
    return llvm::is_contained(factors.operands[0][dimension], static_cast<int64_t>(factor));
  };
  return factors.factors[factor].type == ir::FactorType::kPassThrough && hasFactor(factors.results[0], factor) &&
         !(areSizesBatched && llvm::any_of(dot.getRaggedDotDimensionNumbers().getLhsBatchingDimensions(), isOfBatch));
}

// How many of each group's rows are in the device's part.
Value localGroupSizes(LocalOp &op, int64_t dimension) {
  ArrayBuilder &builder = op.builder;
  RankedTensorType type = ir::typeOf(op.operands[kGroupSizes]);
  Value sizes = clamped(builder, op.operands[kGroupSizes], op.operandType(0).getDimSize(dimension));
  Value ends = scanned(builder, sizes, builder.i32(0), {type.getRank() - 1, /*isFromBehind=*/false, SumKind::kAdd});
  Value begins = builder.subtract(ends, sizes);
  auto place = [&](Value places) {
    return clamped(builder, fromPart(op, 0, dimension, places), op.localOperandType(0).getDimSize(dimension));
  };
  return builder.subtract(place(ends), place(begins));
}

SmallVector<Value> buildRaggedDot(LocalOp &op) {
  SmallVector<Value> operands = withZerosForPadding(op);
  int64_t dimension = raggedDimension(cast<chlo::RaggedDotOp>(op.op));
  if (isCut(op.operandSharding(0), dimension))
    operands[kGroupSizes] = localGroupSizes(op, dimension);
  return op.cloneWith(operands);
}

// Along rows that are summed over, devices have summands of each group's product.
ir::Factors factorsOfRaggedDot(Operation *op, const ir::Factors &spread) {
  auto dot = cast<chlo::RaggedDotOp>(op);
  ir::Factors factors = spread;
  int64_t dimension = raggedDimension(dot);
  if (llvm::is_contained(dot.getRaggedDotDimensionNumbers().getLhsContractingDimensions(), dimension))
    factors.factors[factors.operands[0][dimension].front()].type = ir::FactorType::kReduction;
  return factors;
}

} // namespace

LocalForm raggedDotForm() {
  return {.factors = factorsOfRaggedDot, .canCut = canCutRaggedDot, .sum = sumOfProducts, .build = buildRaggedDot};
}

} // namespace tenon::passes::partition
