#include "tenon/codegen/llvm/entry/entry.h"

#include "tenon/codegen/common/memory/overlap.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/entry/emitter.h"
#include "tenon/codegen/llvm/entry/scalar_groups.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Matchers.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::entry {
namespace {

CallList::Base baseOf(BufferClass::Storage storage) {
  switch (storage) {
  case BufferClass::Storage::kArena:
    return CallList::kArena;
  case BufferClass::Storage::kArgument:
    return CallList::kArguments;
  case BufferClass::Storage::kResult:
    return CallList::kResults;
  case BufferClass::Storage::kConstant:
  case BufferClass::Storage::kGroup:
    return CallList::kConstants;
  }
  llvm_unreachable("unknown storage");
}

} // namespace

EntryEmitter::EntryEmitter(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                           llvm::Module &module, llvm::StringRef symbol, Form form, const CostModel &costs)
    : main_(main), instructions_(instructions), plan_(plan), module_(module), form_(form), costs_(costs),
      builder_(module.getContext()), listed_(module), joined_(plan),
      scalars_(builder_, 1, [this](Value value) { return loadScalar(value); }) {
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
  if (listsCalls_)
    storeBases();
  if (form_ == Form::kProgram && callsInLoops_)
    isTraced_ = builder_.CreateIsNotNull(builder_.CreateLoad(builder_.getPtrTy(), function_->getArg(0)), "is_traced");
  for (BlockArgument argument : main_.getArguments())
    loadIfNeeded(argument);
  if (failed(emitBlock(main_.getBody().front())))
    return failure();
  emitReturn(main_.getBody().front().getTerminator());
  // Only now it is known how many buffers the calls of lists have.
  cast<llvm::AllocaInst>(table_)->setAllocatedType(
      llvm::ArrayType::get(builder_.getPtrTy(), std::max<int64_t>(tableSize_, listed_.buffers())));
  llvm::IRBuilder<>(allocas_).CreateBr(allocas_->getNextNode());
  return success();
}

// The tables that places of listed calls refer to; that of the locals each list sets.
void EntryEmitter::storeBases() {
  llvm::Type *pointer = builder_.getPtrTy();
  llvm::IRBuilder<> atAllocas(allocas_);
  bases_ = atAllocas.CreateAlloca(llvm::ArrayType::get(pointer, CallList::kBases), nullptr, "bases");
  for (auto base : {CallList::kArena, CallList::kArguments, CallList::kResults, CallList::kConstants})
    atAllocas.CreateStore(baseArgument(base), atAllocas.CreateConstInBoundsGEP1_64(pointer, bases_, base));
}

void EntryEmitter::measure() {
  for (auto &[op, kernel] : instructions_.kernels) {
    tableSize_ = std::max<unsigned>(tableSize_, op->getNumOperands() + op->getNumResults() + 1);
    (isListed(op) ? listsCalls_ : callsInLoops_) = true;
    usesScratch_ |= !isListed(op) && kernel->scratchBytes > 0;
  }
  for (auto &[op, index] : instructions_.runtimeCalls)
    tableSize_ = std::max<unsigned>(tableSize_, op->getNumOperands() + op->getNumResults());
}

llvm::FunctionCallee EntryEmitter::runtimeFunction(StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> types) {
  return module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
}

// --- Places ---

llvm::Value *EntryEmitter::baseArgument(CallList::Base base) {
  constexpr unsigned kArgumentOf[] = {3, 1, 2, 4}; // of TenonEntry, by the base
  return function_->getArg(kArgumentOf[base]);
}

llvm::Value *EntryEmitter::tableEntry(CallList::Base table, int64_t index) {
  llvm::Value *slot = builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), baseArgument(table), index);
  auto *load = builder_.CreateLoad(builder_.getPtrTy(), slot);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.getContext(), {}));
  return load;
}

llvm::Value *EntryEmitter::pointerOfClass(const BufferClass &buffer) {
  if (auto found = moved_.find(&buffer); found != moved_.end())
    return found->second;
  CallList::Base base = baseOf(buffer.storage);
  if (base == CallList::kArena)
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), baseArgument(base), buffer.offset);
  llvm::Value *given = tableEntry(base, buffer.index); // of a group's array it points behind the offset
  return base == CallList::kResults && buffer.offset
             ? builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), given, buffer.offset)
             : given;
}

