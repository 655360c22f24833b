#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/kernel/attention/attention.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<sh::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

bool isAttention(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return fusion && fusion.getKind() == ir::FusionKind::Attention;
}

namespace {

// Whether the indices are those of an array of that many rows of that length, one after the other.
bool isDense(const StridedDims &batch, int64_t batches, const StridedDims &rows, int64_t rowCount, int64_t length) {
  return (rowCount == 1 || (rows.isAffine() && rows.inner().stride == length)) &&
         (batches == 1 || (batch.isAffine() && batch.inner().stride == rowCount * length));
}

class AttentionPlanner {
public:
  AttentionPlanner(ir::FusionOp fusion, StringRef symbol, const ProductTarget &target)
      : fusion_(fusion), symbol_(symbol.str()), target_(target) {}

  std::optional<AttentionPlan> run() {
    if (!findParts() || !planScores() || !planRows() || !planProduct())
      return std::nullopt;
    plan_.visibleOffset = visibleOffset(scoresOperand(), plan_.rowCount, plan_.keys);
    chooseBlocks();
    plan_.skipsZeros = plan_.rowBlocks() > 1 && canSkipZeros(plan_);
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
      (!plan_.scoresOp ? plan_.scoresOp : !plan_.rowsOp ? plan_.rowsOp : plan_.productOp) = &op;
    }
    return plan_.productOp != nullptr;
  }

  bool planScores() {
    std::optional<DotPlan> plan = planDotInRowBlocks(plan_.scoresOp, symbol_ + ".scores", target_);
    if (!plan)
      return false;
    plan_.scores = std::move(*plan);
    const matmul::Problem &p = plan_.scores.problem;
    if (p.m < target_.costs().attentionRows)
      return false;
    plan_.batch = p.batch;
    plan_.rowCount = p.m;
    plan_.keys = p.n;
    return p.nOut.isContiguous() && isDense(p.batchOut, p.batch, p.mOut, p.m, p.n);
  }

  // After the rows: their results lie in the order of the scores, whatever their own is.
  bool planProduct() {
    unsigned weights = throughReshapes(plan_.productOp->getOperand(0)).getDefiningOp() == plan_.rowsOp ? 0 : 1;
    auto place = [&](matmul::ContractionSpec &spec, bool mayReorder) {
      auto stride = weights == 0 ? &matmul::ContractionDim::lhsStride : &matmul::ContractionDim::rhsStride;
      for (auto *role : {&spec.batch, &spec.m, &spec.n, &spec.k})
        for (matmul::ContractionDim &dim : *role)
          if (dim.size != 1)
            dim.*stride = strideInScratch(dim.*stride);
      auto isOutside = [&](const auto &a, const auto &b) { return a.*stride > b.*stride; };
      if (mayReorder)
        for (auto *role : {&spec.batch, weights == 0 ? &spec.m : &spec.n})
          llvm::stable_sort(*role, isOutside);
    };
    std::optional<DotPlan> plan = planDotInRowBlocks(plan_.productOp, symbol_ + ".product", target_, place);
    if (!plan)
      return false;
    plan_.product = std::move(*plan);
    const matmul::Problem &p = plan_.product.problem;
    return weights == (p.swapped ? 1U : 0U) && p.batch == plan_.batch && p.m == plan_.rowCount && p.k == plan_.keys &&
           p.kDims.size() == 1 && p.innerK().lhsStride == 1 && isDense(p.batchLhs, p.batch, p.mLhs, p.m, p.k);
  }

  // The stride in scratch memory that belongs to one in the rows' result.
  int64_t strideInScratch(int64_t stride) {
    for (const Stride &dim : strides_)
      if (dim.result != 0 && stride % dim.result == 0 && stride / dim.result < dim.extent)
        return dim.scratch * (stride / dim.result);
    return 0; // which is no step of an array without gaps
  }

  Value scoresOperand() {
    for (auto [operand, argument] : llvm::zip(plan_.rowsOp->getOperands(), plan_.rowsOp->getRegion(0).getArguments()))
      if (throughReshapes(operand).getDefiningOp() == plan_.scoresOp)
        return argument;
    return {};
  }

