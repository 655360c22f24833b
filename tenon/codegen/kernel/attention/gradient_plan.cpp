#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/kernel/attention/attention.h"
#include "tenon/codegen/kernel/attention/gradient.h"
#include "tenon/codegen/kernel/attention/zeros.h"
#include "tenon/ir/reshapes.h"
#include "tenon/ir/tenon.h"

#include <numeric>

using namespace mlir;

namespace tenon::codegen {
namespace {

bool isRows(Operation &op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return fusion && fusion.getKind() == ir::FusionKind::Rows;
}

class GradientPlanner {
public:
  GradientPlanner(ir::FusionOp fusion, StringRef symbol, const ProductTarget &target)
      : fusion_(fusion), symbol_(symbol.str()), target_(target) {}

  std::optional<AttentionGradientPlan> run() {
    if (!findParts() || !planScores() || !planRows() || !planProducts() || !chooseBlocks() || !planSums() || !pays())
      return std::nullopt;
    findHidden();
    placeScratch();
    describe();
    return std::move(plan_);
  }

private:
  bool findParts() {
    Block &block = fusion_.getBlock();
    auto rows = llvm::find_if(block, isRows);
    if (rows == block.end())
      return false;
    plan_.rows.op = &*rows;
    for (Operation &op : block)
      if (isContraction(&op)) {
        if (argumentOf(plan_.rows.op, &op))
          plan_.scores.emplace_back().op = &op;
        else
          plan_.products.emplace_back().op = &op;
      }
    return plan_.scores.size() == 2 && !plan_.products.empty();
  }

  bool planScores() {
    for (auto [number, scores] : llvm::enumerate(plan_.scores)) {
      std::optional<DotPlan> plan = planScoresPart(scores.op, symbol_ + ".scores" + std::to_string(number), target_);
      if (!plan)
        return false;
      scores.plan = std::move(*plan);
    }
    plan_.shape = shapeOfScores(plan_.scores[0].plan);
    return shapeOfScores(plan_.scores[1].plan) == plan_.shape;
  }

  bool planRows() {
    Value first = argumentOf(plan_.rows.op, plan_.scores[0].op), second = argumentOf(plan_.rows.op, plan_.scores[1].op);
    std::optional<RowsPart> rows = planRowsPart(plan_.rows.op, first, plan_.shape.batch * plan_.shape.rowCount,
                                                plan_.shape.keys, symbol_ + ".rows", target_);
    if (!rows || !rows->isInOrder() || !isReadAs(*rows, second, first))
      return false;
    plan_.rows = std::move(*rows);
    return true;
  }

  bool planProducts() {
    auto yielded = fusion_.getBlock().getTerminator()->getOperands();
    for (auto [number, product] : llvm::enumerate(plan_.products)) {
      std::string symbol = symbol_ + ".product" + std::to_string(number);
      for (Value operand : product.op->getOperands().take_front(2))
        if (auto made = dyn_cast<OpResult>(ir::throughReshapes(operand)); made && made.getOwner() == plan_.rows.op)
          product.source = made.getResultNumber();
      std::optional<DotPlan> plan;
      for (DotPart part : {DotPart::kRowBlocks, DotPart::kDepthBlocks})
        if (!plan) {
          plan = planProductWithRows(product.op, plan_.rows, part, plan_.shape, symbol, target_);
          product.isOverRows = part == DotPart::kDepthBlocks;
        }
      if (!plan)
        return false;
      product.plan = std::move(*plan);
      product.result = unsigned(llvm::find(yielded, product.op->getResult(0)) - yielded.begin());
    }
    return true;
  }

