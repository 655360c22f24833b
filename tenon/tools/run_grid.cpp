#include "tenon/tools/run_grid.h"

#include "tenon/backend/grid.h"
#include "tenon/ir/process_groups.h"
#include "tenon/support/compile_stop.h"
#include "tenon/tools/executor.h"
#include "tenon/tools/npy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

namespace tenon::tools {
namespace {

using Arrays = std::vector<Literal>;

// What is for programs of one device alone.
Status checkOptions(const RunOptions &options, bool isJob) {
  const std::pair<bool, const char *> given[] = {{!options.shapes.empty(), "--shapes"},
                                                 {!options.constants.empty(), "--constant"},
                                                 {!options.infeed.empty(), "--infeed"},
                                                 {!options.outfeedFolder.empty(), "--outfeed"},
                                                 {!options.profile.file.empty(), "--profile"},
                                                 {options.time, "--time"},
                                                 {!options.image.empty(), "--png"}};
  for (auto [isGiven, name] : given)
    if (isGiven)
      return invalidArgument(std::string(name) + " is for programs of one device, and " +
                             (isJob ? "the environment names a job of several (TENON_COORDINATOR, or TENON_MPI_SHIM)"
                                    : "--grid asks for several"));
  return {};
}

// Whether the program is written for whole arrays, of which each device has a part.
bool isOfWholeArrays(mlir::ModuleOp module) {
  auto isSharding = [](mlir::NamedAttribute attribute) {
    return attribute.getName() == "sdy.sharding" || attribute.getName() == "mhlo.sharding";
  };
  auto hasSharding = [&](mlir::Operation *op) {
    if (llvm::any_of(op->getAttrs(), isSharding) || op->getName().getStringRef() == "sdy.manual_computation")
      return true;
    auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
    for (unsigned i = 0; function && i < function.getNumArguments(); ++i)
      if (llvm::any_of(function.getArgAttrs(i), isSharding))
        return true;
    for (unsigned i = 0; function && i < function.getNumResults(); ++i)
      if (llvm::any_of(function.getResultAttrs(i), isSharding))
        return true;
    return false;
  };
  return module
      ->walk([&](mlir::Operation *op) {
        return hasSharding(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

backend::CompileOptions compileOptions(const backend::Backend &backend, const backend::Job *job, ProgramFile &file) {
  backend::CompileOptions options;
  ir::ProcessGrid grid = file.compiled ? ir::ProcessGrid() : ir::processGrid(file.module());
  if (job)
    job->setDefaults(options, grid.size());
  if (grid.partitions > 1 && isOfWholeArrays(file.module())) {
    options.numReplicas = static_cast<int32_t>(grid.replicas);
    options.numPartitions = static_cast<int32_t>(grid.partitions);
    options.useSpmdPartitioning = options.useShardyPartitioner = true;
    if (backend.devices().empty()) { // for devices with memory of their own it is cut without being asked
      options.overrides.emplace_back("partition", "required");
      options.overrides.emplace_back("shared_memory", !job || job->count() == 1);
    }
  }
  return options;
}

std::string nameOf(int32_t place, const program::Argument &argument, size_t index) {
  return "device " + std::to_string(place) + ", argument " + std::to_string(index) +
         (argument.name.empty() ? "" : " (" + argument.name + ")");
}

bool isToken(const program::Argument &argument) { return argument.shape.type == program::ElementType::kToken; }

// The arguments of each place here: from files, of which those of a place follow those of the one before, or made up,
// which are other ones for each place, however the places are spread over processes.
StatusOr<std::vector<Arrays>> makeArguments(const RunOptions &options, const program::Program &program,
                                            const std::vector<int32_t> &places) {
  const std::vector<std::string> &files = options.arguments;
  size_t each = program.arguments.size() - llvm::count_if(program.arguments, isToken);
  if (!options.random && files.size() != each * places.size())
    return invalidArgument("this process has devices " + std::to_string(places.front()) + " to " +
                           std::to_string(places.back()) + ", and the program of each takes " + std::to_string(each) +
                           " arguments: --args needs " + std::to_string(each * places.size()) + " files, got " +
                           std::to_string(files.size()));
  std::vector<Arrays> all;
  size_t next = 0;
  for (int32_t place : places) {
    Arrays &arrays = all.emplace_back();
    for (auto [index, argument] : llvm::enumerate(program.arguments)) {
      if (isToken(argument)) {
        arrays.emplace_back();
        continue;
      }
      if (options.random && llvm::is_contained(argument.shape.dims, -1))
        return invalidArgument(nameOf(place, argument, index) + " has a dynamic shape, which --random cannot choose");
      uint64_t seed = options.seed + uint64_t(place) * program.arguments.size() + index;
      StatusOr<Literal> array = options.random
                                    ? StatusOr<Literal>(randomArray(argument.shape, seed))
                                    : readNpy(files[next++], {nameOf(place, argument, index), argument.shape});
      if (!array.ok())
        return array.status();
      arrays.push_back(*std::move(array));
    }
  }
  return all;
}

Status writeResults(const RunOptions &options, const program::Program &program, int32_t place, const Arrays &results) {
  for (auto [index, array] : llvm::enumerate(results)) {
    bool isToken = shapeOf(array).type == program::ElementType::kToken;
    std::string number = std::to_string(index), device = std::to_string(place);
    const std::string &name = program.results[index].name;
    if (options.outputFolder.empty())
      llvm::outs() << "device " << device << ", result " << number << (name.empty() ? "" : " (" + name + ")") << ": "
                   << shapeOf(array).toString() << "\n"
                   << formatArray(array) << "\n";
    else if (!isToken)
      TENON_RETURN_IF_ERROR(
          xla::LiteralUtil::WriteNpy(array, options.outputFolder + "/device_" + device + "_result_" + number + ".npy"));
  }
  return {};
}

StatusOr<std::shared_ptr<backend::Executable>> compileGrid(backend::Backend &backend, const backend::Job *job,
                                                           ProgramFile &file) {
  if (!job)
    return compileFile(backend, file, compileOptions(backend, job, file));
  CompileStop stop(job->stop());
  auto compiled = compileFile(backend, file, compileOptions(backend, job, file));
  TENON_RETURN_IF_ERROR(job->status());
  return compiled;
}

// The places of the grid that are here.
StatusOr<std::vector<int32_t>> placesOf(const backend::Job::Grid &grid, const backend::Job *job) {
  if (job)
    return job->placesOf(grid);
  std::vector<int32_t> places(size_t(grid.numReplicas) * size_t(grid.numPartitions));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

} // namespace

Status runGrid(const RunOptions &options, backend::Backend &backend, backend::Job *job, ProgramFile &file) {
  TENON_RETURN_IF_ERROR(checkOptions(options, job));
  TENON_ASSIGN_OR_RETURN(auto executable, compileGrid(backend, job, file));
  const program::Program &program = executable->program();
  const backend::Job::Grid grid{program.numReplicas, program.numPartitions, &program};
  TENON_ASSIGN_OR_RETURN(std::vector<int32_t> places, placesOf(grid, job));
  TENON_ASSIGN_OR_RETURN(std::vector<Arrays> arguments, makeArguments(options, program, places));
  if (std::error_code error =
          options.outputFolder.empty() ? std::error_code() : llvm::sys::fs::create_directories(options.outputFolder))
    return {StatusCode::kUnknown, options.outputFolder + ": " + error.message()};
  std::vector<Arrays> results(places.size());
  auto runPlace = [&](const runtime::RunOptions &place) -> Status {
    auto at = static_cast<size_t>(place.process() - places.front());
    TENON_ASSIGN_OR_RETURN(results[at], runExecutable(*executable, arguments[at], place));
    return {};
  };
  HostIo host({{}, "", options.timeout});
  for (int i = 0; i < options.warmUp + options.repeat; ++i)
    TENON_RETURN_IF_ERROR(host.run(/*show=*/false, [&](runtime::RunOptions run) {
      run.seed = options.seed;
      run.streams = nullptr;
      return job ? job->run(grid, run, runPlace)
                 : backend::runPlaces(grid.numReplicas, grid.numPartitions, run, runPlace);
    }));
  for (auto [place, own] : llvm::zip(places, results))
    TENON_RETURN_IF_ERROR(writeResults(options, program, place, own));
  return {};
}

} // namespace tenon::tools
