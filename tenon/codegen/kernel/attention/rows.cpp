#include "tenon/codegen/kernel/attention/rows.h"

#include "llvm/IR/Module.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

// Where the argument's elements are read; null if in several orders.
AffineExpr positionOf(const RowReductionPlan &plan, Value argument) {
  AffineExpr position;
  for (const PlanAccess &access : plan.use.accesses)
    if (access.value == argument) {
      if (position && position != access.position)
        return {};
      position = access.position;
    }
  return position;
}

// Whether the kept dimensions with these strides give each row a number, all of them one after the other.
bool areRowNumbers(const RowReductionPlan &plan, const LinearForm &kept, ArrayRef<int64_t> rowStrides, int64_t keys) {
  SmallVector<unsigned> order;
  size_t terms = 0;
  for (unsigned d = 0; d < plan.keptDims; ++d)
    if (plan.dims[d].extent != 1) {
      order.push_back(d);
      terms += kept.coefficient(plan.space().dim(d)) == rowStrides[d] * keys;
    }
  if (kept.constant != 0 || kept.terms.size() != order.size() || terms != order.size())
    return false;
  llvm::sort(order, [&](unsigned a, unsigned b) { return rowStrides[a] < rowStrides[b]; });
  int64_t next = 1;
  for (unsigned d : order) {
    if (rowStrides[d] != next)
      return false;
    next *= plan.dims[d].extent;
  }
  return next == plan.keptElements();
}

// Has the rows' results lie where the scores are that they are made of. False if these are not read row by row.
bool placeRows(RowsPart &part, RowReductionPlan &plan, Value scores, int64_t keys) {
  const IndexSpace &space = plan.space();
  AffineExpr position = positionOf(plan, scores);
  if (!position)
    return false;
  LinearForm from = IndexSpace::linearForm(position), to = IndexSpace::linearForm(plan.outputs[0].store);
  AffineExpr rows = space.add(position, space.scale(space.linearize(plan.rows.reduced, plan.rows.reducedShape), -1));
  LinearForm kept = IndexSpace::linearForm(rows);
  for (unsigned d = 0; d < plan.dims.size(); ++d) {
    AffineExpr dim = space.dim(d);
    part.strides.push_back({to.coefficient(dim), from.coefficient(dim), plan.dims[d].extent});
    if (d < plan.keptDims)
      part.rowStrides.push_back(kept.coefficient(dim) / keys);
  }
  auto isDim = [](const auto &term) { return isa<AffineDimExpr>(term.first); };
  if (!areRowNumbers(plan, kept, part.rowStrides, keys) || to.constant != 0 || !llvm::all_of(to.terms, isDim))
    return false;
  if (plan.outputs.size() > 1)
    return llvm::all_of(plan.outputs, [&](const OutputPlan &output) { return output.store == position; });
  for (PlanAccess &access : plan.use.accesses)
    if (access.isOutput)
      access.position = position;
  plan.outputs[0].store = position;
  return true;
}

} // namespace

int64_t RowsPart::strideInScratch(int64_t stride) const {
  for (const Stride &dim : strides)
    if (dim.result != 0 && stride % dim.result == 0 && stride / dim.result < dim.extent)
      return dim.scratch * (stride / dim.result);
  return 0; // which is no step of an array without gaps
}

bool RowsPart::isInOrder() const {
  return llvm::all_of(strides, [](const Stride &dim) { return dim.extent == 1 || dim.result == dim.scratch; });
}

bool RowsPart::mayReplace(Value argument, unsigned result) const {
  return llvm::is_contained(plan.kernel.mayAlias, std::pair(source.inputNumber(argument), int(result)));
}

std::optional<RowsPart> planRowsPart(Operation *op, Value scores, int64_t rowCount, int64_t keys, StringRef symbol,
                                     const ProductTarget &target) {
  RowsPart part;
  part.op = op;
  part.source = kernelSource(op);
  std::optional<RowReductionPlan> plan = planRowReduction(part.source, loop::planTarget(target), loop::foldOrder);
  if (!plan || !plan->vectorAlongRow || plan->splitSize > 0 || !plan->rowOutputs.empty() || plan->keptDims == 0 ||
      plan->keptElements() != rowCount || plan->reducedElements() != keys || !placeRows(part, *plan, scores, keys))
    return std::nullopt;
  plan->taskDim = plan->keptDims - 1; // a task is a row
  plan->taskChunk = 1;
  plan->tasks = plan->keptElements();
  part.plan = loop::planRowKernel(part.source, std::move(*plan), symbol);
  return part;
}

bool isReadAs(const RowsPart &part, Value argument, Value scores) {
  AffineExpr position = positionOf(part.plan, argument);
  return position && position == positionOf(part.plan, scores);
}

llvm::LogicalResult emitRowsPart(const RowsPart &part, llvm::Module &module, const EmissionTarget &target) {
  auto emit = [&](loop::LoopEvaluator &evaluator, llvm::Function *function) {
    loop::RowEmitter rows(evaluator, part.plan, function->getArg(3));
    evaluator.forLoop(function->getArg(1), function->getArg(2), 1, [&](llvm::Value *number) {
      llvm::IRBuilder<> &b = evaluator.builder();
      for (auto [d, stride] : llvm::enumerate(part.rowStrides)) {
        llvm::Value *outer = b.CreateUDiv(number, evaluator.constant(stride == 0 ? 1 : stride));
        evaluator.bindDim(unsigned(d), b.CreateURem(outer, evaluator.constant(part.plan.dims[d].extent)), 0);
      }
      rows.emitRow();
    });
  };
  if (failed(loop::emitLoopFunction(part.plan.kernel.phases[0], part.plan, part.source, module, target, emit)))
    return llvm::failure();
  // Inside the kernel the table changes from call to call, which the functions do not expect.
  llvm::Function *rows = module.getFunction(part.symbol());
  rows->setLinkage(llvm::GlobalValue::InternalLinkage);
  rows->addFnAttr(llvm::Attribute::NoInline);
  return llvm::success();
}

} // namespace tenon::codegen
