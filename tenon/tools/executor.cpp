#include "tenon/tools/executor.h"

#include "tenon/backend/registry.h"
#include "tenon/tools/progress.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <cstring>

namespace tenon::tools {
namespace {

// Seconds on the monotonic clock.
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

} // namespace

StatusOr<std::shared_ptr<backend::Executable>> compileFile(backend::Backend &backend, ProgramFile &file,
                                                           backend::CompileOptions options) {
  if (file.compiled && &backend != &backend::defaultBackend())
    return invalidArgument(file.path + " is compiled" +
                           (backend.target() == "reference" ? ", which the interpreter cannot run" : "") +
                           ": use --target cpu");
  if (file.compiled)
    return backend.deserialize(file.bytes);
  options.fileName = file.path;
  options.imported = file.imported;
  std::unique_ptr<Progress> progress = compileProgress(file.path);
  if (progress)
    options.reached = [&](std::string_view stage) { progress->reach(stage); };
  return backend.compile(file.bytes, options);
}

namespace {

// A run's arguments, and its results in memory that further runs use again: those of known sizes are there before the
// first.
class Run {
public:
  Run(const backend::Executable &executable, const std::vector<Literal> &arguments)
      : executable_(executable), results_(executable.program().results.size()) {
    for (const Literal &array : arguments)
      arguments_.push_back(dataOf(array));
    for (size_t i = 0; i < results_.size(); ++i)
      if (const program::Shape &shape = executable.program().results[i].shape; !llvm::is_contained(shape.dims, -1))
        if (void *data = memoryFor(i, shape)) // touched, which is not the run's to do
          std::memset(data, 0, size_t(shape.byteSize()));
  }

  Status operator()(const runtime::RunOptions &options) {
    return executable_.executeInto(
        arguments_, [this](size_t i, const program::Shape &shape) { return memoryFor(i, shape); }, options);
  }

  std::vector<Literal> takeResults() { return std::move(results_); }

private:
  void *memoryFor(size_t result, const program::Shape &shape) {
    if (shapeOf(results_[result]) != shape) {
      StatusOr<Literal> array = makeArray(shape);
      if (!array.ok())
        return nullptr;
      results_[result] = *std::move(array);
    }
    return results_[result].IsWritable() ? results_[result].mutable_data() : nullptr;
  }

  const backend::Executable &executable_;
  std::vector<const void *> arguments_;
  std::vector<Literal> results_;
};

} // namespace

StatusOr<backend::Backend *> findTarget(const std::string &target) {
  if (target.find('/') == std::string::npos)
    return backend::backendOf(target);
  TENON_ASSIGN_OR_RETURN(auto name, backend::loadTarget(target));
  return backend::backendOf(name);
}

StatusOr<std::vector<Literal>> runOnTarget(backend::Backend &backend, const ExecutionRequest &request,
                                           ExecutionTimes &times) {
  double start = now();
  backend::CompileOptions options;
  for (const Literal &argument : request.arguments)
    options.argumentShapes.push_back(shapeOf(argument).dims);
  options.argumentValues = request.values;
  TENON_ASSIGN_OR_RETURN(auto executable, compileFile(backend, request.file, std::move(options)));
  times.compileSeconds = now() - start;
  Run run(*executable, request.arguments);
  std::unique_ptr<xla::Profiler> profiler;
  for (int i = 0; i < request.warmUp + request.repeat; ++i) {
    if (i == request.warmUp && request.isProfiled) {
      TENON_ASSIGN_OR_RETURN(profiler, xla::Profiler::Start());
    }
    bool isLast = i + 1 == request.warmUp + request.repeat;
    TENON_RETURN_IF_ERROR(request.host.run(isLast, [&](runtime::RunOptions options) {
      options.seed = request.seed;
      double begin = now();
      Status status = run(options);
      if (i >= request.warmUp)
        times.runSeconds.push_back(now() - begin);
      return status;
    }));
  }
  if (profiler)
    times.profile = profiler->Stop();
  return cutToSizes(executable->program().results, run.takeResults());
}

StatusOr<std::vector<Literal>> runExecutable(const backend::Executable &executable,
                                             const std::vector<Literal> &arguments,
                                             const runtime::RunOptions &options) {
  Run run(executable, arguments);
  TENON_RETURN_IF_ERROR(run(options));
  return run.takeResults();
}

} // namespace tenon::tools
