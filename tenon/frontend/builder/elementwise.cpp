// Operations whose result at an index depends on the operands there (xla-preview-2017, "Element-wise ...").
#include "tenon/frontend/builder/broadcast.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::broadcastOperands;
using internal::BuilderState;
using internal::Call;
using internal::Node;
using internal::Operands;
using Handle = ComputationDataHandle;

namespace {

template <typename Op>
Handle binary(BuilderState &state, const char *method, SourceLocation at, const Handle &lhs, const Handle &rhs,
              gtl::ArraySlice<int64> dimensions) {
  Call call(state, method, at);
  Operands operands = broadcastOperands(call, lhs, rhs, dimensions);
  if (call.failed())
    return {};
  return call.result(Op::create(call.ops(), operands.lhs.getType(), operands.lhs, operands.rhs));
}

Handle compare(BuilderState &state, const char *method, SourceLocation at, const Handle &lhs, const Handle &rhs,
               gtl::ArraySlice<int64> dimensions, sh::ComparisonDirection direction) {
  Call call(state, method, at);
  Operands operands = broadcastOperands(call, lhs, rhs, dimensions);
  if (call.failed())
    return {};
  bool isOrder = direction != sh::ComparisonDirection::EQ && direction != sh::ComparisonDirection::NE;
  if (isOrder && IsComplexType(state.find(lhs)->shape.element_type()))
    return call.fail("complex numbers have no order: compare them by Eq and Ne");
  return call.result(sh::CompareOp::create(call.ops(), operands.lhs, operands.rhs, direction));
}

// Creates the operation with an explicit result type. Inferring the type would end the process for operands that are
// not allowed; verification reports them.
template <typename Op> mlir::Value createUnary(Call &call, mlir::Value operand) {
  mlir::OperationState state(call.ops().getLoc(), Op::getOperationName());
  state.addOperands(operand);
  state.addTypes(operand.getType());
  return call.ops().create(state)->getResult(0);
}

template <typename Op> Handle unary(BuilderState &state, const char *method, SourceLocation at, const Handle &operand) {
  Call call(state, method, at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  return call.result(createUnary<Op>(call, node->leaves[0]));
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
    return compare(*state_, #NAME, at, lhs, rhs, broadcast_dimensions, sh::ComparisonDirection::DIRECTION);            \
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
    return binary<sh::OP>(*state_, #NAME, at, lhs, rhs, broadcast_dimensions);                                         \
  }
TENON_BINARY(Add, AddOp)
TENON_BINARY(Sub, SubtractOp)
TENON_BINARY(Mul, MultiplyOp)
TENON_BINARY(Div, DivideOp)
TENON_BINARY(Rem, RemainderOp)
TENON_BINARY(Max, MaximumOp)
TENON_BINARY(Min, MinimumOp)
#undef TENON_BINARY

#define TENON_UNARY(NAME, OP)                                                                                          \
  Handle ComputationBuilder::NAME(const Handle &operand, At at) { return unary<sh::OP>(*state_, #NAME, at, operand); }
TENON_UNARY(Exp, ExponentialOp)
TENON_UNARY(Floor, FloorOp)
TENON_UNARY(Ceil, CeilOp)
TENON_UNARY(Log, LogOp)
TENON_UNARY(Tanh, TanhOp)
TENON_UNARY(Neg, NegateOp)
#undef TENON_UNARY

Handle ComputationBuilder::Pow(const Handle &lhs, const Handle &rhs, At at) {
  return binary<sh::PowerOp>(*state_, "Pow", at, lhs, rhs, {});
}

Handle ComputationBuilder::SqrtF32(const Handle &operand, At at) {
  Call call(*state_, "SqrtF32", at);
  const Node *node = f32(call, operand);
  return node ? call.result(sh::SqrtOp::create(call.ops(), node->leaves[0])) : Handle();
}

Handle ComputationBuilder::SquareF32(const Handle &operand, At at) {
  Call call(*state_, "SquareF32", at);
  const Node *node = f32(call, operand);
  return node ? call.result(sh::MultiplyOp::create(call.ops(), node->leaves[0], node->leaves[0])) : Handle();
}

Handle ComputationBuilder::ReciprocalF32(const Handle &operand, At at) {
  Call call(*state_, "ReciprocalF32", at);
  const Node *node = f32(call, operand);
  if (!node)
    return {};
  auto type = mlir::cast<mlir::RankedTensorType>(node->leaves[0].getType());
  auto one = sh::ConstantOp::create(call.ops(), mlir::DenseElementsAttr::get(type, 1.0F));
  return call.result(sh::DivideOp::create(call.ops(), one, node->leaves[0]));
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
  return call.result(
      sh::ClampOp::create(call.ops(), node->leaves[0].getType(), low->leaves[0], node->leaves[0], high->leaves[0]));
}

Handle ComputationBuilder::ConvertElementType(const Handle &operand, PrimitiveType new_element_type, At at) {
  Call call(*state_, "ConvertElementType", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  Shape shape = node->shape;
  shape.set_element_type(new_element_type);
  mlir::RankedTensorType type = call.type(shape, "new_element_type");
  return type ? call.result(sh::ConvertOp::create(call.ops(), type, node->leaves[0])) : Handle();
}

Handle ComputationBuilder::ReducePrecision(const Handle &operand, int exponent_bits, int mantissa_bits, At at) {
  Call call(*state_, "ReducePrecision", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  mlir::Value value = node->leaves[0];
  return call.result(sh::ReducePrecisionOp::create(call.ops(), value.getType(), value, exponent_bits, mantissa_bits));
}

} // namespace tenon::xla_2017
