#include "tenon/codegen/gpu/builder.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tenon::codegen {

Value *GpuBuilder::threadInGrid() {
  return b.CreateNSWAdd(b.CreateNSWMul(wide(Number::kBlock), wide(Number::kThreads)), wide(Number::kThread));
}

Value *GpuBuilder::threadsInGrid() { return b.CreateNSWMul(wide(Number::kBlocks), wide(Number::kThreads)); }

Value *GpuBuilder::shuffleXor(Value *value, unsigned lanes) {
  Type *type = value->getType(), *word = b.getInt32Ty();
  unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  assert(bits <= 64 && "wider values are for the caller to take apart");
  if (bits < 32) {
    Type *narrow = b.getIntNTy(bits);
    Value *packed = b.CreateZExt(b.CreateBitCast(value, narrow), word);
    return b.CreateBitCast(b.CreateTrunc(shuffleWord(packed, lanes), narrow), type);
  }
  if (bits == 32)
    return b.CreateBitCast(shuffleWord(b.CreateBitCast(value, word), lanes), type);
  auto *words = FixedVectorType::get(word, 2);
  Value *parts = b.CreateBitCast(value, words), *result = PoisonValue::get(words);
  for (uint64_t i = 0; i < 2; ++i)
    result = b.CreateInsertElement(result, shuffleWord(b.CreateExtractElement(parts, i), lanes), i);
  return b.CreateBitCast(result, type);
}

// Relaxed, which is all that LLVM 22 makes of any order.
void GpuBuilder::emitAtomic(AtomicRMWInst::BinOp op, Value *address, Value *value) {
  b.CreateAtomicRMW(op, address, value, MaybeAlign(), AtomicOrdering::Monotonic,
                    b.getContext().getOrInsertSyncScopeID("device"));
}

Value *GpuBuilder::at(IRBuilderBase &place, function_ref<Value *()> emit) {
  b.restoreIP(place.saveIP());
  Value *result = emit();
  place.restoreIP(b.saveIP());
  return result;
}

namespace {

constexpr uint32_t kCopiedBytes = 16; // of emitCopy

class PtxBuilder final : public GpuBuilder {
public:
  explicit PtxBuilder(LLVMContext &context) : GpuBuilder(context) {}

  Function *startKernel(Module &module, StringRef name, ArrayRef<Type *> parameters, int threads) override {
    SmallVector<Type *> types(parameters);
    for (Type *&parameter : types)
      if (parameter->isArrayTy())
        parameter = b.getPtrTy();
    auto *type = FunctionType::get(b.getVoidTy(), types, false);
    Function *kernel = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    for (auto [number, parameter] : enumerate(parameters))
      if (parameter->isArrayTy())
        kernel->addParamAttr(unsigned(number), Attribute::getWithByValType(module.getContext(), parameter));
    kernel->setCallingConv(CallingConv::PTX_Kernel);
    kernel->addFnAttr(Attribute::NoUnwind);
    // No pass may move a barrier or a shuffle to where fewer threads come by.
    kernel->addFnAttr(Attribute::Convergent);
    kernel->addFnAttr("nvvm.maxntid", std::to_string(threads));
    parameters_.clear();
    for (Argument &argument : kernel->args())
      parameters_.push_back(&argument);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", kernel));
    return kernel;
  }

  Type *globalPointerType() override { return b.getPtrTy(kGlobal); }

  Value *number(Number which) override {
    constexpr Intrinsic::ID kRegisters[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                            Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                            Intrinsic::nvvm_read_ptx_sreg_nctaid_x};
    return b.CreateIntrinsic(kRegisters[unsigned(which)], {});
  }

  void emitBarrier() override { b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {}, {b.getInt32(0)}); }

  void emitCopy(Value *shared, Value *global, Value *isThere) override {
    Value *bytes = b.CreateSelect(isThere, b.getInt32(kCopiedBytes), b.getInt32(0));
    b.CreateIntrinsic(Intrinsic::nvvm_cp_async_cg_shared_global_16_s, {},
                      {shared, b.CreateAddrSpaceCast(global, b.getPtrTy(kGlobal)), bytes});
  }
  void emitEndOfCopies() override { b.CreateIntrinsic(Intrinsic::nvvm_cp_async_commit_group, {}); }
  void emitWaitForCopies(unsigned left) override {
    b.CreateIntrinsic(Intrinsic::nvvm_cp_async_wait_group, {}, {b.getInt32(left)});
  }

