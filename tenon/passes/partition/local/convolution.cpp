// Convolutions: along batches, groups and output features as they are; of input features, as of all that is summed
// over, each device has summands; along spatial dimensions neighbours give each other what windows reach (halo.h).
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/window_ops.h"

#include "tenon/ir/types.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// The window along one of the input's spatial dimensions.
Window windowOf(sh::ConvolutionOp op, int64_t spatial) {
  sh::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  size_t count = dims.getInputSpatialDimensions().size();
  int64_t width = ir::typeOf(op.getRhs()).getDimSize(dims.getKernelSpatialDimensions()[spatial]);
  return {at(op.getWindowStrides(), spatial), paddingOf(op.getPadding(), count)[2 * spatial],
          (width - 1) * at(op.getRhsDilation(), spatial) + 1, at(op.getLhsDilation(), spatial)};
}

bool canCutConvolution(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  auto convolution = cast<sh::ConvolutionOp>(op);
  sh::ConvDimensionNumbersAttr dims = convolution.getDimensionNumbers();
  switch (factors.factors[factor].type) {
  case ir::FactorType::kPassThrough:
    return hasFactor(factors.results[0], factor);
  case ir::FactorType::kReduction: // the places within a window are another one
    return dimensionOf(factors.operands[1], factor) == dims.getKernelInputFeatureDimension() && sumOfProducts(op);
  case ir::FactorType::kMoves: {
    int64_t dimension = dimensionOf(factors.operands[0], factor), result = dimensionOf(factors.results[0], factor);
    int64_t spatial =
        llvm::find(dims.getInputSpatialDimensions(), dimension) - dims.getInputSpatialDimensions().begin();
    return hasHalo(op, dimension, result, parts, windowOf(convolution, spatial));
  }
  case ir::FactorType::kReplicated:
    return false;
  }
  return false;
}

// The input with halos along its spatial dimensions, and the attributes that are then left.
Value withHalos(LocalOp &op, Value input, SmallVectorImpl<NamedAttribute> &attributes) {
  auto convolution = cast<sh::ConvolutionOp>(op.op);
  sh::ConvDimensionNumbersAttr dims = convolution.getDimensionNumbers();
  size_t count = dims.getInputSpatialDimensions().size();
  SmallVector<int64_t> left = paddingOf(convolution.getPadding(), count), dilations;
  Value zero = op.builder.fill(op.operandType(0).getElementType(), {}, 0);
  for (size_t i = 0; i < count; ++i) {
    int64_t dimension = dims.getInputSpatialDimensions()[i];
    Window window = windowOf(convolution, static_cast<int64_t>(i));
    dilations.push_back(window.dilation);
    if (partsOf(op, dimension) == 1)
      continue;
    input = withHaloAlong(op, 0, input, dimension, dims.getOutputSpatialDimensions()[i], window, zero);
    left[2 * i] = left[2 * i + 1] = 0;
    dilations[i] = 1;
  }
  attributes.push_back(padding(op, left));
  attributes.push_back(numbers(op, "lhs_dilation", dilations));
  return input;
}

SmallVector<Value> buildConvolution(LocalOp &op) {
  auto convolution = cast<sh::ConvolutionOp>(op.op);
  sh::ConvDimensionNumbersAttr dims = convolution.getDimensionNumbers();
  SmallVector<Value> operands = withZerosForPadding(op);
  SmallVector<NamedAttribute> attributes;
  operands[0] = withHalos(op, operands[0], attributes);
  // Each device has some of the groups.
  auto setGroups = [&](StringRef name, uint64_t all, int64_t size, int64_t ofGroup) {
    int64_t groups = all == 1 || ofGroup == 0 ? static_cast<int64_t>(all) : size / ofGroup;
    attributes.push_back(op.builder.builder.getNamedAttr(name, op.builder.builder.getI64IntegerAttr(groups)));
  };
  RankedTensorType input = op.localOperandType(0), kernel = op.localOperandType(1), result = op.localResultType(0);
  setGroups("feature_group_count", convolution.getFeatureGroupCount(),
            input.getDimSize(dims.getInputFeatureDimension()),
            kernel.getDimSize(dims.getKernelInputFeatureDimension()));
  setGroups("batch_group_count", convolution.getBatchGroupCount(), input.getDimSize(dims.getInputBatchDimension()),
            result.getDimSize(dims.getOutputBatchDimension()));
  return op.cloneWith(operands, attributes);
}

} // namespace

LocalForm convolutionForm() {
  return {.canCut = canCutConvolution, .sum = sumOfProducts, .addsInF32 = true, .build = buildConvolution};
}

} // namespace tenon::passes::partition
