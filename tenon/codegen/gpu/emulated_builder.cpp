// Kernels that the host runs: calls of the emulation (runtime/emulator/block.h).
#include "tenon/codegen/gpu/builder.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// A kernel is void(ptr parameters), with pointers to the parameters as the driver gets them. Beside it is an array
// `name$parameters`: how many there are, and the bytes of each.
class EmulatedBuilder final : public GpuBuilder {
public:
  explicit EmulatedBuilder(LLVMContext &context) : GpuBuilder(context) {}

  Function *startKernel(Module &module, StringRef name, ArrayRef<Type *> parameters, int) override {
    auto *type = FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
    Function *kernel = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    kernel->addFnAttr(Attribute::NoUnwind);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", kernel));
    SmallVector<uint32_t> sizes{uint32_t(parameters.size())};
    parameters_.clear();
    for (auto [number, parameter] : enumerate(parameters)) {
      Value *place = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), kernel->getArg(0), number);
      Value *address = b.CreateLoad(b.getPtrTy(), place);
      parameters_.push_back(parameter->isArrayTy() ? address : b.CreateLoad(parameter, address));
      sizes.push_back(uint32_t(module.getDataLayout().getTypeStoreSize(parameter)));
    }
    auto *data = ConstantDataArray::get(module.getContext(), sizes);
    new GlobalVariable(module, data->getType(), true, GlobalValue::ExternalLinkage, data, name + "$parameters");
    return kernel;
  }

  Type *globalPointerType() override { return b.getPtrTy(); }

  Value *number(Number which) override {
    return call("tenon_emu_number", b.getInt32Ty(), {b.getInt32(unsigned(which))});
  }
  void emitBarrier() override { call("tenon_emu_barrier", b.getVoidTy(), {}); }
  void emitPause() override { call("tenon_emu_pause", b.getVoidTy(), {}); }
  Value *lanesWith(Value *number, unsigned bits) override {
    Value *low = b.CreateAnd(number, b.getInt32(bits < 32 ? (uint32_t{1} << bits) - 1 : ~uint32_t{0}));
    return call("tenon_emu_lanes_with", b.getInt32Ty(), {low});
  }
  Value *nanoseconds() override { return call("tenon_emu_nanoseconds", b.getInt64Ty(), {}); }

  void emitCopy(Value *shared, Value *global, Value *isThere) override {
    call("tenon_emu_copy", b.getVoidTy(), {shared, global, b.CreateZExt(isThere, b.getInt32Ty())});
  }
  void emitEndOfCopies() override { call("tenon_emu_end_of_copies", b.getVoidTy(), {}); }
  void emitWaitForCopies(unsigned left) override {
    call("tenon_emu_wait_for_copies", b.getVoidTy(), {b.getInt32(left)});
  }

  SmallVector<Value *, 4> multiplyMatrices(Matrix kind, ArrayRef<Value *> lhs, ArrayRef<Value *> rhs,
                                           ArrayRef<Value *> sums) override {
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    IRBuilder<> atEntry(&entry, entry.begin());
    uint64_t count = lhs.size() + rhs.size() + sums.size();
    Value *words = atEntry.CreateAlloca(ArrayType::get(b.getInt32Ty(), count));
    Value *results = atEntry.CreateAlloca(ArrayType::get(b.getInt32Ty(), sums.size()));
    unsigned next = 0;
    for (ArrayRef<Value *> operand : {lhs, rhs, sums})
      for (Value *word : operand)
        b.CreateStore(word, b.CreateConstInBoundsGEP1_32(b.getInt32Ty(), words, next++));
    call("tenon_emu_multiply", b.getVoidTy(), {b.getInt32(unsigned(kind)), words, results});
    SmallVector<Value *, 4> added;
    for (unsigned i = 0; i < sums.size(); ++i)
      added.push_back(b.CreateLoad(sums[i]->getType(), b.CreateConstInBoundsGEP1_32(b.getInt32Ty(), results, i)));
    return added;
  }

  SmallVector<Value *, 2> multiplyDoubles(Value *lhs, Value *rhs, ArrayRef<Value *> sums) override {
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    Value *results = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(b.getDoubleTy(), 2));
    call("tenon_emu_multiply_doubles", b.getVoidTy(), {lhs, rhs, sums[0], sums[1], results});
    auto load = [&](unsigned i) {
      return b.CreateLoad(b.getDoubleTy(), b.CreateConstInBoundsGEP1_32(b.getDoubleTy(), results, i));
    };
    return {load(0), load(1)};
  }

  SmallVector<Value *, 4> loadMatrices(Value *row, bool isTransposed) override {
    constexpr unsigned kWords = 4;
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    Value *words = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(b.getInt32Ty(), kWords));
    call("tenon_emu_load_matrices", b.getVoidTy(), {row, b.getInt32(isTransposed), words});
    SmallVector<Value *, 4> results;
    for (unsigned i = 0; i < kWords; ++i)
      results.push_back(b.CreateLoad(b.getInt32Ty(), b.CreateConstInBoundsGEP1_32(b.getInt32Ty(), words, i)));
    return results;
  }

  Value *approximateExp2(Value *exponent) override { return call("tenon_emu_exp2", b.getFloatTy(), {exponent}); }
  Value *approximateReciprocal(Value *divisor) override {
    return call("tenon_emu_reciprocal", b.getFloatTy(), {divisor});
  }

  void emitFenceForGroups() override { call("tenon_emu_fence_for_groups", b.getVoidTy(), {}); }
  void emitStartOfProducts() override { call("tenon_emu_start_of_products", b.getVoidTy(), {}); }
  void emitEndOfProducts() override { call("tenon_emu_end_of_products", b.getVoidTy(), {}); }

  SmallVector<Value *> multiplyInGroup(Matrix kind, unsigned columns, const GroupTile &lhs, const GroupTile &rhs,
                                       ArrayRef<Value *> sums) override {
    if (!lhs.words.empty())
      return multiplyWordsInGroup(kind, columns, lhs.words, rhs, sums);
    return throughMemory(sums, [&](Value *words) {
      call("tenon_emu_multiply_in_group", b.getVoidTy(),
           {b.getInt32(unsigned(kind)), b.getInt32(columns), lhs.address, b.getInt32(uint32_t(lhs.chunkBytes)),
            rhs.address, b.getInt32(uint32_t(rhs.chunkBytes)), words});
    });
  }

  SmallVector<Value *> waitForProducts(unsigned left, ArrayRef<Value *> sums) override {
    return throughMemory(sums, [&](Value *words) {
      call("tenon_emu_wait_for_products", b.getVoidTy(), {b.getInt32(left), words, b.getInt32(uint32_t(sums.size()))});
    });
  }

  void emitMap(Value *map, const BoxedArray &array) override {
    SmallVector<Value *> numbers{b.CreatePtrToInt(array.address, b.getInt64Ty()),
                                 b.getInt64(uint64_t(array.elementBytes))};
    for (ArrayRef<int64_t> list :
         {ArrayRef<int64_t>(array.sizes), ArrayRef<int64_t>(array.boxes), ArrayRef<int64_t>(array.strides)})
      for (int64_t number : list)
        numbers.push_back(b.getInt64(uint64_t(number)));
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    Value *memory = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(b.getInt64Ty(), numbers.size()));
    for (auto [i, number] : enumerate(numbers))
      b.CreateStore(number, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), memory, i));
    call("tenon_emu_make_map", b.getVoidTy(), {map, memory});
  }
  void emitUseOfMap(Value *map) override { call("tenon_emu_use_map", b.getVoidTy(), {map}); }
  void emitStartOfPhases(Value *barrier) override { call("tenon_emu_start_of_phases", b.getVoidTy(), {barrier}); }
  void emitExpectedBytes(Value *barrier, int64_t bytes) override {
    call("tenon_emu_expect_bytes", b.getVoidTy(), {barrier, b.getInt32(uint32_t(bytes))});
  }
  void emitBoxCopy(Value *shared, Value *map, ArrayRef<Value *> place, Value *barrier) override {
    call("tenon_emu_copy_box", b.getVoidTy(), {shared, map, place[0], place[1], place[2], barrier});
  }
  void emitWaitForPhase(Value *barrier, Value *parity) override {
    call("tenon_emu_wait_for_phase", b.getVoidTy(), {barrier, parity});
  }

  void runAlone(Function &) override {}
  void formClusters(Function &kernel, int blocks) override {
    auto *data = b.getInt32(uint32_t(blocks));
    new GlobalVariable(*kernel.getParent(), data->getType(), true, GlobalValue::ExternalLinkage, data,
                       kernel.getName() + "$cluster");
  }
  void emitClusterBarrier() override { call("tenon_emu_cluster_barrier", b.getVoidTy(), {}); }
  void addRelease(Value *value, Value *address) override {
    b.CreateAtomicRMW(AtomicRMWInst::Add, address, value, MaybeAlign(), AtomicOrdering::Release,
                      b.getContext().getOrInsertSyncScopeID("device"));
  }
  Value *sharedOf(Value *own, Value *block) override { return call("tenon_emu_shared_of", b.getPtrTy(), {own, block}); }

  void emitSetConditional(Value *handle, Value *value) override {
    call("tenon_emu_set_conditional", b.getVoidTy(), {handle, value});
  }
  Value *alignedSharedMemory(int64_t) override { return call("tenon_emu_shared", b.getPtrTy(), {}); }