  // Known to drivers alone, which resolve it when they load the module.
  void emitSetConditional(Value *handle, Value *value) override {
    FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(
        "cudaGraphSetConditional", b.getVoidTy(), b.getInt64Ty(), b.getInt32Ty());
    b.CreateCall(callee, {handle, value});
  }

  Value *sharedMemory() override {
    Module &module = *b.GetInsertBlock()->getModule();
    constexpr StringLiteral kName = "shared_memory";
    GlobalVariable *memory = module.getNamedGlobal(kName);
    if (!memory) {
      memory = new GlobalVariable(module, ArrayType::get(b.getInt8Ty(), 0), false, GlobalValue::ExternalLinkage,
                                  nullptr, kName, nullptr, GlobalValue::NotThreadLocal, kShared);
      memory->setAlignment(Align(16));
    }
    return memory;
  }

  SmallVector<Value *, 4> multiplyMatrices(Matrix kind, ArrayRef<Value *> lhs, ArrayRef<Value *> rhs,
                                           ArrayRef<Value *> sums) override {
    constexpr Intrinsic::ID kInstructions[] = {
        Intrinsic::nvvm_mma_m16n8k16_row_col_bf16, Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32,
        Intrinsic::nvvm_mma_m16n8k32_row_col_s8, Intrinsic::nvvm_mma_m16n8k32_row_col_u8};
    Intrinsic::ID instruction = kInstructions[unsigned(kind)];
    Type *factor = Intrinsic::getType(b.getContext(), instruction)->getParamType(0);
    SmallVector<Value *> arguments;
    for (ArrayRef<Value *> words : {lhs, rhs})
      for (Value *word : words)
        arguments.push_back(b.CreateBitCast(word, factor));
    append_range(arguments, sums);
    Value *result = b.CreateIntrinsic(instruction, {}, arguments);
    SmallVector<Value *, 4> added;
    for (unsigned i = 0; i < sums.size(); ++i)
      added.push_back(b.CreateExtractValue(result, i));
    return added;
  }

  SmallVector<Value *, 2> multiplyDoubles(Value *lhs, Value *rhs, ArrayRef<Value *> sums) override {
    Value *result = b.CreateIntrinsic(Intrinsic::nvvm_mma_m8n8k4_row_col_f64, {}, {lhs, rhs, sums[0], sums[1]});
    return {b.CreateExtractValue(result, 0), b.CreateExtractValue(result, 1)};
  }

  SmallVector<Value *, 4> loadMatrices(Value *row, bool isTransposed) override {
    Value *words = b.CreateIntrinsic(isTransposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                                  : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
                                     {row->getType()}, {row});
    SmallVector<Value *, 4> results;
    for (unsigned i = 0; i < 4; ++i)
      results.push_back(b.CreateExtractValue(words, i));
    return results;
  }

private:
  static constexpr unsigned kGlobal = 1, kShared = 3; // address spaces

  Value *shuffleWord(Value *word, unsigned lanes) override {
    constexpr int kAllLanes = -1, kWholeWarp = 31;
    return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                             {b.getInt32(kAllLanes), word, b.getInt32(lanes), b.getInt32(kWholeWarp)});
  }
};

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

  void emitSetConditional(Value *handle, Value *value) override {
    call("tenon_emu_set_conditional", b.getVoidTy(), {handle, value});
  }
  Value *sharedMemory() override { return call("tenon_emu_shared", b.getPtrTy(), {}); }

private:
  Value *shuffleWord(Value *word, unsigned lanes) override {
    return call("tenon_emu_shuffle_xor", b.getInt32Ty(), {word, b.getInt32(lanes)});
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

std::unique_ptr<GpuBuilder> makePtxBuilder(LLVMContext &context) { return std::make_unique<PtxBuilder>(context); }
std::unique_ptr<GpuBuilder> makeEmulatedBuilder(LLVMContext &context) {
  return std::make_unique<EmulatedBuilder>(context);
}

} // namespace tenon::codegen
