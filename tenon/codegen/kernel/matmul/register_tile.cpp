#include "tenon/codegen/kernel/matmul/register_tile.h"

#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/support/rounding.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

// Whether a tile may be as wide as fills registers: that of a product of its own, whose columns no other kernel takes
// in multiples of a panel, and of floats that are multiplied one for each accumulator. The windows of a
// convolution, in several runs of k, took 1.01 to 1.09 of the time.
bool mayFillRegisters(const Problem &p) {
  return !p.spec.isPart() && p.runs() == 1 && accumulatorIsFloat(p.arithmetic) && p.arithmetic.groupK == 1;
}

// Eight rows are a tile beside three vectors of AVX-512: a panel is read half as often as by tiles of four rows, and no
// rows of the last tile are empty, as they would be in tiles of six: 56 and 64 rows times 1024x1024 take 0.92 and 0.94
// of the time. `vectors`: in a row of the result. An lhs of columns that is read in place for few panels is packed for
// more of them, which cost 64x256 times 256x256 a tenth.
bool isInTilesOfEight(const Problem &p, int64_t vectors) {
  constexpr int64_t kFewRows = 32, kMostRows = 64, kFewVectors = 4, kFewPanels = 4, kNearSteps = 16;
  if (p.m % 8 != 0 || p.m <= kFewRows)
    return p.m % 8 == 0;
  bool isPackedForIt = std::abs(p.innerK().lhsStride) > kNearSteps && vectors <= kFewPanels * 4;
  return mayFillRegisters(p) && p.m <= kMostRows && p.m % 6 != 0 && vectors > kFewVectors && !isPackedForIt;
}

// Whether tiles of four rows are better of three vectors of AVX2 than of two, whose eight sums wait for each other: 8,
// 16 and 32 rows times 256x256 take 0.92 to 0.96 of the time. The sums of a last panel of one vector wait even longer.
bool fillThreeVectors(const Problem &p, int lanes) {
  constexpr int64_t kManyVectors = 16;
  int64_t vectors = ceilDiv(p.n, lanes);
  bool hasPanels = panelVectors(p, lanes) != 0;
  return mayFillRegisters(p) && p.components() == 1 && !hasPanels && vectors >= 3 &&
         (vectors % 3 != 1 || vectors >= kManyVectors);
}

} // namespace

int accumulatorLanes(const Problem &p) { return p.target.vectorBits / 8 / p.arithmetic.unitBytes; }

int panelVectors(const Problem &p, int lanes) {
  constexpr int kMostOfNarrow = 3, kMostOfWide = 4;
  int64_t columns = p.rhsPanelColumns(), most = p.target.vectorBits == 512 ? kMostOfWide : kMostOfNarrow;
  bool isRead = isNative(p.spec.rhs, p.arithmetic, false) && p.arithmetic.groupK == 1 && p.components() == 1;
  return isRead && columns % lanes == 0 && columns / lanes <= most ? int(columns / lanes) : 0;
}

// Rows and vectors of the register tile: accumulators, a row of rhs vectors and one broadcast fill the registers. Four
// vectors by six rows need the fewest loads a multiply; more rows would need more row pointers than there are.
void chooseTile(const Problem &p, MatmulPlan &plan) {
  int lanes = accumulatorLanes(p), parts = int(p.components());
  while (lanes > 4 && lanes / 2 >= p.n)
    lanes /= 2;
  bool wide = p.target.vectorBits == 512;
  int registers = wide ? 32 : 16;
  int spare = p.target.fma || p.arithmetic.groupK > 1 ? 1 : 2; // broadcast, and the product without FMA
  if (p.arithmetic.groupK > 1 && p.arithmetic.compute == Compute::kInt16Pairs)
    spare = 2;
  if (!wide && !accumulatorIsFloat(p.arithmetic) && p.arithmetic.groupK == 1)
    spare = 3; // two products: with one, LLVM keeps a sum in memory, for which each step waits
  int most = (wide ? 4 : 2) / parts, vectors = int(std::min<int64_t>(ceilDiv(p.n, lanes), most));
  if (vectors == most && most == 4) {
    int64_t total = ceilDiv(p.n, lanes);
    if (total % 4 && total % 3 == 0)
      vectors = 3;
    if (isInTilesOfEight(p, total))
      vectors = 3;
  }
  vectors = std::max(vectors, 1);
  if (int panel = panelVectors(p, lanes))
    vectors = panel;
  int64_t rows = (registers - (vectors + 1) * parts - spare + 1) / (vectors * parts);
  rows = std::min<int64_t>({rows, 8, p.m});
  rows = std::max<int64_t>(rows, 1);
  plan.lanes = lanes;
  plan.nv = vectors;
  // Rows that fill the last tile of a small matrix are wasted; a slightly smaller tile may waste none.
  plan.mr = int(ceilDiv(p.m, ceilDiv(p.m, rows)));
  auto wasted = [&](int64_t mr) { return roundUp(p.m, mr) - p.m; };
  for (int64_t mr = plan.mr - 1; mr >= std::max<int64_t>(4, rows / 2); --mr)
    if (wasted(plan.mr) * 16 > p.m && wasted(mr) < wasted(plan.mr))
      plan.mr = int(mr);
  if (wide || spare != 1 || vectors != most)
    return;
  if (plan.mr == 4 && fillThreeVectors(p, lanes))
    plan.nv = 3;
  // Two and three rows have eight sums, or nine, which do not wait for each other.
  bool isPlain = mayFillRegisters(p) && parts == 1 && !panelVectors(p, lanes);
  if (int more = 6 - plan.mr; isPlain && (plan.mr == 2 || plan.mr == 3) && ceilDiv(p.n, lanes) % more == 0)
    plan.nv = more;
}

// A tile of AMX's registers.
void chooseAmxTile(const Problem &p, MatmulPlan &plan) {
  plan.lanes = accumulatorLanes(p);
  plan.nv = int((p.n > kAmxColumns ? 2 : 1) * kAmxColumns / plan.lanes);
  plan.mr = int((p.m > kAmxRows ? 2 : 1) * kAmxRows);
}

} // namespace tenon::codegen::matmul
