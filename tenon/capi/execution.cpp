#include "tenon/capi/execution.h"

namespace tenon::capi {

using xla::GlobalData;
using xla::Literal;
using xla::Shape;

StatusOr<std::optional<std::chrono::nanoseconds>> timeoutOf(int64_t nanoseconds) {
  if (nanoseconds < 0)
    return invalidArgument("a timeout of " + std::to_string(nanoseconds) + " ns");
  // A century is as good as for ever, and is no time that a clock could not reach.
  constexpr int64_t kForEver = int64_t(1) << 61;
  if (nanoseconds == 0 || nanoseconds > kForEver)
    return std::optional<std::chrono::nanoseconds>();
  return std::optional(std::chrono::nanoseconds(nanoseconds));
}

StatusOr<Execution> executionOf(const tenon_execute_options *options) {
  TENON_ASSIGN_OR_RETURN(auto given, structOf(options, "options"));
  Execution execution;
  if (given.result_shape)
    execution.options.result_shape = shapeOf(given.result_shape);
  TENON_ASSIGN_OR_RETURN(execution.options.timeout, timeoutOf(given.timeout_ns));
  if (given.seed)
    execution.options.seed = *given.seed;
  execution.computeTime = given.compute_time_ns;
  return execution;
}

std::vector<GlobalData *> dataOf(const tenon_data *const *arguments, size_t count) {
  std::vector<GlobalData *> data;
  for (size_t i = 0; i < count; ++i)
    data.push_back(arguments[i] ? arguments[i]->value.get() : nullptr);
  return data;
}

StatusOr<std::vector<Shape>> shapesOf(const tenon_shape *const *argumentShapes, size_t count) {
  std::vector<Shape> shapes;
  for (size_t i = 0; argumentShapes && i < count; ++i) {
    if (!argumentShapes[i])
      return invalidArgument("the shape of argument " + std::to_string(i) + " is NULL");
    shapes.push_back(shapeOf(argumentShapes[i]));
  }
  return shapes;
}

StatusOr<std::unique_ptr<xla::Executable>> compile(xla::Client &client, const xla::Computation &computation,
                                                   const tenon_shape *const *argumentShapes, size_t count,
                                                   const tenon_execute_options *options) {
  TENON_ASSIGN_OR_RETURN(auto execution, executionOf(options));
  TENON_ASSIGN_OR_RETURN(auto shapes, shapesOf(argumentShapes, count));
  return client.Compile(computation, shapes, &execution.options);
}

Status give(StatusOr<std::unique_ptr<GlobalData>> data, tenon_data **out) {
  if (!data.ok())
    return data.status();
  *out = new tenon_data(*std::move(data));
  return {};
}

Status give(StatusOr<std::unique_ptr<Literal>> literal, tenon_literal **out) {
  if (!literal.ok())
    return literal.status();
  *out = release(*std::move(literal));
  return {};
}

Status checkIndex(size_t index, size_t count, const char *what) {
  if (index < count)
    return {};
  return {StatusCode::kOutOfRange,
          "there are " + std::to_string(count) + " " + what + ", and no number " + std::to_string(index)};
}

} // namespace tenon::capi
