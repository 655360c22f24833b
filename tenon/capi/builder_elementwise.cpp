// Elementwise operations, one line each.
#include "tenon/capi/builder.h"

using namespace tenon::capi;
using B = ComputationBuilder;

tenon_value tenon_builder_eq(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                             const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Eq", &B::Eq, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_ne(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                             const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Ne", &B::Ne, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_ge(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                             const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Ge", &B::Ge, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_gt(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                             const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Gt", &B::Gt, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_lt(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                             const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Lt", &B::Lt, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_le(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                             const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Le", &B::Le, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_add(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                              const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Add", &B::Add, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_sub(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                              const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Sub", &B::Sub, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_mul(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                              const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Mul", &B::Mul, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_div(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                              const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Div", &B::Div, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_rem(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                              const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Rem", &B::Rem, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_max(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                              const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Max", &B::Max, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_min(tenon_builder *builder, tenon_value lhs, tenon_value rhs,
                              const int64_t *broadcast_dimensions, size_t count) {
  return binary(builder, "Min", &B::Min, lhs, rhs, broadcast_dimensions, count);
}

tenon_value tenon_builder_pow(tenon_builder *builder, tenon_value lhs, tenon_value rhs) {
  return enqueue(builder, "Pow", {}, [&](BuilderCall call) { return call.builder.Pow(call[lhs], call[rhs], call.at); });
}

tenon_value tenon_builder_exp(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Exp", &B::Exp, operand);
}

tenon_value tenon_builder_floor(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Floor", &B::Floor, operand);
}

tenon_value tenon_builder_ceil(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Ceil", &B::Ceil, operand);
}

tenon_value tenon_builder_log(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Log", &B::Log, operand);
}

tenon_value tenon_builder_tanh(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Tanh", &B::Tanh, operand);
}

tenon_value tenon_builder_sqrt_f32(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "SqrtF32", &B::SqrtF32, operand);
}

tenon_value tenon_builder_square_f32(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "SquareF32", &B::SquareF32, operand);
}

tenon_value tenon_builder_reciprocal_f32(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "ReciprocalF32", &B::ReciprocalF32, operand);
}

tenon_value tenon_builder_neg(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Neg", &B::Neg, operand);
}

tenon_value tenon_builder_clamp(tenon_builder *builder, tenon_value min, tenon_value operand, tenon_value max) {
  return enqueue(builder, "Clamp", {},
                 [&](BuilderCall call) { return call.builder.Clamp(call[min], call[operand], call[max], call.at); });
}

tenon_value tenon_builder_convert_element_type(tenon_builder *builder, tenon_value operand, tenon_element_type type) {
  return enqueue(builder, "ConvertElementType", {}, [&](BuilderCall call) {
    return call.builder.ConvertElementType(call[operand], typeOf(type), call.at);
  });
}

tenon_value tenon_builder_reduce_precision(tenon_builder *builder, tenon_value operand, int exponent_bits,
                                           int mantissa_bits) {
  return enqueue(builder, "ReducePrecision", {}, [&](BuilderCall call) {
    return call.builder.ReducePrecision(call[operand], exponent_bits, mantissa_bits, call.at);
  });
}

tenon_value tenon_builder_map(tenon_builder *builder, const tenon_value *operands, size_t count,
                              const tenon_computation *computation, const tenon_value *static_operands,
                              size_t static_count) {
  return enqueue(builder, "Map",
                 {array(operands, count, "operands"),
                  {computation, "computation"},
                  array(static_operands, static_count, "static_operands")},
                 [&](BuilderCall call) {
                   return call.builder.Map(call.operands(operands, count), computation->value,
                                           call.operands(static_operands, static_count), call.at);
                 });
}
