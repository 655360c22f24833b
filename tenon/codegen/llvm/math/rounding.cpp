#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

using namespace llvm;

namespace tenon::codegen::math {

F roundAwayFromZero(F x) { return {x.b, x.b->CreateUnaryIntrinsic(Intrinsic::round, x.v)}; }

I nextAfterBits(I x, I toward, uint64_t infinity) {
  unsigned width = x.v->getType()->getScalarSizeInBits();
  uint64_t signBit = uint64_t(1) << (width - 1);
  I sign = x & signBit, magnitude = x & (signBit - 1), target = toward & (signBit - 1);
  M isZero = magnitude == uint64_t(0);
  // Away from zero when the target lies further out on the same side.
  M opposite = slt(x ^ toward, 0);
  M outward = ult(magnitude, target) & !opposite;
  I stepped = sign | select(outward, magnitude + 1, magnitude - 1);
  I smallest = (toward & signBit) | 1;
  I next = select(isZero, smallest, stepped);
  M equal = (x == toward) | (isZero & (target == uint64_t(0)));
  next = select(equal, toward, next);
  M nan = ult(constant(x, infinity), magnitude) | ult(constant(x, infinity), target);
  return select(nan, constant(x, infinity | (infinity >> 1)), next);
}

F nextAfter(F x, F toward) {
  uint64_t infinity = isDouble(x) ? 0x7ff0000000000000 : 0x7f800000;
  return fromBits(nextAfterBits(bits(x), bits(toward), infinity));
}

namespace {

// Position of the leading bit of x > 0, counted from the smallest subnormal.
I leadingBit(F x) {
  bool wide = isDouble(x);
  I field = lshr(bits(x), wide ? 52 : 23);
  I subnormal = constant(field, wide ? 63 : 31) - countLeadingZeros(bits(x));
  return select(field == uint64_t(0), subnormal, field + (wide ? 51 : 22));
}

// Long division of |x| by |y|: each step takes the largest y 2^k away. All of it is exact. For any quotient, but slow
// for large ones.
F fmodBody(F x, F y) {
  IRBuilderBase &b = *x.b;
  Function *function = b.GetInsertBlock()->getParent();
  auto *before = b.GetInsertBlock();
  auto *loop = BasicBlock::Create(b.getContext(), "reduce", function);
  auto *done = BasicBlock::Create(b.getContext(), "done", function);
  M valid = isFinite(x) & (abs(y) > 0.0);
  F start = select(valid, abs(x), 0.0), d = select(valid, abs(y), 1.0);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *phi = b.CreatePHI(start.v->getType(), 2);
  phi->addIncoming(start.v, before);
  F r{&b, phi};
  // In two steps: the distance may be all of the exponent's range.
  I distance = maxSigned(leadingBit(r) - leadingBit(d), 0), half = lshr(distance, 1);
  F multiple = scaleByPowerOfTwo(scaleByPowerOfTwo(d, half), distance - half);
  multiple = select(multiple > r, multiple * 0.5, multiple);
  F next = select(r >= d, r - multiple, r);
  phi->addIncoming(next.v, b.GetInsertBlock());
  b.CreateCondBr(any(next >= d), loop, done);
  b.SetInsertPoint(done);
  F result = select(valid, copysign(next, x), constant(x, NAN));
  return select(isNaN(y), y, result);
}

} // namespace

F fmod(F x, F y) {
  // A quotient that a double can hold is taken at once.
  bool wide = isDouble(x);
  F a = wide ? x : widen(x), d = wide ? y : widen(y);
  F q = trunc(a / d);
  F r = fma(-q, d, a);
  // The quotient may have been rounded up to the next integer: then r has the other sign.
  F fixed = select((r != 0.0) & (signBit(r) ^ signBit(a)), r + copysign(abs(d), a), r);
  fixed = copysign(fixed, a);
  F fast = wide ? fixed : narrow(fixed);
  fast = select(abs(x) < abs(y), x, fast);
  M special = !(isFinite(x) & isFinite(y) & (y != 0.0));
  F edge = select(isInf(y) & isFinite(x), x, constant(x, NAN));
  fast = select(special, edge, fast);
  M rare = !(abs(q) < 0x1p52) & !special;
  return patchRare(rare, fast, [&] { return callShared("fmod", x, y, fmodBody); });
}

} // namespace tenon::codegen::math
