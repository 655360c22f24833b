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

// All that is asked for of a compiled program.
Status writeProgram(const CompileOptions &options, const program::Program &program,
                    const program::DeviceProgram &device, const passes::PartitionReport *partitionReport) {
  std::optional<aot::Package> package;
  if (!options.aot.folder.empty()) {
    aot::PackageOptions request = aotPackageOptions(options);
    TENON_ASSIGN_OR_RETURN(package, isForGpu(options) ? aot::makeGpuPackage(program, device, request)
                                                      : aot::makePackage(program, request));
    noteNeeds(*package);
  }
  const aot::PackageSizes *sizes = package ? &package->sizes : nullptr;
  if (options.report == "json")
    llvm::outs() << formatReportJson(program, sizes);
  else if (!options.report.empty())
    llvm::outs() << formatReport(program, sizes);
  if (options.cuts() && (!partitionReport || partitionReport->devices == 0))
    return invalidArgument(kNothingToCut);
  if (!options.partitionReport.empty()) {
    if (options.partitionReport == "json")
      llvm::outs() << partitionJson(*partitionReport, program).dump(2) + "\n";
    else
      llvm::outs() << formatPartition(*partitionReport, program);
  }
  if (!options.partitionPicture.empty())
    TENON_RETURN_IF_ERROR(writeFile(options.partitionPicture, partitionPicture(*partitionReport)));
  if (!options.output.empty())
    TENON_RETURN_IF_ERROR(writeFile(options.output, program::serialize(program)));
  if (!options.memory.empty())
    TENON_RETURN_IF_ERROR(writeMemory(options.memory, program));
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

} // namespace

int compileCommand(const CompileOptions &options) {
  if (Status status = checkNames(options); !status.ok())
    return reportError(status);
  std::unique_ptr<ProgramFile> file = loadSource(options.program, options.entry);
  if (!file)
    return 1;
  compiler::CompileOptions request;
  request.fileName = file->path;
  request.imported = file->imported;
  auto shapes = file->argumentShapes(options.shapes);
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
  aot::initializeCrossTargets();
  if (!options.dumpAfter.empty())
    request.dumpAfter = {options.dumpAfter};
  request.dump = [](std::string_view stage, std::string_view text) {
    llvm::outs() << "// after " << stage << "\n" << text << "\n";
  };
  std::optional<passes::PartitionReport> partitionReport;
  request.partition = options.cuts();
  request.partitionReport = [&](const passes::PartitionReport &report) { partitionReport = report; };
  std::unique_ptr<Progress> progress = compileProgress(file->path);
  request.inspect = [&](std::string_view stage, mlir::ModuleOp) {
    if (progress)
      progress->reach(stage);
  };
  program::DeviceProgram device; // of a program for a GPU
  auto result = isForGpu(options) ? compileForGpu(file->bytes, request, options, device)
                                  : compiler::compile(file->bytes, request);
  progress.reset();
  if (!result.ok())
    return reportCompileError(result.status());
  Status status = writeProgram(options, *result, device, partitionReport ? &*partitionReport : nullptr);
  return status.ok() ? 0 : reportError(status);
}

} // namespace tenon::tools
