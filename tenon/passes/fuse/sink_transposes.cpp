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

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/attention.h"
#include "tenon/passes/fuse/rules.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf, ir::typeOf;
using Permutation = SmallVector<int64_t, 6>;

Permutation inverse(ArrayRef<int64_t> permutation) {
  Permutation result(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    result[size_t(dim)] = int64_t(i);
  return result;
}

// transpose_outer(transpose_inner(x)).
Permutation composed(ArrayRef<int64_t> outer, ArrayRef<int64_t> inner) {
  return llvm::map_to_vector<6>(outer, [&](int64_t dim) { return inner[size_t(dim)]; });
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation), [](auto dim) { return int64_t(dim.index()) == dim.value(); });
}

bool keepsLast(ArrayRef<int64_t> permutation) {
  return !permutation.empty() && permutation.back() == int64_t(permutation.size()) - 1;
}

// Where each of the numbers comes among them.
Permutation orderOf(ArrayRef<int64_t> numbers) {
  return llvm::map_to_vector<6>(numbers, [&](int64_t number) {
    return int64_t(llvm::count_if(numbers, [&](int64_t other) { return other < number; }));
  });
}

// The numbers of dimensions longer than one, in the order of the dimensions.
SmallVector<int64_t> numbersOfLong(ArrayRef<int64_t> shape, ArrayRef<int64_t> numbers) {
  SmallVector<int64_t> result;
  for (auto [size, number] : llvm::zip_equal(shape, numbers))
    if (size != 1)
      result.push_back(number);
  return result;
}

// The permutation that orders dimensions longer than one as they are numbered, and leaves others where they are.
Permutation orderOfLong(ArrayRef<int64_t> shape, ArrayRef<int64_t> numbers) {
  Permutation result(shape.size());
  std::iota(result.begin(), result.end(), 0);
  SmallVector<int64_t> places = numbersOfLong(shape, result);
  for (auto [place, order] : llvm::zip_equal(places, orderOf(numbers)))
    result[size_t(place)] = places[size_t(order)];
  return result;
}

