#include "tenon/capi/program_builder.h"

using namespace tenon::capi;
using tenon::Status;
using tenon::Values;

namespace tenon::capi {

Value OpCall::value(tenon_op_value value) const {
  return value.id == 0 || value.id > owner.values.size() ? Value() : owner.values[value.id - 1];
}

Values OpCall::values(const tenon_op_value *given, size_t count) const {
  Values result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(value(given[i]));
  return result;
}

Region OpCall::region(tenon_region region) const {
  tenon_program_builder *owner = &this->owner;
  return {[owner, region](Span<Value> arguments) -> Values {
    if (!region.body)
      return {};
    std::vector<tenon_op_value> given;
    for (const Value &argument : arguments)
      given.push_back(keep(*owner, argument));
    owner->returned.clear();
    region.body(owner, given.data(), given.size(), region.context);
    return std::exchange(owner->returned, Values());
  }};
}

std::vector<Region> OpCall::regions(const tenon_region *given, size_t count) const {
  std::vector<Region> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(region(given[i]));
  return result;
}

tenon_op_value keep(tenon_program_builder &builder, const Value &value) {
  if (!value)
    return {0};
  builder.values.push_back(value);
  return {builder.values.size()};
}

Values calledSafely(tenon_program_builder *builder, const char *name, std::initializer_list<Argument> arguments,
                    const std::function<Values(const OpCall &)> &function) noexcept {
  if (!builder)
    return {};
  Status status;
  try {
    if (!builder->firstError().ok())
      return {};
    status = checkPresent(arguments);
    if (status.ok())
      return function(OpCall(*builder));
  } catch (...) {
    status = statusOfException();
  }
  builder->error = Status(status.code(), builder->builder.name() + ": " + name + " at " + builder->file + ":" +
                                             std::to_string(builder->line) + ": " + status.message());
  return {};
}

tenon_op_value oneOf(const CalledOp &called) noexcept {
  try {
    return called.values.size() == 1 ? keep(*called.builder, called.values.front()) : tenon_op_value{0};
  } catch (...) {
    return {0};
  }
}

size_t allOf(const CalledOp &called, tenon_op_value *values, size_t capacity) noexcept {
  try {
    for (size_t i = 0; i < called.values.size() && i < capacity; ++i)
      values[i] = keep(*called.builder, called.values[i]);
    return called.values.size();
  } catch (...) {
    return 0;
  }
}

std::vector<Type> typesOf(const char *const *types, size_t count) {
  std::vector<Type> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(typeOf(types[i]));
  return result;
}

std::vector<std::vector<int64_t>> matrixOf(const int64_t *values, size_t rows, size_t columns) {
  std::vector<std::vector<int64_t>> result;
  for (size_t i = 0; i < rows; ++i)
    result.push_back(listOf(values + i * columns, columns));
  return result;
}

} // namespace tenon::capi

tenon_status *tenon_program_builder_create(const char *name, tenon_program_builder **builder) {
  return guard({{name, "name"}, {builder, "builder"}}, [&]() -> Status {
    *builder = new tenon_program_builder(name);
    return {};
  });
}

void tenon_program_builder_destroy(tenon_program_builder *builder) { delete builder; }

tenon_program_builder *tenon_program_builder_at(tenon_program_builder *builder, const char *file, int line) {
  if (!builder)
    return builder;
  try {
    if (file)
      builder->file = file;
  } catch (...) {
    builder->error = statusOfException();
  }
  builder->line = line;
  return builder;
}

tenon_status *tenon_program_builder_status(const tenon_program_builder *builder) {
  return guard({{builder, "builder"}}, [&] { return builder->firstError(); });
}

tenon_op_value tenon_program_builder_parameter(tenon_program_builder *builder, const char *type, const char *name) {
  return oneOf(called(builder, "parameter", {{type, "type"}}, [&](const OpCall &call) -> Values {
    return call.builder.parameter(type, textOf(name), call.at);
  }));
}

tenon_op_value tenon_program_builder_like(tenon_program_builder *builder, tenon_op_value operand, double number) {
  return oneOf(called(builder, "like", {},
                      [&](const OpCall &call) -> Values { return call.value(operand).like(number, call.at); }));
}

tenon_op_value tenon_program_builder_broadcast_to(tenon_program_builder *builder, tenon_op_value operand,
                                                  const int64_t *sizes, size_t rank, const int64_t *dimensions) {
  return oneOf(called(builder, "broadcast_to", {array(sizes, rank, "sizes")}, [&](const OpCall &call) -> Values {
    tenon::Value value = call.value(operand);
    return dimensions ? value.broadcastTo(listOf(sizes, rank), listOf(dimensions, value.sizes().size()), call.at)
                      : value.broadcastTo(listOf(sizes, rank), call.at);
  }));
}

void tenon_program_builder_function(tenon_program_builder *builder, const char *name,
                                    const char *const *parameter_types, size_t count, tenon_region body) {
  calledSafely(builder, "function", {{name, "name"}, array(parameter_types, count, "parameter_types")},
               [&](const OpCall &call) -> Values {
                 call.builder.function(name, typesOf(parameter_types, count), call.region(body), call.at);
                 return {};
               });
}

size_t tenon_program_builder_call(tenon_program_builder *builder, const char *function, const tenon_op_value *arguments,
                                  size_t count, tenon_op_value *values, size_t capacity) {
  return allOf(
      called(builder, "call",
             {{function, "function"}, array(arguments, count, "arguments"), array(values, capacity, "values")},
             [&](const OpCall &call) { return call.builder.call(function, call.values(arguments, count), call.at); }),
      values, capacity);
}

void tenon_program_builder_return(tenon_program_builder *builder, const tenon_op_value *results, size_t count) {
  calledSafely(builder, "return", {array(results, count, "results")}, [&](const OpCall &call) -> Values {
    builder->returned = call.values(results, count);
    return {};
  });
}

char *tenon_program_builder_type(const tenon_program_builder *builder, tenon_op_value value) {
  if (!builder || value.id == 0 || value.id > builder->values.size())
    return nullptr;
  return newText(builder->values[value.id - 1].type());
}

tenon_status *tenon_program_builder_build(tenon_program_builder *builder, const tenon_op_value *results, size_t count,
                                          tenon_computation **computation) {
  return guard({{builder, "builder"}, array(results, count, "results"), {computation, "computation"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(builder->firstError());
    TENON_ASSIGN_OR_RETURN(auto built, builder->builder.build(OpCall(*builder).values(results, count)));
    *computation = new tenon_computation{built};
    return {};
  });
}

tenon_status *tenon_program_builder_text(tenon_program_builder *builder, const tenon_op_value *results, size_t count,
                                         char **text) {
  return guard({{builder, "builder"}, array(results, count, "results"), {text, "text"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(builder->firstError());
    TENON_ASSIGN_OR_RETURN(auto made, builder->builder.text(OpCall(*builder).values(results, count)));
    return giveText(made, text);
  });
}
