// Devices of one OS process wait for each other at each collective: until all have come, and until all have read what
// was shown. Where there are more devices than processors, each wait is a switch of threads for each device. Most waits
// can be one with another:
//
//   %l = all_reduce %loss     shows %loss, and waits for nobody
//   %x = exchange %a          shows %a, and waits for nobody
//   %g = gather %b            all come, and read what the three have shown
//   ... reads %x and %g ...
//   %w = gather %c            all come; since they have read %loss, %a and %b, these may change
//
// A collective meets with the next one where nothing before that reads its results. Who comes to a meeting has read
// what was shown at the one before: so where the operands stay until there, nobody waits for readers. Operands then
// live longer; they are small, or the collective is as it was.
//
// Other runtime calls, loops and branches may wait for other processes, too: none is passed.
#include "tenon/codegen/common/memory/meetings.h"

#include "tenon/program/attributes.h"
#include "tenon/program/meetings.h"

#include <algorithm>

using namespace mlir;

namespace tenon::codegen {
namespace {

// Operands of more are not kept for longer: to wait is short beside moving them.
constexpr int64_t kMostKeptBytes = int64_t(1) << 20;

int64_t bytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += tensorBytes(value.getType());
  return bytes;
}

// Whether the processes may have one memory for a result (shared_results.h).
bool mayBeShared(Value result, const ProgramInstructions &instructions) {
  return instructions.groupArrays.contains(result) || llvm::any_of(result.getUsers(), [&](Operation *user) {
           switch (instructions.kindOf(user)) {
           case InstructionKind::kReturn:
             return true;
           case InstructionKind::kAlias:
             return mayBeShared(user->getResult(0), instructions);
           default:
             return false;
           }
         });
}

bool isPrivate(Operation *op, StringRef target, const ProgramInstructions &instructions) {
  if (target == "exchange_group")
    return true;
  if (target == "fold_group")
    return bytesOf(op->getOperands()) < program::kDividedSumBytes;
  return llvm::all_of(op->getResults(), [&](Value result) {
    auto array = instructions.groupArrays.find(result);
    return array != instructions.groupArrays.end() ? array->second.isEarly : !mayBeShared(result, instructions);
  });
}

// The first op behind `op`, in its block, that reads a result of it, under whatever type; null: none does.
Operation *firstReader(Operation *op, const ProgramInstructions &instructions) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
    if (instructions.kindOf(user) == InstructionKind::kAlias)
      reader = firstReader(user, instructions);
    if (reader && (!first || reader->isBeforeInBlock(first)))
      first = reader;
  }
  return first;
}

// Whether a number among the results is read into a register when the call has been made.
bool hasNumberInRegister(Operation *op, const ProgramInstructions &instructions) {
  return llvm::any_of(op->getResults(), [&](Value result) {
    return isScalarTensor(result.getType()) && llvm::any_of(result.getUsers(), [&](Operation *user) {
             InstructionKind kind = instructions.kindOf(user);
             return kind != InstructionKind::kKernel && kind != InstructionKind::kReturn;
           });
  });
}

// Collectives of the same groups, between which there is nothing that may wait for others.
class Sequence {
public:
  Sequence(ArrayRef<Operation *> calls, const ProgramInstructions &instructions)
      : calls_(calls), instructions_(instructions), at_(calls.size()) {
    for (size_t i = calls.size(); i-- > 0;)
      at_[i] = i + 1 < calls.size() && mayMeetAt(calls[i], calls[at_[i + 1]]) ? at_[i + 1] : i;
  }