  // As many rows as leave room in L2 for the panels of the other operands, but so many that it is worth reading these
  // again, and the sums over rows, twice as much; and that few sums of blocks are added up. Then so many blocks that
  // there are enough tasks.
  bool chooseBlocks() {
    int64_t step = std::lcm(plan_.scores[0].plan.schedule.mr, plan_.scores[1].plan.schedule.mr);
    for (const auto &product : plan_.products)
      step = std::lcm(step, product.isOverRows ? depthStep(product.plan) : product.plan.schedule.mr);
    int64_t rowBytes = plan_.shape.keys * (elementBytes(plan_.scores[0].op) + elementBytes(plan_.scores[1].op));
    int64_t rows = std::max({2 * target_.costs().attentionBlock, target_.matmulTarget().l2Bytes / 4 / rowBytes,
                             int64_t(llvm::divideCeil(plan_.shape.rowCount, matmul::kMostDepthBlocks))});
    rows = llvm::divideCeil(plan_.shape.rowCount, llvm::divideCeil(plan_.shape.rowCount, rows)); // blocks of one size
    plan_.rowBlock = int64_t(llvm::alignTo(uint64_t(rows), uint64_t(step)));
    auto parts = int64_t(llvm::divideCeil(kAttentionTasks, plan_.shape.batch));
    plan_.partBlocks = int64_t(llvm::divideCeil(plan_.rowBlocks(), parts));
    for (auto &scores : plan_.scores)
      setRowBlock(scores.plan, plan_.rowBlock);
    for (auto &product : plan_.products) {
      if (!product.isOverRows)
        setRowBlock(product.plan, plan_.rowBlock);
      else if (!mayHaveDepthBlocks(product.plan, plan_.rowBlock))
        return false;
      else
        setDepthBlock(product.plan, plan_.rowBlock);
    }
    return true;
  }

  // Where a batch has parts, what sums over rows is planned as a product that leaves accumulators in the temporary
  // block. The rows of a part are as far apart as those of the first one, if at most one dimension is around runs of k.
  bool planSums() {
    if (plan_.parts() == 1)
      return true;
    for (auto &product : plan_.products) {
      if (!product.isOverRows)
        continue;
      product.whole = std::move(product.plan);
      const std::string &symbol = product.whole->kernel.phases[0].symbol;
      std::optional<DotPlan> sums =
          planProductWithRows(product.op, plan_.rows, DotPart::kDepthSums, plan_.shape, symbol, target_);
      if (!sums || sums->problem.kDims.size() > 2 ||
          sums->problem.arithmetic.sum != product.whole->problem.arithmetic.sum ||
          !mayHaveDepthBlocks(*sums, plan_.rowBlock))
        return false;
      product.plan = std::move(*sums);
      setDepthBlock(product.plan, plan_.rowBlock);
    }
    plan_.keyBlock = std::min(plan_.shape.keys, kSummedKeys);
    return true;
  }

  // What a mask hides: scores that are not read, and columns of zeros in what is made of them.
  void findHidden() {
    for (auto &scores : plan_.scores)
      scores.visibleOffset =
          visibleOffset(argumentOf(plan_.rows.op, scores.op), plan_.shape.rowCount, plan_.shape.keys);
    for (auto &product : plan_.products) {
      Type weight = elementTypeOf(plan_.rows.op->getResult(product.source));
      product.skipsZeros = plan_.rowBlocks() > 1 && canSkipZeros(weight, plan_.shape.keys, product.plan.problem);
    }
  }

  // What blocks of rows are a multiple of for a sum over them: heads in groups make runs of rows.
  static int64_t depthStep(const DotPlan &plan) {
    int64_t run = plan.problem.runs() == 1 ? 1 : plan.problem.runLength();
    return std::lcm(int64_t(plan.schedule.groupK), run);
  }

  // Computing the scores again takes as long as what is as large as they are takes to go through memory, if it has to.
  // And there have to be tasks for the workers.
  bool pays() const {
    constexpr double kArrays = 3; // weights, their gradients and the scores' gradients
    double elements = double(plan_.shape.batch) * double(plan_.shape.rowCount) * double(plan_.shape.keys);
    double bytes = kArrays * elements * double(elementBytes(plan_.scores[0].op));
    return plan_.shape.batch * plan_.parts() >= kAttentionTasks / 2 &&
           bytes >= double(target_.costs().attentionGradientBytes);
  }

  void placeScratch() {
    ScratchPlan scratch;
    auto block = [&](Operation *op, unsigned result = 0) {
      return scratch.reserve(plan_.rowBlock * plan_.shape.keys * elementBytes(op, result));
    };
    for (auto &scores : plan_.scores) {
      scores.at = block(scores.op);
      scores.scratchAt = scratch.reserve(scores.plan.kernel.scratchBytes);
    }
    placeRows(block);
    int64_t part = plan_.rows.plan.kernel.scratchBytes;
    for (auto &product : plan_.products) {
      int64_t bytes = product.plan.kernel.scratchBytes;
      if (product.isOverRows)
        product.scratchAt = scratch.reserve(bytes); // has sums from one block to the next
      else
        part = std::max(part, bytes);
    }
    plan_.partScratch = scratch.reserve(part);
    for (auto &product : plan_.products)
      if (!product.isOverRows)
        product.scratchAt = plan_.partScratch;
    plan_.kernel.scratchBytes = scratch.bytes();
    placeSums();
  }

