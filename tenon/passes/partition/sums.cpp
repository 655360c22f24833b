//   %0 = all_reduce %a along {"x"};  %1 = tanh %0;  %2 = all_reduce %b along {"x"}
//     =>  %0, %2 = all_reduce %a, %b along {"x"};  %1 = tanh %0
#include "tenon/passes/partition/sums.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// The most that the operands of one sum have: more gain nothing by meeting once, and are all in memory until then. Also
// of what lives longer because ops that need it wait for the sum.
constexpr int64_t kMaxBytes = int64_t(32) << 20;

int64_t bytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += ir::storedBytes(ir::typeOf(value));
  return bytes;
}

// What it takes to keep the results: a broadcast is made where it is used, of its operand.
int64_t keptBytes(Operation *op) { return std::min(bytesOf(op->getResults()), bytesOf(op->getOperands())); }

bool areAlike(sh::AllReduceOp a, sh::AllReduceOp b) {
  NamedAttrList attributes(a->getAttrDictionary()), others(b->getAttrDictionary());
  // All devices run one program: which channel a sum has says nothing, but whether it has one says what groups are.
  bool haveChannels = bool(attributes.erase("channel_handle"));
  auto elementOf = [](sh::AllReduceOp op) { return ir::typeOf(op->getOperand(0)).getElementType(); };
  return haveChannels == bool(others.erase("channel_handle")) &&
         attributes.getDictionary(a.getContext()) == others.getDictionary(a.getContext()) &&
         elementOf(a) == elementOf(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getComputation(), &b.getComputation(),
                                                    OperationEquivalence::IgnoreLocations);
}

// Sums that become one, as far as is known while the ops of a block are visited in order.
class Group {
public:
  explicit Group(sh::AllReduceOp first) { add(first); }

  bool needs(ArrayRef<Operation *> sources) const {
    return llvm::any_of(sources, [&](Operation *source) { return isBehind_.contains(source); });
  }
  bool isAlike(sh::AllReduceOp op) const { return areAlike(sums_.front(), op); }
  bool hasRoomFor(sh::AllReduceOp op) const {
    return bytes_ + bytesOf(op->getOperands()) <= kMaxBytes && kept_ <= kMaxBytes;
  }
  void add(sh::AllReduceOp op) {
    sums_.push_back(op);
    isBehind_.insert(op);
    bytes_ += bytesOf(op->getOperands());
    waiting_ = users_.size();
  }
  // An op that needs a sum's result, and `sources`, which are then kept until it can follow the last sum.
  void addUser(Operation *op, ArrayRef<Operation *> sources) {
    for (Operation *source : sources)
      if (!isBehind_.contains(source) && isKept_.insert(source).second)
        kept_ += keptBytes(source);
    users_.push_back(op);
    isBehind_.insert(op);
  }

  void combine(Recorder &recorder);

private:
  SmallVector<sh::AllReduceOp> sums_;
  SmallVector<Operation *> users_; // that need results, at any distance
  size_t waiting_ = 0;             // so many of them are before the last sum
  llvm::DenseSet<Operation *> isBehind_, isKept_;
  int64_t bytes_ = 0, kept_ = 0;
};

void Group::combine(Recorder &recorder) {
  if (sums_.size() == 1)
    return;
  SmallVector<Value> operands, results;
  for (sh::AllReduceOp sum : sums_) {
    llvm::append_range(operands, sum->getOperands());
    llvm::append_range(results, sum->getResults());
  }
  // What is said of the largest is said of all.
  SmallVector<Operation *> parts(sums_.begin(), sums_.end());
  Operation *largest = *llvm::max_element(
      parts, [](Operation *a, Operation *b) { return bytesOf(a->getOperands()) < bytesOf(b->getOperands()); });
  sh::AllReduceOp last = sums_.back();
  OpBuilder builder(last);
  OperationState state(largest->getLoc(), last->getName(), operands, ValueRange(results).getTypes(), last->getAttrs());
  state.addRegion()->takeBody(last.getComputation());
  Operation *combined = builder.create(state);
  recorder.replace(parts, combined, largest);
  // Another group may have moved some of them already.
  SmallVector<Operation *> users(ArrayRef(users_).take_front(waiting_));
  llvm::erase_if(users, [&](Operation *user) { return combined->isBeforeInBlock(user); });
  llvm::sort(users, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *user : llvm::reverse(users))
    user->moveAfter(combined);
  for (auto [before, after] : llvm::zip_equal(results, combined->getResults()))
    before.replaceAllUsesWith(after);
  for (Operation *sum : parts)
    sum->erase();
}

// The ops of the block whose results the op, or what is in it, takes.
SmallVector<Operation *> sourcesOf(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  SmallVector<Operation *> sources;
  for (Value value : values)
    if (Operation *source = value.getDefiningOp(); source && source->getBlock() == op->getBlock())
      sources.push_back(source);
  return sources;
}

void combineSums(Block &block, Recorder &recorder) {
  std::vector<Group> open, closed;
  auto close = [&](auto isEnd) {
    auto end = std::partition(open.begin(), open.end(), [&](const Group &group) { return !isEnd(group); });
    closed.insert(closed.end(), std::make_move_iterator(end), std::make_move_iterator(open.end()));
    open.erase(end, open.end());
  };
  for (Operation &op : block.without_terminator()) {
    auto sum = dyn_cast<sh::AllReduceOp>(op);
    if (open.empty() && !sum)
      continue;
    SmallVector<Operation *> sources = sourcesOf(&op);
    bool areMeeting = isCollective(&op), hasEffect = !isMemoryEffectFree(&op);
    if (hasEffect && !areMeeting)
      close([](const Group &) { return true; });
    else if (hasEffect) // others may pass it, as they do on all devices
      close([&](const Group &group) { return group.needs(sources); });
    for (Group &group : open)
      if (group.needs(sources))
        group.addUser(&op, sources);
    if (!sum || sum->getNumOperands() == 0)
      continue;
    auto isAlike = [&](const Group &group) { return group.isAlike(sum); };
    auto group = llvm::find_if(open, isAlike);
    if (group != open.end() && group->hasRoomFor(sum)) {
      group->add(sum);
      continue;
    }
    close(isAlike);
    open.emplace_back(sum);
  }
  close([](const Group &) { return true; });
  for (Group &group : closed)
    group.combine(recorder);
}

} // namespace

void combineSums(func::FuncOp main, Recorder &recorder) {
  main.walk([&](Block *block) {
    if (!isa<sh::AllReduceOp>(block->getParentOp()))
      combineSums(*block, recorder);
  });
}

} // namespace tenon::passes::partition
