//   %0 = all_reduce %a along {"x"};  %1 = tanh %0;  %2 = all_reduce %b along {"x"}
//     =>  %0, %2 = all_reduce %a, %b along {"x"};  %1 = tanh %0
//
// all_gathers and all_to_alls likewise. A reduce_scatter has one operand: of several, the parts for each device follow
// each other in one array, which is worth the copies where they are small.
#include "tenon/passes/partition/combine.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

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
constexpr int64_t kMaxSumBytes = int64_t(32) << 20;
// The same of what is gathered, or exchanged: weights that are gathered layer by layer must not be in memory all at
// once. What the program gives back is in memory in the end in any case, and as much as that of sums.
constexpr int64_t kMaxGatheredBytes = int64_t(1) << 20;
// And of sums of which devices get parts, which are copied: a MiB in 180 us, while to meet costs 10 to 20.
constexpr int64_t kMaxScatteredBytes = int64_t(64) << 10;

int64_t bytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType())) // and no token
      bytes += ir::storedBytes(ir::typeOf(value));
  return bytes;
}

// What it takes to keep the results: a broadcast is made where it is used, of its operand.
int64_t keptBytes(Operation *op) { return std::min(bytesOf(op->getResults()), bytesOf(op->getOperands())); }

bool isResult(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) { return isa<func::ReturnOp>(user); });
}

int64_t maxBytesOf(Operation *op) {
  if (isa<sh::AllGatherOp, sh::AllToAllOp>(op))
    return isResult(op) ? kMaxSumBytes : kMaxGatheredBytes;
  return isa<sh::AllReduceOp>(op) ? kMaxSumBytes : kMaxScatteredBytes;
}

// What is in memory at once when the op is one with others.
int64_t bytesTogether(Operation *op) {
  return std::max(bytesOf(op->getOperands()), isa<sh::AllGatherOp>(op) ? bytesOf(op->getResults()) : 0);
}

bool isCombinable(Operation &op) {
  return isa<sh::AllReduceOp, sh::ReduceScatterOp, sh::AllGatherOp, sh::AllToAllOp>(op) && op.getNumOperands() > 0 &&
         bytesTogether(&op) <= maxBytesOf(&op);
}

bool areAlike(Operation *a, Operation *b) {
  if (a->getName() != b->getName())
    return false;
  NamedAttrList attributes(a->getAttrDictionary()), others(b->getAttrDictionary());
  // All devices run one program: which channel a collective has says nothing, but whether it has one says what groups
  // are.
  bool haveChannels = bool(attributes.erase("channel_handle"));
  if (haveChannels != bool(others.erase("channel_handle")))
    return false;
  if (isa<sh::ReduceScatterOp>(a)) // of which what is one is an array of other dimensions
    for (NamedAttrList *list : {&attributes, &others})
      list->erase("scatter_dimension");
  if (attributes.getDictionary(a->getContext()) != others.getDictionary(a->getContext()))
    return false;
  auto elementOf = [](Operation *op) { return ir::typeOf(op->getOperand(0)).getElementType(); };
  if (isa<sh::AllGatherOp, sh::AllToAllOp>(a))
    return isResult(a) == isResult(b);
  return elementOf(a) == elementOf(b) && OperationEquivalence::isRegionEquivalentTo(
                                             &a->getRegion(0), &b->getRegion(0), OperationEquivalence::IgnoreLocations);
}

// The reduce_scatters as one along the first dimension, of an array with a row for each device. The parts that it gives
// are `parts`.
sh::ReduceScatterOp scatterTogether(OpBuilder &opBuilder, Operation *largest, ArrayRef<Operation *> scatters,
                                    SmallVector<Value> &parts) {
  ArrayBuilder builder(opBuilder, largest->getLoc());
  SmallVector<Value> rows;
  int64_t count = 0, width = 0;
  for (Operation *op : scatters) {
    auto scatter = cast<sh::ReduceScatterOp>(op);
    auto dimension = static_cast<int64_t>(scatter.getScatterDimension());
    RankedTensorType part = ir::typeOf(scatter.getResult());
    count = ir::typeOf(scatter.getOperand()).getDimSize(dimension) / part.getDimSize(dimension);
    SmallVector<int64_t> sizes(part.getShape()), order{dimension};
    sizes.insert(sizes.begin() + dimension, count);
    for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i)
      if (i != dimension)
        order.push_back(i);
    Value split = builder.transpose(builder.reshape(scatter.getOperand(), sizes), order);
    rows.push_back(builder.reshape(split, {count, part.getNumElements()}));
    width += part.getNumElements();
  }
  RankedTensorType type = ir::typeOf(rows.front()).clone({count, width});
  Value all = sh::ConcatenateOp::create(opBuilder, builder.loc, type, rows, 1);
  OperationState state(builder.loc, largest->getName(), all, type.clone({1, width}), largest->getAttrs());
  state.addRegion()->takeBody(largest->getRegion(0));
  auto combined = cast<sh::ReduceScatterOp>(opBuilder.create(state));
  combined.setScatterDimension(0);
  int64_t at = 0;
  for (Operation *scatter : scatters) {
    RankedTensorType part = ir::typeOf(scatter->getResult(0));
    Value own = builder.slice(combined.getResult(), {0, at}, {1, at + part.getNumElements()});
    parts.push_back(builder.reshape(own, part.getShape()));
    at += part.getNumElements();
  }
  return combined;
}

