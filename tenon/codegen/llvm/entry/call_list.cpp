#include "tenon/codegen/llvm/entry/call_list.h"

namespace tenon::codegen::entry {

llvm::StructType *CallList::callType() const {
  llvm::LLVMContext &context = module_.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *i32 = llvm::Type::getInt32Ty(context), *i64 = llvm::Type::getInt64Ty(context);
  return llvm::StructType::get(context, {pointer, i64, i32, i32, i32, i32});
}

int64_t CallList::placeOfLocal(llvm::Value *pointer) {
  locals_.push_back(pointer);
  return place(kLocals, int64_t(locals_.size()) - 1);
}

void CallList::add(llvm::Constant *kernel, int64_t extent, int32_t call, Sharing sharing,
                   llvm::ArrayRef<int64_t> places) {
  calls_.push_back({kernel, extent, call, sharing, int32_t(places.size()), 1});
  places_.append(places.begin(), places.end());
  buffers_ = std::max(buffers_, int64_t(places.size()));
}

void CallList::joinLast(int64_t count, Sharing sharing) {
  auto joined = llvm::MutableArrayRef<Call>(calls_).take_back(count);
  joined.front().together = int32_t(count);
  joined.front().sharing = sharing;
  int64_t buffers = 0;
  for (const Call &call : joined)
    buffers += call.places;
  buffers_ = std::max(buffers_, buffers);
}

llvm::Constant *CallList::constant(const Call &call) const {
  llvm::LLVMContext &context = module_.getContext();
  auto i32 = [&](int32_t value) { return llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(context), value); };
  llvm::Constant *extent = llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(context), call.extent);
  return llvm::ConstantStruct::get(
      callType(), {call.kernel, extent, i32(call.call), i32(call.sharing), i32(call.places), i32(call.together)});
}

llvm::Constant *CallList::data(llvm::Constant *contents, const char *name) const {
  auto *variable = new llvm::GlobalVariable(module_, contents->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, contents, name);
  variable->setAlignment(llvm::Align(8));
  return variable;
}

void CallList::storeLocals(llvm::IRBuilder<> &builder, llvm::BasicBlock *allocas, llvm::Value *bases) const {
  llvm::Type *pointer = builder.getPtrTy();
  llvm::Value *memory =
      llvm::IRBuilder<>(allocas).CreateAlloca(llvm::ArrayType::get(pointer, locals_.size()), nullptr, "locals");
  for (size_t i = 0; i < locals_.size(); ++i)
    builder.CreateStore(locals_[i], builder.CreateConstInBoundsGEP1_64(pointer, memory, i));
  builder.CreateStore(memory, builder.CreateConstInBoundsGEP1_64(pointer, bases, kLocals));
}

void CallList::emit(llvm::IRBuilder<> &builder, llvm::BasicBlock *allocas, llvm::Value *context, llvm::Value *bases,
                    llvm::Value *table) {
  if (!locals_.empty())
    storeLocals(builder, allocas, bases);
  llvm::Type *pointer = builder.getPtrTy(), *i64 = builder.getInt64Ty();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, i64, pointer, pointer, pointer}, false);
  auto constants = llvm::map_to_vector(calls_, [this](const Call &call) { return constant(call); });
  llvm::Constant *calls = llvm::ConstantArray::get(llvm::ArrayType::get(callType(), calls_.size()), constants);
  llvm::Constant *places = llvm::ConstantDataArray::get(module_.getContext(), llvm::ArrayRef<int64_t>(places_));
  bool areJoined = llvm::any_of(calls_, [](const Call &call) { return call.together > 1; });
  builder.CreateCall(
      module_.getOrInsertFunction(areJoined ? "tenon_call_kernels_together" : "tenon_call_kernels", type),
      {context, data(calls, "calls"), builder.getInt64(calls_.size()), data(places, "places"), bases, table});
  calls_.clear();
  places_.clear();
  locals_.clear();
}

} // namespace tenon::codegen::entry
