#include "tenon/ir/convolution_role.h"

#include "tenon/ir/element_types.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::ir {
namespace {

// One spatial dimension.
struct Window {
  int64_t taps = 1, results = 1, inputDilation = 1;
  bool isReversed = false;
};

SmallVector<Window> windowsOf(sh::ConvolutionOp op) {
  sh::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()), out = shapeOf(op->getResult(0));
  SmallVector<Window> windows(numbers.getInputSpatialDimensions().size());
  for (auto [i, window] : llvm::enumerate(windows)) {
    window.taps = rhs[numbers.getKernelSpatialDimensions()[i]];
    window.results = out[numbers.getOutputSpatialDimensions()[i]];
    if (op.getLhsDilation() && lhs[numbers.getInputSpatialDimensions()[i]] > 1)
      window.inputDilation = (*op.getLhsDilation())[i];
    window.isReversed = op.getWindowReversal() && (*op.getWindowReversal())[i] && window.taps > 1;
  }
  return windows;
}

} // namespace

ConvolutionRole roleOf(sh::ConvolutionOp op) {
  double taps = 1, results = 1;
  for (const Window &window : windowsOf(op)) {
    if (window.inputDilation > 1 || window.isReversed)
      return ConvolutionRole::kInputGradient;
    taps *= double(window.taps);
    results *= double(window.results);
  }
  return taps > results ? ConvolutionRole::kKernelGradient : ConvolutionRole::kForward;
}

double operationsIn(sh::ConvolutionOp op) {
  double operations = 2.0 * double(typeOf(op->getResult(0)).getNumElements()) *
                      double(shapeOf(op.getRhs())[op.getDimensionNumbers().getKernelInputFeatureDimension()]);
  for (const Window &window : windowsOf(op))
    operations *= double(window.taps) / double(window.inputDilation);
  return operations;
}

} // namespace tenon::ir
