#include "tenon/codegen/gpu/access_checks.h"

#include "tenon/program/emulation.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

using Access = program::MemoryAccess;

class CheckInserter {
public:
  CheckInserter(Function &function, FunctionCallee check)
      : function_(function), check_(check), layout_(function.getParent()->getDataLayout()) {}

  void insertBefore(Instruction &instruction) {
    b_.SetInsertPoint(&instruction);
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      check(load->getPointerOperand(), load->getType(), load->getAlign(),
            accessOf(*load, Access::kRead, Access::kAcquire));
    else if (auto *store = dyn_cast<StoreInst>(&instruction))
      check(store->getPointerOperand(), store->getValueOperand()->getType(), store->getAlign(),
            accessOf(*store, Access::kWrite, Access::kRelease));
    else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      check(atomic->getPointerOperand(), atomic->getType(), atomic->getAlign(),
            accessOf(*atomic, Access::kAtomic, Access::kAddRelease));
    else if (auto *copy = dyn_cast<MemTransferInst>(&instruction))
      checkCopy(*copy);
    else if (auto *fill = dyn_cast<MemSetInst>(&instruction))
      check(fill->getDest(), fill->getLength(), fill->getDestAlign().valueOrOne(), Access::kWrite);
    else if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      checkLanes(*call);
  }

private:
  template <typename Instruction> static Access accessOf(const Instruction &instruction, Access plain, Access ordered) {
    if (!instruction.isAtomic())
      return plain;
    return instruction.getOrdering() == AtomicOrdering::Monotonic ? Access::kAtomic : ordered;
  }

  // The stack, data of the module, and the array of a kernel's parameters are no memory of the device.
  bool isOwn(const Value *pointer) const {
    SmallVector<const Value *> objects;
    getUnderlyingObjects(pointer, objects);
    return all_of(objects, [&](const Value *object) {
      if (auto *load = dyn_cast<LoadInst>(object)) // of the entry of the array that points to a parameter
        return isParameters(getUnderlyingObject(load->getPointerOperand()));
      return isa<AllocaInst>(object) || isa<GlobalVariable>(object) || isParameters(object);
    });
  }

  bool isParameters(const Value *object) const { return isKernel() && object == function_.getArg(0); }

  bool isKernel() const { return function_.getParent()->getNamedGlobal((function_.getName() + "$parameters").str()); }

  void check(Value *pointer, Value *bytes, Align alignment, Access access) {
    if (!isOwn(pointer))
      b_.CreateCall(check_, {pointer, b_.CreateZExtOrTrunc(bytes, b_.getInt64Ty()),
                             b_.getInt32(uint32_t(alignment.value())), b_.getInt32(uint32_t(access))});
  }

  void check(Value *pointer, Type *type, Align alignment, Access access) {
    check(pointer, b_.getInt64(layout_.getTypeStoreSize(type)), alignment, access);
  }

  void checkCopy(MemTransferInst &copy) {
    check(copy.getSource(), copy.getLength(), copy.getSourceAlign().valueOrOne(), Access::kRead);
    check(copy.getDest(), copy.getLength(), copy.getDestAlign().valueOrOne(), Access::kWrite);
  }

  // Accesses under a mask, lane by lane: those that are not made are of no bytes.
  void checkLanes(IntrinsicInst &call) {
    bool isWrite =
        call.getIntrinsicID() == Intrinsic::masked_store || call.getIntrinsicID() == Intrinsic::masked_scatter;
    bool isVector = call.getIntrinsicID() == Intrinsic::masked_load || call.getIntrinsicID() == Intrinsic::masked_store;
    bool isLanes = call.getIntrinsicID() == Intrinsic::masked_gather || isWrite;
    if (!isVector && !isLanes)
      return;
    Value *pointers = call.getArgOperand(isWrite ? 1 : 0), *mask = call.getArgOperand(isWrite ? 2 : 1);
    auto *type = cast<FixedVectorType>(isWrite ? call.getArgOperand(0)->getType() : call.getType());
    uint64_t bytes = layout_.getTypeStoreSize(type->getElementType());
    for (uint64_t lane = 0; lane < type->getNumElements(); ++lane) {
      Value *pointer = isVector ? b_.CreateConstInBoundsGEP1_64(type->getElementType(), pointers, lane)
                                : b_.CreateExtractElement(pointers, lane);
      Value *made = b_.CreateSelect(b_.CreateExtractElement(mask, lane), b_.getInt64(bytes), b_.getInt64(0));
      check(pointer, made, Align(1), isWrite ? Access::kWrite : Access::kRead);
    }
  }

  Function &function_;
  FunctionCallee check_;
  const DataLayout &layout_;
  IRBuilder<> b_{function_.getContext()};
};

} // namespace

void insertAccessChecks(Module &module) {
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context);
  FunctionCallee check =
      module.getOrInsertFunction("tenon_emu_access", Type::getVoidTy(context), PointerType::getUnqual(context),
                                 Type::getInt64Ty(context), i32, i32);
  for (Function &function : module) {
    SmallVector<Instruction *> accesses;
    // An access whose result nobody uses will not be left.
    for (Instruction &instruction : instructions(function))
      if (instruction.mayReadOrWriteMemory() && !isInstructionTriviallyDead(&instruction))
        accesses.push_back(&instruction);
    CheckInserter inserter(function, check);
    for (Instruction *access : accesses)
      inserter.insertBefore(*access);
  }
}

} // namespace tenon::codegen
