// Chooses among loops that are compiled for several instruction sets the ones that the machine can run.
#pragma once

namespace tenon::runtime {

enum class InstructionSet { kBase, kAvx2, kAvx512 };

// AVX2 with FMA; AVX-512 with F, DQ, VL and BW.
InstructionSet instructionSet();
// Tests try the loops for older machines, too: instructionSet() gives no more than `most` from now on.
void limitInstructionSet(InstructionSet most);

// The variant for this machine, of what files named *_base.cpp, *_avx2.cpp and *_avx512.cpp define.
#if defined(__x86_64__)
template <typename T> const T *chooseVariant(const T *base, const T *avx2, const T *avx512) {
  InstructionSet set = instructionSet();
  return set == InstructionSet::kAvx512 ? avx512 : set == InstructionSet::kAvx2 ? avx2 : base;
}
#define TENON_VARIANT(name) (*::tenon::runtime::chooseVariant(&base::name, &avx2::name, &avx512::name))
#else
#define TENON_VARIANT(name) (base::name)
#endif

} // namespace tenon::runtime
