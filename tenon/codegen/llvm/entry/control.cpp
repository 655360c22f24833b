// Loops and branches of the entry function. Carried scalars are phis; a carried array stays in its buffer, or two
// buffers change roles (the phis are then the pointers), or it is copied: the buffer plan says which.

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/entry/emitter.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/IR/MDBuilder.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::entry {

Element EntryEmitter::elementPhi(Type type, unsigned incoming) {
  llvm::Type *valueForm = valueType(module_.getContext(), type, 1);
  Element phi;
  phi.re = builder_.CreatePHI(valueForm, incoming);
  if (isa<ComplexType>(type))
    phi.im = builder_.CreatePHI(valueForm, incoming);
  return phi;
}

void EntryEmitter::addIncoming(Element phi, Element value, llvm::BasicBlock *block) {
  cast<llvm::PHINode>(phi.re)->addIncoming(value.re, block);
  if (phi.im)
    cast<llvm::PHINode>(phi.im)->addIncoming(value.im, block);
}

// What a loop carries, by number: phis of scalars, places of arrays.
struct EntryEmitter::LoopState {
  LoopState(sh::WhileOp loop, const CarryPlan &carries)
      : loop(loop), carries(carries), count(loop->getNumOperands()), initial(count), phis(count), homes(count),
        others(count), outerPlaces(count), current(count), next(count) {}

  bool isRegister(unsigned i) const { return isScalarTensor(loop->getOperand(i).getType()); }
  bool isSwapped(unsigned i) const { return carries.modes[i] == CarryMode::kSwap; }

  sh::WhileOp loop;
  const CarryPlan &carries;
  unsigned count;
  SmallVector<Element> initial, phis;
  // outerPlaces: where a loop around this one has moved an array's home.
  SmallVector<llvm::Value *> homes, others, outerPlaces;
  SmallVector<llvm::PHINode *> current, next; // of arrays that exchange two buffers
};

LogicalResult EntryEmitter::emitWhile(Operation *op) {
  LoopState state(cast<sh::WhileOp>(op), plan_.loop(op));
  if (failed(emitInitialValues(state)))
    return failure();
  llvm::LLVMContext &context = module_.getContext();
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(context, "while", function_);
  builder_.CreateBr(header);
  builder_.SetInsertPoint(header);
  emitLoopPhis(state, before);
  Block &cond = state.loop.getCond().front();
  if (failed(emitBlock(cond)))
    return failure();
  FailureOr<Element> predicate = scalars_.element(cond.getTerminator()->getOperand(0));
  if (failed(predicate))
    return failure();
  auto *bodyBlock = llvm::BasicBlock::Create(context, "do", function_);
  auto *exit = llvm::BasicBlock::Create(context, "done", function_);
  llvm::Value *continues = predicate->re;
  // What an element's loop leaves when it is stopped, nobody will see.
  if (form_ == Form::kComputation)
    continues = builder_.CreateAnd(continues, builder_.CreateIsNull(builder_.CreateCall(
                                                  runtimeFunction("tenon_stopped", builder_.getInt32Ty(), {}))));
  builder_.CreateCondBr(continues, bodyBlock, exit);

  builder_.SetInsertPoint(bodyBlock);
  if (form_ == Form::kProgram)
    emitStop();
  if (failed(emitLoopBody(state)))
    return failure();
  builder_.CreateBr(header);

  builder_.SetInsertPoint(exit);
  for (unsigned i = 0; i < state.count; ++i) {
    if (state.isRegister(i))
      scalars_.bind(op->getResult(i), state.phis[i]);
    else if (int home = state.carries.home[i]; home >= 0)
      restorePlace(plan_.classAt(home), state.isSwapped(i) ? state.homes[i] : state.outerPlaces[i]);
  }
  return success();
}

// Returns where the run is to end (TenonContextHead). Beside a multiplication and an addition the load and the branch,
// which is never taken, cost nothing (0.75 ns a turn with and without); a loop that only counts goes from 0.35 to 0.66
// ns a turn.
void EntryEmitter::emitStop() {
  llvm::LLVMContext &context = module_.getContext();
  llvm::Value *flag = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), function_->getArg(0),
                                                          module_.getDataLayout().getPointerSize());
  auto *load = builder_.CreateAlignedLoad(builder_.getInt32Ty(), flag, llvm::Align(4), "stop");
  load->setAtomic(llvm::AtomicOrdering::Monotonic);
  auto *stopped = llvm::BasicBlock::Create(context, "stopped", function_);
  auto *on = llvm::BasicBlock::Create(context, "on", function_);
  builder_.CreateCondBr(builder_.CreateIsNotNull(load), stopped, on,
                        llvm::MDBuilder(context).createUnlikelyBranchWeights());
  // A signal has to be looked at first, and the run may go on after it.
  auto *ends = llvm::BasicBlock::Create(context, "ends", function_);
  builder_.SetInsertPoint(stopped);
  llvm::Value *confirmed = builder_.CreateCall(runtimeFunction("tenon_stopped", builder_.getInt32Ty(), {}));
  builder_.CreateCondBr(builder_.CreateIsNotNull(confirmed), ends, on);
  builder_.SetInsertPoint(ends);
  builder_.CreateRet(builder_.getInt32(1));
  builder_.SetInsertPoint(on);
}

