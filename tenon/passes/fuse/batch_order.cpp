// Puts the elements of each batch of a product side by side.
//
// The operands of a product may lie in any order, and where the batches are their last dimension, as they are under a
// vmap over it, each element of a matrix is in a cache line of its own. Reading such operands takes many times what
// copying them takes, which is done in tiles. A result whose last dimension is to be the batches is a copy, too.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/rules.h"
#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/simplify/dot.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf, ir::typeOf;

// Multiplications of all batches.
int64_t productsOf(sh::DotGeneralOp dot) {
  int64_t products = elementsOf(dot);
  for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
    products *= shapeOf(dot.getLhs())[size_t(dim)];
  return products;
}

class BatchOrder {
public:
  // `index`: which operand, which has elements.
  BatchOrder(sh::DotGeneralOp dot, int64_t index)
      : dot_(dot), operand_(dot->getOpOperand(unsigned(index))), shape_(shapeOf(operand_.get())),
        elementBytes_(ir::storedBytes(typeOf(operand_.get())) / elementsOf(operand_.get())) {
    auto numbers = dot.getDotDimensionNumbers();
    batch_ = llvm::to_vector(isLhs() ? numbers.getLhsBatchingDimensions() : numbers.getRhsBatchingDimensions());
  }

  // Whether the innermost dimension longer than one is of the batches and fills cache lines, and another is not of
  // them.
  bool isToChange() const {
    constexpr int64_t kLineBytes = 64;
    for (int64_t dim = int64_t(shape_.size()) - 1; dim >= 0; --dim)
      if (shape_[size_t(dim)] != 1)
        return llvm::is_contained(batch_, dim) && shape_[size_t(dim)] * elementBytes_ >= kLineBytes &&
               llvm::any_of(llvm::seq(dim), [&](int64_t outer) {
                 return shape_[size_t(outer)] != 1 && !llvm::is_contained(batch_, outer);
               });
    return false;
  }

  void change(OpBuilder &builder) {
    SmallVector<int64_t> order = batch_;
    for (int64_t dim : llvm::seq(int64_t(shape_.size())))
      if (!llvm::is_contained(batch_, dim))
        order.push_back(dim);
    operand_.set(ArrayBuilder(builder, dot_.getLoc()).transpose(operand_.get(), order));
    SmallVector<int64_t> places(order.size());
    for (auto [place, dim] : llvm::enumerate(order))
      places[size_t(dim)] = int64_t(place);
    dot_.setDotDimensionNumbersAttr(numbersWith(dot_.getDotDimensionNumbers(), isLhs(), places));
  }

private:
  bool isLhs() const { return operand_.getOperandNumber() == 0; }

  sh::DotGeneralOp dot_;
  OpOperand &operand_;
  ArrayRef<int64_t> shape_;
  int64_t elementBytes_;
  SmallVector<int64_t> batch_;
};

} // namespace

void orderBatches(Block &block, const CostModel &costs) {
  OpBuilder builder(block.getParentOp()->getContext());
  for (Operation &op : block) {
    auto dot = dyn_cast<sh::DotGeneralOp>(op);
    if (!dot || !typeOf(dot).hasStaticShape() || productsOf(dot) < costs.orderedBatches)
      continue;
    builder.setInsertionPoint(dot);
    for (int64_t index : {0, 1})
      if (BatchOrder order(dot, index); order.isToChange())
        order.change(builder);
  }
}

bool putsBatchesLast(sh::TransposeOp op, const CostModel &costs) {
  if (op.getPermutation().empty())
    return false;
  Value value = op.getOperand();
  while (Operation *source = value.getDefiningOp()) {
    if (auto dot = dyn_cast<sh::DotGeneralOp>(source))
      return productsOf(dot) >= costs.orderedBatches && shapeOf(op).back() != 1 &&
             op.getPermutation().back() < int64_t(dot.getDotDimensionNumbers().getLhsBatchingDimensions().size());
    if (!source->hasTrait<ir::Elementwise>())
      return false;
    value = source->getOperand(0);
  }
  return false;
}

} // namespace tenon::passes
