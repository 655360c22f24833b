#include "tenon/codegen/llvm/computation.h"

#include "tenon/codegen/llvm/element/scalar_evaluator.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

// Calls the function on one element of each argument.
SmallVector<Element> callOutlined(llvm::IRBuilderBase &b, llvm::Function *function, ArrayRef<Element> arguments,
                                  TypeRange resultTypes) {
  SmallVector<llvm::Value *> parts;
  for (const Element &argument : arguments) {
    parts.push_back(argument.re);
    if (argument.im)
      parts.push_back(argument.im);
  }
  llvm::Value *call = b.CreateCall(function, parts);
  SmallVector<Element> results;
  unsigned part = 0;
  for (Type type : resultTypes) {
    Element &result = results.emplace_back(Element{b.CreateExtractValue(call, part++)});
    if (isa<ComplexType>(cast<RankedTensorType>(type).getElementType()))
      result.im = b.CreateExtractValue(call, part++);
  }
  return results;
}

void addIncoming(const Element &phi, const Element &value, llvm::BasicBlock *from) {
  cast<llvm::PHINode>(phi.re)->addIncoming(value.re, from);
  if (phi.im)
    cast<llvm::PHINode>(phi.im)->addIncoming(value.im, from);
}

Element phiOf(llvm::IRBuilderBase &b, const Element &value, llvm::BasicBlock *from) {
  Element phi{b.CreatePHI(value.re->getType(), 2), value.im ? b.CreatePHI(value.im->getType(), 2) : nullptr};
  addIncoming(phi, value, from);
  return phi;
}

// The same for every lane that the mask leaves.
SmallVector<Element> callLanes(llvm::IRBuilderBase &b, llvm::Function *function, ArrayRef<Element> arguments,
                               TypeRange resultTypes, unsigned lanes, llvm::Value *mask) {
  llvm::LLVMContext &context = b.getContext();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(context, name, before->getParent()); };
  llvm::BasicBlock *head = block("lane"), *active = block("active"), *next = block("next"), *after = block("after");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode *lane = b.CreatePHI(b.getInt32Ty(), 2);
  lane->addIncoming(b.getInt32(0), before);
  SmallVector<Element> vectors, filled, joined;
  for (Type type : resultTypes)
    vectors.push_back(phiOf(b, zeroElement(context, cast<RankedTensorType>(type).getElementType(), lanes), before));
  if (mask)
    b.CreateCondBr(b.CreateExtractElement(mask, lane), active, next);
  else
    b.CreateBr(active);

  b.SetInsertPoint(active);
  SmallVector<Element> scalars;
  for (const Element &argument : arguments)
    scalars.push_back(extractLane(b, argument, lane));
  for (auto [vector, result] : llvm::zip(vectors, callOutlined(b, function, scalars, resultTypes)))
    filled.push_back(insertLane(b, vector, result, lane));
  b.CreateBr(next);

  b.SetInsertPoint(next);
  for (auto [old, element] : llvm::zip(vectors, filled)) {
    joined.push_back(phiOf(b, element, active));
    if (mask)
      addIncoming(joined.back(), old, head);
  }
  llvm::Value *following = b.CreateAdd(lane, b.getInt32(1));
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt32(lanes)), head, after);
  lane->addIncoming(following, next);
  for (auto [phi, element] : llvm::zip(vectors, joined))
    addIncoming(phi, element, next);
  b.SetInsertPoint(after);
  return joined;
}

} // namespace

bool isComputationSupported(Region &computation, const KernelTarget &target) {
  return isScalarRegionSupported(computation) || target.canOutlineComputation(computation);
}

FailureOr<SmallVector<Element>> Computations::emit(llvm::IRBuilderBase &b, Region &computation,
                                                   ArrayRef<Element> arguments, unsigned lanes, llvm::Value *mask) {
  if (isScalarRegionSupported(computation))
    return emitScalarRegion(b, computation, arguments, lanes);
  FailureOr<llvm::Function *> callee = target_.outlineComputation(computation, *b.GetInsertBlock()->getModule());
  if (failed(callee))
    return failure();
  auto types = computation.front().getTerminator()->getOperandTypes();
  return lanes == 1 ? callOutlined(b, *callee, arguments, types) : callLanes(b, *callee, arguments, types, lanes, mask);
}

} // namespace tenon::codegen
