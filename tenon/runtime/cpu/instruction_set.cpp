#include "tenon/runtime/cpu/instruction_set.h"

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

InstructionSet instructionSet() {
  static const InstructionSet set = detect();
  return set;
}

} // namespace tenon::runtime
