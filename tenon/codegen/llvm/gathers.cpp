#include "tenon/codegen/llvm/gathers.h"

#include "tenon/codegen/llvm/math/instruction_set.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tenon::codegen {

namespace {

/// A gather of all lanes whose indices are widened numbers from memory.
struct TableLookup {
  llvm::IntrinsicInst *gather;
  llvm::GetElementPtrInst *addresses;
  llvm::CastInst *widened;
  llvm::LoadInst *indices;

  static std::optional<TableLookup> of(llvm::Instruction &instruction) {
    auto *gather = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!gather || gather->getIntrinsicID() != llvm::Intrinsic::masked_gather)
      return std::nullopt;
    auto *mask = llvm::dyn_cast<llvm::Constant>(gather->getArgOperand(1));
    auto *addresses = llvm::dyn_cast<llvm::GetElementPtrInst>(gather->getArgOperand(0));
    if (!mask || !mask->isAllOnesValue() || !addresses || addresses->getNumIndices() != 1 ||
        addresses->getPointerOperand()->getType()->isVectorTy())
      return std::nullopt;
    auto *widened = llvm::dyn_cast<llvm::CastInst>(addresses->getOperand(1));
    if (!widened || !widened->hasOneUse() || !llvm::isa<llvm::ZExtInst, llvm::SExtInst>(widened))
      return std::nullopt;
    auto *indices = llvm::dyn_cast<llvm::LoadInst>(widened->getOperand(0));
    bool isBytes = indices && indices->isSimple() && indices->getType()->getScalarSizeInBits() % 8 == 0;
    return isBytes && indices->hasOneUse() ? std::optional(TableLookup{gather, addresses, widened, indices})
                                           : std::nullopt;
  }

  void replace() const {
    auto *type = llvm::cast<llvm::FixedVectorType>(indices->getType());
    llvm::Align align = gather->getParamAlign(0).valueOrOne();
    uint64_t bytes = type->getScalarSizeInBits() / 8;
    // All that the loop writes comes behind the gather, but not behind the load of the indices' vector.
    llvm::IRBuilder<> b(indices);
    llvm::SmallVector<llvm::Value *> numbers;
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      llvm::Value *at = b.CreateConstInBoundsGEP1_64(type->getElementType(), indices->getPointerOperand(), lane);
      llvm::Value *number =
          b.CreateAlignedLoad(type->getElementType(), at, llvm::commonAlignment(indices->getAlign(), lane * bytes));
      numbers.push_back(b.CreateCast(widened->getOpcode(), number, widened->getDestTy()->getScalarType()));
    }
    b.SetInsertPoint(gather);
    llvm::Type *element = gather->getType()->getScalarType();
    llvm::Value *result = llvm::PoisonValue::get(gather->getType());
    for (auto [lane, number] : llvm::enumerate(numbers)) {
      llvm::Value *at = b.CreateGEP(addresses->getSourceElementType(), addresses->getPointerOperand(), number);
      result = b.CreateInsertElement(result, b.CreateAlignedLoad(element, at, align), lane);
    }
    gather->replaceAllUsesWith(result);
    gather->eraseFromParent();
    if (addresses->use_empty()) {
      addresses->eraseFromParent();
      widened->eraseFromParent();
      indices->eraseFromParent();
    }
  }
};

} // namespace

llvm::PreservedAnalyses ElementGathersPass::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
  if (function.isDeclaration() ||
      !math::instructionsOf(llvm::IRBuilder<>(&function.getEntryBlock())).gathersByElements())
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<TableLookup> lookups;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (std::optional<TableLookup> lookup = TableLookup::of(instruction))
      lookups.push_back(*lookup);
  for (const TableLookup &lookup : lookups)
    lookup.replace();
  return lookups.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace tenon::codegen
