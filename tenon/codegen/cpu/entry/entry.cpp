#include "tenon/codegen/cpu/entry/entry.h"

#include "tenon/codegen/cpu/entry/emitter.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Matchers.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::entry {
namespace {

constexpr int64_t kParallelCopyBytes = 1 << 20;

} // namespace

EntryEmitter::EntryEmitter(func::FuncOp main, const ProgramSteps &steps, const BufferPlan &plan, llvm::Module &module,
                           llvm::StringRef symbol, Form form, double parallelNanoseconds)
    : main(main), steps(steps), plan(plan), module(module), form(form), parallelNanoseconds(parallelNanoseconds),
      builder(module.getContext()) {
  llvm::Type *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getInt32Ty(), {pointer, pointer, pointer, pointer, pointer}, false);
  bool isProgram = form == Form::kProgram;
  auto linkage = isProgram ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage;
  function = llvm::Function::Create(type, linkage, symbol, module);
  for (unsigned i = 0; i < 5; ++i)
    function->addParamAttr(i, llvm::Attribute::NoUndef);
  allocas = llvm::BasicBlock::Create(module.getContext(), "allocas", function);
  auto *start = llvm::BasicBlock::Create(module.getContext(), "start", function);
  builder.SetInsertPoint(start);
}

LogicalResult EntryEmitter::run() {
  measure();
  llvm::IRBuilder<> atAllocas(allocas);
  table = atAllocas.CreateAlloca(llvm::ArrayType::get(builder.getPtrTy(), std::max(tableSize, 1u)), nullptr, "table");
  if (form == Form::kComputation)
    scratch =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(3), computationScratchOffset(plan));
  else if (usesScratch)
    scratch = builder.CreateCall(runtimeFunction("tenon_scratch", builder.getPtrTy(), {builder.getPtrTy()}),
                                 {function->getArg(0)}, "scratch");
  else
    scratch = llvm::ConstantPointerNull::get(builder.getPtrTy());
  if (form == Form::kProgram && !steps.kernels.empty())
    isTraced = builder.CreateIsNotNull(builder.CreateLoad(builder.getPtrTy(), function->getArg(0)), "is_traced");
  for (BlockArgument argument : main.getArguments())
    loadIfNeeded(argument);
  if (failed(emitBlock(main.getBody().front())))
    return failure();
  emitReturn(main.getBody().front().getTerminator());
  llvm::IRBuilder<>(allocas).CreateBr(allocas->getNextNode());
  return success();
}

void EntryEmitter::measure() {
  for (auto &[op, kernel] : steps.kernels) {
    tableSize = std::max<unsigned>(tableSize, op->getNumOperands() + op->getNumResults() + 1);
    usesScratch |= kernel->scratchBytes > 0;
  }
  for (auto &[op, index] : steps.services)
    tableSize = std::max<unsigned>(tableSize, op->getNumOperands() + op->getNumResults());
}

llvm::FunctionCallee EntryEmitter::runtimeFunction(StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> types) {
  return module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
}

// --- Places ---

llvm::Value *EntryEmitter::tableEntry(unsigned argument, int64_t index) {
  llvm::Value *slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), function->getArg(argument), index);
  auto *load = builder.CreateLoad(builder.getPtrTy(), slot);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module.getContext(), {}));
  return load;
}

llvm::Value *EntryEmitter::pointerOfClass(const BufferClass &buffer) {
  if (auto found = moved.find(&buffer); found != moved.end())
    return found->second;
  switch (buffer.storage) {
  case BufferClass::Storage::kArena:
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(3), buffer.offset);
  case BufferClass::Storage::kArgument:
    return tableEntry(1, buffer.index);
  case BufferClass::Storage::kResult:
    return tableEntry(2, buffer.index);
  case BufferClass::Storage::kConstant:
    return tableEntry(4, buffer.index);
  }
  llvm_unreachable("unknown storage");
}

llvm::Value *EntryEmitter::pointerOf(Value value) {
  if (isToken(value.getType()))
    return llvm::ConstantPointerNull::get(builder.getPtrTy());
  if (plan.hasClass(value))
    return pointerOfClass(plan.classOf(value));
  // A scalar in registers: spill it.
  FailureOr<Element> element = scalarOf(value);
  llvm::IRBuilder<> atAllocas(allocas);
  auto *slot = atAllocas.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), 16), nullptr, "spill");
  slot->setAlignment(llvm::Align(16));
  if (succeeded(element))
    storeElements(builder, elementType(value), *element, slot, 1);
  return slot;
}

FailureOr<Element> EntryEmitter::scalarOf(Value value) {
  if (auto found = scalars.find(value); found != scalars.end())
    return found->second;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constantElement(module.getContext(), constant, 0, 1);
  if (plan.hasClass(value))
    return loadElements(builder, elementType(value), pointerOf(value), 1);
  return emitError(value.getLoc(), "internal error: a scalar is used before it is computed");
}

