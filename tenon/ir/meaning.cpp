#include "tenon/ir/meaning.h"

#include "tenon/ir/infer.h"

namespace tenon::ir {

std::optional<std::string> whyWithoutMeaning(mlir::Operation *op) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (auto rng = llvm::dyn_cast<stablehlo::RngBitGeneratorOp>(op)) {
    auto state = stablehlo::tensor(rng.getInitialState());
    if (stablehlo::isGeneratorState(state))
      return std::nullopt;
    stream << "initial_state must be a 1-dimensional tensor of ui64, got " << state;
    return reason;
  }
  if (auto gather = llvm::dyn_cast<stablehlo::AllGatherOp>(op)) {
    std::optional<int64_t> count = stablehlo::missingGroupSize(gather);
    if (!count)
      return std::nullopt;
    stream << "the result must be " << *count << " times as large as the operand, as the groups have " << *count
           << " processes, got " << op->getOperandTypes() << " and " << op->getResultTypes();
    return reason;
  }
  return std::nullopt;
}

} // namespace tenon::ir
