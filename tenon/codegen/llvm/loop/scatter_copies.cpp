#include "tenon/codegen/llvm/loop/scatter_copies.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

int64_t CopyPlan::arrayBytes(unsigned number) const {
  return static_cast<int64_t>(llvm::alignTo(elements * storageBytes(combiners[number].type), 64));
}

int64_t CopyPlan::bytes() const {
  int64_t bytes = 0;
  for (unsigned i = 0; i < combiners.size(); ++i)
    bytes += count * arrayBytes(i);
  return bytes;
}

// Sums and products of floats round. Narrower floats than these may have no value that leaves any other unchanged.
static bool isExact(const Combiner &combiner) {
  if (llvm::isa<mlir::IntegerType>(combiner.type))
    return true;
  return llvm::isa<mlir::FloatType>(combiner.type) && storageBytes(combiner.type) >= 2 &&
         (combiner.kind == CombinerKind::kMinimum || combiner.kind == CombinerKind::kMaximum);
}

std::optional<llvm::SmallVector<Combiner, 2>> anyOrderCombiners(mlir::Operation *scatter) {
  ReductionBody body = analyzeReductionBody(scatter);
  if (body.form != ReductionBody::Form::kIndependent || !llvm::all_of(body.combiners, isExact))
    return std::nullopt;
  return body.combiners;
}

llvm::SmallVector<llvm::Value *, 2> ResultCopies::arrays(llvm::Value *copy) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::SmallVector<llvm::Value *, 2> arrays;
  int64_t first = 0; // of the copies of one array
  for (unsigned i = 0; i < plan_.combiners.size(); ++i) {
    int64_t bytes = plan_.arrayBytes(i);
    llvm::Value *offset = b.CreateNSWMul(copy, evaluator_.constant(bytes));
    arrays.push_back(b.CreateInBoundsGEP(b.getInt8Ty(), memory_, b.CreateNSWAdd(offset, evaluator_.constant(first))));
    first += plan_.count * bytes;
  }
  return arrays;
}

std::pair<llvm::Value *, llvm::Value *> ResultCopies::updates(llvm::Value *copy) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *size = evaluator_.constant(plan_.partUpdates()), *all = evaluator_.constant(plan_.updates);
  auto within = [&](llvm::Value *number) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number, all); };
  llvm::Value *first = b.CreateNSWMul(copy, size);
  return {within(first), within(b.CreateNSWAdd(first, size))};
}

Elements ResultCopies::identities() const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  Elements identities;
  for (const Combiner &combiner : plan_.combiners) {
    Element identity = combinerIdentity(b.getContext(), combiner, evaluator_.lanes());
    identities.push_back(emitConvert(b, combiner.accumulator, combiner.type, identity));
  }
  return identities;
}

Elements ResultCopies::combine(llvm::ArrayRef<Element> results, llvm::Value *position) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  unsigned lanes = evaluator_.lanes();
  Elements start;
  llvm::SmallVector<mlir::Type, 2> types;
  for (auto [combiner, result] : llvm::zip(plan_.combiners, results)) {
    start.push_back(emitConvert(b, combiner.type, combiner.accumulator, result));
    types.push_back(combiner.accumulator);
  }
  auto step = [&](llvm::Value *copy, llvm::ArrayRef<llvm::Value *> carried) {
    Elements values = LoopEvaluator::unpack(carried, types);
    for (auto [value, combiner, array] : llvm::zip(values, plan_.combiners, arrays(copy))) {
      Element other = loadElements(b, combiner.type, elementAddress(b, combiner.type, array, position), lanes);
      value = emitCombine(b, combiner, value, emitConvert(b, combiner.type, combiner.accumulator, other));
    }
    return LoopEvaluator::pack(values);
  };
  LLVMValues all =
      evaluator_.forLoop(evaluator_.constant(0), evaluator_.constant(plan_.count), 1, LoopEvaluator::pack(start), step);
  Elements combined = LoopEvaluator::unpack(all, types);
  for (auto [value, combiner] : llvm::zip(combined, plan_.combiners))
    value = emitConvert(b, combiner.accumulator, combiner.type, value);
  return combined;
}

} // namespace tenon::codegen::loop
