// Dot and convolutions (xla-preview-2017: Dot, Conv, ConvWithGeneralPadding).
#include "tenon/frontend/builder/call.h"
#include "tenon/frontend/builder/windows.h"
#include "tenon/ops.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tenon::xla_2017 {

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
    return call.result(ops::multiply(a->leaves[0], b->leaves[0]));
  int contractedA = rankA - 1, contractedB = rankB > 1 ? rankB - 2 : 0;
  if (a->shape.dimensions(contractedA) != b->shape.dimensions(contractedB))
    return call.fail(both + ": the contracted dimensions, " + std::to_string(contractedA) + " of lhs and " +
                     std::to_string(contractedB) + " of rhs, differ in size");
  ops::DotDimensionNumbers numbers;
  numbers.lhs_contracting_dimensions = {contractedA};
  numbers.rhs_contracting_dimensions = {contractedB};
  return call.result(ops::dot_general(a->leaves[0], b->leaves[0], numbers));
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
  ops::ConvDimensionNumbers numbers;
  numbers.input_batch_dimension = numbers.output_batch_dimension = n.batch_dimension();
  numbers.input_feature_dimension = numbers.output_feature_dimension = n.feature_dimension();
  numbers.input_spatial_dimensions.assign(n.spatial_dimensions().begin(), n.spatial_dimensions().end());
  numbers.output_spatial_dimensions = numbers.input_spatial_dimensions;
  numbers.kernel_input_feature_dimension = n.kernel_input_feature_dimension();
  numbers.kernel_output_feature_dimension = n.kernel_output_feature_dimension();
  numbers.kernel_spatial_dimensions.assign(n.kernel_spatial_dimensions().begin(), n.kernel_spatial_dimensions().end());
  ops::ConvolutionOptions options;
  options.window_strides = strides.toVector();
  options.padding = internal::paddingOf(padding);
  return call.result(ops::convolution(operands->input->leaves[0], operands->kernel->leaves[0], numbers,
                                      /*feature_group_count=*/1, /*batch_group_count=*/1, {}, options));
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
  return convolve(call, lhs, rhs, strides, MakePadding(input, window, strides, padding), n);
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
