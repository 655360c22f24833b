// Fetching data into the caches before they are read, where the processor does not foresee them.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// Where to, as the instruction counts. A core can wait for far fewer lines on their way to its first cache.
enum class PrefetchTo : uint8_t { kSecondCache = 2, kFirstCache = 3 };

// Has the cache line fetched that the address is in, if there is one, to be read soon.
inline void emitPrefetch(llvm::IRBuilderBase &builder, llvm::Value *address, PrefetchTo to = PrefetchTo::kFirstCache) {
  llvm::Value *read = builder.getInt32(0), *level = builder.getInt32(static_cast<uint32_t>(to));
  llvm::Value *data = builder.getInt32(1);
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder.getPtrTy()}, {address, read, level, data});
}

} // namespace tenon::codegen
