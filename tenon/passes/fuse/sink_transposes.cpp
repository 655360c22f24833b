// Has what is computed of a product's result be computed in the order of dimensions that the product gives it.
//
//   %s = dot(%q, %k)                              %s = dot(%q, %k)
//   %max = reduce(%s)                             %max = reduce(%s)
//   %t = transpose(%s)                            %d = subtract(%s, broadcast(%max))
//   %m = transpose(%max)                    =>    %e = exponential(%d)
//   %d = subtract(%t, broadcast(%m))              %o = dot(%e, %v)
//   %e = exponential(%d)
//   %o = dot(%e, %v)
//
// Where heads are in groups, JAX computes a part of a softmax in one order and the rest in another, and no kernel takes
// a row's maximum in the one and its sum in the other. A transpose that keeps the last dimension goes down, from ops to
// their users, as far as these are elementwise, reduce, broadcast or add dimensions of size one, and vanishes in
// another one or in a product, which reads any order. What is left of it is smaller by the dimensions that were reduced
// or summed over, or was there before.
//
// So does the transpose of any matrix of which, and of what is computed of it element by element, nothing but products
// and reductions are read: covariances (the products of what is left of a transpose's rows without their means),
// conjugate transposes.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/attention.h"
#include "tenon/passes/fuse/rules.h"
#include "tenon/passes/fuse/transpose_sinker.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

bool keepsLast(ArrayRef<int64_t> permutation) {
  return !permutation.empty() && permutation.back() == int64_t(permutation.size()) - 1;
}

class ScoreSinker : public TransposeSinker {
public:
  using TransposeSinker::TransposeSinker;

private:
  // A transpose has no fewer dimensions than heads, their groups, rows and columns; what has less is no scores.
  static constexpr int64_t kLeastRank = 4;

  bool sink(Operation *op) override {
    if (auto transpose = dyn_cast<sh::TransposeOp>(op); transpose && !readsMoved(op))
      return sinkTranspose(transpose);
    if (auto dot = dyn_cast<sh::DotGeneralOp>(op))
      takeTransposes(dot);
    if (!readsMoved(op))
      return false;
    if (auto dot = dyn_cast<sh::DotGeneralOp>(op))
      return sinkDot(dot);
    return sinkCommon(op);
  }

