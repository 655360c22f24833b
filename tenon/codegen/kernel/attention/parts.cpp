#include "tenon/codegen/kernel/attention/parts.h"

#include "tenon/ir/reshapes.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/support/insertion_sort.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace tenon::codegen {

using ir::throughReshapes;

Value argumentOf(Operation *rows, Operation *made) {
  for (auto [operand, argument] : llvm::zip(rows->getOperands(), rows->getRegion(0).getArguments()))
    if (throughReshapes(operand).getDefiningOp() == made)
      return argument;
  return {};
}

int64_t elementBytes(Operation *made, unsigned result) { return storageBytes(elementTypeOf(made->getResult(result))); }

// Whether the batches, and the rows of each, are those of an array of that shape, one after the other.
static bool areBatches(const StridedDims &batch, const ScoresShape &shape) {
  return shape.batch == 1 || (batch.isAffine() && batch.inner().stride == shape.rowCount * shape.keys);
}
static bool areRows(const StridedDims &rows, const ScoresShape &shape) {
  return shape.rowCount == 1 || (rows.isAffine() && rows.inner().stride == shape.keys);
}

StridedDims rhsSteps(const matmul::Problem &product) {
  SmallVector<StridedDims::Dim, 3> dims;
  for (const matmul::Problem::KDim &dim : product.kDims)
    dims.push_back({dim.size, dim.rhsStride});
  return collapse(dims);
}

ScoresShape shapeOfScores(const DotPlan &plan) { return {plan.problem.batch, plan.problem.m, plan.problem.n}; }

std::optional<DotPlan> planScoresPart(Operation *op, StringRef symbol, const ProductTarget &target) {
  std::optional<DotPlan> plan = planDotPart(op, DotPart::kRowBlocks, symbol, target);
  if (!plan)
    return std::nullopt;
  const matmul::Problem &p = plan->problem;
  if (p.m < target.costs().attentionRows || !p.nOut.isContiguous() || !areBatches(p.batchOut, shapeOfScores(*plan)) ||
      !areRows(p.mOut, shapeOfScores(*plan)))
    return std::nullopt;
  return plan;
}

// Has dimensions of the result lie in this order, from the innermost ones.
static void orderResult(std::initializer_list<SmallVectorImpl<matmul::ContractionDim> *> roles) {
  int64_t stride = 1;
  for (auto *role : roles)
    for (matmul::ContractionDim &dim : llvm::reverse(*role)) {
      dim.outStride = stride;
      stride *= dim.size;
    }
}

// Whether the lhs is such an array: its rows are the product's rows, or, of blocks of k, what it sums over.
static bool readsRows(const matmul::Problem &p, DotPart part, const ScoresShape &shape) {
  bool isOverRows = part != DotPart::kRowBlocks;
  ScoresShape own = isOverRows ? ScoresShape{p.batch, p.k, p.m} : ScoresShape{p.batch, p.m, p.k};
  if (own != shape || !areBatches(p.batchLhs, shape))
    return false;
  if (isOverRows)
    return p.innerK().lhsStride == shape.keys && p.lhsIsLinear() && p.mLhs.isContiguous();
  return p.runs() == 1 && p.innerK().lhsStride == 1 && areRows(p.mLhs, shape);
}

std::optional<DotPlan> planProductWithRows(Operation *op, const RowsPart &rows, DotPart part, const ScoresShape &shape,
                                           StringRef symbol, const ProductTarget &target) {
  unsigned number = throughReshapes(op->getOperand(0)).getDefiningOp() == rows.op ? 0 : 1;
  auto stride = number == 0 ? &matmul::ContractionDim::lhsStride : &matmul::ContractionDim::rhsStride;
  auto place = [&](matmul::ContractionSpec &spec, bool mayReorder) {
    for (auto *role : {&spec.batch, &spec.m, &spec.n, &spec.k})
      for (matmul::ContractionDim &dim : *role)
        if (dim.size != 1)
          dim.*stride = rows.strideInScratch(dim.*stride);
    auto isOutside = [&](const auto &a, const auto &b) { return a.*stride > b.*stride; };
    auto *kept = number == 0 ? &spec.m : &spec.n, *others = number == 0 ? &spec.n : &spec.m;
    if (mayReorder || part == DotPart::kDepthSums)
      for (auto *role : {&spec.batch, kept})
        insertionSort(*role, isOutside);
    if (part == DotPart::kDepthSums)
      orderResult({others, kept, &spec.batch});
  };
  std::optional<DotPlan> plan = planDotPart(op, part, symbol, target, place);
  if (!plan || number != (plan->problem.swapped ? 1U : 0U) || !readsRows(plan->problem, part, shape))
    return std::nullopt;
  return plan;
}

