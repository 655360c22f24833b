// LoopEvaluator: loops, branches and where code is placed.
#include "tenon/codegen/llvm/loop/evaluator.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace tenon::codegen::loop {

static llvm::Value *loadPointer(llvm::IRBuilder<> &builder, llvm::Value *table, unsigned index) {
  llvm::Value *slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), table, index);
  llvm::LoadInst *pointer = builder.CreateLoad(builder.getPtrTy(), slot);
  pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  return pointer;
}

static llvm::IRBuilderBase::InsertPoint newBlock(llvm::Function *function) {
  llvm::BasicBlock *block = llvm::BasicBlock::Create(function->getContext(), "entry", function);
  return {block, block->end()};
}

LoopEvaluator::LoopEvaluator(const KernelSource &source, RegionIndexer indexer, llvm::Function *function,
                             const EmissionTarget &target)
    : LoopEvaluator(source, std::move(indexer), newBlock(function), function->getArg(0), target) {}

LoopEvaluator::LoopEvaluator(const KernelSource &source, RegionIndexer indexer, llvm::IRBuilderBase::InsertPoint at,
                             llvm::Value *table, const EmissionTarget &target)
    : source_(source), indexer_(std::move(indexer)), target_(target), builder_(at.getBlock(), at.getPoint()),
      computations_(target) {
  unsigned operands = source.op->getNumOperands(), results = source.op->getNumResults();
  // Unused, and so removed, when the kernel has no temporary block.
  temp_ = loadPointer(builder_, table, operands + results);
  auto inTemp = [&](int64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), temp_, offset);
  };
  for (auto [i, input] : llvm::enumerate(source.inputs)) {
    inputs_.push_back(i < operands ? loadPointer(builder_, table, i) : inTemp(source.inputOffsets[i - operands]));
    narrowIndices_ &= elementCount(shapeOf(input)) < (int64_t(1) << 30);
  }
  for (auto [i, output] : llvm::enumerate(source.outputs)) {
    outputs_.push_back(source.outputOffsets.empty() ? loadPointer(builder_, table, operands + i)
                                                    : inTemp(source.outputOffsets[i]));
    narrowIndices_ &= elementCount(shapeOf(output)) < (int64_t(1) << 30);
  }
  for (unsigned i = 0; i < space().numDims() && narrowIndices_; ++i)
    narrowIndices_ &= space().dimRange(i).max < (int64_t(1) << 30);
  levels_.emplace_back();
}

void LoopEvaluator::pushLevel(llvm::Instruction *entry, bool conditional, llvm::Value *mask) {
  levels_.emplace_back();
  levels_.back().entry = entry;
  levels_.back().conditional = conditional;
  levels_.back().mask = mask;
}

void LoopEvaluator::popLevel() { levels_.pop_back(); }

// Whether a loop from `begin` by `step` is known to have one iteration.
static bool isOneIteration(llvm::Value *begin, llvm::Value *end, int64_t step) {
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin), *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (!first || !last)
    return false;
  int64_t length = last->getSExtValue() - first->getSExtValue();
  return length > 0 && length <= step;
}

LLVMValues LoopEvaluator::forLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
                                  llvm::ArrayRef<llvm::Value *> init, LoopBody body) {
  llvm::LLVMContext &context = builder_.getContext();
  llvm::Function *function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock *preheader = builder_.GetInsertBlock();
  llvm::BasicBlock *loop = llvm::BasicBlock::Create(context, "loop", function);
  if (isOneIteration(begin, end, step)) { // LLVM finds out only where it unrolls loops
    pushLevel(builder_.CreateBr(loop), false, mask());
    builder_.SetInsertPoint(loop);
    LLVMValues results = body(begin, init);
    popLevel();
    return results;
  }
  llvm::BasicBlock *exit = llvm::BasicBlock::Create(context, "exit");
  llvm::Value *enter = builder_.CreateICmpSLT(begin, end);
  llvm::Instruction *entry = builder_.CreateCondBr(enter, loop, exit);

  builder_.SetInsertPoint(loop);
  llvm::PHINode *iv = builder_.CreatePHI(begin->getType(), 2, "i");
  iv->addIncoming(begin, preheader);
  LLVMValues carried;
  for (llvm::Value *value : init) {
    llvm::PHINode *phi = builder_.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, preheader);
    carried.push_back(phi);
  }
  pushLevel(entry, false, mask());
  LLVMValues next = body(iv, carried);
  popLevel();
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  llvm::Value *nextIv = builder_.CreateNSWAdd(iv, llvm::ConstantInt::get(begin->getType(), step));
  builder_.CreateCondBr(builder_.CreateICmpSLT(nextIv, end), loop, exit);
  iv->addIncoming(nextIv, latch);
  for (auto [phi, value] : llvm::zip(carried, next))
    llvm::cast<llvm::PHINode>(phi)->addIncoming(value, latch);

  function->insert(function->end(), exit);
  builder_.SetInsertPoint(exit);
  // Code hoisted out of the loop may have moved the branch to another block.
  preheader = entry->getParent();
  LLVMValues results;
  for (auto [before, after] : llvm::zip(init, next)) {
    llvm::PHINode *phi = builder_.CreatePHI(before->getType(), 2);
    phi->addIncoming(before, preheader);
    phi->addIncoming(after, latch);
    results.push_back(phi);
  }
  return results;
}

