// Calls of a ProgramBuilder from C: what the functions of tenon/c/ops.h, which are generated, convert their arguments
// by.
#pragma once

#include "tenon/c/program_builder.h"
#include "tenon/capi/handles.h"
#include "tenon/program_builder.h"

#include <deque>

struct tenon_program_builder {
  explicit tenon_program_builder(const char *name) : builder(name) {}

  tenon::ProgramBuilder builder;
  std::deque<tenon::Value> values;
  // File names, which locations refer to.
  std::string file = "(unknown)";
  int line = 0;
  // What the body that is being called has returned.
  tenon::Values returned;
  // An error in arguments that the C++ interface's cannot be called with.
  std::optional<tenon::Status> error;

  tenon::Status firstError() const { return error ? *error : builder.status(); }
};

namespace tenon::capi {

// A call under way: its builder and place, and what values stand for.
struct OpCall {
  explicit OpCall(tenon_program_builder &owner)
      : owner(owner), builder(owner.builder), at(owner.file.c_str(), owner.line) {}

  Value value(tenon_op_value value) const;
  Values values(const tenon_op_value *values, size_t count) const;
  Region region(tenon_region region) const;
  std::vector<Region> regions(const tenon_region *regions, size_t count) const;

  tenon_program_builder &owner;
  ProgramBuilder &builder;
  SourceLocation at;
};

// Keeps values as numbers.
tenon_op_value keep(tenon_program_builder &builder, const Value &value);

// What `function` makes of an OpCall; none after an error, exceptions included, which the builder keeps.
Values calledSafely(tenon_program_builder *builder, const char *name, std::initializer_list<Argument> arguments,
                    const std::function<Values(const OpCall &)> &function) noexcept;

struct CalledOp {
  tenon_program_builder *builder;
  Values values;
};
inline CalledOp called(tenon_program_builder *builder, const char *name, std::initializer_list<Argument> arguments,
                       const std::function<Values(const OpCall &)> &function) noexcept {
  return {builder, calledSafely(builder, name, arguments, function)};
}
tenon_op_value oneOf(const CalledOp &called) noexcept;
size_t allOf(const CalledOp &called, tenon_op_value *values, size_t capacity) noexcept;

// Arguments.
inline std::string textOf(const char *text) { return text ? text : ""; }
inline Type typeOf(const char *text) { return {textOf(text)}; }
std::vector<Type> typesOf(const char *const *types, size_t count);
inline std::vector<int64_t> listOf(const int64_t *values, size_t count) {
  return count == 0 ? std::vector<int64_t>() : std::vector<int64_t>(values, values + count);
}
std::vector<std::vector<int64_t>> matrixOf(const int64_t *values, size_t rows, size_t columns);
// The values of an enumeration, from those of C's, whose numbers are the same.
template <typename Enum, typename Given> std::vector<Enum> enumsOf(const Given *values, size_t count) {
  std::vector<Enum> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(static_cast<Enum>(static_cast<int>(values[i])));
  return result;
}

} // namespace tenon::capi