  void placeSums() {
    ScratchPlan block;
    for (auto &product : plan_.products) {
      const matmul::Problem &p = product.plan.problem;
      if (product.whole)
        product.sumsAt = block.reserve(plan_.parts() * p.batch * p.m * p.n * p.arithmetic.unitBytes);
    }
    plan_.kernel.tempBytes = block.bytes();
  }

  // Each of the rows' results that is none of the kernel's takes the place of what they are made of, if it may.
  void placeRows(llvm::function_ref<int64_t(Operation *, unsigned)> block) {
    SmallVector<const AttentionGradientPlan::Scores *> free;
    for (const auto &scores : llvm::reverse(plan_.scores))
      free.push_back(&scores);
    auto yielded = fusion_.getBlock().getTerminator()->getOperands();
    for (unsigned result = 0; result < plan_.rows.op->getNumResults(); ++result) {
      auto number = llvm::find(yielded, plan_.rows.op->getResult(result)) - yielded.begin();
      if (number < ptrdiff_t(yielded.size())) {
        plan_.rowsResults.push_back({.result = unsigned(number)});
        continue;
      }
      auto place = llvm::find_if(
          free, [&](auto *scores) { return plan_.rows.mayReplace(argumentOf(plan_.rows.op, scores->op), result); });
      if (place == free.end()) {
        plan_.rowsResults.push_back({.at = block(plan_.rows.op, result)});
        continue;
      }
      plan_.rowsResults.push_back({.at = (*place)->at});
      free.erase(place);
    }
  }

  void describe() {
    Kernel &kernel = plan_.kernel;
    double nanoseconds = plan_.rows.plan.kernel.phases[0].nanoseconds;
    for (const auto &scores : plan_.scores)
      nanoseconds += scores.plan.kernel.phases[0].nanoseconds;
    for (const auto &product : plan_.products)
      nanoseconds += product.plan.kernel.phases[0].nanoseconds;
    kernel.phases.push_back({symbol_, plan_.shape.batch * plan_.parts(), nanoseconds});
    if (plan_.parts() > 1)
      kernel.phases.push_back({symbol_ + ".sums", plan_.shape.batch * plan_.keyBlocks(),
                               double(kernel.tempBytes) / target_.costs().bytesPerNanosecond});
    kernel.kind = "attention";
    kernel.resultInit.assign(fusion_->getNumResults(), -1);
    for (Value operand : fusion_->getOperands())
      kernel.bytes += static_cast<double>(tensorBytes(operand.getType()));
    for (Value result : fusion_->getResults())
      kernel.bytes += static_cast<double>(tensorBytes(result.getType()));
  }

  static constexpr int64_t kSummedKeys = 64; // of a task of the second phase

  ir::FusionOp fusion_;
  std::string symbol_;
  const ProductTarget &target_;
  AttentionGradientPlan plan_;
};

} // namespace

bool isAttentionGradient(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  constexpr int kProducts = 2; // of an attention
  return fusion && fusion.getKind() == ir::FusionKind::Attention &&
         llvm::count_if(fusion.getBlock(), [](Operation &inner) { return isContraction(&inner); }) > kProducts;
}

std::optional<AttentionGradientPlan> planAttentionGradient(Operation *op, StringRef symbol,
                                                           const ProductTarget &target) {
  return GradientPlanner(cast<ir::FusionOp>(op), symbol, target).run();
}

void AttentionGradientPlan::print(llvm::raw_ostream &os) const {
  os << "gradient, tasks " << kernel.phases[0].extent << " in blocks of " << rowBlock << " rows of " << shape.keys;
  if (parts() > 1)
    os << ", sums of " << parts() << " parts in " << kernel.phases[1].extent << " tasks";
  os << '\n';
  for (const Scores &each : scores) {
    os << "scores at " << each.at;
    if (each.visibleOffset)
      os << ", columns to row + " << *each.visibleOffset;
    os << ": ";
    each.plan.print(os);
  }
  os << "rows at";
  for (const RowsResult &each : rowsResults)
    if (each.result)
      os << " result " << *each.result;
    else
      os << ' ' << each.at;
  os << ": ";
  rows.plan.print(os);
  for (const Product &product : products) {
    os << "product " << (product.isOverRows ? "over" : "of") << " rows " << product.source
       << (product.skipsZeros ? ", without zeros: " : ": ");
    product.plan.print(os);
  }
}

} // namespace tenon::codegen
