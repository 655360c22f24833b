#include "tenon/frontend/import/legacy_custom_calls.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

namespace tenon::frontend {

using llvm::failure;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::success;

namespace {

// The op that a call's target stands for, or nothing.
StringRef opOfLegacyCall(StringRef target) {
  return llvm::StringSwitch<StringRef>(target)
      .Case("mhlo.acos", "chlo.acos")
      .Case("mhlo.acosh", "chlo.acosh")
      .Case("mhlo.asin", "chlo.asin")
      .Case("mhlo.asinh", "chlo.asinh")
      .Case("mhlo.atanh", "chlo.atanh")
      .Case("mhlo.cosh", "chlo.cosh")
      .Case("mhlo.erf", "chlo.erf")
      .Case("mhlo.sinh", "chlo.sinh")
      .Case("mhlo.tan", "chlo.tan")
      .Case("mhlo.topk", "chlo.top_k")
      .Default("");
}

LogicalResult decode(stablehlo::CustomCallOp call, StringRef name) {
  mlir::OperationState state(call.getLoc(), name, call->getOperands(), call->getResultTypes());
  if (name == "chlo.top_k") {
    auto attributes = call->getAttrOfType<mlir::DictionaryAttr>("mhlo.attributes");
    auto k = attributes ? attributes.getAs<mlir::IntegerAttr>("k") : mlir::IntegerAttr();
    auto largest = attributes ? attributes.getAs<mlir::BoolAttr>("largest") : mlir::BoolAttr();
    if (!k || !k.getType().isInteger(64) || (largest && !largest.getValue()))
      return call.emitError("mhlo.topk needs mhlo.attributes with k, an i64, and largest = true");
    state.addAttribute("k", k);
  }
  mlir::OpBuilder builder(call);
  call->replaceAllUsesWith(builder.create(state));
  call.erase();
  return success();
}

} // namespace

LogicalResult decodeCustomCalls(mlir::ModuleOp module) {
  auto result = module.walk([](stablehlo::CustomCallOp call) {
    auto target = call->getAttrOfType<mlir::StringAttr>("call_target_name");
    StringRef name = target ? opOfLegacyCall(target.getValue()) : "";
    return name.empty() || succeeded(decode(call, name)) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace tenon::frontend
