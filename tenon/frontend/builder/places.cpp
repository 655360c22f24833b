// Operations that move elements (xla-preview-2017: Broadcast, Collapse, Concatenate, Pad, Reshape, Rev, Slice, Trans;
// xla-operation-semantics: Reshape, Transpose).
#include "tenon/frontend/builder/broadcast.h"
#include "tenon/ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::xla_2017 {

using internal::broadcastTo;
using internal::Call;
using internal::listText;
using internal::Node;
using Handle = ComputationDataHandle;

namespace {

Value transposed(const Value &value, gtl::ArraySlice<int64> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64>(0, static_cast<int64>(permutation.size()))))
    return value;
  return ops::transpose(value, permutation);
}

// A shape of an operand's element type.
Shape resized(const Node &operand, gtl::ArraySlice<int64> sizes) {
  return ShapeUtil::MakeShape(operand.shape.element_type(), sizes);
}

Handle reshape(Call &call, const Node &operand, gtl::ArraySlice<int64> dimensions, gtl::ArraySlice<int64> sizes) {
  int64 rank = operand.shape.dimensions_size();
  if (!call.checkCount(dimensions.size(), rank, "dimensions") || !call.checkDimensions(dimensions, rank, "dimensions"))
    return {};
  Shape shape = resized(operand, sizes);
  if (!call.checkArray(shape, "new_sizes"))
    return {};
  if (ShapeUtil::ElementsIn(shape) != ShapeUtil::ElementsIn(operand.shape))
    return call.fail("new_sizes " + listText(sizes) + " make " + std::to_string(ShapeUtil::ElementsIn(shape)) +
                     " elements, and " + ShapeUtil::HumanString(operand.shape) + " has " +
                     std::to_string(ShapeUtil::ElementsIn(operand.shape)));
  Value ordered = transposed(operand.leaves[0], dimensions);
  if (ordered.sizes() == sizes.toVector())
    return call.result(ordered);
  return call.result(ops::reshape(ordered, {ordered.elementType(), sizes}));
}

} // namespace

