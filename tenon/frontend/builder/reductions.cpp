// Reductions, over dimensions and windows, and Map (xla-preview-2017: Map, Reduce, ReduceWindow, SelectAndScatter).
#include "tenon/frontend/builder/call.h"
#include "tenon/frontend/builder/windows.h"
#include "tenon/ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace tenon::xla_2017 {

using internal::Call;
using internal::listText;
using internal::Node;
using internal::regionOf;
using internal::Signature;
using Handle = ComputationDataHandle;
using PairList = gtl::ArraySlice<std::pair<int64, int64>>;

namespace {

// A computation of two scalars of T, to T or, as a comparison, to PRED.
bool checkBinary(Call &call, const Computation &computation, PrimitiveType type, PrimitiveType result,
                 const char *what) {
  Shape scalar = ShapeUtil::MakeShape(type, {});
  return checkComputation(call, computation, {{scalar, scalar}, ShapeUtil::MakeShape(result, {})}, what);
}

bool checkInitValue(Call &call, const Node &operand, const Node &initValue) {
  if (operand.shape.element_type() != initValue.shape.element_type())
    call.fail("init_value must be of the element type of " + ShapeUtil::HumanString(operand.shape) + ", and is " +
              ShapeUtil::HumanString(initValue.shape));
  return !call.failed();
}

struct Windows {
  gtl::ArraySlice<int64> sizes, strides;
};

bool checkWindows(Call &call, const Node &operand, const Windows &windows) {
  int64 rank = operand.shape.dimensions_size();
  if (!call.checkCount(windows.sizes.size(), rank, "window_dimensions") ||
      !call.checkCount(windows.strides.size(), rank, "window_strides"))
    return false;
  for (int64 d = 0; d < rank; ++d)
    if (windows.sizes[d] < 1 || windows.strides[d] < 1)
      call.fail("window_dimensions " + listText(windows.sizes) + " and window_strides " + listText(windows.strides) +
                " must be at least 1");
  return !call.failed();
}

std::vector<std::pair<int64, int64>> paddingOf(const Node &operand, const Windows &windows, Padding padding) {
  return MakePadding(ShapeUtil::Dimensions(operand.shape), windows.sizes, windows.strides, padding);
}

Handle reduceWindow(Call &call, const Node &operand, const Node &initValue, const Computation &computation,
                    const Windows &windows, PairList padding) {
  PrimitiveType type = operand.shape.element_type();
  if (!checkInitValue(call, operand, initValue) || !checkBinary(call, computation, type, type, "computation") ||
      !call.checkCount(padding.size(), operand.shape.dimensions_size(), "padding"))
    return {};
  ops::ReduceWindowOptions options;
  options.window_strides = windows.strides.toVector();
  options.padding = internal::paddingOf(padding);
  return call.result(
      ops::reduce_window(operand.leaves[0], initValue.leaves[0], windows.sizes, regionOf(call, computation), options));
}

struct Scattering {
  const Node *operand, *source, *initValue;
  const Computation &select, &scatter;
};

Handle selectAndScatter(Call &call, const Scattering &s, const Windows &windows, PairList padding) {
  PrimitiveType type = s.operand->shape.element_type();
  if (!checkInitValue(call, *s.operand, *s.initValue) || !checkBinary(call, s.select, type, PRED, "select") ||
      !checkBinary(call, s.scatter, type, type, "scatter") ||
      !call.checkCount(padding.size(), s.operand->shape.dimensions_size(), "padding"))
    return {};
  ops::SelectAndScatterOptions options;
  options.window_dimensions = windows.sizes.toVector();
  options.window_strides = windows.strides.toVector();
  options.padding = internal::paddingOf(padding);
  return call.result(ops::select_and_scatter(s.operand->leaves[0], s.source->leaves[0], s.initValue->leaves[0],
                                             regionOf(call, s.select), regionOf(call, s.scatter), options));
}

} // namespace

Handle ComputationBuilder::Reduce(const Handle &operand, const Handle &init_value, const Computation &computation,
                                  Sizes dimensions_to_reduce, At at) {
  Call call(*state_, "Reduce", at);
  const Node *node = call.array(operand, "operand"), *init = call.scalar(init_value, "init_value");
  if (!node || !init)
    return {};
  PrimitiveType type = node->shape.element_type();
  if (!checkInitValue(call, *node, *init) ||
      !call.checkDimensions(dimensions_to_reduce, node->shape.dimensions_size(), "dimensions_to_reduce") ||
      !checkBinary(call, computation, type, type, "computation"))
    return {};
  std::vector<int64> dimensions = dimensions_to_reduce.toVector();
  llvm::sort(dimensions);
  return call.result(ops::reduce(node->leaves[0], init->leaves[0], dimensions, regionOf(call, computation)));
}

