#include "tenon/runtime/cpu/instruction_set.h"

#include <algorithm>
#include <atomic>

namespace tenon::runtime {

static InstructionSet detect() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return InstructionSet::kBase;
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return wide ? InstructionSet::kAvx512 : InstructionSet::kAvx2;
#else
  return InstructionSet::kBase;
#endif
}

static std::atomic<InstructionSet> limit{InstructionSet::kAvx512};

InstructionSet instructionSet() {
  static const InstructionSet set = detect();
  return std::min(set, limit.load(std::memory_order_relaxed));
}

void limitInstructionSet(InstructionSet most) { limit = most; }

} // namespace tenon::runtime
