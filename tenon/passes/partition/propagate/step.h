// One step of propagation: what the operands and results of one op say of each other.
#pragma once

#include "tenon/passes/partition/propagate/projection.h"

#include "tenon/ir/sdy.h"

#include "llvm/ADT/BitVector.h"

namespace tenon::passes::propagate {

using sdy::PropagationDirection;

/// The shardings of an op's operands and results.
struct Projection {
  llvm::SmallVector<TensorCuts, 3> operands, results;
};

/// Spreads axes along factors, each in its direction. Where factors of a tensor want the same axis, the one with the
/// larger tensor behind it gets it; see the .cpp. Marks what has changed.
void spread(Projection &projection, llvm::ArrayRef<ir::Factor> factors, llvm::ArrayRef<PropagationDirection> directions,
            bool isElementwise, llvm::BitVector &changedOperands, llvm::BitVector &changedResults);

} // namespace tenon::passes::propagate
