// Calls of a builder's methods from C.
#pragma once

#include "tenon/capi/handles.h"

struct tenon_builder {
  std::shared_ptr<tenon::capi::BuilderState> state;
};

namespace tenon::capi {

using xla::ComputationBuilder;
using Handle = xla::ComputationDataHandle;
using At = xla::SourceLocation;
using Sizes = xla::gtl::ArraySlice<xla::int64>;

// A call under way: the builder, the place of the call, and what values stand for.
struct BuilderCall {
  explicit BuilderCall(BuilderState &state)
      : state(state), builder(*state.builder), at(state.file.c_str(), state.line) {}

  // No value's handle stands for nothing, which the builder takes for an error.
  Handle operator[](tenon_value value) const {
    auto found = state.values.find(value.id);
    return found == state.values.end() ? Handle() : found->second;
  }
  std::vector<Handle> operands(const tenon_value *values, size_t count) const {
    std::vector<Handle> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back((*this)[values[i]]);
    return result;
  }

  BuilderState &state;
  ComputationBuilder &builder;
  At at;
};

// The value of a handle; none after an error.
tenon_value keepValue(BuilderState &state, const Handle &handle);

// Enqueues what `function` makes of a BuilderCall: a handle. Errors, exceptions included, are kept by the builder.
template <typename Function>
tenon_value enqueue(tenon_builder *builder, const char *method, std::initializer_list<Argument> arguments,
                    Function &&function) noexcept {
  if (!builder || builder->state->error)
    return {0};
  BuilderState &state = *builder->state;
  try {
    if (Status status = checkPresent(arguments); !status.ok()) {
      state.fail(method, status.message());
      return {0};
    }
    return keepValue(state, function(BuilderCall(state)));
  } catch (...) {
    state.fail(method, statusOfException().message());
    return {0};
  }
}

// The families of methods that look alike.
using Unary = Handle (ComputationBuilder::*)(const Handle &, At);
using Binary = Handle (ComputationBuilder::*)(const Handle &, const Handle &, Sizes, At);
using WithDimensions = Handle (ComputationBuilder::*)(const Handle &, Sizes, At);
inline tenon_value unary(tenon_builder *builder, const char *name, Unary method, tenon_value operand) {
  return enqueue(builder, name, {}, [&](BuilderCall call) { return (call.builder.*method)(call[operand], call.at); });
}
inline tenon_value binary(tenon_builder *builder, const char *name, Binary method, tenon_value lhs, tenon_value rhs,
                          const int64_t *dimensions, size_t count) {
  return enqueue(builder, name, {array(dimensions, count, "broadcast_dimensions")}, [&](BuilderCall call) {
    return (call.builder.*method)(call[lhs], call[rhs], slice(dimensions, count), call.at);
  });
}
inline tenon_value withDimensions(tenon_builder *builder, const char *name, WithDimensions method, tenon_value operand,
                                  const int64_t *dimensions, size_t count) {
  return enqueue(builder, name, {array(dimensions, count, "dimensions")}, [&](BuilderCall call) {
    return (call.builder.*method)(call[operand], slice(dimensions, count), call.at);
  });
}

} // namespace tenon::capi
