// Loops over a few numbers: the arrays become scalars, which the entry function keeps in registers.
//
//   while(%s = %init : tensor<3xf32>) do { %d = multiply %s, %h : tensor<3xf32>; ... }
//     =>
//   while(%x = %init[0], %y = %init[1], %z = %init[2] : tensor<f32>) do { %d0 = multiply %x, %h : tensor<f32>; ... }
//
// An array that such a loop carries would be written to memory and read back by several kernels in each iteration,
// which take longer to enter than their work does: 40 ns for one step of the Lorenz system by a Runge-Kutta method of
// fourth order, 20 ns in registers. Only loops all of whose work is on a few numbers are rewritten, and none that may
// become one kernel (passes/fuse/elementwise_loops.h); what reads and writes slices of larger arrays (the inputs and
// results of a scan) stays as it is, and so do loops inside.

#include "tenon/passes/simplify/scalarize.h"

#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/elementwise_loops.h"
#include "tenon/passes/simplify/unroll.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;
using Elements = SmallVector<Value>;

// The most ops that one loop may become: compile time grows with them.
constexpr int64_t kMostScalarOps = 400;

bool isArray(Value value) { return isa<RankedTensorType>(value.getType()) && typeOf(value).getRank() > 0; }
bool hasArrays(Operation &op) {
  return llvm::any_of(op.getOperands(), isArray) || llvm::any_of(op.getResults(), isArray);
}

class LoopScalarizer {
public:
  LoopScalarizer(sh::WhileOp loop, const CostModel &costs)
      : loop_(loop), costs_(costs), builder_(loop), isUnrolled_(loop->getNumOperands()) {}

  bool pays() {
    if (!classify(loop_.getCond().front()) || !classify(loop_.getBody().front()))
      return false;
    if (isQuickerAsKernel())
      return false;
    chooseCarried();
    double extra = 0;
    int64_t ops = 0;
    for (Operation *op : unrolled_) {
      UnrolledCost cost = unrolledCost(op, costs_);
      ops += cost.ops;
      extra += cost.nanoseconds * (1 - 1.0 / double(widthOf(op)));
    }
    auto trips = double(std::max(ir::tripCount(loop_), costs_.unknownTrips));
    extra += costs_.innerKernel * double(countEntryKernels()) / trips;
    return !unrolled_.empty() && ops <= kMostScalarOps && extra <= costs_.innerKernel * double(countKernels());
  }

  void run() {
    SmallVector<Value> inits;
    for (auto [i, init] : llvm::enumerate(loop_->getOperands()))
      llvm::append_range(inits, isUnrolled_[i] ? takeApart(init, builder_) : Elements{init});
    OperationState state(loop_.getLoc(), sh::WhileOp::getOperationName(), inits, ValueRange(inits).getTypes(),
                         loop_->getAttrs());
    state.addRegion()->takeBody(loop_.getCond());
    state.addRegion()->takeBody(loop_.getBody());
    result_ = cast<sh::WhileOp>(builder_.create(state));
    for (Region *region : {&result_.getCond(), &result_.getBody()})
      rewrite(region->front());
    replaceResults();
    loop_->erase();
  }

private:
  // One kernel of all iterations keeps vectors in registers, and is entered once: 200 steps of a sum of 16 numbers take
  // 0.35 of the time, of 2 0.75. Not inside of a loop, which may become scalars with it.
  bool isQuickerAsKernel() {
    constexpr int64_t kLeastTrips = 8;
    return ir::tripCount(loop_) >= kLeastTrips && !loop_->getParentOfType<sh::WhileOp>() &&
           mayBeOneKernel(loop_, costs_);
  }