llvm::Value *EntryEmitter::pointerOf(Value value) {
  if (isToken(value.getType()))
    return llvm::ConstantPointerNull::get(builder_.getPtrTy());
  if (auto view = views_.find(value); view != views_.end())
    return view->second;
  if (plan_.hasClass(value))
    return pointerOfClass(plan_.classOf(value));
  // A scalar in registers: spill it.
  FailureOr<Element> element = scalars_.element(value);
  llvm::IRBuilder<> atAllocas(allocas_);
  auto *slot = atAllocas.CreateAlloca(llvm::ArrayType::get(builder_.getInt8Ty(), 16), nullptr, "spill");
  slot->setAlignment(llvm::Align(16));
  if (succeeded(element))
    storeElements(builder_, elementType(value), *element, slot, 1);
  return slot;
}

FailureOr<Element> EntryEmitter::loadScalar(Value value) {
  if (!plan_.hasClass(value))
    return emitError(value.getLoc(), "internal error: a scalar is used before it is computed");
  emitListedCalls();
  return loadElements(builder_, elementType(value), pointerOf(value), 1);
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
  if (!needsRegister(value) || !plan_.hasClass(value))
    return;
  emitListedCalls();
  scalars_.bind(value, loadElements(builder_, elementType(value), pointerOf(value), 1));
}

void EntryEmitter::copy(llvm::Value *to, llvm::Value *from, int64_t bytes) {
  if (to == from || bytes == 0)
    return;
  auto *different = llvm::BasicBlock::Create(module_.getContext(), "copy", function_);
  auto *after = llvm::BasicBlock::Create(module_.getContext(), "copied", function_);
  builder_.CreateCondBr(builder_.CreateICmpNE(to, from), different, after);
  builder_.SetInsertPoint(different);
  llvm::Type *pointer = builder_.getPtrTy();
  if (form_ == Form::kProgram && bytes >= costs_.sharedCopyBytes)
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
  SmallVector<Operation *> scalars;
  auto emitScalars = [&] {
    for (const ScalarGroup &group : groupScalars(scalars))
      if (failed(group.size() == 1 ? scalars_.compute(group.front()) : emitScalarGroup(group)))
        return failure();
    scalars.clear();
    return success();
  };
  for (Operation &op : block.without_terminator()) {
    InstructionKind kind = instructions_.kindOf(&op);
    if (kind == InstructionKind::kScalar)
      scalars.push_back(&op);
    else if (kind != InstructionKind::kConstant && (failed(emitScalars()) || failed(emitInstruction(&op))))
      return failure();
  }
  if (failed(emitScalars()))
    return failure();
  emitListedCalls();
  return success();
}

LogicalResult EntryEmitter::emitInstruction(Operation *op) {
  switch (instructions_.kindOf(op)) {
  case InstructionKind::kConstant:
  case InstructionKind::kNothing:
  case InstructionKind::kReturn:
    return success();
  case InstructionKind::kScalar:
    return scalars_.compute(op);
  case InstructionKind::kAlias:
    if (Value operand = op->getOperand(0); !plan_.hasClass(operand)) {
      FailureOr<Element> element = scalars_.element(operand);
      if (failed(element))
        return failure();
      emitListedCalls();
      storeElements(builder_, elementType(operand), *element, pointerOf(op->getResult(0)), 1);
    }
    loadIfNeeded(op->getResult(0));
    return success();
  case InstructionKind::kView:
    return emitView(op);
  case InstructionKind::kKernel:
    return emitKernelCall(op, *instructions_.kernels.at(op));
  case InstructionKind::kRuntimeCall:
    emitListedCalls();
    return emitRuntimeCall(op, instructions_.runtimeCalls.at(op));
  case InstructionKind::kWhile:
    emitListedCalls();
    return emitWhile(op);
  case InstructionKind::kBranch:
    emitListedCalls();
    return emitBranch(op);
  }
  llvm_unreachable("unknown instruction");
}

