// Weights that each device has whole end a step as an array that a collective has put together, in the memory of a
// result. Nothing else is ever in that memory, so devices of one OS process need it once: each writes a part, and the
// next step reads what caches have for all of them.
#include "tenon/codegen/common/memory/shared_results.h"

#include "tenon/program/attributes.h"

#include <algorithm>

using namespace mlir;

namespace tenon::codegen {
namespace {

// Smaller ones are copied faster than shown.
constexpr int64_t kLeastBytes = 32 << 10;

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

  static bool givesAllTheSame(const program::RuntimeCall &call) {
    bool hasDimension = program::findAttribute(call.attributes, "dimension");
    return call.kind == program::RuntimeCall::Kind::kLibrary &&
           ((call.target == "gather_group" && hasDimension) || (call.target == "fold_group" && !hasDimension));
  }

  const ProgramInstructions &instructions_;
  const BufferPlan &plan_;
  std::vector<program::RuntimeCall> &calls_;
  llvm::DenseMap<int, llvm::SmallVector<Value, 2>> valuesOfClass_;
  llvm::DenseMap<int, std::vector<int64_t>> results_; // by the call's number
};

} // namespace

void markSharedResults(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                       std::vector<program::RuntimeCall> &runtimeCalls) {
  Marker marker(instructions, plan, runtimeCalls);
  for (auto [i, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands()))
    marker.mark(value, int64_t(i));
  marker.finish();
}

} // namespace tenon::codegen
