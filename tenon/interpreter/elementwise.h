// Which kernel each elementwise op has. An op of the Elementwise family without an overload here does not compile.
#pragma once

#include "tenon/interpreter/evaluator.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::interpreter {

#define TENON_KERNEL(DIALECT, OP, KERNEL)                                                                              \
  inline MaybeKernel kernelOf(DIALECT::OP, const KernelTypes &types) { return kernels::KERNEL(types.operands[0]); }

TENON_KERNEL(stablehlo, AbsOp, abs)
TENON_KERNEL(stablehlo, AddOp, add)
TENON_KERNEL(stablehlo, AndOp, logicalAnd)
TENON_KERNEL(stablehlo, Atan2Op, atan2)
TENON_KERNEL(stablehlo, CbrtOp, cbrt)
TENON_KERNEL(stablehlo, CeilOp, ceil)
TENON_KERNEL(stablehlo, ComplexOp, makeComplex)
TENON_KERNEL(stablehlo, CosineOp, cosine)
TENON_KERNEL(stablehlo, CountLeadingZerosOp, countLeadingZeros)
TENON_KERNEL(stablehlo, DivideOp, divide)
TENON_KERNEL(stablehlo, ExponentialOp, exponential)
TENON_KERNEL(stablehlo, ExponentialMinusOneOp, exponentialMinusOne)
TENON_KERNEL(stablehlo, FloorOp, floor)
TENON_KERNEL(stablehlo, ImagOp, imag)
TENON_KERNEL(stablehlo, IsFiniteOp, isFinite)
TENON_KERNEL(stablehlo, LogOp, log)
TENON_KERNEL(stablehlo, LogPlusOneOp, logPlusOne)
TENON_KERNEL(stablehlo, LogisticOp, logistic)
TENON_KERNEL(stablehlo, MaximumOp, maximum)
TENON_KERNEL(stablehlo, MinimumOp, minimum)
TENON_KERNEL(stablehlo, MultiplyOp, multiply)
TENON_KERNEL(stablehlo, NegateOp, negate)
TENON_KERNEL(stablehlo, NotOp, logicalNot)
TENON_KERNEL(stablehlo, OrOp, logicalOr)
TENON_KERNEL(stablehlo, PopcntOp, populationCount)
TENON_KERNEL(stablehlo, PowerOp, power)
TENON_KERNEL(stablehlo, RealOp, real)
TENON_KERNEL(stablehlo, RemainderOp, remainder)
TENON_KERNEL(stablehlo, RoundNearestAfzOp, roundNearestAfz)
TENON_KERNEL(stablehlo, RoundNearestEvenOp, roundNearestEven)
TENON_KERNEL(stablehlo, RsqrtOp, rsqrt)
TENON_KERNEL(stablehlo, ShiftLeftOp, shiftLeft)
TENON_KERNEL(stablehlo, ShiftRightArithmeticOp, shiftRightArithmetic)
TENON_KERNEL(stablehlo, ShiftRightLogicalOp, shiftRightLogical)
TENON_KERNEL(stablehlo, SignOp, sign)
TENON_KERNEL(stablehlo, SineOp, sine)
TENON_KERNEL(stablehlo, SqrtOp, sqrt)
TENON_KERNEL(stablehlo, SubtractOp, subtract)
TENON_KERNEL(stablehlo, TanOp, tan)
TENON_KERNEL(stablehlo, TanhOp, tanh)
TENON_KERNEL(stablehlo, XorOp, logicalXor)

TENON_KERNEL(chlo, AcosOp, acos)
TENON_KERNEL(chlo, AcoshOp, acosh)
TENON_KERNEL(chlo, AsinOp, asin)
TENON_KERNEL(chlo, AsinhOp, asinh)
TENON_KERNEL(chlo, AsinAcosKernelOp, asinAcosKernel)
TENON_KERNEL(chlo, AtanOp, atan)
TENON_KERNEL(chlo, AtanhOp, atanh)
TENON_KERNEL(chlo, BesselI1eOp, besselI1e)
TENON_KERNEL(chlo, ConjOp, conj)
TENON_KERNEL(chlo, CoshOp, cosh)
TENON_KERNEL(chlo, DigammaOp, digamma)
TENON_KERNEL(chlo, ErfOp, erf)
TENON_KERNEL(chlo, ErfInvOp, erfInv)
TENON_KERNEL(chlo, ErfcOp, erfc)
TENON_KERNEL(chlo, IsInfOp, isInf)
TENON_KERNEL(chlo, IsNegInfOp, isNegInf)
TENON_KERNEL(chlo, IsPosInfOp, isPosInf)
TENON_KERNEL(chlo, LgammaOp, lgamma)
TENON_KERNEL(chlo, SinhOp, sinh)
TENON_KERNEL(chlo, SquareOp, square)
TENON_KERNEL(chlo, TanOp, tan)
TENON_KERNEL(chlo, NextAfterOp, nextAfter)
TENON_KERNEL(chlo, PolygammaOp, polygamma)
TENON_KERNEL(chlo, ZetaOp, zeta)
TENON_KERNEL(chlo, MulhiOp, mulHigh)

TENON_KERNEL(sdy, ShardingConstraintOp, identity)
TENON_KERNEL(sdy, ReshardOp, identity)
TENON_KERNEL(sdy, PropagationBarrierOp, identity)
TENON_KERNEL(sdy, DataFlowEdgeOp, identity)
#undef TENON_KERNEL

inline MaybeKernel kernelOf(stablehlo::ConvertOp, const KernelTypes &types) {
  return kernels::convert(types.operands[0], types.result);
}
inline MaybeKernel kernelOf(stablehlo::CompareOp op, const KernelTypes &types) {
  return kernels::compare(types.operands[0], static_cast<Direction>(op.getComparisonDirection()),
                          op.getCompareType() == stablehlo::ComparisonType::TOTALORDER);
}
inline MaybeKernel kernelOf(stablehlo::SelectOp, const KernelTypes &types) {
  return kernels::select(types.operands[1]);
}
inline MaybeKernel kernelOf(stablehlo::ClampOp, const KernelTypes &types) { return kernels::clamp(types.operands[1]); }
inline MaybeKernel kernelOf(stablehlo::ReducePrecisionOp op, const KernelTypes &types) {
  return kernels::reducePrecision(types.operands[0], op.getExponentBits(), op.getMantissaBits());
}

} // namespace tenon::interpreter
