#include "tenon/codegen/common/memory/memory_report.h"

#include "tenon/codegen/common/interface/program_shape.h"
#include "tenon/codegen/common/location.h"
#include "tenon/ir/stablehlo.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using program::BufferEntry;
using program::StepEntry;
using program::ValueEntry;

class MemoryDescriber {
public:
  MemoryDescriber(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                  program::Report &report)
      : main_(main), instructions_(instructions), plan_(plan), report_(report) {}

  void run() {
    addSteps(main_.getBody().front(), 0);
    std::vector<int> entryOf(plan_.classes().size(), -1);
    for (auto [index, buffer] : llvm::enumerate(plan_.classes()))
      if (buffer.mergedInto < 0 && buffer.bytes > 0)
        entryOf[index] = add(buffer);
    for (Value value : valuesInOrder())
      if (int entry = entryOf[plan_.classIndexOf(value)]; entry >= 0)
        report_.buffers[entry].values.push_back(describe(value));
    auto rank = [](const BufferEntry &buffer) {
      bool isArena = buffer.offset >= 0;
      return std::tuple(!isArena, isArena ? 0 : int(buffer.kind), isArena ? buffer.offset : buffer.index);
    };
    llvm::stable_sort(report_.buffers, [&](auto &a, auto &b) { return rank(a) < rank(b); });
  }

private:
  // --- Steps ---

  void addSteps(Block &block, int depth) {
    for (Operation &op : block) {
      auto [begin, end] = plan_.positionOf(&op);
      switch (InstructionKind kind = instructions_.kindOf(&op)) {
      case InstructionKind::kKernel:
        addStep(&op, begin, StepEntry::Kind::kKernel, instructions_.calls.lookup(&op), depth);
        break;
      case InstructionKind::kRuntimeCall:
        addStep(&op, begin, StepEntry::Kind::kRuntimeCall, instructions_.runtimeCalls.lookup(&op), depth);
        break;
      case InstructionKind::kWhile:
      case InstructionKind::kBranch: {
        int index = report_.steps.size();
        addStep(&op, begin, kind == InstructionKind::kWhile ? StepEntry::Kind::kLoop : StepEntry::Kind::kBranch, -1,
                depth);
        for (Region &region : op.getRegions())
          if (!region.empty())
            addSteps(region.front(), depth + 1);
        addStep(&op, end, StepEntry::Kind::kEnd, index, depth);
        break;
      }
      case InstructionKind::kReturn:
        if (depth == 0)
          addStep(&op, begin, StepEntry::Kind::kReturn, -1, depth);
        break;
      case InstructionKind::kConstant:
      case InstructionKind::kScalar:
      case InstructionKind::kAlias:
      case InstructionKind::kView:
      case InstructionKind::kNothing:
        break;
      }
    }
  }

  void addStep(Operation *op, int64_t position, StepEntry::Kind kind, int index, int depth) {
    Operation *named = namedOp(op);
    report_.steps.push_back({kind, index, depth, named->getName().getStringRef().str(), locationText(named->getLoc())});
    positions_.push_back(position);
  }

  // The plan counts every op; ops that are no steps lie between two steps. Lifetimes that don't meet don't meet after
  // this either.
  int32_t beginOf(int64_t half) const {
    auto step = llvm::lower_bound(positions_, half / 2);
    bool isStep = step != positions_.end() && *step == half / 2;
    return int32_t(2 * (step - positions_.begin()) + (isStep ? half % 2 : 0));
  }
  int32_t endOf(int64_t half) const {
    auto step = llvm::lower_bound(positions_, half / 2);
    bool isStep = step != positions_.end() && *step == half / 2;
    return int32_t(2 * (step - positions_.begin()) + (isStep ? half % 2 : -1));
  }

  std::vector<program::Lifetime> lifetimes(ArrayRef<BufferClass::Interval> live) const {
    std::vector<program::Lifetime> all;
    for (BufferClass::Interval interval : live)
      if (program::Lifetime lifetime(beginOf(interval.begin), endOf(interval.end)); lifetime.first <= lifetime.second)
        all.push_back(lifetime);
    return joined(std::move(all));
  }

  static std::vector<program::Lifetime> joined(std::vector<program::Lifetime> all) {
    llvm::sort(all);
    std::vector<program::Lifetime> apart;
    for (program::Lifetime lifetime : all)
      if (!apart.empty() && lifetime.first <= apart.back().second + 1)
        apart.back().second = std::max(apart.back().second, lifetime.second);
      else
        apart.push_back(lifetime);
    return apart;
  }

  // --- Buffers ---

  // The entry that holds the class, or -1 if nobody uses it.
  int add(const BufferClass &buffer) {
    BufferEntry entry = describe(buffer);
    if (entry.kind == BufferEntry::Kind::kConstant && entry.live.empty())
      return -1; // of an op that only scalars or nobody uses
    int index = int(report_.buffers.size());
    if (entry.kind == BufferEntry::Kind::kResult)
      index = entryOfResult_.try_emplace(buffer.index, index).first->second;
    if (index == int(report_.buffers.size())) {
      report_.buffers.push_back(std::move(entry));
      return index;
    }
    BufferEntry &shared = report_.buffers[size_t(index)]; // classes that lie in one result's memory
    shared.live.insert(shared.live.end(), entry.live.begin(), entry.live.end());
    shared.live = joined(std::move(shared.live));
    return index;
  }

