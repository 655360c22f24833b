// Zeros around the operand of a convolution become its own padding, which its kernel adds where it reads the operand.
//
//   convolution(pad(x, 0, low, high), w), padding p  =>  convolution(x, w), padding p + (low, high)

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// +0.0 and not -0.0: the sign of a sum of zeros depends on it.
bool isPositiveZero(Value value) {
  if (matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero()))
    return true;
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !isa<ComplexType>(constant.getElementType()) ||
      !constant.isSplat())
    return false;
  return llvm::all_of(constant.getRawData(), [](char byte) { return byte == 0; });
}

struct PaddedOperandPattern : OpRewritePattern<sh::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ConvolutionOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getLhs().getDefiningOp<sh::PadOp>();
    if (!pad || !isPositiveZero(pad.getPaddingValue()) ||
        llvm::any_of(pad.getInteriorPadding(), [](int64_t amount) { return amount != 0; }))
      return failure();
    auto numbers = op.getDimensionNumbers();
    ArrayRef<int64_t> low = pad.getEdgePaddingLow(), high = pad.getEdgePaddingHigh(),
                      spatial = numbers.getInputSpatialDimensions();
    for (int64_t dim : {numbers.getInputBatchDimension(), numbers.getInputFeatureDimension()})
      if (low[dim] != 0 || high[dim] != 0)
        return failure();
    SmallVector<int64_t> padding(2 * spatial.size(), 0);
    if (auto attribute = op.getPaddingAttr())
      padding.assign(attribute.getValues<int64_t>().begin(), attribute.getValues<int64_t>().end());
    for (auto [i, dim] : llvm::enumerate(spatial)) {
      int64_t dilation = op.getLhsDilation() ? (*op.getLhsDilation())[i] : 1;
      // What is cut off is not zeros, and dilating nothing gives nothing.
      if (low[dim] < 0 || high[dim] < 0 || ir::shapeOf(pad.getOperand())[dim] == 0)
        return failure();
      padding[2 * i] += low[dim] * dilation;
      padding[2 * i + 1] += high[dim] * dilation;
    }
    auto type = RankedTensorType::get({int64_t(spatial.size()), 2}, rewriter.getI64Type());
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, pad.getOperand());
      op.setPaddingAttr(DenseIntElementsAttr::get(type, padding));
    });
    return success();
  }
};

} // namespace

void populateConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<PaddedOperandPattern>(patterns.getContext());
}

} // namespace tenon::passes
