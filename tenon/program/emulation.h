// What kernels for a GPU that the host plays (runtime/emulator) and that GPU agree on. Kernels of a real one have the
// same in its instructions.
#pragma once

#include <cstdint>

namespace tenon::program {

// The threads of a warp.
constexpr int kWarpThreads = 32;

// The number of a thread in its block, and of the block in the grid; how many a block has, and the grid.
enum class ThreadNumber : uint32_t { kThread, kBlock, kThreads, kBlocks };

// What the elements of the two factors of a warp's product are, in words of 32 bits; sums are f32, or i32 for integers.
enum class MatrixKind : uint32_t { kBf16, kF16, kInt8, kUint8 };

// kAcquire is an atomic load, kRelease an atomic store, and kAddRelease an atomic addition that releases what all have
// done that have added; kAtomic has no order.
enum class MemoryAccess : uint32_t { kRead, kWrite, kAtomic, kAcquire, kRelease, kAddRelease };

} // namespace tenon::program
