// Builds computations, operation by operation (xla-preview-2017, "Operation Semantics" and "C++ interface";
// xla-operation-semantics for what it adds).
//
//   ComputationBuilder builder(client, "axpy");
//   auto axpy = builder.Add(builder.Mul(alpha, x), y);
//   auto computation = builder.Build();
//
// Each method that enqueues an operation infers the shape of its result, checks the operands, and returns a handle. An
// error is kept, with the place of the call, and Build returns the first; what is enqueued after it has no effect (or
// the process ends: set_die_immediately_on_error). The result of a computation is the last expression enqueued, unless
// SetReturnValue chose another.
//
// Binary operations take operands of equal element types whose shapes are equal, or one of which is a scalar, or that
// have equal ranks and in each dimension equal sizes or a size of 1 ("degenerate"), or of different ranks, where
// broadcast_dimensions tells for each dimension of the lower rank which one of the higher rank it is, in strictly
// increasing order; sizes that meet are equal or one of them is 1 (section "Broadcasting semantics").
//
// Below, T is an element type, and "scalar" an array of rank 0. The last parameter of each method, `at`, is where the
// call is: leave it. Each comment ends with the section of xla-preview-2017 that the method follows, or of
// xla-operation-semantics where that is said.
#pragma once

#include "tenon/client.h"
#include "tenon/padding.h"
#include "tenon/source_location.h"
#include "tenon/xla_namespace.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tenon::xla_2017 {

namespace internal {
class BuilderState;
} // namespace internal

// A value of a computation that is being built, of use to the builder that returned it, and copied at will. One that
// was default-constructed stands for no value. ("C++ interface")
class ComputationDataHandle {
public:
  ComputationDataHandle() = default;

private:
  friend class internal::BuilderState;
  uint64 builder_ = 0;
  int64 index_ = -1;
};

// One computation while it is being built. Not synchronised: a builder and its sub-builders are used by one thread at a
// time. ("C++ interface")
class TENON_API ComputationBuilder {
  using Handle = ComputationDataHandle;
  using At = SourceLocation;
  using Sizes = gtl::ArraySlice<int64>;
  using Handles = gtl::ArraySlice<ComputationDataHandle>;
  using Pairs = gtl::ArraySlice<std::pair<int64, int64>>;

public:
  // client: must not be null, and outlives the builder. computation_name: names it in errors, reports and profiles.
  // ("C++ interface")
  ComputationBuilder(Client *client, const string &computation_name);
  // Frees what has not been built. ("C++ interface")
  ~ComputationBuilder();
  ComputationBuilder(const ComputationBuilder &) = delete;
  ComputationBuilder &operator=(const ComputationBuilder &) = delete;

  // The client given. ("C++ interface")
  Client *client() { return client_; }
  // The computation's name. ("C++ interface")
  const string &name() { return name_; }

  // Whether an error ends the process at the call that makes it, rather than being returned by Build. Sub-builders
  // made afterwards do the same. ("C++ interface")
  void set_die_immediately_on_error(bool enabled);

  // The first error so far; OK where there is none. (Not in the documents.)
  Status first_error() const;

  //===- Parameters, constants, shapes --------------------------------------------------------------------------===//

  // The argument of that number, of that shape (a tuple, too). A number that is taken, or negative, is an error; gaps
  // are one of Build. ("C++ interface")
  Handle Parameter(int64 parameter_number, const Shape &shape, const string &name, At at = At::current());

  // The inferred shape of a value. INVALID_ARGUMENT for a handle that is not this builder's, or came of an error.
  // ("C++ interface")
  StatusOr<std::unique_ptr<Shape>> GetShape(const Handle &operand);

  // Returns the operand if it has that shape, layout aside; ends the process if not (a CHECK). ("C++ interface")
  Handle CheckShape(const Handle &operand, const Shape &expected_shape, At at = At::current());

  // Ends the process if the shapes differ (a CHECK). ("C++ interface")
  void CheckSameShape(const Handle &lhs, const Handle &rhs, At at = At::current());

