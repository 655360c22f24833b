#include "tenon/profile/machine_loops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tenon::profile {

#if defined(__x86_64__)
namespace {

// As machine_loops_impl.h: opaque seeds, then as many chains as there, of an accumulator and two operands.
#define TENON_PRODUCTS(name, features, Accumulator, Operand, instruction)                                              \
  __attribute__((target(features))) void name(int64_t rounds) {                                                        \
    Accumulator chains[kChains] = {};                                                                                  \
    Operand operands[2] = {};                                                                                          \
    asm volatile("" : : "r"(&operands) : "memory");                                                                    \
    Operand a = operands[0], b = operands[1];                                                                          \
    Accumulator seeds[kChains] = {};                                                                                   \
    asm volatile("" : : "r"(&seeds) : "memory");                                                                       \
    for (int i = 0; i < kChains; ++i)                                                                                  \
      chains[i] = seeds[i];                                                                                            \
    for (int64_t round = 0; round < rounds; ++round) {                                                                 \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < kChains; ++i) chains[i] = instruction(chains[i], a, b);   \
    }                                                                                                                  \
    for (int i = 0; i < kChains; ++i)                                                                                  \
      seeds[i] = chains[i];                                                                                            \
    asm volatile("" : : "r"(&seeds) : "memory");                                                                       \
  }

TENON_PRODUCTS(bf16Pairs, "avx512f,avx512bw,avx512bf16", __m512, __m512bh, _mm512_dpbf16_ps)
TENON_PRODUCTS(i8Quads512, "avx512f,avx512bw,avx512vnni", __m512i, __m512i, _mm512_dpbusd_epi32)
TENON_PRODUCTS(i8Quads256, "avx2,avxvnni", __m256i, __m256i, _mm256_dpbusd_avx_epi32)

#undef TENON_PRODUCTS

constexpr double kFlopsOf512 = 2.0 * kChains * 16, kFlopsOf256 = kFlopsOf512 / 2;

} // namespace

ArithmeticLoop bf16Products() {
  if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw"))
    return {2 * kFlopsOf512, bf16Pairs};
  return {};
}

ArithmeticLoop i8Products() {
  if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw"))
    return {4 * kFlopsOf512, i8Quads512};
  if (__builtin_cpu_supports("avxvnni"))
    return {4 * kFlopsOf256, i8Quads256};
  return {};
}
#else
ArithmeticLoop bf16Products() { return {}; }
ArithmeticLoop i8Products() { return {}; }
#endif

} // namespace tenon::profile
