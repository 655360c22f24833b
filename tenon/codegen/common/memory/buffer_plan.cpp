#include "tenon/codegen/common/memory/buffer_plan.h"

#include "tenon/codegen/common/memory/meetings.h"
#include "tenon/codegen/common/memory/packing.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "llvm/ADT/SmallBitVector.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using Lifetime = SmallVector<BufferClass::Interval, 2>;

} // namespace

class BufferPlanner {
public:
  BufferPlanner(func::FuncOp main, const ProgramInstructions &instructions,
                const llvm::DenseMap<Operation *, int> &constantIndex, ArrayRef<int32_t> donations,
                ScalarPlaces scalars, ResultUse resultUse)
      : main_(main), instructions_(instructions), constantIndex_(constantIndex), donations_(donations),
        hasScalars_(scalars == ScalarPlaces::kMemory), resultUse_(resultUse) {}

  BufferPlan run() {
    number(main_.getBody().front());
    meetings_ = findMeetings(main_, instructions_);
    for (BlockArgument argument : main_.getArguments())
      if (!isToken(argument.getType())) {
        int index = newClass(argument, lifetimeFrom(0, argument));
        cls(index).storage = BufferClass::Storage::kArgument;
        cls(index).index = argument.getArgNumber();
      }
    visitBlock(main_.getBody().front());
    placeResults();
    plan_.arenaBytes_ = packClasses(plan_.classes_, alignments(), resultMemories());
    plan_.donations_.assign(donations_.begin(), donations_.end());
    plan_.begin_ = std::move(begin_);
    plan_.end_ = std::move(end_);
    return std::move(plan_);
  }

private:
  using Interval = BufferClass::Interval;

  // The only ops on scalars in memory are kernels, and reshapes from rank 0 to rank 0.
  InstructionKind kindOf(Operation *op) const {
    InstructionKind kind = instructions_.kindOf(op);
    return hasScalars_ && kind == InstructionKind::kScalar ? InstructionKind::kAlias : kind;
  }

  // --- Positions and lifetimes ---

  void number(Block &block) {
    for (Operation &op : block) {
      begin_[&op] = next_++;
      InstructionKind kind = kindOf(&op);
      if (kind == InstructionKind::kWhile || kind == InstructionKind::kBranch)
        for (Region &region : op.getRegions())
          if (!region.empty())
            number(region.front());
      end_[&op] = next_++;
    }
  }