  bool planRows() {
    plan_.rowsSource = kernelSource(plan_.rowsOp);
    std::optional<RowReductionPlan> plan =
        planRowReduction(plan_.rowsSource, loop::planTarget(target_), loop::foldOrder);
    if (!plan || !plan->vectorAlongRow || plan->splitSize > 0 || !plan->rowOutputs.empty() || plan->keptDims == 0 ||
        plan->keptElements() != plan_.batch * plan_.rowCount || plan->reducedElements() != plan_.keys)
      return false;
    if (!placeRows(*plan))
      return false;
    plan->taskDim = plan->keptDims - 1; // a task is a row
    plan->taskChunk = 1;
    plan->tasks = plan->keptElements();
    Value scores = scoresOperand();
    plan_.rows = loop::planRowKernel(plan_.rowsSource, std::move(*plan), symbol_ + ".rows");
    int number = plan_.rowsSource.inputNumber(scores);
    plan_.inPlace =
        llvm::is_contained(plan_.rows.kernel.mayAlias, std::pair(number, 0)) && scoresBytes() == weightsBytes();
    return true;
  }

  // Has the rows' results lie where the scores are that they are made of. False if these are not read row by row.
  bool placeRows(RowReductionPlan &plan) {
    const IndexSpace &space = plan.space();
    Value scores = scoresOperand();
    AffineExpr position;
    for (const PlanAccess &access : plan.use.accesses)
      if (access.value == scores) {
        if (position && position != access.position)
          return false;
        position = access.position;
      }
    if (!position)
      return false;
    LinearForm from = IndexSpace::linearForm(position), to = IndexSpace::linearForm(plan.outputs[0].store);
    AffineExpr rows = space.add(position, space.scale(space.linearize(plan.rows.reduced, plan.rows.reducedShape), -1));
    LinearForm kept = IndexSpace::linearForm(rows);
    for (unsigned d = 0; d < plan.dims.size(); ++d) {
      AffineExpr dim = space.dim(d);
      strides_.push_back({to.coefficient(dim), from.coefficient(dim), plan.dims[d].extent});
      if (d < plan.keptDims)
        plan_.rowStrides.push_back(kept.coefficient(dim) / plan_.keys);
    }
    auto isDim = [](const auto &term) { return isa<AffineDimExpr>(term.first); };
    if (!areRowNumbers(plan, kept) || to.constant != 0 || !llvm::all_of(to.terms, isDim))
      return false;
    for (PlanAccess &access : plan.use.accesses)
      if (access.isOutput)
        access.position = position;
    plan.outputs[0].store = position;
    return true;
  }

  // Whether the kept dimensions with plan_.rowStrides give each row a number, all of them one after the other.
  bool areRowNumbers(const RowReductionPlan &plan, const LinearForm &kept) {
    SmallVector<unsigned> order;
    size_t terms = 0;
    for (unsigned d = 0; d < plan.keptDims; ++d)
      if (plan.dims[d].extent != 1) {
        order.push_back(d);
        terms += kept.coefficient(plan.space().dim(d)) == plan_.rowStrides[d] * plan_.keys;
      }
    if (kept.constant != 0 || kept.terms.size() != order.size() || terms != order.size())
      return false;
    llvm::sort(order, [&](unsigned a, unsigned b) { return plan_.rowStrides[a] < plan_.rowStrides[b]; });
    int64_t next = 1;
    for (unsigned d : order) {
      if (plan_.rowStrides[d] != next)
        return false;
      next *= plan.dims[d].extent;
    }
    return next == plan.keptElements();
  }

  static constexpr int64_t kTasks = 8; // enough for the workers; a fixed number, so that their number changes no bits

  int64_t scoresBytes() { return storageBytes(elementTypeOf(plan_.scoresOp->getResult(0))); }
  int64_t weightsBytes() { return storageBytes(elementTypeOf(plan_.rowsOp->getResult(0))); }

