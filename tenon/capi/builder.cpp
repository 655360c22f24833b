// Builders themselves: where they are made, what they keep, what they give.
#include "tenon/capi/builder.h"

#include <atomic>

using namespace tenon::capi;
using tenon::invalidArgument;
using tenon::Status;

namespace tenon::capi {

void BuilderState::fail(const char *method, const std::string &message) {
  if (!firstError().ok())
    return;
  error =
      invalidArgument(builder->name() + ": " + method + " at " + file + ":" + std::to_string(line) + ": " + message);
  if (dieImmediately)
    dieBecauseOf(*error);
}

tenon_value keepValue(BuilderState &state, const Handle &handle) {
  // Never used again, in any builder: what is not found is another's.
  static std::atomic<uint64_t> last{0};
  if (!state.firstError().ok())
    return {0};
  uint64_t id = ++last;
  state.values.emplace(id, handle);
  return {id};
}

} // namespace tenon::capi

namespace {

// Calls `function` with a BuilderCall, unless the builder has an error that it does not know of.
template <typename Function>
tenon_status *ask(const tenon_builder *builder, std::initializer_list<Argument> arguments, Function &&function) {
  return guard({{builder, "builder"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkPresent(arguments));
    if (builder->state->error)
      return *builder->state->error;
    return function(BuilderCall(*builder->state));
  });
}

tenon_computation *newComputation(const xla::Computation &computation) { return new tenon_computation{computation}; }

} // namespace

tenon_status *tenon_builder_create(tenon_client *client, const char *name, tenon_builder **builder) {
  return guard({{client, "client"}, {name, "name"}, {builder, "builder"}}, [&]() -> Status {
    auto state = std::make_shared<BuilderState>();
    state->client = client->value;
    state->builder = std::make_unique<ComputationBuilder>(client->value.get(), name);
    *builder = new tenon_builder{std::move(state)};
    return {};
  });
}

tenon_status *tenon_builder_create_sub_builder(tenon_builder *parent, const char *name, tenon_builder **builder) {
  return guard({{parent, "parent"}, {name, "name"}, {builder, "builder"}}, [&]() -> Status {
    auto state = std::make_shared<BuilderState>();
    state->parent = parent->state;
    state->client = parent->state->client;
    state->builder = parent->state->builder->CreateSubBuilder(name);
    state->dieImmediately = parent->state->dieImmediately;
    *builder = new tenon_builder{std::move(state)};
    return {};
  });
}

void tenon_builder_destroy(tenon_builder *builder) { delete builder; }

tenon_builder *tenon_builder_at(tenon_builder *builder, const char *file, int line) {
  if (!builder)
    return builder;
  try {
    if (file && builder->state->file != file)
      builder->state->file = file;
    builder->state->line = line;
  } catch (...) {
    builder->state->fail("tenon_builder_at", statusOfException().message());
  }
  return builder;
}

const char *tenon_builder_name(const tenon_builder *builder) {
  return builder ? builder->state->builder->name().c_str() : "";
}

void tenon_builder_set_die_immediately_on_error(tenon_builder *builder, bool enabled) {
  if (!builder)
    return;
  builder->state->dieImmediately = enabled;
  builder->state->builder->set_die_immediately_on_error(enabled);
}

tenon_status *tenon_builder_first_error(const tenon_builder *builder) {
  return guard({{builder, "builder"}}, [&] { return builder->state->firstError(); });
}

tenon_status *tenon_builder_build(tenon_builder *builder, tenon_computation **computation) {
  return ask(builder, {{computation, "computation"}}, [&](BuilderCall call) -> Status {
    TENON_ASSIGN_OR_RETURN(auto built, call.builder.Build());
    *computation = newComputation(*built);
    return {};
  });
}

tenon_computation *tenon_builder_build_and_note_error(tenon_builder *builder) {
  if (!builder)
    return nullptr;
  BuilderState &state = *builder->state;
  try {
    if (!state.error)
      return newComputation(*state.builder->BuildAndNoteError());
    if (state.parent && state.parent->firstError().ok())
      state.parent->error = state.error;
    return newComputation(xla::Computation());
  } catch (...) {
    return nullptr;
  }
}

tenon_status *tenon_builder_set_return_value(tenon_builder *builder, tenon_value operand) {
  return ask(builder, {}, [&](BuilderCall call) { return call.builder.SetReturnValue(call[operand], call.at); });
}

tenon_status *tenon_builder_compute_constant(tenon_builder *builder, tenon_value operand, const tenon_shape *shape,
                                             tenon_data **data) {
  return ask(builder, {{data, "data"}}, [&](BuilderCall call) -> Status {
    xla::Layout layout;
    if (shape)
      layout = xla::LayoutUtil::LayoutOf(shapeOf(shape));
    TENON_ASSIGN_OR_RETURN(auto constant, call.builder.ComputeConstant(call[operand], shape ? &layout : nullptr));
    *data = new tenon_data(std::move(constant));
    return {};
  });
}

tenon_status *tenon_builder_get_shape(const tenon_builder *builder, tenon_value operand, tenon_shape **shape) {
  return ask(builder, {{shape, "shape"}}, [&](BuilderCall call) -> Status {
    TENON_ASSIGN_OR_RETURN(auto found, call.builder.GetShape(call[operand]));
    *shape = release(std::move(found));
    return {};
  });
}

// The C++ interface's ends the process.
static Status checkSame(BuilderCall &call, const char *method, tenon_value operand, const xla::Shape &expected) {
  TENON_ASSIGN_OR_RETURN(auto shape, call.builder.GetShape(call[operand]));
  if (xla::ShapeUtil::Compatible(*shape, expected))
    return {};
  return invalidArgument(call.builder.name() + ": " + method + " at " + call.at.file + ":" +
                         std::to_string(call.at.line) + ": the shape is " + xla::ShapeUtil::HumanString(*shape) +
                         ", and not " + xla::ShapeUtil::HumanString(expected));
}

tenon_status *tenon_builder_check_shape(const tenon_builder *builder, tenon_value operand,
                                        const tenon_shape *expected) {
  return ask(builder, {{expected, "expected"}},
             [&](BuilderCall call) { return checkSame(call, "CheckShape", operand, shapeOf(expected)); });
}

tenon_status *tenon_builder_check_same_shape(const tenon_builder *builder, tenon_value lhs, tenon_value rhs) {
  return ask(builder, {}, [&](BuilderCall call) -> Status {
    auto expected = call.builder.GetShape(call[rhs]);
    return expected.ok() ? checkSame(call, "CheckSameShape", lhs, **expected) : expected.status();
  });
}
