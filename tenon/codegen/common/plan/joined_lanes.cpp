// Vectors over the last two dimensions together. Where the last one has a few elements only (the channels of an image,
// points of space, the halves of pairs), vectors along it have a few lanes only. What lies side by side in the results
// is cut into whole vectors instead: the positions of a vector's lanes in the two dimensions are constants, and come
// back after a block of as many vectors as it takes to end with a whole extent.
#include "tenon/codegen/common/plan/joined_lanes.h"

#include "mlir/IR/BuiltinTypes.h"

#include <numeric>

using mlir::AffineExpr;

namespace tenon::codegen {

// The most vectors of a block, and ops that all of them evaluate: each vector has code of its own.
static constexpr int64_t kMostVectors = 8, kMostEvaluations = 200;

// Whether the position is a sum of multiples of the two dimensions and of what does not depend on them.
static bool isLinear(const LoopPlan &plan, AffineExpr position) {
  auto dim = static_cast<unsigned>(plan.vectorDim);
  return isLinearIn(plan, position, dim) && isLinearIn(plan, position, dim - 1);
}

static bool isContiguous(const LoopPlan &plan, const OutputPlan &output) {
  const IndexSpace &space = plan.space();
  LinearForm form = IndexSpace::linearForm(output.store);
  return output.inPlaceOperand < 0 && form.coefficient(space.dim(plan.vectorDim)) == 1 &&
         form.coefficient(space.dim(plan.vectorDim - 1)) == plan.dims[plan.vectorDim].extent;
}

// Whether the condition is the same for all lanes of a vector, or is known of each when the plan is made: the outer
// dimension is cut where it changes (LoopPlan::peels).
static bool isKnown(const LoopPlan &plan, const Condition &condition) {
  auto inner = static_cast<unsigned>(plan.vectorDim);
  bool onInner = condition.expr.isFunctionOfDim(inner), onOuter = condition.expr.isFunctionOfDim(inner - 1);
  if (!isLinear(plan, condition.expr) || (onInner && onOuter))
    return false;
  size_t terms = IndexSpace::linearForm(condition.expr).terms.size();
  return (onInner && terms == 1) || (onOuter && terms == 1 && !plan.peels[inner - 1].empty()) || (!onInner && !onOuter);
}

static bool canJoin(const LoopPlan &plan, const JoinedLanes &joined) {
  const RegionUse &use = plan.use;
  bool isShort = joined.vectors <= kMostVectors && joined.vectors * use.evaluations <= kMostEvaluations;
  return isShort && plan.dims[plan.vectorDim - 1].extent >= 2 * joined.rows &&
         llvm::all_of(plan.outputs, [&](const OutputPlan &output) { return isContiguous(plan, output); }) &&
         llvm::all_of(use.accesses,
                      [&](const PlanAccess &access) {
                        return isLinear(plan, access.position) &&
                               !llvm::isa<mlir::ComplexType>(elementTypeOf(access.value));
                      }) &&
         llvm::all_of(use.conditions, [&](const Condition &condition) { return isKnown(plan, condition); });
}

std::optional<JoinedLanes> planJoinedLanes(const LoopPlan &plan, unsigned lanes, const PlanTarget &target) {
  bool isOneThread = target.costs.task < target.costs.shortTask; // of hardware, whose lanes are threads
  if (plan.vectorDim < 1 || plan.transposedDim >= 0 || isOneThread || plan.elements() == 0)
    return std::nullopt;
  int64_t extent = plan.dims[plan.vectorDim].extent, block = std::lcm(extent, static_cast<int64_t>(lanes));
  if (2 * extent > lanes)
    return std::nullopt;
  JoinedLanes joined{lanes, block / lanes, block / extent};
  return canJoin(plan, joined) ? std::optional(joined) : std::nullopt;
}

} // namespace tenon::codegen
