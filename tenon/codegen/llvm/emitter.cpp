#include "tenon/codegen/llvm/emitter.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen {

SmallVector<llvm::Type *, 4> kernelParameters(LLVMContext &context) {
  llvm::Type *pointer = PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
  return {pointer, i64, i64, pointer};
}

Emitter::Emitter(Module &module, StringRef name, ArrayRef<Type *> parameters, bool internal) : b(module.getContext()) {
  FunctionType *type = FunctionType::get(b.getVoidTy(), parameters, false);
  function =
      Function::Create(type, internal ? GlobalValue::InternalLinkage : GlobalValue::ExternalLinkage, name, module);
  function->addFnAttr(Attribute::NoUnwind);
  if (internal)
    function->addFnAttr(Attribute::NoInline);
  b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
}

Value *Emitter::add(Value *x, Value *y) {
  if (auto *c = dyn_cast<ConstantInt>(x); c && c->isZero())
    return y;
  if (auto *c = dyn_cast<ConstantInt>(y); c && c->isZero())
    return x;
  return b.CreateAdd(x, y, "", false, true);
}

Value *Emitter::mul(Value *x, int64_t y) {
  if (y == 1)
    return x;
  return y == 0 ? i64(0) : b.CreateMul(x, i64(y), "", false, true);
}

Value *Emitter::udiv(Value *x, int64_t y) { return y == 1 ? x : b.CreateUDiv(x, i64(y)); }
Value *Emitter::urem(Value *x, int64_t y) { return y == 1 ? i64(0) : b.CreateURem(x, i64(y)); }

Value *Emitter::min(Value *x, Value *y) { return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y); }

Value *Emitter::gep(Type *element, Value *pointer, Value *index) {
  if (auto *c = dyn_cast<ConstantInt>(index); c && c->isZero())
    return pointer;
  return b.CreateGEP(element, pointer, index);
}

static Align alignmentOf(Type *type, int64_t align) {
  if (align)
    return Align(align);
  return Align(PowerOf2Ceil(std::max<uint64_t>(1, type->getScalarSizeInBits() / 8)));
}

Value *Emitter::load(Type *type, Value *pointer, int64_t align) {
  if (type->isPointerTy())
    align = 8;
  return b.CreateAlignedLoad(type, pointer, alignmentOf(type, align));
}

void Emitter::store(Value *value, Value *pointer, int64_t align) {
  b.CreateAlignedStore(value, pointer, alignmentOf(value->getType(), align));
}

Value *Emitter::buffer(Value *table, int index) { return load(b.getPtrTy(), gep(b.getPtrTy(), table, index)); }

Value *Emitter::opaque(Value *value) {
  // Where there are threads by the thousand, addresses are simple, and a register is not one for every type.
  if (function->getParent()->getTargetTriple().isNVPTX())
    return value;
  FunctionType *type = FunctionType::get(value->getType(), {value->getType()}, false);
  return b.CreateCall(InlineAsm::get(type, "", "=r,0", false), {value});
}

// The cleanup passes leave loops alone, and the code generator's unroller must too: kernels are unrolled by hand.
static void disableUnrolling(LLVMContext &context, Instruction *latch) {
  Metadata *flag = MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.disable")});
  MDNode *node = MDNode::getDistinct(context, {nullptr, flag});
  node->replaceOperandWith(0, node);
  latch->setMetadata(LLVMContext::MD_loop, node);
}

Values Emitter::loop(Value *lo, Value *hi, Value *step, ArrayRef<Value *> init,
                     function_ref<Values(Value *, ArrayRef<Value *>)> body) {
  LLVMContext &context = b.getContext();
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *head = BasicBlock::Create(context, "head", function);
  BasicBlock *inside = BasicBlock::Create(context, "body", function);
  BasicBlock *after = BasicBlock::Create(context, "after", function);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(lo, before);
  SmallVector<PHINode *, 32> phis;
  Values carried;
  for (Value *value : init) {
    PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    phis.push_back(phi);
    carried.push_back(phi);
  }
  b.CreateCondBr(b.CreateICmpSLT(i, hi), inside, after);
  b.SetInsertPoint(inside);
  Values next = body(i, carried);
  Value *following = b.CreateAdd(i, step, "", false, true);
  if (opaqueLoops)
    following = opaque(following);
  BasicBlock *latch = b.GetInsertBlock();
  disableUnrolling(context, b.CreateBr(head));
  i->addIncoming(following, latch);
  for (auto [phi, value] : llvm::zip_equal(phis, next))
    phi->addIncoming(value, latch);
  b.SetInsertPoint(after);
  return carried;
}

