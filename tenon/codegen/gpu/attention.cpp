#include "tenon/codegen/gpu/attention.h"

#include "tenon/codegen/gpu/softmax.h"
#include "tenon/codegen/kernel/matmul/problem.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::matmul::Problem;

namespace tenon::codegen {
namespace {

constexpr int kWarps = 4;
// The rows that a ProductPlan counts in.
constexpr int64_t kUnit = 16;
constexpr int64_t kLeastHead = 16, kMostHead = 128;
constexpr int64_t kLine = 64; // elements, of tiles of warp groups

bool isHead(int64_t size) { return size >= kLeastHead && size <= kMostHead && size % kUnit == 0; }

// Whether blocks of so many rows are enough for the chip.
bool fillsChip(const AttentionPlan &plan, int64_t rows, const CostModel::Blocks &costs) {
  int64_t blocks = plan.shape.batch * int64_t(divideCeil(uint64_t(plan.shape.rowCount), uint64_t(rows)));
  return plan.shape.rowCount > rows / 2 && blocks >= costs.multiprocessors;
}

// By warps, or by warp groups of 64 rows where lines of the tiles are whole. Rows are as many as leave their sums,
// scores and factors room in registers: a warp has 32 of short heads, if the softmax reads nothing but scores.
void chooseRows(GpuAttentionPlan &attention, const AttentionPlan &plan, const CostModel::Blocks &costs,
                const GpuChip &chip) {
  constexpr int kFew = 64, kMany = 128;
  constexpr int64_t kShortHead = 64;
  const Problem &scores = plan.scores.problem, &product = plan.product.problem;
  bool isShort = scores.k <= kShortHead && product.n <= kShortHead && plan.rows.op->getNumOperands() == 1;
  bool isByGroups = chip.hasWarpGroups && scores.k % kLine == 0 && product.n % kLine == 0;
  int rows = (isByGroups || isShort) && fillsChip(plan, kMany, costs) ? kMany : kFew;
  for (ProductPlan *part : {&attention.scores, &attention.product}) {
    part->isByGroups = isByGroups;
    part->threads = isByGroups ? rows / kFew * kWarps * kWarpThreads : kWarps * kWarpThreads;
    part->rows = int(rows / kUnit);
  }
  attention.keepsRows = !isByGroups;
  attention.tasks = plan.shape.batch * int64_t(divideCeil(uint64_t(plan.shape.rowCount), uint64_t(rows)));
}

// Neighbours that are one vector wherever they are read.
unsigned scoresTogether(const AttentionPlan &plan) {
  const Problem &p = plan.scores.problem;
  return plan.shape.keys % 2 == 0 && (!p.hasEpilogue || p.laneRun() % 2 == 0) ? 2 : 1;
}

} // namespace

std::optional<GpuAttentionPlan> planGpuAttention(const AttentionPlan &plan, const CostModel::Blocks &costs,
                                                 const GpuChip &chip) {
  const Problem &scores = plan.scores.problem, &product = plan.product.problem;
  const loop::RowKernelPlan &rows = plan.rows.plan;
  GpuAttentionPlan attention;
  attention.scores = planOperands(scores);
  attention.product = planOperands(product);
  auto isMatrix = [](const ProductPlan &operands, const Problem &p) {
    using Matrix = GpuBuilder::Matrix;
    return (operands.matrix == Matrix::kBf16 || operands.matrix == Matrix::kF16) && p.kDims.size() == 1 &&
           p.arithmetic.groupK == 1 && isCopied(operands, p, false);
  };
  if (!isMatrix(attention.scores, scores) || !isMatrix(attention.product, product) ||
      !isCopied(attention.scores, scores, true) || !isHead(scores.k) || !isHead(product.n) || plan.shape.batch == 0 ||
      rows.dims.size() != rows.keptDims + 1)
    return std::nullopt;
  std::optional<IndexedValue> logit = findSoftmax(rows);
  if (!logit)
    return std::nullopt;
  attention.logit = *logit;
  chooseRows(attention, plan, costs, chip);
  attention.scores.steps = scores.k;
  attention.product.columns = int(product.n / kUnit);
  attention.together = scoresTogether(plan);
  mlir::Value logits = logit->first;
  if (std::optional<float> greatest = plan.visibleOffset ? greatestHidden(logits, *plan.visibleOffset) : std::nullopt)
    attention.hidden = {*plan.visibleOffset, *greatest, planFiniteValues(product, costs)};
  for (int64_t keys : {64, 32}) {
    if (attention.isByGroups() && keys < kLine)
      break;
    attention.scores.columns = int(keys / kUnit);
    attention.product.steps = keys;
    if (attention.sharedBytes() <= chip.halfOfShared())
      return attention;
  }
  return std::nullopt;
}

int64_t GpuAttentionPlan::sharedBytes() const {
  int64_t pair = scores.tileElements(false) + product.tileElements(false);
  int64_t votes = hidden ? scores.threads / kWarpThreads * 4 : 0;
  return scores.elementBytes * (scores.tileElements(true) + stages * pair) + votes;
}

FormPhases GpuAttentionPlan::phases() const {
  FormPhases phases;
  if (hidden)
    phases.push_back(hidden->values.phase());
  phases.push_back({tasks, scores.threads, sharedBytes()});
  return phases;
}

void GpuAttentionPlan::print(raw_ostream &os) const {
  os << "attention in blocks of " << scores.blockRows() << " rows, heads of " << scores.steps << " and "
     << product.blockColumns() << ", " << keys() << " keys at a time by "
     << (isByGroups() ? "warp groups, " : "warps, ") << stages << " stages of copies, " << sharedBytes()
     << " bytes shared, " << tasks << " blocks";
  if (hidden)
    os << ", without keys beyond row + " << hidden->offset;
  os << '\n';
}

} // namespace tenon::codegen
