// Tuples, selection, order (xla-preview-2017: GetTupleElement, Select, Sort, Tuple).
#include "tenon/frontend/builder/call.h"
#include "tenon/ops.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace tenon::xla_2017 {

using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

Handle ComputationBuilder::Select(const Handle &pred, const Handle &on_true, const Handle &on_false, At at) {
  Call call(*state_, "Select", at);
  const Node *choice = call.array(pred, "pred"), *yes = call.value(on_true, "on_true"),
             *no = call.value(on_false, "on_false");
  if (!choice || !yes || !no)
    return {};
  if (choice->shape.element_type() != PRED)
    return call.fail("pred must be of PRED, and is " + ShapeUtil::HumanString(choice->shape));
  if (!ShapeUtil::Compatible(yes->shape, no->shape))
    return call.fail("on_true and on_false must have one shape, and have " + ShapeUtil::HumanString(yes->shape) +
                     " and " + ShapeUtil::HumanString(no->shape));
  bool isScalar = choice->shape.dimensions_size() == 0;
  if (!isScalar && ShapeUtil::IsTuple(yes->shape))
    return call.fail("pred must be a scalar where tuples are selected, and is " +
                     ShapeUtil::HumanString(choice->shape));
  if (!isScalar && !ShapeUtil::SameDimensions(choice->shape, yes->shape))
    return call.fail("pred must be a scalar or have the sizes of " + ShapeUtil::HumanString(yes->shape) + ", and is " +
                     ShapeUtil::HumanString(choice->shape));
  Values leaves;
  for (auto [a, b] : llvm::zip(yes->leaves, no->leaves))
    leaves.push_back(ops::select(choice->leaves[0], a, b));
  return call.result(yes->shape, leaves);
}

Handle ComputationBuilder::Tuple(Handles elements, At at) {
  Call call(*state_, "Tuple", at);
  Shape shape = ShapeUtil::MakeNil();
  Values leaves;
  for (const Handle &element : elements) {
    const Node *node = call.value(element, "an element");
    if (!node)
      return {};
    *shape.add_tuple_shapes() = node->shape;
    llvm::append_range(leaves, node->leaves);
  }
  return call.result(shape, leaves);
}

Handle ComputationBuilder::GetTupleElement(const Handle &tuple_data, int64 index, At at) {
  Call call(*state_, "GetTupleElement", at);
  const Node *tuple = call.value(tuple_data, "tuple_data");
  if (!tuple)
    return {};
  if (!ShapeUtil::IsTuple(tuple->shape))
    return call.fail("tuple_data must be a tuple, and is " + ShapeUtil::HumanString(tuple->shape));
  if (index < 0 || index >= tuple->shape.tuple_shapes_size())
    return call.fail("there is no element " + std::to_string(index) + " in " + ShapeUtil::HumanString(tuple->shape));
  size_t first = 0;
  for (int i = 0; i < index; ++i)
    first += ShapeUtil::Leaves(tuple->shape.tuple_shapes(i)).size();
  const Shape &shape = tuple->shape.tuple_shapes(static_cast<int>(index));
  auto leaf = tuple->leaves.begin() + static_cast<ptrdiff_t>(first);
  return call.result(shape, Values(leaf, leaf + static_cast<ptrdiff_t>(ShapeUtil::Leaves(shape).size())));
}

namespace {

// Whether a comes before b: of floats in the total order, all NaNs being one (inventory X-20).
Value isBefore(const Value &a, const Value &b, bool isFloat, bool hasNan) {
  if (!isFloat)
    return ops::compare(a, b, ops::ComparisonDirection::LT);
  auto keyOf = [hasNan](const Value &value) {
    if (!hasNan)
      return value;
    Value isNan = ops::compare(value, value, ops::ComparisonDirection::NE);
    return ops::select(isNan, value.scalar(std::numeric_limits<double>::quiet_NaN()), value);
  };
  Value first = keyOf(a), second = keyOf(b);
  return ops::compare(first, second, ops::ComparisonDirection::LT, ops::ComparisonType::TOTALORDER);
}

} // namespace

Handle ComputationBuilder::Sort(const Handle &operand, At at) {
  Call call(*state_, "Sort", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  int64 rank = node->shape.dimensions_size();
  if (rank == 0 || IsComplexType(node->shape.element_type()))
    return call.fail("operand must have a dimension and an order, and is " + ShapeUtil::HumanString(node->shape));
  mlir::Type element =
      mlir::cast<mlir::RankedTensorType>(state_->graph.peek(node->leaves[0]).getType()).getElementType();
  auto type = mlir::dyn_cast<mlir::FloatType>(element);
  bool hasNan = type && llvm::APFloat::semanticsHasNaN(type.getFloatSemantics());
  auto comparator = [type, hasNan](const Value &a, const Value &b) { return isBefore(a, b, type != nullptr, hasNan); };
  return call.result(ops::sort(node->leaves[0], comparator, rank - 1, /*is_stable=*/true));
}

} // namespace tenon::xla_2017
