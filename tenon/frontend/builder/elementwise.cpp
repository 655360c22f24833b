// Operations whose result at an index depends on the operands there (xla-preview-2017, "Element-wise ...").
#include "tenon/frontend/builder/broadcast.h"
#include "tenon/ops.h"

namespace tenon::xla_2017 {

using internal::broadcastOperands;
using internal::Call;
using internal::Node;
using internal::Operands;
using Handle = ComputationDataHandle;
using Unary = Value (*)(const Value &);
using Binary = Value (*)(const Value &, const Value &);

namespace {

Handle binary(Call &&call, Binary operation, const Handle &lhs, const Handle &rhs, gtl::ArraySlice<int64> dimensions) {
  Operands operands = broadcastOperands(call, lhs, rhs, dimensions);
  return call.result(operation(operands.lhs, operands.rhs));
}

Handle compare(Call &&call, const Handle &lhs, const Handle &rhs, gtl::ArraySlice<int64> dimensions,
               ops::ComparisonDirection direction) {
  Operands operands = broadcastOperands(call, lhs, rhs, dimensions);
  if (call.failed())
    return {};
  bool isOrder = direction != ops::ComparisonDirection::EQ && direction != ops::ComparisonDirection::NE;
  if (isOrder && IsComplexType(call.state.find(lhs)->shape.element_type()))
    return call.fail("complex numbers have no order: compare them by Eq and Ne");
  return call.result(ops::compare(operands.lhs, operands.rhs, direction));
}

Handle unary(Call &&call, Unary operation, const Handle &operand) {
  const Node *node = call.array(operand, "operand");
  return node ? call.result(operation(node->leaves[0])) : Handle();
}

// An operand of an operation that is for F32 alone.
const Node *f32(Call &call, const Handle &operand) {
  const Node *node = call.array(operand, "operand");
  if (node && node->shape.element_type() != F32) {
    call.fail("operand must be of F32, and is " + ShapeUtil::HumanString(node->shape));
    return nullptr;
  }
  return node;
}

} // namespace

#define TENON_COMPARISON(NAME, DIRECTION)                                                                              \
  Handle ComputationBuilder::NAME(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions, At at) {           \
    return compare(Call(*state_, #NAME, at), lhs, rhs, broadcast_dimensions, ops::ComparisonDirection::DIRECTION);     \
  }
TENON_COMPARISON(Eq, EQ)
TENON_COMPARISON(Ne, NE)
TENON_COMPARISON(Ge, GE)
TENON_COMPARISON(Gt, GT)
TENON_COMPARISON(Lt, LT)
TENON_COMPARISON(Le, LE)
#undef TENON_COMPARISON

#define TENON_BINARY(NAME, OP)                                                                                         \
  Handle ComputationBuilder::NAME(const Handle &lhs, const Handle &rhs, Sizes broadcast_dimensions, At at) {           \
    return binary(                                                                                                     \
        Call(*state_, #NAME, at), [](const Value &a, const Value &b) { return ops::OP(a, b); }, lhs, rhs,              \
        broadcast_dimensions);                                                                                         \
  }
TENON_BINARY(Add, add)
TENON_BINARY(Sub, subtract)
TENON_BINARY(Mul, multiply)
TENON_BINARY(Div, divide)
TENON_BINARY(Rem, remainder)
TENON_BINARY(Max, maximum)
TENON_BINARY(Min, minimum)
#undef TENON_BINARY

#define TENON_UNARY(NAME, OP)                                                                                          \
  Handle ComputationBuilder::NAME(const Handle &operand, At at) {                                                      \
    return unary(Call(*state_, #NAME, at), [](const Value &value) { return ops::OP(value); }, operand);                \
  }
TENON_UNARY(Exp, exponential)
TENON_UNARY(Floor, floor)
TENON_UNARY(Ceil, ceil)
TENON_UNARY(Log, log)
TENON_UNARY(Tanh, tanh)
TENON_UNARY(Neg, negate)
#undef TENON_UNARY

Handle ComputationBuilder::Pow(const Handle &lhs, const Handle &rhs, At at) {
  return binary(Call(*state_, "Pow", at), [](const Value &a, const Value &b) { return ops::power(a, b); }, lhs, rhs,
                {});
}

Handle ComputationBuilder::SqrtF32(const Handle &operand, At at) {
  Call call(*state_, "SqrtF32", at);
  const Node *node = f32(call, operand);
  return node ? call.result(ops::sqrt(node->leaves[0])) : Handle();
}

Handle ComputationBuilder::SquareF32(const Handle &operand, At at) {
  Call call(*state_, "SquareF32", at);
  const Node *node = f32(call, operand);
  return node ? call.result(ops::multiply(node->leaves[0], node->leaves[0])) : Handle();
}

Handle ComputationBuilder::ReciprocalF32(const Handle &operand, At at) {
  Call call(*state_, "ReciprocalF32", at);
  const Node *node = f32(call, operand);
  if (!node)
    return {};
  const Value &value = node->leaves[0];
  return call.result(ops::divide(value.like(1), value));
}

Handle ComputationBuilder::Clamp(const Handle &min, const Handle &operand, const Handle &max, At at) {
  Call call(*state_, "Clamp", at);
  const Node *low = call.array(min, "min"), *node = call.array(operand, "operand"), *high = call.array(max, "max");
  if (!low || !node || !high)
    return {};
  for (const Node *bound : {low, high}) {
    if (bound->shape.element_type() != node->shape.element_type() ||
        (bound->shape.dimensions_size() != 0 && !ShapeUtil::SameDimensions(bound->shape, node->shape)))
      return call.fail(
          "min and max must be scalars of the operand's type or of its shape: " + ShapeUtil::HumanString(low->shape) +
          ", " + ShapeUtil::HumanString(node->shape) + ", " + ShapeUtil::HumanString(high->shape));
  }
  return call.result(ops::clamp(low->leaves[0], node->leaves[0], high->leaves[0]));
}

Handle ComputationBuilder::ConvertElementType(const Handle &operand, PrimitiveType new_element_type, At at) {
  Call call(*state_, "ConvertElementType", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  Shape shape = node->shape;
  shape.set_element_type(new_element_type);
  if (!call.checkArray(shape, "new_element_type"))
    return {};
  return call.result(ops::convert(node->leaves[0], call.elementType(new_element_type)));
}

Handle ComputationBuilder::ReducePrecision(const Handle &operand, int exponent_bits, int mantissa_bits, At at) {
  Call call(*state_, "ReducePrecision", at);
  const Node *node = call.array(operand, "operand");
  return node ? call.result(ops::reduce_precision(node->leaves[0], exponent_bits, mantissa_bits)) : Handle();
}

} // namespace tenon::xla_2017