class TransposeSinker {
public:
  explicit TransposeSinker(Block &block) : block_(block), builder_(block.getParentOp()->getContext()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block_.without_terminator())) {
      builder_.setInsertionPoint(&op);
      if (!sink(&op))
        readTransposed(&op);
      noteProduct(&op);
    }
    builder_.setInsertionPoint(block_.getTerminator());
    readTransposed(block_.getTerminator());
    if (replaced_.empty())
      return;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block_)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  // What a value is the transpose of.
  struct Moved {
    Value value;
    Permutation permutation;
  };

  // A transpose has no fewer dimensions than heads, their groups, rows and columns; what has less is no scores.
  static constexpr int64_t kLeastRank = 4;

  bool sink(Operation *op) {
    if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()) ||
        !typeOf(op->getResult(0)).hasStaticShape())
      return false;
    if (auto transpose = dyn_cast<sh::TransposeOp>(op))
      return sinkTranspose(transpose);
    if (auto dot = dyn_cast<sh::DotGeneralOp>(op))
      takeTransposes(dot);
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return moved_.contains(operand); }))
      return false;
    if (op->hasTrait<ir::Elementwise>())
      return sinkElementwise(op);
    if (auto reduce = dyn_cast<sh::ReduceOp>(op))
      return sinkReduce(reduce);
    if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(op))
      return sinkBroadcast(broadcast);
    if (auto reshape = dyn_cast<sh::ReshapeOp>(op))
      return sinkReshape(reshape);
    if (auto dot = dyn_cast<sh::DotGeneralOp>(op))
      return sinkDot(dot);
    return false;
  }

  // `op` is the transpose of `value`, which is new or was there.
  bool replace(Operation *op, Value value, Permutation permutation) {
    if (isIdentity(permutation)) {
      op->getResult(0).replaceAllUsesWith(value);
    } else {
      orders_.insert(orderKey(op->getResult(0), permutation));
      moved_.try_emplace(op->getResult(0), Moved{value, std::move(permutation)});
    }
    if (Operation *made = value.getDefiningOp())
      noteProduct(made);
    replaced_.push_back(op);
    return true;
  }

  bool sinkTranspose(sh::TransposeOp op) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    if (auto moved = moved_.find(op.getOperand()); moved != moved_.end())
      return replace(op, moved->second.value, composed(permutation, moved->second.permutation));
    bool isOfScores = typeOf(op.getOperand()).getRank() >= kLeastRank && keepsLast(permutation) &&
                      fromProduct_.contains(op.getOperand());
    return (isOfScores || ofRows_.contains(op.getOperand())) && replace(op, op.getOperand(), Permutation(permutation));
  }

  // In the order of the first operand that is a transpose; the others, if they aren't, are transposed back.
  bool sinkElementwise(Operation *op) {
    const Moved *first = nullptr;
    for (Value operand : op->getOperands())
      if (auto moved = moved_.find(operand); !first && moved != moved_.end())
        first = &moved->second;
    Permutation permutation = first->permutation;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(typeOf(operand).getRank() == 0 ? operand : before(operand, permutation));
    return replace(op, cloned(op, operands, permutation), permutation);
  }

  Value cloned(Operation *op, ArrayRef<Value> operands, ArrayRef<int64_t> permutation) {
    Operation *copy = builder_.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(typeBefore(op->getResult(0), permutation));
    return copy->getResult(0);
  }

  static RankedTensorType typeBefore(Value value, ArrayRef<int64_t> permutation) {
    Permutation back = inverse(permutation);
    return typeOf(value).clone(llvm::map_to_vector(back, [&](int64_t dim) { return shapeOf(value)[size_t(dim)]; }));
  }

  // The value of which this one is the transpose by the permutation.
  Value before(Value value, ArrayRef<int64_t> permutation) {
    if (isIdentity(permutation))
      return value;
    if (auto moved = moved_.find(value); moved != moved_.end())
      return transposed(moved->second.value, composed(inverse(permutation), moved->second.permutation));
    RankedTensorType type = typeBefore(value, permutation);
    SplatElementsAttr splat;
    Location loc = value.getLoc();
    if (matchPattern(value, m_Constant(&splat)))
      return sh::ConstantOp::create(builder_, loc, splat.resizeSplat(type));
    auto renumbered = [&](int64_t dim) { return permutation[size_t(dim)]; };
    if (auto broadcast = value.getDefiningOp<sh::BroadcastInDimOp>())
      return sh::BroadcastInDimOp::create(builder_, loc, type, broadcast.getOperand(),
                                          llvm::map_to_vector(broadcast.getBroadcastDimensions(), renumbered));
    if (auto reshape = value.getDefiningOp<sh::ReshapeOp>(); reshape && changesUnitDims(reshape))
      return beforeReshape(reshape, permutation);
    return transposed(value, inverse(permutation));
  }

  // The order of dimensions longer than one is that of the operand, so this goes there.
  Value beforeReshape(sh::ReshapeOp reshape, ArrayRef<int64_t> permutation) {
    Value operand = reshape.getOperand();
    Value moved = before(operand, orderOfLong(shapeOf(operand), numbersOfLong(shapeOf(reshape), permutation)));
    return reshaped(moved, typeBefore(reshape, permutation));
  }

  Value reshaped(Value value, RankedTensorType type) {
    return value.getType() == type ? value : sh::ReshapeOp::create(builder_, value.getLoc(), type, value).getResult();
  }

  Value transposed(Value value, ArrayRef<int64_t> permutation) {
    auto shape = llvm::map_to_vector(permutation, [&](int64_t dim) { return shapeOf(value)[size_t(dim)]; });
    RankedTensorType type = typeOf(value).clone(shape);
    if (llvm::is_sorted(numbersOfLong(shape, permutation)))
      return reshaped(value, type);
    return sh::TransposeOp::create(builder_, value.getLoc(), type, value, permutation);
  }

  bool sinkReduce(sh::ReduceOp op) {
    if (op.getInputs().size() != 1)
      return false;
    const Moved &moved = moved_.find(op.getInputs()[0])->second;
    SmallVector<int64_t> numbers, dims;
    for (auto [dim, number] : llvm::enumerate(moved.permutation))
      (llvm::is_contained(op.getDimensions(), int64_t(dim)) ? dims : numbers).push_back(number);
    llvm::sort(dims);
    Permutation permutation = orderOf(numbers);
    auto copy = cast<sh::ReduceOp>(builder_.clone(*op));
    copy->setOperand(0, moved.value);
    copy.setDimensions(dims);
    copy->getResult(0).setType(typeBefore(op->getResult(0), permutation));
    return replace(op, copy->getResult(0), permutation);
  }

  // Its result stays in its order, and is read in another one if need be.
  bool sinkBroadcast(sh::BroadcastInDimOp op) {
    const Moved &moved = moved_.find(op.getOperand())->second;
    SmallVector<int64_t> dims(op.getBroadcastDimensions().size());
    for (auto [dim, to] : llvm::enumerate(op.getBroadcastDimensions()))
      dims[size_t(moved.permutation[dim])] = to;
    Value result = sh::BroadcastInDimOp::create(builder_, op.getLoc(), op.getType(), moved.value, dims);
    op.replaceAllUsesWith(result);
    replaced_.push_back(op);
    return true;
  }

  bool sinkReshape(sh::ReshapeOp op) {
    if (!changesUnitDims(op))
      return false;
    const Moved &moved = moved_.find(op.getOperand())->second;
    Permutation permutation = orderOfLong(shapeOf(op), numbersOfLong(shapeOf(op.getOperand()), moved.permutation));
    return replace(op, reshaped(moved.value, typeBefore(op, permutation)), permutation);
  }

  static bool changesUnitDims(sh::ReshapeOp op) {
    return withoutUnitDims(shapeOf(op.getOperand())) == withoutUnitDims(shapeOf(op));
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

  std::pair<Type, Attribute> orderKey(Value value, ArrayRef<int64_t> permutation) {
    return {value.getType(), builder_.getDenseI64ArrayAttr(permutation)};
  }

  // The dimension of what the value is the transpose of.
  int64_t dimBefore(Value value, int64_t dim) {
    auto moved = moved_.find(value);
    return moved == moved_.end() ? dim : moved->second.permutation[size_t(dim)];
  }

  SmallVector<int64_t> dimsBefore(Value value, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t dim) { return dimBefore(value, dim); });
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

  // What does not take part reads the transposes.
  void readTransposed(Operation *op) {
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands()) {
        auto moved = moved_.find(operand.get());
        if (moved == moved_.end())
          continue;
        Value &made = made_[operand.get()];
        if (!made) {
          OpBuilder::InsertionGuard guard(builder_);
          builder_.setInsertionPointAfterValue(moved->second.value);
          made = transposed(moved->second.value, moved->second.permutation);
        }
        operand.set(made);
      }
    });
  }

  void noteProduct(Operation *op) {
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

  Block &block_;
  OpBuilder builder_;
  llvm::DenseSet<Value> fromProduct_; // results of products, and what is computed of them element by element
  llvm::DenseSet<Value> ofRows_;      // reductions of their rows, and what is computed of these
  llvm::DenseMap<Value, Moved> moved_;
  llvm::DenseSet<std::pair<Type, Attribute>> orders_; // of what is in moved_
  llvm::DenseMap<Value, Value> made_;                 // the transposes that others read
  SmallVector<Operation *> replaced_;
};

} // namespace

void sinkTransposes(Block &block) { TransposeSinker(block).run(); }

} // namespace tenon::passes
