#include "tenon/codegen/gpu/task_kernel.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/pass_analyses.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

constexpr unsigned kGeneric = 0; // address space
constexpr int64_t kBufferAlignment = 16;

// A pointer that is loaded from the row points to aligned global memory. The latter is said by the type of what is
// loaded: of two casts, there and back, nothing would be left.
void markPointer(LoadInst &load, Type *global) {
  LLVMContext &context = load.getContext();
  IRBuilder<> b(&load);
  LoadInst *pointer = b.CreateAlignedLoad(global, load.getPointerOperand(), load.getAlign());
  pointer->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context, {}));
  pointer->setMetadata(LLVMContext::MD_align,
                       MDNode::get(context, ConstantAsMetadata::get(b.getInt64(kBufferAlignment))));
  load.replaceAllUsesWith(b.CreateAddrSpaceCast(pointer, load.getType()));
  load.eraseFromParent();
}

} // namespace

void markPointers(Value &row, GpuBuilder &gpu) {
  for (User *user : make_early_inc_range(row.users())) {
    if (auto *place = dyn_cast<GetElementPtrInst>(user))
      markPointers(*place, gpu);
    else if (auto *load = dyn_cast<LoadInst>(user); load && load->getType()->isPointerTy())
      markPointer(*load, gpu.globalPointerType());
  }
}

void inferMemory(Function &kernel) {
  runPasses(kernel, [](PassBuilder &) {
    FunctionPassManager passes;
    passes.addPass(SROAPass(SROAOptions::PreserveCFG)); // tables of the pointers that a part of a kernel reads
    passes.addPass(EarlyCSEPass());
    passes.addPass(InferAddressSpacesPass(kGeneric));
    passes.addPass(InferAlignmentPass());
    return passes;
  });
}

void simplify(Function &kernel) {
  runPasses(kernel, [](PassBuilder &builder) {
    FunctionPassManager passes =
        builder.buildFunctionSimplificationPipeline(OptimizationLevel::O2, ThinOrFullLTOPhase::None);
    passes.addPass(InferAlignmentPass());
    return passes;
  });
}

bool hasThreadForEachTask(int64_t tasks, int64_t scratchBytes) {
  constexpr int64_t kMostTasks = int64_t{1} << 31; // of which any driver starts as many threads
  return scratchBytes == 0 && tasks <= kMostTasks;
}

// Calls the task of the running thread, if there is one.
static CallInst *emitThreadTask(Function &tasks, GpuBuilder &gpu, Function *kernel, Value *row, Value *scratch) {
  IRBuilder<> &b = gpu.b;
  Value *task = gpu.threadInGrid();
  auto block = [&](const char *label) { return BasicBlock::Create(kernel->getContext(), label, kernel); };
  BasicBlock *body = block("body"), *after = block("after");
  b.CreateCondBr(b.CreateICmpSLT(task, gpu.parameter(1)), body, after);
  b.SetInsertPoint(body);
  CallInst *call = b.CreateCall(&tasks, {row, task, b.CreateNSWAdd(task, b.getInt64(1)), scratch});
  b.CreateBr(after);
  b.SetInsertPoint(after);
  b.CreateRetVoid();
  return call;
}

// Calls the tasks of the running thread, one after the other.
static CallInst *emitTaskLoop(Function &tasks, GpuBuilder &gpu, Function *kernel, Value *row, Value *scratch) {
  IRBuilder<> &b = gpu.b;
  auto block = [&](const char *label) { return BasicBlock::Create(kernel->getContext(), label, kernel); };
  BasicBlock *entry = b.GetInsertBlock(), *head = block("head"), *body = block("body"), *after = block("after");
  Value *first = gpu.threadInGrid(), *threads = gpu.threadsInGrid();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *task = b.CreatePHI(b.getInt64Ty(), 2);
  task->addIncoming(first, entry);
  b.CreateCondBr(b.CreateICmpSLT(task, gpu.parameter(1)), body, after);
  b.SetInsertPoint(body);
  CallInst *call = b.CreateCall(&tasks, {row, task, b.CreateNSWAdd(task, b.getInt64(1)), scratch});
  task->addIncoming(b.CreateNSWAdd(task, threads), body);
  b.CreateBr(head);
  b.SetInsertPoint(after);
  b.CreateRetVoid();
  return call;
}

static CallInst *emitBlockTask(Function &tasks, GpuBuilder &gpu, Value *row, Value *scratch) {
  IRBuilder<> &b = gpu.b;
  Value *task = gpu.blockInGrid();
  CallInst *call = b.CreateCall(&tasks, {row, task, b.CreateNSWAdd(task, b.getInt64(1)), scratch});
  b.CreateRetVoid();
  return call;
}

Function *makeTaskKernel(Function &tasks, GpuBuilder &gpu, int threads, TaskTaker taker) {
  Module &module = *tasks.getParent();
  IRBuilder<> &b = gpu.b;
  Type *global = gpu.globalPointerType(), *i64 = b.getInt64Ty();
  std::string name = tasks.getName().str();
  tasks.setName(name + "_tasks");
  Function *kernel = gpu.startKernel(module, name, {global, i64, global, i64}, threads);
  Value *row = b.CreateAddrSpaceCast(gpu.parameter(0), b.getPtrTy(kGeneric));
  Value *ofThread = b.CreateNSWMul(gpu.threadInGrid(), gpu.parameter(3));
  Value *scratch = b.CreateAddrSpaceCast(b.CreateGEP(b.getInt8Ty(), gpu.parameter(2), ofThread), b.getPtrTy(kGeneric));
  CallInst *call = taker == TaskTaker::kThread    ? emitThreadTask(tasks, gpu, kernel, row, scratch)
                   : taker == TaskTaker::kThreads ? emitTaskLoop(tasks, gpu, kernel, row, scratch)
                                                  : emitBlockTask(tasks, gpu, row, scratch);
  InlineFunctionInfo info;
  [[maybe_unused]] InlineResult inlined = InlineFunction(*call, info);
  assert(inlined.isSuccess() && "a function of tasks is plain code");
  tasks.eraseFromParent();
  markPointers(*row, gpu);
  inferMemory(*kernel);
  return kernel;
}

void removeStopChecks(Module &module) {
  Function *stopped = module.getFunction("tenon_stopped");
  if (!stopped)
    return;
  for (User *user : make_early_inc_range(stopped->users())) {
    auto *call = cast<CallInst>(user);
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
    call->eraseFromParent();
  }
  stopped->eraseFromParent();
}

void renameForPtx(Module &module) {
  auto rename = [](GlobalValue &value) {
    std::string name = value.getName().str();
    for (char &letter : name)
      if (!isAlnum(letter) && letter != '_' && letter != '$')
        letter = '_';
    if (name != value.getName() && !value.getName().starts_with("llvm."))
      value.setName(name);
  };
  for (Function &function : module)
    rename(function);
  for (GlobalVariable &variable : module.globals())
    rename(variable);
}

} // namespace tenon::codegen
