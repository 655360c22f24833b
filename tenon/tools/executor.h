// The ways to run a program from the command line.
#pragma once

#include "tenon/client/client.h"
#include "tenon/tools/array.h"
#include "tenon/tools/host_end.h"
#include "tenon/tools/program_file.h"

#include <functional>

namespace tenon::tools {

struct ExecutionTimes {
  double compileSeconds = 0;
  std::vector<double> runSeconds; // one for each repetition
};

struct ExecutionRequest {
  ProgramFile &file;
  const std::vector<Array> &arguments;
  HostEnd &host;
  int repeat = 1;
  uint64_t seed = 0;                          // of the program's random numbers
  std::vector<program::ArgumentValue> values; // what to compile for
};

// Results of the last repetition.
using Executor = std::function<StatusOr<std::vector<Array>>(const ExecutionRequest &, ExecutionTimes &)>;

// tenon/interpreter.
StatusOr<std::vector<Array>> runOnReference(const ExecutionRequest &request, ExecutionTimes &times);
// Compiled for the processor that runs it.
StatusOr<std::vector<Array>> runOnCpu(const ExecutionRequest &request, ExecutionTimes &times);
// See findTarget.
StatusOr<std::vector<Array>> runOnTarget(const std::string &target, const ExecutionRequest &request,
                                         ExecutionTimes &times);

// By its name, or by the path of its library, which has a '/' in it.
StatusOr<client::Backend *> findTarget(const std::string &target);
// One run; the results as the executable describes them.
StatusOr<std::vector<Array>> runExecutable(const client::Executable &executable, const std::vector<Array> &arguments,
                                           const runtime::RunOptions &options);

// Seconds on the monotonic clock.
double now();

} // namespace tenon::tools
