// Reductions, over dimensions and windows, and Map (xla-preview-2017: Map, Reduce, ReduceWindow, SelectAndScatter).
#include "tenon/frontend/builder/broadcast.h"
#include "tenon/frontend/builder/windows.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::asArrayRef;
using internal::Call;
using internal::listText;
using internal::Node;
using internal::Signature;
using Handle = ComputationDataHandle;
using PairList = llvm::ArrayRef<std::pair<int64, int64>>;

namespace internal {

int64 windowCount(int64 size, int64 window, int64 stride, int64 paddingLow, int64 paddingHigh) {
  int64 padded = size + paddingLow + paddingHigh;
  return padded < window || padded <= 0 ? 0 : (padded - window) / stride + 1;
}

mlir::DenseIntElementsAttr paddingAttr(mlir::Builder &builder, PairList padding) {
  llvm::SmallVector<int64> values;
  for (const auto &[low, high] : padding) {
    values.push_back(low);
    values.push_back(high);
  }
  auto type = mlir::RankedTensorType::get({static_cast<int64>(padding.size()), 2}, builder.getI64Type());
  return mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64>(values));
}

} // namespace internal

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
  Shape result = operand.shape;
  for (int d = 0; d < result.dimensions_size(); ++d)
    result.set_dimensions(d, internal::windowCount(result.dimensions(d), windows.sizes[d], windows.strides[d],
                                                   padding[d].first, padding[d].second));
  mlir::RankedTensorType resultType = call.type(result, "the result");
  if (!resultType)
    return {};
  auto &ops = call.ops();
  auto op = sh::ReduceWindowOp::create(
      ops, mlir::TypeRange{resultType}, mlir::ValueRange{operand.leaves[0]}, mlir::ValueRange{initValue.leaves[0]},
      ops.getDenseI64ArrayAttr(asArrayRef(windows.sizes)), ops.getDenseI64ArrayAttr(asArrayRef(windows.strides)),
      /*base_dilations=*/nullptr, /*window_dilations=*/nullptr, internal::paddingAttr(ops, padding));
  embed(call, computation, op.getBody());
  return call.result(op.getResult(0));
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
  auto &ops = call.ops();
  auto op = sh::SelectAndScatterOp::create(
      ops, s.operand->leaves[0].getType(), s.operand->leaves[0], s.source->leaves[0], s.initValue->leaves[0],
      ops.getDenseI64ArrayAttr(asArrayRef(windows.sizes)), ops.getDenseI64ArrayAttr(asArrayRef(windows.strides)),
      internal::paddingAttr(ops, padding));
  embed(call, s.select, op.getSelect());
  embed(call, s.scatter, op.getScatter());
  return call.result(op.getResult());
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
  llvm::SmallVector<int64> dimensions(asArrayRef(dimensions_to_reduce)), sizes;
  llvm::sort(dimensions);
  for (int d = 0; d < node->shape.dimensions_size(); ++d)
    if (!llvm::is_contained(dimensions, d))
      sizes.push_back(node->shape.dimensions(d));
  auto resultType = mlir::cast<mlir::RankedTensorType>(node->leaves[0].getType()).clone(sizes);
  auto op = sh::ReduceOp::create(call.ops(), mlir::TypeRange{resultType}, mlir::ValueRange{node->leaves[0]},
                                 mlir::ValueRange{init->leaves[0]}, dimensions);
  embed(call, computation, op.getBody());
  return call.result(op.getResult(0));
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
  return reduceWindow(call, *node, *init, computation, windows, {padding.data(), padding.size()});
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
  return selectAndScatter(call, {node, from, init, select, scatter}, windows, {padding.data(), padding.size()});
}

Handle ComputationBuilder::Map(Handles operands, const Computation &computation, Handles static_operands, At at) {
  Call call(*state_, "Map", at);
  if (operands.empty())
    return call.fail("there must be at least one operand");
  llvm::SmallVector<mlir::Value> values, statics;
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
  first.set_element_type(signature.result.element_type());
  mlir::RankedTensorType type = call.type(first, "the result");
  auto dimensions = llvm::to_vector(llvm::seq<int64>(0, first.dimensions_size()));
  auto op = sh::MapOp::create(call.ops(), type, values, dimensions);
  embed(call, computation, op.getComputation());
  // The static operands are values of the enclosing computation.
  mlir::Block &block = op.getComputation().front();
  for (auto [argument, value] : llvm::zip(block.getArguments().drop_front(values.size()), statics))
    argument.replaceAllUsesWith(value);
  block.eraseArguments(values.size(), block.getNumArguments() - values.size());
  return call.result(op.getResult());
}

} // namespace tenon::xla_2017