void Emitter::loop(Value *lo, Value *hi, int64_t step, function_ref<void(Value *)> body) {
  if (auto *l = dyn_cast<ConstantInt>(lo))
    if (auto *h = dyn_cast<ConstantInt>(hi)) {
      if (l->getSExtValue() >= h->getSExtValue())
        return;
      if (l->getSExtValue() + step >= h->getSExtValue())
        return body(lo);
    }
  loop(lo, hi, i64(step), {}, [&](Value *i, ArrayRef<Value *>) {
    body(i);
    return Values();
  });
}

void Emitter::whileLess(Value *lo, Value *hi, function_ref<Value *(Value *)> body) {
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *head = BasicBlock::Create(b.getContext(), "head", function);
  BasicBlock *inside = BasicBlock::Create(b.getContext(), "body", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "after", function);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(lo, before);
  b.CreateCondBr(b.CreateICmpSLT(i, hi), inside, after);
  b.SetInsertPoint(inside);
  Value *next = body(i);
  i->addIncoming(next, b.GetInsertBlock());
  disableUnrolling(b.getContext(), b.CreateBr(head));
  b.SetInsertPoint(after);
}

Values Emitter::countDown(Value *count, ArrayRef<Value *> init, function_ref<Values(ArrayRef<Value *>)> body) {
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *inside = BasicBlock::Create(b.getContext(), "body", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "after", function);
  b.CreateBr(inside);
  b.SetInsertPoint(inside);
  PHINode *left = b.CreatePHI(b.getInt64Ty(), 2);
  left->addIncoming(count, before);
  SmallVector<PHINode *, 32> phis;
  Values carried;
  for (Value *value : init) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    carried.push_back(phis.back());
  }
  Values next = body(carried);
  Value *fewer = b.CreateSub(left, i64(1));
  BasicBlock *latch = b.GetInsertBlock();
  BranchInst *branch = b.CreateCondBr(b.CreateICmpNE(fewer, i64(0)), inside, after);
  disableUnrolling(b.getContext(), branch);
  left->addIncoming(fewer, latch);
  for (auto [phi, value] : llvm::zip_equal(phis, next))
    phi->addIncoming(value, latch);
  b.SetInsertPoint(after);
  return next;
}

void Emitter::ifThen(Value *condition, function_ref<void()> then) {
  if (auto *c = dyn_cast<ConstantInt>(condition)) {
    if (c->isOne())
      then();
    return;
  }
  BasicBlock *inside = BasicBlock::Create(b.getContext(), "then", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "end", function);
  b.CreateCondBr(condition, inside, after);
  b.SetInsertPoint(inside);
  then();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

Values Emitter::ifElse(Value *condition, function_ref<Values()> then, function_ref<Values()> otherwise) {
  if (auto *c = dyn_cast<ConstantInt>(condition))
    return c->isOne() ? then() : otherwise();
  BasicBlock *yes = BasicBlock::Create(b.getContext(), "then", function);
  BasicBlock *no = BasicBlock::Create(b.getContext(), "else", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "end", function);
  b.CreateCondBr(condition, yes, no);
  b.SetInsertPoint(yes);
  Values first = then();
  yes = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(no);
  Values second = otherwise();
  no = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  Values merged;
  for (auto [x, y] : llvm::zip_equal(first, second)) {
    PHINode *phi = b.CreatePHI(x->getType(), 2);
    phi->addIncoming(x, yes);
    phi->addIncoming(y, no);
    merged.push_back(phi);
  }
  return merged;
}

StridedDims collapse(ArrayRef<StridedDims::Dim> dims) {
  StridedDims result;
  for (const StridedDims::Dim &dim : dims) {
    if (dim.size == 1)
      continue;
    if (!result.dims.empty() && result.dims.back().stride == dim.stride * dim.size) {
      result.dims.back() = {result.dims.back().size * dim.size, dim.stride};
      continue;
    }
    result.dims.push_back(dim);
  }
  if (result.dims.empty())
    result.dims.push_back({1, 1});
  return result;
}

Value *offsetOf(Emitter &e, const StridedDims &dims, Value *linear) {
  Value *offset = e.i64(0);
  for (size_t i = dims.dims.size(); i-- > 0;) {
    auto [size, stride] = dims.dims[i];
    Value *index = i == 0 ? linear : e.urem(linear, size);
    offset = e.add(offset, e.mul(index, stride));
    if (i)
      linear = e.udiv(linear, size);
  }
  return offset;
}

} // namespace tenon::codegen
