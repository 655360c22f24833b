#include "tenon/passes/partition/local/window_ops.h"

#include "tenon/ir/types.h"

using namespace mlir;

namespace tenon::passes::partition {

int64_t dimensionOf(const ir::TensorFactors &dims, size_t factor) {
  return llvm::find_if(dims, [&](const ir::DimFactors &numbers) { return llvm::is_contained(numbers, factor); }) -
         dims.begin();
}

int64_t partsOf(const LocalOp &op, int64_t dimension) {
  return ir::partsOf(op.operandSharding(0).dims[dimension].axes);
}

CutDimension cutOf(const LocalOp &op, size_t operand, int64_t dimension, int64_t resultDimension) {
  return {dimension, op.operandType(operand).getDimSize(dimension), op.resultType(0).getDimSize(resultDimension),
          op.mesh, op.operandSharding(operand).dims[dimension].axes};
}

Value withHaloAlong(LocalOp &op, size_t operand, Value value, int64_t dimension, int64_t resultDimension,
                    const Window &window, Value filler) {
  return withHalo(op.builder, value, cutOf(op, operand, dimension, resultDimension), window, filler);
}

bool hasHalo(Operation *op, int64_t dimension, int64_t resultDimension, int64_t parts, const Window &window) {
  return haloOf(ir::typeOf(op->getOperand(0)).getDimSize(dimension),
                ir::typeOf(op->getResult(0)).getDimSize(resultDimension), parts, window)
      .has_value();
}

int64_t at(std::optional<ArrayRef<int64_t>> values, int64_t i) { return values && !values->empty() ? (*values)[i] : 1; }

SmallVector<int64_t> paddingOf(std::optional<DenseIntElementsAttr> padding, size_t dims) {
  if (!padding)
    return SmallVector<int64_t>(2 * dims, 0);
  return llvm::to_vector(padding->getValues<int64_t>());
}

NamedAttribute numbers(LocalOp &op, StringRef name, ArrayRef<int64_t> values) {
  return op.builder.builder.getNamedAttr(name, op.builder.builder.getDenseI64ArrayAttr(values));
}

NamedAttribute padding(LocalOp &op, ArrayRef<int64_t> values) {
  Builder &builder = op.builder.builder;
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2}, builder.getI64Type());
  return builder.getNamedAttr("padding", DenseIntElementsAttr::get(type, values));
}

} // namespace tenon::passes::partition
