// Fetching data into the caches before they are read, where the processor does not foresee them.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// Has the cache line fetched that the address is in, if there is one, to be read soon.
inline void emitPrefetch(llvm::IRBuilderBase &builder, llvm::Value *address) {
  llvm::Value *read = builder.getInt32(0), *closest = builder.getInt32(3), *data = builder.getInt32(1);
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder.getPtrTy()}, {address, read, closest, data});
}

} // namespace tenon::codegen
