// Custom calls that say of values where they live or how they are sharded, as JAX and XLA's importers write them.
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

/// Whether the call's target is an annotation. On one device its results are its operands.
bool isAnnotation(stablehlo::CustomCallOp call);

/// Whether the call does nothing when a program runs: it keeps values from being removed as unused (dce_sink), or says
/// in which order they are to be computed (control_dep).
bool isSink(stablehlo::CustomCallOp call);

/// The rules of an annotation: as many results as operands, each of its operand's type; calls that go between the
/// shapes of the whole and of a shard may have other sizes.
llvm::LogicalResult verifyAnnotation(stablehlo::CustomCallOp call);

} // namespace tenon::ir
