// The exponentially scaled modified Bessel function of the first kind and order 1.
#include "tenon/codegen/llvm/math/math.h"

namespace tenon::codegen::math {
namespace {

// I1(x) / x in x^2 on [0, 8], and i1e(x) sqrt(x) from 8 on in 16/x - 1.
constexpr double kNear[] = {
    0x1.0000000000000p-1,   0x1.0000000000000p-4,  0x1.5555555555555p-9,  0x1.c71c71c71c71ap-15, 0x1.6c16c16c16c51p-21,
    0x1.845c8a0ce4a84p-28,  0x1.27e4fb7791d38p-35, 0x1.522a43f588e45p-43, 0x1.2c9758e98db3bp-51, 0x1.ab81e8f1769ffp-60,
    0x1.f176b5872c6f0p-69,  0x1.e261cdd48bd2dp-78, 0x1.8be03da0af9b7p-87, 0x1.15d45844c82fbp-96, 0x1.59321310a6d41p-106,
    0x1.400d85733d403p-116, 0x1.018db17cabd01p-125};
constexpr double kFar[] = {
    0x1.8ebe783a84030p-2,   -0x1.3f796198ee638p-7,  -0x1.cbc54df1e9d01p-13, -0x1.f89c2304eca4dp-17,
    -0x1.ec8e105ebfdfbp-20, -0x1.761383f05a1bap-22, -0x1.ad8d659515b33p-24, -0x1.727813482e3ecp-25,
    -0x1.918cf49a8330fp-26, -0x1.21d2fc428adbcp-27, 0x1.ce8d30e5715bap-28,  0x1.e370916e86aaap-27,
    0x1.9b6ab2536ac76p-28,  -0x1.0a8d207c735c7p-27, -0x1.100f0c877b3bbp-27, 0x1.f94597f75b596p-29,
    0x1.b0384e3dc1ef4p-28,  -0x1.f08009d3a965bp-30, -0x1.08236436b2dcep-28, 0x1.e98177f635673p-31,
    0x1.d8157fc5b1e91p-30,  -0x1.934aca47f1bbbp-32, -0x1.0c6ef8a10cebap-31, 0x1.bbbe53252721cp-34,
    0x1.1e6d3f8fffca6p-34,  -0x1.cf83c3ac9c80ep-37};

// The same for floats: to 2^-33.9 and 2^-33.1.
constexpr double kNearShort[] = {0x1.000000004221bp-1,  0x1.ffffffe7a2b7ap-5,  0x1.555556b5f5ddep-9,
                                 0x1.c71c547ed455ep-15, 0x1.6c17f16585433p-21, 0x1.844ebab6382d5p-28,
                                 0x1.2845b7b8cf537p-35, 0x1.4ede5680eae62p-43, 0x1.3e840519b202ep-51,
                                 0x1.36bbb77799941p-60, 0x1.c2e2d1f53996fp-68};
constexpr double kFarShort[] = {0x1.8ebe783b100d2p-2,   -0x1.3f79621f2b34fp-7,  -0x1.cbc602dfca020p-13,
                                -0x1.f88116c27eb9ep-17, -0x1.ea1e8b573a5fbp-20, -0x1.80a4ba383d4cep-22,
                                -0x1.0751e60cc6a52p-23, -0x1.34054212f69b9p-25};

F besselBody(F x) {
  F a = abs(x);
  F bounded = minOr(constant(a, 8), a);
  F near = bounded * exp(-bounded) * poly(bounded * bounded, kNear);
  F far = poly(16.0 / a - 1.0, kFar) / sqrt(a);
  F y = select(a < 8.0, near, far);
  return select(isNaN(x), x, copysign(y, x));
}

// In double up to where the square root's estimate is good, without divisions, which take longer than the rest.
F besselOfFloat(F x) {
  constexpr double kLog2E = 1.4426950408889634, kMostOfEstimate = 0x1p100;
  F a = abs(x);
  F bounded = widen(minOr(constant(a, 8), a));
  F near = bounded * exp2Wide(bounded * -kLog2E) * poly(bounded * bounded, kNearShort);
  F large = minOr(constant(a, kMostOfEstimate), maxOr(a, constant(a, 8)));
  F wide = widen(large), root = widen(rsqrt(large));
  root = root * fma(wide * root, root * -0.5, 1.5); // a step of Newton
  F far = poly(fma(root * root, 16.0, -1.0), kFarShort) * root;
  F y = copysign(narrow(select(bounded < 8.0, near, far)), x);
  return patchRare(!(a <= kMostOfEstimate), y, [&] { return narrow(besselBody(widen(x))); });
}

} // namespace

F besselI1e(F x) {
  return isDouble(x) ? callShared("bessel_i1e", x, besselBody) : callShared("bessel_i1e", x, besselOfFloat);
}

} // namespace tenon::codegen::math
