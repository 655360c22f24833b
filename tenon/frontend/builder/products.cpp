// Dot and convolutions (xla-preview-2017: Dot, Conv, ConvWithGeneralPadding).
#include "tenon/frontend/builder/call.h"
#include "tenon/frontend/builder/windows.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

Handle ComputationBuilder::Dot(const Handle &lhs, const Handle &rhs, At at) {
  Call call(*state_, "Dot", at);
  const Node *a = call.array(lhs, "lhs"), *b = call.array(rhs, "rhs");
  if (!a || !b)
    return {};
  std::string both = ShapeUtil::HumanString(a->shape) + " and " + ShapeUtil::HumanString(b->shape);
  if (a->shape.element_type() != b->shape.element_type())
    return call.fail("the element types of " + both + " differ");
  int rankA = a->shape.dimensions_size(), rankB = b->shape.dimensions_size();
  if ((rankA == 0) != (rankB == 0))
    return call.fail(both + ": a scalar has no dimension to contract (Mul scales an array)");
  if (rankA == 0)
    return call.result(sh::MultiplyOp::create(call.ops(), a->leaves[0], b->leaves[0]));
  int contractedA = rankA - 1, contractedB = rankB > 1 ? rankB - 2 : 0;
  if (a->shape.dimensions(contractedA) != b->shape.dimensions(contractedB))
    return call.fail(both + ": the contracted dimensions, " + std::to_string(contractedA) + " of lhs and " +
                     std::to_string(contractedB) + " of rhs, differ in size");
  llvm::SmallVector<int64> sizes(a->shape.dimensions().begin(), a->shape.dimensions().end() - 1);
  for (int d = 0; d < rankB; ++d)
    if (d != contractedB)
      sizes.push_back(b->shape.dimensions(d));
  auto numbers = sh::DotDimensionNumbersAttr::get(&state_->context(), {}, {}, {contractedA}, {contractedB});
  auto type = mlir::cast<mlir::RankedTensorType>(a->leaves[0].getType()).clone(sizes);
  return call.result(sh::DotGeneralOp::create(call.ops(), type, a->leaves[0], b->leaves[0], numbers,
                                              /*precision_config=*/nullptr, /*algorithm=*/nullptr));
}

ConvolutionDimensionNumbers ComputationBuilder::CreateDefaultConvDimensionNumbers() {
  return CreateConvDimensionNumbers(kConvBatchDimension, kConvFeatureDimension, kConvFirstSpatialDimension,
                                    kConvSecondSpatialDimension, kConvKernelOutputDimension, kConvKernelInputDimension,
                                    kConvKernelFirstSpatialDimension, kConvKernelSecondSpatialDimension)
      .ConsumeValueOrDie();
}

