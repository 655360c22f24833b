#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/kernel/attention/attention.h"
#include "tenon/codegen/kernel/attention/zeros.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

bool isAttention(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return fusion && fusion.getKind() == ir::FusionKind::Attention;
}

namespace {

class AttentionPlanner {
public:
  AttentionPlanner(ir::FusionOp fusion, StringRef symbol, const ProductTarget &target)
      : fusion_(fusion), symbol_(symbol.str()), target_(target) {}

  std::optional<AttentionPlan> run() {
    if (!findParts() || !planScores() || !planRows() || !planProduct())
      return std::nullopt;
    Value scores = argumentOf(plan_.rows.op, plan_.scoresOp);
    plan_.visibleOffset = visibleOffset(scores, plan_.shape.rowCount, plan_.shape.keys);
    chooseBlocks();
    mlir::Type weight = elementTypeOf(plan_.rows.op->getResult(0));
    plan_.skipsZeros = plan_.rowBlocks() > 1 && canSkipZeros(weight, plan_.shape.keys, plan_.product.problem);
    if (!pays())
      return std::nullopt;
    placeScratch();
    describe();
    return std::move(plan_);
  }

private:
  bool findParts() {
    for (Operation &op : fusion_.getBlock().without_terminator()) {
      if (isa<sh::ReshapeOp>(op))
        continue;
      (!plan_.scoresOp ? plan_.scoresOp : !plan_.rows.op ? plan_.rows.op : plan_.productOp) = &op;
    }
    return plan_.productOp != nullptr;
  }

  bool planScores() {
    std::optional<DotPlan> plan = planScoresPart(plan_.scoresOp, symbol_ + ".scores", target_);
    if (!plan)
      return false;
    plan_.scores = std::move(*plan);
    plan_.shape = shapeOfScores(plan_.scores);
    return true;
  }

  // After the rows: their results lie in the order of the scores, whatever their own is.
  bool planProduct() {
    std::optional<DotPlan> plan = planProductWithRows(plan_.productOp, plan_.rows, DotPart::kRowBlocks, plan_.shape,
                                                      symbol_ + ".product", target_);
    if (plan)
      plan_.product = std::move(*plan);
    return plan.has_value();
  }

  bool planRows() {
    Value scores = argumentOf(plan_.rows.op, plan_.scoresOp);
    std::optional<RowsPart> rows = planRowsPart(plan_.rows.op, scores, plan_.shape.batch * plan_.shape.rowCount,
                                                plan_.shape.keys, symbol_ + ".rows", target_);
    if (!rows)
      return false;
    plan_.rows = std::move(*rows);
    plan_.inPlace = plan_.rows.mayReplace(scores);
    return true;
  }

  int64_t scoresBytes() { return elementBytes(plan_.scoresOp); }
  int64_t weightsBytes() { return elementBytes(plan_.rows.op); }

  // As many rows as leave room in L2 for the panels of the other operands, but enough of them to make it worth reading
  // these, and enough tasks.
  void chooseBlocks() {
    int64_t least = target_.costs().attentionBlock;
    int64_t step = std::lcm(plan_.scores.schedule.mr, plan_.product.schedule.mr);
    int64_t rowBytes = plan_.shape.keys * (scoresBytes() + (plan_.inPlace ? 0 : weightsBytes()));
    int64_t rows = std::max(least, target_.matmulTarget().l2Bytes / 4 / rowBytes);
    while (rows > 2 * least && plan_.shape.batch * llvm::divideCeil(plan_.shape.rowCount, rows) < kAttentionTasks)
      rows /= 2;
    // Where rows see ever more columns, a block computes those of its last one for all of them.
    if (plan_.visibleOffset)
      rows = least;
    rows = llvm::divideCeil(plan_.shape.rowCount, llvm::divideCeil(plan_.shape.rowCount, rows)); // blocks of one size
    plan_.rowBlock = int64_t(llvm::alignTo(uint64_t(rows), uint64_t(step)));
    setRowBlock(plan_.scores, plan_.rowBlock);
    setRowBlock(plan_.product, plan_.rowBlock);
  }

  // Each block of rows reads the operands of its batch whole, and packs them: that has to be less than the scores,
  // which no longer go through memory. And there have to be tasks for the workers, unless all of it takes little time.
  // Neither is so of, say, a model's last layers: a product, the normalisation of its few rows, and a product with the
  // weights of all tokens, of hundreds of megabytes.
  bool pays() const {
    const matmul::Problem &scores = plan_.scores.problem, &product = plan_.product.problem;
    double operands = double(plan_.shape.keys) * (double(scores.k) + double(product.n));
    // The scores are written once and read by three passes. Operands that are read again may come from a cache: twice
    // that.
    double saved = 2 * 4 * double(plan_.shape.rowCount) * double(plan_.shape.keys);
    double nanoseconds = plan_.scores.kernel.phases[0].nanoseconds + plan_.product.kernel.phases[0].nanoseconds;
    bool isShort = nanoseconds < target_.costs().shortAttention;
    return double(plan_.rowBlocks() - 1) * operands <= saved &&
           (plan_.shape.batch * plan_.rowBlocks() >= kAttentionTasks || isShort);
  }

  void placeScratch() {
    ScratchPlan scratch;
    plan_.scoresAt = scratch.reserve(plan_.rowBlock * plan_.shape.keys * scoresBytes());
    plan_.weightsAt =
        plan_.inPlace ? plan_.scoresAt : scratch.reserve(plan_.rowBlock * plan_.shape.keys * weightsBytes());
    plan_.scoresScratch = scratch.reserve(plan_.scores.kernel.scratchBytes);
    if (plan_.skipsZeros) {
      plan_.isFiniteAt = scratch.reserve(8);
      plan_.countAt = scratch.reserve(8);
    }
    plan_.partScratch =
        scratch.reserve(std::max(plan_.rows.plan.kernel.scratchBytes, plan_.product.kernel.scratchBytes));
    plan_.kernel.scratchBytes = scratch.bytes();
  }

  void describe() {
    Kernel &kernel = plan_.kernel;
    double nanoseconds = 0;
    for (const Kernel *part : {&plan_.scores.kernel, &plan_.rows.plan.kernel, &plan_.product.kernel})
      nanoseconds += part->phases[0].nanoseconds;
    kernel.phases.push_back({symbol_, plan_.shape.batch * plan_.rowBlocks(), nanoseconds});
    kernel.kind = "attention";
    kernel.resultInit = {-1};
    for (Value operand : fusion_->getOperands())
      kernel.bytes += static_cast<double>(tensorBytes(operand.getType()));
    kernel.bytes += static_cast<double>(tensorBytes(fusion_->getResult(0).getType()));
  }

  ir::FusionOp fusion_;
  std::string symbol_;
  const ProductTarget &target_;
  AttentionPlan plan_;
};

} // namespace

std::optional<AttentionPlan> planAttention(Operation *op, StringRef symbol, const ProductTarget &target) {
  return AttentionPlanner(cast<ir::FusionOp>(op), symbol, target).run();
}

void AttentionPlan::print(llvm::raw_ostream &os) const {
  os << "tasks " << kernel.phases[0].extent << " of " << rowBlock << " rows of " << shape.keys
     << (inPlace ? ", in place" : "");
  if (visibleOffset)
    os << ", columns to row + " << *visibleOffset;
  os << (skipsZeros ? ", without zeros\n" : "\n");
  os << "scores: ";
  scores.print(os);
  os << "rows: ";
  rows.plan.print(os);
  os << "product: ";
  product.print(os);
}

} // namespace tenon::codegen
