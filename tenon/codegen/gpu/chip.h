// What is known of a kind of GPU.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::codegen {

struct GpuChip {
  // As NVIDIA's assembler names it.
  std::string_view name;
  // LLVM's name of the least version of PTX that knows it. A driver that assembles has to know the version, so it is no
  // newer than it must be; that what is emitted needs no newer one is for the emitter to see to: LLVM ends the process.
  std::string_view ptx;
  // The most shared memory that a block can be given.
  int64_t mostSharedBytes;
  // Four warps multiply together (GpuBuilder::multiplyInGroup).
  bool hasWarpGroups = false;
  // How many blocks a cluster may have, on every GPU of this kind; 1: there are none.
  int mostClusterBlocks = 1;
  // The least version of PTX for copies of boxes (GpuBuilder::emitBoxCopy); empty: there are none. Assemblers older
  // than it take strides of maps in other units.
  std::string_view mapPtx = {};
  // The multiplications and additions of products in a nanosecond, on the largest GPU of this kind, as NVIDIA says.
  struct Operations {
    double half = 0, int8 = 0, single = 0, doubles = 0; // of bf16 and f16, i8, f32 (not rounded to tf32), and f64
  };
  Operations operations = {};

  bool hasMaps() const { return !mapPtx.empty(); }

  // The most of each of two blocks that share a multiprocessor, which takes 1 KiB for every block.
  int64_t halfOfShared() const { return (mostSharedBytes - 1024) / 2; }
};

} // namespace tenon::codegen
