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

// LLVM takes time that grows faster than a basic block.
constexpr int kMaxCallsInBlock = 16;

} // namespace

EntryEmitter::EntryEmitter(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                           llvm::Module &module, llvm::StringRef symbol, Form form, double sharedNanoseconds)
    : main_(main), instructions_(instructions), plan_(plan), module_(module), form_(form),
      sharedNanoseconds_(sharedNanoseconds), builder_(module.getContext()) {
  llvm::Type *pointer = builder_.getPtrTy();
  auto *type = llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, pointer, pointer, pointer, pointer}, false);
  bool isProgram = form == Form::kProgram;
  auto linkage = isProgram ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage;
  function_ = llvm::Function::Create(type, linkage, symbol, module);
  for (unsigned i = 0; i < 5; ++i)
    function_->addParamAttr(i, llvm::Attribute::NoUndef);
  allocas_ = llvm::BasicBlock::Create(module.getContext(), "allocas", function_);
  auto *start = llvm::BasicBlock::Create(module.getContext(), "start", function_);
  builder_.SetInsertPoint(start);
}

LogicalResult EntryEmitter::run() {
  measure();
  llvm::IRBuilder<> atAllocas(allocas_);
  table_ =
      atAllocas.CreateAlloca(llvm::ArrayType::get(builder_.getPtrTy(), std::max(tableSize_, 1u)), nullptr, "table");
  if (form_ == Form::kComputation)
    scratch_ = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), function_->getArg(3),
                                                   computationScratchOffset(plan_));
  else if (usesScratch_)
    scratch_ = builder_.CreateCall(runtimeFunction("tenon_scratch", builder_.getPtrTy(), {builder_.getPtrTy()}),
                                   {function_->getArg(0)}, "scratch");
  else
    scratch_ = llvm::ConstantPointerNull::get(builder_.getPtrTy());
  if (form_ == Form::kProgram && !instructions_.kernels.empty())
    isTraced_ = builder_.CreateIsNotNull(builder_.CreateLoad(builder_.getPtrTy(), function_->getArg(0)), "is_traced");
  for (BlockArgument argument : main_.getArguments())
    loadIfNeeded(argument);
  if (failed(emitBlock(main_.getBody().front())))
    return failure();
  emitReturn(main_.getBody().front().getTerminator());
  llvm::IRBuilder<>(allocas_).CreateBr(allocas_->getNextNode());
  return success();
}

void EntryEmitter::measure() {
  for (auto &[op, kernel] : instructions_.kernels) {
    tableSize_ = std::max<unsigned>(tableSize_, op->getNumOperands() + op->getNumResults() + 1);
    usesScratch_ |= kernel->scratchBytes > 0;
  }
  for (auto &[op, index] : instructions_.runtimeCalls)
    tableSize_ = std::max<unsigned>(tableSize_, op->getNumOperands() + op->getNumResults());
}

llvm::FunctionCallee EntryEmitter::runtimeFunction(StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> types) {
  return module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
}

// --- Places ---

llvm::Value *EntryEmitter::tableEntry(unsigned argument, int64_t index) {
  llvm::Value *slot = builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), function_->getArg(argument), index);
  auto *load = builder_.CreateLoad(builder_.getPtrTy(), slot);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.getContext(), {}));
  return load;
}

llvm::Value *EntryEmitter::pointerOfClass(const BufferClass &buffer) {
  if (auto found = moved_.find(&buffer); found != moved_.end())
    return found->second;
  switch (buffer.storage) {
  case BufferClass::Storage::kArena:
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), function_->getArg(3), buffer.offset);
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
    return llvm::ConstantPointerNull::get(builder_.getPtrTy());
  if (plan_.hasClass(value))
    return pointerOfClass(plan_.classOf(value));
  // A scalar in registers: spill it.
  FailureOr<Element> element = scalarOf(value);
  llvm::IRBuilder<> atAllocas(allocas_);
  auto *slot = atAllocas.CreateAlloca(llvm::ArrayType::get(builder_.getInt8Ty(), 16), nullptr, "spill");
  slot->setAlignment(llvm::Align(16));
  if (succeeded(element))
    storeElements(builder_, elementType(value), *element, slot, 1);
  return slot;
}

FailureOr<Element> EntryEmitter::scalarOf(Value value) {
  if (auto found = scalars_.find(value); found != scalars_.end())
    return found->second;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constantElement(module_.getContext(), constant, 0, 1);
  if (plan_.hasClass(value))
    return loadElements(builder_, elementType(value), pointerOf(value), 1);
  return emitError(value.getLoc(), "internal error: a scalar is used before it is computed");
}

Type EntryEmitter::elementType(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// Whether some use wants the rank-0 value in registers.
bool EntryEmitter::needsRegister(Value value) const {
  if (!isScalarTensor(value.getType()))
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    InstructionKind kind = instructions_.kindOf(user);
    return kind == InstructionKind::kScalar || kind == InstructionKind::kWhile || kind == InstructionKind::kBranch ||
           (kind == InstructionKind::kReturn && !isa<func::FuncOp>(user->getParentOp()));
  });
}

