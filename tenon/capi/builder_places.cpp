// Parameters, constants, and operations that move elements.
#include "tenon/capi/builder.h"

using namespace tenon::capi;
using B = ComputationBuilder;

namespace {

// A constant of `dimensions` whose elements lie behind `values`, row-major.
Handle constant(BuilderCall &call, const char *method, tenon_element_type type, const void *values, Sizes dimensions) {
  xla::Shape shape = xla::ShapeUtil::MakeShape(typeOf(type), dimensions);
  tenon::Status status = xla::ShapeUtil::Validate(shape);
  if (status.ok()) {
    auto literal = copyElements(shape, values, static_cast<size_t>(xla::ShapeUtil::ByteSizeOf(shape)));
    if (literal.ok())
      return call.builder.ConstantLiteral(*literal, call.at);
    status = literal.status();
  }
  call.state.fail(method, status.message());
  return {};
}

} // namespace

tenon_value tenon_builder_parameter(tenon_builder *builder, int64_t number, const tenon_shape *shape,
                                    const char *name) {
  return enqueue(builder, "Parameter", {{shape, "shape"}, {name, "name"}},
                 [&](BuilderCall call) { return call.builder.Parameter(number, shapeOf(shape), name, call.at); });
}

tenon_value tenon_builder_constant_literal(tenon_builder *builder, const tenon_literal *literal) {
  return enqueue(builder, "ConstantLiteral", {{literal, "literal"}},
                 [&](BuilderCall call) { return call.builder.ConstantLiteral(literalOf(literal), call.at); });
}

tenon_value tenon_builder_constant_r0(tenon_builder *builder, tenon_element_type type, const void *value) {
  return enqueue(builder, "ConstantR0", {},
                 [&](BuilderCall call) { return constant(call, "ConstantR0", type, value, {}); });
}

tenon_value tenon_builder_constant_r1(tenon_builder *builder, tenon_element_type type, const void *values,
                                      int64_t length) {
  return enqueue(builder, "ConstantR1", {},
                 [&](BuilderCall call) { return constant(call, "ConstantR1", type, values, {length}); });
}

tenon_value tenon_builder_constant_r2(tenon_builder *builder, tenon_element_type type, const void *values, int64_t n1,
                                      int64_t n2) {
  return enqueue(builder, "ConstantR2", {},
                 [&](BuilderCall call) { return constant(call, "ConstantR2", type, values, {n1, n2}); });
}

tenon_value tenon_builder_constant_r3(tenon_builder *builder, tenon_element_type type, const void *values, int64_t n1,
                                      int64_t n2, int64_t n3) {
  return enqueue(builder, "ConstantR3", {},
                 [&](BuilderCall call) { return constant(call, "ConstantR3", type, values, {n1, n2, n3}); });
}

tenon_value tenon_builder_constant_r4(tenon_builder *builder, tenon_element_type type, const void *values, int64_t n1,
                                      int64_t n2, int64_t n3, int64_t n4) {
  return enqueue(builder, "ConstantR4", {},
                 [&](BuilderCall call) { return constant(call, "ConstantR4", type, values, {n1, n2, n3, n4}); });
}

tenon_value tenon_builder_constant_r1_filled(tenon_builder *builder, tenon_element_type type, const void *value,
                                             int64_t length) {
  return enqueue(builder, "ConstantR1", {}, [&](BuilderCall call) {
    return call.builder.Broadcast(constant(call, "ConstantR1", type, value, {}), {length}, call.at);
  });
}

tenon_value tenon_builder_broadcast(tenon_builder *builder, tenon_value operand, const int64_t *sizes, size_t count) {
  return withDimensions(builder, "Broadcast", &B::Broadcast, operand, sizes, count);
}

tenon_value tenon_builder_pad(tenon_builder *builder, tenon_value operand, tenon_value padding_value,
                              const tenon_padding_dimension *dimensions, size_t rank) {
  return enqueue(builder, "Pad", {array(dimensions, rank, "dimensions")}, [&](BuilderCall call) {
    xla::PaddingConfig config;
    for (size_t i = 0; i < rank; ++i) {
      auto *dimension = config.add_dimensions();
      dimension->set_edge_padding_low(dimensions[i].edge_padding_low);
      dimension->set_edge_padding_high(dimensions[i].edge_padding_high);
      dimension->set_interior_padding(dimensions[i].interior_padding);
    }
    return call.builder.Pad(call[operand], call[padding_value], config, call.at);
  });
}

