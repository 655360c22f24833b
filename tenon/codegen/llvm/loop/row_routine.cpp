#include "tenon/codegen/llvm/loop/row_routine.h"

#include "tenon/codegen/llvm/routines.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/support/hash.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tenon::codegen::loop {
namespace {

bool isSumOfMultiples(mlir::AffineExpr expr) {
  return llvm::all_of(IndexSpace::linearForm(expr).terms,
                      [](const auto &term) { return llvm::isa<mlir::AffineDimExpr>(term.first); });
}

// Whether loops over a row stay loops, whatever its length.
bool hasLongRows(const RowReductionPlan &plan, const CostModel &costs) {
  if (!plan.vectorAlongRow)
    return llvm::all_of(llvm::ArrayRef(plan.dims).drop_front(plan.keptDims),
                        [](const PlanDim &dim) { return dim.extent > kUnrolledRow; });
  int64_t length = plan.extentOf(plan.dims.size() - 1);
  return llvm::all_of(plan.stages, [&](const RowStage &stage) { return length > costs.rowVectors * stage.lanes; });
}

bool dependsOnSizesOnly(const RowReductionPlan &plan, const KernelSource &source) {
  return plan.elements() > 0 && source.inputOffsets.empty() && source.outputOffsets.empty() &&
         llvm::all_of(plan.peels, [](const auto &list) { return list.empty(); }) && plan.use.conditions.empty() &&
         llvm::all_of(plan.use.accesses, [](const PlanAccess &access) {
           return !access.conditional && isSumOfMultiples(access.position);
         });
}

void describe(mlir::Operation &kernel, llvm::raw_ostream &os) {
  kernel.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    // A reshape is no code, and front ends have their constants in any order. A square is a product to some of them,
    // and to LLVM.
    if (llvm::isa<stablehlo::ConstantOp, stablehlo::ReshapeOp>(op))
      return;
    os << (llvm::isa<chlo::SquareOp>(op) ? stablehlo::MultiplyOp::getOperationName() : op->getName().getStringRef());
    for (mlir::Type type : op->getResultTypes())
      if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
        os << ' ' << tensor.getElementType();
    os << '\n';
  });
}

// The name of a routine: what the phase computes, without any sizes. The phases that rows in parts have compute what is
// before and behind the reductions.
std::string nameOf(RowPhase phase, mlir::Operation *kernel) {
  static constexpr const char *kNames[] = {"rows", "parts", "combine"};
  std::string text;
  llvm::raw_string_ostream os(text);
  auto fusion = llvm::dyn_cast<ir::FusionOp>(kernel);
  if (!fusion || phase == RowPhase::kWhole) {
    describe(*kernel, os);
  } else {
    bool isBehind = false;
    for (mlir::Operation &op : fusion.getBlock()) {
      bool isReduction = llvm::isa<stablehlo::ReduceOp>(op);
      if (isReduction || isBehind == (phase == RowPhase::kCombination))
        describe(op, os);
      isBehind |= isReduction;
    }
  }
  return std::string(kNames[size_t(phase)]) + "." + hexDigits(stableHash(text));
}

} // namespace

std::optional<TaskRoutine> rowRoutine(RowPhase part, const RowReductionPlan &plan, const KernelSource &source,
                                      const KernelPhase &phase, const KernelTarget &target) {
  bool hasLevel = target.routineKey({}) != target.key();
  if (!hasLevel || plan.groupedRows > 0 || !dependsOnSizesOnly(plan, source) || !hasLongRows(plan, target.costs()))
    return std::nullopt;
  TaskRoutine routine;
  routine.name = nameOf(part, source.op);
  routine.cost = phase.nanoseconds / double(std::max<int64_t>(phase.extent, 1)) * target.costs().instructions;
  routine.onlyIfShipped = true;
  if (routine.cost > kLongestTask || !RoutineStore::ofProcess().shipsName(routine.name))
    return std::nullopt;
  return routine;
}

} // namespace tenon::codegen::loop
