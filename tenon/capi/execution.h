// What compiling and executing take and give, on either side of the C interface.
#pragma once

#include "tenon/capi/handles.h"
#include "tenon/client.h"

#include <vector>

namespace tenon::capi {

// 0: as long as it takes.
StatusOr<std::optional<std::chrono::nanoseconds>> timeoutOf(int64_t nanoseconds);

Status give(StatusOr<std::unique_ptr<xla::GlobalData>> data, tenon_data **out);
Status give(StatusOr<std::unique_ptr<xla::Literal>> literal, tenon_literal **out);

// A caller's options, which may be of an older or a newer version, or null.
struct Execution {
  xla::ExecutionOptions options;
  int64_t *computeTime = nullptr;
};
StatusOr<Execution> executionOf(const tenon_execute_options *options);

// Calls `run` with the C++ interface's options and a profile, hands out the value that it returns, and says how long it
// took.
template <typename Out, typename Run> Status runAndGive(const tenon_execute_options *options, Out **out, Run &&run) {
  TENON_ASSIGN_OR_RETURN(auto execution, executionOf(options));
  xla::ExecutionProfile profile;
  Status status = give(run(&execution.options, &profile), out);
  if (status.ok() && execution.computeTime)
    *execution.computeTime = profile.compute_time.count();
  return status;
}

std::vector<xla::GlobalData *> dataOf(const tenon_data *const *arguments, size_t count);
// For row-major arguments where `argumentShapes` is null.
// None for a null list; a shape that is null is an error.
StatusOr<std::vector<xla::Shape>> shapesOf(const tenon_shape *const *argumentShapes, size_t count);
StatusOr<std::unique_ptr<xla::Executable>> compile(xla::Client &client, const xla::Computation &computation,
                                                   const tenon_shape *const *argumentShapes, size_t count,
                                                   const tenon_execute_options *options);

// INVALID_ARGUMENT unless a list of `count` things, named `what`, has one at `index`.
Status checkIndex(size_t index, size_t count, const char *what);

// To a struct of the caller's, whose struct_size is set.
template <typename Struct> Status fill(Struct filled, Struct *given, const char *name) {
  filled.struct_size = given->struct_size;
  if (filled.struct_size < sizeof(size_t))
    return invalidArgument(std::string(name) + ": struct_size is not set");
  std::memcpy(static_cast<void *>(given), &filled, std::min(filled.struct_size, sizeof(Struct)));
  return {};
}

} // namespace tenon::capi
