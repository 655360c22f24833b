// Custom calls by which programs check themselves (tenon/support/element_check.h).
#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/support/element_check.h"

namespace tenon::ir {

/// Whether the call's target is a check. What is one has an effect, whatever has_side_effect says.
bool isCheck(stablehlo::CustomCallOp call);

/// The attributes that say what a check allows: those of backend_config or mhlo.backend_config, and those of the call
/// itself.
mlir::DictionaryAttr checkAttributes(stablehlo::CustomCallOp call);

/// The check, or what is wrong with its attributes, without the target's name.
StatusOr<ElementCheck> elementCheck(stablehlo::CustomCallOp call);

/// The rules of a check: two arrays of one type, and at most a result, tensor<i1>.
llvm::LogicalResult verifyCheck(stablehlo::CustomCallOp call);

} // namespace tenon::ir