LogicalResult EntryEmitter::emitInitialValues(LoopState &state) {
  const CarryPlan &carries = state.carries;
  for (unsigned i = 0; i < state.count; ++i) {
    if (carries.home[i] >= 0)
      state.outerPlaces[i] = moved_.lookup(&plan_.classAt(carries.home[i]));
    Value init = state.loop->getOperand(i);
    if (state.isRegister(i)) {
      FailureOr<Element> element = scalars_.element(init);
      if (failed(element))
        return failure();
      state.initial[i] = *element;
    } else if (carries.home[i] >= 0) {
      const BufferClass &home = plan_.classAt(carries.home[i]);
      state.homes[i] = pointerOfClass(home);
      if (!plan_.hasClass(init) || &plan_.classOf(init) != &home)
        copy(state.homes[i], pointerOf(init), home.bytes);
      if (state.isSwapped(i))
        state.others[i] = pointerOfClass(plan_.classAt(carries.other[i]));
    }
  }
  return success();
}

void EntryEmitter::emitLoopPhis(LoopState &state, llvm::BasicBlock *before) {
  Block &cond = state.loop.getCond().front(), &body = state.loop.getBody().front();
  for (unsigned i = 0; i < state.count; ++i) {
    if (state.isRegister(i)) {
      state.phis[i] = elementPhi(elementType(state.loop->getOperand(i)), 2);
      addIncoming(state.phis[i], state.initial[i], before);
      scalars_.bind(cond.getArgument(i), state.phis[i]);
      scalars_.bind(body.getArgument(i), state.phis[i]);
    } else if (state.isSwapped(i)) {
      state.current[i] = builder_.CreatePHI(builder_.getPtrTy(), 2);
      state.next[i] = builder_.CreatePHI(builder_.getPtrTy(), 2);
      state.current[i]->addIncoming(state.homes[i], before);
      state.next[i]->addIncoming(state.others[i], before);
      state.homes[i] = state.current[i];
      moved_[&plan_.classAt(state.carries.home[i])] = state.current[i];
      moved_[&plan_.classAt(state.carries.other[i])] = state.next[i];
    }
  }
}

// One iteration, and what it gives to the next.
LogicalResult EntryEmitter::emitLoopBody(LoopState &state) {
  Block &body = state.loop.getBody().front();
  if (failed(emitBlock(body)))
    return failure();
  Operation *terminator = body.getTerminator();
  SmallVector<Element> stepped(state.count);
  for (unsigned i = 0; i < state.count; ++i)
    if (state.isRegister(i)) {
      FailureOr<Element> element = scalars_.element(terminator->getOperand(i));
      if (failed(element))
        return failure();
      stepped[i] = *element;
    }
  storeCarried(state.loop, terminator, state.homes);
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  for (unsigned i = 0; i < state.count; ++i) {
    if (state.isRegister(i)) {
      addIncoming(state.phis[i], stepped[i], latch);
    } else if (state.isSwapped(i)) {
      state.current[i]->addIncoming(state.next[i], latch);
      state.next[i]->addIncoming(state.current[i], latch);
    }
  }
  return success();
}

