// Which reductions advance the rows of a task together.
#include "tenon/codegen/common/plan/loop_plan.h"

#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

namespace tenon::codegen {

constexpr int64_t kStreamStep = 8;
// Smaller arrays stay in a core's caches, which do not mind in which order they are read.
constexpr int64_t kLeastBytes = 1 << 20;

// The array's rows follow one another, and a block of vectors takes a part of each.
static bool isReadInParts(const RowReductionPlan &plan, const PlanAccess &access) {
  LinearForm form = IndexSpace::linearForm(access.position);
  int64_t across = form.coefficient(plan.space().dim(plan.keptDims - 1));
  int64_t along = form.coefficient(plan.space().dim(plan.dims.size() - 1));
  return !access.isOutput && across == 1 && std::abs(along) >= 2 * int64_t(plan.lanes) &&
         ir::storedBytes(llvm::cast<mlir::RankedTensorType>(access.value.getType())) >= kLeastBytes;
}

// At most the outermost reduced dimension is summed in blocks, so few that their sums need no memory.
static bool hasFewBlocks(const RowReductionPlan &plan, const RowStage &stage) {
  constexpr int64_t kMostBlocks = 64;
  return llvm::all_of(llvm::enumerate(stage.blocks), [&](auto each) {
    auto [d, block] = each;
    return block == 0 || (d == 0 && plan.dims[plan.keptDims].extent <= kMostBlocks * block);
  });
}

// What a task has of the innermost kept dimension: all of it where the dimensions outside of it are work enough.
static int64_t rowsOfTask(const RowReductionPlan &plan) {
  constexpr int64_t kEnoughTasks = 8;
  int64_t rows = plan.dims[plan.keptDims - 1].extent;
  bool isCut = plan.taskDim + 1 == plan.keptDims && plan.keptElements() / rows < kEnoughTasks;
  return isCut ? std::min(rows, plan.taskChunk) : rows;
}

void streamRows(RowReductionPlan &plan, const CostModel &costs) {
  if (!costs.hasCores() || plan.vectorAlongRow || plan.splitSize > 0 || plan.keptDims == 0 || plan.elements() == 0 ||
      plan.lanes == 1 || !plan.mayWiden || plan.stages.size() != 1 ||
      llvm::any_of(plan.peels, [](const auto &peels) { return !peels.empty(); }))
    return;
  const RowStage &stage = plan.stages.front();
  int64_t rows = rowsOfTask(plan);
  if (stage.reduces.empty() || !stage.outputs.empty() || !stage.saved.empty() || !stage.loaded.empty() ||
      stage.nanoseconds >= costs.lightLoop || rows < 2 * int64_t(plan.lanes) ||
      plan.dims.back().extent < 2 * kStreamStep || !hasFewBlocks(plan, stage) ||
      llvm::none_of(plan.use.accesses, [&](const PlanAccess &access) { return isReadInParts(plan, access); }))
    return;
  plan.streamStep = kStreamStep;
  if (plan.keptDims > 1 && plan.taskDim + 1 == plan.keptDims && rows == plan.dims[plan.keptDims - 1].extent) {
    plan.taskDim = plan.keptDims - 2;
    plan.taskChunk = 1;
    plan.tasks = plan.keptElements() / rows;
  }
}

} // namespace tenon::codegen
