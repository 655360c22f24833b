// Calls of the routines that the runtime has for the processes of a grid (runtime/collectives/collectives.h). Private
// to passes/.
#pragma once

#include "tenon/ir/permutation.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::passes {

/// A call of a routine. What takes an operand is a meeting with other processes, which is never dropped, nor moved past
/// another, and all members of which must name the same `op`. `attributes` may be null.
llvm::SmallVector<mlir::Value> callRoutine(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef target,
                                           llvm::StringRef op, mlir::ValueRange operands, mlir::TypeRange types,
                                           mlir::DictionaryAttr attributes);

/// collective_permute of several arrays, in one meeting.
llvm::SmallVector<mlir::Value> callPermute(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef op,
                                           mlir::ValueRange operands, const ir::GroupPermutation &permutation);

} // namespace tenon::passes
