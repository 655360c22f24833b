// Masked stores that LLVM's code generator gets wrong.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tenon::codegen {

/// Makes a masked store of which one lane is known to be written a store of that element. LLVM 22 stores the element as
/// it was before a truncation that the store takes over, so over the neighbours' memory as well:
///   masked.store (trunc <8 x i64> to <8 x i16>), <true, false, ..>  =>  store i64
class SingleLaneStoresPass : public llvm::PassInfoMixin<SingleLaneStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tenon::codegen
