// Sums, windows and convolutions; random numbers, control flow and effects.
#include "tenon/capi/builder.h"

using namespace tenon::capi;
using B = ComputationBuilder;

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Pairs pairsOf(const tenon_edge_padding *padding, size_t rank) {
  Pairs pairs;
  for (size_t i = 0; i < rank; ++i)
    pairs.emplace_back(padding[i].low, padding[i].high);
  return pairs;
}

xla::Padding paddingOf(tenon_padding padding) {
  return padding == TENON_PADDING_SAME ? xla::Padding::kSame : xla::Padding::kValid;
}

// Among the arguments that must be there: a padding that is not a tenon_padding is none.
Argument paddingArgument(tenon_padding padding) {
  bool valid = padding == TENON_PADDING_SAME || padding == TENON_PADDING_VALID;
  return {valid ? "" : nullptr, "padding, which is no tenon_padding,"};
}

xla::ConvolutionDimensionNumbers numbersOf(const tenon_conv_dimension_numbers &numbers) {
  xla::ConvolutionDimensionNumbers result;
  result.set_batch_dimension(numbers.batch);
  result.set_feature_dimension(numbers.feature);
  result.set_kernel_output_feature_dimension(numbers.kernel_output_feature);
  result.set_kernel_input_feature_dimension(numbers.kernel_input_feature);
  for (int i = 0; i < 2; ++i) {
    result.add_spatial_dimensions(numbers.spatial[i]);
    result.add_kernel_spatial_dimensions(numbers.kernel_spatial[i]);
  }
  return result;
}

constexpr size_t kConvRank = 2;

} // namespace

tenon_value tenon_builder_dot(tenon_builder *builder, tenon_value lhs, tenon_value rhs) {
  return enqueue(builder, "Dot", {}, [&](BuilderCall call) { return call.builder.Dot(call[lhs], call[rhs], call.at); });
}

tenon_value tenon_builder_reduce(tenon_builder *builder, tenon_value operand, tenon_value init_value,
                                 const tenon_computation *computation, const int64_t *dimensions, size_t count) {
  return enqueue(builder, "Reduce", {{computation, "computation"}, array(dimensions, count, "dimensions")},
                 [&](BuilderCall call) {
                   return call.builder.Reduce(call[operand], call[init_value], computation->value,
                                              slice(dimensions, count), call.at);
                 });
}

tenon_value tenon_builder_reduce_window(tenon_builder *builder, tenon_value operand, tenon_value init_value,
                                        const tenon_computation *computation, const int64_t *window_dimensions,
                                        const int64_t *window_strides, size_t rank, tenon_padding padding) {
  return enqueue(builder, "ReduceWindow",
                 {{computation, "computation"},
                  array(window_dimensions, rank, "window_dimensions"),
                  array(window_strides, rank, "window_strides"),
                  paddingArgument(padding)},
                 [&](BuilderCall call) {
                   return call.builder.ReduceWindow(call[operand], call[init_value], computation->value,
                                                    slice(window_dimensions, rank), slice(window_strides, rank),
                                                    paddingOf(padding), call.at);
                 });
}

tenon_value tenon_builder_reduce_window_with_general_padding(
    tenon_builder *builder, tenon_value operand, tenon_value init_value, const tenon_computation *computation,
    const int64_t *window_dimensions, const int64_t *window_strides, const tenon_edge_padding *padding, size_t rank) {
  return enqueue(builder, "ReduceWindowWithGeneralPadding",
                 {{computation, "computation"},
                  array(window_dimensions, rank, "window_dimensions"),
                  array(window_strides, rank, "window_strides"),
                  array(padding, rank, "padding")},
                 [&](BuilderCall call) {
                   return call.builder.ReduceWindowWithGeneralPadding(
                       call[operand], call[init_value], computation->value, slice(window_dimensions, rank),
                       slice(window_strides, rank), pairsOf(padding, rank), call.at);
                 });
}

tenon_value tenon_builder_select_and_scatter(tenon_builder *builder, tenon_value operand,
                                             const tenon_computation *select, const int64_t *window_dimensions,
                                             const int64_t *window_strides, size_t rank, tenon_padding padding,
                                             tenon_value source, tenon_value init_value,
                                             const tenon_computation *scatter) {
  return enqueue(builder, "SelectAndScatter",
                 {{select, "select"},
                  array(window_dimensions, rank, "window_dimensions"),
                  array(window_strides, rank, "window_strides"),
                  paddingArgument(padding),
                  {scatter, "scatter"}},
                 [&](BuilderCall call) {
                   return call.builder.SelectAndScatter(call[operand], select->value, slice(window_dimensions, rank),
                                                        slice(window_strides, rank), paddingOf(padding), call[source],
                                                        call[init_value], scatter->value, call.at);
                 });
}

tenon_value tenon_builder_select_and_scatter_with_general_padding(
    tenon_builder *builder, tenon_value operand, const tenon_computation *select, const int64_t *window_dimensions,
    const int64_t *window_strides, const tenon_edge_padding *padding, size_t rank, tenon_value source,
    tenon_value init_value, const tenon_computation *scatter) {
  return enqueue(builder, "SelectAndScatterWithGeneralPadding",
                 {{select, "select"},
                  array(window_dimensions, rank, "window_dimensions"),
                  array(window_strides, rank, "window_strides"),
                  array(padding, rank, "padding"),
                  {scatter, "scatter"}},
                 [&](BuilderCall call) {
                   return call.builder.SelectAndScatterWithGeneralPadding(
                       call[operand], select->value, slice(window_dimensions, rank), slice(window_strides, rank),
                       pairsOf(padding, rank), call[source], call[init_value], scatter->value, call.at);
                 });
}