  // As many rows as leave room in L2 for the panels of the other operands, but enough of them to make it worth reading
  // these, and enough tasks.
  void chooseBlocks() {
    int64_t least = target_.costs().attentionBlock;
    int64_t step = std::lcm(plan_.scores.schedule.mr, plan_.product.schedule.mr);
    int64_t rowBytes = plan_.keys * (scoresBytes() + (plan_.inPlace ? 0 : weightsBytes()));
    int64_t rows = std::max(least, target_.matmulTarget().l2Bytes / 4 / rowBytes);
    while (rows > 2 * least && plan_.batch * llvm::divideCeil(plan_.rowCount, rows) < kTasks)
      rows /= 2;
    // Where rows see ever more columns, a block computes those of its last one for all of them.
    if (plan_.visibleOffset)
      rows = least;
    rows = llvm::divideCeil(plan_.rowCount, llvm::divideCeil(plan_.rowCount, rows)); // blocks of one size
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
    double operands = double(plan_.keys) * (double(scores.k) + double(product.n));
    // The scores are written once and read by three passes. Operands that are read again may come from a cache: twice
    // that.
    double saved = 2 * 4 * double(plan_.rowCount) * double(plan_.keys);
    double nanoseconds = plan_.scores.kernel.phases[0].nanoseconds + plan_.product.kernel.phases[0].nanoseconds;
    bool isShort = nanoseconds < 16 * target_.costs().sharedPhase;
    return double(plan_.rowBlocks() - 1) * operands <= saved && (plan_.batch * plan_.rowBlocks() >= kTasks || isShort);
  }

  void placeScratch() {
    int64_t offset = 0;
    auto reserve = [&](int64_t bytes) {
      int64_t start = offset;
      offset = int64_t(llvm::alignTo(uint64_t(offset + bytes), 64));
      return start;
    };
    plan_.scoresAt = reserve(plan_.rowBlock * plan_.keys * scoresBytes());
    plan_.weightsAt = plan_.inPlace ? plan_.scoresAt : reserve(plan_.rowBlock * plan_.keys * weightsBytes());
    plan_.scoresScratch = reserve(plan_.scores.kernel.scratchBytes);
    if (plan_.skipsZeros) {
      plan_.isFiniteAt = reserve(8);
      plan_.countAt = reserve(8);
    }
    plan_.partScratch = reserve(std::max(plan_.rows.kernel.scratchBytes, plan_.product.kernel.scratchBytes));
    plan_.kernel.scratchBytes = offset;
  }

  void describe() {
    Kernel &kernel = plan_.kernel;
    double nanoseconds = 0;
    for (const Kernel *part : {&plan_.scores.kernel, &plan_.rows.kernel, &plan_.product.kernel})
      nanoseconds += part->phases[0].nanoseconds;
    kernel.phases.push_back({symbol_, plan_.batch * plan_.rowBlocks(), nanoseconds});
    kernel.kind = "attention";
    kernel.resultInit = {-1};
    for (Value operand : fusion_->getOperands())
      kernel.bytes += static_cast<double>(tensorBytes(operand.getType()));
    kernel.bytes += static_cast<double>(tensorBytes(fusion_->getResult(0).getType()));
  }

  ir::FusionOp fusion_;
  std::string symbol_;
  const ProductTarget &target_;
  // Steps of the rows' dimensions: in their result as it is declared, in scratch memory.
  struct Stride {
    int64_t result, scratch, extent;
  };
  SmallVector<Stride> strides_;
  AttentionPlan plan_;
};

} // namespace

std::optional<AttentionPlan> planAttention(Operation *op, StringRef symbol, const ProductTarget &target) {
  return AttentionPlanner(cast<ir::FusionOp>(op), symbol, target).run();
}

void AttentionPlan::print(llvm::raw_ostream &os) const {
  os << "tasks " << kernel.phases[0].extent << " of " << rowBlock << " rows of " << keys
     << (inPlace ? ", in place" : "");
  if (visibleOffset)
    os << ", columns to row + " << *visibleOffset;
  os << (skipsZeros ? ", without zeros\n" : "\n");
  os << "scores: ";
  scores.print(os);
  os << "rows: ";
  rows.print(os);
  os << "product: ";
  product.print(os);
}

} // namespace tenon::codegen