  // A constant: an array of any layout, or a tuple. ("C++ interface")
  Handle ConstantLiteral(const Literal &literal, At at = At::current());

  // A scalar. NativeT is one of the types of NativeToPrimitiveType (types.h): bool, int32, ..., float, double.
  // ("C++ interface")
  template <typename NativeT> Handle ConstantR0(NativeT value, At at = At::current()) {
    return ConstantLiteral(LiteralUtil::CreateR0<NativeT>(value), at);
  }

  // A vector; it may be empty. ("C++ interface")
  template <typename NativeT> Handle ConstantR1(gtl::ArraySlice<NativeT> values, At at = At::current()) {
    return ConstantLiteral(LiteralUtil::CreateR1<NativeT>(values), at);
  }

  // A matrix, row by row. Rows of different lengths are an error. ("C++ interface")
  template <typename NativeT>
  Handle ConstantR2(std::initializer_list<std::initializer_list<NativeT>> values, At at = At::current()) {
    for (const auto &row : values)
      if (row.size() != values.begin()->size())
        return Fail("ConstantR2", "the rows have different lengths", at);
    return ConstantLiteral(LiteralUtil::CreateR2<NativeT>(values), at);
  }

  // A matrix of the host's: its sizes, and its elements. ("C++ interface")
  template <typename NativeT> Handle ConstantR2FromArray2D(const Array2D<NativeT> &values, At at = At::current()) {
    return ConstantLiteral(LiteralUtil::CreateR2FromArray2D(values), at);
  }

  // An array of rank 3 of the host's: its sizes, and its elements. ("C++ interface")
  template <typename NativeT> Handle ConstantR3FromArray3D(const Array3D<NativeT> &values, At at = At::current()) {
    return ConstantLiteral(LiteralUtil::CreateR3FromArray3D(values), at);
  }

  // An array of rank 4 of the host's: its sizes, and its elements. ("C++ interface")
  template <typename NativeT> Handle ConstantR4FromArray4D(const Array4D<NativeT> &values, At at = At::current()) {
    return ConstantLiteral(LiteralUtil::CreateR4FromArray4D(values), at);
  }

  // A vector of `length` elements of that value. A negative length is an error. ("C++ interface")
  template <typename NativeT> Handle ConstantR1(int64 length, NativeT value, At at = At::current()) {
    if (length < 0)
      return Fail("ConstantR1", "there is no vector of " + std::to_string(length) + " elements", at);
    return Broadcast(ConstantR0<NativeT>(value, at), {length}, at);
  }

  //===- Places of elements: no arithmetic ----------------------------------------------------------------------===//

  // New dimensions on the left, of those sizes (not negative): output[i0, .., iN, j0, .., jM] = operand[j0, .., jM].
  // None: the operand itself. ("Broadcast")
  Handle Broadcast(const Handle &operand, Sizes broadcast_sizes, At at = At::current());

  // Puts padding_value, a scalar of T, at the edges and between elements, as padding_config says with an entry for each
  // dimension. Negative edges take elements away, and must leave a size; interior padding is not negative. ("Pad")
  Handle Pad(const Handle &operand, const Handle &padding_value, const PaddingConfig &padding_config,
             At at = At::current());

  // Lays the elements out in the order of dimensions given, slowest first (a permutation of all of them), and cuts that
  // into new_sizes, whose product is that of the operand's sizes. ("Reshape"; its examples out of order are those of
  // xla-operation-semantics, inventory X-05)
  Handle Reshape(const Handle &operand, Sizes dimensions, Sizes new_sizes, At at = At::current());

  // The same in the order 0, .., N-1. (xla-operation-semantics, "Reshape")
  Handle Reshape(const Handle &operand, Sizes new_sizes, At at = At::current());

  // Merges consecutive dimensions, given in increasing order, into one that takes their place; the first varies
  // slowest. Fewer than two: the operand itself. ("Collapse")
  Handle Collapse(const Handle &operand, Sizes dimensions, At at = At::current());

