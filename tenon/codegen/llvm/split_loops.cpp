#include "tenon/codegen/llvm/split_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

namespace tenon::codegen {
namespace {

// Functions of more blocks are parted. Up to there the time for each block is level.
constexpr size_t kManyBlocks = 4000;

using Blocks = llvm::SmallVector<llvm::BasicBlock *>;

void collect(const llvm::Loop &loop, llvm::SmallVectorImpl<Blocks> &parts) {
  if (loop.getNumBlocks() <= kManyBlocks) {
    parts.emplace_back(loop.getBlocks());
    return;
  }
  for (const llvm::Loop *inner : loop)
    collect(*inner, parts);
}

} // namespace

void splitLoops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  if (function.size() <= kManyBlocks)
    return;
  llvm::SmallVector<Blocks> parts;
  for (const llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function))
    collect(*loop, parts);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  llvm::CodeExtractorAnalysisCache cache(function);
  for (const Blocks &blocks : parts) {
    llvm::CodeExtractor extractor(blocks, &dominators);
    if (!extractor.isEligible())
      continue;
    if (llvm::Function *part = extractor.extractCodeRegion(cache))
      part->addFnAttr(llvm::Attribute::NoInline);
  }
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
}

} // namespace tenon::codegen
