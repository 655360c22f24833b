// The order of dimensions of images between convolutions.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

// Has convolutions with constant kernels give images whose features lie side by side, whatever the program says, and
// what is computed of these keep that order, in every function where that saves more than transposes of what others
// read take. `lanes`: elements of f32 of a vector of the target. See features_last.cpp.
void placeFeaturesLast(mlir::ModuleOp module, int64_t lanes, const CostModel &costs);

} // namespace tenon::passes
