// Included by machine_loops_<instruction set>.cpp with TENON_LOOPS_ISA set to the namespace and TENON_LOOPS_BYTES to
// the size of a vector. Everything here is local to the file and uses no inline function from elsewhere: the linker
// must not mix code for different machines.

#include "tenon/profile/machine_loops.h"

namespace tenon::profile::TENON_LOOPS_ISA {
namespace {

template <typename T> struct VectorOf {
  using Type __attribute__((vector_size(TENON_LOOPS_BYTES))) = T;
  static constexpr size_t kLanes = TENON_LOOPS_BYTES / sizeof(T);
};

// The compiler must believe that all of this is read and changed here.
template <typename T> void touch(T &values) { asm volatile("" : : "r"(&values) : "memory"); }

template <typename T> void multiplyAdd(int64_t rounds) {
  using V = typename VectorOf<T>::Type;
  V seeds[kChains + 2], chains[kChains];
  for (V &seed : seeds)
    for (size_t lane = 0; lane < VectorOf<T>::kLanes; ++lane)
      seed[lane] = T(0.5);
  touch(seeds);
  V factor = seeds[kChains], term = seeds[kChains + 1];
  for (int i = 0; i < kChains; ++i)
    chains[i] = seeds[i];
  for (int64_t round = 0; round < rounds; ++round) {
#pragma clang loop unroll(full)
    for (V &chain : chains)
      chain = chain * factor + term;
  }
  for (int i = 0; i < kChains; ++i)
    seeds[i] = chains[i];
  touch(seeds);
}

using Floats = VectorOf<float>::Type;
constexpr size_t kFloats = VectorOf<float>::kLanes;

float sum(const float *values, size_t count) {
  const auto *from = reinterpret_cast<const Floats *>(values);
  Floats sums[8] = {};
  for (size_t i = 0; i < count / kFloats; i += 8)
    for (size_t j = 0; j < 8; ++j)
      sums[j] += from[i + j];
  for (size_t j = 1; j < 8; ++j)
    sums[0] += sums[j];
  return sums[0][0];
}

void triad(float *a, const float *b, const float *c, size_t count) {
  auto *to = reinterpret_cast<Floats *>(a);
  const auto *left = reinterpret_cast<const Floats *>(b), *right = reinterpret_cast<const Floats *>(c);
  for (size_t i = 0; i < count / kFloats; i += 4)
    for (size_t j = 0; j < 4; ++j)
      to[i + j] = left[i + j] + 3.0f * right[i + j];
}

constexpr double flopsOfRound(size_t lanes) { return 2.0 * kChains * double(lanes); }

} // namespace

// NOLINTBEGIN(misc-definitions-in-headers): included once for each ISA, in a namespace of its own
const MachineLoops kLoops = {{flopsOfRound(VectorOf<double>::kLanes), multiplyAdd<double>},
                             {flopsOfRound(VectorOf<float>::kLanes), multiplyAdd<float>},
                             {sum, triad}};
// NOLINTEND(misc-definitions-in-headers)

} // namespace tenon::profile::TENON_LOOPS_ISA
