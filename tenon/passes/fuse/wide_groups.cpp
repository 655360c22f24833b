// A group needs all that it reads at once. Where it adds up the results of many other kernels, all of these are kept
// until the last of them is there:
//
//   %s = tanh(%d0) + tanh(%d1) + ... + tanh(%d24)    25 products of 16 MB: 400 MB
//
// In several groups, each of which adds some more to the sum so far, a few of them are alive at a time. The price is
// that the sum is written and read again between two groups.
//
// A group is divided where that costs little. Its members are put into an order in which few of their values are needed
// at a time (operands that need more values come first, as in Sethi and Ullman's numbering of expressions), and the
// order is cut where what has to be passed on is small beside what was read since the last cut. A cut behind a product
// whose epilogue a group can be costs nothing: where the sum has to be passed on, the product has not.
//
// Division does not pay where the values that are read later are kept for other reasons: results of the same kernels,
// or values that what was read before is computed from (activations that are kept for the derivatives).

#include "tenon/passes/fuse/wide_groups.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/rules.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf;

// The number of ops that the search for values that are kept for other reasons visits in a group. Beyond it, all values
// count as kept.
constexpr size_t kMaxVisited = 1000;

int64_t bytesOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && tensor.hasStaticShape() ? ir::storedBytes(tensor) : 0;
}

// The bytes that another group reads if it needs the op's results. Cheap ones it computes from the operands.
int64_t bytesToPassOn(Operation *op, const CostModel &costs) {
  int64_t results = 0, operands = 0;
  for (Value result : op->getResults())
    results += bytesOf(result);
  for (Value operand : op->getOperands())
    operands += bytesOf(operand);
  return isCheap(op, costs) ? std::min(results, operands) : results;
}

// How much of the operand the op reads.
int64_t bytesRead(Operation *op, Value operand) {
  bool readsPart = isa<sh::SliceOp, sh::DynamicSliceOp, sh::GatherOp>(op);
  return readsPart ? std::min(bytesOf(operand), bytesOf(op->getResult(0))) : bytesOf(operand);
}

class WideGroup {
public:
  WideGroup(const GroupedBlock &grouped, const FusionGroup &group)
      : grouped_(grouped), group_(group), members_(group.members.begin(), group.members.end()),
        last_(group.members.empty() ? -1 : grouped.graph.positionOf(group.members.front())) {}

  // Whether the group alone keeps large arrays of many kernels, its own contraction among them, which would be another
  // kernel if the group were several.
  bool isWide() {
    auto least = size_t(grouped_.costs.wideKernels);
    if (group_.update || group_.members.size() < least)
      return false;
    llvm::DenseSet<Operation *> kernels;
    for (Operation *op : group_.members)
      for (Value source : sourcesOf(op))
        kernels.insert(kernelOf(source.getDefiningOp()).front());
    return kernels.size() >= least;
  }

  // Numbers the members' parts from `part` on. Returns the last one's number.
  int divide(int part, FusionParts &parts) {
    sortMembers();
    llvm::DenseMap<Operation *, Operation *> lastUsers;
    for (Operation *op : order_)
      for (Value operand : op->getOperands())
        if (Operation *source = memberOf(operand))
          lastUsers[source] = op;
    llvm::SetVector<Value> later;
    for (Operation *op : llvm::reverse(order_))
      later.insert_range(sourcesOf(op));
    for (Value source : later)
      if (isOnlyForGroup(source))
        ownSources_.insert(source);
    Tally tally;
    for (Operation *op : order_) {
      // A part may end only here: as long as no more has to be kept, it continues.
      SmallVector<Value, 2> added = sourcesOf(op);
      llvm::erase_if(added, [&](Value source) { return !later.contains(source); });
      if (!added.empty() && tally.mayEnd(grouped_.costs) && mayComeLater(later.getArrayRef(), tally.cost())) {
        ++part;
        tally = Tally();
      }
      for (Value source : added) {
        tally.add(op == group_.contract ? bytesOf(source) : bytesRead(op, source), mayHoldEpilogue(source));
        later.remove(source);
      }
      addNeeded(op);
      if (lastUsers.contains(op))
        tally.passedOn += bytesToPassOn(op, grouped_.costs);
      llvm::SmallSetVector<Operation *, 4> ended;
      for (Value operand : op->getOperands())
        if (Operation *source = memberOf(operand); source && lastUsers.at(source) == op && parts.lookup(source) == part)
          ended.insert(source);
      for (Operation *source : ended)
        tally.passedOn -= bytesToPassOn(source, grouped_.costs);
      parts[op] = part;
    }
    return part;
  }

private:
  // The bytes of the part so far.
  struct Tally {
    int64_t sources = 0, product = 0; // what it reads; of that, a product whose epilogue it may be
    int64_t passedOn = 0;             // what it makes that is still needed

