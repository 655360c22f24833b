// The attributes that VHLO spreads over several fields; the other way around from import/vhlo_groups.h.
#pragma once

#include "mlir/IR/Operation.h"

namespace tenon::frontend {

// The attributes of `op` with the structured ones replaced by their fields. Values are StableHLO's.
mlir::NamedAttrList spreadGroups(mlir::Operation *op);

} // namespace tenon::frontend