namespace {

Status checkNumbers(const ConvolutionDimensionNumbers &numbers) {
  if (numbers.spatial_dimensions_size() != 2 || numbers.kernel_spatial_dimensions_size() != 2)
    return tenon::invalidArgument("convolution dimension numbers: there must be two spatial dimensions");
  auto isPermutation = [](std::initializer_list<int64> dimensions) {
    llvm::SmallBitVector seen(4);
    for (int64 d : dimensions)
      if (d >= 0 && d < 4)
        seen.set(static_cast<unsigned>(d));
    return seen.all();
  };
  if (!isPermutation({numbers.batch_dimension(), numbers.feature_dimension(), numbers.spatial_dimensions(0),
                      numbers.spatial_dimensions(1)}))
    return tenon::invalidArgument("convolution dimension numbers: batch, feature and spatial dimensions of the input "
                                  "must be 0, 1, 2 and 3 in some order");
  if (!isPermutation({numbers.kernel_output_feature_dimension(), numbers.kernel_input_feature_dimension(),
                      numbers.kernel_spatial_dimensions(0), numbers.kernel_spatial_dimensions(1)}))
    return tenon::invalidArgument("convolution dimension numbers: output feature, input feature and spatial dimensions "
                                  "of the kernel must be 0, 1, 2 and 3 in some order");
  return {};
}

// The checked operands.
struct Convolution {
  const Node *input, *kernel;
};

std::optional<Convolution> convolutionOf(Call &call, const Handle &lhs, const Handle &rhs,
                                         gtl::ArraySlice<int64> strides, const ConvolutionDimensionNumbers &numbers) {
  const Node *input = call.array(lhs, "lhs"), *kernel = call.array(rhs, "rhs");
  if (!input || !kernel)
    return std::nullopt;
  std::string both = ShapeUtil::HumanString(input->shape) + " and " + ShapeUtil::HumanString(kernel->shape);
  if (input->shape.dimensions_size() != 4 || kernel->shape.dimensions_size() != 4)
    call.fail(both + ": both operands must have rank 4");
  else if (input->shape.element_type() != kernel->shape.element_type())
    call.fail("the element types of " + both + " differ");
  else if (Status status = checkNumbers(numbers); !status.ok())
    call.fail(status.message());
  else if (strides.size() != 2 || strides[0] < 1 || strides[1] < 1)
    call.fail("window_strides " + internal::listText(strides) + " must be two, each at least 1");
  else if (input->shape.dimensions(static_cast<int>(numbers.feature_dimension())) !=
           kernel->shape.dimensions(static_cast<int>(numbers.kernel_input_feature_dimension())))
    call.fail(both + ": the input's features and those that the kernel takes differ in number");
  if (call.failed())
    return std::nullopt;
  return Convolution{input, kernel};
}

Handle convolve(Call &call, const Handle &lhs, const Handle &rhs, gtl::ArraySlice<int64> strides,
                llvm::ArrayRef<std::pair<int64, int64>> padding, const ConvolutionDimensionNumbers &n) {
  auto operands = convolutionOf(call, lhs, rhs, strides, n);
  if (!operands)
    return {};
  if (padding.size() != 2)
    return call.fail("padding must have a pair for each of two spatial dimensions, and has " +
                     std::to_string(padding.size()));
  Shape result = operands->input->shape;
  result.set_dimensions(static_cast<int>(n.feature_dimension()),
                        operands->kernel->shape.dimensions(static_cast<int>(n.kernel_output_feature_dimension())));
  for (int i = 0; i < 2; ++i) {
    auto d = static_cast<int>(n.spatial_dimensions(i));
    int64 window = operands->kernel->shape.dimensions(static_cast<int>(n.kernel_spatial_dimensions(i)));
    result.set_dimensions(d, internal::windowCount(operands->input->shape.dimensions(d), window, strides[i],
                                                   padding[i].first, padding[i].second));
  }
  mlir::RankedTensorType type = call.type(result, "the result");
  if (!type)
    return {};
  llvm::SmallVector<int64> spatial(n.spatial_dimensions().begin(), n.spatial_dimensions().end());
  llvm::SmallVector<int64> kernelSpatial(n.kernel_spatial_dimensions().begin(), n.kernel_spatial_dimensions().end());
  auto numbers = sh::ConvDimensionNumbersAttr::get(
      &call.state.context(), n.batch_dimension(), n.feature_dimension(), spatial, n.kernel_input_feature_dimension(),
      n.kernel_output_feature_dimension(), kernelSpatial, n.batch_dimension(), n.feature_dimension(), spatial);
  auto &ops = call.ops();
  return call.result(sh::ConvolutionOp::create(
      ops, type, operands->input->leaves[0], operands->kernel->leaves[0],
      ops.getDenseI64ArrayAttr(internal::asArrayRef(strides)), internal::paddingAttr(ops, padding),
      /*lhs_dilation=*/nullptr, /*rhs_dilation=*/nullptr, /*window_reversal=*/nullptr, numbers,
      /*feature_group_count=*/1, /*batch_group_count=*/1, /*precision_config=*/nullptr));
}

Handle convolve(Call &call, const Handle &lhs, const Handle &rhs, gtl::ArraySlice<int64> strides, Padding padding,
                const ConvolutionDimensionNumbers &n) {
  auto operands = convolutionOf(call, lhs, rhs, strides, n);
  if (!operands)
    return {};
  llvm::SmallVector<int64> input, window;
  for (int i = 0; i < 2; ++i) {
    input.push_back(operands->input->shape.dimensions(static_cast<int>(n.spatial_dimensions(i))));
    window.push_back(operands->kernel->shape.dimensions(static_cast<int>(n.kernel_spatial_dimensions(i))));
  }
  return convolve(call, lhs, rhs, strides,
                  MakePadding({input.data(), input.size()}, {window.data(), window.size()}, strides, padding), n);
}

} // namespace

StatusOr<ConvolutionDimensionNumbers>
ComputationBuilder::CreateConvDimensionNumbers(int64 batch, int64 feature, int64 first_spatial, int64 second_spatial,
                                               int64 kernel_output_feature, int64 kernel_input_feature,
                                               int64 kernel_first_spatial, int64 kernel_second_spatial) {
  ConvolutionDimensionNumbers numbers;
  numbers.set_batch_dimension(batch);
  numbers.set_feature_dimension(feature);
  numbers.add_spatial_dimensions(first_spatial);
  numbers.add_spatial_dimensions(second_spatial);
  numbers.set_kernel_output_feature_dimension(kernel_output_feature);
  numbers.set_kernel_input_feature_dimension(kernel_input_feature);
  numbers.add_kernel_spatial_dimensions(kernel_first_spatial);
  numbers.add_kernel_spatial_dimensions(kernel_second_spatial);
  TENON_RETURN_IF_ERROR(checkNumbers(numbers));
  return numbers;
}

Handle ComputationBuilder::Conv(const Handle &lhs, const Handle &rhs, Sizes window_strides, Padding padding, At at) {
  Call call(*state_, "Conv", at);
  return convolve(call, lhs, rhs, window_strides, padding, CreateDefaultConvDimensionNumbers());
}

Handle ComputationBuilder::ConvWithGeneralPadding(const Handle &lhs, const Handle &rhs, Sizes window_strides,
                                                  Pairs padding, At at) {
  Call call(*state_, "ConvWithGeneralPadding", at);
  return convolve(call, lhs, rhs, window_strides, {padding.data(), padding.size()},
                  CreateDefaultConvDimensionNumbers());
}

Handle ComputationBuilder::ConvWithGeneralDimensions(const Handle &lhs, const Handle &rhs, Sizes window_strides,
                                                     Padding padding,
                                                     const ConvolutionDimensionNumbers &dimension_numbers, At at) {
  Call call(*state_, "ConvWithGeneralDimensions", at);
  return convolve(call, lhs, rhs, window_strides, padding, dimension_numbers);
}

Handle ComputationBuilder::ConvGeneral(const Handle &lhs, const Handle &rhs, Sizes window_strides, Pairs padding,
                                       const ConvolutionDimensionNumbers &dimension_numbers, At at) {
  Call call(*state_, "ConvGeneral", at);
  return convolve(call, lhs, rhs, window_strides, {padding.data(), padding.size()}, dimension_numbers);
}

} // namespace tenon::xla_2017