void EntryEmitter::loadIfNeeded(Value value) {
  if (needsRegister(value) && plan_.hasClass(value))
    scalars_[value] = loadElements(builder_, elementType(value), pointerOf(value), 1);
}

void EntryEmitter::copy(llvm::Value *to, llvm::Value *from, int64_t bytes) {
  if (to == from || bytes == 0)
    return;
  auto *different = llvm::BasicBlock::Create(module_.getContext(), "copy", function_);
  auto *after = llvm::BasicBlock::Create(module_.getContext(), "copied", function_);
  builder_.CreateCondBr(builder_.CreateICmpNE(to, from), different, after);
  builder_.SetInsertPoint(different);
  llvm::Type *pointer = builder_.getPtrTy();
  if (form_ == Form::kProgram && bytes >= kParallelCopyBytes)
    builder_.CreateCall(
        runtimeFunction("tenon_copy", builder_.getVoidTy(), {pointer, pointer, pointer, builder_.getInt64Ty()}),
        {function_->getArg(0), to, from, builder_.getInt64(bytes)});
  else
    builder_.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), bytes);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

// --- Instructions ---

LogicalResult EntryEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitInstruction(&op)))
      return failure();
  return success();
}

LogicalResult EntryEmitter::emitInstruction(Operation *op) {
  switch (instructions_.kindOf(op)) {
  case InstructionKind::kConstant:
  case InstructionKind::kNothing:
  case InstructionKind::kReturn:
    return success();
  case InstructionKind::kScalar:
    return emitScalar(op);
  case InstructionKind::kAlias:
    if (Value operand = op->getOperand(0); !plan_.hasClass(operand)) {
      FailureOr<Element> element = scalarOf(operand);
      if (failed(element))
        return failure();
      storeElements(builder_, elementType(operand), *element, pointerOf(op->getResult(0)), 1);
    }
    loadIfNeeded(op->getResult(0));
    return success();
  case InstructionKind::kKernel:
    return emitKernelCall(op, *instructions_.kernels.at(op));
  case InstructionKind::kRuntimeCall:
    return emitRuntimeCall(op, instructions_.runtimeCalls.at(op));
  case InstructionKind::kWhile:
    return emitWhile(op);
  case InstructionKind::kBranch:
    return emitBranch(op);
  }
  llvm_unreachable("unknown instruction");
}

LogicalResult EntryEmitter::emitScalar(Operation *op) {
  SmallVector<Element> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Element> element = scalarOf(operand);
    if (failed(element))
      return failure();
    operands.push_back(*element);
  }
  FailureOr<Element> result = emitElementwise(builder_, op, operands, 1);
  if (failed(result))
    return failure();
  scalars_[op->getResult(0)] = *result;
  return success();
}

llvm::Value *EntryEmitter::fillTable(ArrayRef<llvm::Value *> pointers) {
  for (auto [i, pointer] : llvm::enumerate(pointers))
    builder_.CreateStore(pointer, builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), table_, i));
  return table_;
}

void EntryEmitter::beginBlock() {
  callsInBlock_ = 0;
  auto *next = llvm::BasicBlock::Create(module_.getContext(), "", function_);
  builder_.CreateBr(next);
  builder_.SetInsertPoint(next);
}

LogicalResult EntryEmitter::emitKernelCall(Operation *op, const Kernel &kernel) {
  SmallVector<llvm::Value *> pointers;
  for (Value operand : op->getOperands())
    pointers.push_back(pointerOf(operand));
  unsigned firstResult = pointers.size();
  for (Value result : op->getResults())
    pointers.push_back(pointerOf(result));
  for (auto [i, init] : llvm::enumerate(kernel.resultInit))
    if (init >= 0 && !(plan_.hasClass(op->getOperand(init)) && plan_.isSame(op->getOperand(init), op->getResult(i))))
      copy(pointers[firstResult + i], pointers[init], tensorBytes(op->getResult(i).getType()));
  if (const BufferClass *temporary = plan_.temporaryOf(op))
    pointers.push_back(pointerOfClass(*temporary));
  fillTable(pointers);

  for (const KernelPhase &phase : kernel.phases)
    if (phase.extent > 0)
      emitPhase(op, phase);
  if (++callsInBlock_ == kMaxCallsInBlock)
    beginBlock();
  for (Value result : op->getResults())
    loadIfNeeded(result);
  return success();
}