PartsWriter::PartsWriter(llvm::Module &module, StringRef symbol, Operation *fusion, int64_t keys)
    : module_(module), e_(module, symbol, kernelParameters(module.getContext()), false), fusion_(fusion), keys_(keys) {}

llvm::Value *PartsWriter::table(Operation *part, std::optional<unsigned> result) {
  unsigned operands = part->getNumOperands();
  llvm::Value *table = e_.b.CreateAlloca(llvm::ArrayType::get(e_.b.getPtrTy(), operands + part->getNumResults() + 1));
  for (auto [i, operand] : llvm::enumerate(part->getOperands()))
    if (auto argument = dyn_cast<BlockArgument>(throughReshapes(operand)))
      place(table, i, e_.buffer(e_.arg(0), int(argument.getArgNumber())));
  if (result)
    placeResult(table, part, kernelResult(*result));
  return table;
}

llvm::Value *PartsWriter::kernelResult(unsigned number) {
  return e_.buffer(e_.arg(0), int(fusion_->getNumOperands() + number));
}

llvm::Value *PartsWriter::temporary() {
  return e_.buffer(e_.arg(0), int(fusion_->getNumOperands() + fusion_->getNumResults()));
}

llvm::Value *PartsWriter::throughOperand(Operation *part, unsigned number) {
  Value operand = throughReshapes(part->getOperand(number));
  return e_.buffer(e_.arg(0), int(cast<BlockArgument>(operand).getArgNumber()));
}

void PartsWriter::place(llvm::Value *table, size_t i, llvm::Value *pointer) {
  e_.store(pointer, e_.gep(e_.b.getPtrTy(), table, int64_t(i)));
}

void PartsWriter::placeOperand(llvm::Value *table, Operation *part, Value source, llvm::Value *pointer) {
  for (auto [i, operand] : llvm::enumerate(part->getOperands()))
    if (throughReshapes(operand) == source)
      place(table, i, pointer);
}

void PartsWriter::placeResult(llvm::Value *table, Operation *part, llvm::Value *pointer, unsigned result) {
  place(table, part->getNumOperands() + result, pointer);
}

llvm::Value *PartsWriter::scratch(int64_t offset) { return e_.gep(e_.b.getInt8Ty(), e_.arg(3), offset); }

llvm::Value *PartsWriter::visibleColumns(const DotPlan &scores, std::optional<int64_t> offset, llvm::Value *block) {
  if (!offset)
    return e_.i64(keys_);
  int64_t panel = int64_t(scores.schedule.nv) * scores.schedule.lanes, rowBlock = scores.schedule.mc;
  // The columns that the row after the block's last one sees, with what rounds up to panels.
  llvm::Value *columns = e_.add(e_.mul(block, rowBlock), rowBlock + *offset + panel - 1);
  columns = e_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, columns, e_.i64(panel));
  return e_.min(e_.mul(e_.udiv(columns, panel), panel), keys_);
}

void PartsWriter::clearScores(const DotPlan &scores, int64_t offset, int64_t elementBytes) {
  uint64_t bytes = uint64_t(scores.schedule.mc * keys_ * elementBytes);
  e_.b.CreateMemSet(scratch(offset), e_.b.getInt8(0), bytes, llvm::Align(64));
}

llvm::Value *PartsWriter::wholeArray(int64_t offset, int64_t elementBytes, llvm::Value *row) {
  return e_.gep(e_.b.getInt8Ty(), scratch(offset), e_.b.CreateNeg(e_.mul(row, keys_ * elementBytes)));
}

} // namespace tenon::codegen
