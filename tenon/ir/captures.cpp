#include "tenon/ir/captures.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tenon::ir {

llvm::SetVector<mlir::Value> capturedValues(mlir::Operation *op) {
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured;
}

bool capturesValue(mlir::Operation *op) {
  return llvm::any_of(capturedValues(op),
                      [](mlir::Value value) { return !mlir::matchPattern(value, mlir::m_Constant()); });
}

} // namespace tenon::ir
