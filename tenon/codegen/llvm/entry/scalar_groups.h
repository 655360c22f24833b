// Which scalar ops of a block the entry function computes together, as the lanes of a vector.
//
// A loop over a few numbers computes the sines and exponentials of several of them in each iteration, each of which
// takes some fifty instructions. Those of one kind whose operands are there at the same time are computed in one
// vector, with the same bits: the functions of a lane do not depend on the others. The right-hand side of a double
// pendulum has six sines and cosines, which become one.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon::codegen::entry {

using ScalarGroup = llvm::SmallVector<mlir::Operation *, 1>;

// `ops`, which follow each other in a block and compute scalars, in an order in which each comes after those that its
// operands need. Groups of several have one name and type, but for
// cosines, which stand with sines. In program order, each by itself, where there are none.
llvm::SmallVector<ScalarGroup> groupScalars(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace tenon::codegen::entry
