#include "tenon/codegen/llvm/even_odd_lanes.h"

#include "tenon/codegen/llvm/math/instruction_set.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
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

// Instructions for two registers of floats, on a chip with AVX2.
constexpr int kSaved = 2;     // widening or narrowing them
constexpr int kReordered = 4; // bringing them into the other order

FixedVectorType *vectorOf(const Value *v) { return dyn_cast<FixedVectorType>(v->getType()); }

// Whether values of the type have the same lanes as floats.
bool isLanes(Type *type, unsigned lanes) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getNumElements() == lanes &&
         (vector->getElementType()->isFloatTy() || vector->getElementType()->isIntegerTy(32) ||
          vector->getElementType()->isIntegerTy(1));
}

// The bf16 that the instruction makes floats of, as integers; null if it does something else.
Value *widened(const Instruction &instruction) {
  Value *narrow = nullptr;
  bool widens = match(&instruction, m_Shl(m_ZExt(m_Value(narrow)), m_SpecificInt(16)));
  return widens && vectorOf(narrow) && vectorOf(narrow)->getElementType()->isIntegerTy(16) &&
                 vectorOf(&instruction)->getElementType()->isIntegerTy(32)
             ? narrow
             : nullptr;
}

// The integers whose high halves the instruction takes; null if it does something else.
Value *narrowed(const Instruction &instruction) {
  Value *wide = nullptr;
  bool narrows = match(&instruction, m_Trunc(m_LShr(m_Value(wide), m_SpecificInt(16))));
  return narrows && vectorOf(wide) && vectorOf(wide)->getElementType()->isIntegerTy(32) &&
                 vectorOf(&instruction)->getElementType()->isIntegerTy(16)
             ? wide
             : nullptr;
}

// Whether each lane of the result is computed from the same lane of the operands, whatever their order.
bool isElementwise(const Instruction &instruction, unsigned lanes) {
  if (!isLanes(instruction.getType(), lanes))
    return false;
  if (const auto *call = dyn_cast<CallInst>(&instruction)) {
    bool isScalar = any_of(call->args(), [&](const Use &arg) { return !isLanes(arg->getType(), lanes); });
    return !isScalar && isTriviallyVectorizable(call->getIntrinsicID());
  }
  if (const auto *select = dyn_cast<SelectInst>(&instruction))
    return isLanes(select->getCondition()->getType(), lanes);
  bool isKnown = isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, PHINode, FreezeInst>(instruction);
  return isKnown && all_of(instruction.operand_values(), [&](const Value *v) { return isLanes(v->getType(), lanes); });
}

// Where an instruction that computes an operand for `use`, and nothing else, is executed.
Instruction *placeBefore(Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use)->getTerminator() : user;
}

// Values that are computed from each other element by element.
struct Web {
  SmallSetVector<Instruction *, 32> members; // with what widens, without what narrows
  SmallSetVector<Instruction *, 8> narrowing;
  SmallVector<Use *> enters; // operands of members that are no members
  SmallVector<Use *> leaves; // members as operands of others
};

class FunctionRewriter {
public:
  FunctionRewriter(Function &function, LoopInfo &loops, unsigned registerLanes)
      : function_(function), loops_(loops), registerLanes_(registerLanes) {}

  bool run() {
    SmallVector<Instruction *> starts;
    for (Instruction &instruction : instructions(function_))
      if (widened(instruction))
        starts.push_back(&instruction);
      else if (Value *wide = narrowed(instruction))
        if (auto *computed = dyn_cast<Instruction>(wide))
          starts.push_back(computed);
    bool changed = false;
    for (Instruction *start : starts)
      if (vectorOf(start)->getNumElements() % (2 * registerLanes_) == 0 && !seen_.contains(start)) {
        Web web = collect(*start);
        if (!isWorthIt(web))
          continue;
        rewrite(web);
        changed = true;
      }
    RecursivelyDeleteTriviallyDeadInstructions(dead_);
    return changed;
  }

private:
  Web collect(Instruction &start) {
    Web web;
    unsigned lanes = vectorOf(&start)->getNumElements();
    auto isMember = [&](Value *v) {
      auto *instruction = dyn_cast<Instruction>(v);
      return instruction && (widened(*instruction) || isElementwise(*instruction, lanes));
    };
    if (!isMember(&start))
      return web;
    web.members.insert(&start);
    for (size_t i = 0; i < web.members.size(); ++i) {
      Instruction *member = web.members[i];
      seen_.insert(member);
      for (Use &use : member->uses()) {
        auto *user = cast<Instruction>(use.getUser());
        if (isMember(user))
          web.members.insert(user);
        else if (narrowed(*user))
          web.narrowing.insert(user);
        else
          web.leaves.push_back(&use);
      }
      if (widened(*member))
        continue;
      for (Use &operand : member->operands())
        if (isMember(operand))
          web.members.insert(cast<Instruction>(operand));
        else if (vectorOf(operand) && !isSplatValue(operand)) // a call's callee is an operand
          web.enters.push_back(&operand);
    }
    return web;
  }

  int depth(const Instruction &instruction) const { return int(loops_.getLoopDepth(instruction.getParent())); }

