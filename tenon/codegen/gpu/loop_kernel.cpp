#include "tenon/codegen/gpu/loop_kernel.h"

#include "tenon/codegen/gpu/control_code.h"
#include "tenon/codegen/gpu/loop_memory.h"
#include "tenon/codegen/gpu/loop_products.h"
#include "tenon/codegen/gpu/step_code.h"
#include "tenon/codegen/gpu/task_kernel.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

using program::BranchStep, program::CopyStep, program::DeviceStep, program::DeviceSteps, program::KernelStep,
    program::LoopStep, program::ServiceStep;

// Arrays that each thread has in registers: as large as there are registers for.
constexpr int64_t kPrivateBytes[] = {64, 16, 0};
// Iterations between two looks at the word of the host's that ends loops: it is far away.
constexpr uint32_t kIterationsOfLook = 1024;
constexpr int64_t kAlignment = 16; // of arrays

// What the threads have read and written of the memory that they have in common since they have waited for each other,
// in groups of places (LoopMemory::groupOf).
struct Accesses {
  SmallSet<int32_t, 8> reads, writes;

  bool isEmpty() const { return reads.empty() && writes.empty(); }
  void add(const Accesses &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
  }
  // Whether one of these may be of what one of those before has written, or the other way around.
  bool needsBarrierAfter(const Accesses &before) const {
    auto haveCommon = [](const auto &these, const auto &those) {
      return any_of(these, [&](int32_t group) { return those.contains(group); });
    };
    return haveCommon(reads, before.writes) || haveCommon(writes, before.writes) || haveCommon(writes, before.reads);
  }
};

class LoopEmitter {
public:
  LoopEmitter(const LoopKernel &kernel, const LoopMemory &memory, const BlockProducts &products, Module &module,
              GpuBuilder &gpu)
      : kernel_(kernel), memory_(memory), products_(products), module_(module), gpu_(gpu), b_(gpu.b),
        pointer_(b_.getPtrTy()), team_(kernel.team, gpu) {}

  Function *emit() {
    Type *global = gpu_.globalPointerType();
    function_ = gpu_.startKernel(module_, kernel_.name, {global, b_.getInt64Ty(), global, b_.getInt64Ty()},
                                 kernel_.team.threads);
    gpu_.runAlone(*function_);
    entry_ = b_.GetInsertBlock();
    row_ = b_.CreateAddrSpaceCast(gpu_.parameter(0), pointer_);
    team_.emitStart();
    Value *ofThread = b_.CreateNSWMul(team_.thread(), gpu_.parameter(3));
    scratch_ = b_.CreateAddrSpaceCast(b_.CreateGEP(b_.getInt8Ty(), gpu_.parameter(2), ofThread), pointer_);
    looks_ = local(b_.getInt32Ty());
    b_.CreateStore(b_.getInt32(0), looks_);
    isStopped_ = local(b_.getInt1Ty());
    b_.CreateStore(b_.getFalse(), isStopped_);
    bindPlaces();
    emit(kernel_.loop);
    if (readsGiven_ && !isAlone())
      barrier();
    waitForAll();
    bringBack();
    b_.CreateRetVoid();
    inlineTasks(*function_, calls_);
    return function_;
  }

  Value *row() const { return row_; }

private:
  struct Place {
    Value *given = nullptr; // where the array is when the kernel begins
    Value *slot = nullptr;  // of the pointer to where it is now
  };

  Value *local(Type *type) { return IRBuilder<>(entry_, entry_->begin()).CreateAlloca(type); }
  BasicBlock *block(const char *label) { return BasicBlock::Create(b_.getContext(), label, function_); }
  bool isAlone() const { return team_.isAlone(); }
  int64_t bytesOf(int32_t place) const { return kernel_.bytes.at(place); }

  // --- Places ---

