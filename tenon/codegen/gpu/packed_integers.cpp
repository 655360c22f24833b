#include "tenon/codegen/gpu/packed_integers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

bool isPacked(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  return type && type->getElementType()->isIntegerTy() && type->getScalarSizeInBits() > 1 &&
         type->getScalarSizeInBits() <= 16 &&
         (instruction.getOpcode() == Instruction::Add || instruction.getOpcode() == Instruction::Sub ||
          isa<MinMaxIntrinsic>(instruction));
}

void split(Instruction &instruction) {
  IRBuilder<> b(&instruction);
  auto *type = cast<FixedVectorType>(instruction.getType());
  Value *result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value *left = b.CreateExtractElement(instruction.getOperand(0), lane);
    Value *right = b.CreateExtractElement(instruction.getOperand(1), lane);
    auto *extreme = dyn_cast<MinMaxIntrinsic>(&instruction);
    Value *own = extreme ? b.CreateBinaryIntrinsic(extreme->getIntrinsicID(), left, right)
                         : b.CreateBinOp(Instruction::BinaryOps(instruction.getOpcode()), left, right);
    result = b.CreateInsertElement(result, own, lane);
  }
  instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
}

} // namespace

void splitPackedIntegers(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (isPacked(instruction))
        split(instruction);
}

} // namespace tenon::codegen
