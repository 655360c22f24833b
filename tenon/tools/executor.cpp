#include "tenon/tools/executor.h"

#include "tenon/targets/targets.h"
#include "tenon/tools/progress.h"

#include <chrono>

namespace tenon::tools {
namespace {

// Seconds on the monotonic clock.
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

StatusOr<std::shared_ptr<client::Executable>> compile(client::Backend &backend, const ExecutionRequest &request) {
  ProgramFile &file = request.file;
  if (file.compiled && &backend != &client::defaultBackend())
    return invalidArgument(file.path + " is compiled" +
                           (backend.target() == "reference" ? ", which the interpreter cannot run" : "") +
                           ": use --target cpu");
  if (file.compiled)
    return backend.deserialize(file.bytes);
  client::CompileOptions options;
  for (const Array &argument : request.arguments)
    options.argumentShapes.push_back(argument.shape.dims);
  options.argumentValues = request.values;
  options.fileName = file.path;
  options.imported = file.imported;
  std::unique_ptr<Progress> progress = compileProgress(file.path);
  if (progress)
    options.reached = [&](std::string_view stage) { progress->reach(stage); };
  return backend.compile(file.bytes, options);
}

// A run's arguments, and its results in memory that further runs use again: those of known sizes are there before the
// first.
class Run {
public:
  Run(const client::Executable &executable, const std::vector<Array> &arguments) : executable_(executable) {
    for (const Array &array : arguments)
      arguments_.push_back(array.shape.type == program::ElementType::kToken ? nullptr : array.bytes.data());
    for (const program::Result &result : executable.program().results) {
      bool isOpen = std::find(result.shape.dims.begin(), result.shape.dims.end(), -1) != result.shape.dims.end();
      results_.push_back({result.shape, {}});
      if (!isOpen)
        results_.back().bytes.resize(size_t(result.shape.byteSize()));
    }
  }

  Status operator()(const runtime::RunOptions &options) {
    auto memory = [&](size_t result, const program::Shape &shape) {
      results_[result].shape = shape;
      results_[result].bytes.resize(size_t(shape.byteSize()));
      return results_[result].bytes.data();
    };
    return executable_.executeInto(arguments_, memory, options);
  }

  std::vector<Array> takeResults() { return std::move(results_); }

private:
  const client::Executable &executable_;
  std::vector<const void *> arguments_;
  std::vector<Array> results_;
};

} // namespace

StatusOr<client::Backend *> findTarget(const std::string &target) {
  if (target.find('/') == std::string::npos)
    return targets::backendOf(target);
  TENON_ASSIGN_OR_RETURN(auto name, targets::loadTarget(target));
  return targets::backendOf(name);
}

StatusOr<std::vector<Array>> runOnTarget(client::Backend &backend, const ExecutionRequest &request,
                                         ExecutionTimes &times) {
  double start = now();
  TENON_ASSIGN_OR_RETURN(auto executable, compile(backend, request));
  times.compileSeconds = now() - start;
  Run run(*executable, request.arguments);
  for (int i = 0; i < request.repeat; ++i)
    TENON_RETURN_IF_ERROR(request.host.attend(i + 1 == request.repeat, [&](runtime::RunOptions options) {
      options.seed = request.seed;
      double begin = now();
      Status status = run(options);
      times.runSeconds.push_back(now() - begin);
      return status;
    }));
  return cutToSizes(executable->program().results, run.takeResults());
}

StatusOr<std::vector<Array>> runExecutable(const client::Executable &executable, const std::vector<Array> &arguments,
                                           const runtime::RunOptions &options) {
  Run run(executable, arguments);
  TENON_RETURN_IF_ERROR(run(options));
  return run.takeResults();
}

} // namespace tenon::tools
