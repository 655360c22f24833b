// Loops and branches of the entry function. Carried scalars are phis; a carried array stays in its buffer, or two
// buffers change roles (the phis are then the pointers), or it is copied: the buffer plan says which.

#include "tenon/codegen/cpu/element.h"
#include "tenon/codegen/cpu/entry_emitter.h"
#include "tenon/ir/stablehlo.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

Element EntryEmitter::elementPhi(Type type, unsigned incoming) {
  llvm::Type *valueForm = valueType(module.getContext(), type, 1);
  Element phi;
  phi.re = builder.CreatePHI(valueForm, incoming);
  if (isa<ComplexType>(type))
    phi.im = builder.CreatePHI(valueForm, incoming);
  return phi;
}

void EntryEmitter::addIncoming(Element phi, Element value, llvm::BasicBlock *block) {
  cast<llvm::PHINode>(phi.re)->addIncoming(value.re, block);
  if (phi.im)
    cast<llvm::PHINode>(phi.im)->addIncoming(value.im, block);
}

LogicalResult EntryEmitter::emitWhile(Operation *op) {
  auto loop = cast<sh::WhileOp>(op);
  const CarryPlan &carries = plan.loop(op);
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  unsigned count = op->getNumOperands();
  auto isRegister = [&](unsigned i) { return isScalarTensor(op->getOperand(i).getType()); };

  // Initial values.
  SmallVector<Element> initial(count);
  SmallVector<llvm::Value *> homes(count), others(count), outerPlaces(count);
  for (unsigned i = 0; i < count; ++i) {
    if (carries.home[i] >= 0)
      outerPlaces[i] = moved.lookup(&plan.classAt(carries.home[i]));
    Value init = op->getOperand(i);
    if (isRegister(i)) {
      FailureOr<Element> element = scalarOf(init);
      if (failed(element))
        return failure();
      initial[i] = *element;
    } else if (carries.home[i] >= 0) {
      const BufferClass &home = plan.classAt(carries.home[i]);
      homes[i] = pointerOfClass(home);
      if (!plan.hasClass(init) || &plan.classOf(init) != &home)
        copy(homes[i], pointerOf(init), home.bytes);
      if (carries.modes[i] == CarryMode::kSwap)
        others[i] = pointerOfClass(plan.classAt(carries.other[i]));
    }
  }

  llvm::LLVMContext &context = module.getContext();
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(context, "while", function);
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  SmallVector<Element> phis(count);
  SmallVector<llvm::PHINode *> current(count), next(count);
  for (unsigned i = 0; i < count; ++i) {
    if (isRegister(i)) {
      phis[i] = elementPhi(elementType(op->getOperand(i)), 2);
      addIncoming(phis[i], initial[i], before);
      scalars[cond.getArgument(i)] = phis[i];
      scalars[body.getArgument(i)] = phis[i];
    } else if (carries.modes[i] == CarryMode::kSwap) {
      current[i] = builder.CreatePHI(builder.getPtrTy(), 2);
      next[i] = builder.CreatePHI(builder.getPtrTy(), 2);
      current[i]->addIncoming(homes[i], before);
      next[i]->addIncoming(others[i], before);
      homes[i] = current[i];
      moved[&plan.classAt(carries.home[i])] = current[i];
      moved[&plan.classAt(carries.other[i])] = next[i];
    }
  }
  if (failed(emitBlock(cond)))
    return failure();
  FailureOr<Element> predicate = scalarOf(cond.getTerminator()->getOperand(0));
  if (failed(predicate))
    return failure();
  auto *bodyBlock = llvm::BasicBlock::Create(context, "do", function);
  auto *exit = llvm::BasicBlock::Create(context, "done", function);
  builder.CreateCondBr(predicate->re, bodyBlock, exit);

  builder.SetInsertPoint(bodyBlock);
  if (failed(emitBlock(body)))
    return failure();
  Operation *terminator = body.getTerminator();
  SmallVector<Element> stepped(count);
  for (unsigned i = 0; i < count; ++i)
    if (isRegister(i)) {
      FailureOr<Element> element = scalarOf(terminator->getOperand(i));
      if (failed(element))
        return failure();
      stepped[i] = *element;
    }
  storeCarried(op, terminator, homes);
  llvm::BasicBlock *latch = builder.GetInsertBlock();
  for (unsigned i = 0; i < count; ++i) {
    if (isRegister(i)) {
      addIncoming(phis[i], stepped[i], latch);
    } else if (carries.modes[i] == CarryMode::kSwap) {
      current[i]->addIncoming(next[i], latch);
      next[i]->addIncoming(current[i], latch);
    }
  }
  builder.CreateBr(header);

  builder.SetInsertPoint(exit);
  for (unsigned i = 0; i < count; ++i) {
    if (isRegister(i))
      scalars[op->getResult(i)] = phis[i];
    else if (carries.home[i] >= 0)
      restorePlace(plan.classAt(carries.home[i]), carries.modes[i] == CarryMode::kSwap ? homes[i] : outerPlaces[i]);
  }
  return success();
}