// Kernels are called through the runtime, which may trace them. Where a loop calls one over and over, that happens only
// while it does trace: a branch around each call would make large programs slow to compile.
void EntryEmitter::emitPhase(Operation *op, const KernelPhase &phase) {
  llvm::Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  llvm::Value *context = function_->getArg(0), *extent = builder_.getInt64(phase.extent);
  llvm::FunctionCallee callee = runtimeFunction(phase.symbol, builder_.getVoidTy(), {pointer, i64, i64, pointer});
  if (form_ == Form::kComputation) {
    builder_.CreateCall(callee, {table_, builder_.getInt64(0), extent, scratch_});
    return;
  }
  bool isParallel = phase.extent > 1 && phase.nanoseconds >= sharedNanoseconds_;
  auto callThroughRuntime = [&] {
    builder_.CreateCall(
        runtimeFunction("tenon_call_kernel", builder_.getVoidTy(), {pointer, i32, pointer, pointer, i64, i32}),
        {context, builder_.getInt32(instructions_.calls.at(op)), callee.getCallee(), table_, extent,
         builder_.getInt32(isParallel)});
  };
  if (!op->getParentOfType<sh::WhileOp>())
    return callThroughRuntime();
  auto *traced = llvm::BasicBlock::Create(module_.getContext(), "traced", function_);
  auto *plain = llvm::BasicBlock::Create(module_.getContext(), "plain", function_);
  auto *after = llvm::BasicBlock::Create(module_.getContext(), "called", function_);
  builder_.CreateCondBr(isTraced_, traced, plain, llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(traced);
  callThroughRuntime();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(plain);
  if (isParallel)
    builder_.CreateCall(runtimeFunction("tenon_parallel_for", builder_.getVoidTy(), {pointer, pointer, pointer, i64}),
                        {context, callee.getCallee(), table_, extent});
  else
    builder_.CreateCall(callee, {table_, builder_.getInt64(0), extent, scratch_});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

LogicalResult EntryEmitter::emitRuntimeCall(Operation *op, int index) {
  SmallVector<llvm::Value *> pointers;
  for (Value operand : op->getOperands())
    pointers.push_back(pointerOf(operand));
  for (Value result : op->getResults())
    pointers.push_back(pointerOf(result));
  fillTable(pointers);
  llvm::Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  llvm::Value *results = builder_.CreateConstInBoundsGEP1_64(pointer, table_, op->getNumOperands());
  llvm::Value *code = builder_.CreateCall(runtimeFunction("tenon_runtime_call", i32, {pointer, i32, pointer, pointer}),
                                          {function_->getArg(0), builder_.getInt32(index), table_, results});
  auto *failed = llvm::BasicBlock::Create(module_.getContext(), "failed", function_);
  auto *after = llvm::BasicBlock::Create(module_.getContext(), "served", function_);
  builder_.CreateCondBr(builder_.CreateICmpNE(code, builder_.getInt32(0)), failed, after);
  builder_.SetInsertPoint(failed);
  builder_.CreateRet(code);
  builder_.SetInsertPoint(after);
  for (Value result : op->getResults())
    loadIfNeeded(result);
  return success();
}

void EntryEmitter::emitReturn(Operation *terminator) {
  auto eachResult = [&](auto &&store) {
    for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
      if (!isToken(value.getType()))
        store(i, value, plan_.returnTemporary(i));
  };
  auto bytes = [](Value value) { return tensorBytes(value.getType()); };
  eachResult([&](int i, Value value, const BufferClass *temporary) {
    if (temporary)
      copy(pointerOfClass(*temporary), pointerOf(value), bytes(value));
  });
  eachResult([&](int i, Value value, const BufferClass *temporary) {
    if (temporary)
      return;
    if (!plan_.hasClass(value)) {
      if (FailureOr<Element> element = scalarOf(value); succeeded(element))
        storeElements(builder_, elementType(value), *element, tableEntry(2, i), 1);
      return;
    }
    const BufferClass &buffer = plan_.classOf(value);
    if (buffer.storage != BufferClass::Storage::kResult || buffer.index != i)
      copy(tableEntry(2, i), pointerOf(value), bytes(value));
  });
  eachResult([&](int i, Value value, const BufferClass *temporary) {
    if (temporary)
      copy(tableEntry(2, i), pointerOfClass(*temporary), bytes(value));
  });
  builder_.CreateRet(builder_.getInt32(0));
}

LogicalResult emitEntry(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                        StringRef symbol, llvm::Module &module, double sharedNanoseconds) {
  return EntryEmitter(main, instructions, plan, module, symbol, EntryEmitter::Form::kProgram, sharedNanoseconds).run();
}

LogicalResult emitComputationEntry(func::FuncOp computation, const ProgramInstructions &instructions,
                                   const BufferPlan &plan, StringRef symbol, llvm::Module &module) {
  return EntryEmitter(computation, instructions, plan, module, symbol, EntryEmitter::Form::kComputation, 0).run();
}

int64_t computationScratchOffset(const BufferPlan &plan) { return llvm::alignTo(plan.arenaBytes(), 64); }

LogicalResult forEachInstruction(Block &block, llvm::function_ref<LogicalResult(Operation *, InstructionKind)> visit) {
  return forEachInstruction(block, isElementwiseSupported, visit);
}

} // namespace tenon::codegen::entry
