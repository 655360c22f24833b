#include "tenon/codegen/common/generator.h"
#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/llvm/entry/entry.h"
#include "tenon/compiler/compiler.h"
#include "tenon/program/serialization.h"
#include "tenon/support/files.h"
#include "tenon/tools/ahead_of_time.h"
#include "tenon/tools/arguments.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/executor.h"
#include "tenon/tools/memory_report.h"
#include "tenon/tools/partition_output.h"
#include "tenon/tools/program_file.h"
#include "tenon/tools/progress.h"
#include "tenon/tools/view/page.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <optional>

namespace tenon::tools {

namespace {

// The passes' stages; the last two, "plan" and "llvm", are no programs.
std::vector<std::string> viewableStages() {
  std::vector<std::string> stages = compiler::stageNames();
  stages.resize(stages.size() - 2);
  return stages;
}

ViewedStage viewStage(std::string_view name, mlir::ModuleOp module, const compiler::CompileOptions &options) {
  ViewedStage stage{std::string(name), buildGraph(module), {}};
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (name != viewableStages().back() || !main)
    return stage;
  StatusOr<codegen::CpuTarget> target = compiler::targetOf(options);
  auto hasKernel = [&](mlir::Operation *op) { return target.ok() && codegen::mayHaveKernel(op, *target); };
  (void)codegen::entry::forEachInstruction(
      main.getBody().front(), [&](mlir::Operation *op, codegen::InstructionKind kind) {
        if (kind == codegen::InstructionKind::kKernel && !codegen::findView(op, hasKernel))
          stage.steps.push_back(stage.graph.nodeOf.at(op));
        return llvm::success();
      });
  return stage;
}

std::string defaultOutput(llvm::StringRef program) {
  return (program == "-" ? "program" : llvm::sys::path::stem(program).str()) + ".html";
}

StatusOr<compiler::CompileOptions> requestFor(const ViewOptions &options, ProgramFile &file) {
  compiler::CompileOptions request;
  request.fileName = file.path;
  request.imported = file.imported;
  TENON_ASSIGN_OR_RETURN(request.argumentShapes, file.argumentShapes(options.shapes));
  TENON_ASSIGN_OR_RETURN(request.argumentValues, file.argumentValues(options.constants));
  request.targetCpu = options.targetCpu;
  request.partition = options.partition;
  request.groupMemory = !options.partition; // a device that is looked at has a process of its own
  return request;
}

// The arguments that the program is measured on, for which it is compiled then; none where it is not measured.
StatusOr<std::vector<Literal>> timedArguments(const ViewOptions &options, ProgramFile &file,
                                              compiler::CompileOptions &request) {
  if (options.timedRuns == 0)
    return std::vector<Literal>();
  TENON_ASSIGN_OR_RETURN(auto arguments, makeArguments(options, file, request.argumentValues));
  request.argumentShapes.clear();
  for (const Literal &argument : arguments)
    request.argumentShapes.push_back(shapeOf(argument).dims);
  request.argumentValues = knownValues(arguments, std::move(request.argumentValues));
  return arguments;
}

StatusOr<xla::Profile> measure(const program::Program &program, const std::vector<Literal> &arguments, int runs) {
  constexpr int kWarmUp = 3;
  TENON_ASSIGN_OR_RETURN(auto executable, backend::defaultBackend().deserialize(program::serialize(program)));
  std::unique_ptr<xla::Profiler> profiler;
  for (int i = 0; i < kWarmUp + runs; ++i) {
    if (i == kWarmUp) {
      TENON_ASSIGN_OR_RETURN(profiler, xla::Profiler::Start());
    }
    TENON_RETURN_IF_ERROR(runExecutable(*executable, arguments, {}).status());
  }
  return profiler->Stop();
}

// Into the view, as the options ask; with `times`, which lives as long.
Status addMeasurements(const ViewOptions &options, const std::vector<Literal> &arguments, View &view,
                       std::optional<xla::Profile> &times) {
  if (options.timedRuns == 0 || !view.compiled)
    return {};
  TENON_ASSIGN_OR_RETURN(times, measure(*view.compiled, arguments, options.timedRuns));
  view.times = &*times;
  view.timedRuns = options.timedRuns;
  return {};
}

} // namespace

int viewCommand(ViewOptions options) {
  options.random = options.arguments.empty();
  std::vector<std::string> all = viewableStages();
  std::vector<std::string> wanted = options.after;
  if (wanted.empty())
    wanted = {all.front(), all.back()};
  else if (llvm::is_contained(wanted, "all"))
    wanted = all;
  for (const std::string &stage : wanted)
    if (!llvm::is_contained(all, stage))
      return reportError("no stage is named '" + stage + "'; there are: " + llvm::join(all, ", "));
  std::string output = options.output.empty() ? defaultOutput(options.program) : options.output;
  bool isJson = llvm::sys::path::extension(output) == ".json";
  if (!isJson && llvm::sys::path::extension(output) != ".html")
    return reportError("tenon view writes .html or .json, not '" + output + "'");
  std::unique_ptr<ProgramFile> file = loadSource(options.program, options.entry);
  if (!file)
    return 1;
  auto request = requestFor(options, *file);
  if (!request.ok())
    return reportError(request.status());
  auto arguments = timedArguments(options, *file, *request);
  if (!arguments.ok())
    return reportError(arguments.status());
  View view;
  view.program = file->path;
  std::optional<passes::PartitionReport> partition;
  request->partitionReport = [&](const passes::PartitionReport &report) { partition = report; };
  std::unique_ptr<Progress> progress = compileProgress(file->path);
  request->inspect = [&](std::string_view stage, mlir::ModuleOp module) {
    if (progress)
      progress->reach(stage);
    if (llvm::is_contained(wanted, stage))
      view.stages.push_back(viewStage(stage, module, *request));
  };
  auto program = compiler::compile(file->bytes, *request);
  progress.reset();
  if (program.ok()) {
    view.compiled = &*program;
    view.memory = memoryPicture(*program);
  }
  if (options.partition && partition && partition->devices == 0)
    return reportError(invalidArgument(kNothingToCut));
  if (program.ok() && partition && partition->devices > 0) {
    view.partition = partitionJson(*partition, *program);
    view.arrays = partitionPicture(*partition);
  }
  std::optional<xla::Profile> times;
  if (Status measured = addMeasurements(options, *arguments, view, times); !measured.ok())
    return reportError(measured);
  // A program that cannot be compiled can be looked at up to where that was found.
  Status status = program.ok() ? Status() : program.status();
  if (!view.stages.empty()) {
    std::string text =
        isJson ? viewJson(view).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) : viewPage(view);
    if (Status written = writeFile(output, text); !written.ok())
      return reportError(written);
  }
  return status.ok() ? 0 : reportError(status);
}

} // namespace tenon::tools
