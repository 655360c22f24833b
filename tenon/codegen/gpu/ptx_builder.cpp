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

  // Bit by bit, which takes less time than the instruction for whole numbers.
  Value *lanesWith(Value *number, unsigned bits) override {
    Value *lanes = b.getInt32(kAllLanes);
    for (unsigned bit = 0; bit < bits; ++bit) {
      Value *isSet = b.CreateTrunc(b.CreateLShr(number, bit), b.getInt1Ty());
      Value *set = b.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, {}, {b.getInt32(kAllLanes), isSet});
      lanes = b.CreateAnd(lanes, b.CreateSelect(isSet, set, b.CreateNot(set)));
    }
    return lanes;
  }

  void emitPause() override {
    constexpr uint32_t kNanoseconds = 20;
    b.CreateIntrinsic(Intrinsic::nvvm_nanosleep, {}, {b.getInt32(kNanoseconds)});
  }

  Value *nanoseconds() override { return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_globaltimer, {}); }

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

  Value *alignedSharedMemory(int64_t alignment) override {
    Module &module = *b.GetInsertBlock()->getModule();
    constexpr StringLiteral kName = "shared_memory";
    GlobalVariable *memory = module.getNamedGlobal(kName);
    if (!memory) {
      memory = new GlobalVariable(module, ArrayType::get(b.getInt8Ty(), 0), false, GlobalValue::ExternalLinkage,
                                  nullptr, kName, nullptr, GlobalValue::NotThreadLocal, kShared);
      memory->setAlignment(Align(16));
    }
    memory->setAlignment(std::max(*memory->getAlign(), Align(uint64_t(alignment))));
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

  Value *approximateExp2(Value *exponent) override {
    return b.CreateIntrinsic(Intrinsic::nvvm_ex2_approx_ftz, {exponent->getType()}, {exponent});
  }
  Value *approximateReciprocal(Value *divisor) override {
    return b.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f, {}, {divisor});
  }

  void emitFenceForGroups() override { b.CreateIntrinsic(Intrinsic::nvvm_fence_proxy_async_shared_cta, {}); }
  void emitStartOfProducts() override { b.CreateIntrinsic(Intrinsic::nvvm_wgmma_fence_sync_aligned, {}); }
  void emitEndOfProducts() override { b.CreateIntrinsic(Intrinsic::nvvm_wgmma_commit_group_sync_aligned, {}); }

  SmallVector<Value *> multiplyInGroup(Matrix kind, unsigned columns, const GroupTile &lhs, const GroupTile &rhs,
                                       ArrayRef<Value *> sums) override {
    constexpr StringLiteral kTypes[] = {"k16.f32.bf16.bf16", "k16.f32.f16.f16", "k32.s32.s8.s8", "k32.s32.u8.u8"};
    bool isFloat = kind == Matrix::kBf16 || kind == Matrix::kF16;
    std::string code;
    raw_string_ostream os(code);
    os << "{ .reg .pred adds; setp.eq.u32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n" << columns
       << kTypes[unsigned(kind)] << " {";
    for (size_t i = 0; i < sums.size(); ++i)
      os << (i ? ", $" : "$") << i;
    size_t next = 2 * sums.size();
    SmallVector<Value *> factors(lhs.words.begin(), lhs.words.end());
    os << "}, ";
    for (size_t i = 0; i < lhs.words.size(); ++i)
      os << (i ? ", $" : "{$") << next++;
    if (!lhs.words.empty())
      os << "}, ";
    else
      factors.push_back(descriptor(lhs));
    factors.push_back(descriptor(rhs));
    for (; next < 2 * sums.size() + factors.size(); ++next)
      os << '$' << next << ", ";
    os << "adds";
    if (isFloat) // no factor is negated; which of those in shared memory are transposed
      os << ", 1, 1, " << (lhs.words.empty() ? (lhs.chunkBytes ? "1, " : "0, ") : "") << int(rhs.chunkBytes != 0);
    os << "; }";
    return keepInRegisters(code, sums, factors);
  }

  SmallVector<Value *> waitForProducts(unsigned left, ArrayRef<Value *> sums) override {
    return keepInRegisters("wgmma.wait_group.sync.aligned " + std::to_string(left) + ";", sums, {});
  }

  void emitMap(Value *generic, const BoxedArray &array) override {
    Value *map = b.CreateAddrSpaceCast(generic, b.getPtrTy(kGlobal));
    constexpr unsigned kBytes = 0, kHalves = 1, kShuffled128 = 3; // as PTX numbers elements and shuffles
    auto replace = [&](Intrinsic::ID field, ArrayRef<Value *> values) {
      SmallVector<Value *> arguments{map};
      append_range(arguments, values);
      b.CreateIntrinsic(field, {map->getType()}, arguments);
    };
    auto *vector = FixedVectorType::get(b.getInt32Ty(), 4);
    for (unsigned i = 0; i < kMapBytes / kCopiedBytes; ++i)
      b.CreateAlignedStore(Constant::getNullValue(vector), b.CreateConstGEP1_32(vector, map, i), Align(kCopiedBytes));
    replace(Intrinsic::nvvm_tensormap_replace_global_address, {b.CreatePtrToInt(array.address, b.getInt64Ty())});
    replace(Intrinsic::nvvm_tensormap_replace_rank, {b.getInt32(uint32_t(array.sizes.size()) - 1)});
    for (unsigned i = 0; i < array.sizes.size(); ++i) {
      replace(Intrinsic::nvvm_tensormap_replace_box_dim, {b.getInt32(i), b.getInt32(uint32_t(array.boxes[i]))});
      replace(Intrinsic::nvvm_tensormap_replace_global_dim, {b.getInt32(i), b.getInt32(uint32_t(array.sizes[i]))});
      replace(Intrinsic::nvvm_tensormap_replace_element_stride, {b.getInt32(i), b.getInt32(1)});
    }
    for (unsigned i = 0; i < array.strides.size(); ++i)
      replace(Intrinsic::nvvm_tensormap_replace_global_stride, {b.getInt32(i), b.getInt64(uint64_t(array.strides[i]))});
    replace(Intrinsic::nvvm_tensormap_replace_elemtype, {b.getInt32(array.elementBytes == 2 ? kHalves : kBytes)});
    replace(Intrinsic::nvvm_tensormap_replace_interleave_layout, {b.getInt32(0)});
    replace(Intrinsic::nvvm_tensormap_replace_swizzle_mode, {b.getInt32(kShuffled128)});
    replace(Intrinsic::nvvm_tensormap_replace_fill_mode, {b.getInt32(0)});
    b.CreateIntrinsic(Intrinsic::nvvm_fence_proxy_tensormap_generic_release_gpu, {});
  }

  void emitUseOfMap(Value *map) override {
    b.CreateIntrinsic(Intrinsic::nvvm_fence_proxy_tensormap_generic_acquire_gpu, {},
                      {b.CreateAddrSpaceCast(map, b.getPtrTy()), b.getInt32(kMapBytes)});
  }

  void emitStartOfPhases(Value *barrier) override {
    b.CreateIntrinsic(Intrinsic::nvvm_mbarrier_init_shared, {}, {barrier, b.getInt32(1)});
    b.CreateIntrinsic(Intrinsic::nvvm_fence_mbarrier_init_release_cluster, {});
  }
  void emitExpectedBytes(Value *barrier, int64_t bytes) override {
    b.CreateIntrinsic(Intrinsic::nvvm_mbarrier_arrive_expect_tx_scope_cta_space_cta, {},
                      {barrier, b.getInt32(uint32_t(bytes))});
  }

  // By PTX: the intrinsic wants an address in the cluster's memory, which this is too.
  void emitBoxCopy(Value *shared, Value *map, ArrayRef<Value *> place, Value *barrier) override {
    callPtx("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], "
            "[$1, {$2, $3, $4}], [$5];",
            "r,l,r,r,r,r", b.getVoidTy(),
            {word(shared), b.CreatePtrToInt(b.CreateAddrSpaceCast(map, b.getPtrTy()), b.getInt64Ty()), place[0],
             place[1], place[2], word(barrier)});
  }

  void emitWaitForPhase(Value *barrier, Value *parity) override {
    callPtx("{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra again; }",
            "r,r", b.getVoidTy(), {word(barrier), parity});
  }

  void runAlone(Function &kernel) override { kernel.addFnAttr("nvvm.minctasm", "1"); }
  void formClusters(Function &kernel, int blocks) override {
    kernel.addFnAttr("nvvm.cluster_dim", std::to_string(blocks) + ",1,1");
  }
  void emitClusterBarrier() override {
    b.CreateIntrinsic(Intrinsic::nvvm_barrier_cluster_arrive_aligned, {});
    b.CreateIntrinsic(Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
  }
  // LLVM 22 drops the order of the addition itself.
  void addRelease(Value *value, Value *address) override {
    b.CreateFence(AtomicOrdering::Release, b.getContext().getOrInsertSyncScopeID("device"));
    emitAtomic(AtomicRMWInst::Add, address, value);
  }
  Value *sharedOf(Value *own, Value *block) override {
    return b.CreateIntrinsic(Intrinsic::nvvm_mapa_shared_cluster, {}, {own, block});
  }

private:
  // An address in shared memory.
  Value *word(Value *shared) { return b.CreatePtrToInt(shared, b.getInt32Ty()); }

  CallInst *callPtx(StringRef code, const std::string &constraints, Type *result, ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    auto *assembly = InlineAsm::get(FunctionType::get(result, types, false), code, constraints + ",~{memory}",
                                    /*hasSideEffects=*/true);
    CallInst *call = b.CreateCall(assembly, arguments);
    call->setConvergent();
    return call;
  }

  // Where a tile in shared memory is, as products of warp groups are told: in units of 16 bytes, the address, the
  // distances of chunks and of groups of eight rows; and that these are shuffled within 128 bytes.
  Value *descriptor(const GroupTile &tile) {
    constexpr uint64_t kUnit = 16, kAtom = 1024, kAddressBits = 0x3ffff, kShuffles128 = uint64_t{1} << 62;
    Value *units = b.CreateZExt(b.CreateLShr(b.CreateAnd(word(tile.address), kAddressBits), 4), b.getInt64Ty());
    uint64_t layout = uint64_t(tile.chunkBytes) / kUnit << 16 | kAtom / kUnit << 32 | kShuffles128;
    return b.CreateOr(units, b.getInt64(layout));
  }

  // PTX whose results are the values, in the registers in which they are given.
  SmallVector<Value *> keepInRegisters(const std::string &code, ArrayRef<Value *> values, ArrayRef<Value *> others) {
    Type *type = values.front()->getType();
    std::string outputs, inputs;
    for (size_t i = 0; i < values.size(); ++i) {
      outputs += std::string(i ? "," : "") + (type->isFloatTy() ? "=f" : "=r");
      inputs += "," + std::to_string(i);
    }
    for (Value *other : others)
      inputs += other->getType()->isIntegerTy(64) ? ",l" : ",r";
    SmallVector<Value *> arguments(values);
    append_range(arguments, others);
    Type *result = StructType::get(b.getContext(), SmallVector<Type *>(values.size(), type));
    CallInst *call = callPtx(code, outputs + inputs, result, arguments);
    SmallVector<Value *> results;
    for (unsigned i = 0; i < values.size(); ++i)
      results.push_back(b.CreateExtractValue(call, i));
    return results;
  }

  static constexpr unsigned kGlobal = 1, kShared = 3; // address spaces
  static constexpr uint32_t kAllLanes = ~uint32_t{0};

  Value *shuffleWord(Value *word, unsigned lanes) override {
    return shuffleBy(Intrinsic::nvvm_shfl_sync_bfly_i32, word, b.getInt32(lanes));
  }
  Value *shuffleWordFrom(Value *word, Value *lane) override {
    return shuffleBy(Intrinsic::nvvm_shfl_sync_idx_i32, word, lane);
  }
  Value *shuffleBy(Intrinsic::ID instruction, Value *word, Value *lanes) {
    constexpr int kWholeWarp = 31;
    return b.CreateIntrinsic(instruction, {}, {b.getInt32(kAllLanes), word, lanes, b.getInt32(kWholeWarp)});
  }
};

} // namespace

std::unique_ptr<GpuBuilder> makePtxBuilder(LLVMContext &context) { return std::make_unique<PtxBuilder>(context); }

} // namespace tenon::codegen