Type EntryEmitter::elementType(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// Whether some use wants the rank-0 value in registers.
bool EntryEmitter::needsRegister(Value value) const {
  if (!isScalarTensor(value.getType()))
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    StepKind kind = steps.kindOf(user);
    return kind == StepKind::kScalar || kind == StepKind::kWhile || kind == StepKind::kBranch ||
           (kind == StepKind::kReturn && !isa<func::FuncOp>(user->getParentOp()));
  });
}

void EntryEmitter::loadIfNeeded(Value value) {
  if (needsRegister(value) && plan.hasClass(value))
    scalars[value] = loadElements(builder, elementType(value), pointerOf(value), 1);
}

void EntryEmitter::copy(llvm::Value *to, llvm::Value *from, int64_t bytes) {
  if (to == from || bytes == 0)
    return;
  auto *different = llvm::BasicBlock::Create(module.getContext(), "copy", function);
  auto *after = llvm::BasicBlock::Create(module.getContext(), "copied", function);
  builder.CreateCondBr(builder.CreateICmpNE(to, from), different, after);
  builder.SetInsertPoint(different);
  llvm::Type *pointer = builder.getPtrTy();
  if (form == Form::kProgram && bytes >= kParallelCopyBytes)
    builder.CreateCall(
        runtimeFunction("tenon_copy", builder.getVoidTy(), {pointer, pointer, pointer, builder.getInt64Ty()}),
        {function->getArg(0), to, from, builder.getInt64(bytes)});
  else
    builder.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), bytes);
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

// --- Steps ---

LogicalResult EntryEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitStep(&op)))
      return failure();
  return success();
}

LogicalResult EntryEmitter::emitStep(Operation *op) {
  switch (steps.kindOf(op)) {
  case StepKind::kConstant:
  case StepKind::kNothing:
  case StepKind::kReturn:
    return success();
  case StepKind::kScalar:
    return emitScalar(op);
  case StepKind::kAlias:
    if (Value operand = op->getOperand(0); !plan.hasClass(operand)) {
      FailureOr<Element> element = scalarOf(operand);
      if (failed(element))
        return failure();
      storeElements(builder, elementType(operand), *element, pointerOf(op->getResult(0)), 1);
    }
    loadIfNeeded(op->getResult(0));
    return success();
  case StepKind::kKernel:
    return emitKernelCall(op, *steps.kernels.at(op));
  case StepKind::kService:
    return emitServiceCall(op, steps.services.at(op));
  case StepKind::kWhile:
    return emitWhile(op);
  case StepKind::kBranch:
    return emitBranch(op);
  }
  llvm_unreachable("unknown step");
}

LogicalResult EntryEmitter::emitScalar(Operation *op) {
  SmallVector<Element> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Element> element = scalarOf(operand);
    if (failed(element))
      return failure();
    operands.push_back(*element);
  }
  if (isa<sh::ReshapeOp>(op)) {
    scalars[op->getResult(0)] = operands[0];
    return success();
  }
  ElementContext context{builder};
  FailureOr<Element> result = emitElementwise(context, op, operands, 1);
  if (failed(result))
    return failure();
  scalars[op->getResult(0)] = *result;
  return success();
}

llvm::Value *EntryEmitter::fillTable(ArrayRef<llvm::Value *> pointers) {
  for (auto [i, pointer] : llvm::enumerate(pointers))
    builder.CreateStore(pointer, builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), table, i));
  return table;
}

LogicalResult EntryEmitter::emitKernelCall(Operation *op, const Kernel &kernel) {
  SmallVector<llvm::Value *> pointers;
  for (Value operand : op->getOperands())
    pointers.push_back(pointerOf(operand));
  unsigned firstResult = pointers.size();
  for (Value result : op->getResults())
    pointers.push_back(pointerOf(result));
  for (auto [i, init] : llvm::enumerate(kernel.resultInit))
    if (init >= 0 && !(plan.hasClass(op->getOperand(init)) && plan.isSame(op->getOperand(init), op->getResult(i))))
      copy(pointers[firstResult + i], pointers[init], tensorBytes(op->getResult(i).getType()));
  if (const BufferClass *temporary = plan.temporaryOf(op))
    pointers.push_back(pointerOfClass(*temporary));
  fillTable(pointers);

  for (const KernelPhase &phase : kernel.phases)
    if (phase.extent > 0)
      emitPhase(op, phase);
  for (Value result : op->getResults())
    loadIfNeeded(result);
  return success();
}

