#include "tenon/codegen/llvm/loop/scatter_steps.h"

namespace tenon::codegen::loop {

void ScatterSteps::findStart() {
  llvm::IRBuilder<> &b = evaluator_->builder();
  start_.assign(shape_.size(), nullptr);
  mlir::Value indices = op_.getScatterIndices();
  bool isUnsigned = elementTypeOf(indices).isUnsignedInteger();
  int64_t vectorDim = numbers_.getIndexVectorDim(), rank = shapeOf(indices).size();
  IndexVector batch;
  for (unsigned d : plan_.scatterDims)
    batch.push_back(plan_.updateIndex[d]);
  for (auto [component, dim] : llvm::enumerate(numbers_.getScatterDimsToOperandDims())) {
    IndexVector index(batch);
    if (vectorDim < rank)
      index.insert(index.begin() + vectorDim, plan_.space().constant(component));
    llvm::Value *value = evaluator_->eval(indices, index).re;
    start_[dim] = isUnsigned ? b.CreateZExt(value, b.getInt64Ty()) : b.CreateSExt(value, b.getInt64Ty());
  }
  for (auto [dim, from] : llvm::zip(numbers_.getInputBatchingDims(), numbers_.getScatterIndicesBatchingDims()))
    start_[dim] = evaluator_->uniformIndex(batch[from < vectorDim ? from : from - 1]);
}

llvm::Value *ScatterSteps::isInside() {
  llvm::IRBuilder<> &b = evaluator_->builder();
  llvm::Value *inside = nullptr;
  for (int64_t d = 0, rank = shape_.size(); d < rank; ++d) {
    int64_t places = std::max<int64_t>(0, shape_[d] - plan_.windowExtent[d] + 1);
    if (llvm::is_contained(numbers_.getInputBatchingDims(), d) || (!start_[d] && places > 0))
      continue;
    llvm::Value *start = start_[d] ? start_[d] : evaluator_->constant(0);
    llvm::Value *test = b.CreateICmpULT(start, evaluator_->constant(places)); // a negative start is a large one
    inside = inside ? b.CreateAnd(inside, test) : test;
  }
  return inside;
}

llvm::Value *ScatterSteps::startAddress() {
  llvm::IRBuilder<> &b = evaluator_->builder();
  llvm::Value *address = evaluator_->constant(0);
  for (int64_t d = 0, rank = shape_.size(); d < rank; ++d)
    if (start_[d])
      address = b.CreateAdd(address, b.CreateMul(start_[d], evaluator_->constant(plan_.resultStride(d))));
  return address;
}

llvm::SmallVector<mlir::Type, 2> ScatterSteps::types() {
  llvm::SmallVector<mlir::Type, 2> types;
  for (mlir::Value input : op_.getInputs())
    types.push_back(elementTypeOf(input));
  return types;
}

Elements ScatterSteps::loadResults(llvm::Value *position) {
  llvm::IRBuilder<> &b = evaluator_->builder();
  Elements elements;
  for (auto [i, type] : llvm::enumerate(types())) {
    llvm::Value *address = elementAddress(b, type, arrays_[i], position);
    elements.push_back(loadElements(b, type, address, evaluator_->lanes(), evaluator_->mask()));
  }
  return elements;
}

void ScatterSteps::storeResults(llvm::Value *position, llvm::ArrayRef<Element> elements) {
  llvm::IRBuilder<> &b = evaluator_->builder();
  for (auto [i, type] : llvm::enumerate(types())) {
    llvm::Value *address = elementAddress(b, type, arrays_[i], position);
    storeElements(b, type, evaluator_->toVector(elements[i]), address, evaluator_->lanes(), evaluator_->mask());
  }
}

Elements ScatterSteps::updates() {
  Elements elements;
  for (mlir::Value update : op_.getUpdates())
    elements.push_back(evaluator_->evalVector(update, plan_.updateIndex));
  return elements;
}

Elements ScatterSteps::apply(llvm::ArrayRef<Element> before, llvm::ArrayRef<Element> updates) {
  Elements arguments(before.begin(), before.end());
  llvm::append_range(arguments, updates);
  Elements results = evaluator_->emitBody(op_.getUpdateComputation(), arguments);
  results.resize(before.size(), before.front()); // fewer where the evaluator has failed
  return results;
}

void ScatterSteps::overPositions(llvm::Value *begin, llvm::Value *end,
                                 llvm::function_ref<void(llvm::Value *position)> body) {
  llvm::IRBuilder<> &b = evaluator_->builder();
  int64_t lanes = std::max<int64_t>(1, evaluator_->target()->vectorBits() / 64);
  auto run = [&](llvm::Value *from, llvm::Value *to, int64_t step) {
    evaluator_->setLanes(step);
    evaluator_->forLoop(from, to, step, body);
    evaluator_->setLanes(1);
  };
  llvm::Value *whole = b.CreateAnd(b.CreateNSWSub(end, begin), evaluator_->constant(-lanes));
  llvm::Value *middle = b.CreateNSWAdd(begin, whole);
  run(begin, middle, lanes);
  if (lanes > 1)
    run(middle, end, 1);
}

} // namespace tenon::codegen::loop
