// Result shapes of CHLO's structured ops.
#pragma once

#include "tenon/ir/chlo.h"

namespace tenon::chlo {

/// Groups, where they are what is contracted; then the batching dimensions and what is left of lhs and of rhs. Of an op
/// that keeps the rules of its dimension numbers.
llvm::SmallVector<int64_t> raggedDotShape(RaggedDotOp op);

} // namespace tenon::chlo