    void add(int64_t bytes, bool isProduct) {
      sources += bytes;
      if (isProduct)
        product = bytes;
    }
    int64_t cost() const { return std::max<int64_t>(0, passedOn - product); }
    bool mayEnd(const CostModel &costs) const { return sources > 0 && cost() <= sources / costs.passedOnParts; }
  };

  Operation *memberOf(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && members_.contains(op) ? op : nullptr;
  }

  // The large arrays which are kept for the group alone that the op reads or, being the contraction, makes.
  SmallVector<Value, 2> sourcesOf(Operation *op) const {
    if (op == group_.contract)
      return {op->getResult(0)};
    SmallVector<Value, 2> sources;
    for (Value operand : op->getOperands())
      if (!memberOf(operand) && bytesRead(op, operand) >= grouped_.costs.largeArrayBytes && isMadeByKernel(operand) &&
          endsHere(operand))
        sources.push_back(operand);
    return sources;
  }

  bool isMadeByKernel(Value value) const {
    Operation *op = value.getDefiningOp();
    while (isa_and_nonnull<sh::ReshapeOp>(op)) // the same memory
      op = op->getOperand(0).getDefiningOp();
    return op && op->getBlock() == &grouped_.block && !op->hasTrait<OpTrait::ConstantLike>();
  }

  // The ops that are computed together with this one, if that is outside of the group.
  SmallVector<Operation *> kernelOf(Operation *op) const {
    ArrayRef<int> groups = grouped_.graph.groupsOf(op);
    if (members_.contains(op) || groups.size() != 1) // or where it is needed
      return {op};
    return grouped_.groups[groups.front()].members;
  }

  // Whether nothing that the source's kernel makes is read by others.
  bool isOnlyForGroup(Value source) const {
    SmallVector<Operation *> kernel = kernelOf(source.getDefiningOp());
    llvm::SmallPtrSet<Operation *, 16> own(kernel.begin(), kernel.end());
    return llvm::all_of(kernel, [&](Operation *op) {
      return llvm::all_of(op->getUsers(), [&](Operation *user) {
        Operation *inBlock = grouped_.block.findAncestorOpInBlock(*user);
        return members_.contains(inBlock) || own.contains(inBlock);
      });
    });
  }

