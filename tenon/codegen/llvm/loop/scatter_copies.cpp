#include "tenon/codegen/llvm/loop/scatter_copies.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

int64_t CopyPlan::arrayBytes(unsigned number) const {
  return static_cast<int64_t>(llvm::alignTo(elements * storageBytes(combiners[number].type), 64));
}

int64_t CopyPlan::arraysBytes() const {
  int64_t bytes = 0;
  for (unsigned i = 0; i < combiners.size(); ++i)
    bytes += count * arrayBytes(i);
  return bytes;
}

int64_t CopyPlan::bytes() const { return arraysBytes() + int64_t(llvm::alignTo(count * sizeof(int64_t), 64)); }

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

std::pair<llvm::Value *, llvm::Value *> ResultCopies::updates(llvm::Value *part) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *size = evaluator_.constant(plan_.partUpdates()), *all = evaluator_.constant(plan_.updates);
  auto within = [&](llvm::Value *number) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number, all); };
  llvm::Value *first = b.CreateNSWMul(part, size);
  return {within(first), within(b.CreateNSWAdd(first, size))};
}

llvm::Value *ResultCopies::partsOf(llvm::Value *copy) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *counts = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory_, plan_.arraysBytes());
  return b.CreateInBoundsGEP(b.getInt64Ty(), counts, copy);
}

void ResultCopies::share(llvm::Value *begin, llvm::Value *end) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  b.CreateStore(b.CreateSub(end, begin), partsOf(begin));
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
  // The copy's number comes last. That behind its parts is the next in use.
  auto isCopy = [&](llvm::ArrayRef<llvm::Value *> carried) {
    return b.CreateICmpSLT(carried.back(), evaluator_.constant(plan_.count));
  };
  auto step = [&](llvm::ArrayRef<llvm::Value *> carried) {
    llvm::Value *copy = carried.back();
    Elements values = LoopEvaluator::unpack(carried.drop_back(), types);
    for (auto [value, combiner, array] : llvm::zip(values, plan_.combiners, arrays(copy))) {
      Element other = loadElements(b, combiner.type, elementAddress(b, combiner.type, array, position), lanes);
      value = emitCombine(b, combiner, value, emitConvert(b, combiner.type, combiner.accumulator, other));
    }
    LLVMValues next = LoopEvaluator::pack(values);
    next.push_back(b.CreateAdd(copy, b.CreateLoad(b.getInt64Ty(), partsOf(copy))));
    return next;
  };
  LLVMValues initial = LoopEvaluator::pack(start);
  initial.push_back(evaluator_.constant(0));
  LLVMValues all = evaluator_.whileLoop(initial, isCopy, step);
  all.pop_back();
  Elements combined = LoopEvaluator::unpack(all, types);
  for (auto [value, combiner] : llvm::zip(combined, plan_.combiners))
    value = emitConvert(b, combiner.accumulator, combiner.type, value);
  return combined;
}

} // namespace tenon::codegen::loop
