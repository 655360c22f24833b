#include "tenon/tools/arguments.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/executor.h"
#include "tenon/tools/png.h"
#include "tenon/tools/profile_output.h"
#include "tenon/tools/run_grid.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tenon::tools {

namespace {

Status writeResults(const std::string &folder, const std::vector<Literal> &results) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return {StatusCode::kUnknown, folder + ": " + error.message()};
  for (auto [index, array] : llvm::enumerate(results)) {
    if (shapeOf(array).type == program::ElementType::kToken)
      continue;
    TENON_RETURN_IF_ERROR(xla::LiteralUtil::WriteNpy(array, folder + "/result_" + std::to_string(index) + ".npy"));
  }
  return {};
}

void printResults(const std::vector<program::Result> &names, const std::vector<Literal> &results) {
  for (auto [index, array] : llvm::enumerate(results))
    llvm::outs() << nameOf("result", index, names[index].name) << ": " << shapeOf(array).toString() << "\n"
                 << formatArray(array) << "\n";
}

void printTimes(const ExecutionTimes &times) {
  std::vector<double> sorted = times.runSeconds;
  llvm::sort(sorted);
  llvm::errs() << llvm::format("compile %.3f ms, ", times.compileSeconds * 1e3);
  if (!sorted.empty())
    llvm::errs() << llvm::format("run: best %.3f ms, median %.3f ms", sorted.front() * 1e3,
                                 sorted[sorted.size() / 2] * 1e3)
                 << " of " << sorted.size();
  llvm::errs() << "\n";
}

Status writeOutputs(const RunOptions &options, const std::vector<Literal> &results,
                    const std::vector<program::Result> &names) {
  if (!options.outputFolder.empty())
    TENON_RETURN_IF_ERROR(writeResults(options.outputFolder, results));
  if (!options.image.empty()) {
    if (results.empty())
      return invalidArgument("the program has no result to write as an image");
    TENON_RETURN_IF_ERROR(writePng(options.image, results.front()));
  }
  if (!options.isProfileCommand && options.outputFolder.empty() && options.image.empty())
    printResults(names, results);
  return {};
}

} // namespace

int runCommand(const RunOptions &options) {
  if (options.random && !options.arguments.empty())
    return reportError("--args and --random exclude each other");
  auto target = findTarget(options.target);
  if (!target.ok())
    return reportError(target.status());
  std::unique_ptr<ProgramFile> file = loadProgram(options.program, options.entry);
  if (!file)
    return 1;
  auto job = backend::Job::start(**target);
  if (!job.ok())
    return reportError(job.status());
  if (*job || options.isGrid) {
    Status status = runGrid(options, **target, job->get(), *file);
    return status.ok() ? 0 : reportCompileError(status);
  }
  auto constants = file->argumentValues(options.constants);
  if (!constants.ok())
    return reportError(constants.status());
  auto arguments = makeArguments(options, *file, *constants);
  if (!arguments.ok())
    return reportError(arguments.status());
  auto names = file->results();
  if (!names.ok())
    return reportError(names.status());
  auto infeed = readInfeed(options.infeed, *file);
  if (!infeed.ok())
    return reportError(infeed.status());
  HostIo host({std::move(*infeed), options.outfeedFolder, options.timeout});
  ExecutionTimes times;
  auto results = runOnTarget(**target,
                             {*file, *arguments, host, options.repeat, options.seed,
                              knownValues(*arguments, *constants), options.warmUp, !options.profile.file.empty()},
                             times);
  if (!results.ok())
    return reportCompileError(results.status());
  if (Status status = writeOutputs(options, *results, *names); !status.ok())
    return reportError(status);
  if (options.time)
    printTimes(times);
  if (times.profile)
    if (Status status = writeProfile(*times.profile, options); !status.ok())
      return reportError(status);
  return 0;
}

int profileCommand(RunOptions options) {
  options.random = options.arguments.empty();
  options.profile.file = "-";
  options.isProfileCommand = true;
  return runCommand(options);
}

} // namespace tenon::tools