  void addNeeded(Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &grouped_.block)
          if (!memberOf(operand))
            needed_.push_back(source);
    });
  }

  // Whether enough of the sources can be computed after all that was needed so far, to be worth what that costs.
  bool mayComeLater(ArrayRef<Value> sources, int64_t cost) {
    auto isWorth = [&](llvm::function_ref<bool(Value)> isLater) {
      int64_t bytes = 0;
      for (Value source : sources)
        bytes += isLater(source) ? bytesOf(source) : 0;
      return bytes > 0 && bytes >= 2 * cost;
    };
    // Sources that only the group reads are needed for nothing else.
    return isWorth([&](Value source) { return ownSources_.contains(source); }) ||
           (findNeeded(sources) && isWorth([&](Value source) { return !visited_.contains(source.getDefiningOp()); }));
  }

  // Visits what is needed that the sources can be among. False where that is too much.
  bool findNeeded(ArrayRef<Value> sources) {
    int first = last_;
    for (Value source : sources)
      first = std::min(first, grouped_.graph.positionOf(source.getDefiningOp()));
    while (!needed_.empty() && visited_.size() < kMaxVisited) {
      Operation *current = needed_.pop_back_val();
      if (visited_.contains(current))
        continue;
      for (Operation *op : kernelOf(current))
        if (visited_.insert(op).second && grouped_.graph.positionOf(op) >= first)
          addNeeded(op);
    }
    return needed_.empty();
  }

  // Whether nothing behind the group needs the value.
  bool endsHere(Value value) const {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      Operation *inBlock = grouped_.block.findAncestorOpInBlock(*user);
      return members_.contains(inBlock) || grouped_.graph.positionOf(inBlock) < last_;
    });
  }

  // Whether the source is a contraction that the part which reads it can be the epilogue of.
  bool mayHoldEpilogue(Value source) const {
    Operation *op = source.getDefiningOp();
    return roleOf(op) == OpRole::kContract && !group_.reduce && op->getNumResults() == 1 && source.hasOneUse() &&
           llvm::ArrayRef(group_.fullShape) == shapeOf(source);
  }

  // Each behind what it uses, and what needs more large arrays first.
  void sortMembers() {
    llvm::DenseMap<Operation *, SmallVector<Operation *, 2>> operands;
    llvm::DenseMap<Operation *, int> needs;
    for (Operation *op : llvm::reverse(group_.members)) {
      llvm::SmallSetVector<Operation *, 4> sources;
      for (Value operand : op->getOperands())
        if (Operation *source = memberOf(operand))
          sources.insert(source);
      SmallVector<Operation *, 2> &sorted = operands[op];
      sorted.assign(sources.begin(), sources.end());
      llvm::sort(sorted, [&](Operation *a, Operation *b) {
        return std::pair(-needs.at(a), grouped_.graph.positionOf(a)) <
               std::pair(-needs.at(b), grouped_.graph.positionOf(b));
      });
      int need = static_cast<int>(sourcesOf(op).size());
      for (auto [i, source] : llvm::enumerate(sorted))
        need = std::max(need, needs.at(source) + static_cast<int>(i));
      needs[op] = need;
    }
    llvm::DenseSet<Operation *> seen;
    SmallVector<std::pair<Operation *, size_t>> path; // an op and how many of its operands have been gone to
    for (Operation *root : llvm::reverse(group_.roots)) {
      if (seen.insert(root).second)
        path.emplace_back(root, 0);
      while (!path.empty()) {
        auto &[op, next] = path.back();
        ArrayRef<Operation *> sources = operands[op];
        if (next == sources.size()) {
          order_.push_back(op);
          path.pop_back();
        } else if (Operation *source = sources[next++]; seen.insert(source).second) {
          path.emplace_back(source, 0);
        }
      }
    }
  }

  const GroupedBlock &grouped_;
  const FusionGroup &group_;
  llvm::DenseSet<Operation *> members_;
  int last_; // position of the last member
  SmallVector<Operation *> order_;
  llvm::DenseSet<Value> ownSources_; // whose kernels work for the group alone
  // The ops that compute the sources so far: those visited, and those still to visit.
  llvm::DenseSet<Operation *> visited_;
  SmallVector<Operation *> needed_;
};

} // namespace

FusionParts partsOfWideGroups(const GroupedBlock &grouped) {
  FusionParts parts;
  int number = 0;
  for (const FusionGroup &group : grouped.groups) {
    WideGroup wide(grouped, group);
    if (wide.isWide())
      number = wide.divide(number + 1, parts);
  }
  return parts;
}

} // namespace tenon::passes
