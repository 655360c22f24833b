// Small results cost no memory. Large ones are worth it where each iteration would read or compute more than them:
// reductions, products, sorts and the like; functions that take long; and arithmetic whose result is stored in any
// case, since products read it many times. A power iteration on a / sum(a) takes a quarter of the time with a matrix of
// 512x512. So does a solve with a matrix that stays the same, whose factors LAPACK finds. Other elementwise ops are
// computed where they are read.
#include "tenon/passes/simplify/invariants.h"

#include "tenon/ir/elementwise_loop.h"
#include "tenon/ir/trip_count.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr int64_t kHoistedElements = 1 << 16;

int64_t resultElements(Operation *op) {
  int64_t count = 0;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return INT64_MAX;
    count += tensor.getNumElements();
  }
  return count;
}

bool isLapackCall(Operation *op) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  if (!call || call.getHasSideEffect())
    return false;
  StringRef name = call.getCallTargetName();
  return name.starts_with("lapack_") && name.ends_with("_ffi");
}

// Ops that read their operands from memory, some many times, and take longer than to read their results.
bool isOfItsOwn(Operation *op) {
  return isa<sh::DotGeneralOp, sh::ConvolutionOp, sh::ReduceOp, sh::ReduceWindowOp, sh::SortOp, sh::FftOp,
             sh::CholeskyOp, sh::TriangularSolveOp, sh::WhileOp>(op) ||
         isLapackCall(op);
}

// Whether to compute the op where its result is not needed takes some time and does nothing else. Loops must end, too.
bool isPureOp(Operation *op) {
  return !op->walk([](Operation *inner) {
              auto loop = dyn_cast<sh::WhileOp>(inner);
              bool isPlain = inner->getNumRegions() == 0 && (isPure(inner) || isLapackCall(inner));
              bool hasPlainRegions = isa<sh::ReduceOp, sh::ReduceWindowOp, sh::SortOp, sh::ScatterOp>(inner) ||
                                     (loop && ir::tripCount(loop) > 0);
              return isPlain || hasPlainRegions || inner->hasTrait<OpTrait::IsTerminator>() ? WalkResult::advance()
                                                                                            : WalkResult::interrupt();
            }).wasInterrupted();
}

class Invariants {
public:
  explicit Invariants(sh::WhileOp loop) : loop_(loop) {}

  void hoist(Block &block) {
    for (Operation &op : block.without_terminator())
      if (isInvariant(&op)) {
        ops_.push_back(&op);
        known_.insert(&op);
        if (isSmall(&op))
          small_.insert(&op);
      }
    // From the last one on, so that what an op is computed from comes after it.
    llvm::DenseSet<Operation *> hoisted;
    for (Operation *op : llvm::reverse(ops_))
      if (isWorth(op) || llvm::any_of(op->getUsers(), [&](Operation *user) { return hoisted.contains(user); }))
        hoisted.insert(op);
    for (Operation *op : ops_)
      if (hoisted.contains(op))
        op->moveBefore(loop_);
  }

private:
  bool isInvariant(Operation *op) {
    if (!op->hasTrait<OpTrait::ConstantLike>() && (!isPureOp(op) || resultElements(op) == INT64_MAX))
      return false;
    return !op->walk([&](Operation *inner) {
                return llvm::all_of(inner->getOperands(), [&](Value value) { return isOutside(value, op); })
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              }).wasInterrupted();
  }

  // Whether the value is there before the loop, or comes with the op.
  bool isOutside(Value value, Operation *op) {
    Operation *parent = value.getParentBlock()->getParentOp();
    if (parent != loop_ && !loop_->isProperAncestor(parent))
      return true;
    return op->isAncestor(parent) || known_.contains(value.getDefiningOp());
  }

  bool isWorth(Operation *op) {
    return small_.contains(op) || isOfItsOwn(op) || ir::isLongFunction(op) || (isArithmetic(op) && isStored(op));
  }

  // Constants and small results that need nothing large which might stay.
  bool isSmall(Operation *op) {
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
    auto isThere = [&](Value value) {
      return !known_.contains(value.getDefiningOp()) || small_.contains(value.getDefiningOp());
    };
    return isConstant || (op->getNumRegions() == 0 && resultElements(op) <= kHoistedElements &&
                          llvm::all_of(op->getOperands(), isThere));
  }

  static bool isArithmetic(Operation *op) {
    return op->hasTrait<ir::Elementwise>() && !isa<sh::ConvertOp, sh::BitcastConvertOp>(op);
  }

  // Whether an op that reads memory needs it, as it is or with elements moved.
  static bool isStored(Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      bool isMoved = user->hasTrait<ir::Reindexes>() || isa<sh::ConvertOp>(user);
      return isa<sh::DotGeneralOp, sh::ConvolutionOp>(user) || (isMoved && isStored(user));
    });
  }

  sh::WhileOp loop_;
  SmallVector<Operation *> ops_;
  llvm::DenseSet<Operation *> known_, small_;
};

} // namespace

void hoistInvariants(sh::WhileOp loop) {
  for (Region *region : {&loop.getCond(), &loop.getBody()})
    Invariants(loop).hoist(region->front());
}

} // namespace tenon::passes
