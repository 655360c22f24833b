// The order is that of a list scheduler: what costs little is computed as soon as it can be, and elementary functions
// wait until nothing else is left to do, so that as many as there are stand side by side.
#include "tenon/codegen/llvm/entry/scalar_groups.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <queue>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::entry {
namespace {

constexpr size_t kMostLanes = 8;
// So many sines and cosines stand with each other. More of each are calls of one function, which compile faster.
constexpr int64_t kMostMixed = 32;

using Kind = std::pair<StringRef, Type>;

// Whether the op is an elementary function of floats in a register.
bool isGroupable(Operation *op) {
  std::optional<ir::ElementCost> cost = ir::elementCost(op->getName());
  bool isElementary = cost == ir::ElementCost::kExponential || cost == ir::ElementCost::kTrigonometric;
  if (!isElementary || op->getNumResults() != 1 || op->getNumRegions() || !op->getAttrs().empty())
    return false;
  // With a constant operand there may be a shorter formula.
  return ir::isFloat32Or64(ir::elementTypeOf(op->getResult(0))) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return operand.getType() == op->getResult(0).getType() && !matchPattern(operand, m_Constant());
         });
}

bool isMixable(Operation *op) { return isa<sh::SineOp, sh::CosineOp>(op) && isGroupable(op); }

// A cosine is a sine a quadrant on.
Kind kindOf(Operation *op, bool isMixed) {
  bool isSine = isMixed && isa<sh::CosineOp>(op);
  return {isSine ? sh::SineOp::getOperationName() : op->getName().getStringRef(), op->getResult(0).getType()};
}

class Scheduler {
public:
  explicit Scheduler(ArrayRef<Operation *> ops) : isMixed_(llvm::count_if(ops, isMixable) <= kMostMixed) {
    // Without two of a kind the order stays as it is.
    llvm::DenseMap<Kind, int> counts;
    hasPairs_ = llvm::any_of(ops, [&](Operation *op) { return isGroupable(op) && ++counts[kindOf(op, isMixed_)] > 1; });
    if (!hasPairs_)
      return;
    for (auto [position, op] : llvm::enumerate(ops))
      positions_[op] = position;
    for (Operation *op : ops) {
      int count = llvm::count_if(op->getOperands(), [&](Value operand) {
        return operand.getDefiningOp() && positions_.contains(operand.getDefiningOp());
      });
      missing_[op] = count;
      if (count == 0)
        release(op);
    }
  }

  bool hasPairs() const { return hasPairs_; }

  SmallVector<ScalarGroup> run() {
    while (!ready_.empty() || !waiting_.empty()) {
      if (ready_.empty()) {
        emit(takeLargest());
        continue;
      }
      Operation *op = ready_.top().second;
      ready_.pop();
      emit({op});
    }
    return std::move(groups_);
  }

private:
  void release(Operation *op) {
    if (isGroupable(op))
      waiting_[kindOf(op, isMixed_)].push_back(op);
    else
      ready_.emplace(positions_.lookup(op), op);
  }

  ScalarGroup takeLargest() {
    auto largest =
        llvm::max_element(waiting_, [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); });
    SmallVector<Operation *> &all = largest->second;
    ScalarGroup group(all.begin(), all.begin() + std::min(all.size(), kMostLanes));
    all.erase(all.begin(), all.begin() + group.size());
    if (all.empty())
      waiting_.erase(largest);
    return group;
  }

  void emit(ScalarGroup group) {
    for (Operation *op : group)
      for (OpOperand &use : op->getResult(0).getUses())
        if (auto found = missing_.find(use.getOwner()); found != missing_.end() && --found->second == 0)
          release(use.getOwner());
    groups_.push_back(std::move(group));
  }

  using Ready = std::pair<size_t, Operation *>;
  bool isMixed_, hasPairs_ = false;
  llvm::DenseMap<Operation *, size_t> positions_;
  llvm::DenseMap<Operation *, int> missing_; // operands not computed yet
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  llvm::MapVector<Kind, SmallVector<Operation *>> waiting_;
  SmallVector<ScalarGroup> groups_;
};

} // namespace

SmallVector<ScalarGroup> groupScalars(ArrayRef<Operation *> ops) {
  if (Scheduler scheduler(ops); scheduler.hasPairs())
    return scheduler.run();
  return llvm::map_to_vector(ops, [](Operation *op) { return ScalarGroup{op}; });
}

} // namespace tenon::codegen::entry
