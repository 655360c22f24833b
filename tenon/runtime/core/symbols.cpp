// What generated code may call: the C ABI, and the few functions that LLVM's instruction selection calls by name where
// the CPU lacks an instruction (rounding without SSE4.1, fma without FMA, half precision without F16C, remainders,
// division of 128-bit integers).

#include "tenon/runtime/core/abi.h"
#include "tenon/runtime/core/loaded_program.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

// NOLINTBEGIN(bugprone-reserved-identifier): the names that the compiler's support library has.
extern "C" {
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

// IEEE binary16 and bfloat16 conversions, round to nearest even. `_Float16` and `__bf16` travel in vector registers as
// the callers expect.
float halfToFloat(_Float16 value) {
  uint16_t bits = std::bit_cast<uint16_t>(value);
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f) // A signalling NaN becomes quiet.
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000u : 0u));
  if (exponent == 0) {
    float magnitude = float(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

// Converts from the bits of a double, so that a value is rounded once, whatever type it had before.
_Float16 doubleToHalf(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint16_t sign = uint16_t(bits >> 48 & 0x8000);
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 1024)
    return std::bit_cast<_Float16>(uint16_t(sign | 0x7c00 | (fraction ? 0x200 | (fraction >> 42) : 0)));
  if (exponent > 15)
    return std::bit_cast<_Float16>(uint16_t(sign | 0x7c00));
  if (exponent < -25)
    return std::bit_cast<_Float16>(sign);
  // Units in the last place of the result: 2^(exponent-10), or 2^-24 among the subnormals.
  int drop = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  uint64_t significand = fraction | uint64_t(1) << 52;
  uint64_t kept = significand >> drop, rest = significand & ((uint64_t(1) << drop) - 1),
           half = uint64_t(1) << (drop - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // The implicit bit of a normal number adds one to the exponent field; a carry goes where it should.
  uint64_t field = exponent >= -14 ? (uint64_t(exponent + 14) << 10) + kept : kept;
  return std::bit_cast<_Float16>(uint16_t(sign | field));
}

_Float16 floatToHalf(float value) { return doubleToHalf(value); }

#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 13)
#define TENON_HAS_BFLOAT16 1
__bf16 floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (value != value)
    return std::bit_cast<__bf16>(uint16_t(bits >> 16 | 0x40));
  return std::bit_cast<__bf16>(uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

__bf16 doubleToBfloat(double value) {
  // Rounds to odd when converting to float (the lost bits are or-ed into the last one), so that the second rounding is
  // that of the double.
  float rounded = float(value);
  uint32_t bits = std::bit_cast<uint32_t>(rounded);
  if (rounded == rounded && double(rounded) != value && !std::isinf(rounded)) {
    if (std::fabs(double(rounded)) > std::fabs(value))
      --bits; // towards zero
    bits |= 1;
  }
  return floatToBfloat(std::bit_cast<float>(bits));
}
#endif

template <typename F> void *address(F *function) { return reinterpret_cast<void *>(function); }

} // namespace

namespace tenon::runtime {

std::span<const RuntimeSymbol> runtimeSymbols() {
  using F = float (*)(float);
  using D = double (*)(double);
  using FF = float (*)(float, float);
  using DD = double (*)(double, double);
#define TENON_UNARY(name)                                                                                              \
  {#name "f", address<float(float)>(F(&name##f))}, { #name, address<double(double)>(D(&name)) }
  static const RuntimeSymbol symbols[] = {
      {"tenon_parallel_for", address(&tenon_parallel_for)},
      {"tenon_call_kernel", address(&tenon_call_kernel)},
      {"tenon_call_kernels", address(&tenon_call_kernels)},
      {"tenon_call_kernels_together", address(&tenon_call_kernels_together)},
      {"tenon_scratch", address(&tenon_scratch)},
      {"tenon_copy", address(&tenon_copy)},
      {"tenon_stopped", address(&tenon_stopped)},
      {"tenon_runtime_call", address(&tenon_runtime_call)},
      {"tenon_runtime_call_with", address(&tenon_runtime_call_with)},
      {"tenon_fail", address(&tenon_fail)},
      {"tenon_tile_configuration", const_cast<uint8_t *>(tenon_tile_configuration)},
      {"memcpy", address(&memcpy)},
      {"memmove", address(&memmove)},
      {"memset", address(&memset)},
      {"memcmp", address(&memcmp)},
      TENON_UNARY(floor),
      TENON_UNARY(ceil),
      TENON_UNARY(trunc),
      TENON_UNARY(rint),
      TENON_UNARY(nearbyint),
      TENON_UNARY(round),
      TENON_UNARY(roundeven),
      {"fmodf", address<float(float, float)>(FF(&fmodf))},
      {"fmod", address<double(double, double)>(DD(&fmod))},
      {"fmaf", address<float(float, float, float)>(&fmaf)},
      {"fma", address<double(double, double, double)>(&fma)},
      {"__divti3", address(&__divti3)},
      {"__modti3", address(&__modti3)},
      {"__udivti3", address(&__udivti3)},
      {"__umodti3", address(&__umodti3)},
      {"__extendhfsf2", address(&halfToFloat)},
      {"__truncsfhf2", address(&floatToHalf)},
      {"__truncdfhf2", address(&doubleToHalf)},
#if defined(TENON_HAS_BFLOAT16)
      {"__truncsfbf2", address(&floatToBfloat)},
      {"__truncdfbf2", address(&doubleToBfloat)},
#endif
  };
#undef TENON_UNARY
  return symbols;
}

} // namespace tenon::runtime
