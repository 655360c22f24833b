#include "tenon/passes/fuse/transpose_sinker.h"

#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/rules.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

using ir::shapeOf, ir::typeOf;

Permutation inverse(ArrayRef<int64_t> permutation) {
  Permutation result(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    result[size_t(dim)] = int64_t(i);
  return result;
}

Permutation composed(ArrayRef<int64_t> outer, ArrayRef<int64_t> inner) {
  return llvm::map_to_vector<6>(outer, [&](int64_t dim) { return inner[size_t(dim)]; });
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation), [](auto dim) { return int64_t(dim.index()) == dim.value(); });
}

Permutation orderOf(ArrayRef<int64_t> numbers) {
  return llvm::map_to_vector<6>(numbers, [&](int64_t number) {
    return int64_t(llvm::count_if(numbers, [&](int64_t other) { return other < number; }));
  });
}

namespace {

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

} // namespace

void TransposeSinker::run() {
  for (Operation &op : llvm::make_early_inc_range(block_.without_terminator())) {
    builder_.setInsertionPoint(&op);
    bool mayMove = op.getNumResults() == 1 && isa<RankedTensorType>(op.getResult(0).getType()) &&
                   typeOf(op.getResult(0)).hasStaticShape();
    if (!mayMove || !sink(&op))
      readTransposed(&op);
    note(&op);
  }
  builder_.setInsertionPoint(block_.getTerminator());
  readTransposed(block_.getTerminator());
  if (replaced_.empty())
    return;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block_)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

bool TransposeSinker::readsMoved(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) { return moved_.contains(operand); });
}

const TransposeSinker::Moved *TransposeSinker::movedTo(Value value) const {
  auto moved = moved_.find(value);
  return moved == moved_.end() ? nullptr : &moved->second;
}

bool TransposeSinker::replace(Operation *op, Value value, Permutation permutation) {
  if (isIdentity(permutation)) {
    op->getResult(0).replaceAllUsesWith(value);
  } else {
    noteMoved(op->getResult(0), permutation);
    moved_.try_emplace(op->getResult(0), Moved{value, std::move(permutation)});
  }
  if (Operation *made = value.getDefiningOp())
    note(made);
  replaced_.push_back(op);
  return true;
}

bool TransposeSinker::sinkCommon(Operation *op) {
  if (auto transpose = dyn_cast<sh::TransposeOp>(op)) {
    const Moved &moved = *movedTo(transpose.getOperand());
    return replace(op, moved.value, composed(transpose.getPermutation(), moved.permutation));
  }
  if (op->hasTrait<ir::Elementwise>())
    return sinkElementwise(op);
  if (auto reduce = dyn_cast<sh::ReduceOp>(op))
    return sinkReduce(reduce);
  if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(op))
    return sinkBroadcast(broadcast);
  if (auto reshape = dyn_cast<sh::ReshapeOp>(op))
    return sinkReshape(reshape);
  return false;
}

bool TransposeSinker::sinkElementwise(Operation *op) {
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

Value TransposeSinker::cloned(Operation *op, ArrayRef<Value> operands, ArrayRef<int64_t> permutation) {
  Operation *copy = builder_.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(typeBefore(op->getResult(0), permutation));
  return copy->getResult(0);
}

RankedTensorType TransposeSinker::typeBefore(Value value, ArrayRef<int64_t> permutation) {
  Permutation back = inverse(permutation);
  return typeOf(value).clone(llvm::map_to_vector(back, [&](int64_t dim) { return shapeOf(value)[size_t(dim)]; }));
}

Value TransposeSinker::before(Value value, ArrayRef<int64_t> permutation) {
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
Value TransposeSinker::beforeReshape(sh::ReshapeOp reshape, ArrayRef<int64_t> permutation) {
  Value operand = reshape.getOperand();
  Value moved = before(operand, orderOfLong(shapeOf(operand), numbersOfLong(shapeOf(reshape), permutation)));
  return reshaped(moved, typeBefore(reshape, permutation));
}

Value TransposeSinker::reshaped(Value value, RankedTensorType type) {
  return value.getType() == type ? value : sh::ReshapeOp::create(builder_, value.getLoc(), type, value).getResult();
}

Value TransposeSinker::transposed(Value value, ArrayRef<int64_t> permutation) {
  auto shape = llvm::map_to_vector(permutation, [&](int64_t dim) { return shapeOf(value)[size_t(dim)]; });
  RankedTensorType type = typeOf(value).clone(shape);
  if (llvm::is_sorted(numbersOfLong(shape, permutation)))
    return reshaped(value, type);
  Value result = sh::TransposeOp::create(builder_, value.getLoc(), type, value, permutation);
  noteTransposed(result);
  return result;
}

bool TransposeSinker::sinkReduce(sh::ReduceOp op) {
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

bool TransposeSinker::sinkBroadcast(sh::BroadcastInDimOp op) {
  const Moved &moved = moved_.find(op.getOperand())->second;
  SmallVector<int64_t> dims(op.getBroadcastDimensions().size());
  for (auto [dim, to] : llvm::enumerate(op.getBroadcastDimensions()))
    dims[size_t(moved.permutation[dim])] = to;
  Value result = sh::BroadcastInDimOp::create(builder_, op.getLoc(), op.getType(), moved.value, dims);
  op.replaceAllUsesWith(result);
  replaced_.push_back(op);
  return true;
}

bool TransposeSinker::sinkReshape(sh::ReshapeOp op) {
  if (!changesUnitDims(op))
    return false;
  const Moved &moved = moved_.find(op.getOperand())->second;
  Permutation permutation = orderOfLong(shapeOf(op), numbersOfLong(shapeOf(op.getOperand()), moved.permutation));
  return replace(op, reshaped(moved.value, typeBefore(op, permutation)), permutation);
}

int64_t TransposeSinker::dimBefore(Value value, int64_t dim) const {
  auto moved = moved_.find(value);
  return moved == moved_.end() ? dim : moved->second.permutation[size_t(dim)];
}

SmallVector<int64_t> TransposeSinker::dimsBefore(Value value, ArrayRef<int64_t> dims) const {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return dimBefore(value, dim); });
}

// What does not take part reads the transposes.
void TransposeSinker::readTransposed(Operation *op) {
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

} // namespace tenon::passes
