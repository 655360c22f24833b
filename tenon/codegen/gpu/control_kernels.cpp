#include "tenon/codegen/gpu/control_kernels.h"

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
      : module_(module), gpu_(gpu), b(gpu.b), pointer_(gpu.globalPointerType()), i64_(b.getInt64Ty()) {}

  void emitAll() {
    emitBind();
    emitSave();
    emitAdvance();
    emitCopy();
    emitContinue();
    emitChoose();
  }

private:
  void start(const char *name, ArrayRef<Type *> parameters) {
    kernel_ = gpu_.startKernel(module_, name, parameters, kTaskBlock);
  }
  Value *argument(unsigned number) { return gpu_.parameter(number); }
  Value *load(Value *table, Value *index) { return b.CreateLoad(i64_, b.CreateGEP(i64_, table, index)); }
  void store(Value *value, Value *table, Value *index) { b.CreateStore(value, b.CreateGEP(i64_, table, index)); }
  BasicBlock *block(const char *label) { return BasicBlock::Create(module_.getContext(), label, kernel_); }

  // The body for each number below the count, shared out among the threads of the grid.
  void forEach(Value *count, function_ref<void(Value *)> body) {
    Value *first = gpu_.threadInGrid(), *step = gpu_.threadsInGrid();
    BasicBlock *before = b.GetInsertBlock(), *head = block("head"), *inside = block("body"), *after = block("after");
    b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *number = b.CreatePHI(i64_, 2);
    number->addIncoming(first, before);
    b.CreateCondBr(b.CreateICmpSLT(number, count), inside, after);
    b.SetInsertPoint(inside);
    body(number);
    number->addIncoming(b.CreateNSWAdd(number, step), b.GetInsertBlock());
    b.CreateBr(head);
    b.SetInsertPoint(after);
  }

  void onlyIf(Value *condition, function_ref<void()> body) {
    BasicBlock *inside = block("then"), *after = block("after");
    b.CreateCondBr(condition, inside, after);
    b.SetInsertPoint(inside);
    body();
    b.CreateBr(after);
    b.SetInsertPoint(after);
  }

  // rows[s] = places[slotPlaces[s]] for each s of a list, which begins with its length. Nothing has the place -1.
  void refresh(Value *places, Value *rows, Value *slotPlaces, Value *list) {
    forEach(load(list, b.getInt64(0)), [&](Value *number) {
      Value *slot = load(list, b.CreateNSWAdd(number, b.getInt64(1)));
      Value *place = load(slotPlaces, slot);
      Value *isNothing = b.CreateICmpSLT(place, b.getInt64(0));
      Value *address = load(places, b.CreateSelect(isNothing, b.getInt64(0), place));
      store(b.CreateSelect(isNothing, b.getInt64(0), address), rows, slot);
    });
  }

  // (addresses, places, initial, bound, numPlaces, rows, slotPlaces, list)
  void emitBind() {
    auto *addresses = ArrayType::get(i64_, program::kBoundAddresses);
    start("tenon_bind", {addresses, pointer_, pointer_, pointer_, i64_, pointer_, pointer_, pointer_});
    forEach(argument(4), [&](Value *place) {
      Value *bound = load(argument(3), place), *isFixed = b.CreateICmpSLT(bound, b.getInt64(0));
      Value *given = load(argument(0), b.CreateSelect(isFixed, b.getInt64(0), bound));
      store(b.CreateSelect(isFixed, load(argument(2), place), given), argument(1), place);
    });
    gpu_.emitBarrier();
    refresh(argument(1), argument(5), argument(6), argument(7));
    b.CreateRetVoid();
  }

  // (places, saved, numPlaces)
  void emitSave() {
    start("tenon_save", {pointer_, pointer_, i64_});
    forEach(argument(2), [&](Value *place) { store(load(argument(0), place), argument(1), place); });
    b.CreateRetVoid();
  }

  // (places, saved, numPlaces, exchanges, rows, slotPlaces, list)
  void emitAdvance() {
    start("tenon_advance", {pointer_, pointer_, i64_, pointer_, pointer_, pointer_, pointer_});
    Value *saved = argument(1), *exchanges = argument(3);
    forEach(load(exchanges, b.getInt64(0)), [&](Value *number) {
      Value *first = b.CreateNSWAdd(b.CreateNSWMul(number, b.getInt64(2)), b.getInt64(1));
      Value *home = load(exchanges, first), *other = load(exchanges, b.CreateNSWAdd(first, b.getInt64(1)));
      Value *atHome = load(saved, home), *atOther = load(saved, other);
      store(atOther, saved, home);
      store(atHome, saved, other);
    });
    gpu_.emitBarrier();
    forEach(argument(2), [&](Value *place) { store(load(saved, place), argument(0), place); });
    gpu_.emitBarrier();
    refresh(argument(0), argument(4), argument(5), argument(6));
    b.CreateRetVoid();
  }

  // (to, from, bytes): pointers to addresses
  void emitCopy() {
    start("tenon_copy", {pointer_, pointer_, i64_});
    Value *to = load(argument(0), b.getInt64(0)), *from = load(argument(1), b.getInt64(0)), *bytes = argument(2);
    onlyIf(b.CreateICmpNE(to, from), [&] {
      Value *target = b.CreateIntToPtr(to, pointer_), *source = b.CreateIntToPtr(from, pointer_);
      Value *words = b.CreateLShr(bytes, 3);
      forEach(words, [&](Value *word) { store(load(source, word), target, word); });
      Value *whole = b.CreateShl(words, 3);
      Type *byte = b.getInt8Ty();
      forEach(b.CreateNSWSub(bytes, whole), [&](Value *number) {
        Value *place = b.CreateNSWAdd(whole, number);
        b.CreateStore(b.CreateLoad(byte, b.CreateGEP(byte, source, place)), b.CreateGEP(byte, target, place));
      });
    });
    b.CreateRetVoid();
  }

  Value *byFirstThread() { return b.CreateICmpEQ(gpu_.threadInGrid(), b.getInt64(0)); }

  // (handle, row, stop)
  void emitContinue() {
    start("tenon_continue", {i64_, pointer_, pointer_});
    onlyIf(byFirstThread(), [&] {
      Value *predicate = b.CreateIntToPtr(load(argument(1), b.getInt64(0)), pointer_);
      Value *goesOn = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), predicate), b.getInt8(0));
      Value *stop = b.CreateLoad(b.getInt32Ty(), argument(2), /*isVolatile=*/true);
      Value *isStopped = b.CreateICmpEQ(stop, b.getInt32(program::kStopGraph));
      gpu_.emitSetConditional(argument(0), b.CreateZExt(b.CreateAnd(goesOn, b.CreateNot(isStopped)), b.getInt32Ty()));
    });
    b.CreateRetVoid();
  }

  // (handle, row, number, count, isTwoWay)
  void emitChoose() {
    start("tenon_choose", {i64_, pointer_, i64_, i64_, i64_});
    onlyIf(byFirstThread(), [&] {
      Value *selector = b.CreateIntToPtr(load(argument(1), b.getInt64(0)), pointer_);
      Value *isFirst = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), selector), b.getInt8(0));
      Value *ofTwo = b.CreateSelect(isFirst, b.getInt64(0), b.getInt64(1));
      Value *isTwoWay = b.CreateICmpNE(argument(4), b.getInt64(0));
      BasicBlock *many = block("many"), *after = block("chosen"), *before = b.GetInsertBlock();
      b.CreateCondBr(isTwoWay, after, many);
      b.SetInsertPoint(many); // the selector of two has one byte
      Value *number = b.CreateSExt(b.CreateLoad(b.getInt32Ty(), selector), i64_);
      Value *last = b.CreateNSWSub(argument(3), b.getInt64(1));
      Value *isOutside = b.CreateOr(b.CreateICmpSLT(number, b.getInt64(0)), b.CreateICmpSGT(number, last));
      Value *ofMany = b.CreateSelect(isOutside, last, number);
      b.CreateBr(after);
      b.SetInsertPoint(after);
      PHINode *chosen = b.CreatePHI(i64_, 2);
      chosen->addIncoming(ofTwo, before);
      chosen->addIncoming(ofMany, many);
      gpu_.emitSetConditional(argument(0), b.CreateZExt(b.CreateICmpEQ(chosen, argument(2)), b.getInt32Ty()));
    });
    b.CreateRetVoid();
  }

  Module &module_;
  GpuBuilder &gpu_;
  IRBuilder<> &b;
  Type *pointer_, *i64_;
  Function *kernel_ = nullptr;
};

StatusOr<program::DeviceModule> makeControlModule(const GpuTarget &target) {
  LLVMContext context;
  Module module("control", context);
  target.prepareModule(module);
  std::unique_ptr<GpuBuilder> builder = target.makeBuilder(context);
  ControlKernels(module, *builder).emitAll();
  program::DeviceModule result;
  for (const char *name : program::kControlKernels)
    result.kernels.push_back({name, 1, 0, kTaskBlock, kTaskBlock, 0});
  TENON_ASSIGN_OR_RETURN(result.code,
                         target.options().emulator ? compileModule(module, target) : compileToAssembly(module, target));
  return result;
}

} // namespace

StatusOr<program::DeviceModule> controlModule(const GpuTarget &target) {
  static std::mutex mutex;
  static auto *made = new std::map<std::string, program::DeviceModule>();
  std::lock_guard lock(mutex);
  std::string key = target.options().chip + "/" + target.key();
  if (auto found = made->find(key); found != made->end())
    return found->second;
  TENON_ASSIGN_OR_RETURN(program::DeviceModule module, makeControlModule(target));
  return made->emplace(key, std::move(module)).first->second;
}

} // namespace tenon::codegen