void LoopEvaluator::forLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
                            llvm::function_ref<void(llvm::Value *)> body) {
  forLoop(begin, end, step, {}, [&](llvm::Value *iv, llvm::ArrayRef<llvm::Value *>) {
    body(iv);
    return LLVMValues();
  });
}

// One test before the loop, and one behind each iteration.
LLVMValues LoopEvaluator::whileLoop(llvm::ArrayRef<llvm::Value *> init, GoesOn goesOn, Iterate iterate) {
  llvm::Function *function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock *block = llvm::BasicBlock::Create(builder_.getContext(), "iteration", function);
  llvm::BasicBlock *exit = llvm::BasicBlock::Create(builder_.getContext(), "iterated");
  llvm::Value *enter = goesOn(init);
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  builder_.CreateCondBr(enter, block, exit);
  builder_.SetInsertPoint(block);
  LLVMValues current, results;
  for (llvm::Value *value : init) {
    llvm::PHINode *phi = builder_.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    current.push_back(phi);
  }
  LLVMValues next = iterate(current);
  llvm::Value *again = goesOn(next);
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  builder_.CreateCondBr(again, block, exit);
  for (auto [phi, value] : llvm::zip(current, next))
    llvm::cast<llvm::PHINode>(phi)->addIncoming(value, latch);

  function->insert(function->end(), exit);
  builder_.SetInsertPoint(exit);
  for (auto [begin, end] : llvm::zip(init, next)) {
    llvm::PHINode *phi = builder_.CreatePHI(begin->getType(), 2);
    phi->addIncoming(begin, before);
    phi->addIncoming(end, latch);
    results.push_back(phi);
  }
  return results;
}

LLVMValues LoopEvaluator::ifElse(llvm::Value *condition, llvm::function_ref<LLVMValues()> then,
                                 llvm::function_ref<LLVMValues()> otherwise) {
  llvm::LLVMContext &context = builder_.getContext();
  llvm::Function *function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock *thenBlock = llvm::BasicBlock::Create(context, "then", function);
  llvm::BasicBlock *elseBlock = llvm::BasicBlock::Create(context, "else", function);
  llvm::BasicBlock *join = llvm::BasicBlock::Create(context, "join");
  llvm::Instruction *entry = builder_.CreateCondBr(condition, thenBlock, elseBlock);
  auto side = [&](llvm::BasicBlock *block, llvm::function_ref<LLVMValues()> emit) {
    builder_.SetInsertPoint(block);
    pushLevel(entry, true, mask());
    LLVMValues values = emit ? emit() : LLVMValues();
    popLevel();
    llvm::BasicBlock *last = builder_.GetInsertBlock();
    builder_.CreateBr(join);
    return std::make_pair(values, last);
  };
  auto [thenValues, thenLast] = side(thenBlock, then);
  auto [elseValues, elseLast] = side(elseBlock, otherwise);
  function->insert(function->end(), join);
  builder_.SetInsertPoint(join);
  LLVMValues results;
  for (auto [a, b] : llvm::zip(thenValues, elseValues)) {
    llvm::PHINode *phi = builder_.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, thenLast);
    phi->addIncoming(b, elseLast);
    results.push_back(phi);
  }
  return results;
}

void LoopEvaluator::withMask(llvm::Value *mask, llvm::function_ref<void()> body, bool mayBeEmpty) {
  pushLevel(nullptr, mayBeEmpty, mask);
  body();
  popLevel();
}

void LoopEvaluator::bindDim(unsigned dim, llvm::Value *iv, int64_t laneStride) {
  if (dims_.size() <= dim)
    dims_.resize(dim + 1);
  dims_[dim] = {iv, laneStride, static_cast<unsigned>(levels_.size() - 1)};
  levels_.back().indices.clear();
}

void LoopEvaluator::bindDim(unsigned dim, llvm::Value *iv, llvm::ArrayRef<int64_t> offsets) {
  bindDim(dim, iv, int64_t(0));
  dims_[dim].offsets = laneOffsets(offsets);
}

