// Operands of products, as panels that a register tile reads.
#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

#include "mlir/IR/Value.h"

namespace tenon::passes {

// The array as [panels, order's dimensions without the last, columns]: `columns` indices of the last dimension of
// `order` lie side by side, with those of the next index of the others behind them. Zeros fill the last panel.
mlir::Value inPanels(ArrayBuilder &arrays, mlir::Value value, llvm::ArrayRef<int64_t> order, int64_t columns);

// Whether the elements of a constant have bytes of their own, and may be reordered.
bool liesInBytes(stablehlo::ConstantOp constant);

// The same of such a constant, in a fusion that is folded (ir/folded.h).
mlir::Value foldedInPanels(stablehlo::ConstantOp constant, llvm::ArrayRef<int64_t> order, int64_t columns);

} // namespace tenon::passes