  // The box from start_indices to before limit_indices, with an entry for each dimension: 0 <= start < limit <= size.
  // ("Slice")
  Handle Slice(const Handle &operand, Sizes start_indices, Sizes limit_indices, At at = At::current());

  // A box of size_indices elements whose start is computed: start_indices is a vector of integers with an entry for
  // each dimension. 0 < size <= the operand's size. Coordinates count modulo the operand's sizes, so that what leaves
  // the operand at its end continues at its beginning. (xla-operation-semantics, "DynamicSlice")
  Handle DynamicSlice(const Handle &operand, const Handle &start_indices, Sizes size_indices, At at = At::current());

  // The operand with a box overwritten by update, of the same rank and T, where start_indices says; coordinates count
  // modulo the operand's sizes (inventory X-15). 0 < update's size <= the operand's. (xla-operation-semantics,
  // "DynamicUpdateSlice")
  Handle DynamicUpdateSlice(const Handle &operand, const Handle &update, const Handle &start_indices,
                            At at = At::current());

  // Joins at least one array, in order, along a dimension. T, the rank (not 0) and the other sizes are equal.
  // ("Concatenate")
  Handle ConcatInDim(Handles operands, int64 dimension, At at = At::current());

  // The transpose of a matrix: any other rank is an error. ("Trans")
  Handle Trans(const Handle &operand, At at = At::current());

  // Dimension i of the result is dimension permutation[i] of the operand: each of its dimensions once.
  // (xla-operation-semantics, "Transpose")
  Handle Transpose(const Handle &operand, Sizes permutation, At at = At::current());

  // Turns the order of elements around in those dimensions, each named once: i becomes N - 1 - i. ("Rev")
  Handle Rev(const Handle &operand, Sizes dimensions, At at = At::current());

  // on_true where pred (PRED) holds, on_false elsewhere: arrays of one shape; pred has it, too, or is a scalar. Or two
  // tuples of one shape, and a scalar. ("Select")
  Handle Select(const Handle &pred, const Handle &on_true, const Handle &on_false, At at = At::current());

  // A tuple of values; it may be empty. ("Tuple")
  Handle Tuple(Handles elements, At at = At::current());

  // An element of a tuple: 0 <= index < size. ("GetTupleElement")
  Handle GetTupleElement(const Handle &tuple_data, int64 index, At at = At::current());

  // Sorts along the last dimension, in increasing order; equal elements keep their order, -0 comes before +0 and NaN
  // last (inventory X-20). Neither a scalar nor complex. ("Sort")
  Handle Sort(const Handle &operand, At at = At::current());

  //===- Elementwise --------------------------------------------------------------------------------------------===//

  // For all comparisons and arithmetic of two operands: shapes and broadcast_dimensions are as at the head of this file
  // ("Broadcasting semantics"). Operands that are no arrays, of different T, or whose shapes do not fit are errors.