private:
  SmallVector<Value *> multiplyWordsInGroup(Matrix kind, unsigned columns, ArrayRef<Value *> lhs, const GroupTile &rhs,
                                            ArrayRef<Value *> sums) {
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    Value *factors = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(b.getInt32Ty(), lhs.size()));
    for (auto [i, word] : enumerate(lhs))
      b.CreateStore(word, b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), factors, i));
    return throughMemory(sums, [&](Value *words) {
      call("tenon_emu_multiply_words_in_group", b.getVoidTy(),
           {b.getInt32(unsigned(kind)), b.getInt32(columns), factors, rhs.address, b.getInt32(uint32_t(rhs.chunkBytes)),
            words});
    });
  }

  // What becomes of values, of 32 bits each, by a call that is given their address.
  SmallVector<Value *> throughMemory(ArrayRef<Value *> values, function_ref<void(Value *)> emitCall) {
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    auto *type = ArrayType::get(b.getInt32Ty(), values.size());
    Value *words = IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
    auto at = [&](size_t i) { return b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), words, i); };
    for (auto [i, value] : enumerate(values))
      b.CreateStore(value, at(i));
    emitCall(words);
    SmallVector<Value *> results;
    for (auto [i, value] : enumerate(values))
      results.push_back(b.CreateLoad(value->getType(), at(i)));
    return results;
  }

  Value *shuffleWord(Value *word, unsigned lanes) override {
    return call("tenon_emu_shuffle_xor", b.getInt32Ty(), {word, b.getInt32(lanes)});
  }
  Value *shuffleWordFrom(Value *word, Value *lane) override {
    return call("tenon_emu_shuffle_from", b.getInt32Ty(), {word, lane});
  }

  Value *call(StringRef name, Type *result, ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    FunctionCallee callee =
        b.GetInsertBlock()->getModule()->getOrInsertFunction(name, FunctionType::get(result, types, false));
    CallInst *made = b.CreateCall(callee, arguments);
    made->setConvergent();
    return made;
  }
};

} // namespace

std::unique_ptr<GpuBuilder> makeEmulatedBuilder(LLVMContext &context) {
  return std::make_unique<EmulatedBuilder>(context);
}

} // namespace tenon::codegen