// An inner loop may have exchanged the same buffer.
void EntryEmitter::restorePlace(const BufferClass &buffer, llvm::Value *place) {
  if (place)
    moved[&buffer] = place;
  else
    moved.erase(&buffer);
}

// Brings the next values of copied carried arrays home. Values that are themselves homes go through temporaries first.
void EntryEmitter::storeCarried(Operation *loop, Operation *terminator, ArrayRef<llvm::Value *> homes) {
  const CarryPlan &carries = plan.loop(loop);
  auto each = [&](CarryMode mode, auto &&store) {
    for (unsigned i = 0; i < homes.size(); ++i)
      if (carries.modes[i] == mode)
        store(i, terminator->getOperand(i));
  };
  each(CarryMode::kCopyThroughTemp, [&](unsigned i, Value value) {
    copy(pointerOfClass(plan.classAt(carries.other[i])), pointerOf(value), tensorBytes(value.getType()));
  });
  each(CarryMode::kCopy,
       [&](unsigned i, Value value) { copy(homes[i], pointerOf(value), tensorBytes(value.getType())); });
  each(CarryMode::kCopyThroughTemp, [&](unsigned i, Value value) {
    copy(homes[i], pointerOfClass(plan.classAt(carries.other[i])), tensorBytes(value.getType()));
  });
}

LogicalResult EntryEmitter::emitBranch(Operation *op) {
  FailureOr<Element> selector = scalarOf(op->getOperand(0));
  if (failed(selector))
    return failure();
  llvm::LLVMContext &context = module.getContext();
  unsigned branches = op->getNumRegions();
  SmallVector<llvm::BasicBlock *> blocks;
  for (unsigned i = 0; i < branches; ++i)
    blocks.push_back(llvm::BasicBlock::Create(context, "branch", function));
  auto *merge = llvm::BasicBlock::Create(context, "merge", function);
  if (isa<sh::IfOp>(op)) {
    builder.CreateCondBr(selector->re, blocks[0], blocks[1]);
  } else {
    // Out of range selects the last branch.
    auto *choice = builder.CreateSwitch(selector->re, blocks.back(), branches - 1);
    for (unsigned i = 0; i + 1 < branches; ++i)
      choice->addCase(builder.getInt32(i), blocks[i]);
  }

  SmallVector<SmallVector<Element>> yielded(branches);
  SmallVector<llvm::BasicBlock *> ends;
  for (unsigned i = 0; i < branches; ++i) {
    builder.SetInsertPoint(blocks[i]);
    Block &block = op->getRegion(i).front();
    if (failed(emitBlock(block)))
      return failure();
    for (auto [result, value] : llvm::zip(op->getResults(), block.getTerminator()->getOperands())) {
      Element element;
      if (isScalarTensor(result.getType())) {
        FailureOr<Element> scalar = scalarOf(value);
        if (failed(scalar))
          return failure();
        element = *scalar;
      } else if (!isToken(result.getType()) && !plan.isSame(result, value)) {
        copy(pointerOf(result), pointerOf(value), tensorBytes(result.getType()));
      }
      yielded[i].push_back(element);
    }
    ends.push_back(builder.GetInsertBlock());
    builder.CreateBr(merge);
  }

  builder.SetInsertPoint(merge);
  for (auto [k, result] : llvm::enumerate(op->getResults())) {
    if (!isScalarTensor(result.getType()))
      continue;
    Element phi = elementPhi(elementType(result), branches);
    for (unsigned i = 0; i < branches; ++i)
      addIncoming(phi, yielded[i][k], ends[i]);
    scalars[result] = phi;
  }
  return success();
}

} // namespace tenon::codegen