  // From half step `start` to the last read of `value`, which is alive when `block` begins or is made in it. What a
  // loop reads from outside it reads until it ends. Of the branches of an if or a case one runs: where the value is not
  // read after them, it is alive in each as far as that one reads it, so each may overwrite it.
  void addReads(Value value, Block &block, int64_t start, Lifetime &live) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers())
      if (Operation *inBlock = block.findAncestorOpInBlock(*user))
        if (!last || begin_[last] < begin_[inBlock])
          last = inBlock;
    if (!last) {
      live.push_back({start, start});
      return;
    }
    bool isBranch = kindOf(last) == InstructionKind::kBranch;
    bool isNested = llvm::any_of(value.getUsers(), [&](Operation *user) { return last->isProperAncestor(user); });
    int64_t end = isNested && !isBranch ? 2 * this->end_[last] : 2 * begin_[last];
    for (Operation *user : value.getUsers())
      if (auto meeting = meetings_.find(user); meeting != meetings_.end())
        end = std::max<int64_t>(end, 2 * begin_[meeting->second.end()]); // others read it there
    live.push_back({start, std::max(start, end)});
    if (!isBranch || !isNested)
      return;
    for (Region &region : last->getRegions())
      if (llvm::any_of(value.getUsers(), [&](Operation *user) { return region.isAncestor(user->getParentRegion()); }))
        addReads(value, region.front(), 2 * begin_[&region.front().front()], live);
  }

  // The collective with which devices meet for the op; itself where they meet at once, or for nothing.
  Operation *metAt(Operation *op) const {
    auto meeting = meetings_.find(op);
    return meeting == meetings_.end() ? op : meeting->second.at;
  }

  Lifetime lifetimeFrom(int64_t start, Value value) {
    Lifetime live;
    addReads(value, *value.getParentBlock(), start, live);
    return live;
  }

  // The lifetime of a result that shares no memory with what its op reads.
  Lifetime lifetime(Value value) {
    int64_t start = 2 * begin_[value.getDefiningOp()];
    Lifetime live = lifetimeFrom(start, value);
    // A collective writes its results when devices meet for it, whether anybody reads them or not.
    int64_t written = 2 * begin_[metAt(value.getDefiningOp())] + 1;
    live.front().end = std::max(written, live.front().end);
    return live;
  }

  // --- Classes ---

  int newClass(Value value, ArrayRef<Interval> live) {
    BufferClass buffer;
    buffer.bytes = tensorBytes(value.getType());
    buffer.addLife(live);
    if (GroupArray array = instructions_.groupArrays.lookup(value); array.entry >= 0) {
      buffer.placeInGroup(array);
      buffer.isMetLater = metAt(value.getDefiningOp()) != value.getDefiningOp();
    }
    plan_.classes_.push_back(std::move(buffer));
    int index = plan_.classes_.size() - 1;
    plan_.classIndex_[value] = index;
    return index;
  }

  BufferClass &cls(int index) { return plan_.classes_[plan_.root(index)]; }
  int classOf(Value value) { return plan_.root(plan_.classIndex_.at(value)); }

  bool isPlain(const BufferClass &buffer) { return buffer.storage == BufferClass::Storage::kArena && !buffer.pinned; }

  // Puts `value`, with lifetime `live`, into the class if nothing else is alive there then.
  bool tryShare(Value value, ArrayRef<Interval> live, int index) {
    BufferClass &buffer = cls(index);
    if (!isPlain(buffer) || buffer.bytes != tensorBytes(value.getType()) || buffer.isAliveIn(live))
      return false;
    buffer.addLife(live);
    plan_.classIndex_[value] = plan_.root(index);
    return true;
  }

  bool tryMerge(int from, int into) {
    from = plan_.root(from), into = plan_.root(into);
    if (from == into)
      return true;
    BufferClass &source = plan_.classes_[from], &target = plan_.classes_[into];
    if (!isPlain(source) || !isPlain(target) || source.bytes != target.bytes || target.isAliveIn(source.live))
      return false;
    target.addLife(source.live);
    source.mergedInto = into;
    return true;
  }

  // --- Steps in order ---

  void visitBlock(Block &block) {
    for (Operation &op : block)
      visit(&op);
  }

  void visit(Operation *op) {
    switch (kindOf(op)) {
    case InstructionKind::kConstant:
      if (auto found = constantIndex_.find(op); found != constantIndex_.end()) {
        int index = newClass(op->getResult(0), lifetime(op->getResult(0)));
        cls(index).storage = BufferClass::Storage::kConstant;
        cls(index).index = found->second;
      }
      return;
    case InstructionKind::kAlias: {
      if (!plan_.classIndex_.contains(op->getOperand(0))) { // a scalar in a register: it gets memory here
        newClass(op->getResult(0), lifetime(op->getResult(0)));
        return;
      }
      int index = classOf(op->getOperand(0));
      cls(index).addLife(lifetime(op->getResult(0)));
      if (int other = otherBuffer(op->getOperand(0)); other >= 0)
        cls(other).addLife(lifetime(op->getResult(0)));
      plan_.classIndex_[op->getResult(0)] = index;
      return;
    }
    case InstructionKind::kView: // the array is there as long as the loop runs
      plan_.classIndex_[op->getResult(0)] = classOf(instructions_.views.at(op).array);
      return;
    case InstructionKind::kKernel:
      return visitKernel(op, *instructions_.kernels.at(op));
    case InstructionKind::kRuntimeCall:
      for (Value result : op->getResults())
        if (!isToken(result.getType()))
          newClass(result, lifetime(result));
      return;
    case InstructionKind::kWhile:
      return visitWhile(cast<sh::WhileOp>(op));
    case InstructionKind::kBranch:
      return visitBranch(op);
    case InstructionKind::kScalar:
    case InstructionKind::kNothing:
    case InstructionKind::kReturn:
      return;
    }
  }

  void visitKernel(Operation *op, const Kernel &kernel) {
    int64_t position = begin_[op];
    llvm::SmallBitVector shared(op->getNumResults());
    auto share = [&](int operand, int i) {
      if (!shared[i])
        shared[i] = shareWithOperand(op, operand, op->getResult(i));
    };
    // Next values of carried arrays first, so that no other result takes their places.
    for (auto [operand, target] : kernel.mayAlias)
      if (isNextValueOf(op->getResult(target), op->getOperand(operand)))
        share(operand, target);
    for (auto [i, operand] : llvm::enumerate(kernel.resultInit))
      if (operand >= 0 && readOnlyBy(op, operand))
        share(operand, i);
    for (auto [operand, target] : kernel.mayAlias)
      share(operand, target);
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      if (!shared[i])
        newClass(result, lifetime(result));
    if (kernel.tempBytes > 0) {
      BufferClass buffer;
      buffer.bytes = kernel.tempBytes;
      buffer.addLife(Interval{2 * position, 2 * position + 1});
      buffer.pinned = true;
      buffer.purpose = "of a kernel";
      plan_.classes_.push_back(std::move(buffer));
      plan_.temporaries_[op] = plan_.classes_.size() - 1;
    }
  }

  bool shareWithOperand(Operation *op, int operand, Value result) {
    Value source = op->getOperand(operand);
    if (!plan_.classIndex_.contains(source) || sharesClassWithOther(op, operand))
      return false;
    return tryShare(result, lifetimeFrom(2 * begin_[op] + 1, result), classOf(source));
  }

  // Two operands in one class (aliases): one of them would be overwritten while the other is read.
  bool sharesClassWithOther(Operation *op, int index) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (int(i) != index && operand != op->getOperand(index) && plan_.classIndex_.contains(operand) &&
          classOf(operand) == classOf(op->getOperand(index)))
        return true;
    return false;
  }

  bool inMemory(Type type) const { return !isToken(type) && (hasScalars_ || !isScalarTensor(type)); }

  void visitWhile(sh::WhileOp op) {
    Block &cond = op.getCond().front(), &body = op.getBody().front();
    CarryPlan loop;
    unsigned count = op->getNumOperands();
    loop.modes.assign(count, CarryMode::kNone);
    loop.home.assign(count, -1);
    loop.other.assign(count, -1);
    for (unsigned i = 0; i < count; ++i) {
      if (!inMemory(op->getOperand(i).getType()))
        continue;
      // The condition leaves the carried array alone, it may be the loop's result; then the body reads it until its
      // last use there.
      Lifetime live{{2 * begin_[op] + 1, 2 * begin_[cond.getTerminator()]}};
      live.append(lifetimeFrom(2 * begin_[op] + 1, body.getArgument(i)));
      Value init = op->getOperand(i);
      bool first = llvm::count(op->getOperands(), init) == 1;
      int home;
      if (first && tryShare(body.getArgument(i), live, classOf(init))) {
        home = classOf(body.getArgument(i));
      } else { // copied there, while the other initial values are still being read
        live.push_back({2 * begin_[op], 2 * begin_[op]});
        home = newClass(body.getArgument(i), live);
      }
      plan_.classIndex_[cond.getArgument(i)] = home;
      loop.home[i] = home;
    }
    visitBlock(cond);
    visitBlock(body);
    for (unsigned i = 0; i < count; ++i)
      if (loop.home[i] >= 0)
        planCarry(op, i, loop);
    for (unsigned i = 0; i < count; ++i)
      if (loop.home[i] >= 0)
        finishCarry(op, i, loop);
    plan_.loops_[op] = std::move(loop);
  }

  void planCarry(sh::WhileOp op, unsigned i, CarryPlan &loop) {
    Block &body = op.getBody().front();
    Value value = body.getTerminator()->getOperand(i);
    int home = plan_.root(loop.home[i]), source = classOf(value);
    if (value == body.getArgument(i)) {
      loop.modes[i] = CarryMode::kInPlace;
      return;
    }
    bool once = llvm::count(body.getTerminator()->getOperands(), value) == 1;
    bool madeHere = value.getDefiningOp() && value.getDefiningOp()->getBlock() == &body;
    bool carriedByOther = false;
    for (unsigned j = 0; j < loop.home.size(); ++j)
      carriedByOther |=
          j != i && loop.home[j] >= 0 &&
          (plan_.root(loop.home[j]) == source || (loop.other[j] >= 0 && plan_.root(loop.other[j]) == source));
    if (once && madeHere && !carriedByOther && !isSwappedResult(value)) {
      if (source == home || tryMerge(source, home)) {
        loop.modes[i] = CarryMode::kInPlace;
        return;
      }
      if (isPlain(cls(source)) && bornInside(cls(source), op)) {
        loop.modes[i] = CarryMode::kSwap;
        loop.other[i] = source;
        cls(source).pinned = true;
        return;
      }
    }
    loop.modes[i] = carriedByOther ? CarryMode::kCopyThroughTemp : CarryMode::kCopy;
    if (carriedByOther) {
      BufferClass temporary;
      temporary.bytes = tensorBytes(value.getType());
      temporary.purpose = "the next value of a carried array";
      plan_.classes_.push_back(std::move(temporary));
      loop.other[i] = plan_.classes_.size() - 1;
      cls(loop.other[i]).pinned = true;
    }
  }

  // All of the class's lifetimes lie inside the loop.
  bool bornInside(const BufferClass &buffer, Operation *loop) {
    return buffer.hull.begin > 2 * begin_[loop] && buffer.hull.end <= 2 * end_[loop];
  }

  // Results of a loop that exchanges buffers are in one or the other, known only when it runs: the class of the other,
  // -1 where there is none.
  int otherBuffer(Value value) {
    while (auto *op = value.getDefiningOp()) {
      if (kindOf(op) != InstructionKind::kAlias)
        break;
      value = op->getOperand(0);
    }
    auto result = dyn_cast<OpResult>(value);
    auto loop = result ? dyn_cast<sh::WhileOp>(result.getOwner()) : sh::WhileOp();
    if (!loop || !plan_.loops_.contains(loop))
      return -1;
    const CarryPlan &carries = plan_.loops_[loop];
    unsigned index = result.getResultNumber();
    return carries.modes[index] == CarryMode::kSwap ? plan_.root(carries.other[index]) : -1;
  }

  bool isSwappedResult(Value value) { return otherBuffer(value) >= 0; }

  void finishCarry(sh::WhileOp op, unsigned i, CarryPlan &loop) {
    Interval whole{2 * begin_[op] + 1, 2 * end_[op]};
    Value result = op->getResult(i);
    Lifetime after = lifetimeFrom(2 * end_[op], result);
    BufferClass &home = cls(loop.home[i]);
    home.addLife(whole);
    home.addLife(after);
    plan_.classIndex_[result] = plan_.root(loop.home[i]);
    if (loop.other[i] < 0)
      return;
    cls(loop.other[i]).addLife(whole);
    if (loop.modes[i] == CarryMode::kSwap) {
      cls(loop.other[i]).addLife(after);
      home.pinned = true;
    }
  }

  void visitBranch(Operation *op) {
    for (Region &region : op->getRegions())
      visitBlock(region.front());
    for (OpResult result : op->getResults())
      if (inMemory(result.getType()))
        placeBranchResult(op, result);
  }

  static Value yieldedFor(OpResult result, Region &region) {
    return region.front().getTerminator()->getOperand(result.getResultNumber());
  }

  // A result stays where some branch has it from outside, untouched or updated in place, if the others can bring theirs
  // there; else it has a buffer of its own. Either way branches that make their value compute it there if they can.
  void placeBranchResult(Operation *op, OpResult result) {
    Lifetime after = lifetimeFrom(2 * end_[op], result);
    bool isShared = llvm::any_of(op->getRegions(), [&](Region &region) {
      int source = classOf(yieldedFor(result, region));
      return !bornInside(cls(source), op) && canBringTo(source, op, result) && tryShare(result, after, source);
    });
    if (!isShared)
      newClass(result, after);
    for (Region &region : op->getRegions()) {
      Block &block = region.front();
      Value value = yieldedFor(result, region);
      bool madeHere = value.getDefiningOp() && value.getDefiningOp()->getBlock() == &block;
      bool once = llvm::count(block.getTerminator()->getOperands(), value) == 1;
      if (madeHere && once && !isSwappedResult(value) && bornInside(cls(classOf(value)), op))
        tryMerge(classOf(value), classOf(result));
      if (classOf(value) != classOf(result))
        cls(classOf(result)).addLife(copyingAt(block.getTerminator()));
    }
    // From the first write in a branch to the end nothing else may use it.
    cls(classOf(result)).addLife(Interval{2 * begin_[op] + 1, 2 * end_[op], /*isReserved=*/true});
  }

  Interval copyingAt(Operation *terminator) { return {2 * begin_[terminator], 2 * begin_[terminator] + 1}; }

  // Whether each branch that yields the result from another buffer may overwrite this one at its end.
  bool canBringTo(int index, Operation *op, OpResult result) {
    return llvm::all_of(op->getRegions(), [&](Region &region) {
      Operation *terminator = region.front().getTerminator();
      return classOf(yieldedFor(result, region)) == index || !cls(index).isAliveIn(copyingAt(terminator));
    });
  }

  // --- Placement ---

  void placeResults() {
    Operation *terminator = main_.getBody().front().getTerminator();
    plan_.returnTemporaries_.assign(terminator->getNumOperands(), -1);
    for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
      if (isOverwritten(value, i)) {
        BufferClass buffer;
        buffer.bytes = tensorBytes(value.getType());
        buffer.addLife(Interval{2 * begin_[terminator], 2 * end_[terminator]});
        buffer.pinned = true;
        buffer.purpose = "a copy of a returned argument";
        plan_.classes_.push_back(std::move(buffer));
        plan_.returnTemporaries_[i] = plan_.classes_.size() - 1;
      }
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      if (isToken(value.getType()) || !plan_.classIndex_.contains(value) || isSwappedResult(value))
        continue;
      BufferClass &buffer = cls(classOf(value));
      if (!isPlain(buffer) || conflictsWithDonor(value, buffer, i))
        continue;
      buffer.storage = BufferClass::Storage::kResult;
      buffer.index = i;
    }
  }

  // Whether `value`, returned as result `index`, is in an argument that storing some other result may destroy.
  bool isOverwritten(Value value, int32_t index) {
    if (!plan_.classIndex_.contains(value))
      return false;
    const BufferClass &buffer = cls(classOf(value));
    if (buffer.storage != BufferClass::Storage::kArgument)
      return false;
    int32_t donatedTo = donations_[buffer.index];
    return donatedTo >= 0 && donatedTo != index;
  }

  // The caller may have passed the donated argument's memory as this result: writing it early must not change what is
  // still to be read.
  bool conflictsWithDonor(Value value, const BufferClass &buffer, int32_t result) {
    for (auto [i, donated] : llvm::enumerate(donations_)) {
      if (donated != result || isToken(main_.getArgument(i).getType()))
        continue;
      for (Interval argument : cls(classOf(main_.getArgument(i))).live)
        for (Interval own : buffer.live)
          if (!own.isReserved && argument.overlaps(own) &&
              !updatesInPlace(main_.getArgument(i), buffer, own, argument.end))
            return true;
    }
    return false;
  }

  // Whether the op where the argument's life ends and the other's begins may read and write one buffer.
  bool updatesInPlace(Value argument, const BufferClass &buffer, Interval own, int64_t lastRead) {
    if (own.begin != lastRead && own.begin != lastRead + 1)
      return false;
    bool isRead = false;
    for (OpOperand *use : usesOfMemory(argument)) {
      if (2 * begin_[use->getOwner()] != lastRead)
        continue;
      isRead = true;
      if (!mayOverwrite(*use) && !copiesInto(*use, buffer))
        return false;
    }
    return isRead;
  }

  // Whether the use's owner is a kernel that may compute its result where it reads the operand.
  bool mayOverwrite(OpOperand &use) {
    auto kernel = instructions_.kernels.find(use.getOwner());
    if (kernel == instructions_.kernels.end() || use.getOwner()->getNumResults() != 1)
      return false;
    int number = use.getOperandNumber();
    return (llvm::is_contained(kernel->second->resultInit, number) && readOnlyBy(use.getOwner(), number)) ||
           llvm::any_of(kernel->second->mayAlias, [&](auto &pair) { return pair.first == number; });
  }

  // Whether the use is that of a loop or of a branch's end which brings the operand to `buffer`, where it may be
  // already, and to no other place.
  bool copiesInto(OpOperand &use, const BufferClass &buffer) {
    Operation *owner = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (!readOnlyBy(owner, number))
      return false;
    if (auto loop = plan_.loops_.find(owner); loop != plan_.loops_.end())
      return loop->second.home[number] >= 0 && &cls(loop->second.home[number]) == &buffer;
    Operation *branch = owner->getParentOp();
    return owner->hasTrait<OpTrait::IsTerminator>() && kindOf(branch) == InstructionKind::kBranch &&
           &cls(classOf(branch->getResult(number))) == &buffer;
  }

  // The uses of the argument and of its aliases, the same memory under another type.
  SmallVector<OpOperand *> usesOfMemory(Value argument) {
    SmallVector<Value> values{argument};
    SmallVector<OpOperand *> uses;
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses()) {
        if (kindOf(use.getOwner()) == InstructionKind::kAlias)
          values.push_back(use.getOwner()->getResult(0));
        else
          uses.push_back(&use);
      }
    return uses;
  }

  // By class, what its values need. Classes without values are kernels' own, who align what is there themselves.
  std::vector<int64_t> alignments() {
    std::vector<int64_t> result(plan_.classes_.size());
    for (auto [value, index] : plan_.classIndex_) {
      int64_t &alignment = result[size_t(plan_.root(index))];
      alignment = std::max(alignment, callersAlignment(value.getType()));
    }
    return result;
  }

  std::vector<ResultMemory> resultMemories() {
    if (resultUse_ == ResultUse::kResultsAlone)
      return {};
    std::vector<int64_t> lentUntil(main_.getNumResults(), -1);
    for (auto [i, result] : llvm::enumerate(donations_))
      if (result >= 0)
        lentUntil[result] = std::max(lentUntil[result], cls(classOf(main_.getArgument(i))).hull.end);
    std::vector<ResultMemory> memories;
    for (auto [i, value] : llvm::enumerate(main_.getBody().front().getTerminator()->getOperands()))
      if (!isToken(value.getType()) && !isOfRuntimeCall(value))
        memories.push_back({int32_t(i), tensorBytes(value.getType()), callersAlignment(value.getType()), lentUntil[i],
                            computedFrom(value, int32_t(i))});
    return memories;
  }

  // Others may see the results of collectives before the program has ended (shared_results.cpp).
  bool isOfRuntimeCall(Value value) {
    while (value.getDefiningOp() && kindOf(value.getDefiningOp()) == InstructionKind::kAlias)
      value = value.getDefiningOp()->getOperand(0);
    return value.getDefiningOp() && kindOf(value.getDefiningOp()) == InstructionKind::kRuntimeCall;
  }

  // From when on result `index` may be in the caller's memory: when it is computed there, or brought there at the end.
  int64_t computedFrom(Value value, int32_t index) {
    int64_t from = 2 * begin_[main_.getBody().front().getTerminator()];
    if (!plan_.classIndex_.contains(value))
      return from;
    const BufferClass &buffer = cls(classOf(value));
    if (buffer.storage == BufferClass::Storage::kResult && buffer.index == index)
      from = std::min(from, buffer.hull.begin);
    return from;
  }

  func::FuncOp main_;
  const ProgramInstructions &instructions_;
  const llvm::DenseMap<Operation *, int> &constantIndex_;
  ArrayRef<int32_t> donations_;
  bool hasScalars_;
  ResultUse resultUse_;
  BufferPlan plan_;
  llvm::DenseMap<Operation *, int64_t> begin_, end_;
  llvm::DenseMap<Operation *, Meeting> meetings_;
  int64_t next_ = 1;
};

BufferPlan planBuffers(func::FuncOp main, const ProgramInstructions &instructions,
                       const llvm::DenseMap<Operation *, int> &constantIndex, ArrayRef<int32_t> donations,
                       ScalarPlaces scalars, ResultUse resultUse) {
  return BufferPlanner(main, instructions, constantIndex, donations, scalars, resultUse).run();
}

} // namespace tenon::codegen
