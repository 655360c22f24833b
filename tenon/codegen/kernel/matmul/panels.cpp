// A rhs that is packed once for many products: whether that pays, and how.
#include "tenon/codegen/kernel/matmul/problem.h"
#include "tenon/support/rounding.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

using Kind = MatmulPlan::Kind;

// The spec with a rhs in panels of so many columns, with zeros behind the last ones.
ContractionSpec inPanels(const ContractionSpec &spec, int64_t width) {
  ContractionSpec result = spec;
  int64_t k = spec.k.front().size, outStride = spec.n.front().outStride;
  int64_t count = roundUp(spec.n.front().size, width) / width;
  result.n = {{count, 0, k * width, width * outStride}, {width, 0, 1, outStride}};
  result.k.front().rhsStride = width;
  for (ContractionDim &dim : result.m)
    dim.outStride = dim.outStride / spec.n.front().size * count * width;
  return result;
}

// How many runs make up for packing, which takes 0.2 ns an element. A run that packs takes half of that, and the more
// of it, the fewer rows the product has; one with AVX2 that reads rows in few of the cache's sets, or from one stream
// to the next, a hundredth for each row of the lhs; one that reads panels of two lines in place a 400th. With AVX-512
// streams take half as long, and panels of three lines in place no longer than packed ones.
int64_t leastRuns(const Problem &p, const MatmulPlan &plan) {
  constexpr int64_t kLeast = 4, kOfFarRows = 32, kOfWideStreams = 64, kOfNearRows = 128, kFarBytes = 4096;
  bool isWide = p.target.vectorBits == 512;
  if (plan.packRhs)
    return kLeast;
  if (plan.kind == Kind::kStream)
    return std::max((isWide ? kOfWideStreams : kOfFarRows) / p.m, kLeast);
  if (isWide)
    return INT64_MAX;
  bool isFar = p.innerK().rhsStride * p.arithmetic.unitBytes >= kFarBytes;
  return std::max((isFar ? kOfFarRows : kOfNearRows) / p.m, kLeast);
}

} // namespace

// Two vectors of columns with AVX2 take a twelfth longer to multiply than three, so zeros may be beside the last ones.
// Where columns lie along the sums, these would have packing take six times as long. 0: there is no width.
int64_t panelWidth(const Problem &p, bool mayPad) {
  bool isWide = p.target.vectorBits == 512;
  int64_t lanes = p.target.vectorBits / 8 / p.arithmetic.unitBytes, best = 0;
  double leastCost = 0;
  for (int64_t vectors = isWide ? 4 : 3; vectors > 1; --vectors) {
    double cost = double(roundUp(p.n, vectors * lanes)) * (vectors == 2 && !isWide ? 13.0 / 12 : 1);
    if ((!mayPad && p.n % (vectors * lanes) != 0) || (best != 0 && cost >= leastCost))
      continue;
    best = vectors * lanes;
    leastCost = cost;
  }
  return best;
}

bool sumAlike(const MatmulPlan &plan, const MatmulPlan &inPanels) {
  bool isWhole = plan.kSize <= inPanels.kc;
  if (plan.kind == Kind::kStream)
    return isWhole;
  return plan.kind == Kind::kTiled && plan.compute == inPanels.compute &&
         (plan.kc == inPanels.kc || (isWhole && plan.kSize <= plan.kc));
}

int64_t panelColumnsOf(const ContractionSpec &spec, int64_t runs, const MatmulTarget &target) {
  constexpr int kLeastBits = 256;
  constexpr int64_t kFewestRows = 2, kMostRows = 128;
  if (target.vectorBits < kLeastBits || spec.n.size() != 1 || spec.k.size() != 1)
    return 0;
  StatusOr<ContractionPlan> plan = planContraction(spec, target, "");
  if (!plan.ok() || plan->schedule.swapped)
    return 0;
  const Problem &p = plan->problem;
  if (p.batch != 1 || p.m < kFewestRows || p.m > kMostRows || p.arithmetic.inTiles() ||
      runs < leastRuns(p, plan->schedule))
    return 0;
  int64_t width = panelWidth(p, p.nRhs.isContiguous());
  if (width == 0)
    return 0;
  StatusOr<ContractionPlan> packed = planContraction(inPanels(spec, width), target, "");
  bool isRead = packed.ok() && packed->schedule.kind == Kind::kTiled && !packed->schedule.packRhs;
  return isRead && sumAlike(plan->schedule, packed->schedule) ? width : 0;
}

} // namespace tenon::codegen::matmul
