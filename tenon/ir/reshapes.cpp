#include "tenon/ir/reshapes.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

mlir::Value throughReshapes(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

} // namespace tenon::ir
