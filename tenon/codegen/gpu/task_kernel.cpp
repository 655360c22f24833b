#include "tenon/codegen/gpu/task_kernel.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/pass_analyses.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
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

// Calls the task of the running thread, if there is one. The threads are few enough for 32 bits, in which places are
// computed from the number then.
static CallInst *emitThreadTask(Function &tasks, GpuBuilder &gpu, Function *kernel, Value *row, Value *scratch) {
  using Number = GpuBuilder::Number;
  IRBuilder<> &b = gpu.b;
  Value *first = b.CreateNUWMul(gpu.number(Number::kBlock), gpu.number(Number::kThreads));
  Value *task = b.CreateZExt(b.CreateNUWAdd(first, gpu.number(Number::kThread)), b.getInt64Ty());
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

// Whether `end` is at most so many behind `begin`. It is for elements of a task, which are cut at the end of a
// dimension, and of which whole vectors are taken.
static bool isWithin(Value *end, Value *begin, uint64_t count) {
  using namespace PatternMatch;
  Value *x = nullptr, *y = nullptr;
  const APInt *distance = nullptr;
  if (end == begin || (match(end, m_Add(m_Specific(begin), m_APInt(distance))) && distance->sle(int64_t(count))))
    return true;
  if (match(end, m_SMin(m_Value(x), m_Value(y))))
    return isWithin(x, begin, count) || isWithin(y, begin, count);
  if (match(end, m_SMax(m_Value(x), m_Value(y))))
    return isWithin(x, begin, count) && isWithin(y, begin, count);
  if (match(end, m_Add(m_Specific(begin), m_And(m_Sub(m_Value(x), m_Specific(begin)), m_APInt(distance)))))
    return match(x, m_SMax(m_Value(), m_Specific(begin))) && isWithin(x, begin, count);
  return match(begin, m_Mul(m_Value(x), m_APInt(distance))) && distance->isStrictlyPositive() && distance->ule(count) &&
         match(end, m_Mul(m_Add(m_Specific(x), m_One()), m_SpecificInt(*distance)));
}

// Takes the way back out of a loop that ends at `branch`, if it runs once when it is entered.
static void removeSingleIteration(BranchInst &branch) {
  using namespace PatternMatch;
  Value *counter = nullptr, *end = nullptr;
  const APInt *step = nullptr;
  if (!match(branch.getCondition(),
             m_SpecificICmp(ICmpInst::ICMP_SLT, m_Add(m_Value(counter), m_APInt(step)), m_Value(end))))
    return;
  auto *phi = dyn_cast<PHINode>(counter);
  BasicBlock *head = branch.getSuccessor(0), *latch = branch.getParent();
  if (!phi || phi->getParent() != head || phi->getNumIncomingValues() != 2 || phi->getBasicBlockIndex(latch) < 0 ||
      !step->isStrictlyPositive())
    return;
  Value *begin = phi->getIncomingValue(1 - unsigned(phi->getBasicBlockIndex(latch)));
  if (!isWithin(end, begin, step->getZExtValue()))
    return;
  head->removePredecessor(latch);
  BranchInst::Create(branch.getSuccessor(1), branch.getIterator());
  branch.eraseFromParent();
}

// The same for a loop over the tasks from `task` to `end`, the next one, that asks at its beginning, and has no other
// value from iteration to iteration.
static void removeTaskLoop(ICmpInst &compare, Value *task, Value *end) {
  using namespace PatternMatch;
  auto *counter = dyn_cast<PHINode>(compare.getOperand(0));
  auto *branch = compare.hasOneUse() ? dyn_cast<BranchInst>(compare.user_back()) : nullptr;
  if (!counter || !branch || compare.getPredicate() != ICmpInst::ICMP_SLT || compare.getOperand(1) != end)
    return;
  BasicBlock *head = counter->getParent();
  if (branch->getParent() != head || &head->front() != counter || isa<PHINode>(counter->getNextNode()) ||
      counter->getNumIncomingValues() != 2)
    return;
  const unsigned first = counter->getIncomingValue(0) == task ? 0 : 1;
  BasicBlock *latch = counter->getIncomingBlock(1 - first);
  auto *back = dyn_cast<BranchInst>(latch->getTerminator());
  if (counter->getIncomingValue(first) != task || !back || back->isConditional() ||
      !match(counter->getIncomingValue(1 - first), m_Add(m_Specific(counter), m_One())))
    return;
  back->setSuccessor(0, branch->getSuccessor(1));
  back->setMetadata(LLVMContext::MD_loop, nullptr);
  branch->getSuccessor(1)->replacePhiUsesWith(head, latch);
  counter->replaceAllUsesWith(task);
  counter->eraseFromParent();
  BranchInst::Create(branch->getSuccessor(0), branch->getIterator());
  branch->eraseFromParent();
}

// Leaves the bodies of loops that run once for the one task: over tasks, and over the vectors of a task that has one.
static void removeSingleIterations(Function &kernel, Value *task, Value *end) {
  for (User *user : make_early_inc_range(end->users()))
    if (auto *compare = dyn_cast<ICmpInst>(user))
      removeTaskLoop(*compare, task, end);
  for (BasicBlock &block : kernel)
    if (auto *branch = dyn_cast<BranchInst>(block.getTerminator()); branch && branch->isConditional())
      removeSingleIteration(*branch);
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
  Value *task = call->getArgOperand(1), *end = call->getArgOperand(2);
  InlineFunctionInfo info;
  [[maybe_unused]] InlineResult inlined = InlineFunction(*call, info);
  assert(inlined.isSuccess() && "a function of tasks is plain code");
  tasks.eraseFromParent();
  if (taker != TaskTaker::kThreads)
    removeSingleIterations(*kernel, task, end);
  markPointers(*row, gpu);
  inferMemory(*kernel);
  return kernel;
}

// A call in the function that is to be inlined; none: null.
static CallInst *findInlined(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (Function *callee = call->getCalledFunction();
          callee && !callee->isDeclaration() && callee->hasFnAttribute(Attribute::AlwaysInline))
        return call;
  return nullptr;
}

// Takes and puts elements of vectors by selection, where their numbers are computed: the vectors would be in memory.
static void selectLanes(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    const bool isInsertion = isa<InsertElementInst>(instruction);
    if (!isInsertion && !isa<ExtractElementInst>(instruction))
      continue;
    Value *vector = instruction.getOperand(0), *number = instruction.getOperand(isInsertion ? 2 : 1);
    if (isa<ConstantInt>(number))
      continue;
    IRBuilder<> b(&instruction);
    Value *chosen = isInsertion ? vector : b.CreateExtractElement(vector, uint64_t(0));
    for (uint64_t lane = 0; lane < cast<FixedVectorType>(vector->getType())->getNumElements(); ++lane) {
      Value *isHere = b.CreateICmpEQ(number, ConstantInt::get(number->getType(), lane));
      Value *element = b.CreateExtractElement(vector, lane);
      chosen = isInsertion
                   ? b.CreateInsertElement(chosen, b.CreateSelect(isHere, instruction.getOperand(1), element), lane)
                   : b.CreateSelect(isHere, element, chosen);
    }
    instruction.replaceAllUsesWith(chosen);
    instruction.eraseFromParent();
  }
}

void inlineComputations(Module &module) {
  SmallVector<Function *> inlined;
  for (Function &function : module) {
    if (function.hasFnAttribute(Attribute::AlwaysInline)) {
      inlined.push_back(&function);
      continue;
    }
    CallInst *call = findInlined(function);
    if (!call)
      continue;
    // Computations may have others in them, but none itself.
    for (; call; call = findInlined(function)) {
      InlineFunctionInfo info;
      [[maybe_unused]] InlineResult result = InlineFunction(*call, info);
      assert(result.isSuccess() && "a computation is plain code");
    }
    selectLanes(function); // a computation is called for each lane of vectors
    simplify(function);
  }
  for (Function *function : inlined)
    function->dropAllReferences();
  for (Function *function : inlined)
    function->eraseFromParent();
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