// Collectives that become one, as far as is known while the ops of a block are visited in order.
class Group {
public:
  explicit Group(Operation *first) { add(first); }

  bool needs(ArrayRef<Operation *> sources) const {
    return llvm::any_of(sources, [&](Operation *source) { return isBehind_.contains(source); });
  }
  bool isAlike(Operation *op) const { return areAlike(parts_.front(), op); }
  bool hasRoomFor(Operation *op) const {
    return bytes_ + bytesTogether(op) <= maxBytesOf(op) && kept_ <= maxBytesOf(op);
  }
  void add(Operation *op) {
    parts_.push_back(op);
    isBehind_.insert(op);
    bytes_ += bytesTogether(op);
    waiting_ = users_.size();
  }
  // An op that needs the result of one, and `sources`, which are then kept until it can follow the last one.
  void addUser(Operation *op, ArrayRef<Operation *> sources) {
    for (Operation *source : sources)
      if (!isBehind_.contains(source) && isKept_.insert(source).second)
        kept_ += keptBytes(source);
    users_.push_back(op);
    isBehind_.insert(op);
  }

  void combine(Recorder &recorder);

private:
  SmallVector<Operation *> parts_;
  SmallVector<Operation *> users_; // that need results, at any distance
  size_t waiting_ = 0;             // so many of them are before the last part
  llvm::DenseSet<Operation *> isBehind_, isKept_;
  int64_t bytes_ = 0, kept_ = 0;
};

void Group::combine(Recorder &recorder) {
  if (parts_.size() == 1)
    return;
  // What is said of the largest is said of all.
  Operation *largest = *llvm::max_element(
      parts_, [](Operation *a, Operation *b) { return bytesOf(a->getOperands()) < bytesOf(b->getOperands()); });
  OpBuilder builder(parts_.back());
  SmallVector<Value> operands, results, combinedResults;
  for (Operation *part : parts_) {
    llvm::append_range(operands, part->getOperands());
    llvm::append_range(results, part->getResults());
  }
  Operation *combined = nullptr;
  if (isa<sh::ReduceScatterOp>(largest)) {
    combined = scatterTogether(builder, largest, parts_, combinedResults);
  } else {
    OperationState state(largest->getLoc(), largest->getName(), operands, ValueRange(results).getTypes(),
                         parts_.back()->getAttrs());
    if (largest->getNumRegions())
      state.addRegion()->takeBody(largest->getRegion(0));
    combined = builder.create(state);
    combinedResults = llvm::to_vector_of<Value>(combined->getResults());
  }
  recorder.replace(parts_, combined, largest);
  Operation *end = combinedResults.back().getDefiningOp(); // the last op that was built
  // Another group may have moved some of them already.
  SmallVector<Operation *> users(ArrayRef(users_).take_front(waiting_));
  llvm::erase_if(users, [&](Operation *user) { return end->isBeforeInBlock(user); });
  llvm::sort(users, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *user : llvm::reverse(users))
    user->moveAfter(end);
  for (auto [before, after] : llvm::zip_equal(results, combinedResults))
    before.replaceAllUsesWith(after);
  for (Operation *part : parts_)
    part->erase();
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

void combineIn(Block &block, Recorder &recorder) {
  std::vector<Group> open, closed;
  auto close = [&](auto isEnd) {
    auto end = std::partition(open.begin(), open.end(), [&](const Group &group) { return !isEnd(group); });
    closed.insert(closed.end(), std::make_move_iterator(end), std::make_move_iterator(open.end()));
    open.erase(end, open.end());
  };
  for (Operation &op : block.without_terminator()) {
    if (open.empty() && !isCombinable(op))
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
    if (!isCombinable(op))
      continue;
    auto isAlike = [&](const Group &group) { return group.isAlike(&op); };
    auto group = llvm::find_if(open, isAlike);
    if (group != open.end() && group->hasRoomFor(&op)) {
      group->add(&op);
      continue;
    }
    close(isAlike);
    open.emplace_back(&op);
  }
  close([](const Group &) { return true; });
  for (Group &group : closed)
    group.combine(recorder);
}

} // namespace

void combineCollectives(func::FuncOp main, Recorder &recorder) {
  main.walk([&](Block *block) {
    if (!isa<sh::AllReduceOp, sh::ReduceScatterOp>(block->getParentOp()))
      combineIn(*block, recorder);
  });
}

} // namespace tenon::passes::partition
