#include "tenon/codegen/llvm/math/testing/harness.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tenon::codegen::math {

using Body = function_ref<Value *(IRBuilderBase &, ArrayRef<Value *>)>;

static void *compileLoop(testing::Jit &jit, const std::string &symbol, unsigned inputs, bool isDouble, unsigned lanes,
                         Body body) {
  auto module = jit.createModule(symbol);
  LLVMContext &context = module->getContext();
  IRBuilder<> b(context);
  SmallVector<Type *> parameters(inputs + 1, b.getPtrTy());
  parameters.push_back(b.getInt64Ty());
  auto *function = Function::Create(FunctionType::get(b.getVoidTy(), parameters, false), GlobalValue::ExternalLinkage,
                                    symbol, *module);
  jit.setTargetAttributes(*function);
  auto *entry = BasicBlock::Create(context, "entry", function);
  auto *loop = BasicBlock::Create(context, "loop", function);
  auto *exit = BasicBlock::Create(context, "exit", function);
  Value *count = function->getArg(inputs + 1);
  b.SetInsertPoint(entry);
  b.CreateCondBr(b.CreateICmpSGT(count, b.getInt64(0)), loop, exit);
  b.SetInsertPoint(loop);
  PHINode *index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(b.getInt64(0), entry);
  Type *element = isDouble ? b.getDoubleTy() : b.getFloatTy();
  Type *type = lanes > 1 ? FixedVectorType::get(element, lanes) : element;
  Align align(isDouble ? 8 : 4);
  SmallVector<Value *> arguments;
  for (unsigned i = 0; i < inputs; ++i)
    arguments.push_back(b.CreateAlignedLoad(type, b.CreateGEP(element, function->getArg(i), index), align));
  Value *result = body(b, arguments);
  b.CreateAlignedStore(result, b.CreateGEP(element, function->getArg(inputs), index), align);
  Value *next = b.CreateAdd(index, b.getInt64(lanes));
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, count), loop, exit);
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  jit.add(std::move(module));
  return reinterpret_cast<void *>(jit.lookup<void()>(symbol));
}

UnaryLoop *compileUnary(testing::Jit &jit, const std::string &symbol, const UnaryBody &body, bool isDouble,
                        unsigned lanes) {
  return reinterpret_cast<UnaryLoop *>(compileLoop(
      jit, symbol, 1, isDouble, lanes, [&](IRBuilderBase &b, ArrayRef<Value *> a) { return body(F{&b, a[0]}).v; }));
}

BinaryLoop *compileBinary(testing::Jit &jit, const std::string &symbol, const BinaryBody &body, bool isDouble,
                          unsigned lanes) {
  return reinterpret_cast<BinaryLoop *>(
      compileLoop(jit, symbol, 2, isDouble, lanes,
                  [&](IRBuilderBase &b, ArrayRef<Value *> a) { return body(F{&b, a[0]}, F{&b, a[1]}).v; }));
}

} // namespace tenon::codegen::math
