#include "tenon/aot/cross_targets.h"
#include "tenon/aot/gpu_package.h"
#include "tenon/aot/package.h"
#include "tenon/compiler/compiler.h"
#include "tenon/passes/partition/report.h"
#include "tenon/program/serialization.h"
#include "tenon/support/files.h"
#include "tenon/tools/ahead_of_time.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/gpu_code.h"
#include "tenon/tools/memory_report.h"
#include "tenon/tools/partition_output.h"
#include "tenon/tools/program_file.h"
#include "tenon/tools/progress.h"
#include "tenon/tools/report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <optional>

namespace tenon::tools {

namespace {

Status writeMemory(const std::string &path, const program::Program &program) {
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  if (suffix == ".svg")
    return writeFile(path, memoryPicture(program));
  if (suffix == ".json")
    return writeFile(path, memoryJson(program).dump(2, ' ', /*ensure_ascii=*/false,
                                                    nlohmann::ordered_json::error_handler_t::replace) +
                               "\n");
  std::string text;
  llvm::raw_string_ostream out(text);
  printMemory(out, program);
  return writeFile(path, text);
}

// What a package wants to be linked with.
void noteNeeds(const aot::Package &package) {
  for (const std::string &routine : package.lapack)
    llvm::errs() << "note: " << routine << " needs LAPACK: link libtenon_lapack.a (see the header)\n";
  for (const std::string &name : package.customCalls)
    llvm::errs() << "note: custom call '" << name << "' is for the binary to bring (see the header)\n";
}

// A program that was compiled, and what it was chosen by.
struct Compiled {
  ProgramChoice choice;
  std::unique_ptr<ProgramFile> file; // whose types the report on the partition refers to
  program::Program program;
  program::DeviceProgram device; // of a program for a GPU
  std::optional<passes::PartitionReport> partition;
};

StatusOr<aot::Package> makePackage(const CompileOptions &options, const std::deque<Compiled> &programs) {
  aot::PackageOptions request = aotPackageOptions(options);
  TENON_RETURN_IF_ERROR(setWeights(options, request));
  if (isForGpu(options))
    return aot::makeGpuPackage(programs.front().program, programs.front().device, request);
  std::vector<aot::Model> models;
  for (const Compiled &compiled : programs)
    models.push_back({compiled.choice.model, &compiled.program});
  return aot::makePackage(models, request);
}

// What is asked for of one program.
Status writeReports(const CompileOptions &options, const Compiled &compiled, const aot::PackageSizes *sizes) {
  const program::Program &program = compiled.program;
  if (options.report == "json")
    llvm::outs() << formatReportJson(program, sizes);
  else if (!options.report.empty())
    llvm::outs() << formatReport(program, sizes);
  if (options.cuts() && (!compiled.partition || compiled.partition->devices == 0))
    return invalidArgument(kNothingToCut);
  if (!options.partitionReport.empty()) {
    if (options.partitionReport == "json")
      llvm::outs() << partitionJson(*compiled.partition, program).dump(2) + "\n";
    else
      llvm::outs() << formatPartition(*compiled.partition, program);
  }
  if (!options.partitionPicture.empty())
    TENON_RETURN_IF_ERROR(writeFile(options.partitionPicture, partitionPicture(*compiled.partition)));
  if (!options.output.empty())
    TENON_RETURN_IF_ERROR(writeFile(options.output, program::serialize(program)));
  if (!options.memory.empty())
    TENON_RETURN_IF_ERROR(writeMemory(options.memory, program));
  return {};
}

// All that is asked for of compiled programs.
Status writePrograms(const CompileOptions &options, const std::deque<Compiled> &programs) {
  std::optional<aot::Package> package;
  if (!options.aot.folder.empty()) {
    TENON_ASSIGN_OR_RETURN(package, makePackage(options, programs));
    noteNeeds(*package);
  }
  for (const Compiled &compiled : programs)
    TENON_RETURN_IF_ERROR(writeReports(options, compiled, package ? &package->sizes : nullptr));
  return package ? writeAheadOfTime(*package, options) : Status();
}

// Whether the options name stages and kinds of files that there are.
Status checkNames(const CompileOptions &options) {
  auto stages = compiler::stageNames();
  if (isForGpu(options))
    for (std::string_view stage : {kPtxStage, kMachineCodeStage})
      stages.emplace_back(stage);
  if (!options.dumpAfter.empty() && options.dumpAfter != "all" && !llvm::is_contained(stages, options.dumpAfter))
    return invalidArgument("no stage is named '" + options.dumpAfter + "'; there are: " + llvm::join(stages, ", "));
  if (llvm::StringRef suffix = llvm::sys::path::extension(options.memory);
      !options.memory.empty() && suffix != ".svg" && suffix != ".json" && suffix != ".txt")
    return invalidArgument("--memory writes .svg, .json or .txt, not '" + options.memory + "'");
  if (!options.partitionPicture.empty() && llvm::sys::path::extension(options.partitionPicture) != ".svg")
    return invalidArgument("--partition-picture writes .svg, not '" + options.partitionPicture + "'");
  return {};
}

// Whether what is asked for can be had of several programs.
Status checkSeveral(const CompileOptions &options) {
  if (isForGpu(options))
    return unimplemented("several models in one object are for CPUs; of GPUs each has its own");
  if (options.cuts() || !options.memory.empty())
    return invalidArgument("--memory, --partition-report and --partition-picture are about one program");
  return {};
}

// Compiles one of the programs; prints what is wrong with it. Returns the exit status.
// `sharesWeights`: its constants are to be those of other programs.
int compileProgram(const CompileOptions &options, bool sharesWeights, Compiled &compiled) {
  compiled.file = loadSource(compiled.choice.program, compiled.choice.entry);
  ProgramFile *file = compiled.file.get();
  if (!file)
    return 1;
  compiler::CompileOptions request;
  request.fileName = file->path;
  request.imported = file->imported;
  auto shapes = file->argumentShapes(compiled.choice.shapes);
  if (!shapes.ok())
    return reportError(shapes.status());
  request.argumentShapes = std::move(*shapes);
  auto values = file->argumentValues(options.constants);
  if (!values.ok())
    return reportError(values.status());
  request.argumentValues = std::move(*values);
  request.targetCpu = options.targetCpu;
  request.targetTriple = options.targetTriple;
  request.selfContained = request.layouts = !options.aot.folder.empty();
  request.bitcode = request.selfContained && !isForGpu(options);
  request.packConstants = !sharesWeights;
  if (!options.dumpAfter.empty())
    request.dumpAfter = {options.dumpAfter};
  request.dump = [](std::string_view stage, std::string_view text) {
    llvm::outs() << "// after " << stage << "\n" << text << "\n";
  };
  request.partition = options.cuts();
  request.groupMemory = !options.cuts(); // whose report is of devices that have a process each
  request.partitionReport = [&](const passes::PartitionReport &report) { compiled.partition = report; };
  std::unique_ptr<Progress> progress = compileProgress(file->path);
  request.inspect = [&](std::string_view stage, mlir::ModuleOp) {
    if (progress)
      progress->reach(stage);
  };
  auto result = isForGpu(options) ? compileForGpu(file->bytes, request, options, compiled.device)
                                  : compiler::compile(file->bytes, request);
  progress.reset();
  if (!result.ok())
    return reportCompileError(result.status());
  compiled.program = *std::move(result);
  return 0;
}

} // namespace

int compileCommand(const CompileOptions &options) {
  if (Status status = checkNames(options); !status.ok())
    return reportError(status);
  StatusOr<std::vector<ProgramChoice>> choices = chosenPrograms(options);
  if (!choices.ok())
    return reportError(choices.status());
  if (choices->size() > 1)
    if (Status status = checkSeveral(options); !status.ok())
      return reportError(status);
  aot::initializeCrossTargets();
  // A file of weights is one for all processors.
  bool sharesWeights = choices->size() > 1 || options.aot.weights == "external";
  std::deque<Compiled> programs;
  for (ProgramChoice &choice : *choices) {
    programs.push_back({std::move(choice), {}, {}, {}, {}});
    if (int code = compileProgram(options, sharesWeights, programs.back()))
      return code;
  }
  Status status = writePrograms(options, programs);
  return status.ok() ? 0 : reportError(status);
}

} // namespace tenon::tools