// The lanes of a vector, of which those beyond the group repeat its first.
LogicalResult EntryEmitter::emitScalarGroup(ArrayRef<Operation *> group) {
  unsigned lanes = llvm::bit_ceil(group.size());
  Operation *first = group.front();
  SmallVector<Element> operands;
  for (unsigned i = 0; i < first->getNumOperands(); ++i) {
    FailureOr<Element> scalar = scalars_.element(first->getOperand(i));
    if (failed(scalar))
      return failure();
    Element vector{builder_.CreateVectorSplat(lanes, scalar->re)};
    for (unsigned lane = 1; lane < group.size(); ++lane) {
      scalar = scalars_.element(group[lane]->getOperand(i));
      if (failed(scalar))
        return failure();
      vector = insertLane(builder_, vector, *scalar, builder_.getInt64(lane));
    }
    operands.push_back(vector);
  }
  FailureOr<Element> result = failure();
  if (llvm::any_of(group, [&](Operation *op) { return op->getName() != first->getName(); })) {
    SmallVector<bool> isCosine = llvm::map_to_vector(group, [](Operation *op) { return isa<sh::CosineOp>(op); });
    isCosine.resize(lanes);
    result = emitSinesAndCosines(builder_, operands.front(), isCosine);
  } else {
    result = emitElementwise(builder_, first, operands, lanes);
  }
  if (failed(result))
    return failure();
  for (auto [lane, op] : llvm::enumerate(group))
    scalars_.bind(op->getResult(0), {builder_.CreateExtractElement(result->re, lane)});
  return success();
}

llvm::Value *EntryEmitter::fillTable(ArrayRef<llvm::Value *> pointers) {
  for (auto [i, pointer] : llvm::enumerate(pointers))
    builder_.CreateStore(pointer, builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), table_, i));
  return table_;
}

bool EntryEmitter::beginsAsCopy(Operation *op, Value result, int init) const {
  if (init < 0)
    return false;
  Value operand = op->getOperand(init);
  return !plan_.hasClass(operand) || !plan_.isSame(operand, result);
}

CallList::Sharing EntryEmitter::sharingOf(double nanoseconds) const {
  if (nanoseconds < costs_.sharedPhase)
    return CallList::kAlone;
  return nanoseconds < costs_.longPhases * costs_.sharedPhase ? CallList::kShared : CallList::kLong;
}

CallList::Sharing EntryEmitter::sharingOf(const KernelPhase &phase) const {
  return phase.extent > 1 ? sharingOf(phase.nanoseconds) : CallList::kAlone;
}

LogicalResult EntryEmitter::emitKernelCall(Operation *op, const Kernel &kernel) {
  for (auto [result, init] : llvm::zip(op->getResults(), kernel.resultInit))
    if (!kernel.copiesInit && beginsAsCopy(op, result, init)) {
      emitListedCalls();
      copy(pointerOf(result), pointerOf(op->getOperand(init)), tensorBytes(result.getType()));
    }
  if (isListed(op)) {
    listKernelCall(op, kernel);
  } else if (std::optional<ElementAccess> access = elementAccess(op, kernel)) {
    return emitElementAccess(op, kernel.phases.front(), *access);
  } else {
    fillTable(pointersOf(op));
    for (const KernelPhase &phase : kernel.phases)
      if (phase.extent > 0)
        emitPhase(op, phase);
  }
  for (Value result : op->getResults())
    loadIfNeeded(result);
  return success();
}

SmallVector<llvm::Value *> EntryEmitter::pointersOf(Operation *op) {
  SmallVector<llvm::Value *> pointers;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    pointers.push_back(pointerOf(value));
  if (const BufferClass *temporary = plan_.temporaryOf(op))
    pointers.push_back(pointerOfClass(*temporary));
  return pointers;
}

llvm::FunctionCallee EntryEmitter::kernelFunction(const KernelPhase &phase) {
  llvm::Type *pointer = builder_.getPtrTy(), *i64 = builder_.getInt64Ty();
  return runtimeFunction(phase.symbol, builder_.getVoidTy(), {pointer, i64, i64, pointer});
}

