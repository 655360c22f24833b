#include "tenon/codegen/llvm/bfloat_rounding.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tenon::codegen {
namespace {

constexpr uint32_t kQuiet = 0x400000, kHighHalf = 0xffff0000;
constexpr unsigned kDeepest = 12; // operations between a rounding and the bf16 that it comes from

// What is rounded by the select, as element/convert.cpp does it; null if it does something else.
Value *roundedBy(const SelectInst &select) {
  Value *x = nullptr, *bits = nullptr;
  if (!isa<FixedVectorType>(select.getType()) ||
      !match(select.getCondition(), m_SpecificFCmp(FCmpInst::FCMP_UNO, m_Value(x), m_AnyZeroFP())) ||
      !x->getType()->getScalarType()->isFloatTy())
    return nullptr;
  if (!match(select.getTrueValue(), m_c_Or(m_Value(bits), m_SpecificInt(kQuiet))) ||
      !match(bits, m_BitCast(m_Specific(x))))
    return nullptr;
  auto odd = m_And(m_LShr(m_Specific(bits), m_SpecificInt(16)), m_SpecificInt(1));
  return match(select.getFalseValue(), m_c_Add(m_c_Add(m_Specific(bits), m_SpecificInt(0x7fff)), odd)) ? x : nullptr;
}

bool readsHighHalf(const User *user) {
  const APInt *mask = nullptr;
  return match(user, m_LShr(m_Value(), m_SpecificInt(16))) ||
         (match(user, m_And(m_Value(), m_APInt(mask))) && mask->isSubsetOf(APInt(32, kHighHalf)));
}

class FunctionRewriter {
public:
  FunctionRewriter(Function &function, LoopInfo &loops) : function_(function), loops_(loops) {}

  bool run() {
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(function_))) {
      auto *select = dyn_cast<SelectInst>(&instruction);
      Value *x = select ? roundedBy(*select) : nullptr;
      if (!x || !all_of(select->users(), readsHighHalf))
        continue;
      depth_ = loops_.getLoopDepth(select->getParent());
      scalars_.clear();
      if (!hasNoLowHalf(x, kDeepest))
        continue;
      for (Value *scalar : scalars_)
        clearLowHalf(scalar);
      select->replaceAllUsesWith(select->getFalseValue());
      dead_.push_back(select);
      changed = true;
    }
    RecursivelyDeleteTriviallyDeadInstructions(dead_);
    return changed;
  }

private:
  // Whether the low half of `v` is zero if `v` is NaN, once clearLowHalf was called for the scalars found.
  bool hasNoLowHalf(Value *v, unsigned left) {
    if (left == 0)
      return false;
    if (auto *constant = dyn_cast<Constant>(v))
      return hasNoLowHalf(*constant);
    auto areAll = [&](User::op_range operands) {
      return all_of(operands, [&](Use &operand) { return hasNoLowHalf(operand, left - 1); });
    };
    if (Value *scalar = getSplatValue(v))
      return hasNoLowHalf(scalar, left - 1) || canBeCleared(scalar);
    auto *instruction = dyn_cast<Instruction>(v);
    switch (instruction ? instruction->getOpcode() : 0) {
    case Instruction::BitCast:
      return isHighHalf(instruction->getOperand(0));
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FNeg:
      return areAll(instruction->operands());
    case Instruction::Select:
      return areAll(drop_begin(instruction->operands()));
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return true;
    case Instruction::Call:
      return keepsNaN(*cast<CallInst>(instruction)) && areAll(cast<CallInst>(instruction)->args());
    default:
      return false;
    }
  }

  static bool hasNoLowHalf(const Constant &constant) {
    auto isGood = [](const Constant *element) {
      const auto *number = dyn_cast_or_null<ConstantFP>(element);
      return number && (!number->isNaN() || number->getValueAPF().bitcastToAPInt().countr_zero() >= 16);
    };
    auto *vector = dyn_cast<FixedVectorType>(constant.getType());
    return vector ? all_of(seq(vector->getNumElements()),
                           [&](unsigned lane) { return isGood(constant.getAggregateElement(lane)); })
                  : isGood(&constant);
  }

  static bool isHighHalf(Value *bits) {
    const APInt *number = nullptr;
    if (bits->getType()->getScalarSizeInBits() != 32)
      return false;
    return (match(bits, m_Shl(m_Value(), m_APInt(number))) && number->uge(16)) ||
           (match(bits, m_And(m_Value(), m_APInt(number))) && number->countr_zero() >= 16);
  }

  // Whether a NaN that the function returns is one of its arguments, or one without anything in the low half.
  static bool keepsNaN(const CallInst &call) {
    switch (call.getIntrinsicID()) {
    case Intrinsic::fma:
    case Intrinsic::sqrt:
    case Intrinsic::fabs:
    case Intrinsic::copysign:
    case Intrinsic::maximum:
    case Intrinsic::minimum:
      return true;
    default:
      return false;
    }
  }

  // A scalar from outside of the innermost loop, where the few instructions do not count.
  bool canBeCleared(Value *scalar) {
    if (cleared_.contains(scalar))
      return true;
    auto *instruction = dyn_cast<Instruction>(scalar);
    if (!scalar->getType()->isFloatTy() || !(instruction || isa<Argument>(scalar)) ||
        (instruction ? loops_.getLoopDepth(instruction->getParent()) : 0) >= depth_ ||
        (instruction && !instruction->getInsertionPointAfterDef()))
      return false;
    scalars_.insert(scalar);
    return true;
  }

  // Where the scalar is repeated, repeats one without low half if it is NaN.
  void clearLowHalf(Value *scalar) {
    if (cleared_.contains(scalar))
      return;
    SmallVector<Use *> repetitions;
    for (Use &use : scalar->uses())
      if (auto *insert = dyn_cast<InsertElementInst>(use.getUser()); insert && use.getOperandNo() == 1)
        repetitions.push_back(&use);
    IRBuilder<> b(function_.getContext());
    if (auto *instruction = dyn_cast<Instruction>(scalar))
      b.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    else
      b.SetInsertPoint(function_.getEntryBlock().getFirstInsertionPt());
    Value *bits = b.CreateBitCast(scalar, b.getInt32Ty());
    Value *kept = b.CreateOr(b.CreateAnd(bits, b.getInt32(kHighHalf)), b.getInt32(kQuiet));
    Value *isNaN = b.CreateFCmpUNO(scalar, ConstantFP::getZero(scalar->getType()));
    Value *cleared = b.CreateSelect(isNaN, b.CreateBitCast(kept, scalar->getType()), scalar);
    for (Use *use : repetitions)
      use->set(cleared);
    cleared_.insert(scalar);
    cleared_.insert(cleared);
  }

  Function &function_;
  LoopInfo &loops_;
  unsigned depth_ = 0; // of the rounding that is looked at
  SmallSetVector<Value *, 4> scalars_;
  SmallPtrSet<Value *, 8> cleared_;
  SmallVector<WeakTrackingVH> dead_;
};

} // namespace

PreservedAnalyses BfloatRoundingPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!FunctionRewriter(function, analyses.getResult<LoopAnalysis>(function)).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace tenon::codegen
