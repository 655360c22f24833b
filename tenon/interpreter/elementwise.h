// Which kernel each elementwise op has. An op of the Elementwise family without a row in kernels.def or
// an overload here does not compile.
#pragma once

#include "tenon/interpreter/evaluator.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::interpreter {

#define TENON_KERNEL(DIALECT, OP, KERNEL)                                                                              \
  inline MaybeKernel kernelOf(DIALECT::OP, const KernelTypes &types) { return kernels::KERNEL(types.operands[0]); }
#include "tenon/interpreter/kernels.def"

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
