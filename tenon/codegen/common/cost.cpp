#include "tenon/codegen/common/cost.h"

#include "tenon/codegen/common/plan_region.h"
#include "tenon/ir/types.h"

#include "llvm/ADT/StringSet.h"

namespace tenon::codegen {
namespace {

bool isInRegisters(StepKind kind) {
  return kind == StepKind::kScalar || kind == StepKind::kWhile || kind == StepKind::kBranch;
}

double countScalarOps(mlir::Block &block, const ProgramSteps &steps) {
  double count = 0;
  for (mlir::Operation &op : block) {
    StepKind kind = steps.kindOf(&op);
    count += kind == StepKind::kScalar;
    if (kind == StepKind::kWhile || kind == StepKind::kBranch)
      for (mlir::Region &region : op.getRegions())
        count += countScalarOps(region.front(), steps);
  }
  return count;
}

// stablehlo and chlo name the same functions alike.
bool isTranscendental(mlir::Operation *op) {
  static const llvm::StringSet<> names = {
      "acos",   "acosh",    "asin",   "asinh",   "atan",         "atan2",       "atanh",
      "cbrt",   "cosh",     "cosine", "digamma", "erf",          "erf_inv",     "erfc",
      "lgamma", "log",      "power",  "rsqrt",   "log_plus_one", "exponential", "exponential_minus_one",
      "sine",   "logistic", "sinh",   "sqrt",    "bessel_i1e",   "polygamma",   "tan",
      "tanh",   "zeta"};
  if (op->getNumResults() != 1 || !names.contains(op->getName().stripDialect()))
    return false;
  mlir::Type element = elementTypeOf(op->getResult(0));
  return ir::isFloat(element) || ir::isComplex(element);
}

} // namespace

Cost scalarCost(mlir::func::FuncOp main, const ProgramSteps &steps) {
  Cost cost;
  cost.flops = countScalarOps(main.getBody().front(), steps);
  for (mlir::Value argument : main.getArguments())
    if (isScalarTensor(argument.getType()) &&
        llvm::any_of(argument.getUsers(), [&](mlir::Operation *user) { return isInRegisters(steps.kindOf(user)); }))
      cost.bytes += static_cast<double>(tensorBytes(argument.getType()));
  for (mlir::Value result : main.getBody().front().getTerminator()->getOperands())
    if (mlir::Operation *op = result.getDefiningOp();
        op && isScalarTensor(result.getType()) && isInRegisters(steps.kindOf(op)))
      cost.bytes += static_cast<double>(tensorBytes(result.getType()));
  return cost;
}

double countTranscendentals(mlir::func::FuncOp main) {
  double count = 0;
  main.walk([&](mlir::Operation *op) {
    if (isTranscendental(op))
      count += static_cast<double>(elementCount(shapeOf(op->getResult(0))));
  });
  return count;
}

} // namespace tenon::codegen
