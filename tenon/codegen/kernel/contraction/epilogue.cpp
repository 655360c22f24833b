#include "tenon/codegen/kernel/contraction/epilogue.h"

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/loop/evaluator.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using matmul::EpilogueContext;

// Elements of the contraction's result that follow each other where they are stored: fewer are no vectors.
constexpr int64_t kLeastRun = 8;

// --- Planning ---

class EpiloguePlanner {
public:
  EpiloguePlanner(ir::FusionOp fusion, Operation *contraction, bool mayDivide)
      : fusion_(fusion), contraction_(contraction), mayDivide_(mayDivide) {
    plan_.contraction = contraction;
    plan_.source = kernelSource(fusion);
    for (int64_t extent : shapeOf(result()))
      factors_.push_back({extent});
  }

  std::optional<EpiloguePlan> run() {
    if (!hasStorableKind())
      return std::nullopt;
    constexpr int kMaxDivisions = 8;
    for (int i = 0; followOutputs(); ++i) {
      if (findStrides() && walk())
        return finish();
      if (!mayDivide_ || i == kMaxDivisions || !refine(factors_, space().splitRequests()))
        break;
    }
    return std::nullopt;
  }

private:
  std::optional<EpiloguePlan> finish() {
    plan_.isTrivial =
        fusion_->getNumResults() == 1 && llvm::all_of(fusion_.getBlock().without_terminator(), [&](Operation &op) {
          return &op == contraction_ || isa<sh::ReshapeOp, sh::TransposeOp>(op) ||
                 llvm::is_contained(op.getUsers(), contraction_);
        });
    return std::move(plan_);
  }

  Value result() { return contraction_->getResult(0); }
  IndexSpace &space() { return plan_.indexer->space(); }

  // The kernel's own store converts nothing between kinds of numbers.
  bool hasStorableKind() {
    auto kind = [](Value value) {
      Type element = elementTypeOf(value);
      return isa<ComplexType>(element) ? 2 : isa<FloatType>(element) ? 1 : 0;
    };
    return kind(fusion_.getYield()->getOperands().back()) == kind(result());
  }

  // The index of each value that depends on the contraction, for one element of it. False where that is not one
  // element.
  bool followOutputs() {
    plan_.indexer.emplace(IndexSpace(fusion_.getContext()));
    IndexVector parts;
    SmallVector<int64_t> extents;
    plan_.dims.clear();
    for (auto [dim, group] : llvm::enumerate(factors_))
      for (int64_t extent : group) {
        plan_.dims.push_back({static_cast<unsigned>(dim), extent, 0});
        parts.push_back(space().addDim(extent));
        extents.push_back(extent);
      }
    plan_.contractionIndex = IndexVector(space().reshape(parts, extents, shapeOf(result())));
    indices_.clear();
    indices_[result()] = plan_.contractionIndex;
    for (Operation &op : fusion_.getBlock().without_terminator())
      if (&op != contraction_ && !follow(op))
        return false;
    plan_.outputs.clear();
    for (Value output : fusion_.getYield()->getOperands()) {
      auto found = indices_.find(output);
      if (found != indices_.end())
        plan_.outputs.push_back(found->second);
      else if (!output.getDefiningOp() || elementCount(shapeOf(output)) != elementCount(shapeOf(result())))
        return false;
      else // independent of the contraction: any order will do
        plan_.outputs.push_back(IndexVector(space().reshape(parts, extents, shapeOf(output))));
    }
    return true;
  }

  bool follow(Operation &op) {
    const IndexVector *before = nullptr;
    for (Value operand : op.getOperands()) {
      auto found = indices_.find(operand);
      if (found == indices_.end())
        continue;
      if (before && *before != found->second)
        return false;
      before = &found->second;
    }
    if (!before)
      return true;
    IndexVector index(*before);
    if (auto reshape = dyn_cast<sh::ReshapeOp>(op)) {
      index = IndexVector(space().reshape(index, shapeOf(reshape.getOperand()), shapeOf(reshape.getResult())));
    } else if (auto transpose = dyn_cast<sh::TransposeOp>(op)) {
      for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
        index[to] = (*before)[from];
    } else if (!isElementwiseSupported(&op) || shapeOf(op.getResult(0)).size() != index.size()) {
      return false;
    }
    indices_[op.getResult(0)] = index;
    return true;
  }

  // Whether all results are stored in one order, as strides of the dimensions, with runs that vectors can store.
  bool findStrides() {
    AffineExpr position;
    for (auto [output, index] : llvm::zip(fusion_.getYield()->getOperands(), plan_.outputs)) {
      AffineExpr here = space().linearize(index, shapeOf(output));
      if (position && position != here)
        return false;
      position = here;
    }
    LinearForm form = IndexSpace::linearForm(position);
    if (form.constant != 0)
      return false;
    for (auto &[atom, stride] : form.terms) {
      auto dim = dyn_cast<AffineDimExpr>(atom);
      if (!dim)
        return false;
      plan_.dims[dim.getPosition()].stride = stride;
    }
    if (elementCount(shapeOf(result())) <= kLeastRun || position == resultPosition())
      return true;
    // A convolution that stores another dimension in vectors has to read its windows along that one, several times as
    // slowly as another kernel transposes its results.
    if (isa<sh::ConvolutionOp>(contraction_) && innermost().stride != 1)
      return false;
    return longestRun() >= kLeastRun;
  }

