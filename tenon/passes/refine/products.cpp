// Products of values with bounded dimensions: what does not count of a dimension that is summed over is zero on both
// sides, as infinity times zero is not.

#include "tenon/ir/chlo.h"
#include "tenon/ir/einsum.h"
#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class ProductRefiner {
public:
  explicit ProductRefiner(Refiner &refiner) : refiner_(refiner), emit_(refiner.emit) {}

  LogicalResult refine(sh::DotGeneralOp op) {
    sh::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
    BoundedTensor lhs = refiner_.get(op.getLhs()), rhs = refiner_.get(op.getRhs());
    return product(op, lhs, rhs, numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
                   numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions());
  }

  LogicalResult refine(sh::DotOp op) {
    BoundedTensor lhs = refiner_.get(op.getLhs()), rhs = refiner_.get(op.getRhs());
    return product(op, lhs, rhs, {}, {}, {static_cast<int64_t>(lhs.sizes.size()) - 1}, {0});
  }

  // Groups that do not count have no rows. Where the last group reaches beyond the rows that count, what it finds there
  // does not count in the result, or is zero.
  LogicalResult refine(chlo::RaggedDotOp op) {
    chlo::RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
    BoundedTensor lhs = refiner_.get(op.getLhs()), rhs = refiner_.get(op.getRhs()),
                  groups = refiner_.get(op.getGroupSizes());
    ArrayRef<int64_t> batch = numbers.getLhsBatchingDimensions(), rhsBatch = numbers.getRhsBatchingDimensions();
    ArrayRef<int64_t> inner = numbers.getLhsContractingDimensions(), rhsInner = numbers.getRhsContractingDimensions();
    auto last = static_cast<int64_t>(groups.sizes.size()) - 1;
    for (int round = 0; round < 2; ++round) {
      if (failed(unifyPairs(op, lhs, batch, rhs, rhsBatch)) || failed(unifyPairs(op, lhs, inner, rhs, rhsInner)))
        return failure();
      for (int64_t d = 0; d < last; ++d)
        if (failed(refiner_.unify(op, lhs, batch[d], groups, d)))
          return failure();
      for (int64_t d : numbers.getRhsGroupDimensions())
        if (failed(refiner_.unify(op, rhs, d, groups, last)))
          return failure();
    }
    SmallVector<Value, 4> sizes;
    if (llvm::is_contained(inner, numbers.getLhsRaggedDimensions().front()))
      sizes.push_back(groups.sizes[last]);
    SmallVector<int64_t> rhsTaken(rhsInner);
    llvm::append_range(rhsTaken, numbers.getRhsGroupDimensions());
    appendSizes(sizes, lhs, batch, inner, rhs, rhsBatch, rhsTaken);
    groups.value = emit_.zeroPadding(groups, last);
    return refiner_.rebuild(op, {emit_.zeroPadding(lhs, inner), emit_.zeroPadding(rhs, rhsInner), groups.value}, sizes);
  }

  LogicalResult refine(sh::EinsumOp op) { return refineEinsum(op); }
  LogicalResult refine(sh::UnaryEinsumOp op) { return refineEinsum(op); }

private:
  // Equal labels are one size.
  LogicalResult refineEinsum(Operation *op) {
    sh::EinsumLabels labels = *sh::einsumLabels(op);
    SmallVector<BoundedTensor> operands = refiner_.getAll(op->getOperands());
    std::map<char, std::pair<BoundedTensor *, int64_t>> first;
    for (int round = 0; round < 2; ++round)
      for (auto [term, operand] : llvm::zip_equal(labels.operands, operands))
        for (auto [d, label] : llvm::enumerate(term)) {
          auto [place, isFirst] = first.try_emplace(label, &operand, d);
          auto [other, otherDimension] = place->second;
          bool isItself = other == &operand && otherDimension == static_cast<int64_t>(d);
          if (!isItself && failed(refiner_.unify(op, *other, otherDimension, operand, d)))
            return failure();
        }
    SmallVector<Value, 4> sizes;
    for (char label : labels.result)
      sizes.push_back(first.at(label).first->sizes[first.at(label).second]);
    SmallVector<Value> values;
    for (auto [term, operand] : llvm::zip_equal(labels.operands, operands)) {
      SmallVector<int64_t> summed;
      for (auto [d, label] : llvm::enumerate(term))
        if (labels.result.find(label) == std::string::npos)
          summed.push_back(d);
      values.push_back(emit_.zeroPadding(operand, summed));
    }
    return refiner_.rebuild(op, values, sizes);
  }

  LogicalResult unifyPairs(Operation *op, BoundedTensor &lhs, ArrayRef<int64_t> lhsDims, BoundedTensor &rhs,
                           ArrayRef<int64_t> rhsDims) {
    for (auto [i, j] : llvm::zip_equal(lhsDims, rhsDims))
      if (failed(refiner_.unify(op, lhs, i, rhs, j)))
        return failure();
    return success();
  }

  // Appends the sizes of the result: the batch dimensions, then the free ones of lhs, then those of rhs.
  static void appendSizes(SmallVector<Value, 4> &sizes, const BoundedTensor &lhs, ArrayRef<int64_t> lhsBatch,
                          ArrayRef<int64_t> lhsTaken, const BoundedTensor &rhs, ArrayRef<int64_t> rhsBatch,
                          ArrayRef<int64_t> rhsTaken) {
    for (int64_t d : lhsBatch)
      sizes.push_back(lhs.sizes[d]);
    auto appendFree = [&](const BoundedTensor &side, ArrayRef<int64_t> batch, ArrayRef<int64_t> taken) {
      for (auto [d, size] : llvm::enumerate(side.sizes))
        if (auto dim = static_cast<int64_t>(d); !llvm::is_contained(batch, dim) && !llvm::is_contained(taken, dim))
          sizes.push_back(size);
    };
    appendFree(lhs, lhsBatch, lhsTaken);
    appendFree(rhs, rhsBatch, rhsTaken);
  }

  LogicalResult product(Operation *op, BoundedTensor lhs, BoundedTensor rhs, ArrayRef<int64_t> lhsBatch,
                        ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> lhsContracting,
                        ArrayRef<int64_t> rhsContracting) {
    if (failed(unifyPairs(op, lhs, lhsBatch, rhs, rhsBatch)) ||
        failed(unifyPairs(op, lhs, lhsContracting, rhs, rhsContracting)))
      return failure();
    SmallVector<Value, 4> sizes;
    appendSizes(sizes, lhs, lhsBatch, lhsContracting, rhs, rhsBatch, rhsContracting);
    return refiner_.rebuild(op, {emit_.zeroPadding(lhs, lhsContracting), emit_.zeroPadding(rhs, rhsContracting)},
                            sizes);
  }

  Refiner &refiner_;
  Emitter &emit_;
};

} // namespace

FailureOr<bool> refineProduct(Refiner &refiner, Operation *op) {
  ProductRefiner product(refiner);
  auto refine = [&](auto concrete) -> FailureOr<bool> {
    if (failed(product.refine(concrete)))
      return failure();
    return true;
  };
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::DotGeneralOp, sh::DotOp, chlo::RaggedDotOp, sh::EinsumOp, sh::UnaryEinsumOp>(refine)
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