  void bindPlaces() {
    auto givenAt = [&](size_t number) {
      return b_.CreateLoad(pointer_, b_.CreateConstInBoundsGEP1_64(pointer_, row_, number));
    };
    ArrayRef<int32_t> arrays = kernel_.arrays();
    stop_ = givenAt(kernel_.row.size() - 1);
    if (arrays.size() + 1 < kernel_.row.size())
      team_.haveWords(givenAt(arrays.size()));
    for (auto [number, place] : enumerate(arrays)) {
      Value *given = givenAt(number);
      Value *own = ownMemory(place);
      places_[place] = {given, local(pointer_)};
      b_.CreateStore(own ? own : given, places_[place].slot);
      if (own && memory_.isRead(place))
        bringIn(place, own, given);
    }
  }

  void bringIn(int32_t place, Value *own, Value *given) {
    if (memory_.isPrivate(place)) {
      readsGiven_ |= memory_.isWritten(place);
      return copyWhole(own, given, bytesOf(place));
    }
    copyShared(own, given, bytesOf(place));
    pending_.add(accesses({}, {place}));
  }

  // Null where the array stays where it is.
  Value *ownMemory(int32_t place) {
    switch (memory_.whereIs(place)) {
    case LoopMemory::Where::kGiven:
      return nullptr;
    case LoopMemory::Where::kShared:
      return b_.CreateAddrSpaceCast(
          b_.CreateConstInBoundsGEP1_64(
              b_.getInt8Ty(), gpu_.sharedMemory(),
              uint64_t(kWordBytesOfShared + products_.sharedBytes() + memory_.offsetOf(place))),
          pointer_);
    case LoopMemory::Where::kPrivate:
      auto *memory = cast<AllocaInst>(local(ArrayType::get(b_.getInt8Ty(), uint64_t(bytesOf(place)))));
      memory->setAlignment(Align(kAlignment));
      return memory;
    }
    llvm_unreachable("a place is somewhere");
  }

  Value *at(int32_t place) { return b_.CreateLoad(pointer_, places_.at(place).slot); }

  // What the loop carries goes to where the program looks for it. Arrays that have changed places may be in each
  // other's memory: of those a thread reads the same word of all before it writes them.
  void bringBack() {
    SetVector<int32_t> exchanged = contentsOf(kernel_.loop).exchanged();
    MapVector<int64_t, SmallVector<int32_t>> moved; // by their bytes
    for (int32_t place : kernel_.carried) {
      if (!memory_.isWritten(place))
        continue;
      if (memory_.isPrivate(place))
        ifFirst([&] { copyWhole(places_.at(place).given, at(place), bytesOf(place)); });
      else if (memory_.whereIs(place) == LoopMemory::Where::kShared || exchanged.contains(place))
        moved[bytesOf(place)].push_back(place);
    }
    for (auto &[bytes, places] : moved)
      moveTogether(places, bytes);
  }

  void moveTogether(ArrayRef<int32_t> places, int64_t bytes) {
    SmallVector<Value *> from;
    for (int32_t place : places)
      from.push_back(at(place));
    forWords(bytes, [&](Type *type, Value *number) {
      SmallVector<Value *> words;
      for (Value *pointer : from)
        words.push_back(b_.CreateLoad(type, b_.CreateGEP(type, pointer, number)));
      for (auto [place, word] : zip(places, words))
        b_.CreateStore(word, b_.CreateGEP(type, places_.at(place).given, number));
    });
  }

  void copyWhole(Value *to, Value *from, int64_t bytes) {
    b_.CreateMemCpy(to, MaybeAlign(kAlignment), from, MaybeAlign(kAlignment), uint64_t(bytes));
  }

  void copyShared(Value *to, Value *from, int64_t bytes) {
    forWords(bytes, [&](Type *type, Value *number) {
      b_.CreateStore(b_.CreateLoad(type, b_.CreateGEP(type, from, number)), b_.CreateGEP(type, to, number));
    });
  }

