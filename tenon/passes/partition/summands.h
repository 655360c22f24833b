// Which ops compute summands of their result of summands of their operands, so that a sum over devices can wait: until
// others have been added to it, or a loop is over. Private to partition/.
//
//   while (s = 0) { g = dot x, y over a cut dimension;  s = add s, g }
//     =>  the loop adds up each device's summands, and one all_reduce follows it
//
// The same holds for maxima and minima, of which devices have a part's.
#pragma once

#include "tenon/ir/sdy.h"

#include "mlir/IR/Operation.h"

namespace tenon::stablehlo {
class WhileOp;
}

namespace tenon::passes::partition {

/// The operands that must be summands along the same axes for the result to be summands along these. Empty: of an op of
/// which finished arrays are needed. What multiplies them, or counts places, is no summand.
llvm::SmallVector<mlir::OpOperand *, 2> summandOperands(mlir::Operation *op, sdy::ReductionOp reduction);

/// Whether the loop only adds to the array that it carries, or writes into it, so that nobody in the loop needs what it
/// is at any time; or only takes maxima, or minima, with others. The op that takes it first must then be given its
/// summands.
bool isAccumulated(stablehlo::WhileOp loop, unsigned carried);

/// Whether all elements are 0: then they are the same summands on all devices.
bool isZero(mlir::Value value);

} // namespace tenon::passes::partition