// In a loop, the call of a kernel is an instruction or two, but for the runs that are traced.
void EntryEmitter::emitPhase(Operation *op, const KernelPhase &phase) {
  llvm::Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  llvm::Value *context = function_->getArg(0), *extent = builder_.getInt64(phase.extent);
  llvm::FunctionCallee callee = kernelFunction(phase);
  if (form_ == Form::kComputation) {
    builder_.CreateCall(callee, {table_, builder_.getInt64(0), extent, scratch_});
    return;
  }
  CallList::Sharing sharing = sharingOf(phase);
  auto *traced = llvm::BasicBlock::Create(module_.getContext(), "traced", function_);
  auto *plain = llvm::BasicBlock::Create(module_.getContext(), "plain", function_);
  auto *after = llvm::BasicBlock::Create(module_.getContext(), "called", function_);
  builder_.CreateCondBr(isTraced_, traced, plain, llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(traced);
  emitTracedCall(op, phase);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(plain);
  if (sharing != CallList::kAlone)
    builder_.CreateCall(runtimeFunction("tenon_parallel_for", builder_.getVoidTy(),
                                        {pointer, pointer, pointer, builder_.getInt64Ty(), i32}),
                        {context, callee.getCallee(), table_, extent, builder_.getInt32(sharing == CallList::kLong)});
  else
    builder_.CreateCall(callee, {table_, builder_.getInt64(0), extent, scratch_});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void EntryEmitter::emitTracedCall(Operation *op, const KernelPhase &phase) {
  llvm::Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  builder_.CreateCall(
      runtimeFunction("tenon_call_kernel", builder_.getVoidTy(), {pointer, i32, pointer, pointer, i64, i32}),
      {function_->getArg(0), builder_.getInt32(instructions_.calls.at(op)), kernelFunction(phase).getCallee(), table_,
       builder_.getInt64(phase.extent), builder_.getInt32(sharingOf(phase))});
}

// --- Listed calls ---

bool EntryEmitter::isListed(Operation *op) const {
  return form_ == Form::kProgram && !op->getParentOfType<sh::WhileOp>();
}

int64_t EntryEmitter::placeOfClass(const BufferClass &buffer) {
  CallList::Base base = baseOf(buffer.storage);
  if (base == CallList::kResults && buffer.offset > 0) { // places count results, not the bytes of one
    int64_t &place = placesInResults_.try_emplace(&buffer, -1).first->second;
    return place >= 0 ? place : place = listed_.placeOfLocal(pointerOfClass(buffer));
  }
  return CallList::place(base, base == CallList::kArena ? buffer.offset : buffer.index);
}

int64_t EntryEmitter::placeOf(Value value) {
  if (!isToken(value.getType()) && plan_.hasClass(value) && !moved_.contains(&plan_.classOf(value)))
    return placeOfClass(plan_.classOf(value));
  return listed_.placeOfLocal(pointerOf(value));
}

void EntryEmitter::listKernelCall(Operation *op, const Kernel &kernel) {
  constexpr int64_t kMostBuffers = 512; // of calls that are one: their table is on the stack
  SmallVector<ConcurrentCalls::Access> accesses = accessesOf(op);
  bool joins = mayJoin(kernel, accesses);
  if (!joins || !joined_.isIndependent(accesses) ||
      joined_.buffers() + op->getNumOperands() + op->getNumResults() >= kMostBuffers)
    closeJoinedCalls();
  SmallVector<int64_t> places;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    places.push_back(placeOf(value));
  if (const BufferClass *temporary = plan_.temporaryOf(op))
    places.push_back(placeOfClass(*temporary));
  for (const KernelPhase &phase : kernel.phases)
    if (phase.extent > 0) {
      auto *function = cast<llvm::Constant>(kernelFunction(phase).getCallee());
      listed_.add(function, phase.extent, instructions_.calls.at(op), sharingOf(phase), places);
      places.clear();
    }
  if (!joins)
    return;
  joined_.add(accesses, kernel.phases.front().nanoseconds);
  ++numberJoined_;
  if (sharingOf(joined_.nanoseconds()) == CallList::kLong)
    closeJoinedCalls();
}

// The buffers of the op's kernel, but for numbers on the stack, which no other has.
SmallVector<ConcurrentCalls::Access> EntryEmitter::accessesOf(Operation *op) const {
  SmallVector<ConcurrentCalls::Access> accesses;
  auto add = [&](Value value, bool isWritten) {
    if (!isToken(value.getType()) && plan_.hasClass(value))
      accesses.push_back({&plan_.classOf(value), isWritten});
  };
  for (Value operand : op->getOperands())
    add(operand, /*isWritten=*/false);
  for (Value result : op->getResults())
    add(result, /*isWritten=*/true);
  if (const BufferClass *temporary = plan_.temporaryOf(op))
    accesses.push_back({temporary, /*isWritten=*/true});
  return accesses;
}

// Workers would be woken for one short kernel after the other, or not at all, and all would wait for each.
bool EntryEmitter::mayJoin(const Kernel &kernel, ArrayRef<ConcurrentCalls::Access> accesses) const {
  auto isMoved = [&](const ConcurrentCalls::Access &access) { return moved_.contains(access.buffer); };
  return kernel.phases.size() == 1 && kernel.phases.front().extent > 0 &&
         sharingOf(kernel.phases.front().nanoseconds) != CallList::kLong && llvm::none_of(accesses, isMoved);
}

void EntryEmitter::closeJoinedCalls() {
  CallList::Sharing sharing = sharingOf(joined_.nanoseconds());
  if (numberJoined_ > 1 && sharing != CallList::kAlone)
    listed_.joinLast(numberJoined_, sharing);
  joined_.clear();
  numberJoined_ = 0;
}

void EntryEmitter::emitListedCalls() {
  closeJoinedCalls();
  if (!listed_.isEmpty())
    listed_.emit(builder_, allocas_, function_->getArg(0), bases_, table_);
  placesInResults_.clear();
}

// --- Runtime calls, results ---

LogicalResult EntryEmitter::emitRuntimeCall(Operation *op, int index) {
  SmallVector<llvm::Value *> pointers;
  for (Value operand : op->getOperands())
    pointers.push_back(pointerOf(operand));
  for (Value result : op->getResults())
    pointers.push_back(pointerOf(result));
  fillTable(pointers);
  llvm::Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  llvm::Value *results = builder_.CreateConstInBoundsGEP1_64(pointer, table_, op->getNumOperands());
  SmallVector<llvm::Type *> types{pointer, i32, pointer, pointer};
  SmallVector<llvm::Value *> arguments{function_->getArg(0), builder_.getInt32(index), table_, results};
  const Kernel *computation = instructions_.computations.lookup(op);
  if (computation) {
    const KernelPhase &phase = computation->phases.front();
    types.append({pointer, builder_.getInt64Ty()});
    arguments.append({kernelFunction(phase).getCallee(), builder_.getInt64(phase.extent)});
  }
  StringRef name = computation ? "tenon_runtime_call_with" : "tenon_runtime_call";
  llvm::Value *code = builder_.CreateCall(runtimeFunction(name, i32, types), arguments);
  auto *failed = llvm::BasicBlock::Create(module_.getContext(), "failed", function_);
  auto *after = llvm::BasicBlock::Create(module_.getContext(), "served", function_);
  builder_.CreateCondBr(builder_.CreateICmpNE(code, builder_.getInt32(0)), failed, after);
  builder_.SetInsertPoint(failed);
  builder_.CreateRet(code);
  builder_.SetInsertPoint(after);
  // What a collective that goes on gives is there when it has been waited for.
  for (Value result : isAwait(op) ? awaitedBy(op) : ValueRange(op->getResults()))
    if (!op->hasAttr(kStartedAttribute))
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
      if (FailureOr<Element> element = scalars_.element(value); succeeded(element))
        storeElements(builder_, elementType(value), *element, tableEntry(CallList::kResults, i), 1);
      return;
    }
    const BufferClass &buffer = plan_.classOf(value);
    if (buffer.storage != BufferClass::Storage::kResult || buffer.index != i)
      copy(tableEntry(CallList::kResults, i), pointerOf(value), bytes(value));
  });
  eachResult([&](int i, Value value, const BufferClass *temporary) {
    if (temporary)
      copy(tableEntry(CallList::kResults, i), pointerOfClass(*temporary), bytes(value));
  });
  builder_.CreateRet(builder_.getInt32(0));
}

LogicalResult emitEntry(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                        StringRef symbol, llvm::Module &module, const CostModel &costs) {
  return EntryEmitter(main, instructions, plan, module, symbol, EntryEmitter::Form::kProgram, costs).run();
}

LogicalResult emitComputationEntry(func::FuncOp computation, const ProgramInstructions &instructions,
                                   const BufferPlan &plan, StringRef symbol, llvm::Module &module) {
  return EntryEmitter(computation, instructions, plan, module, symbol, EntryEmitter::Form::kComputation, CostModel())
      .run();
}

int64_t computationScratchOffset(const BufferPlan &plan) { return llvm::alignTo(plan.arenaBytes(), 64); }

LogicalResult forEachInstruction(Block &block, llvm::function_ref<LogicalResult(Operation *, InstructionKind)> visit) {
  return forEachInstruction(block, isElementwiseSupported, visit);
}

} // namespace tenon::codegen::entry