  // lhs == rhs, element by element, of any type; NaN equals nothing, -0 equals +0. PRED.
  // ("Element-wise comparison operations")
  Handle Eq(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs != rhs, element by element, of any type; NaN differs from everything. PRED.
  // ("Element-wise comparison operations")
  Handle Ne(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs >= rhs, element by element: false where one is NaN; complex numbers have no order: an error. PRED.
  // ("Element-wise comparison operations")
  Handle Ge(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs > rhs, element by element: false where one is NaN; complex numbers have no order: an error. PRED.
  // ("Element-wise comparison operations")
  Handle Gt(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs < rhs, element by element: false where one is NaN; complex numbers have no order: an error. PRED.
  // ("Element-wise comparison operations")
  Handle Lt(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs <= rhs, element by element: false where one is NaN; complex numbers have no order: an error. PRED.
  // ("Element-wise comparison operations")
  Handle Le(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs + rhs: integers wrap around, PRED is or. ("Element-wise binary arithmetic operations")
  Handle Add(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs - rhs: integers wrap around; not of PRED. ("Element-wise binary arithmetic operations")
  Handle Sub(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs * rhs: integers wrap around, PRED is and. ("Element-wise binary arithmetic operations")
  Handle Mul(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs / rhs: integers truncate toward zero, and give all bits set where rhs is 0.
  // ("Element-wise binary arithmetic operations")
  Handle Div(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // What that division leaves, with the sign of lhs; for integers lhs itself where rhs is 0.
  // ("Element-wise binary arithmetic operations")
  Handle Rem(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // The greater one; NaN where an operand is NaN. ("Element-wise binary arithmetic operations")
  Handle Max(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // The smaller one; NaN where an operand is NaN. ("Element-wise binary arithmetic operations")
  Handle Min(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions = {}, At at = At::current());

  // lhs to the power of rhs. Broadcasts as the others do, but for broadcast_dimensions. ("C++ interface")
  Handle Pow(const Handle &lhs, const Handle &rhs, At at = At::current());

  // e to the power of each element: floats and complex numbers. ("Element-wise unary functions")
  Handle Exp(const Handle &operand, At at = At::current());

  // The greatest whole number that is not above: floats. ("Element-wise unary functions")
  Handle Floor(const Handle &operand, At at = At::current());

  // The least whole number that is not below: floats. ("Element-wise unary functions")
  Handle Ceil(const Handle &operand, At at = At::current());

  // The natural logarithm: floats and complex numbers. ("Element-wise unary functions")
  Handle Log(const Handle &operand, At at = At::current());

  // The hyperbolic tangent: floats and complex numbers. ("Element-wise unary functions")
  Handle Tanh(const Handle &operand, At at = At::current());

  // The square root, IEEE's: -0 of -0 (inventory X-27). F32 alone. ("C++ interface")
  Handle SqrtF32(const Handle &operand, At at = At::current());

  // x * x. F32 alone. ("C++ interface")
  Handle SquareF32(const Handle &operand, At at = At::current());

  // 1 / x (inventory X-26). F32 alone. ("C++ interface")
  Handle ReciprocalF32(const Handle &operand, At at = At::current());

  // -x. Not of PRED. ("Element-wise unary functions")
  Handle Neg(const Handle &operand, At at = At::current());

  // The operand, but at least min and then at most max: each a scalar of T, or of the operand's shape.
  // ("C++ interface")
  Handle Clamp(const Handle &min, const Handle &operand, const Handle &max, At at = At::current());

  // Each element converted: to the nearest, ties to even; floats to integers toward zero, saturating; to PRED whether
  // it is not zero (inventory X-28). A tuple is an error. ("ConvertElementType")
  Handle ConvertElementType(const Handle &operand, PrimitiveType new_element_type, At at = At::current());

  // Each float rounded to one with so many bits of exponent (at least 1) and mantissa (at least 0), ties to even;
  // beyond the range it becomes infinity, below it zero; NaN stays. (xla-operation-semantics, "ReducePrecision")
  Handle ReducePrecision(const Handle &operand, int exponent_bits, int mantissa_bits, At at = At::current());

  // computation applied to the elements of the operands, arrays of the same sizes, at each index: as many scalars, then
  // the static operands, the same for all. It returns a scalar. ("Map")
  Handle Map(Handles operands, const Computation &computation, Handles static_operands = {}, At at = At::current());

  //===- Sums, windows, convolutions ----------------------------------------------------------------------------===//

  // As numpy.dot: the last dimension of lhs with the last but one of rhs, or its only one; the result has what is left
  // of lhs, then of rhs. T is one, and a scalar goes only with a scalar. ("Dot", by its table: inventory)
  Handle Dot(const Handle &lhs, const Handle &rhs, At at = At::current());

  // Combines the elements along some dimensions (unique, in any order) by computation, of (T, T) to T, for which
  // init_value, a scalar, is neutral. It is applied in a tree whose shape is the implementation's, over the elements in
  // their order. ("Reduce")
  Handle Reduce(const Handle &operand, const Handle &init_value, const Computation &computation,
                Sizes dimensions_to_reduce, At at = At::current());

  // The same over windows: sizes and strides, at least 1, for each dimension. Padding counts as init_value.
  // ("ReduceWindow")
  Handle ReduceWindow(const Handle &operand, const Handle &init_value, const Computation &computation,
                      Sizes window_dimensions, Sizes window_strides, Padding padding, At at = At::current());

  // The same, with the arguments in the order of the documents' example (inventory X-08). ("ReduceWindow")
  Handle ReduceWindow(const Handle &operand, const Computation &computation, const Handle &init_value,
                      Sizes window_dimensions, Sizes window_strides, Padding padding, At at = At::current()) {
    return ReduceWindow(operand, init_value, computation, window_dimensions, window_strides, padding, at);
  }

  // The same with (low, high) for each dimension, as MakePadding returns it. ("C++ interface")
  Handle ReduceWindowWithGeneralPadding(const Handle &operand, const Handle &init_value, const Computation &computation,
                                        Sizes window_dimensions, Sizes window_strides, Pairs padding,
                                        At at = At::current());

  // In each window of the operand select, of (T, T) to PRED, chooses an element, called with the earlier one first;
  // there scatter, of (T, T) to T, combines the output, which begins as init_value, with the element of source for that
  // window, called with the output's value first. source has the shape that ReduceWindow would give. Padding is never
  // selected (inventory X-19). ("SelectAndScatter")
  Handle SelectAndScatter(const Handle &operand, const Computation &select, Sizes window_dimensions,
                          Sizes window_strides, Padding padding, const Handle &source, const Handle &init_value,
                          const Computation &scatter, At at = At::current());

  // The same with (low, high) for each dimension. ("C++ interface")
  Handle SelectAndScatterWithGeneralPadding(const Handle &operand, const Computation &select, Sizes window_dimensions,
                                            Sizes window_strides, Pairs padding, const Handle &source,
                                            const Handle &init_value, const Computation &scatter,
                                            At at = At::current());

  // The default dimension numbers of a convolution. ("C++ interface")
  static constexpr int64 kConvBatchDimension = 0;
  static constexpr int64 kConvFeatureDimension = 1;
  static constexpr int64 kConvFirstSpatialDimension = 2;
  static constexpr int64 kConvSecondSpatialDimension = 3;
  static constexpr int64 kConvKernelOutputDimension = 0;
  static constexpr int64 kConvKernelInputDimension = 1;
  static constexpr int64 kConvKernelFirstSpatialDimension = 2;
  static constexpr int64 kConvKernelSecondSpatialDimension = 3;

  // {batch, feature, height, width} = {0, 1, 2, 3} for the input, {output feature, input feature, height, width} =
  // {0, 1, 2, 3} for the kernel. ("C++ interface")
  static ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers();

  // INVALID_ARGUMENT for numbers that are not a permutation of 0 to 3, for the input or for the kernel.
  // ("C++ interface")
  static StatusOr<ConvolutionDimensionNumbers>
  CreateConvDimensionNumbers(int64 batch, int64 feature, int64 first_spatial, int64 second_spatial,
                             int64 kernel_output_feature, int64 kernel_input_feature, int64 kernel_first_spatial,
                             int64 kernel_second_spatial);

  // Convolution in two dimensions, of arrays of rank 4 and one T: lhs is the input, rhs the kernel, which is not turned
  // around. Two strides, at least 1; padding is zeros. The result is numbered as the input. ("Conv")
  Handle Conv(const Handle &lhs, const Handle &rhs, Sizes window_strides, Padding padding, At at = At::current());

  // The same with (low, high) for each of the two dimensions. ("ConvWithGeneralPadding", with the loop that defines it)
  Handle ConvWithGeneralPadding(const Handle &lhs, const Handle &rhs, Sizes window_strides, Pairs padding,
                                At at = At::current());

  // The same with dimension numbers of one's own. ("C++ interface")
  Handle ConvWithGeneralDimensions(const Handle &lhs, const Handle &rhs, Sizes window_strides, Padding padding,
                                   const ConvolutionDimensionNumbers &dimension_numbers, At at = At::current());

  // The same with both. ("C++ interface")
  Handle ConvGeneral(const Handle &lhs, const Handle &rhs, Sizes window_strides, Pairs padding,
                     const ConvolutionDimensionNumbers &dimension_numbers, At at = At::current());

  //===- Random numbers: others at each execution, unless ExecutionOptions::seed is given ----------------------===//

  // Normal, of mean mu and standard deviation sigma: F32 scalars, and an F32 shape. ("RngNormal")
  Handle RngNormal(const Handle &mu, const Handle &sigma, const Shape &shape, At at = At::current());

  // Uniform in [a, b): scalars and a shape of one type, F32, S32 or U32. (xla-operation-semantics, "RngUniform")
  Handle RngUniform(const Handle &a, const Handle &b, const Shape &shape, At at = At::current());

  // 1 with the probability mean, an F32 scalar, else 0: a U32 shape. ("RngBernoulli")
  Handle RngBernoulli(const Handle &mean, const Shape &shape, At at = At::current());

  //===- Control flow and effects -------------------------------------------------------------------------------===//

  // Applies body, of T to T, to init for as long as condition, of T to PRED, holds of the value; T may be a tuple.
  // Loops nest (inventory X-16). ("While")
  Handle While(const Computation &condition, const Computation &body, const Handle &init, At at = At::current());

  // Reads an item of that shape (an array, or a tuple of arrays) from the device's infeed. An empty tuple reads
  // nothing. Where a computation has several, there must be a total order among them by the data that flows: anything
  // else is an error of Build. A tuple within the tuple is an error. ("Infeed")
  Handle Infeed(const Shape &shape, At at = At::current());

  // Whenever the computation runs it logs the tag and the operand. The result of the computation stays what it is.
  // ("C++ interface")
  void Trace(const string &tag, const Handle &operand, At at = At::current());

  // Calls the function registered under a name (custom_call.h) with the operands, of which it makes a value of that
  // shape; operands are row-major, the result has its arrays' elements in the order of the shape's layouts. Padding is
  // an error; a name that nothing is registered under is one of the compilation. ("C++ interface")
  Handle CustomCallOp(tensorflow::StringPiece call_target_name, Handles operands, const Shape &shape,
                      At at = At::current());

  //===- Results ------------------------------------------------------------------------------------------------===//

  // The value now, of one that does not depend on a parameter; random numbers count as constants. The handle is of this
  // builder. In the layout given, or row-major. INVALID_ARGUMENT for one that depends on a parameter, and for other
  // handles. ("C++ interface")
  StatusOr<std::unique_ptr<GlobalData>> ComputeConstant(const Handle &handle, const Layout *output_layout = nullptr);

  // A builder for a computation that only this builder uses. It ends the process on errors if this one does.
  // ("C++ interface")
  std::unique_ptr<ComputationBuilder> CreateSubBuilder(const string &computation_name);

  // Makes a value the result. What is enqueued afterwards does not count, unless this is called again. An error, which
  // Build returns too, for a handle that is not this builder's. ("C++ interface")
  Status SetReturnValue(const Handle &operand, At at = At::current());

  // The computation, or the first error. A builder without any expression is an error. ("C++ interface")
  StatusOr<std::unique_ptr<Computation>> Build();

  // As Build, for a sub-builder: after an error, notes it in the parent and returns the empty computation; operations
  // that use it are errors of no account. Any other builder keeps an error for first_error. ("C++ interface")
  std::unique_ptr<Computation> BuildAndNoteError();

private:
  friend class internal::BuilderState;

  ComputationBuilder(Client *client, const string &computation_name, internal::BuilderState *parent);
  Handle Fail(const char *method, const string &message, At at);

  Client *client_;
  string name_;
  std::unique_ptr<internal::BuilderState> state_;
};

} // namespace tenon::xla_2017
