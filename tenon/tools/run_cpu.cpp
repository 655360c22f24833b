#include "tenon/client/interpreter_service.h"
#include "tenon/compiler/compiler.h"
#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/jit/loader.h"
#include "tenon/tools/executor.h"

namespace tenon::tools {

namespace {

StatusOr<std::unique_ptr<runtime::LoadedProgram>> compileAndLoad(ProgramFile &file) {
  client::registerInterpreterService();
  if (file.compiled)
    return runtime::loadProgram(*file.compiled);
  compiler::CompileOptions options;
  options.fileName = file.path;
  auto compiled = compiler::compile(file.bytes, options);
  if (!compiled.ok())
    return compiled.status();
  client::registerInterpreterService();
  runtime::registerCpuLibrary();
  return runtime::loadProgram(std::move(*compiled));
}

} // namespace

StatusOr<std::vector<Array>> runOnCpu(const ExecutionRequest &request, ExecutionTimes &times) {
  double start = now();
  auto program = compileAndLoad(request.file);
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
    start = now();
    if (Status status = (*program)->run(arguments, results); !status.ok())
      return status;
    times.runSeconds.push_back(now() - start);
  }
  return arrays;
}

} // namespace tenon::tools
