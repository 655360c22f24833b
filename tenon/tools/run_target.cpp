#include "tenon/targets/targets.h"
#include "tenon/tools/executor.h"

namespace tenon::tools {

StatusOr<client::Backend *> findTarget(const std::string &target) {
  if (target.find('/') == std::string::npos)
    return targets::backendOf(target);
  TENON_ASSIGN_OR_RETURN(auto name, targets::loadTarget(target));
  return targets::backendOf(name);
}

StatusOr<std::vector<Array>> runExecutable(const client::Executable &executable, const std::vector<Array> &arguments,
                                           const runtime::RunOptions &options) {
  auto pointer = [](auto &array) {
    return array.shape.type == program::ElementType::kToken ? nullptr : array.bytes.data();
  };
  std::vector<const void *> argumentPointers;
  for (const Array &array : arguments)
    argumentPointers.push_back(pointer(array));
  std::vector<Array> results;
  for (const program::Result &result : executable.program().results)
    results.push_back({result.shape, std::vector<uint8_t>(size_t(result.shape.byteSize()))});
  std::vector<void *> resultPointers;
  for (Array &array : results)
    resultPointers.push_back(pointer(array));
  TENON_RETURN_IF_ERROR(executable.execute(argumentPointers, resultPointers, options));
  return results;
}

StatusOr<std::vector<Array>> runOnTarget(const std::string &target, const ExecutionRequest &request,
                                         ExecutionTimes &times) {
  if (request.file.compiled)
    return invalidArgument(request.file.path + " is compiled: use --target cpu");
  TENON_ASSIGN_OR_RETURN(auto backend, findTarget(target));
  client::CompileOptions options;
  for (const Array &argument : request.arguments)
    options.argumentShapes.push_back(argument.shape.dims);
  options.argumentValues = request.values;
  double start = now();
  TENON_ASSIGN_OR_RETURN(auto executable, backend->compile(request.file.bytes, options));
  times.compileSeconds = now() - start;
  StatusOr<std::vector<Array>> results = std::vector<Array>();
  for (int i = 0; i < request.repeat; ++i) {
    Status status = request.host.attend(i + 1 == request.repeat, [&](runtime::RunOptions run) {
      run.seed = request.seed;
      double begin = now();
      results = runExecutable(*executable, request.arguments, run);
      times.runSeconds.push_back(now() - begin);
      return results.status();
    });
    if (!status.ok())
      return status;
  }
  return cutToSizes(executable->program().results, *std::move(results));
}

} // namespace tenon::tools
