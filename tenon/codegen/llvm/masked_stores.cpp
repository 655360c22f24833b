#include "tenon/codegen/llvm/masked_stores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace tenon::codegen {

/// The lane that alone is written; none if the mask is not known or has another number of them.
static std::optional<unsigned> singleLane(const llvm::Value *mask) {
  const auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> single;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant *element = constant->getAggregateElement(lane);
    if (!element || (!element->isNullValue() && (single || !element->isOneValue())))
      return std::nullopt;
    if (!element->isNullValue())
      single = lane;
  }
  return single;
}

llvm::PreservedAnalyses SingleLaneStoresPass::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
      continue;
    std::optional<unsigned> lane = singleLane(store->getArgOperand(2));
    if (!lane)
      continue;
    llvm::IRBuilder<> b(store);
    llvm::Value *element = b.CreateExtractElement(store->getArgOperand(0), *lane);
    llvm::Value *address = b.CreateConstInBoundsGEP1_64(element->getType(), store->getArgOperand(1), *lane);
    uint64_t offset = *lane * (element->getType()->getPrimitiveSizeInBits().getFixedValue() / 8);
    llvm::Align align = store->getParamAlign(1).valueOrOne();
    b.CreateAlignedStore(element, address, llvm::commonAlignment(align, offset));
    store->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace tenon::codegen
