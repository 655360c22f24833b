// The longest way through the graph of calls. A pointer may point to any function of its type whose address is taken;
// whoever has a function's address, in an operand or in a table, may have it called. Compiled programs do not recurse:
// an edge back to a function on the way is one of those that this takes for possible and that no run takes.

#include "tenon/aot/stack_bound.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace tenon::aot {

StackBound::StackBound(const llvm::Module &module, const FrameSizes &frames, int vectorBits)
    : module_(module), frames_(frames), vectorBits_(vectorBits) {
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasAddressTaken())
      addressed_.push_back(&function);
}

// LLVM's size, the address to return to where the processor keeps it on the stack, and what it takes to align the frame
// for vectors and for arrays that want more than the stack has.
StatusOr<int64_t> StackBound::frameOf(const llvm::Function &function) const {
  const llvm::Triple &triple = module_.getTargetTriple();
  int64_t bytes = triple.isX86() ? module_.getDataLayout().getPointerSize() : 0;
  llvm::MaybeAlign natural = module_.getDataLayout().getStackAlignment();
  llvm::Align most(std::max(1, vectorBits_ / 8));
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (const auto *array = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      if (!array->isStaticAlloca())
        return internalError("the function '" + function.getName().str() +
                             "' takes memory of the stack in an amount that only a run knows");
      most = std::max(most, array->getAlign());
    }
  auto frame = frames_.find(&function);
  if (frame == frames_.end())
    return bytes;
  return bytes + frame->second + std::max<int64_t>(0, int64_t(most.value()) - int64_t(natural.valueOrOne().value()));
}

std::vector<const llvm::Function *> StackBound::calleesOf(const llvm::Function &function) const {
  std::vector<const llvm::Function *> callees;
  llvm::SmallPtrSet<const llvm::Value *, 16> seen;
  auto visit = [&](auto &self, const llvm::Value *value) -> void {
    if (!llvm::isa<llvm::Constant>(value) || !seen.insert(value).second)
      return;
    if (const auto *callee = llvm::dyn_cast<llvm::Function>(value)) {
      callees.push_back(callee);
      return;
    }
    for (const llvm::Value *operand : llvm::cast<llvm::Constant>(value)->operands())
      self(self, operand);
  };
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    for (const llvm::Value *operand : instruction.operands())
      visit(visit, operand);
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isIndirectCall())
      for (const llvm::Function *target : addressed_)
        if (target->getFunctionType() == call->getFunctionType() && seen.insert(target).second)
          callees.push_back(target);
  }
  return callees;
}

StatusOr<int64_t> StackBound::of(const llvm::Function &function) {
  if (function.isDeclaration())
    return 0;
  if (auto [found, isNew] = known_.try_emplace(&function, 0); !isNew)
    return found->second;
  int64_t deepest = 0;
  for (const llvm::Function *callee : calleesOf(function)) {
    TENON_ASSIGN_OR_RETURN(int64_t below, of(*callee));
    deepest = std::max(deepest, below);
  }
  TENON_ASSIGN_OR_RETURN(int64_t own, frameOf(function));
  return known_[&function] = own + deepest;
}

} // namespace tenon::aot