  // From where the place `source` is, which is `from`, to `to`, where the place `target` is.
  void copy(int32_t target, Value *to, int32_t source, Value *from, int64_t bytes) {
    begin(accesses({source}, {target}));
    if (isAlone() || memory_.isPrivate(target))
      copyWhole(to, from, bytes);
    else if (memory_.isPrivate(source))
      ifFirst([&] { copyWhole(to, from, bytes); });
    else
      copyShared(to, from, bytes);
  }

  // The words of so many bytes, and then the bytes that are left, shared out among the threads: their type and number.
  void forWords(int64_t bytes, function_ref<void(Type *, Value *)> body) {
    constexpr int64_t kWordBytes = sizeof(uint64_t);
    forNumbers(bytes / kWordBytes, [&](Value *word) { body(b_.getInt64Ty(), word); });
    int64_t whole = bytes / kWordBytes * kWordBytes;
    forNumbers(bytes - whole,
               [&](Value *number) { body(b_.getInt8Ty(), b_.CreateNSWAdd(number, b_.getInt64(whole))); });
  }

  // --- Threads ---

  // Those of a step, in memory that threads have in common and the loop writes.
  Accesses accesses(ArrayRef<int32_t> reads, ArrayRef<int32_t> writes) const {
    Accesses made;
    auto add = [&](ArrayRef<int32_t> places, SmallSet<int32_t, 8> &groups) {
      for (int32_t place : places)
        if (place >= 0 && !isAlone() && !memory_.isPrivate(place) && memory_.isWritten(place))
          groups.insert(memory_.groupOf(place));
    };
    add(reads, made.reads);
    add(writes, made.writes);
    return made;
  }

  // What threads do now: they wait for each other where it has to do with what they have done before.
  void begin(const Accesses &made) {
    if (made.needsBarrierAfter(pending_))
      barrier();
    pending_.add(made);
  }

  void waitForAll() {
    if (!pending_.isEmpty())
      barrier();
  }

  void barrier() {
    team_.emitBarrier();
    pending_ = {};
    readsGiven_ &= depth_ > 0;
  }

  void ifThen(Value *condition, function_ref<void()> then) { ControlCode(gpu_).onlyIf(condition, then); }

  void ifFirst(function_ref<void()> then) {
    if (isAlone())
      then();
    else
      ifThen(team_.isFirst(), then);
  }

