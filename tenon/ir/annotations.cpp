#include "tenon/ir/annotations.h"

#include "tenon/ir/types.h"

namespace tenon::ir {

bool isAnnotation(stablehlo::CustomCallOp call) {
  static constexpr llvm::StringLiteral names[] = {"Sharding",
                                                  "SPMDFullToShardShape",
                                                  "SPMDShardToFullShape",
                                                  "annotate_device_placement",
                                                  "LayoutConstraint",
                                                  "MoveToHost",
                                                  "MoveToDevice",
                                                  "Pin",
                                                  "Unpin"};
  llvm::StringRef name = call.getCallTargetName();
  return llvm::is_contained(names, name) || name.starts_with("xla.sdy.");
}

bool isSink(stablehlo::CustomCallOp call) {
  llvm::StringRef name = call.getCallTargetName();
  return call->getNumResults() == 0 && (name == "dce_sink" || name == "control_dep");
}

llvm::LogicalResult verifyAnnotation(stablehlo::CustomCallOp call) {
  llvm::StringRef name = call.getCallTargetName();
  mlir::TypeRange from = call->getOperandTypes(), to = call->getResultTypes();
  // Those of other importers may also group values or convert them to buffers.
  bool isKnown = !name.starts_with("xla.sdy.") && name != "Pin" && name != "Unpin" && !name.ends_with("Shape");
  // Elements of another scale are other values.
  auto haveEqualElements = [](auto pair) {
    return mlir::getElementTypeOrSelf(std::get<0>(pair)) == mlir::getElementTypeOrSelf(std::get<1>(pair));
  };
  if (!isKnown || (from.size() == to.size() && areCompatibleTensors(from, to) &&
                   llvm::all_of(llvm::zip_equal(from, to), haveEqualElements)))
    return llvm::success();
  return call.emitOpError() << name << ": the results must be of the operands' types, got " << from << " and " << to;
}

} // namespace tenon::ir
