// Gathers on chips that have no instruction for them.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tenon::codegen {

/// Loads elements one by one where their indices are numbers in memory, which need no vector then:
///   masked.gather (getelementptr %table, (zext (load <8 x i8>)))  =>  8 x load i8, zext, getelementptr, load
/// LLVM would load, widen and scale the indices as vectors, whose lanes it takes out again, each by two instructions.
/// Does so for chips whose instruction set says so (InstructionSet::gathersByElements).
class ElementGathersPass : public llvm::PassInfoMixin<ElementGathersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tenon::codegen
