// Kernels for GPUs: NVPTX's intrinsics, and PTX itself where there is none.
#include "tenon/codegen/gpu/builder.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tenon::codegen {
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

} // namespace

std::unique_ptr<GpuBuilder> makePtxBuilder(LLVMContext &context) { return std::make_unique<PtxBuilder>(context); }

} // namespace tenon::codegen