  void addTo(llvm::DenseMap<Operation *, Meeting> &meetings) const {
    for (size_t first = 0, next = 0; first < calls_.size(); first = next) {
      size_t at = at_[first];
      next = at + 1;
      ArrayRef<Operation *> together = calls_.slice(first, next - first);
      bool mayStay = next < calls_.size() && llvm::all_of(together, [&](Operation *call) { return mayStayFor(call); });
      for (Operation *call : together)
        if (mayStay || call != calls_[at])
          meetings[call] = {calls_[at], mayStay ? calls_[at_[next]] : nullptr};
    }
  }

private:
  bool mayMeetAt(Operation *call, Operation *later) const {
    Operation *reader = firstReader(call, instructions_);
    return isSmall(call) && !hasNumberInRegister(call, instructions_) && (!reader || later->isBeforeInBlock(reader));
  }
  bool mayStayFor(Operation *call) const { return isSmall(call) && instructions_.meetingCalls.lookup(call).isPrivate; }
  static bool isSmall(Operation *call) { return bytesOf(call->getOperands()) <= kMostKeptBytes; }

  ArrayRef<Operation *> calls_;
  const ProgramInstructions &instructions_;
  std::vector<size_t> at_; // the place of the call with which each meets
};

bool mayMeetLater(const program::RuntimeCall &call) {
  return call.kind == program::RuntimeCall::Kind::kLibrary &&
         llvm::is_contained({"fold_group", "gather_group", "exchange_group"}, StringRef(call.target));
}

} // namespace

std::vector<std::vector<int64_t>> groupsOf(const program::RuntimeCall &call) {
  std::vector<std::vector<int64_t>> numbers;
  for (const char *name : {"axes", "groups", "sizes"}) {
    auto values = program::integerArrayAttribute(call.attributes, name);
    numbers.push_back(values.ok() ? *std::move(values) : std::vector<int64_t>());
  }
  return numbers;
}

llvm::DenseMap<Operation *, MeetingCall> findMeetingCalls(func::FuncOp main, const ProgramInstructions &instructions,
                                                          const std::vector<program::RuntimeCall> &runtimeCalls) {
  llvm::DenseMap<Operation *, MeetingCall> calls;
  std::vector<std::vector<std::vector<int64_t>>> known;
  for (Operation &op : main.getBody().front()) {
    auto number = instructions.runtimeCalls.find(&op);
    if (number == instructions.runtimeCalls.end() || !mayMeetLater(runtimeCalls[number->second]))
      continue;
    const program::RuntimeCall &call = runtimeCalls[number->second];
    std::vector<std::vector<int64_t>> groups = groupsOf(call);
    auto at = llvm::find(known, groups);
    if (at == known.end())
      at = known.insert(at, std::move(groups));
    calls[&op] = {static_cast<int>(at - known.begin()), isPrivate(&op, call.target, instructions)};
  }
  return calls;
}

llvm::DenseMap<Operation *, Meeting> findMeetings(func::FuncOp main, const ProgramInstructions &instructions) {
  llvm::DenseMap<Operation *, Meeting> meetings;
  if (instructions.meetingCalls.empty())
    return meetings;
  SmallVector<Operation *> calls;
  auto close = [&] {
    Sequence(calls, instructions).addTo(meetings);
    calls.clear();
  };
  for (Operation &op : main.getBody().front()) {
    auto call = instructions.meetingCalls.find(&op);
    if (call == instructions.meetingCalls.end()) {
      InstructionKind kind = instructions.kindOf(&op);
      if (kind == InstructionKind::kRuntimeCall || kind == InstructionKind::kWhile || kind == InstructionKind::kBranch)
        close();
      continue;
    }
    if (!calls.empty() && instructions.meetingCalls.lookup(calls.back()).groups != call->second.groups)
      close();
    calls.push_back(&op);
  }
  close();
  return meetings;
}

void markMeetings(func::FuncOp main, const ProgramInstructions &instructions,
                  std::vector<program::RuntimeCall> &runtimeCalls) {
  for (auto [op, meeting] : findMeetings(main, instructions)) {
    program::AttributeDict &attributes = runtimeCalls[instructions.runtimeCalls.at(op)].attributes;
    if (meeting.at != op)
      program::addAttribute(attributes, {std::string(program::kMeetsWithNext), {true}});
    else if (meeting.until)
      program::addAttribute(attributes, {std::string(program::kOperandsStay), {true}});
  }
}

} // namespace tenon::codegen
