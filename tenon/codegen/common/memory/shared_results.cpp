// Weights that each device has whole end a step as an array that a collective has put together, in the memory of a
// result. Nothing else is ever in that memory, so devices of one OS process need it once: each writes a part, and the
// next step reads what caches have for all of them.
//
// Activations that each device gathers, and sums that all have, are read by the kernels that follow. They are in a
// memory of the group's, which the run makes, and of which each device again writes a part. A device writes there only
// in a collective of the group, when all have come to it. So they have done all that comes before it in the program,
// and arrays whose lifetimes in the program do not meet may lie on the same bytes, in loops, too.
//
// To gather so takes two meetings: all come, and all have written. The first one is saved outside of loops and branches
// (program::kWritesEarly): a device that comes to such a collective has met all others in the one before, and so they
// have done all that is before that. If nobody reads the memory since then, it is free.
#include "tenon/codegen/common/memory/shared_results.h"

#include "tenon/codegen/common/memory/meetings.h"
#include "tenon/program/attributes.h"
#include "tenon/program/group_memory.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace tenon::codegen {
namespace {

// Smaller ones are copied faster than shown.
constexpr int64_t kLeastBytes = 32 << 10;

// Whether the call gives all processes of a group the same arrays.
bool givesAllTheSame(const program::RuntimeCall &call) {
  bool hasDimension = program::findAttribute(call.attributes, "dimension");
  return call.kind == program::RuntimeCall::Kind::kLibrary &&
         ((call.target == "gather_group" && hasDimension) || (call.target == "fold_group" && !hasDimension));
}

class Marker {
public:
  Marker(const ProgramInstructions &instructions, const BufferPlan &plan, std::vector<program::RuntimeCall> &calls)
      : instructions_(instructions), plan_(plan), calls_(calls) {
    for (auto [value, index] : plan.values())
      valuesOfClass_[plan.rootOf(index)].push_back(value);
  }

  void mark(Value returned, int64_t result) {
    Value value = origin(returned);
    Operation *call = value.getDefiningOp();
    if (!call || !plan_.hasClass(value) || tensorBytes(value.getType()) < kLeastBytes)
      return;
    const BufferClass &buffer = plan_.classOf(value);
    auto number = instructions_.runtimeCalls.find(call);
    bool isAlone =
        buffer.storage == BufferClass::Storage::kResult && buffer.index == result &&
        llvm::all_of(valuesOfClass_.at(plan_.classIndexOf(value)), [&](Value other) { return origin(other) == value; });
    if (!isAlone || number == instructions_.runtimeCalls.end() || !givesAllTheSame(calls_[number->second]))
      return;
    std::vector<int64_t> &results = results_[number->second];
    results.resize(call->getNumResults(), -1);
    results[cast<OpResult>(value).getResultNumber()] = result;
  }

  // In the order of the calls.
  void finish() {
    for (auto [number, call] : llvm::enumerate(calls_))
      if (auto found = results_.find(int(number)); found != results_.end())
        program::addAttribute(call.attributes,
                              {std::string(program::kProgramResults),
                               {program::IntegerArrayAttribute{program::ElementType::kI64, std::move(found->second)}}});
  }

private:
  // What the value is an alias of.
  Value origin(Value value) const {
    while (Operation *op = value.getDefiningOp()) {
      if (instructions_.kindOf(op) != InstructionKind::kAlias)
        break;
      value = op->getOperand(0);
    }
    return value;
  }

  const ProgramInstructions &instructions_;
  const BufferPlan &plan_;
  std::vector<program::RuntimeCall> &calls_;
  llvm::DenseMap<int, llvm::SmallVector<Value, 2>> valuesOfClass_;
  llvm::DenseMap<int, std::vector<int64_t>> results_; // by the call's number
};

// Whether only kernels and runtime calls read the value, under whatever type.
bool isOnlyRead(Value value, const ProgramInstructions &instructions) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    switch (instructions.kindOf(user)) {
    case InstructionKind::kKernel:
    case InstructionKind::kRuntimeCall:
      return true;
    case InstructionKind::kAlias:
      return isOnlyRead(user->getResult(0), instructions);
    default:
      return false;
    }
  });
}

} // namespace

llvm::DenseMap<Value, GroupArray> findGroupArrays(func::FuncOp main, const ProgramInstructions &instructions,
                                                  const std::vector<program::RuntimeCall> &runtimeCalls,
                                                  int32_t first) {
  struct Arrays {
    SmallVector<Value> values;
    int64_t bytes = 0;
  };
  auto mayBeThere = [&](Value value) {
    return tensorBytes(value.getType()) >= kLeastBytes && isOnlyRead(value, instructions);
  };
  // A sum is made of the others' operands, which have to be there.
  auto isEarly = [&](Operation *op) {
    return op->getParentOp() == main && llvm::all_of(op->getResults(), mayBeThere) &&
           runtimeCalls[instructions.runtimeCalls.at(op)].target == "gather_group";
  };
  std::map<std::vector<std::vector<int64_t>>, Arrays> byGroups;
  main.walk([&](Operation *op) {
    auto number = instructions.runtimeCalls.find(op);
    if (number == instructions.runtimeCalls.end() || !givesAllTheSame(runtimeCalls[number->second]))
      return;
    for (Value result : llvm::make_filter_range(op->getResults(), mayBeThere)) {
      Arrays &arrays = byGroups[groupsOf(runtimeCalls[number->second])];
      arrays.values.push_back(result);
      arrays.bytes += tensorBytes(result.getType());
    }
  });
  llvm::DenseMap<Value, GroupArray> arrays;
  auto most = llvm::max_element(byGroups, [](auto &a, auto &b) { return a.second.bytes < b.second.bytes; });
  if (most != byGroups.end())
    for (Value value : most->second.values)
      arrays[value] = {first++, isEarly(value.getDefiningOp())};
  return arrays;
}

void markGroupMemory(const ProgramInstructions &instructions, const BufferPlan &plan, int32_t first,
                     std::vector<program::RuntimeCall> &runtimeCalls) {
  for (auto [op, number] : instructions.runtimeCalls) {
    if (llvm::none_of(op->getResults(), [&](Value result) { return instructions.groupArrays.contains(result); }))
      continue;
    std::vector<int64_t> places;
    for (Value result : op->getResults())
      if (auto found = instructions.groupArrays.find(result); found != instructions.groupArrays.end())
        places.insert(places.end(), {int64_t(found->second.entry - first), plan.classOf(result).offset});
      else
        places.insert(places.end(), {-1, -1});
    program::addAttribute(runtimeCalls[number].attributes,
                          {std::string(program::kGroupMemory),
                           {program::IntegerArrayAttribute{program::ElementType::kI64, std::move(places)}}});
    if (instructions.groupArrays.lookup(op->getResult(0)).isEarly)
      program::addAttribute(runtimeCalls[number].attributes, {std::string(program::kWritesEarly), {true}});
  }
}

void markSharedResults(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                       std::vector<program::RuntimeCall> &runtimeCalls) {
  Marker marker(instructions, plan, runtimeCalls);
  for (auto [i, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands()))
    marker.mark(value, int64_t(i));
  marker.finish();
}

} // namespace tenon::codegen