tenon_value tenon_builder_reshape(tenon_builder *builder, tenon_value operand, const int64_t *dimensions, size_t rank,
                                  const int64_t *new_sizes, size_t new_rank) {
  return enqueue(builder, "Reshape", {array(new_sizes, new_rank, "new_sizes")}, [&](BuilderCall call) {
    Sizes sizes = slice(new_sizes, new_rank);
    return dimensions ? call.builder.Reshape(call[operand], slice(dimensions, rank), sizes, call.at)
                      : call.builder.Reshape(call[operand], sizes, call.at);
  });
}

tenon_value tenon_builder_collapse(tenon_builder *builder, tenon_value operand, const int64_t *dimensions,
                                   size_t count) {
  return withDimensions(builder, "Collapse", &B::Collapse, operand, dimensions, count);
}

tenon_value tenon_builder_slice(tenon_builder *builder, tenon_value operand, const int64_t *start_indices,
                                const int64_t *limit_indices, size_t rank) {
  return enqueue(
      builder, "Slice", {array(start_indices, rank, "start_indices"), array(limit_indices, rank, "limit_indices")},
      [&](BuilderCall call) {
        return call.builder.Slice(call[operand], slice(start_indices, rank), slice(limit_indices, rank), call.at);
      });
}

tenon_value tenon_builder_dynamic_slice(tenon_builder *builder, tenon_value operand, tenon_value start_indices,
                                        const int64_t *sizes, size_t rank) {
  return enqueue(builder, "DynamicSlice", {array(sizes, rank, "sizes")}, [&](BuilderCall call) {
    return call.builder.DynamicSlice(call[operand], call[start_indices], slice(sizes, rank), call.at);
  });
}

tenon_value tenon_builder_dynamic_update_slice(tenon_builder *builder, tenon_value operand, tenon_value update,
                                               tenon_value start_indices) {
  return enqueue(builder, "DynamicUpdateSlice", {}, [&](BuilderCall call) {
    return call.builder.DynamicUpdateSlice(call[operand], call[update], call[start_indices], call.at);
  });
}

tenon_value tenon_builder_concat_in_dim(tenon_builder *builder, const tenon_value *operands, size_t count,
                                        int64_t dimension) {
  return enqueue(builder, "ConcatInDim", {array(operands, count, "operands")}, [&](BuilderCall call) {
    return call.builder.ConcatInDim(call.operands(operands, count), dimension, call.at);
  });
}

tenon_value tenon_builder_trans(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Trans", &B::Trans, operand);
}

tenon_value tenon_builder_transpose(tenon_builder *builder, tenon_value operand, const int64_t *permutation,
                                    size_t rank) {
  return withDimensions(builder, "Transpose", &B::Transpose, operand, permutation, rank);
}

tenon_value tenon_builder_rev(tenon_builder *builder, tenon_value operand, const int64_t *dimensions, size_t count) {
  return withDimensions(builder, "Rev", &B::Rev, operand, dimensions, count);
}

tenon_value tenon_builder_select(tenon_builder *builder, tenon_value pred, tenon_value on_true, tenon_value on_false) {
  return enqueue(builder, "Select", {}, [&](BuilderCall call) {
    return call.builder.Select(call[pred], call[on_true], call[on_false], call.at);
  });
}

tenon_value tenon_builder_tuple(tenon_builder *builder, const tenon_value *elements, size_t count) {
  return enqueue(builder, "Tuple", {array(elements, count, "elements")},
                 [&](BuilderCall call) { return call.builder.Tuple(call.operands(elements, count), call.at); });
}

tenon_value tenon_builder_get_tuple_element(tenon_builder *builder, tenon_value tuple, int64_t index) {
  return enqueue(builder, "GetTupleElement", {},
                 [&](BuilderCall call) { return call.builder.GetTupleElement(call[tuple], index, call.at); });
}

tenon_value tenon_builder_sort(tenon_builder *builder, tenon_value operand) {
  return unary(builder, "Sort", &B::Sort, operand);
}