  // What is in the innermost loop counts.
  bool isWorthIt(const Web &web) const {
    SmallVector<Instruction *> converting(web.narrowing.begin(), web.narrowing.end());
    copy_if(web.members, std::back_inserter(converting), [](Instruction *member) { return widened(*member); });
    int innermost = 0, saved = 0;
    for (Instruction *instruction : converting)
      innermost = std::max(innermost, depth(*instruction));
    for (Instruction *instruction : converting)
      saved += depth(*instruction) == innermost ? kSaved : 0;
    SmallPtrSet<Value *, 8> reordered;
    for (Use *use : web.enters) {
      auto *value = dyn_cast<Instruction>(use->get());
      if (isa<Constant>(use->get()))
        continue;
      if (isMask(use->get()) || (value && !value->getInsertionPointAfterDef()))
        return false;
      if ((value ? depth(*value) : 0) >= innermost && reordered.insert(use->get()).second)
        saved -= kReordered;
    }
    for (Use *use : web.leaves) {
      if (isMask(use->get()))
        return false;
      if (depth(*placeBefore(*use)) >= innermost && reordered.insert(use->get()).second)
        saved -= kReordered;
    }
    return saved > 0;
  }

  // Masks are bits somewhere else, or lanes of other widths.
  static bool isMask(const Value *v) { return v->getType()->getScalarType()->isIntegerTy(1); }

  void rewrite(const Web &web) {
    enter(web);
    for (Use *use : web.leaves) {
      IRBuilder<> b(placeBefore(*use));
      use->set(b.CreateShuffleVector(use->get(), lanesInOrder(vectorOf(use->get())->getNumElements())));
    }
    for (Instruction *member : web.members)
      if (Value *narrow = widened(*member)) {
        IRBuilder<> b(member);
        Value *wide = widen(b, narrow);
        member->replaceAllUsesWith(wide);
        dead_.push_back(member);
      }
    for (Instruction *instruction : web.narrowing) {
      IRBuilder<> b(instruction);
      instruction->replaceAllUsesWith(narrow(b, narrowed(*instruction)));
      dead_.push_back(instruction);
    }
  }

  void enter(const Web &web) {
    DenseMap<Value *, Value *> reordered;
    for (Use *use : web.enters) {
      Value *&value = reordered[use->get()];
      if (!value) {
        IRBuilder<> b(function_.getContext());
        auto *instruction = dyn_cast<Instruction>(use->get());
        b.SetInsertPoint(instruction ? *instruction->getInsertionPointAfterDef()
                                     : function_.getEntryBlock().getFirstInsertionPt());
        value = b.CreateShuffleVector(use->get(), lanesByParity(vectorOf(use->get())->getNumElements()));
      }
      use->set(value);
    }
  }

  // The masks of shuffles to the order by parity (of each two registers, the even lanes and then the odd ones), and
  // back.
  SmallVector<int> lanesByParity(unsigned lanes) const {
    SmallVector<int> mask(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
      mask[place(lane)] = int(lane);
    return mask;
  }
  SmallVector<int> lanesInOrder(unsigned lanes) const {
    SmallVector<int> mask(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
      mask[lane] = int(place(lane));
    return mask;
  }
  unsigned place(unsigned lane) const {
    unsigned pair = lane / (2 * registerLanes_), within = lane % (2 * registerLanes_);
    return pair * 2 * registerLanes_ + within % 2 * registerLanes_ + within / 2;
  }

  Value *widen(IRBuilderBase &b, Value *narrow) const {
    unsigned lanes = vectorOf(narrow)->getNumElements();
    auto *pairType = FixedVectorType::get(b.getInt32Ty(), lanes / 2);
    Value *pairs = b.CreateBitCast(narrow, pairType);
    Value *even = b.CreateShl(pairs, 16);
    Value *odd = b.CreateAnd(pairs, ConstantInt::get(pairType, 0xffff0000));
    SmallVector<int> mask(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
      mask[place(lane)] = int(lane / 2 + lane % 2 * lanes / 2);
    return b.CreateShuffleVector(even, odd, mask);
  }

  Value *narrow(IRBuilderBase &b, Value *wide) const {
    unsigned lanes = vectorOf(wide)->getNumElements();
    SmallVector<int> evens, odds, mask;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      (lane % 2 ? odds : evens).push_back(int(place(lane)));
      mask.push_back(int(lane % 2 ? lanes + lane : lane));
    }
    auto *type = FixedVectorType::get(b.getInt16Ty(), lanes);
    Value *even = b.CreateBitCast(b.CreateLShr(b.CreateShuffleVector(wide, evens), 16), type);
    Value *odd = b.CreateBitCast(b.CreateShuffleVector(wide, odds), type);
    return b.CreateShuffleVector(even, odd, mask);
  }

  Function &function_;
  LoopInfo &loops_;
  unsigned registerLanes_;
  SmallPtrSet<Instruction *, 32> seen_;
  SmallVector<WeakTrackingVH> dead_;
};

} // namespace

PreservedAnalyses EvenOddLanesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  unsigned lanes = math::instructionsOf(IRBuilder<>(&function.getEntryBlock())).evenOddLanes();
  if (lanes == 0 || !FunctionRewriter(function, analyses.getResult<LoopAnalysis>(function), lanes).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace tenon::codegen