unsigned LoopEvaluator::levelOf(mlir::AffineExpr expr) {
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
    return dims_[dim.getPosition()].level;
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return levelFor(indexer_.symbolInfo(symbol.getPosition()).index);
  if (auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr))
    return std::max(levelOf(binary.getLHS()), levelOf(binary.getRHS()));
  return 0;
}

// The outermost level where a value at this index can be computed, given that branches keep what is inside.
unsigned LoopEvaluator::levelFor(llvm::ArrayRef<mlir::AffineExpr> index) {
  unsigned level = 0;
  for (mlir::AffineExpr expr : index)
    level = std::max(level, levelOf(expr));
  for (unsigned i = levels_.size() - 1; i > level; --i)
    if (levels_[i].conditional)
      return i;
  return level;
}

// Emits at the end of an outer level: before the branch that leads from there into the next one.
Element LoopEvaluator::computeAt(unsigned level, mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index) {
  llvm::BasicBlock *resume = builder_.GetInsertBlock();
  std::deque<Level> inner;
  while (levels_.size() > level + 1) {
    inner.push_front(std::move(levels_.back()));
    levels_.pop_back();
  }
  auto entered = llvm::find_if(inner, [](const Level &each) { return each.entry; });
  if (entered == inner.end()) { // masks alone are between, which no branch leads to
    Element result = compute(value, index);
    llvm::move(inner, std::back_inserter(levels_));
    return result;
  }
  llvm::Instruction *entry = entered->entry;
  llvm::BasicBlock *before = entry->getParent();
  entry->removeFromParent();
  builder_.SetInsertPoint(before);
  Element result = compute(value, index);
  llvm::BasicBlock *after = builder_.GetInsertBlock();
  entry->insertInto(after, after->end());
  if (after != before)
    for (llvm::BasicBlock *successor : llvm::successors(entry))
      successor->replacePhiUsesWith(before, after);
  while (!inner.empty()) {
    levels_.push_back(std::move(inner.front()));
    inner.pop_front();
  }
  builder_.SetInsertPoint(resume);
  return result;
}

std::optional<Element> LoopEvaluator::known(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index) {
  auto key = std::make_pair(value, indexKey(space().context(), index));
  for (Level &level : llvm::reverse(levels_)) {
    auto found = level.values.find(key);
    if (found != level.values.end())
      return found->second;
  }
  return std::nullopt;
}

Element LoopEvaluator::eval(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index) {
  if (std::optional<Element> element = known(value, index))
    return *element;
  unsigned level = levelFor(index);
  Element result = level + 1 < levels_.size() ? computeAt(level, value, index) : compute(value, index);
  levels_[level].values[{value, indexKey(space().context(), index)}] = result;
  return result;
}

void LoopEvaluator::bind(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index, Element element) {
  levels_.back().values[{value, indexKey(space().context(), index)}] = element;
}

Element LoopEvaluator::toVector(Element element) {
  if (lanes_ == 1 || element.re->getType()->isVectorTy())
    return element;
  return splat(builder_, element, lanes_);
}

Element LoopEvaluator::evalVector(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index) {
  return toVector(eval(value, index));
}

LLVMValues LoopEvaluator::pack(llvm::ArrayRef<Element> elements) {
  LLVMValues values;
  for (const Element &element : elements) {
    values.push_back(element.re);
    if (element.im)
      values.push_back(element.im);
  }
  return values;
}

Elements LoopEvaluator::unpack(llvm::ArrayRef<llvm::Value *> values, llvm::ArrayRef<mlir::Type> types) {
  Elements elements;
  size_t next = 0;
  for (mlir::Type type : types) {
    Element element{values[next++]};
    if (llvm::isa<mlir::ComplexType>(type))
      element.im = values[next++];
    elements.push_back(element);
  }
  return elements;
}

Element LoopEvaluator::select(llvm::Value *condition, Element a, Element b) {
  if (condition->getType()->isVectorTy()) {
    a = toVector(a);
    b = toVector(b);
  }
  return selectElement(builder_, condition, a, b);
}

Element LoopEvaluator::branch(llvm::Value *condition, mlir::Type type, llvm::function_ref<Element()> then,
                              llvm::function_ref<Element()> otherwise) {
  // Both sides must have one form, and only emitting them tells which: the branches that deliver scalars splat theirs
  // when the lanes may differ.
  auto wrap = [&](llvm::function_ref<Element()> emit) { return [this, emit] { return pack({toVector(emit())}); }; };
  auto emitThen = wrap(then), emitElse = wrap(otherwise);
  return unpack(ifElse(condition, emitThen, emitElse), {type}).front();
}

void LoopEvaluator::fail(mlir::Operation *op, const llvm::Twine &message) {
  if (!failed_)
    op->emitError() << message;
  failed_ = true;
}

} // namespace tenon::codegen::loop