Handle ComputationBuilder::Broadcast(const Handle &operand, Sizes broadcast_sizes, At at) {
  Call call(*state_, "Broadcast", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  llvm::SmallVector<int64> sizes(broadcast_sizes.begin(), broadcast_sizes.end());
  llvm::append_range(sizes, node->shape.dimensions());
  if (!call.checkShape(resized(*node, sizes), "broadcast_sizes"))
    return {};
  auto first = static_cast<int64>(broadcast_sizes.size());
  auto dimensions = llvm::to_vector(llvm::seq<int64>(first, static_cast<int64>(sizes.size())));
  return call.result(broadcastTo(node->leaves[0], dimensions, sizes));
}

Handle ComputationBuilder::Pad(const Handle &operand, const Handle &padding_value, const PaddingConfig &padding_config,
                               At at) {
  Call call(*state_, "Pad", at);
  const Node *node = call.array(operand, "operand"), *value = call.scalar(padding_value, "padding_value");
  if (!node || !value ||
      !call.checkCount(padding_config.dimensions_size(), node->shape.dimensions_size(), "padding_config"))
    return {};
  if (value->shape.element_type() != node->shape.element_type())
    return call.fail("padding_value must be of the element type of " + ShapeUtil::HumanString(node->shape) +
                     ", and is " + ShapeUtil::HumanString(value->shape));
  llvm::SmallVector<int64> low, high, interior;
  Shape result = node->shape;
  for (auto [d, dimension] : llvm::enumerate(padding_config.dimensions())) {
    low.push_back(dimension.edge_padding_low());
    high.push_back(dimension.edge_padding_high());
    interior.push_back(dimension.interior_padding());
    if (interior.back() < 0)
      return call.fail("interior_padding of dimension " + std::to_string(d) + " is negative");
    auto index = static_cast<int>(d);
    int64 size = result.dimensions(index), between = 0, sum = 0;
    if (llvm::MulOverflow(std::max<int64>(size - 1, 0), interior.back(), between) ||
        llvm::AddOverflow(size, between, sum) || llvm::AddOverflow(sum, low.back(), sum) ||
        llvm::AddOverflow(sum, high.back(), sum) || sum < 0)
      return call.fail("padding leaves dimension " + std::to_string(d) + " without a size");
    result.set_dimensions(index, sum);
  }
  if (!call.checkArray(result, "the result"))
    return {};
  return call.result(ops::pad(node->leaves[0], value->leaves[0], low, high, interior));
}

Handle ComputationBuilder::Reshape(const Handle &operand, Sizes dimensions, Sizes new_sizes, At at) {
  Call call(*state_, "Reshape", at);
  const Node *node = call.array(operand, "operand");
  return node ? reshape(call, *node, dimensions, new_sizes) : Handle();
}

Handle ComputationBuilder::Reshape(const Handle &operand, Sizes new_sizes, At at) {
  Call call(*state_, "Reshape", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  auto dimensions = llvm::to_vector(llvm::seq<int64>(0, node->shape.dimensions_size()));
  return reshape(call, *node, dimensions, new_sizes);
}

Handle ComputationBuilder::Collapse(const Handle &operand, Sizes dimensions, At at) {
  Call call(*state_, "Collapse", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  int64 rank = node->shape.dimensions_size();
  if (!call.checkDimensions(dimensions, rank, "dimensions"))
    return {};
  for (size_t i = 1; i < dimensions.size(); ++i)
    if (dimensions[i] != dimensions[i - 1] + 1)
      return call.fail("dimensions " + listText(dimensions) + " must be consecutive, in increasing order");
  if (dimensions.size() < 2)
    return call.same(*node);
  llvm::SmallVector<int64> sizes;
  for (int64 d = 0; d < rank; ++d) {
    int64 size = node->shape.dimensions(static_cast<int>(d));
    if (d > dimensions.front() && d <= dimensions.back())
      sizes.back() *= size;
    else
      sizes.push_back(size);
  }
  auto all = llvm::to_vector(llvm::seq<int64>(0, rank));
  return reshape(call, *node, all, sizes);
}

Handle ComputationBuilder::Slice(const Handle &operand, Sizes start_indices, Sizes limit_indices, At at) {
  Call call(*state_, "Slice", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  int64 rank = node->shape.dimensions_size();
  if (!call.checkCount(start_indices.size(), rank, "start_indices") ||
      !call.checkCount(limit_indices.size(), rank, "limit_indices"))
    return {};
  for (int64 d = 0; d < rank; ++d)
    if (start_indices[d] < 0 || start_indices[d] >= limit_indices[d] ||
        limit_indices[d] > node->shape.dimensions(static_cast<int>(d)))
      return call.fail("dimension " + std::to_string(d) + ": 0 <= start < limit <= size must hold, with start " +
                       std::to_string(start_indices[d]) + ", limit " + std::to_string(limit_indices[d]) + ", size " +
                       std::to_string(node->shape.dimensions(static_cast<int>(d))));
  std::vector<int64> strides(static_cast<size_t>(rank), 1);
  return call.result(ops::slice(node->leaves[0], start_indices, limit_indices, strides));
}

Handle ComputationBuilder::ConcatInDim(Handles operands, int64 dimension, At at) {
  Call call(*state_, "ConcatInDim", at);
  if (operands.empty())
    return call.fail("there must be at least one operand");
  Values values;
  for (const Handle &operand : operands) {
    const Node *node = call.array(operand, "an operand");
    if (!node)
      return {};
    values.push_back(node->leaves[0]);
  }
  Shape first = state_->find(operands[0])->shape;
  if (dimension < 0 || dimension >= first.dimensions_size())
    return call.fail("there is no dimension " + std::to_string(dimension) + " in " + ShapeUtil::HumanString(first));
  auto d = static_cast<int>(dimension);
  for (const Handle &operand : operands) {
    Shape shape = state_->find(operand)->shape;
    if (shape.dimensions_size() == first.dimensions_size())
      shape.set_dimensions(d, first.dimensions(d));
    if (!ShapeUtil::Compatible(shape, first))
      return call.fail(ShapeUtil::HumanString(first) + " and " + ShapeUtil::HumanString(state_->find(operand)->shape) +
                       " differ in more than dimension " + std::to_string(dimension));
  }
  return call.result(ops::concatenate(values, dimension));
}

Handle ComputationBuilder::Trans(const Handle &operand, At at) {
  Call call(*state_, "Trans", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  if (node->shape.dimensions_size() != 2)
    return call.fail("operand must be a matrix, and is " + ShapeUtil::HumanString(node->shape));
  return call.result(ops::transpose(node->leaves[0], {1, 0}));
}

Handle ComputationBuilder::Transpose(const Handle &operand, Sizes permutation, At at) {
  Call call(*state_, "Transpose", at);
  const Node *node = call.array(operand, "operand");
  if (!node || !call.checkCount(permutation.size(), node->shape.dimensions_size(), "permutation") ||
      !call.checkDimensions(permutation, node->shape.dimensions_size(), "permutation"))
    return {};
  return call.result(transposed(node->leaves[0], permutation));
}

Handle ComputationBuilder::Rev(const Handle &operand, Sizes dimensions, At at) {
  Call call(*state_, "Rev", at);
  const Node *node = call.array(operand, "operand");
  if (!node || !call.checkDimensions(dimensions, node->shape.dimensions_size(), "dimensions"))
    return {};
  return call.result(ops::reverse(node->leaves[0], dimensions));
}

} // namespace tenon::xla_2017
