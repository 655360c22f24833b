// The operations: each is the method of that name of ComputationBuilder.
#include "tenon/python/module/enqueue.h"

#include <nanobind/stl/string_view.h>

namespace tenon::python {

using nb::literals::operator""_a;
using B = ComputationBuilder;
using Sizes = xla::gtl::ArraySlice<xla::int64>;
using Numbers = xla::ConvolutionDimensionNumbers;

namespace {

void addPlaces(nb::class_<BuilderObject> &builder) {
  auto reshape = enqueue(static_cast<Handle (B::*)(const Handle &, Sizes, Sizes, At)>(&B::Reshape));
  auto reshapeInOrder = enqueue(static_cast<Handle (B::*)(const Handle &, Sizes, At)>(&B::Reshape));
  builder.def("broadcast", enqueue(&B::Broadcast), "operand"_a, "broadcast_sizes"_a, "New dimensions on the left.")
      .def("pad", enqueue(&B::Pad), "operand"_a, "padding_value"_a, "padding_config"_a,
           "Pads: (low, high, interior) for each dimension. Negative edges take elements away.")
      .def("reshape", reshapeInOrder, "operand"_a, "new_sizes"_a, "The same elements, row-major, in other sizes.")
      .def("reshape", reshape, "operand"_a, "dimensions"_a, "new_sizes"_a,
           "The elements in that order of dimensions, slowest first, in other sizes.")
      .def("collapse", enqueue(&B::Collapse), "operand"_a, "dimensions"_a, "Merges consecutive dimensions into one.")
      .def("slice", enqueue(&B::Slice), "operand"_a, "start_indices"_a, "limit_indices"_a,
           "The box from start to before limit.")
      .def("dynamic_slice", enqueue(&B::DynamicSlice), "operand"_a, "start_indices"_a, "size_indices"_a,
           "A box whose start is computed; what leaves the operand at its end continues at its beginning.")
      .def("dynamic_update_slice", enqueue(&B::DynamicUpdateSlice), "operand"_a, "update"_a, "start_indices"_a,
           "The operand with a box overwritten, where start_indices says.")
      .def("concat_in_dim", enqueue(&B::ConcatInDim), "operands"_a, "dimension"_a, "Joins arrays along a dimension.")
      .def("trans", enqueue(&B::Trans), "operand"_a, "The transpose of a matrix.")
      .def("transpose", enqueue(&B::Transpose), "operand"_a, "permutation"_a,
           "Dimension i of the result is dimension permutation[i] of the operand.")
      .def("rev", enqueue(&B::Rev), "operand"_a, "dimensions"_a, "Turns elements around in those dimensions.")
      .def("select", enqueue(&B::Select), "pred"_a, "on_true"_a, "on_false"_a,
           "on_true where pred holds, on_false elsewhere.")
      .def("tuple_", enqueue(&B::Tuple), "elements"_a, "A tuple of values.")
      .def("get_tuple_element", enqueue(&B::GetTupleElement), "tuple_data"_a, "index"_a, "An element of a tuple.")
      .def("sort", enqueue(&B::Sort), "operand"_a, "Sorts along the last dimension, increasing, NaN last.");
}

using Binary = Handle (B::*)(const Handle &, const Handle &, Sizes, At);

void addElementwise(nb::class_<BuilderObject> &builder) {
  const std::tuple<const char *, Binary, const char *> binaries[] = {
      {"eq", &B::Eq, "lhs == rhs: PRED, as the other comparisons."},
      {"ne", &B::Ne, "lhs != rhs"},
      {"ge", &B::Ge, "lhs >= rhs"},
      {"gt", &B::Gt, "lhs > rhs"},
      {"le", &B::Le, "lhs <= rhs"},
      {"lt", &B::Lt, "lhs < rhs"},
      {"add", &B::Add, "lhs + rhs; integers wrap around."},
      {"sub", &B::Sub, "lhs - rhs"},
      {"mul", &B::Mul, "lhs * rhs"},
      {"div", &B::Div, "lhs / rhs; of integers truncated, by zero all bits set."},
      {"rem", &B::Rem, "The remainder, with the dividend's sign."},
      {"max", &B::Max, "The larger; NaN if an operand is NaN."},
      {"min", &B::Min, "The smaller; NaN if an operand is NaN."}};
  for (const auto &[name, method, text] : binaries)
    builder.def(name, enqueue(method), "lhs"_a, "rhs"_a, "broadcast_dimensions"_a = nb::list(), text);
  const std::tuple<const char *, Handle (B::*)(const Handle &, At), const char *> unaries[] = {
      {"exp", &B::Exp, "e to the power of the operand."},
      {"floor", &B::Floor, "Rounded down."},
      {"ceil", &B::Ceil, "Rounded up."},
      {"log", &B::Log, "The natural logarithm."},
      {"tanh", &B::Tanh, "The hyperbolic tangent."},
      {"sqrt_f32", &B::SqrtF32, "The square root, of F32."},
      {"square_f32", &B::SquareF32, "The square, of F32."},
      {"reciprocal_f32", &B::ReciprocalF32, "1 / x, of F32."},
      {"neg", &B::Neg, "-x"}};
  for (const auto &[name, method, text] : unaries)
    builder.def(name, enqueue(method), "operand"_a, text);
  builder.def("pow", enqueue(&B::Pow), "lhs"_a, "rhs"_a, "lhs to the power of rhs.")
      .def("clamp", enqueue(&B::Clamp), "min"_a, "operand"_a, "max"_a, "At least min, and then at most max.")
      .def("convert_element_type", enqueue(&B::ConvertElementType), "operand"_a, "new_element_type"_a,
           "Converted: to the nearest, ties to even; floats to integers toward zero, saturating.")
      .def("reduce_precision", enqueue(&B::ReducePrecision), "operand"_a, "exponent_bits"_a, "mantissa_bits"_a,
           "Each float rounded to one with so many bits.")
      .def("map", enqueue(&B::Map), "operands"_a, "computation"_a, "static_operands"_a = nb::list(),
           "The computation applied to the elements at each index.");
}

void addWindows(nb::class_<BuilderObject> &builder) {
  auto reduceWindow = enqueue(static_cast<Handle (B::*)(const Handle &, const Handle &, const xla::Computation &, Sizes,
                                                        Sizes, xla::Padding, At)>(&B::ReduceWindow));
  builder.def("dot", enqueue(&B::Dot), "lhs"_a, "rhs"_a, "As numpy.dot.")
      .def("reduce", enqueue(&B::Reduce), "operand"_a, "init_value"_a, "computation"_a, "dimensions_to_reduce"_a,
           "Combines the elements along some dimensions.")
      .def("reduce_window", reduceWindow, "operand"_a, "init_value"_a, "computation"_a, "window_dimensions"_a,
           "window_strides"_a, "padding"_a, "Combines the elements of windows.")
      .def("reduce_window_with_general_padding", enqueue(&B::ReduceWindowWithGeneralPadding), "operand"_a,
           "init_value"_a, "computation"_a, "window_dimensions"_a, "window_strides"_a, "padding"_a,
           "The same with (low, high) for each dimension.")
      .def("select_and_scatter", enqueue(&B::SelectAndScatter), "operand"_a, "select"_a, "window_dimensions"_a,
           "window_strides"_a, "padding"_a, "source"_a, "init_value"_a, "scatter"_a,
           "Adds, by scatter, each element of source where select chooses one in its window of the operand.")
      .def("select_and_scatter_with_general_padding", enqueue(&B::SelectAndScatterWithGeneralPadding), "operand"_a,
           "select"_a, "window_dimensions"_a, "window_strides"_a, "padding"_a, "source"_a, "init_value"_a, "scatter"_a,
           "The same with (low, high) for each dimension.")
      .def("conv", enqueue(&B::Conv), "lhs"_a, "rhs"_a, "window_strides"_a, "padding"_a,
           "Convolution in two dimensions: input [batch, feature, height, width], kernel [output feature, input "
           "feature, height, width].")
      .def("conv_with_general_padding", enqueue(&B::ConvWithGeneralPadding), "lhs"_a, "rhs"_a, "window_strides"_a,
           "padding"_a, "The same with (low, high) for each of the two dimensions.")
      .def("conv_with_general_dimensions", enqueue(&B::ConvWithGeneralDimensions), "lhs"_a, "rhs"_a, "window_strides"_a,
           "padding"_a, "dimension_numbers"_a, "The same with dimension numbers of one's own.")
      .def("conv_general", enqueue(&B::ConvGeneral), "lhs"_a, "rhs"_a, "window_strides"_a, "padding"_a,
           "dimension_numbers"_a, "The same with both.")
      .def_static("create_default_conv_dimension_numbers", &B::CreateDefaultConvDimensionNumbers)
      .def_static(
          "create_conv_dimension_numbers",
          [](int64_t batch, int64_t feature, int64_t first, int64_t second, int64_t output, int64_t input,
             int64_t kernelFirst, int64_t kernelSecond) {
            return check(
                B::CreateConvDimensionNumbers(batch, feature, first, second, output, input, kernelFirst, kernelSecond));
          },
          "batch"_a, "feature"_a, "first_spatial"_a, "second_spatial"_a, "kernel_output_feature"_a,
          "kernel_input_feature"_a, "kernel_first_spatial"_a, "kernel_second_spatial"_a,
          "For conv_general: which dimension is what, for the input and for the kernel a permutation of 0 to 3.");
}

void addEffects(nb::class_<BuilderObject> &builder) {
  builder
      .def("rng_normal", enqueue(&B::RngNormal), "mu"_a, "sigma"_a, "shape"_a,
           "Normal random numbers, F32. Without a seed (Client.execute) they differ by execution.")
      .def("rng_uniform", enqueue(&B::RngUniform), "a"_a, "b"_a, "shape"_a, "Uniform in [a, b).")
      .def("rng_bernoulli", enqueue(&B::RngBernoulli), "mean"_a, "shape"_a, "1 with the probability mean, else 0: U32.")
      .def("while_", enqueue(&B::While), "condition"_a, "body"_a, "init"_a,
           "Applies body to init for as long as condition holds of the value.")
      .def("infeed", enqueue(&B::Infeed), "shape"_a, "Reads an item of that shape from the device's infeed.")
      .def("custom_call_op", enqueue(&B::CustomCallOp), "call_target_name"_a, "operands"_a, "shape"_a,
           "Calls the function registered under a name.")
      .def(
          "trace",
          [](const BuilderObject &self, const std::string &tag, const ValueObject &operand) {
            PythonPlace place;
            self.builder->Trace(tag, operand.handle, place.at());
            self.checkNoError();
          },
          "tag"_a, "operand"_a, "Logs the tag and the operand whenever the computation runs (set_trace_sink).");
}

} // namespace

void addOperations(nb::class_<BuilderObject> &builder) {
  addPlaces(builder);
  addElementwise(builder);
  addWindows(builder);
  addEffects(builder);
}

} // namespace tenon::python
