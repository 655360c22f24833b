// What fusions make that others read.
#pragma once

#include "tenon/ir/tenon.h"
#include "tenon/passes/passes.h"

namespace tenon::passes {

// Erases the ops of a fusion's body of which nothing is made.
void eraseUnused(mlir::Block &body);

// Makes the fusion one of the results that are used. There have to be some.
void keepUsedResults(ir::FusionOp fusion);

// Has fusions compute again what is simple to compute of other arrays that they read, where no other fusion than such
// ones reads it: see results.cpp.
void recomputeSimpleResults(mlir::Block &block, const FuseOptions &options);

} // namespace tenon::passes
