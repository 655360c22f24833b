#include "tenon/codegen/llvm/split_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

namespace tenon::codegen {
namespace {

// Functions of more blocks are parted. Up to there the time for each block is level.
constexpr size_t kManyBlocks = 4000;

void collect(llvm::Loop &loop, llvm::SmallVectorImpl<llvm::Loop *> &parts) {
  if (loop.getNumBlocks() <= kManyBlocks) {
    parts.push_back(&loop);
    return;
  }
  for (llvm::Loop *inner : loop)
    collect(*inner, parts);
}

// Gives the loop copies of its own of the values that it takes from before it. The extractor goes through all uses of
// such a value in the function, and all loops take some of the same: the arguments, the arena, sizes.
void copyInputs(llvm::Loop &loop) {
  llvm::BasicBlock *before = loop.getLoopPreheader();
  if (!before)
    return;
  llvm::DenseMap<llvm::Value *, llvm::Value *> copies;
  auto isInput = [&](llvm::Value *value) {
    if (!value->getType()->isSingleValueType()) // structures have no casts
      return false;
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction ? !llvm::isa<llvm::AllocaInst>(instruction) && !loop.contains(instruction)
                       : llvm::isa<llvm::Argument>(value);
  };
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &instruction : *block)
      for (llvm::Use &use : instruction.operands()) {
        if (!isInput(use.get()))
          continue;
        llvm::Value *&copy = copies[use.get()];
        if (!copy)
          copy = new llvm::BitCastInst(use.get(), use->getType(), "", before->getTerminator()->getIterator());
        use.set(copy);
      }
}

} // namespace

void splitLoops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  if (function.size() <= kManyBlocks)
    return;
  llvm::SmallVector<llvm::Loop *> parts;
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function))
    collect(*loop, parts);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  for (llvm::Loop *loop : parts)
    copyInputs(*loop);
  llvm::CodeExtractorAnalysisCache cache(function);
  for (llvm::Loop *loop : parts) {
    llvm::CodeExtractor extractor(loop->getBlocks(), &dominators);
    if (!extractor.isEligible())
      continue;
    if (llvm::Function *part = extractor.extractCodeRegion(cache))
      part->addFnAttr(llvm::Attribute::NoInline);
  }
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
}

} // namespace tenon::codegen
