// Which arrays a reduction fetches the next row of while it computes one.
#include "tenon/codegen/common/plan/loop_plan.h"

#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinTypes.h"

using mlir::AffineExpr;

namespace tenon::codegen {

void fetchNextRows(RowReductionPlan &plan, const CostModel &costs) {
  if (!plan.vectorAlongRow || plan.splitSize > 0 || plan.groupedRows > 0 || plan.keptDims == 0 ||
      plan.stages.size() < 2)
    return;
  AffineExpr along = plan.space().dim(plan.dims.size() - 1), nextRow = plan.space().dim(plan.keptDims - 1);
  int64_t rowBytes = 0;
  llvm::SmallVector<PlanAccess, 1> fetched;
  for (const PlanAccess &access : plan.use.accesses) {
    LinearForm form = IndexSpace::linearForm(access.position);
    auto type = llvm::cast<mlir::RankedTensorType>(access.value.getType());
    if (access.isOutput || access.conditional || form.coefficient(along) != 1 || form.coefficient(nextRow) == 0 ||
        ir::storedBytes(type) < costs.fetchedArrayBytes)
      continue;
    rowBytes += ir::storedBytes(type.clone({plan.reducedElements()}));
    fetched.push_back(access);
  }
  if (rowBytes >= costs.leastFetchedRow && rowBytes <= costs.mostFetchedRow)
    plan.stages[1].fetched = std::move(fetched);
}

} // namespace tenon::codegen
