// Running programs on a target, from the command line.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/profile.h"
#include "tenon/tools/array.h"
#include "tenon/tools/host_io.h"
#include "tenon/tools/program_file.h"

namespace tenon::tools {

struct ExecutionTimes {
  double compileSeconds = 0;
  std::vector<double> runSeconds; // one for each repetition
  std::optional<xla::Profile> profile;
};

struct ExecutionRequest {
  ProgramFile &file;
  const std::vector<Literal> &arguments;
  HostIo &host;
  int repeat = 1;
  uint64_t seed = 0;                          // of the program's random numbers
  std::vector<program::ArgumentValue> values; // what to compile for
  int warmUp = 0;                             // runs before the repetitions
  bool isProfiled = false;                    // the repetitions
};

// By its name, or by the path of its library, which has a '/' in it.
StatusOr<backend::Backend *> findTarget(const std::string &target);

// What compiles the file's program, which that uses up, with the options that are not about its arguments.
StatusOr<std::shared_ptr<backend::Executable>> compileFile(backend::Backend &backend, ProgramFile &file,
                                                           backend::CompileOptions options);

// Uses up the file's module. The results of the last repetition, of the sizes that they have.
StatusOr<std::vector<Literal>> runOnTarget(backend::Backend &backend, const ExecutionRequest &request,
                                           ExecutionTimes &times);

// One run; the results as the executable describes them.
StatusOr<std::vector<Literal>> runExecutable(const backend::Executable &executable,
                                             const std::vector<Literal> &arguments, const runtime::RunOptions &options);

} // namespace tenon::tools