// An inner loop may have exchanged the same buffer.
void EntryEmitter::restorePlace(const BufferClass &buffer, llvm::Value *place) {
  if (place)
    moved_[&buffer] = place;
  else
    moved_.erase(&buffer);
}

// Brings the next values of copied carried arrays home. Values that are themselves homes go through temporaries first.
void EntryEmitter::storeCarried(Operation *loop, Operation *terminator, ArrayRef<llvm::Value *> homes) {
  const CarryPlan &carries = plan_.loop(loop);
  auto each = [&](CarryMode mode, auto &&store) {
    for (unsigned i = 0; i < homes.size(); ++i)
      if (carries.modes[i] == mode)
        store(i, terminator->getOperand(i));
  };
  each(CarryMode::kCopyThroughTemp, [&](unsigned i, Value value) {
    copy(pointerOfClass(plan_.classAt(carries.other[i])), pointerOf(value), tensorBytes(value.getType()));
  });
  each(CarryMode::kCopy,
       [&](unsigned i, Value value) { copy(homes[i], pointerOf(value), tensorBytes(value.getType())); });
  each(CarryMode::kCopyThroughTemp, [&](unsigned i, Value value) {
    copy(homes[i], pointerOfClass(plan_.classAt(carries.other[i])), tensorBytes(value.getType()));
  });
}

LogicalResult EntryEmitter::emitBranch(Operation *op) {
  FailureOr<Element> selector = scalars_.element(op->getOperand(0));
  if (failed(selector))
    return failure();
  llvm::LLVMContext &context = module_.getContext();
  unsigned branches = op->getNumRegions();
  SmallVector<llvm::BasicBlock *> blocks;
  for (unsigned i = 0; i < branches; ++i)
    blocks.push_back(llvm::BasicBlock::Create(context, "branch", function_));
  auto *merge = llvm::BasicBlock::Create(context, "merge", function_);
  if (isa<sh::IfOp>(op)) {
    builder_.CreateCondBr(selector->re, blocks[0], blocks[1]);
  } else {
    // Out of range selects the last branch.
    auto *choice = builder_.CreateSwitch(selector->re, blocks.back(), branches - 1);
    for (unsigned i = 0; i + 1 < branches; ++i)
      choice->addCase(builder_.getInt32(i), blocks[i]);
  }

  SmallVector<SmallVector<Element>> yielded(branches);
  SmallVector<llvm::BasicBlock *> ends;
  // A loop in a branch may exchange buffers that the other branches, and what follows, have where they were.
  const llvm::DenseMap<const BufferClass *, llvm::Value *> places = moved_;
  for (unsigned i = 0; i < branches; ++i) {
    builder_.SetInsertPoint(blocks[i]);
    moved_ = places;
    Block &block = op->getRegion(i).front();
    if (failed(emitBlock(block)))
      return failure();
    for (auto [result, value] : llvm::zip(op->getResults(), block.getTerminator()->getOperands())) {
      Element element;
      if (isScalarTensor(result.getType())) {
        FailureOr<Element> scalar = scalars_.element(value);
        if (failed(scalar))
          return failure();
        element = *scalar;
      } else if (!isToken(result.getType()) && !plan_.isSame(result, value)) {
        copy(pointerOf(result), pointerOf(value), tensorBytes(result.getType()));
      }
      yielded[i].push_back(element);
    }
    ends.push_back(builder_.GetInsertBlock());
    builder_.CreateBr(merge);
  }

  moved_ = places;
  builder_.SetInsertPoint(merge);
  for (auto [k, result] : llvm::enumerate(op->getResults())) {
    if (!isScalarTensor(result.getType()))
      continue;
    Element phi = elementPhi(elementType(result), branches);
    for (unsigned i = 0; i < branches; ++i)
      addIncoming(phi, yielded[i][k], ends[i]);
    scalars_.bind(result, phi);
  }
  return success();
}

} // namespace tenon::codegen::entry
