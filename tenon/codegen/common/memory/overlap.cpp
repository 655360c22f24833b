// A collective between OS processes is mostly waiting: for other processes, and for the network. What does not need its
// result can be computed meanwhile:
//
//   %g = dot ...                       %g = dot ...
//   %h = dot ... (not of %g)           %s = all_reduce %g          begins
//   %s = all_reduce %g          =>     %h = dot ...
//   %k = add %h, %h                    %k = add %h, %h
//   %w = subtract %v, %s               await %s, %g
//                                      %w = subtract %v, %s
//
// Collectives keep their order, among themselves and with all else that has effects, so that all processes make them in
// the same one. Arrays on their way take memory for longer: there is a limit for them.
#include "tenon/codegen/common/memory/overlap.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

// A smaller collective takes hardly longer than it takes to hand it to another thread.
constexpr int64_t kLeastBytes = 16 << 10;

bool mayBegin(Operation *op) {
  if (isa<sh::AllReduceOp, sh::ReduceScatterOp>(op))
    return true;
  auto call = dyn_cast<sh::CustomCallOp>(op);
  return call && llvm::is_contained({ir::kGatherGroupTarget, ir::kExchangeGroupTarget, ir::kPermuteTarget},
                                    call.getCallTargetName());
}

int64_t bytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += tensorBytes(value.getType());
  return bytes;
}

// The collectives of one block.
class BlockOverlap {
public:
  BlockOverlap(Block &block, const ProgramInstructions &instructions) : block_(block), instructions_(instructions) {
    for (Operation &op : block) {
      numbers_[&op] = static_cast<int64_t>(ops_.size());
      ops_.push_back(&op);
    }
  }

  // What there is to overlap; nothing has been moved yet.
  void find() {
    for (Operation *op : ops_)
      if (mayBegin(op) && instructions_.runtimeCalls.contains(op) && bytesOf(op->getOperands()) >= kLeastBytes)
        consider(op);
  }

  bool isEmpty() const { return plans_.empty(); }

  void change(std::vector<Overlap> &overlaps) {
    for (const Plan &plan : plans_) {
      // Behind a collective that begins there, too, and comes before.
      if (plan.begin != numbers_.lookup(plan.collective))
        plan.collective->moveBefore(ops_[plan.begin]);
      plan.collective->setAttr(kStartedAttribute, UnitAttr::get(plan.collective->getContext()));
      overlaps.push_back({plan.collective, createAwait(plan.collective, ops_[plan.end])});
    }
  }

private:
  // A collective that begins before the op of one number, and is waited for before that of another one.
  struct Plan {
    Operation *collective;
    int64_t begin, end, bytes;
  };

  void consider(Operation *op) {
    Plan plan{op, earliest(op), firstUse(op), bytesOf(op->getOperands()) + bytesOf(op->getResults())};
    plan.begin = std::max(plan.begin, whereThereIsRoom(plan));
    if (plan.begin <= numbers_.lookup(op) && hasWork(plan))
      plans_.push_back(plan);
  }

  // Behind what makes its operands, and behind what has effects.
  int64_t earliest(Operation *op) const {
    int64_t number = numbers_.lookup(op);
    while (number > 0) {
      Operation *before = ops_[number - 1];
      if (!isMemoryEffectFree(before) || llvm::is_contained(before->getUsers(), op))
        break;
      --number;
    }
    return number;
  }

  int64_t firstUse(Operation *op) const {
    int64_t first = static_cast<int64_t>(ops_.size()) - 1; // the terminator
    for (Operation *user : op->getUsers())
      first = std::min(first, numbers_.lookup(block_.findAncestorOpInBlock(*user)));
    return first;
  }

  // From there on no more is on its way than may be, those before counted.
  int64_t whereThereIsRoom(const Plan &plan) const {
    SmallVector<Plan> others(plans_);
    llvm::sort(others, [](const Plan &a, const Plan &b) { return a.end < b.end; });
    int64_t bytes = plan.bytes, from = 0;
    for (const Plan &other : others)
      bytes += other.bytes;
    for (const Plan &other : others) {
      if (bytes <= kMaxOverlapBytes)
        break;
      bytes -= other.bytes;
      from = other.end;
    }
    return bytes <= kMaxOverlapBytes ? from : static_cast<int64_t>(ops_.size());
  }

  // Whether anything takes time between begin and end, but for other collectives.
  bool hasWork(const Plan &plan) const {
    for (int64_t i = plan.begin; i < plan.end; ++i) {
      Operation *op = ops_[i];
      InstructionKind kind = instructions_.kindOf(op);
      bool takesTime = kind == InstructionKind::kKernel || kind == InstructionKind::kWhile ||
                       kind == InstructionKind::kBranch || kind == InstructionKind::kRuntimeCall;
      if (takesTime && !mayBegin(op))
        return true;
    }
    return false;
  }

  static Operation *createAwait(Operation *collective, Operation *before) {
    OpBuilder builder(before);
    OperationState state(builder.getUnknownLoc(), sh::CustomCallOp::getOperationName());
    state.addOperands(collective->getResults());
    state.addOperands(collective->getOperands());
    state.addAttribute("call_target_name", builder.getStringAttr(kAwaitTarget));
    state.addAttribute("has_side_effect", builder.getBoolAttr(true));
    state.addAttribute("api_version", sh::CustomCallApiVersionAttr::get(
                                          builder.getContext(), sh::CustomCallApiVersion::API_VERSION_TYPED_FFI));
    state.addAttribute("backend_config", builder.getDictionaryAttr({builder.getNamedAttr(
                                             "results", builder.getI64IntegerAttr(collective->getNumResults()))}));
    return builder.create(state);
  }

  Block &block_;
  const ProgramInstructions &instructions_;
  std::vector<Operation *> ops_;
  llvm::DenseMap<Operation *, int64_t> numbers_;
  SmallVector<Plan> plans_;
};

} // namespace

bool isAwait(Operation *op) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  return call && call.getCallTargetName() == kAwaitTarget;
}

ValueRange awaitedBy(Operation *await) {
  auto config = cast<DictionaryAttr>(cast<sh::CustomCallOp>(await).getBackendConfigAttr());
  return await->getOperands().take_front(cast<IntegerAttr>(config.get("results")).getInt());
}

void undo(const Overlap &overlap) {
  overlap.collective->removeAttr(kStartedAttribute);
  overlap.await->erase();
}

std::vector<Overlap> overlapCollectives(func::FuncOp main, const ProgramInstructions &instructions,
                                        std::vector<BlockOrder> &before) {
  llvm::SetVector<Block *> blocks;
  main.walk([&](Operation *op) {
    if (mayBegin(op) && instructions.runtimeCalls.contains(op))
      blocks.insert(op->getBlock());
  });
  std::vector<Overlap> overlaps;
  for (Block *block : blocks) {
    BlockOverlap overlap(*block, instructions);
    overlap.find();
    if (overlap.isEmpty())
      continue;
    before.push_back(orderOf(*block));
    overlap.change(overlaps);
  }
  return overlaps;
}

} // namespace tenon::codegen
