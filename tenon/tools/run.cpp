#include "tenon/tools/commands.h"
#include "tenon/tools/executor.h"
#include "tenon/tools/npy.h"
#include "tenon/tools/png.h"
#include "tenon/tools/profile_output.h"
#include "tenon/tools/run_in_job.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tenon::tools {

namespace {

std::string plural(size_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string nameOf(const std::string &kind, size_t index, const std::string &name) {
  return kind + " " + std::to_string(index) + (name.empty() ? "" : " (" + name + ")");
}

StatusOr<Literal> makeRandom(const program::Argument &argument, size_t index, uint64_t seed) {
  if (llvm::is_contained(argument.shape.dims, -1))
    return invalidArgument(nameOf("argument", index, argument.name) +
                           " has a dynamic shape: --random cannot choose one, use --args or --shapes");
  return randomArray(argument.shape, seed + index);
}

// The argument that --constant gives, without a file.
StatusOr<Literal> constantArgument(const program::Argument &argument, size_t index,
                                   const program::ArgumentValue &constant) {
  auto array = integerArray(argument.shape, constant.elements);
  return array.ok() ? std::move(array)
                    : invalidArgument("--constant: " + nameOf("argument", index, argument.name) + " " +
                                      array.status().message());
}

// What can be known of the arguments when the program is compiled: constants, and integers that may decide a size.
std::vector<program::ArgumentValue> knownValues(const std::vector<Literal> &arguments,
                                                std::vector<program::ArgumentValue> constants) {
  for (auto [index, array] : llvm::enumerate(arguments)) {
    bool isConstant = llvm::any_of(constants, [&](auto &constant) { return constant.argument == int32_t(index); });
    auto elements = isConstant ? std::nullopt : fewIntegers(array);
    if (elements)
      constants.push_back({static_cast<int32_t>(index), *std::move(elements), /*always=*/false});
  }
  return constants;
}

StatusOr<std::vector<Literal>> makeArguments(const RunOptions &options, ProgramFile &file,
                                             const std::vector<program::ArgumentValue> &constants) {
  TENON_ASSIGN_OR_RETURN(auto expected, file.arguments());
  TENON_ASSIGN_OR_RETURN(auto shapes, file.argumentShapes(options.shapes));
  for (auto [argument, shape] : llvm::zip(expected, shapes))
    argument.shape.dims = shape;
  std::vector<Literal> arrays;
  // Tokens order effects, they carry nothing that a file could hold.
  auto isToken = [](const program::Argument &argument) { return argument.shape.type == program::ElementType::kToken; };
  std::vector<const program::ArgumentValue *> constantOf(expected.size());
  for (const program::ArgumentValue &constant : constants) {
    if (size_t(constant.argument) >= expected.size())
      return invalidArgument("--constant: there is no argument " + std::to_string(constant.argument));
    constantOf[constant.argument] = &constant;
  }
  size_t wanted = expected.size() - llvm::count_if(expected, isToken) - constants.size();
  if (!options.random && options.arguments.size() != wanted)
    return invalidArgument("the program takes " + plural(wanted, "argument") + ", but " +
                           std::to_string(options.arguments.size()) + (options.arguments.size() == 1 ? " is" : " are") +
                           " given (use --args a.npy,b.npy,... or --random)");
  size_t nextFile = 0;
  for (auto [index, argument] : llvm::enumerate(expected)) {
    StatusOr<Literal> array = Literal(); // a token
    if (isToken(argument) && !constantOf[index])
      ;
    else if (constantOf[index])
      array = constantArgument(argument, index, *constantOf[index]);
    else if (options.random)
      array = makeRandom(argument, index, options.seed);
    else
      array = readNpy(options.arguments[nextFile++], {nameOf("argument", index, argument.name), argument.shape});
    if (!array.ok())
      return array.status();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

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
  if (*job) {
    Status status = runInJob(options, **target, **job, *file);
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