  // The thread's numbers below the count.
  void forNumbers(int64_t count, function_ref<void(Value *)> body) {
    if (count <= 0)
      return;
    Value *thread = team_.thread();
    if (team_.hasThreadForEach(count)) {
      if (team_.isThreadForEach(count))
        return body(thread);
      return ifThen(b_.CreateICmpSLT(thread, b_.getInt64(count)), [&] { body(thread); });
    }
    BasicBlock *before = b_.GetInsertBlock(), *head = block("head"), *inside = block("task"), *after = block("after");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    PHINode *number = b_.CreatePHI(b_.getInt64Ty(), 2);
    number->addIncoming(thread, before);
    b_.CreateCondBr(b_.CreateICmpSLT(number, b_.getInt64(count)), inside, after);
    b_.SetInsertPoint(inside);
    body(number);
    number->addIncoming(b_.CreateNSWAdd(number, team_.threads()), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
  }

  // --- Steps ---

  void emit(const DeviceSteps &steps) {
    for (const DeviceStep &step : steps)
      std::visit([&](const auto &what) { emit(what); }, step.what);
  }

  void emit(const KernelStep &step) {
    const LoopStepPlan &plan = kernel_.planOf(step);
    bool isForAll = isAlone() || memory_.isForAll(step);
    ArrayRef<int32_t> places(step.row);
    Accesses made = accesses(places.take_front(plan.operands), places.drop_front(plan.operands));
    begin(made);
    Value *row = rowOf(step);
    bool isFirst = true;
    for (const KernelPart &part : plan.plan.parts)
      for (const KernelPhase &phase : part.kernel().phases) {
        Function *tasks = module_.getFunction(phase.symbol);
        if (!tasks || phase.extent <= 0)
          continue;
        if (!std::exchange(isFirst, false) && !isForAll) {
          barrier();
          pending_.add(made);
        }
        if (const SkinnyProductPlan *product = products_.find(part))
          emitBlockTasks(*tasks, row, product->tasks);
        else
          emitTasks(*tasks, row, phase.extent, isForAll);
      }
  }

  Value *rowOf(const KernelStep &step) {
    auto *type = ArrayType::get(pointer_, step.row.size());
    Value *row = local(type);
    for (auto [number, place] : enumerate(step.row)) {
      Value *pointer = place < 0 ? ConstantPointerNull::get(pointer_) : at(place);
      if (place >= 0)
        b_.CreateAlignmentAssumption(module_.getDataLayout(), pointer, kAlignment);
      b_.CreateStore(pointer, b_.CreateConstInBoundsGEP2_64(type, row, 0, number));
    }
    return row;
  }

  void emitTasks(Function &tasks, Value *row, int64_t extent, bool isForAll) {
    auto call = [&](Value *first, Value *end) { calls_.push_back(b_.CreateCall(&tasks, {row, first, end, scratch_})); };
    if (isForAll)
      call(b_.getInt64(0), b_.getInt64(extent));
    else
      forNumbers(extent, [&](Value *task) { call(task, b_.CreateNSWAdd(task, b_.getInt64(1))); });
  }

  // A block takes every so many of them. The barrier is for its shared memory, which the next task writes.
  void emitBlockTasks(Function &tasks, Value *row, int64_t count) {
    Value *first = team_.block();
    BasicBlock *before = b_.GetInsertBlock(), *head = block("head"), *inside = block("task"), *after = block("after");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    PHINode *task = b_.CreatePHI(b_.getInt64Ty(), 2);
    task->addIncoming(first, before);
    b_.CreateCondBr(b_.CreateICmpSLT(task, b_.getInt64(uint64_t(count))), inside, after);
    b_.SetInsertPoint(inside);
    calls_.push_back(b_.CreateCall(&tasks, {row, task, b_.CreateNSWAdd(task, b_.getInt64(1)), scratch_}));
    gpu_.emitBarrier();
    task->addIncoming(b_.CreateNSWAdd(task, team_.blocks()), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
  }

  void emit(const CopyStep &step) { copy(step.to, at(step.to), step.from, at(step.from), step.bytes); }

  void emit(const ServiceStep &) { llvm_unreachable("a loop with calls of the runtime is no kernel"); }

  // Where places are now, of those that are exchanged and not private.
  using Slots = MapVector<int32_t, Value *>;
  Slots begun(const LoopContents &contents) {
    Slots slots;
    for (int32_t place : contents.exchanged())
      if (!memory_.isPrivate(place)) {
        slots[place] = local(pointer_);
        b_.CreateStore(at(place), slots[place]);
      }
    return slots;
  }
  void restore(const Slots &slots) {
    for (auto &[place, slot] : slots)
      b_.CreateStore(b_.CreateLoad(pointer_, slot), places_.at(place).slot);
  }

  // As the host would walk through it (runtime/cuda/walk.h).
  void emit(const LoopStep &loop) {
    waitForAll();
    ++depth_;
    Slots slots = begun(contentsOf(loop));
    BasicBlock *head = block("condition"), *body = block("body"), *after = block("ended");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    emit(loop.condition);
    begin(accesses({loop.predicate}, {}));
    Value *continues = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), at(loop.predicate)), b_.getInt8(0));
    emitLook();
    continues = b_.CreateAnd(continues, b_.CreateNot(b_.CreateLoad(b_.getInt1Ty(), isStopped_)));
    b_.CreateCondBr(continues, body, after);
    Accesses afterCondition = pending_;
    b_.SetInsertPoint(body);
    emit(loop.body);
    emitCarries(loop, slots);
    waitForAll();
    restore(slots);
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
    restore(slots);
    pending_ = afterCondition;
    --depth_;
  }

  void emitCarries(const LoopStep &loop, Slots &slots) {
    for (const auto *copies : {&loop.toTemporaries, &loop.copies})
      for (const CopyStep &step : *copies) {
        auto found = slots.find(step.to);
        if (found != slots.end()) // what is there now may have come from elsewhere, by an exchange in the body
          copy(step.to, b_.CreateLoad(pointer_, found->second), step.from, at(step.from), step.bytes);
        else if (step.to != step.from)
          copy(step.to, at(step.to), step.from, at(step.from), step.bytes);
      }
    for (auto [home, other] : loop.exchanges)
      exchange(home, other, slots);
  }

  // What is private is copied: the other place has nothing that anybody wants.
  void exchange(int32_t home, int32_t other, Slots &slots) {
    if (memory_.isPrivate(home))
      return copyWhole(at(home), at(other), bytesOf(home));
    Value *first = b_.CreateLoad(pointer_, slots[home]), *second = b_.CreateLoad(pointer_, slots[other]);
    b_.CreateStore(second, slots[home]);
    b_.CreateStore(first, slots[other]);
  }

  // Every so many iterations: whether the host wants the kernel to end.
  void emitLook() {
    Value *looks = b_.CreateAdd(b_.CreateLoad(b_.getInt32Ty(), looks_), b_.getInt32(1));
    b_.CreateStore(looks, looks_);
    Value *isTime = b_.CreateICmpEQ(b_.CreateAnd(looks, b_.getInt32(kIterationsOfLook - 1)), b_.getInt32(0));
    ifThen(isTime, [&] {
      Value *state = b_.CreateLoad(b_.getInt32Ty(), isAlone() ? stop_ : sharedWord(looks), /*isVolatile=*/true);
      b_.CreateStore(b_.CreateICmpEQ(state, b_.getInt32(program::kStopGraph)), isStopped_);
    });
  }

  // Threads that looked by themselves might see different things. Two words take turns, so that one may still be read
  // while the next one is written.
  Value *sharedWord(Value *looks) {
    Value *turn = b_.CreateAnd(b_.CreateUDiv(looks, b_.getInt32(kIterationsOfLook)), b_.getInt32(kLoopWords - 1));
    Value *word = team_.wordOf(turn);
    ifFirst([&] { b_.CreateStore(b_.CreateLoad(b_.getInt32Ty(), stop_, /*isVolatile=*/true), word); });
    team_.emitBarrier();
    return word;
  }

  void emit(const BranchStep &step) {
    begin(accesses({step.selector}, {}));
    Type *type = step.isTwoWay ? b_.getInt8Ty() : b_.getInt32Ty();
    Value *selector = b_.CreateLoad(type, at(step.selector));
    ++depth_;
    LoopContents contents;
    for (const DeviceSteps &steps : step.branches)
      contents.exchanges.append(contentsOf(steps).exchanges);
    Slots slots = begun(contents);
    BasicBlock *after = block("joined");
    SmallVector<BasicBlock *> blocks;
    for (size_t i = 0; i < step.branches.size(); ++i)
      blocks.push_back(block("branch"));
    if (step.isTwoWay) {
      b_.CreateCondBr(b_.CreateICmpNE(selector, b_.getInt8(0)), blocks[0], blocks[1]);
    } else {
      SwitchInst *choice = b_.CreateSwitch(selector, blocks.back());
      for (auto [number, target] : enumerate(ArrayRef(blocks).drop_back()))
        choice->addCase(b_.getInt32(uint32_t(number)), target);
    }
    Accesses before = pending_, together;
    for (auto [steps, target] : zip(step.branches, blocks)) {
      b_.SetInsertPoint(target);
      pending_ = before;
      emit(steps);
      restore(slots);
      together.add(pending_);
      b_.CreateBr(after);
    }
    pending_ = together;
    b_.SetInsertPoint(after);
    --depth_;
  }

  const LoopKernel &kernel_;
  const LoopMemory &memory_;
  const BlockProducts &products_;
  Module &module_;
  GpuBuilder &gpu_;
  IRBuilder<> &b_;
  PointerType *pointer_;
  LoopTeamCode team_;
  Function *function_ = nullptr;
  BasicBlock *entry_ = nullptr;
  Value *row_ = nullptr, *scratch_ = nullptr, *stop_ = nullptr;
  Value *looks_ = nullptr, *isStopped_ = nullptr;
  std::map<int32_t, Place> places_;
  std::vector<CallInst *> calls_;
  Accesses pending_;
  // Whether a thread may still read what was given and is written at the end, since no barrier that all come by is
  // behind it: `depth_` loops and branches are around.
  bool readsGiven_ = false;
  int depth_ = 0;
};

