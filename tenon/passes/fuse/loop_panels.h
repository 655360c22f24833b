// Right-hand sides of products in loops, packed in front of the loop.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace tenon::passes {

// The columns of the panels in which the rhs of a dot_general is to lie that runs so many times; 0: it stays as it is.
// Asked of products without batches, whose rhs has two dimensions.
using PanelColumns = std::function<int64_t(mlir::Operation *product, int64_t runs)>;

// Has products read a rhs that is a constant as panels, which take its place, where `panelColumns` wants it so of all
// of them, whether there are loops or not.
void packConstantOperands(mlir::ModuleOp module, const PanelColumns &panelColumns);

// Packs the rhs of products in while loops that does not change there, where `panelColumns` wants it so. See
// loop_panels.cpp.
void packLoopOperands(mlir::ModuleOp module, const PanelColumns &panelColumns, const CostModel &costs);

} // namespace tenon::passes
