// Loops that measure what one thread reaches, with the widest instructions of the processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::profile {

// Multiply-adds in registers, in more chains than their latency needs and no more than there are registers.
constexpr int kChains = 12;

struct ArithmeticLoop {
  double flopsOfRound = 0; // a multiply-add counts twice; 0: there are no such instructions
  void (*run)(int64_t rounds) = nullptr;
};

// Over memory that is aligned to 64 bytes, of a multiple of 256 floats.
struct MemoryLoops {
  float (*sum)(const float *values, size_t count);
  // a = b + 3 c
  void (*triad)(float *a, const float *b, const float *c, size_t count);
};

struct MachineLoops {
  ArithmeticLoop f64, f32;
  MemoryLoops memory;
};

namespace base {
extern const MachineLoops kLoops;
}
namespace avx2 {
extern const MachineLoops kLoops;
}
namespace avx512 {
extern const MachineLoops kLoops;
}

// Those for this machine.
const MachineLoops &machineLoops();

// Products with instructions of their own, of pairs of bf16 and of four bytes at a time, where the processor has them.
ArithmeticLoop bf16Products();
ArithmeticLoop i8Products();

} // namespace tenon::profile
