#include "tenon/codegen/gpu/control_kernels.h"

#include "tenon/codegen/gpu/control_code.h"
#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/IR/LLVMContext.h"

#include <map>
#include <mutex>

using namespace llvm;

namespace tenon::codegen {
namespace {

class ControlKernels {
public:
  ControlKernels(Module &module, GpuBuilder &gpu)
      : module_(module), gpu_(gpu), b_(gpu.b), pointer_(gpu.globalPointerType()), i64_(b_.getInt64Ty()) {}

  void emit(bool bindsAlone) {
    emitBind();
    if (bindsAlone)
      return;
    emitSave();
    emitAdvance();
    emitCopy();
    emitContinue();
    emitChoose();
  }

private:
  ControlCode start(const char *name, ArrayRef<Type *> parameters) {
    gpu_.startKernel(module_, name, parameters, kTaskBlock);
    return ControlCode(gpu_);
  }
  Value *argument(unsigned number) { return gpu_.parameter(number); }

  // (addresses, places, initial, bound, numPlaces, rows, slotPlaces, list)
  void emitBind() {
    auto *addresses = ArrayType::get(i64_, program::kBoundAddresses);
    ControlCode code =
        start("tenon_bind", {addresses, pointer_, pointer_, pointer_, i64_, pointer_, pointer_, pointer_});
    code.forEach(argument(4), [&](Value *place) {
      Value *bound = code.load(argument(3), place), *isFixed = b_.CreateICmpSLT(bound, b_.getInt64(0));
      Value *given = code.load(argument(0), b_.CreateSelect(isFixed, b_.getInt64(0), bound));
      code.store(b_.CreateSelect(isFixed, code.load(argument(2), place), given), argument(1), place);
    });
    gpu_.emitBarrier();
    code.refresh(argument(1), argument(5), argument(6), argument(7));
    b_.CreateRetVoid();
  }

  // (places, saved, numPlaces)
  void emitSave() {
    ControlCode code = start("tenon_save", {pointer_, pointer_, i64_});
    code.forEach(argument(2), [&](Value *place) { code.store(code.load(argument(0), place), argument(1), place); });
    b_.CreateRetVoid();
  }

  // (places, saved, numPlaces, exchanges, rows, slotPlaces, list)
  void emitAdvance() {
    ControlCode code = start("tenon_advance", {pointer_, pointer_, i64_, pointer_, pointer_, pointer_, pointer_});
    code.advance({argument(0), argument(1), argument(2), argument(3), argument(4), argument(5), argument(6)});
    b_.CreateRetVoid();
  }

  // (to, from, bytes): pointers to addresses
  void emitCopy() {
    ControlCode code = start("tenon_copy", {pointer_, pointer_, i64_});
    Value *to = code.load(argument(0), b_.getInt64(0)), *from = code.load(argument(1), b_.getInt64(0));
    Value *bytes = argument(2);
    code.onlyIf(b_.CreateICmpNE(to, from), [&] {
      Value *target = b_.CreateIntToPtr(to, pointer_), *source = b_.CreateIntToPtr(from, pointer_);
      Value *words = b_.CreateLShr(bytes, 3);
      code.forEach(words, [&](Value *word) { code.store(code.load(source, word), target, word); });
      Value *whole = b_.CreateShl(words, 3);
      Type *byte = b_.getInt8Ty();
      code.forEach(b_.CreateNSWSub(bytes, whole), [&](Value *number) {
        Value *place = b_.CreateNSWAdd(whole, number);
        b_.CreateStore(b_.CreateLoad(byte, b_.CreateGEP(byte, source, place)), b_.CreateGEP(byte, target, place));
      });
    });
    b_.CreateRetVoid();
  }

  // (handle, row, stop, looked)
  void emitContinue() {
    ControlCode code = start("tenon_continue", {i64_, pointer_, pointer_, pointer_});
    code.onlyFirstThread([&] {
      Value *predicate = b_.CreateIntToPtr(code.load(argument(1), b_.getInt64(0)), pointer_);
      code.continueIf(predicate, argument(0), argument(2), argument(3));
    });
    b_.CreateRetVoid();
  }

  // (handle, row, number, count, isTwoWay)
  void emitChoose() {
    ControlCode code = start("tenon_choose", {i64_, pointer_, i64_, i64_, i64_});
    code.onlyFirstThread([&] {
      Value *selector = b_.CreateIntToPtr(code.load(argument(1), b_.getInt64(0)), pointer_);
      Value *isFirst = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), selector), b_.getInt8(0));
      Value *ofTwo = b_.CreateSelect(isFirst, b_.getInt64(0), b_.getInt64(1));
      Value *isTwoWay = b_.CreateICmpNE(argument(4), b_.getInt64(0));
      BasicBlock *many = code.block("many"), *after = code.block("chosen"), *before = b_.GetInsertBlock();
      b_.CreateCondBr(isTwoWay, after, many);
      b_.SetInsertPoint(many); // the selector of two has one byte
      Value *number = b_.CreateSExt(b_.CreateLoad(b_.getInt32Ty(), selector), i64_);
      Value *last = b_.CreateNSWSub(argument(3), b_.getInt64(1));
      Value *isOutside = b_.CreateOr(b_.CreateICmpSLT(number, b_.getInt64(0)), b_.CreateICmpSGT(number, last));
      Value *ofMany = b_.CreateSelect(isOutside, last, number);
      b_.CreateBr(after);
      b_.SetInsertPoint(after);
      PHINode *chosen = b_.CreatePHI(i64_, 2);
      chosen->addIncoming(ofTwo, before);
      chosen->addIncoming(ofMany, many);
      gpu_.emitSetConditional(argument(0), b_.CreateZExt(b_.CreateICmpEQ(chosen, argument(2)), b_.getInt32Ty()));
    });
    b_.CreateRetVoid();
  }

  Module &module_;
  GpuBuilder &gpu_;
  IRBuilder<> &b_;
  Type *pointer_, *i64_;
};

StatusOr<program::DeviceModule> makeControlModule(const GpuTarget &target, bool bindsAlone) {
  LLVMContext context;
  Module module("control", context);
  target.prepareModule(module);
  std::unique_ptr<GpuBuilder> builder = target.makeBuilder(context);
  ControlKernels(module, *builder).emit(bindsAlone);
  program::DeviceModule result;
  for (const char *name :
       ArrayRef(program::kControlKernels).take_front(bindsAlone ? 1 : std::size(program::kControlKernels)))
    result.kernels.push_back({name, 1, 0, kTaskBlock, kTaskBlock, 0});
  CompileOptions options;
  options.keepsAddresses = true; // as plain maps, with whose passes it is compiled
  TENON_ASSIGN_OR_RETURN(result.code, target.options().emulator ? compileModule(module, target, options)
                                                                : compileToAssembly(module, target, options));
  return result;
}

} // namespace

StatusOr<program::DeviceModule> controlModule(const GpuTarget &target, const program::DeviceSteps &steps) {
  const bool bindsAlone =
      all_of(steps, [](const auto &step) { return std::holds_alternative<program::KernelStep>(step.what); });
  static std::mutex mutex;
  static auto *made = new std::map<std::string, program::DeviceModule>();
  std::lock_guard lock(mutex);
  std::string key = target.options().chip + "/" + target.key() + (bindsAlone ? "/bind" : "");
  if (auto found = made->find(key); found != made->end())
    return found->second;
  TENON_ASSIGN_OR_RETURN(program::DeviceModule module, makeControlModule(target, bindsAlone));
  return made->emplace(key, std::move(module)).first->second;
}

} // namespace tenon::codegen