  bool sinkTranspose(sh::TransposeOp op) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    bool isOfScores = typeOf(op.getOperand()).getRank() >= kLeastRank && keepsLast(permutation) &&
                      fromProduct_.contains(op.getOperand());
    return (isOfScores || ofRows_.contains(op.getOperand()) || endsInProducts(op)) &&
           replace(op, op.getOperand(), Permutation(permutation));
  }

  // Whether the transpose of a matrix, and what is computed of it element by element and of nothing else that has an
  // order, are read by products, of which there is one, and reductions only.
  bool endsInProducts(sh::TransposeOp op) const {
    constexpr size_t kMostValues = 32;
    if (typeOf(op).getRank() != 2)
      return false;
    llvm::SmallSetVector<Value, 8> values;
    values.insert(op.getResult());
    bool hasProduct = false;
    for (size_t i = 0; i < values.size() && values.size() <= kMostValues; ++i)
      for (Operation *user : values[i].getUsers()) {
        auto reduce = dyn_cast<sh::ReduceOp>(user);
        if (user->getBlock() != &block_)
          return false;
        if (isa<sh::DotGeneralOp>(user))
          hasProduct = true;
        else if (user->hasTrait<ir::Elementwise>() && user->getNumResults() == 1)
          values.insert(user->getResult(0));
        else if (!reduce || reduce.getInputs().size() != 1)
          return false;
      }
    SplatElementsAttr splat;
    auto hasNoOrder = [&](Value operand) {
      return values.contains(operand) || typeOf(operand).getRank() == 0 ||
             operand.getDefiningOp<sh::BroadcastInDimOp>() || matchPattern(operand, m_Constant(&splat));
    };
    return hasProduct && values.size() <= kMostValues &&
           llvm::all_of(values.getArrayRef().drop_front(),
                        [&](Value value) { return llvm::all_of(value.getDefiningOp()->getOperands(), hasNoOrder); });
  }

  // Has the product read what its operands are transposes of, if only transposes of its result are read, or if that
  // gives it the order that other values of its shape have.
  void takeTransposes(sh::DotGeneralOp op) {
    SmallVector<Value, 2> taken;
    for (Value operand : op->getOperands())
      if (auto transpose = operand.getDefiningOp<sh::TransposeOp>())
        if (moved_.try_emplace(operand, Moved{transpose.getOperand(), Permutation(transpose.getPermutation())}).second)
          taken.push_back(operand);
    bool isKnown = !taken.empty() && orders_.contains(orderKey(op, orderOfResult(op)));
    if (!isKnown && !llvm::all_of(op->getUsers(), llvm::IsaPred<sh::TransposeOp>))
      for (Value operand : taken)
        moved_.erase(operand);
  }

  void noteMoved(Value value, ArrayRef<int64_t> permutation) override { orders_.insert(orderKey(value, permutation)); }

  std::pair<Type, Attribute> orderKey(Value value, ArrayRef<int64_t> permutation) {
    return {value.getType(), builder_.getDenseI64ArrayAttr(permutation)};
  }

  // A product has its operands' free dimensions in their order: the permutation from that of what they are the
  // transposes of.
  Permutation orderOfResult(sh::DotGeneralOp op) {
    auto numbers = op.getDotDimensionNumbers();
    Permutation permutation;
    auto count = int64_t(numbers.getLhsBatchingDimensions().size());
    for (int64_t i = 0; i < count; ++i)
      permutation.push_back(i);
    auto read = [&](Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracted) {
      SmallVector<int64_t> free;
      for (int64_t dim = 0; dim < typeOf(operand).getRank(); ++dim)
        if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracted, dim))
          free.push_back(dimBefore(operand, dim));
      for (int64_t dim : orderOf(free))
        permutation.push_back(count + dim);
      count += int64_t(free.size());
    };
    read(op.getLhs(), numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions());
    read(op.getRhs(), numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions());
    return permutation;
  }

  // The product reads its operands in whatever order.
  bool sinkDot(sh::DotGeneralOp op) {
    Permutation permutation = orderOfResult(op);
    if (!keepsLast(permutation))
      return false;
    auto numbers = op.getDotDimensionNumbers();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    auto operand = [&](Value value) {
      auto moved = moved_.find(value);
      return moved == moved_.end() ? value : moved->second.value;
    };
    Value result = cloned(op, {operand(lhs), operand(rhs)}, permutation);
    result.getDefiningOp<sh::DotGeneralOp>().setDotDimensionNumbersAttr(sh::DotDimensionNumbersAttr::get(
        op.getContext(), dimsBefore(lhs, numbers.getLhsBatchingDimensions()),
        dimsBefore(rhs, numbers.getRhsBatchingDimensions()), dimsBefore(lhs, numbers.getLhsContractingDimensions()),
        dimsBefore(rhs, numbers.getRhsContractingDimensions())));
    return replace(op, result, permutation);
  }

  void note(Operation *op) override {
    auto isProduct = [&](Value operand) { return fromProduct_.contains(operand); };
    bool isMade = op->hasTrait<ir::Elementwise>() || isa<sh::TransposeOp>(op) ||
                  (isa<sh::ReshapeOp>(op) && changesUnitDims(cast<sh::ReshapeOp>(op)));
    if (isa<sh::DotGeneralOp>(op) || (isMade && llvm::any_of(op->getOperands(), isProduct)))
      fromProduct_.insert(op->getResult(0));
    auto reduce = dyn_cast<sh::ReduceOp>(op);
    bool reducesRows = reduce && reduce.getInputs().size() == 1 && isProduct(reduce.getInputs()[0]) &&
                       llvm::is_contained(reduce.getDimensions(), typeOf(reduce.getInputs()[0]).getRank() - 1);
    if (reducesRows ||
        (isMade && llvm::any_of(op->getOperands(), [&](Value operand) { return ofRows_.contains(operand); })))
      ofRows_.insert(op->getResult(0));
  }

  llvm::DenseSet<Value> fromProduct_; // results of products, and what is computed of them element by element
  llvm::DenseSet<Value> ofRows_;      // reductions of their rows, and what is computed of these
  llvm::DenseSet<std::pair<Type, Attribute>> orders_; // of what is in moved_
};

} // namespace

void sinkTransposes(Block &block) { ScoreSinker(block).run(); }

} // namespace tenon::passes