tenon_conv_dimension_numbers tenon_conv_dimension_numbers_default(void) {
  return {B::kConvBatchDimension,
          B::kConvFeatureDimension,
          {B::kConvFirstSpatialDimension, B::kConvSecondSpatialDimension},
          B::kConvKernelOutputDimension,
          B::kConvKernelInputDimension,
          {B::kConvKernelFirstSpatialDimension, B::kConvKernelSecondSpatialDimension}};
}

tenon_status *tenon_conv_dimension_numbers_check(const tenon_conv_dimension_numbers *numbers) {
  return guard({{numbers, "numbers"}}, [&] {
    return B::CreateConvDimensionNumbers(numbers->batch, numbers->feature, numbers->spatial[0], numbers->spatial[1],
                                         numbers->kernel_output_feature, numbers->kernel_input_feature,
                                         numbers->kernel_spatial[0], numbers->kernel_spatial[1])
        .status();
  });
}

tenon_value tenon_builder_conv(tenon_builder *builder, tenon_value lhs, tenon_value rhs, const int64_t *window_strides,
                               tenon_padding padding) {
  return enqueue(
      builder, "Conv", {{window_strides, "window_strides"}, paddingArgument(padding)}, [&](BuilderCall call) {
        return call.builder.Conv(call[lhs], call[rhs], slice(window_strides, kConvRank), paddingOf(padding), call.at);
      });
}

tenon_value tenon_builder_conv_with_general_padding(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                                    const int64_t *window_strides, const tenon_edge_padding *padding) {
  return enqueue(builder, "ConvWithGeneralPadding", {{window_strides, "window_strides"}, {padding, "padding"}},
                 [&](BuilderCall call) {
                   return call.builder.ConvWithGeneralPadding(call[lhs], call[rhs], slice(window_strides, kConvRank),
                                                              pairsOf(padding, kConvRank), call.at);
                 });
}

tenon_value tenon_builder_conv_with_general_dimensions(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                                       const int64_t *window_strides, tenon_padding padding,
                                                       const tenon_conv_dimension_numbers *numbers) {
  return enqueue(builder, "ConvWithGeneralDimensions",
                 {{window_strides, "window_strides"}, paddingArgument(padding), {numbers, "numbers"}},
                 [&](BuilderCall call) {
                   return call.builder.ConvWithGeneralDimensions(call[lhs], call[rhs], slice(window_strides, kConvRank),
                                                                 paddingOf(padding), numbersOf(*numbers), call.at);
                 });
}

tenon_value tenon_builder_conv_general(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                                       const int64_t *window_strides, const tenon_edge_padding *padding,
                                       const tenon_conv_dimension_numbers *numbers) {
  return enqueue(builder, "ConvGeneral",
                 {{window_strides, "window_strides"}, {padding, "padding"}, {numbers, "numbers"}},
                 [&](BuilderCall call) {
                   return call.builder.ConvGeneral(call[lhs], call[rhs], slice(window_strides, kConvRank),
                                                   pairsOf(padding, kConvRank), numbersOf(*numbers), call.at);
                 });
}

tenon_value tenon_builder_rng_normal(tenon_builder *builder, tenon_value mu, tenon_value sigma,
                                     const tenon_shape *shape) {
  return enqueue(builder, "RngNormal", {{shape, "shape"}}, [&](BuilderCall call) {
    return call.builder.RngNormal(call[mu], call[sigma], shapeOf(shape), call.at);
  });
}

tenon_value tenon_builder_rng_uniform(tenon_builder *builder, tenon_value a, tenon_value b, const tenon_shape *shape) {
  return enqueue(builder, "RngUniform", {{shape, "shape"}},
                 [&](BuilderCall call) { return call.builder.RngUniform(call[a], call[b], shapeOf(shape), call.at); });
}

tenon_value tenon_builder_rng_bernoulli(tenon_builder *builder, tenon_value mean, const tenon_shape *shape) {
  return enqueue(builder, "RngBernoulli", {{shape, "shape"}},
                 [&](BuilderCall call) { return call.builder.RngBernoulli(call[mean], shapeOf(shape), call.at); });
}

tenon_value tenon_builder_while(tenon_builder *builder, const tenon_computation *condition,
                                const tenon_computation *body, tenon_value init) {
  return enqueue(builder, "While", {{condition, "condition"}, {body, "body"}}, [&](BuilderCall call) {
    return call.builder.While(condition->value, body->value, call[init], call.at);
  });
}

tenon_value tenon_builder_infeed(tenon_builder *builder, const tenon_shape *shape) {
  return enqueue(builder, "Infeed", {{shape, "shape"}},
                 [&](BuilderCall call) { return call.builder.Infeed(shapeOf(shape), call.at); });
}

void tenon_builder_trace(tenon_builder *builder, const char *tag, tenon_value operand) {
  (void)enqueue(builder, "Trace", {{tag, "tag"}}, [&](BuilderCall call) {
    call.builder.Trace(tag, call[operand], call.at);
    return Handle();
  });
}

tenon_value tenon_builder_custom_call_op(tenon_builder *builder, const char *target, const tenon_value *operands,
                                         size_t count, const tenon_shape *shape) {
  return enqueue(builder, "CustomCallOp", {{target, "target"}, array(operands, count, "operands"), {shape, "shape"}},
                 [&](BuilderCall call) {
                   return call.builder.CustomCallOp(target, call.operands(operands, count), shapeOf(shape), call.at);
                 });
}