Handle ComputationBuilder::ReduceWindow(const Handle &operand, const Handle &init_value, const Computation &computation,
                                        Sizes window_dimensions, Sizes window_strides, Padding padding, At at) {
  Call call(*state_, "ReduceWindow", at);
  const Node *node = call.array(operand, "operand"), *init = call.scalar(init_value, "init_value");
  Windows windows{window_dimensions, window_strides};
  if (!node || !init || !checkWindows(call, *node, windows))
    return {};
  return reduceWindow(call, *node, *init, computation, windows, paddingOf(*node, windows, padding));
}

Handle ComputationBuilder::ReduceWindowWithGeneralPadding(const Handle &operand, const Handle &init_value,
                                                          const Computation &computation, Sizes window_dimensions,
                                                          Sizes window_strides, Pairs padding, At at) {
  Call call(*state_, "ReduceWindowWithGeneralPadding", at);
  const Node *node = call.array(operand, "operand"), *init = call.scalar(init_value, "init_value");
  Windows windows{window_dimensions, window_strides};
  if (!node || !init || !checkWindows(call, *node, windows))
    return {};
  return reduceWindow(call, *node, *init, computation, windows, padding);
}

Handle ComputationBuilder::SelectAndScatter(const Handle &operand, const Computation &select, Sizes window_dimensions,
                                            Sizes window_strides, Padding padding, const Handle &source,
                                            const Handle &init_value, const Computation &scatter, At at) {
  Call call(*state_, "SelectAndScatter", at);
  const Node *node = call.array(operand, "operand"), *from = call.array(source, "source"),
             *init = call.scalar(init_value, "init_value");
  Windows windows{window_dimensions, window_strides};
  if (!node || !from || !init || !checkWindows(call, *node, windows))
    return {};
  return selectAndScatter(call, {node, from, init, select, scatter}, windows, paddingOf(*node, windows, padding));
}

Handle ComputationBuilder::SelectAndScatterWithGeneralPadding(const Handle &operand, const Computation &select,
                                                              Sizes window_dimensions, Sizes window_strides,
                                                              Pairs padding, const Handle &source,
                                                              const Handle &init_value, const Computation &scatter,
                                                              At at) {
  Call call(*state_, "SelectAndScatterWithGeneralPadding", at);
  const Node *node = call.array(operand, "operand"), *from = call.array(source, "source"),
             *init = call.scalar(init_value, "init_value");
  Windows windows{window_dimensions, window_strides};
  if (!node || !from || !init || !checkWindows(call, *node, windows))
    return {};
  return selectAndScatter(call, {node, from, init, select, scatter}, windows, padding);
}

Handle ComputationBuilder::Map(Handles operands, const Computation &computation, Handles static_operands, At at) {
  Call call(*state_, "Map", at);
  if (operands.empty())
    return call.fail("there must be at least one operand");
  Values values, statics;
  Signature signature;
  Shape first;
  for (const Handle &operand : operands) {
    const Node *node = call.array(operand, "an operand");
    if (!node)
      return {};
    if (values.empty())
      first = node->shape;
    if (!ShapeUtil::SameDimensions(first, node->shape))
      return call.fail("the operands must have the same sizes: " + ShapeUtil::HumanString(first) + " and " +
                       ShapeUtil::HumanString(node->shape));
    values.push_back(node->leaves[0]);
    signature.parameters.push_back(ShapeUtil::MakeShape(node->shape.element_type(), {}));
  }
  for (const Handle &operand : static_operands) {
    const Node *node = call.value(operand, "a static operand");
    if (!node)
      return {};
    llvm::append_range(statics, node->leaves);
    signature.parameters.push_back(node->shape);
  }
  if (!computation.IsNull() && !ShapeUtil::IsScalar(computation.program_shape().result()))
    return call.fail("computation must return a scalar");
  if (!computation.IsNull())
    signature.result = computation.program_shape().result();
  if (!checkComputation(call, computation, signature, "computation"))
    return {};
  auto dimensions = llvm::to_vector(llvm::seq<int64>(0, first.dimensions_size()));
  // The static operands are values of the enclosing computation.
  auto body = [&](Span<Value> elements) {
    Values arguments(elements.toVector());
    llvm::append_range(arguments, statics);
    return embed(call, computation, arguments);
  };
  return call.result(ops::map(values, dimensions, body));
}

} // namespace tenon::xla_2017
