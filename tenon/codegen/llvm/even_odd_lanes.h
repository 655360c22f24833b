// The order of lanes in which vectors of bf16 become floats and are rounded again.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tenon::codegen {

/// Computes with floats that are made of bf16, or become bf16, in another order of lanes: of two registers the first
/// has the elements with even indices, the second those with odd ones. To widen a register of bf16 takes a shift and a
/// mask then, and to narrow two registers of floats a shift and a blend, which in order takes four shuffles and two
/// shifts:
///   shl (zext <16 x i16> %x), 16  =>  shufflevector (shl <8 x i32> %pairs, 16), (and <8 x i32> %pairs, 0xffff0000), ..
/// All that is computed element by element in between stays as it is. Where its values meet others (floats in memory,
/// shuffles) they are brought into the other's order, and if that costs more than it saves nothing is changed.
/// Does so for chips whose instruction set says so (InstructionSet::evenOddLanes).
class EvenOddLanesPass : public llvm::PassInfoMixin<EvenOddLanesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tenon::codegen
