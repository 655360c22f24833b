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
      : module_(module), gpu_(gpu), b_(gpu.b), pointer_(gpu.globalPointerType()), i64_(b_.getInt64Ty()) {}

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
  Value *load(Value *table, Value *index) { return b_.CreateLoad(i64_, b_.CreateGEP(i64_, table, index)); }
  void store(Value *value, Value *table, Value *index) { b_.CreateStore(value, b_.CreateGEP(i64_, table, index)); }
  BasicBlock *block(const char *label) { return BasicBlock::Create(module_.getContext(), label, kernel_); }

  // The body for each number below the count, shared out among the threads of the grid.
  void forEach(Value *count, function_ref<void(Value *)> body) {
    Value *first = gpu_.threadInGrid(), *step = gpu_.threadsInGrid();
    BasicBlock *before = b_.GetInsertBlock(), *head = block("head"), *inside = block("body"), *after = block("after");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    PHINode *number = b_.CreatePHI(i64_, 2);
    number->addIncoming(first, before);
    b_.CreateCondBr(b_.CreateICmpSLT(number, count), inside, after);
    b_.SetInsertPoint(inside);
    body(number);
    number->addIncoming(b_.CreateNSWAdd(number, step), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
  }

  void onlyIf(Value *condition, function_ref<void()> body) {
    BasicBlock *inside = block("then"), *after = block("after");
    b_.CreateCondBr(condition, inside, after);
    b_.SetInsertPoint(inside);
    body();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  // rows[s] = places[slotPlaces[s]] for each s of a list, which begins with its length. Nothing has the place -1.
  void refresh(Value *places, Value *rows, Value *slotPlaces, Value *list) {
    forEach(load(list, b_.getInt64(0)), [&](Value *number) {
      Value *slot = load(list, b_.CreateNSWAdd(number, b_.getInt64(1)));
      Value *place = load(slotPlaces, slot);
      Value *isNothing = b_.CreateICmpSLT(place, b_.getInt64(0));
      Value *address = load(places, b_.CreateSelect(isNothing, b_.getInt64(0), place));
      store(b_.CreateSelect(isNothing, b_.getInt64(0), address), rows, slot);
    });
  }

  // (addresses, places, initial, bound, numPlaces, rows, slotPlaces, list)
  void emitBind() {
    auto *addresses = ArrayType::get(i64_, program::kBoundAddresses);
    start("tenon_bind", {addresses, pointer_, pointer_, pointer_, i64_, pointer_, pointer_, pointer_});
    forEach(argument(4), [&](Value *place) {
      Value *bound = load(argument(3), place), *isFixed = b_.CreateICmpSLT(bound, b_.getInt64(0));
      Value *given = load(argument(0), b_.CreateSelect(isFixed, b_.getInt64(0), bound));
      store(b_.CreateSelect(isFixed, load(argument(2), place), given), argument(1), place);
    });
    gpu_.emitBarrier();
    refresh(argument(1), argument(5), argument(6), argument(7));
    b_.CreateRetVoid();
  }

  // (places, saved, numPlaces)
  void emitSave() {
    start("tenon_save", {pointer_, pointer_, i64_});
    forEach(argument(2), [&](Value *place) { store(load(argument(0), place), argument(1), place); });
    b_.CreateRetVoid();
  }

  // (places, saved, numPlaces, exchanges, rows, slotPlaces, list)
  void emitAdvance() {
    start("tenon_advance", {pointer_, pointer_, i64_, pointer_, pointer_, pointer_, pointer_});
    Value *saved = argument(1), *exchanges = argument(3);
    forEach(load(exchanges, b_.getInt64(0)), [&](Value *number) {
      Value *first = b_.CreateNSWAdd(b_.CreateNSWMul(number, b_.getInt64(2)), b_.getInt64(1));
      Value *home = load(exchanges, first), *other = load(exchanges, b_.CreateNSWAdd(first, b_.getInt64(1)));
      Value *atHome = load(saved, home), *atOther = load(saved, other);
      store(atOther, saved, home);
      store(atHome, saved, other);
    });
    gpu_.emitBarrier();
    forEach(argument(2), [&](Value *place) { store(load(saved, place), argument(0), place); });
    gpu_.emitBarrier();
    refresh(argument(0), argument(4), argument(5), argument(6));
    b_.CreateRetVoid();
  }

  // (to, from, bytes): pointers to addresses
  void emitCopy() {
    start("tenon_copy", {pointer_, pointer_, i64_});
    Value *to = load(argument(0), b_.getInt64(0)), *from = load(argument(1), b_.getInt64(0)), *bytes = argument(2);
    onlyIf(b_.CreateICmpNE(to, from), [&] {
      Value *target = b_.CreateIntToPtr(to, pointer_), *source = b_.CreateIntToPtr(from, pointer_);
      Value *words = b_.CreateLShr(bytes, 3);
      forEach(words, [&](Value *word) { store(load(source, word), target, word); });
      Value *whole = b_.CreateShl(words, 3);
      Type *byte = b_.getInt8Ty();
      forEach(b_.CreateNSWSub(bytes, whole), [&](Value *number) {
        Value *place = b_.CreateNSWAdd(whole, number);
        b_.CreateStore(b_.CreateLoad(byte, b_.CreateGEP(byte, source, place)), b_.CreateGEP(byte, target, place));
      });
    });
    b_.CreateRetVoid();
  }

  Value *byFirstThread() { return b_.CreateICmpEQ(gpu_.threadInGrid(), b_.getInt64(0)); }

  // (handle, row, stop)
  void emitContinue() {
    start("tenon_continue", {i64_, pointer_, pointer_});
    onlyIf(byFirstThread(), [&] {
      Value *predicate = b_.CreateIntToPtr(load(argument(1), b_.getInt64(0)), pointer_);
      Value *continues = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), predicate), b_.getInt8(0));
      Value *stop = b_.CreateLoad(b_.getInt32Ty(), argument(2), /*isVolatile=*/true);
      Value *isStopped = b_.CreateICmpEQ(stop, b_.getInt32(program::kStopGraph));
      gpu_.emitSetConditional(argument(0),
                              b_.CreateZExt(b_.CreateAnd(continues, b_.CreateNot(isStopped)), b_.getInt32Ty()));
    });
    b_.CreateRetVoid();
  }

  // (handle, row, number, count, isTwoWay)
  void emitChoose() {
    start("tenon_choose", {i64_, pointer_, i64_, i64_, i64_});
    onlyIf(byFirstThread(), [&] {
      Value *selector = b_.CreateIntToPtr(load(argument(1), b_.getInt64(0)), pointer_);
      Value *isFirst = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), selector), b_.getInt8(0));
      Value *ofTwo = b_.CreateSelect(isFirst, b_.getInt64(0), b_.getInt64(1));
      Value *isTwoWay = b_.CreateICmpNE(argument(4), b_.getInt64(0));
      BasicBlock *many = block("many"), *after = block("chosen"), *before = b_.GetInsertBlock();
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