// Arrays whose elements are found by computed numbers cannot be in registers: then only smaller ones are.
Function *emitInRegisters(const LoopKernel &kernel, const BlockProducts &products, Module &module,
                          const GpuTarget &target, GpuBuilder &gpu, int64_t &sharedBytes) {
  for (int64_t bytes : kPrivateBytes) {
    LoopMemory memory(kernel, bytes, sharedBytesOfLoop(target.chip()));
    sharedBytes = memory.sharedBytes() + products.sharedBytes();
    if (kernel.team.hasSharedMemory() || sharedBytes > 0)
      sharedBytes += kWordBytesOfShared;
    LoopEmitter emitter(kernel, memory, products, module, gpu);
    Function *function = emitter.emit();
    markPointers(*emitter.row(), gpu);
    simplify(*function);
    auto isOnStack = [](const Instruction &instruction) { return isa<AllocaInst>(instruction); };
    if (bytes == 0 || none_of(instructions(*function), isOnStack))
      return function;
    function->eraseFromParent();
    if (GlobalVariable *parameters = module.getNamedGlobal(kernel.name + "$parameters"))
      parameters->eraseFromParent();
  }
  llvm_unreachable("the last attempt has none in registers");
}

} // namespace

// A kernel of one thread in front of that of a grid, with the same row.
static program::DeviceKernel emitClear(const LoopKernel &kernel, Module &module, GpuBuilder &gpu) {
  program::DeviceKernel clear{kernel.name + "_clear", 1, 0, 1, 1, 0};
  IRBuilder<> &b = gpu.b;
  Type *global = gpu.globalPointerType();
  Function *function = gpu.startKernel(module, clear.name, {global, b.getInt64Ty(), global, b.getInt64Ty()}, 1);
  Value *row = b.CreateAddrSpaceCast(gpu.parameter(0), b.getPtrTy());
  Value *words = b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), row, kernel.arrays().size()));
  LoopTeamCode::emitClear(words, gpu);
  b.CreateRetVoid();
  markPointers(*row, gpu);
  inferMemory(*function);
  return clear;
}

FailureOr<std::vector<program::DeviceKernel>> emitLoopKernel(const LoopKernel &kernel, Module &module,
                                                             const GpuTarget &target, GpuBuilder &gpu) {
  int64_t scratchBytes = 0, sharedBytes = 0;
  for (const auto &[number, step] : kernel.plans)
    scratchBytes = std::max(scratchBytes, step->plan.kernel.scratchBytes);
  const BlockProducts products = blockProductsOf(kernel, target.costs().blocks);
  if (failed(emitTasksOf(kernel.plans, products, kWordBytesOfShared, module, target, gpu)))
    return failure();
  Function *function = emitInRegisters(kernel, products, module, target, gpu, sharedBytes);
  eraseTasksOf(kernel.plans, module);
  inferMemory(*function);
  std::vector<program::DeviceKernel> kernels;
  if (kernel.team.isGrid)
    kernels.push_back(emitClear(kernel, module, gpu));
  else if (!kernel.team.isOneBlock())
    gpu.formClusters(*function, kernel.team.blocks);
  kernels.push_back({kernel.name, kernel.team.blocks, scratchBytes, kernel.team.threads, 1, int32_t(sharedBytes),
                     kernel.team.isGrid});
  return kernels;
}

} // namespace tenon::codegen
