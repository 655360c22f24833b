// Vectors over the last two dimensions together. Where the last one has a few elements only (the channels of an image,
// points of space, the halves of pairs), vectors along it have a few lanes only. What lies side by side in the results
// is cut into whole vectors instead: the positions of a vector's lanes in the two dimensions are constants, and come
// back after a block of as many vectors as it takes to end with a whole extent. Where the dimension before it is short,
// too (the channels of four pixels that were one), it is three dimensions. Where each index of the last dimension has a
// computation of its own, as in a concatenation along it, vectors take the rows of each and are interleaved.
#include "tenon/codegen/common/plan/joined_lanes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using mlir::AffineExpr;

namespace tenon::codegen {

// The most vectors of a block, and ops that all of them evaluate: each vector has code of its own. Columns are
// interleaved by a number of shuffles that grows faster than their own.
static constexpr int64_t kMostVectors = 8, kMostColumns = 12, kMostEvaluations = 200;

namespace {

class Joining {
public:
  Joining(const LoopPlan &plan, const JoinedLanes &joined, unsigned outer)
      : plan_(plan), joined_(joined), outer_(outer), last_(static_cast<unsigned>(plan.vectorDim)) {}

  bool isPossible() const {
    const RegionUse &use = plan_.use;
    int64_t most = joined_.byColumns ? kMostColumns : kMostVectors, times = joined_.byColumns ? 1 : joined_.vectors;
    bool isShort = joined_.vectors <= most && times * use.evaluations <= kMostEvaluations;
    return isShort && plan_.dims[outer_].extent >= 2 * joined_.rows &&
           llvm::all_of(plan_.outputs, [&](const OutputPlan &output) { return isContiguous(output); }) &&
           llvm::all_of(use.accesses,
                        [&](const PlanAccess &access) {
                          return isLinear(access.position) &&
                                 !llvm::isa<mlir::ComplexType>(elementTypeOf(access.value));
                        }) &&
           llvm::all_of(use.conditions, [&](const Condition &condition) { return isKnown(condition); });
  }

private:
  // Whether the position is a sum of multiples of the dimensions and of what does not depend on them.
  bool isLinear(AffineExpr position) const {
    for (unsigned d = outer_; d <= last_; ++d)
      if (!isLinearIn(plan_, position, d))
        return false;
    return true;
  }

  bool isContiguous(const OutputPlan &output) const {
    const IndexSpace &space = plan_.space();
    LinearForm form = IndexSpace::linearForm(output.store);
    int64_t stride = 1;
    for (unsigned d = last_ + 1; d-- > outer_;) {
      if (form.coefficient(space.dim(d)) != stride)
        return false;
      stride *= plan_.dims[d].extent;
    }
    return output.inPlaceOperand < 0;
  }

  bool isInner(AffineExpr atom) const {
    auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(atom);
    return dim && dim.getPosition() > outer_ && dim.getPosition() <= last_;
  }

  // Whether the condition is the same for all lanes of a vector, or is known of each when the plan is made: the outer
  // dimension is cut where it changes (LoopPlan::peels).
  bool isKnown(const Condition &condition) const {
    if (!isLinear(condition.expr))
      return false;
    LinearForm form = IndexSpace::linearForm(condition.expr);
    bool onOuter = condition.expr.isFunctionOfDim(outer_);
    bool onInner = llvm::any_of(form.terms, [&](const auto &term) { return isInner(term.first); });
    if (onInner)
      return llvm::all_of(form.terms, [&](const auto &term) { return isInner(term.first); });
    return !onOuter || (form.terms.size() == 1 && !plan_.peels[outer_].empty());
  }

  const LoopPlan &plan_;
  const JoinedLanes &joined_;
  unsigned outer_, last_;
};

// Whether the results are other computations for each index of the last dimension (coordinates and colours that were
// stacked), which vectors interleave.
bool isByColumns(const LoopPlan &plan) {
  auto isWhole = [](const OutputPlan &output) {
    mlir::Type type = elementTypeOf(output.value);
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 && !output.isWrittenByLoop;
  };
  return llvm::all_of(plan.outputs, isWhole) && llvm::any_of(plan.use.conditions, [&](const Condition &condition) {
           return condition.expr.isFunctionOfDim(unsigned(plan.vectorDim));
         });
}

} // namespace

// Whether vectors along the dimension of this extent alone leave much of their lanes without work.
static bool isShort(int64_t extent, unsigned lanes, bool masks) {
  return 2 * extent <= lanes || (!masks && extent % lanes != 0);
}

// Where each column is another computation, whole vectors along them, of which each lane would evaluate all, are worse
// than any number of shuffles. A loop over a few rows is unrolled for nothing. `lanes`: of vectors that rows leave much
// of; zero where they do not.
static bool mayBeByColumns(const LoopPlan &plan, unsigned lanes) {
  constexpr int64_t kLeastRows = 256;
  int64_t columns = plan.dims[plan.vectorDim].extent;
  if (columns < 2 || columns > kMostColumns || !isByColumns(plan))
    return false;
  if (columns % 2 != 0 ? lanes > 0 : llvm::isPowerOf2_64(uint64_t(columns)) && columns <= int64_t(lanes))
    return true;
  int64_t limits = llvm::count_if(plan.use.conditions, [&](const Condition &condition) {
    return condition.expr.isFunctionOfDim(unsigned(plan.vectorDim));
  });
  return limits >= columns - 1 && plan.elements() >= kLeastRows * columns;
}

std::optional<JoinedLanes> planJoinedLanes(const LoopPlan &plan, unsigned lanes, const PlanTarget &target) {
  constexpr int kMostInner = 2;
  bool isOneThread = !target.costs.hasCores(); // of hardware, whose lanes are threads
  if (plan.vectorDim < 1 || plan.transposedDim >= 0 || isOneThread || plan.elements() == 0)
    return std::nullopt;
  int64_t columns = plan.dims[plan.vectorDim].extent;
  bool isShortRow = isShort(columns, lanes, target.masks), byColumns = mayBeByColumns(plan, isShortRow ? lanes : 0);
  if (!byColumns && !isShortRow)
    return std::nullopt;
  int64_t extent = 1; // of the inner dimensions together
  for (int outer = plan.vectorDim - 1; outer >= std::max(0, plan.vectorDim - kMostInner); --outer) {
    extent *= plan.dims[outer + 1].extent;
    int64_t block = std::lcm(extent, static_cast<int64_t>(lanes));
    JoinedLanes joined{lanes, block / lanes, block / extent};
    if (outer + 1 == plan.vectorDim && byColumns)
      joined = {lanes, extent, lanes, true};
    if (Joining(plan, joined, static_cast<unsigned>(outer)).isPossible())
      return joined;
  }
  return std::nullopt;
}

unsigned outermostJoined(const LoopPlan &plan) {
  int64_t extent = plan.joined->vectors * plan.joined->lanes / plan.joined->rows;
  auto outer = static_cast<unsigned>(plan.vectorDim);
  for (int64_t inner = 1; inner < extent; --outer)
    inner *= plan.dims[outer].extent;
  return outer;
}

} // namespace tenon::codegen
