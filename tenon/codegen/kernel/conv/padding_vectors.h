// The padded input of a convolution in as many tasks as there are vectors of it: for targets with small tasks.
#pragma once

#include "tenon/codegen/kernel/conv/lowering.h"

namespace tenon::codegen::matmul {

// How many tasks there are.
int64_t paddingVectors(const PaddingPlan &plan, const MatmulTarget &target);
void emitPaddingVectors(const PaddingPlan &plan, llvm::Module &module, llvm::StringRef symbol,
                        const MatmulTarget &target, int lhsBuffer, int tempBuffer);

} // namespace tenon::codegen::matmul
