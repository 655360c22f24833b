// Rounding to bf16 in integers, without what NaN takes where that is known to be needless.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tenon::codegen {

/// Takes the case of NaN out of a rounding of vectors to bf16:
///   select (fcmp uno %x, 0), (or %bits, 0x400000), %rounded  =>  %rounded
/// where %rounded, of which only the high halves are read, keeps NaN by itself: what it adds to the low half does not
/// reach the high one if the low half is zero. That of a NaN is what it was in one of the operands, so it is zero for
/// what is computed from bf16. A scalar that a whole loop has in common gets such a low half before the loop.
/// For chips whose arithmetic returns a NaN among its operands, quiet, or one without payload: x86 and AArch64. That of
/// NVIDIA's has every bit set.
class BfloatRoundingPass : public llvm::PassInfoMixin<BfloatRoundingPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tenon::codegen
