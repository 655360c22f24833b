#include "tenon/aot/target_preparation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tenon::aot {
namespace {

// LLVM passes the length of a copy on to memcpy and the like as it is, however wide size_t is.
void narrowLength(llvm::MemIntrinsic &call) {
  llvm::Type *size = call.getDataLayout().getIntPtrType(call.getContext());
  if (call.getLength()->getType() == size)
    return;
  llvm::IRBuilder<> builder(&call);
  llvm::Value *length = builder.CreateTrunc(call.getLength(), size);
  if (auto *set = llvm::dyn_cast<llvm::MemSetInst>(&call))
    builder.CreateMemSet(set->getDest(), set->getValue(), length, set->getDestAlign());
  else if (auto *move = llvm::dyn_cast<llvm::MemMoveInst>(&call))
    builder.CreateMemMove(move->getDest(), move->getDestAlign(), move->getSource(), move->getSourceAlign(), length);
  else if (auto *copy = llvm::dyn_cast<llvm::MemCpyInst>(&call))
    builder.CreateMemCpy(copy->getDest(), copy->getDestAlign(), copy->getSource(), copy->getSourceAlign(), length);
  call.eraseFromParent();
}

// The greater of two numbers, or the lesser, where NaN wins and +0 is above -0. Equal numbers differ in nothing but the
// sign of zeros: their bits are joined. LLVM calls fmaximum of C23 on ARM without floats, and has no code for doubles
// on ARM with them.
void expandMaximum(llvm::IntrinsicInst &call) {
  llvm::IRBuilder<> builder(&call);
  bool isMaximum = call.getIntrinsicID() == llvm::Intrinsic::maximum;
  llvm::Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  llvm::Type *type = a->getType(), *bits = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
  llvm::Value *first = builder.CreateBitCast(a, bits), *second = builder.CreateBitCast(b, bits);
  llvm::Value *equal = isMaximum ? builder.CreateAnd(first, second) : builder.CreateOr(first, second);
  llvm::Value *further = isMaximum ? builder.CreateFCmpOGT(a, b) : builder.CreateFCmpOLT(a, b);
  llvm::Value *result = builder.CreateSelect(further, a, b);
  result = builder.CreateSelect(builder.CreateFCmpOEQ(a, b), builder.CreateBitCast(equal, type), result);
  result = builder.CreateSelect(builder.CreateFCmpUNO(a, b), builder.CreateFAdd(a, b), result);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

} // namespace

void prepareForTarget(llvm::Module &module) {
  const llvm::Triple &triple = module.getTargetTriple();
  bool isNarrow = module.getDataLayout().getPointerSize() < 8, isArm = triple.isARM() || triple.isThumb();
  if (!isNarrow)
    return;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call)
        continue;
      if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(call))
        narrowLength(*memory);
      else if (isArm &&
               llvm::is_contained({llvm::Intrinsic::maximum, llvm::Intrinsic::minimum}, call->getIntrinsicID()))
        expandMaximum(*call);
    }
}

} // namespace tenon::aot