  const ContractionIndexDim &innermost() {
    for (const ContractionIndexDim &dim : llvm::reverse(plan_.dims))
      if (dim.extent != 1)
        return dim;
    return plan_.dims.back();
  }

  AffineExpr resultPosition() { return space().linearize(plan_.contractionIndex, shapeOf(result())); }

  // How many steps of neighbouring dimensions are steps of one element.
  int64_t longestRun() {
    int64_t run = 1;
    for (const ContractionIndexDim &dim : llvm::reverse(plan_.dims))
      if (dim.stride == run)
        run *= dim.extent;
      else if (run > 1)
        break;
    return run;
  }

  // Whether what is read can be: the contraction's results where they arise, arrays of the results' size in the order
  // of the results, a vector for a vector, and everything at steps of the dimensions.
  bool walk() {
    KernelSource source = plan_.source;
    source.inputs.push_back(result());
    SmallVector<IndexedValue> outputs;
    for (auto [output, index] : llvm::zip(source.outputs, plan_.outputs))
      outputs.push_back({output, index});
    // The time is not asked for: it is the contraction's that counts.
    plan_.use = collectUse(outputs, source, *plan_.indexer, CostModel());
    if (!plan_.use.conditions.empty())
      return false;
    AffineExpr position = space().linearize(plan_.outputs.back(), shapeOf(source.outputs.back()));
    int64_t elements = elementCount(shapeOf(result()));
    for (const PlanAccess &access : plan_.use.accesses) {
      bool isFull = elementCount(shapeOf(access.value)) >= elements && elements > 1;
      if (access.value == result() ? access.index != plan_.contractionIndex : isFull && access.position != position)
        return false;
      if (hasDivision(access.position))
        return false;
    }
    llvm::erase_if(plan_.use.accesses, [&](const PlanAccess &access) { return access.value == result(); });
    return true;
  }

  static bool hasDivision(AffineExpr position) {
    LinearForm form = IndexSpace::linearForm(position);
    return llvm::any_of(form.terms, [](const auto &term) { return !isa<AffineDimExpr>(term.first); });
  }

  ir::FusionOp fusion_;
  Operation *contraction_;
  bool mayDivide_;
  llvm::SmallVector<Factors> factors_; // of the result's dimensions
  EpiloguePlan plan_;
  llvm::DenseMap<Value, IndexVector> indices_;
};

} // namespace

bool EpiloguePlan::lanesMayWrap(ArrayRef<unsigned> among) const {
  const IndexSpace &space = indexer->space();
  auto isIndependent = [&](AffineExpr expr) {
    return llvm::none_of(among, [&](unsigned dim) { return expr.isFunctionOfDim(dim); });
  };
  auto liesAsResults = [&](AffineExpr position) {
    LinearForm form = IndexSpace::linearForm(position);
    return llvm::all_of(among, [&](unsigned dim) {
      return dims[dim].extent == 1 || form.coefficient(space.dim(dim)) == dims[dim].stride;
    });
  };
  return llvm::all_of(use.indices, isIndependent) && llvm::all_of(use.accesses, [&](const PlanAccess &access) {
           return isIndependent(access.position) || liesAsResults(access.position);
         });
}

void EpiloguePlan::print(llvm::raw_ostream &os) const {
  for (const PlanAccess &access : use.accesses)
    os << "read " << access.value.getType() << " at " << access.position << '\n';
  for (auto [output, index] : llvm::zip(source.outputs, outputs))
    os << "write " << output.getType() << " at " << indexer->space().linearize(index, shapeOf(output)) << '\n';
}

std::optional<EpiloguePlan> planEpilogue(ir::FusionOp fusion, Operation *contraction, bool mayDivide) {
  return EpiloguePlanner(fusion, contraction, mayDivide).run();
}

matmul::Epilogue makeEpilogue(const EpiloguePlan &plan, const EmissionTarget &target) {
  return [&plan, &target](llvm::IRBuilderBase &builder, const EpilogueContext &where, Element sum) {
    loop::LoopEvaluator evaluator(plan.source, *plan.indexer, builder.saveIP(), where.buffers, target);
    evaluator.setLanes(where.lanes);
    for (unsigned dim = 0; dim < plan.dims.size(); ++dim)
      evaluator.bindDim(dim, where.index[dim], static_cast<int>(dim) == where.laneDim ? 1 : 0);
    AffineExpr position = evaluator.space().linearize(plan.outputs.back(), shapeOf(plan.source.outputs.back()));
    evaluator.bindIndex(position, {where.outOffset, where.lanes == 1 ? 0 : 1, nullptr});
    evaluator.bind(plan.contraction->getResult(0), plan.contractionIndex, sum);
    Element last;
    for (auto [i, output] : llvm::enumerate(plan.source.outputs)) {
      last = evaluator.evalVector(output, plan.outputs[i]);
      if (i + 1 < plan.source.outputs.size())
        evaluator.storeAt(elementTypeOf(output), evaluator.outputPointer(i), position, last);
    }
    builder.restoreIP(evaluator.builder().saveIP());
    return last;
  };
}

} // namespace tenon::codegen
