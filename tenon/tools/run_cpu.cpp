#include "tenon/compiler/compiler.h"
#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/jit/loader.h"
#include "tenon/tools/executor.h"
#include "tenon/tools/progress.h"

namespace tenon::tools {

namespace {

StatusOr<std::unique_ptr<runtime::LoadedProgram>> compileAndLoad(const ExecutionRequest &request) {
  ProgramFile &file = request.file;
  runtime::registerCpuLibrary();
  if (file.compiled)
    return runtime::loadProgram(*file.compiled);
  compiler::CompileOptions options;
  options.fileName = file.path;
  for (const Array &argument : request.arguments)
    options.argumentShapes.push_back(argument.shape.dims);
  options.argumentValues = request.values;
  std::unique_ptr<Progress> progress = compileProgress(file.path);
  options.inspect = [&](std::string_view stage, mlir::ModuleOp) {
    if (progress)
      progress->reach(stage);
  };
  auto compiled = compiler::compile(file.bytes, options);
  progress.reset();
  if (!compiled.ok())
    return compiled.status();
  return runtime::loadProgram(std::move(*compiled));
}

} // namespace

StatusOr<std::vector<Array>> runOnCpu(const ExecutionRequest &request, ExecutionTimes &times) {
  double start = now();
  auto program = compileAndLoad(request);
  if (!program.ok())
    return program.status();
  times.compileSeconds = now() - start;
  std::vector<const void *> arguments;
  for (const Array &array : request.arguments)
    arguments.push_back(array.shape.type == program::ElementType::kToken ? nullptr : array.bytes.data());
  std::vector<Array> arrays;
  std::vector<void *> results;
  for (const program::Result &result : (*program)->program().results)
    arrays.emplace_back(Array{result.shape, std::vector<uint8_t>(result.shape.byteSize())});
  for (Array &array : arrays)
    results.push_back(array.shape.type == program::ElementType::kToken ? nullptr : array.bytes.data());
  for (int i = 0; i < request.repeat; ++i) {
    Status status = request.host.attend(i + 1 == request.repeat, [&](runtime::RunOptions options) {
      options.seed = request.seed;
      double begin = now();
      Status outcome = (*program)->run(arguments, results, options);
      times.runSeconds.push_back(now() - begin);
      return outcome;
    });
    if (!status.ok())
      return status;
  }
  return cutToSizes((*program)->program().results, std::move(arrays));
}

} // namespace tenon::tools