  // Whether the block does nothing but compute a few numbers, and moves slices of arrays.
  bool classify(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (op.hasTrait<OpTrait::ConstantLike>() || (!hasArrays(op) && op.getNumRegions() == 0))
        continue;
      if (canUnroll(&op))
        unrolled_.insert(&op);
      else if (isBranchOfFew(op))
        addBranch(op);
      else if (!isa<sh::DynamicSliceOp, sh::DynamicUpdateSliceOp, sh::WhileOp, sh::IfOp, sh::CaseOp>(op))
        return false;
    }
    return true;
  }

  // Whether the op chooses between blocks that do nothing but compute a few numbers.
  static bool isBranchOfFew(Operation &op) {
    auto isOfFew = [](Operation &inner) {
      return inner.hasTrait<OpTrait::ConstantLike>() || (!hasArrays(inner) && inner.getNumRegions() == 0) ||
             canUnroll(&inner) || isBranchOfFew(inner);
    };
    return isa<sh::IfOp, sh::CaseOp>(op) && llvm::all_of(op.getResultTypes(), canBeScalars) &&
           llvm::all_of(op.getRegions(),
                        [&](Region &region) { return llvm::all_of(region.front().without_terminator(), isOfFew); });
  }

  void addBranch(Operation &op) {
    branches_.insert(&op);
    for (Region &region : op.getRegions())
      classify(region.front());
  }

  bool isUnrolledOp(Operation *op) const { return op && (unrolled_.contains(op) || branches_.contains(op)); }

  // An array is carried as scalars if the loop computes with its elements, or exchanges it with one that is.
  void chooseCarried() {
    Block &cond = loop_.getCond().front(), &body = loop_.getBody().front();
    auto isRead = [&](Value argument) {
      return llvm::any_of(argument.getUsers(), [&](Operation *user) { return isUnrolledOp(user); });
    };
    auto unroll = [&](unsigned i) {
      if (isUnrolled_[i] || !isArray(loop_->getOperand(i)) || !canBeScalars(loop_->getOperand(i).getType()))
        return false;
      isUnrolled_.set(i);
      arguments_.insert(cond.getArgument(i));
      arguments_.insert(body.getArgument(i));
      return true;
    };
    OperandRange next = body.getTerminator()->getOperands();
    for (unsigned i = 0; i < isUnrolled_.size(); ++i)
      if (isRead(cond.getArgument(i)) || isRead(body.getArgument(i)) || isUnrolledOp(next[i].getDefiningOp()))
        unroll(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = 0; i < isUnrolled_.size(); ++i)
        if (auto from = dyn_cast<BlockArgument>(next[i]); from && from.getOwner() == &body) {
          changed |= isUnrolled_[i] && unroll(from.getArgNumber());
          changed |= isUnrolled_[from.getArgNumber()] && unroll(i);
        }
    }
  }

  // The kernels that disappear, roughly: those that bring scalars together or reduce arrays, and one for the rest.
  // Those that take arrays apart for, and make arrays of what comes from, the ops that stay are new.
  int64_t countKernels() {
    auto kernels = int64_t(1 + branches_.size());
    for (Operation *op : unrolled_) {
      kernels +=
          isa<sh::ConcatenateOp, sh::ReduceOp, sh::DotGeneralOp, sh::DynamicSliceOp, sh::DynamicUpdateSliceOp>(op);
      kernels += isa<sh::SliceOp>(op) && isa<BlockArgument>(op->getOperand(0));
    }
    for (Region *region : {&loop_.getCond(), &loop_.getBody()})
      for (Operation &op : region->front().without_terminator())
        if (!isUnrolledOp(&op) && !op.hasTrait<OpTrait::ConstantLike>())
          kernels -= countBoundaries(op);
    return kernels;
  }

  // Where the loop is inside another, arrays are taken apart and put together each time it is entered, unless what is
  // around it becomes scalars, too.
  int64_t countEntryKernels() {
    auto around = loop_->getParentOfType<sh::WhileOp>();
    if (!around)
      return 0;
    LoopScalarizer outer(around, costs_);
    bool outerIsOfFew = outer.classify(around.getCond().front()) && outer.classify(around.getBody().front());
    if (outerIsOfFew)
      return 0;
    int64_t kernels = 0;
    for (unsigned i : isUnrolled_.set_bits()) {
      Operation *init = loop_->getOperand(i).getDefiningOp();
      if (!init || !init->hasTrait<OpTrait::ConstantLike>())
        kernels += typeOf(loop_->getOperand(i)).getNumElements();
      kernels += !loop_->getResult(i).use_empty();
    }
    return kernels;
  }

  int64_t countBoundaries(Operation &op) {
    int64_t kernels = 0;
    op.walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        kernels += isArray(operand.get()) && isReplaced(operand.get()) &&
                   !(isa<sh::DynamicUpdateSliceOp>(inner) && operand.getOperandNumber() == 1);
    });
    if (!isa<sh::DynamicSliceOp>(op))
      for (Value result : op.getResults())
        kernels +=
            isArray(result) && llvm::any_of(result.getUsers(), [&](Operation *user) { return isUnrolledOp(user); });
    return kernels;
  }

  // Whether the value is one of the loop's that become scalars.
  bool isReplaced(Value value) const {
    return isa<BlockArgument>(value) ? arguments_.contains(value) : isUnrolledOp(value.getDefiningOp());
  }

  static int64_t widthOf(Operation *op) {
    int64_t width = 1;
    for (Value operand : op->getOperands())
      width = std::max(width, typeOf(operand).getNumElements());
    return width;
  }

  // The scalars that stand for the value, or its elements.
  Elements elementsOf(Value value) {
    auto [found, isNew] = scalars_.try_emplace(value);
    if (!isNew)
      return found->second;
    OpBuilder::InsertionGuard guard(builder_);
    if (result_->isAncestor(value.getParentBlock()->getParentOp()))
      builder_.setInsertionPointAfterValue(value);
    else
      builder_.setInsertionPoint(result_); // once, not in each iteration
    found->second = takeApart(value, builder_);
    return found->second;
  }

  void rewrite(Block &block) {
    llvm::BitVector old = giveArguments(block);
    rewriteOps(block);
    block.eraseArguments(old);
  }

  void rewriteOps(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : ops) {
      builder_.setInsertionPoint(op);
      if (op->hasTrait<OpTrait::IsTerminator>()) {
        finish(op);
      } else if (branches_.contains(op)) {
        rewriteBranch(op);
      } else if (isUnrolledOp(op)) {
        auto elements = unroll(op, [&](Value value) { return elementsOf(value); }, builder_);
        for (auto [result, scalars] : llvm::zip_equal(op->getResults(), elements))
          scalars_[result] = scalars;
      } else {
        op->walk([&](Operation *inner) {
          for (OpOperand &operand : inner->getOpOperands())
            if (isReplaced(operand.get()))
              operand.set(asArray(operand.get()));
        });
      }
    }
    for (Operation *op : llvm::reverse(ops))
      if (isUnrolledOp(op))
        op->erase();
  }

  // The same choice with scalars as results.
  void rewriteBranch(Operation *op) {
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.append(cast<RankedTensorType>(type).getNumElements(),
                   RankedTensorType::get({}, cast<RankedTensorType>(type).getElementType()));
    Value selector = op->getOperand(0);
    OperationState state(op->getLoc(), op->getName(), isReplaced(selector) ? asArray(selector) : selector, types,
                         op->getAttrs());
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *branch = builder_.create(state);
    for (Region &region : branch->getRegions())
      rewriteOps(region.front());
    ResultRange::iterator at = branch->result_begin();
    for (Value result : op->getResults()) {
      Elements &scalars = scalars_[result];
      for (int64_t i = 0; i < typeOf(result).getNumElements(); ++i)
        scalars.push_back(*at++);
    }
  }

  // Scalar arguments in the place of arrays, which are left at the end for now.
  llvm::BitVector giveArguments(Block &block) {
    SmallVector<BlockArgument> before(block.getArguments());
    unsigned at = 0;
    for (auto [i, argument] : llvm::enumerate(before)) {
      if (!isUnrolled_[i]) {
        ++at;
        continue;
      }
      Elements scalars;
      auto type = RankedTensorType::get({}, ir::elementTypeOf(argument));
      for (int64_t k = 0; k < typeOf(argument).getNumElements(); ++k)
        scalars.push_back(block.insertArgument(at++, type, argument.getLoc()));
      scalars_[argument] = scalars;
      ++at;
    }
    llvm::BitVector old(block.getNumArguments());
    for (auto [i, argument] : llvm::enumerate(before))
      if (isUnrolled_[i])
        old.set(argument.getArgNumber());
    return old;
  }

  void finish(Operation *terminator) {
    bool isBody = terminator->getParentRegion() == &result_.getBody();
    bool isBranch = terminator->getParentOp() != result_;
    SmallVector<Value> operands;
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      if (isBranch || (isBody && isUnrolled_[i]))
        llvm::append_range(operands, elementsOf(value));
      else
        operands.push_back(isReplaced(value) ? asArray(value) : value);
    }
    terminator->setOperands(operands);
  }

  // The value of an op or argument that is gone, made of its scalars.
  Value asArray(Value value) {
    Value &array = arrays_[value];
    if (array)
      return array;
    // Where the value was, for whoever may see it.
    OpBuilder::InsertionGuard guard(builder_);
    if (Operation *op = value.getDefiningOp())
      builder_.setInsertionPoint(op);
    else
      builder_.setInsertionPointToStart(value.getParentBlock());
    array = putTogether(typeOf(value), scalars_.lookup(value), value.getLoc(), builder_);
    return array;
  }

  void replaceResults() {
    builder_.setInsertionPointAfter(result_);
    unsigned at = 0;
    for (auto [i, value] : llvm::enumerate(loop_->getResults())) {
      unsigned count = isUnrolled_[i] ? typeOf(value).getNumElements() : 1;
      ValueRange own = result_->getResults().slice(at, count);
      at += count;
      if (!value.use_empty())
        value.replaceAllUsesWith(isUnrolled_[i] ? putTogether(typeOf(value), own, loop_.getLoc(), builder_) : own[0]);
    }
  }

  sh::WhileOp loop_, result_;
  const CostModel &costs_;
  OpBuilder builder_;
  llvm::BitVector isUnrolled_;            // of what the loop carries
  llvm::SetVector<Operation *> unrolled_; // ops that become scalar ops
  llvm::SetVector<Operation *> branches_; // if and case, whose results become scalars
  llvm::DenseSet<Value> arguments_;       // of the loop's blocks, in whose place scalars are passed
  llvm::DenseMap<Value, Elements> scalars_;
  llvm::DenseMap<Value, Value> arrays_;
};

} // namespace

void scalarize(sh::WhileOp loop, const CostModel &costs) {
  LoopScalarizer scalarizer(loop, costs);
  if (scalarizer.pays())
    scalarizer.run();
}

} // namespace tenon::passes