  BufferEntry describe(const BufferClass &buffer) {
    BufferEntry entry;
    entry.index = buffer.index;
    entry.size = buffer.storage == BufferClass::Storage::kResult ? bytesOfResult(buffer.index) : buffer.bytes;
    entry.live = lifetimes(buffer.live);
    switch (buffer.storage) {
    case BufferClass::Storage::kArena:
      entry.offset = buffer.offset;
      entry.purpose = buffer.purpose;
      if (!buffer.purpose.empty())
        entry.kind = BufferEntry::Kind::kWorkspace;
      break;
    case BufferClass::Storage::kArgument:
      entry.kind = BufferEntry::Kind::kArgument;
      break;
    case BufferClass::Storage::kResult:
      entry.kind = BufferEntry::Kind::kResult;
      break;
    case BufferClass::Storage::kConstant:
      entry.kind = BufferEntry::Kind::kConstant;
      break;
    case BufferClass::Storage::kGroup:
      entry.kind = BufferEntry::Kind::kWorkspace;
      entry.index = -1;
      entry.purpose = "in memory that devices have in common";
      break;
    }
    return entry;
  }

  int64_t bytesOfResult(int32_t index) {
    return tensorBytes(main_.getBody().front().getTerminator()->getOperand(unsigned(index)).getType());
  }

  // The values in memory; those of one buffer in the order in which it holds them.
  std::vector<Value> valuesInOrder() const {
    std::vector<std::pair<int64_t, Value>> all;
    for (auto [value, index] : plan_.values()) {
      bool isCondition = false; // what a loop's condition sees is what its body sees
      if (auto argument = dyn_cast<BlockArgument>(value))
        if (auto loop = dyn_cast<sh::WhileOp>(argument.getOwner()->getParentOp()))
          isCondition = argument.getOwner()->getParent() == &loop.getCond();
      if (!isCondition)
        all.emplace_back(timeOf(value), value);
    }
    llvm::sort(all, [](auto &a, auto &b) {
      return std::tuple(a.first, numberOf(a.second)) < std::tuple(b.first, numberOf(b.second));
    });
    std::vector<Value> values;
    for (auto [time, value] : all)
      values.push_back(value);
    return values;
  }

  static unsigned numberOf(Value value) {
    auto result = dyn_cast<OpResult>(value);
    return result ? result.getResultNumber() : cast<BlockArgument>(value).getArgNumber();
  }

  int64_t timeOf(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!op) {
      Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
      return isa<func::FuncOp>(parent) ? 0 : plan_.positionOf(parent).first;
    }
    return plan_.positionOf(op).second;
  }

  ValueEntry describe(Value value) const {
    ValueEntry entry;
    entry.shape = programShape(value.getType());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      entry.op = isa<func::FuncOp>(parent) ? "argument" : parent->getName().getStringRef().str();
      entry.location = locationText(isa<func::FuncOp>(parent) ? argument.getLoc() : parent->getLoc());
      if (isa<sh::WhileOp>(parent))
        entry.note = carryNote(plan_.loop(parent).modes[argument.getArgNumber()]);
      return entry;
    }
    Operation *op = value.getDefiningOp(), *named = namedOp(op);
    if (named != op) // the result of a fusion that this value is
      if (Operation *inner = op->getRegion(0).front().getTerminator()->getOperand(numberOf(value)).getDefiningOp())
        named = inner;
    entry.op = named->getName().getStringRef().str();
    entry.location = locationText(named->getLoc());
    switch (instructions_.kindOf(op)) {
    case InstructionKind::kAlias:
      entry.note = "the same bytes in another shape";
      break;
    case InstructionKind::kView:
      entry.note = "a part of another array";
      break;
    case InstructionKind::kWhile:
      entry.note = "the loop's result";
      break;
    case InstructionKind::kBranch:
      entry.note = "the branches' result";
      break;
    case InstructionKind::kKernel:
      if (llvm::any_of(op->getOperands(),
                       [&](Value other) { return plan_.hasClass(other) && plan_.isSame(other, value); }))
        entry.note = "overwrites its operand";
      break;
    default:
      break;
    }
    return entry;
  }

  static const char *carryNote(CarryMode mode) {
    switch (mode) {
    case CarryMode::kInPlace:
      return "carried, in place";
    case CarryMode::kSwap:
      return "carried, exchanged with another buffer by each iteration";
    case CarryMode::kCopy:
      return "carried, copied by each iteration";
    case CarryMode::kCopyThroughTemp:
      return "carried, copied twice by each iteration";
    case CarryMode::kNone:
      break;
    }
    return "";
  }

  func::FuncOp main_;
  const ProgramInstructions &instructions_;
  const BufferPlan &plan_;
  program::Report &report_;
  std::vector<int64_t> positions_; // of each step, in the plan
  llvm::DenseMap<int32_t, int> entryOfResult_;
};

} // namespace

void describeMemory(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                    program::Report &report) {
  MemoryDescriber(main, instructions, plan, report).run();
}

} // namespace tenon::codegen
