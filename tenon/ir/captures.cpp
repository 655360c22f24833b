#include "tenon/ir/captures.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tenon::ir {

bool capturesValue(mlir::Operation *op) {
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::any_of(captured, [](mlir::Value value) { return !mlir::matchPattern(value, mlir::m_Constant()); });
}

} // namespace tenon::ir
