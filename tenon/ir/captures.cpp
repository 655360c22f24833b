#include "tenon/ir/captures.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
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

void cloneWithConstants(mlir::Region &from, mlir::Region &to) {
  llvm::SetVector<mlir::Value> constants;
  mlir::getUsedValuesDefinedAbove(from, constants);
  mlir::IRMapping mapping;
  from.cloneInto(&to, mapping);
  auto builder = mlir::OpBuilder::atBlockBegin(&to.front());
  for (mlir::Value constant : constants)
    mlir::replaceAllUsesInRegionWith(constant, builder.clone(*constant.getDefiningOp())->getResult(0), to);
}

} // namespace tenon::ir