// Kernels are called through the runtime, which may trace them. Where a loop calls one over and over, that happens only
// while it does trace: a branch around each call would make large programs slow to compile.
void EntryEmitter::emitPhase(Operation *op, const KernelPhase &phase) {
  llvm::Type *pointer = builder.getPtrTy(), *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  llvm::Value *context = function->getArg(0), *extent = builder.getInt64(phase.extent);
  llvm::FunctionCallee callee = runtimeFunction(phase.symbol, builder.getVoidTy(), {pointer, i64, i64, pointer});
  if (form == Form::kComputation) {
    builder.CreateCall(callee, {table, builder.getInt64(0), extent, scratch});
    return;
  }
  bool isParallel = phase.extent > 1 && phase.nanoseconds >= parallelNanoseconds;
  auto callThroughRuntime = [&] {
    builder.CreateCall(
        runtimeFunction("tenon_call_kernel", builder.getVoidTy(), {pointer, i32, pointer, pointer, i64, i32}),
        {context, builder.getInt32(steps.calls.at(op)), callee.getCallee(), table, extent,
         builder.getInt32(isParallel)});
  };
  if (!op->getParentOfType<sh::WhileOp>())
    return callThroughRuntime();
  auto *traced = llvm::BasicBlock::Create(module.getContext(), "traced", function);
  auto *plain = llvm::BasicBlock::Create(module.getContext(), "plain", function);
  auto *after = llvm::BasicBlock::Create(module.getContext(), "called", function);
  builder.CreateCondBr(isTraced, traced, plain, llvm::MDBuilder(module.getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(traced);
  callThroughRuntime();
  builder.CreateBr(after);
  builder.SetInsertPoint(plain);
  if (isParallel)
    builder.CreateCall(runtimeFunction("tenon_parallel_for", builder.getVoidTy(), {pointer, pointer, pointer, i64}),
                       {context, callee.getCallee(), table, extent});
  else
    builder.CreateCall(callee, {table, builder.getInt64(0), extent, scratch});
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

LogicalResult EntryEmitter::emitServiceCall(Operation *op, int index) {
  SmallVector<llvm::Value *> pointers;
  for (Value operand : op->getOperands())
    pointers.push_back(pointerOf(operand));
  for (Value result : op->getResults())
    pointers.push_back(pointerOf(result));
  fillTable(pointers);
  llvm::Type *pointer = builder.getPtrTy(), *i32 = builder.getInt32Ty();
  llvm::Value *results = builder.CreateConstInBoundsGEP1_64(pointer, table, op->getNumOperands());
  llvm::Value *code = builder.CreateCall(runtimeFunction("tenon_call_service", i32, {pointer, i32, pointer, pointer}),
                                         {function->getArg(0), builder.getInt32(index), table, results});
  auto *failed = llvm::BasicBlock::Create(module.getContext(), "failed", function);
  auto *after = llvm::BasicBlock::Create(module.getContext(), "served", function);
  builder.CreateCondBr(builder.CreateICmpNE(code, builder.getInt32(0)), failed, after);
  builder.SetInsertPoint(failed);
  builder.CreateRet(code);
  builder.SetInsertPoint(after);
  for (Value result : op->getResults())
    loadIfNeeded(result);
  return success();
}

void EntryEmitter::emitReturn(Operation *terminator) {
  auto eachResult = [&](auto &&store) {
    for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
      if (!isToken(value.getType()))
        store(i, value, plan.returnTemporary(i));
  };
  auto bytes = [](Value value) { return tensorBytes(value.getType()); };
  eachResult([&](int i, Value value, const BufferClass *temporary) {
    if (temporary)
      copy(pointerOfClass(*temporary), pointerOf(value), bytes(value));
  });
  eachResult([&](int i, Value value, const BufferClass *temporary) {
    if (temporary)
      return;
    if (!plan.hasClass(value)) {
      if (FailureOr<Element> element = scalarOf(value); succeeded(element))
        storeElements(builder, elementType(value), *element, tableEntry(2, i), 1);
      return;
    }
    const BufferClass &buffer = plan.classOf(value);
    if (buffer.storage != BufferClass::Storage::kResult || buffer.index != i)
      copy(tableEntry(2, i), pointerOf(value), bytes(value));
  });
  eachResult([&](int i, Value value, const BufferClass *temporary) {
    if (temporary)
      copy(tableEntry(2, i), pointerOfClass(*temporary), bytes(value));
  });
  builder.CreateRet(builder.getInt32(0));
}

LogicalResult emitEntry(func::FuncOp main, const ProgramSteps &steps, const BufferPlan &plan, StringRef symbol,
                        llvm::Module &module, bool splitKernels) {
  double parallel = splitKernels ? 0 : EntryEmitter::kParallelNanoseconds;
  return EntryEmitter(main, steps, plan, module, symbol, EntryEmitter::Form::kProgram, parallel).run();
}

LogicalResult emitComputationEntry(func::FuncOp computation, const ProgramSteps &steps, const BufferPlan &plan,
                                   StringRef symbol, llvm::Module &module) {
  return EntryEmitter(computation, steps, plan, module, symbol, EntryEmitter::Form::kComputation).run();
}

int64_t computationScratchOffset(const BufferPlan &plan) { return llvm::alignTo(plan.arenaBytes(), 64); }

LogicalResult forEachStep(Block &block, llvm::function_ref<LogicalResult(Operation *, StepKind)> visit) {
  return forEachStep(block, isElementwiseSupported, visit);
}

} // namespace tenon::codegen::entry
